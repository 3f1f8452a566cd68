"""Two callables timed in turns, so that a noisy machine disturbs both alike."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

ROUNDS = 7
BATCH_SECONDS = 0.05


@dataclass(frozen=True)
class Ratio:
    """CPU seconds per call of ours and of the peer (medians of the rounds), and the median of the rounds' ratios."""

    name: str
    peer: str
    ours: float
    theirs: float
    factor: float

    def line(self) -> str:
        return f"{self.name:<46} {_time(self.ours):>10} {_time(self.theirs):>10}  {self.factor:6.2f} x  {self.peer}"


def compare(name: str, ours: Callable[[], object], peer: str, theirs: Callable[[], object]) -> Ratio:
    """Time both; `factor` above one means that ours is faster."""
    ours(), theirs()
    counts = [_batch(ours), _batch(theirs)]
    rounds = [(_once(ours, counts[0]), _once(theirs, counts[1])) for _ in range(ROUNDS)]
    return Ratio(
        name,
        peer,
        statistics.median(one for one, _ in rounds),
        statistics.median(other for _, other in rounds),
        statistics.median(other / one for one, other in rounds),
    )


def _batch(call: Callable[[], object]) -> int:
    return max(1, int(BATCH_SECONDS / max(_once(call, 1), 1e-7)))


def _once(call: Callable[[], object], count: int) -> float:
    started = time.process_time()
    for _ in range(count):
        call()
    return (time.process_time() - started) / count


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.2f} {unit}"
    return f"{seconds * 1e9:.0f} ns"
