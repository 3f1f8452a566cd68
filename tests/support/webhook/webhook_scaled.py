"""``ovnguard-webhook`` scaled down: ``python -m tests.support.webhook.webhook_scaled NAME=NUMBER... -- OPTIONS``.

The names are constants of the server, in seconds, and ``SEND_BYTES``: how much a connection holds that its client has
not read. Each answer that a thread had to send, because its client reads slowly, is told on standard error.
"""

import socket
import sys
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

from webhook.cli import main
from webhook.commands import serve
from webhook.server import gunicorn_app, worker

PLACES: dict[str, Any] = {"KEEPALIVE": gunicorn_app, "ANSWER_SECONDS": worker}
listen, send = serve._listen, worker._send_rest


def told(connection: Any, answer: bytes) -> bool:
    """Send, and say so before and after."""
    tell(f'{{"message": "later", "bytes": {len(answer)}}}')
    sent = send(connection, answer)
    tell('{"message": "sent"}')
    return sent


def tell(line: str) -> None:
    """One write, as several threads write."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def narrow(octets: int, host: str, port: int) -> socket.socket:
    """A listener whose connections hold little."""
    listener = listen(host, port)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, octets)
    return listener


if __name__ == "__main__":
    end = sys.argv.index("--")
    wishes = {name: int(number) for name, _, number in (wish.partition("=") for wish in sys.argv[1:end])}
    sys.argv[1:] = sys.argv[end + 1 :]
    with ExitStack() as undo:
        octets = wishes.pop("SEND_BYTES", 0)
        if octets:
            undo.enter_context(patch.object(serve, "_listen", lambda host, port: narrow(octets, host, port)))
        for name, seconds in wishes.items():
            undo.enter_context(patch.object(PLACES[name], name, seconds))
        undo.enter_context(patch.object(worker, "_send_rest", told))
        main()
