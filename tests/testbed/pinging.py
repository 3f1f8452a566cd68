"""A ping every 10 ms, and what it lost."""

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.testbed.netns import Namespace
from tests.testbed.parts import Part
from tests.testbed.process import BedError, Child, wait_until

INTERVAL: Final = 0.01
_START_SECONDS: Final = 60.0
_REPLY: Final = re.compile(r"bytes from .* icmp_seq=(\d+) ")


@dataclass(frozen=True, slots=True)
class Loss:
    """Echo requests up to the last answered one: how many were sent and lost, and the longest row of lost ones."""

    sent: int
    lost: int
    longest: int


def loss_of(output: str) -> Loss:
    """What the output of `ping` says; BedError when nothing was answered."""
    answered = sorted({int(number) for number in _REPLY.findall(output)})
    if not answered:
        raise BedError(f"ping: no answer: {output[-300:]}")
    gaps = [after - before - 1 for before, after in zip([0, *answered], answered, strict=False)]
    return Loss(answered[-1], sum(gaps), max(gaps))


class Pinging:
    """Echo requests from one address to another while the context lasts; then `loss`."""

    def __init__(self, child: Child) -> None:
        self._child = child

    @property
    def answers(self) -> int:
        """How many were answered so far."""
        return len(_REPLY.findall(self._text()))

    def _text(self) -> str:
        return self._child.log.read_text(encoding="utf-8", errors="replace")

    def wait_more(self, count: int = 20, seconds: float = _START_SECONDS) -> None:
        """Return when so many more are answered."""
        goal = self.answers + count
        wait_until(lambda: self.answers >= goal, f"{count} more answers of {self._child.name}", seconds, [self._child])

    @property
    def loss(self) -> Loss:
        """What was lost until now."""
        return loss_of(self._text())


@contextlib.contextmanager
def pinging(where: Namespace, tools: Part, source: str, target: str, log: Path) -> Iterator[Pinging]:
    """Ping from inside a namespace; it has been answered when this returns."""
    argv = where.inside([tools.tool("ping"), "-n", "-i", str(INTERVAL), "-I", source, target])
    with Child(f"ping of {target} from {source}", argv, log) as child:
        made = Pinging(child)
        made.wait_more(1)
        yield made
