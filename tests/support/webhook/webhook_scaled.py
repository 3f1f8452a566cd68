"""``ovnguard-webhook`` scaled down: ``python -m tests.support.webhook.webhook_scaled NAME=NUMBER... -- OPTIONS``.

The names are constants of the server, in seconds, and ``SEND_BYTES``: how much a connection buffers that its client has
not read.
"""

import socket
import sys
from contextlib import ExitStack
from types import ModuleType
from unittest.mock import patch

from ovnguard.webhook.cli import main
from ovnguard.webhook.commands import serve
from ovnguard.webhook.server import gunicorn_app, worker

MODULES: dict[str, ModuleType] = {"KEEPALIVE": gunicorn_app, "ANSWER_SECONDS": worker}
bind = serve._bind


def narrow(octets: int, host: str, port: int) -> socket.socket:
    """A bound socket whose connections buffer little."""
    listener = bind(host, port)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, octets)
    return listener


if __name__ == "__main__":
    end = sys.argv.index("--")
    seconds_by_name = {name: int(number) for name, _, number in (each.partition("=") for each in sys.argv[1:end])}
    sys.argv[1:] = sys.argv[end + 1 :]
    with ExitStack() as undo:
        octets = seconds_by_name.pop("SEND_BYTES", 0)
        if octets:
            undo.enter_context(patch.object(serve, "_bind", lambda host, port: narrow(octets, host, port)))
        for name, seconds in seconds_by_name.items():
            undo.enter_context(patch.object(MODULES[name], name, seconds))
        main()
