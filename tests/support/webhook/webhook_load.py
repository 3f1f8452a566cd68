"""Honest clients of a webhook: they send request after request on persistent connections and record each failure."""

import contextlib
import http.client
import itertools
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from ovnguard.validators.manifest.sources import read_sources
from tests.support.webhook.webhook_process import EXAMPLES, Serving, asking

REQUESTS_A_CONNECTION = 40
PAUSE = 0.05
"""Seconds between two requests of a client: eight of them still ask more often than most clusters."""
JSON = {"Content-Type": "application/json"}
FAILURES = (OSError, http.client.HTTPException)


def reviews() -> list[tuple[dict, bool]]:
    """Real objects, and whether each is to be allowed: the same as `judged` by its folder."""
    found = []
    for folder, allowed in (("valid", True), ("invalid", False)):
        for document in read_sources([str(EXAMPLES / folder)]).documents:
            found.append((asking(document.value, document.old), allowed))
    return found


@dataclass
class Noted:
    """What clients met. ``failed``: the client's port and the error of each request without an answer.

    ``slowest``: the longest wait for an answer or a connection, in seconds.
    """

    answered: int = 0
    wrong: list[str] = field(default_factory=list)
    failed: list[tuple[int, str]] = field(default_factory=list)
    slowest: float = 0.0
    serials: set[str] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, seconds: float) -> None:
        with self.lock:
            self.answered += 1
        self.waited(seconds)

    def waited(self, seconds: float) -> None:
        with self.lock:
            self.slowest = max(self.slowest, seconds)


def connected(webhook: Serving, trust: ssl.SSLContext, timeout: float = 20) -> tuple[http.client.HTTPSConnection, int]:
    """A connection whose own port is known before TLS begins, however it ends."""
    raw = socket.create_connection(("127.0.0.1", int(webhook.port)), timeout)
    port = raw.getsockname()[1]
    # as http.client does for sockets of its own: head and body are two writes
    raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection = http.client.HTTPSConnection("127.0.0.1", int(webhook.port), timeout=timeout)
    try:
        connection.sock = trust.wrap_socket(raw, server_hostname="localhost")
    except OSError as error:
        raw.close()
        raise Unconnected(port, repr(error)) from error
    return connection, port


class Unconnected(OSError):
    """TLS failed on the connection with this port."""

    def __init__(self, port: int, text: str) -> None:
        super().__init__(text)
        self.port = port


def client(webhook: Serving, number: int, stop: threading.Event, noted: Noted) -> None:
    """Ask until told to stop, with a uid of its own each time; a new connection now and then."""
    trust = ssl.create_default_context(cafile=webhook.folder / "ca.crt")
    asked = itertools.cycle(reviews())
    count = 0
    while not stop.is_set():
        port = 0
        try:
            began = time.monotonic()
            connection, port = connected(webhook, trust)
            noted.waited(time.monotonic() - began)
            with contextlib.closing(connection):
                noted.serials.add(str((connection.sock.getpeercert() or {}).get("serialNumber")))
                for _ in range(REQUESTS_A_CONNECTION):
                    count += 1
                    review, allowed = next(asked)
                    once(connection, review, allowed, f"{number}-{count}", noted)
                    if stop.wait(PAUSE):
                        return
        except Unconnected as error:
            noted.failed.append((error.port, str(error)))
        except FAILURES as error:
            noted.failed.append((port, repr(error)))


def once(connection: http.client.HTTPSConnection, review: dict, allowed: bool, uid: str, noted: Noted) -> None:
    review = review | {"request": review["request"] | {"uid": uid}}
    began = time.monotonic()
    connection.request("POST", "/validate?timeout=5s", json.dumps(review).encode(), JSON)
    answer = connection.getresponse()
    text = answer.read()
    response = json.loads(text).get("response", {})
    if (answer.status, response.get("uid"), response.get("allowed")) != (200, uid, allowed):
        noted.wrong.append(f"{uid}: {answer.status} {text[:300]!r}")
    noted.answer(time.monotonic() - began)


@contextlib.contextmanager
def honest(webhook: Serving, clients: int = 8) -> Iterator[Noted]:
    """Clients at work while the block lasts; whatever ends them is raised at its end."""
    stop, noted = threading.Event(), Noted()
    with ThreadPoolExecutor(clients) as pool:
        running = [pool.submit(client, webhook, number, stop, noted) for number in range(clients)]
        try:
            yield noted
        finally:
            stop.set()
        for each in running:
            each.result(40)


def children(process: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def ports_served_by(process: int) -> set[int]:
    """The clients' ports of the connections that a process holds, whatever stage they are in."""
    inodes = set()
    for handle in Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            inodes.add(str(handle.readlink()).removeprefix("socket:[").removesuffix("]"))
    lines = Path(f"/proc/{process}/net/tcp").read_text().splitlines()[1:]
    rows = [line.split() for line in lines]
    return {int(row[2].rpartition(":")[2], 16) for row in rows if row[9] in inodes}


def memory(processes: list[int]) -> int:
    """Bytes of all processes together, shared ones divided among them (PSS)."""
    total = 0
    for process in processes:
        rows = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        total += sum(int(row.split()[1]) * 1024 for row in rows if row.startswith("Pss:"))
    return total
