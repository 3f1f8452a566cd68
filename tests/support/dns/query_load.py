"""Steady queries to a DNS server, each sent once again when it fails."""

import asyncio
import threading
import time
from dataclasses import dataclass, field
from typing import Self

import dns.asyncquery
import dns.exception
import dns.message
from dns.rcode import Rcode

TIMEOUT = 2.0


@dataclass
class QueryLoad:
    """``rate`` queries a second for names below ``domain``, A and AAAA in turns, while the context lasts."""

    port: int
    domain: str
    rate: int = 100
    answers: list[tuple[float, str, frozenset[str]]] = field(default_factory=list)
    """When each query was sent, its type, and the addresses of its answer."""
    retried: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    _stop: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=lambda: asyncio.run(self._send()), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(TIMEOUT * 3)

    def answered_since(self, moment: float) -> dict[str, set[str]]:
        """The addresses of answers to queries that were sent after a moment, by type."""
        found: dict[str, set[str]] = {}
        for sent, kind, addresses in list(self.answers):
            if sent >= moment:
                found.setdefault(kind, set()).update(addresses)
        return found

    def is_answered(self, kind: str, address: str) -> bool:
        """Whether the last answer to a query of a type is this address alone."""
        last = next((addresses for _, each, addresses in reversed(list(self.answers)) if each == kind), None)
        return last == {address}

    async def _send(self) -> None:
        async with asyncio.TaskGroup() as group:
            started, number = time.monotonic(), 0
            while not self._stop.is_set():
                group.create_task(self._one(f"n{number}.{self.domain}.", ("A", "AAAA")[number % 2]))
                number += 1
                await asyncio.sleep(max(0.0, started + number / self.rate - time.monotonic()))

    async def _one(self, name: str, kind: str) -> None:
        sent = time.monotonic()
        for problems in (self.retried, self.failed):
            query = dns.message.make_query(name, kind)
            try:
                response = await dns.asyncquery.udp(query, "127.0.0.1", TIMEOUT, self.port)
            except (dns.exception.DNSException, OSError) as error:
                problems.append(f"{name} {kind}: {error!r}")
                continue
            found = frozenset(each.address for rrset in response.answer for each in rrset)
            if response.rcode() == Rcode.NOERROR and found:
                self.answers.append((sent, kind, found))
                return
            problems.append(f"{name} {kind}: {response.rcode()!r} {sorted(found)}")
