"""The time by which a judgement must end: a context variable that rules and CEL loops check.

`check` runs between rules and for each object and list that the structural steps enter, and the exact CEL evaluator
compares with `end` between the steps of a loop. Generated code does neither: it only accepts, and its own limits bound
the size of what it accepts.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import Final

_END: Final[ContextVar[float]] = ContextVar("deadline", default=math.inf)


class DeadlineExceeded(Exception):
    """The judgement ran out of time. Only the code that sets the deadline handles this."""


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Limit the block to this many seconds, after which `check` raises DeadlineExceeded.

    A block inside another one ends no later than that.
    """
    token = _END.set(min(_END.get(), monotonic() + seconds))
    try:
        yield
    finally:
        _END.reset(token)


def end() -> float:
    """Return the time at which the current block must end, on the clock of `time.monotonic`; infinity without a
    deadline.
    """
    return _END.get()


def check() -> None:
    """Raise DeadlineExceeded if the current block ran out of time."""
    if monotonic() > _END.get():
        raise DeadlineExceeded
