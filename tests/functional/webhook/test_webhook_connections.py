"""Connections that stay: how long idle ones are kept, and what becomes of clients that read slowly or not at all."""

import contextlib
import json
import re
import select
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ovnguard.validators.manifest.sources import read_sources
from ovnguard.webhook.server import gunicorn_app
from tests.support.paths import ROOT
from tests.support.webhook.webhook_process import EXAMPLES, asking

pytestmark = pytest.mark.timing
API_SERVER_IDLE_SECONDS = 90
"""After which an API server ends an idle connection to a webhook: Go, net/http, DefaultTransport.IdleConnTimeout, which
client-go sets where nothing else is said."""
IDLE = 3
PROMPT = 4.0
"""Seconds; less than an API server waits."""


class Scaled:
    """A webhook whose times are short."""

    def __init__(self, port: int, folder: Path) -> None:
        self.port, self.folder = port, folder

    def trust(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.folder / "ca.crt")

    def connect(self, **options: int) -> ssl.SSLSocket:
        raw = socket.socket()
        for name, value in options.items():
            raw.setsockopt(socket.SOL_SOCKET, getattr(socket, name), value)
        raw.settimeout(20)
        raw.connect(("127.0.0.1", self.port))
        return self.trust().wrap_socket(raw, server_hostname="localhost")

    def is_prompt(self) -> bool:
        """Whether another client is served long before a stalled one is cut."""
        began = time.monotonic()
        with self.connect() as other:
            other.sendall(question("other"))
            assert answers(other, "other") == ["other"]
        return time.monotonic() - began < PROMPT


@contextlib.contextmanager
def scaled(folder: Path, *given: str) -> Iterator[Scaled]:
    options: list[str | Path] = ["serve", "--port", "0", "--self-signed", folder, "--manifests", EXAMPLES / "nodes"]
    command = [sys.executable, "-m", "tests.support.webhook.webhook_scaled", *given, "--", *options]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, cwd=ROOT)
    assert process.stdout is not None
    try:
        url = process.stdout.readline().strip()
        assert url.startswith("https://"), (folder / "log").read_text(encoding="utf-8")
        yield Scaled(int(url.rpartition(":")[2]), folder)
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()


def question(uid: str) -> bytes:
    """A review as an API server sends it."""
    obj = read_sources([str(EXAMPLES / "valid" / "green-layer3.yaml")]).documents[0].value
    review = asking(obj)
    review["request"]["uid"] = uid
    body = json.dumps(review).encode()
    head = b"POST /validate?timeout=5s HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
    return head + b"Content-Length: %d\r\n\r\n" % len(body) + body


def answers(connection: ssl.SSLSocket, last: str) -> list[str]:
    """Read until the answer to ``last`` is whole; the uids that were answered."""
    received = b""
    while not re.search(rb'"uid": ?"%b".*\}\s*$' % last.encode(), received[-2000:], re.DOTALL):
        data = connection.recv(1 << 16)
        if not data:
            raise ConnectionResetError(f"closed after {received[-300:]!r}")
        received += data
    return [uid.decode() for uid in re.findall(rb'"uid": ?"([^"]+)"', received)]


def test_kept_longer_than_an_api_server_keeps_them() -> None:
    """Whoever ends a connection while the other begins a request loses that request."""
    assert gunicorn_app.KEEPALIVE >= API_SERVER_IDLE_SECONDS + 15


def test_idle_connections_are_kept_until_their_time_is_over(tmp_path: Path) -> None:
    with scaled(tmp_path, f"KEEPALIVE={IDLE}") as webhook, webhook.connect() as connection:
        for number in range(3):
            connection.sendall(question(f"u{number}"))
            assert answers(connection, f"u{number}") == [f"u{number}"]
            # each request starts the time again
            assert select.select([connection], [], [], IDLE - 1)[0] == [], "ended too soon"
        connection.sendall(question("last"))
        assert answers(connection, "last") == ["last"]
        began = time.monotonic()
        assert connection.recv(1) == b""
        assert time.monotonic() - began > IDLE - 1


CUT = 8
NARROW = ("SEND_BYTES=4096", f"ANSWER_SECONDS={CUT}")
MANY = 400
"""Requests whose answers are many times what both ends of a connection buffer."""


def send_all(connection: ssl.SSLSocket) -> None:
    """Send requests, each in a TLS record of its own, until the server ends the connection."""
    with contextlib.suppress(OSError):
        for number in range(MANY):
            connection.sendall(question(f"u{number}"))


@contextlib.contextmanager
def unread(webhook: Scaled) -> Iterator[ssl.SSLSocket]:
    """A connection whose client sends requests and does not read."""
    with webhook.connect(SO_RCVBUF=4096) as connection, ThreadPoolExecutor(1) as pool:
        sending = pool.submit(send_all, connection)
        yield connection
        with contextlib.suppress(OSError):
            socket.socket.shutdown(connection, socket.SHUT_RDWR)
        sending.result(20)


def test_slow_reader_gets_everything_in_order_and_delays_no_other_client(tmp_path: Path) -> None:
    with scaled(tmp_path, *NARROW) as webhook, unread(webhook) as connection:
        time.sleep(1)
        assert webhook.is_prompt()
        assert answers(connection, f"u{MANY - 1}") == [f"u{number}" for number in range(MANY)]


def test_client_that_never_reads_is_cut(tmp_path: Path) -> None:
    with scaled(tmp_path, *NARROW) as webhook, unread(webhook) as connection:
        assert webhook.is_prompt()
        time.sleep(CUT + 3)
        # what the sockets buffer can still be read, then the connection ends
        with pytest.raises(OSError, match=r"EOF|reset|closed"):
            answers(connection, f"u{MANY - 1}")
        assert webhook.is_prompt()
