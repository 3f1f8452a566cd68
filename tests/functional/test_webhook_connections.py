"""Connections that stay: how long idle ones are kept, and what becomes of clients that read slowly or not at all."""

import contextlib
import http.client
import json
import re
import select
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.webhook.webhook_process import EXAMPLES, asking
from validators.manifest.sources import read_sources
from webhook.server import gunicorn_app

pytestmark = pytest.mark.functional
API_SERVER_IDLE_SECONDS = 90
"""After which an API server ends an idle connection to a webhook: Go, net/http, DefaultTransport.IdleConnTimeout, which
client-go sets where nothing else is said."""
IDLE = 3


class Scaled:
    """A webhook whose times are short, and what it says."""

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

    def said(self, message: str) -> int:
        lines = (self.folder / "log").read_text(encoding="utf-8").splitlines()
        return sum(json.loads(line)["message"] == message for line in lines if line.endswith("}"))


@contextlib.contextmanager
def scaled(folder: Path, *wishes: str, threads: int = 8) -> Iterator[Scaled]:
    options: list[str | Path] = ["serve", "--port", "0", "--self-signed", folder, "--manifests", EXAMPLES / "nodes"]
    options += ["--threads", str(threads)]
    command = [sys.executable, "-m", "tests.support.webhook.webhook_scaled", *wishes, "--", *options]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, cwd=ROOT)
    assert process.stdout is not None
    try:
        url = process.stdout.readline().strip()
        assert url.startswith("https://"), (folder / "log").read_text(encoding="utf-8")
        yield Scaled(int(url.rpartition(":")[2]), folder)
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()


def question(uid: str) -> bytes:
    """A review as an API server sends it, that is answered without a thread."""
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


def test_idle_connections_are_kept_as_long_as_is_said_and_no_longer(tmp_path: Path) -> None:
    with scaled(tmp_path, f"KEEPALIVE={IDLE}") as webhook, webhook.connect() as connection:
        for number in range(3):
            connection.sendall(question(f"u{number}"))
            assert answers(connection, f"u{number}") == [f"u{number}"]
            # each request begins the time anew
            assert select.select([connection], [], [], IDLE - 1)[0] == [], "ended too soon"
        connection.sendall(question("last"))
        assert answers(connection, "last") == ["last"]
        began = time.monotonic()
        assert connection.recv(1) == b""
        assert IDLE - 0.5 < time.monotonic() - began < IDLE + 2.5


def test_idle_connections_of_the_application_are_kept_as_long(tmp_path: Path) -> None:
    """What a thread answers goes another way back."""
    with scaled(tmp_path, f"KEEPALIVE={IDLE}") as webhook:
        connection = http.client.HTTPSConnection("127.0.0.1", webhook.port, context=webhook.trust(), timeout=20)
        with contextlib.closing(connection):
            for _ in range(2):
                connection.request("GET", "/healthz")
                assert connection.getresponse().read() == b"ok\n"
                kept = connection.sock
                assert select.select([kept], [], [], IDLE - 1)[0] == []
            began = time.monotonic()
            assert connection.sock.recv(1) == b""
            assert 0.3 < time.monotonic() - began < 3.5


CUT = 3
NARROW = ("SEND_BYTES=4096", f"ANSWER_SECONDS={CUT}")
MANY = 2000


def prompt(webhook: Scaled) -> bool:
    """Whether another client is served soon."""
    began = time.monotonic()
    with webhook.connect() as other:
        other.sendall(question("other"))
        assert answers(other, "other") == ["other"]
    return time.monotonic() - began < 1


def unread(webhook: Scaled, held: contextlib.ExitStack) -> tuple[ssl.SSLSocket, list[str]]:
    """Ask without reading, each time in a TLS record of its own, until an answer has to wait; the uids.

    Where the machine is busy, a review may be left to the application, whose answers wait elsewhere: then once more.
    """
    for _ in range(5):
        connection = held.enter_context(webhook.connect(SO_RCVBUF=4096, SO_SNDBUF=1 << 22))
        sent: list[str] = []
        with contextlib.suppress(OSError):
            while len(sent) < MANY:
                sent.append(f"u{len(sent)}")
                connection.sendall(question(sent[-1]))
                time.sleep(0.002)
                if webhook.said("later"):
                    return connection, sent
    raise AssertionError("no answer ever had to wait")


def test_slow_reader_gets_everything_in_its_order_and_holds_up_nobody(tmp_path: Path) -> None:
    """Answers that do not fit into the socket are sent by a thread, and the connection goes on afterwards."""
    with scaled(tmp_path, *NARROW) as webhook, contextlib.ExitStack() as held:
        connection, sent = unread(webhook, held)
        assert webhook.said("sent") == 0
        assert prompt(webhook)
        assert answers(connection, sent[-1]) == sent
        assert webhook.said("sent") == webhook.said("later") > 0
        connection.sendall(question("after"))
        assert answers(connection, "after") == ["after"]


def test_who_never_reads_is_cut_off_and_its_thread_is_free(tmp_path: Path) -> None:
    with scaled(tmp_path, *NARROW, threads=1) as webhook, contextlib.ExitStack() as held:
        connection, sent = unread(webhook, held)
        assert prompt(webhook)
        time.sleep(CUT + 1.5)
        # what is in the sockets can still be read, then there is an end
        with pytest.raises(OSError, match=r"EOF|reset|closed"):
            answers(connection, sent[-1])
        other = http.client.HTTPSConnection("127.0.0.1", webhook.port, context=webhook.trust(), timeout=5)
        with contextlib.closing(other):
            other.request("GET", "/healthz")
            assert other.getresponse().read() == b"ok\n"
