"""What is lost of traffic that goes on and on while something changes: echo requests, and connections to a server."""

import contextlib
import itertools
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from tests.testbed.endpoint import Endpoint
from tests.testbed.process import Child, wait_until

INTERVAL: float = 0.05
"""Seconds between two requests."""
What = TypeVar("What")
_ANSWERED = re.compile(r"^\[(\d+\.\d+)\] .*icmp_seq=(\d+) (?:ttl|hlim)=", re.MULTILINE)
_AGAIN = 10
_PATIENCE = 120.0

# Prints what `ping -D` prints: a line for each answer.
_CONNECT = """
import socket, sys, time
address, port, interval, number = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), 0
while True:
    number += 1
    try:
        with socket.create_connection((address, port), timeout=1.0) as connection:
            if connection.recv(1):
                print(f"[{time.time():.6f}] connected: icmp_seq={number} ttl=0", flush=True)
    except OSError as error:
        print(f"[{time.time():.6f}] {type(error).__name__}", flush=True)
    time.sleep(interval)
"""


@dataclass(frozen=True)
class Loss:
    """What was lost of the requests of a while, and the longest time without an answer, in seconds."""

    lost: int
    sent: int
    silence: float


class Traffic:
    """Requests of one machine to one address, since they were first answered."""

    def __init__(self, child: Child) -> None:
        self._child = child
        self._since = self._wait_for(0)

    def loss(self, after: int | None = None) -> Loss:
        """What was lost since the last call, once requests after number ``after``, or from now on, are answered."""
        since, self._since = self._since, self._wait_for(self.last() if after is None else after)
        times = {number: moment for number, moment in self._answers().items() if since <= number <= self._since}
        moments = sorted(times.values())
        silence = max(later - earlier for earlier, later in itertools.pairwise(moments))
        sent = self._since - since + 1
        return Loss(sent - len(times), sent, silence)

    def _answers(self) -> Mapping[int, float]:
        log = self._child.log.read_text(encoding="utf-8", errors="replace")
        return {int(number): float(moment) for moment, number in _ANSWERED.findall(log)}

    def last(self) -> int:
        """The number of the last answered request."""
        return max(self._answers(), default=0)

    def _wait_for(self, after: int) -> int:
        """The number of the last of some answers in a row to requests later than ``after``."""

        def goes_on() -> bool:
            answers = self._answers()
            last = max(answers, default=0)
            return last >= after + _AGAIN and all(number in answers for number in range(last - _AGAIN + 1, last + 1))

        wait_until(goes_on, f"{self._child.name} goes on", _PATIENCE, [self._child])
        return self.last()


def losses(traffic: Mapping[What, Traffic]) -> Mapping[What, Loss]:
    """What every one of them lost since the last call; all are waited for at the same time."""
    now = {what: each.last() for what, each in traffic.items()}
    return {what: each.loss(now[what]) for what, each in traffic.items()}


@contextlib.contextmanager
def pings(machine: Endpoint, address: str) -> Iterator[Traffic]:
    """Send echo requests while the context lasts."""
    with machine.pinging(address, INTERVAL) as child:
        yield Traffic(child)


@contextlib.contextmanager
def connections(machine: Endpoint, address: str, port: int) -> Iterator[Traffic]:
    """Open a new TCP connection again and again while the context lasts; one that fails has waited up to a second."""
    argv: list[str | Path] = [sys.executable, "-I", "-c", _CONNECT, address, str(port), str(INTERVAL)]
    with machine.running(f"connections to {address} by {machine.name}", argv) as child:
        yield Traffic(child)
