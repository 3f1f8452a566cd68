"""Work in several processes: forks of this one, so that they share everything that is loaded."""

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any, Final, TypeVar

from ovnguard.validators.commandline.interrupts import held_interrupts, ignore_interrupts

_Result = TypeVar("_Result")

_AT_ONCE: Final = 16


class _Inherited:
    """What the forks call: only numbers and results pass between the processes."""

    work: Callable[[int], Any]


def in_order(
    work: Callable[[int], _Result], numbers: Sequence[int], jobs: int, at_once: int = _AT_ONCE
) -> Iterator[_Result]:
    """Yield ``work`` of each of the ``numbers``, in their order, from ``jobs`` processes.

    A process gets ``at_once`` numbers at a time; none gets a smaller number later.

    The processes end with the iteration, also when it is interrupted. Raises what ``work`` raises. A system that cannot
    fork does everything in this process.
    """
    if "fork" not in multiprocessing.get_all_start_methods():
        yield from map(work, numbers)
        return
    _Inherited.work = work
    # This process answers an interrupt and ends the others.
    with ExitStack() as undo:
        with held_interrupts():
            pool = undo.enter_context(multiprocessing.get_context("fork").Pool(jobs, ignore_interrupts))
        yield from pool.imap(_call, numbers, at_once)


def _call(number: int) -> Any:
    return _Inherited.work(number)
