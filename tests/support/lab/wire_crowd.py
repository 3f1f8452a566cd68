"""Many connections from one machine, and the exit or the server that each of them used."""

import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tests.testbed.endpoint import Answer, Endpoint
from tests.testbed.process import wait_until

# One process for all of them: to start one for each would take most of a test's time.
_CONNECT = """
import json, socket, sys
address, port, count, seconds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
for _ in range(count):
    try:
        with socket.create_connection((address, port), timeout=seconds) as connection:
            with connection.makefile("rb") as replies:
                answer = json.loads(replies.readline())
                connection.sendall(b"x" * 3000)
                assert replies.read(3000) == b"x" * 3000
    except OSError as error:
        answer = {"name": "", "peer": type(error).__name__}
    print(json.dumps(answer))
"""


@dataclass(frozen=True)
class Crowd:
    """What servers told every one of some connections; those that failed have no server's name."""

    answers: tuple[Answer, ...]

    @property
    def peers(self) -> Counter[str]:
        """How many connections came from each address, as the server saw it."""
        return Counter(answer.peer for answer in self.answers)

    @property
    def servers(self) -> Counter[str]:
        """How many connections each server took."""
        return Counter(answer.name for answer in self.answers)


def crowd(machine: Endpoint, address: str, port: int, count: int, seconds: float = 30.0) -> Crowd:
    """Open `count` TCP connections one after another, each from a port of its own, and send some bytes there and back.

    A connection that fails within `seconds` counts with the error's class as its peer.
    """
    argv: Sequence[str] = [sys.executable, "-I", "-c", _CONNECT, address, str(port), str(count), str(seconds)]
    output = machine.namespace.run(*argv, seconds=count * seconds + 10)
    return Crowd(tuple(Answer(each["name"], each["peer"]) for each in map(json.loads, output.splitlines())))


def assert_peer(machine: Endpoint, address: str, port: int, expected: str, what: str = "") -> None:
    """Fail unless the server sees this address, first within a minute and then on each of three connections.

    Open vSwitch may forward by what it cached for a moment after its flows have changed.
    """
    wait_until(lambda: set(crowd(machine, address, port, 1).peers) == {expected}, f"{expected} is seen {what}", 60)
    assert crowd(machine, address, port, 3).peers == {expected: 3}, what
