"""Floods of connections that never become a request, and the honest clients that must not notice them.

A flood is a process of its own, ``python -m tests.attacks.socket_floods PORT SOURCE COUNT HEX``: it keeps COUNT
connections from the address SOURCE open, sends the bytes HEX on each, and opens a new one as soon as the server closes
one. Every address of 127.0.0.0/8 is a peer of its own.
"""

import contextlib
import http.client
import json
import select
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.paths import ROOT

HELLO = b"\x16"
"""The first byte of a TLS hello."""
_NO_PORT = 24
"""IP_BIND_ADDRESS_NO_PORT of Linux: choose the port on connecting, so that an address has a port for each server."""
JSON = {"Content-Type": "application/json"}


def opened(port: int, source: str) -> socket.socket:
    """A socket from ``source`` that connects to a port of this machine, perhaps not yet connected."""
    raw = socket.socket()
    raw.setblocking(False)
    raw.setsockopt(socket.IPPROTO_IP, _NO_PORT, 1)
    raw.bind((source, 0))
    raw.connect_ex(("127.0.0.1", port))
    return raw


@contextlib.contextmanager
def held(port: int, source: str, count: int, sent: bytes) -> Iterator[list[socket.socket]]:
    """Connections that send these bytes and then nothing, the oldest first."""
    with contextlib.ExitStack() as stack:
        found = []
        for _ in range(count):
            raw = stack.enter_context(socket.create_connection(("127.0.0.1", port), 20, (source, 0)))
            raw.sendall(sent)
            found.append(raw)
        yield found


def closed(connections: list[socket.socket]) -> list[bool]:
    """Whether the server has closed each connection, on which it never sends."""
    waiting = select.poll()
    for each in connections:
        waiting.register(each, select.POLLIN)
    ended = {descriptor for descriptor, _ in waiting.poll(0)}
    return [each.fileno() in ended for each in connections]


@contextlib.contextmanager
def flood(port: int, source: str, count: int, sent: bytes) -> Iterator[dict[str, int]]:
    """A flood while the block lasts; afterwards the result contains how many connections it opened."""
    command = [sys.executable, "-m", "tests.attacks.socket_floods", str(port), source, str(count), sent.hex()]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    result: dict[str, int] = {}
    try:
        yield result
    finally:
        text, _ = process.communicate("", timeout=30)
        result.update(json.loads(text))


def main(port: int, source: str, count: int, sent: bytes) -> None:
    """Flood until standard input ends."""
    poller = select.epoll()
    poller.register(sys.stdin, select.EPOLLIN)
    held_open: dict[int, socket.socket] = {}
    total = 0
    while True:
        for _ in range(min(count - len(held_open), 256)):
            raw = opened(port, source)
            held_open[raw.fileno()] = raw
            poller.register(raw, select.EPOLLRDHUP | (select.EPOLLOUT if sent else 0))
            total += 1
        for descriptor, event in poller.poll(0 if len(held_open) < count else 1):
            if descriptor == sys.stdin.fileno():
                sys.stdout.write(json.dumps({"opened": total}))
                return
            if event & (select.EPOLLRDHUP | select.EPOLLHUP | select.EPOLLERR):
                held_open.pop(descriptor).close()
            else:
                with contextlib.suppress(OSError):
                    held_open[descriptor].send(sent)
                poller.modify(descriptor, select.EPOLLRDHUP)


def threads(process: int) -> int:
    """How many threads a process has."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("Threads:"))


@dataclass
class Asked:
    """What the clients of one kind met: seconds from the start of a connection to its answer, and errors."""

    seconds: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def percentile(self, share: float) -> float:
        """The seconds that this share of the answers did not exceed."""
        return sorted(self.seconds)[min(int(share * len(self.seconds)), len(self.seconds) - 1)]

    def __str__(self) -> str:
        parts = ", ".join(f"p{round(share * 100)} {self.percentile(share):.3f}" for share in (0.5, 0.9, 0.99, 1))
        return f"{len(self.seconds)} answers, {parts} s, {len(self.failed)} failed {self.failed[:3]}"


@dataclass(frozen=True)
class Client:
    """Asks on a new connection each time. ``status``: the one that is expected."""

    port: int
    source: str
    trust: ssl.SSLContext
    method: str
    path: str
    body: bytes | None = None
    timeout: float = 30

    def ask(self, asked: Asked, began: float) -> None:
        """Record the answer, whose wait began at ``began``, or the error."""
        connection = http.client.HTTPSConnection(
            "127.0.0.1", self.port, context=self.trust, timeout=self.timeout, source_address=(self.source, 0)
        )
        try:
            with contextlib.closing(connection):
                connection.request(self.method, self.path, self.body, JSON)
                answer = connection.getresponse()
                text = answer.read()
            if answer.status != 200:
                asked.failed.append(f"{answer.status} {text[:200]!r}")
            asked.seconds.append(time.monotonic() - began)
        except (OSError, http.client.HTTPException) as error:
            asked.failed.append(f"{time.monotonic() - began:.1f} s: {error!r}")


@contextlib.contextmanager
def asking(client: Client, rate: float) -> Iterator[Asked]:
    """This many requests a second while the block lasts, each at its time whatever became of the one before."""
    asked, stop = Asked(), threading.Event()

    def pace(pool: ThreadPoolExecutor) -> None:
        due = time.monotonic()
        while not stop.wait(max(0.0, due - time.monotonic())):
            pool.submit(client.ask, asked, due)
            due += 1 / rate

    with ThreadPoolExecutor(max(2, int(rate * 6))) as pool, ThreadPoolExecutor(1) as pacer:
        running = pacer.submit(pace, pool)
        try:
            yield asked
        finally:
            stop.set()
        running.result()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), bytes.fromhex(sys.argv[4]))
