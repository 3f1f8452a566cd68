"""Forked processes that share the work on a list."""

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, TypeVar

from ovnguard.validators.commandline.interrupts import held_interrupts, ignore_interrupts

Item = TypeVar("Item")
Result = TypeVar("Result")


def mapped(work: Callable[[Item], Result], items: Sequence[Item], jobs: int) -> Iterator[Result]:
    """Iterate over the results of ``work`` in the order of ``items``, whatever the number of processes.

    Forked processes inherit everything that ``work`` refers to; only items and results are sent.
    """
    jobs = min(jobs, len(items))
    if jobs <= 1:
        yield from map(work, items)
        return
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(jobs, context, _adopt, (work,)) as pool:
        with held_interrupts():
            results = pool.map(_run, items)
        yield from results


# The work of a worker process, set once when it starts.
_adopted: list[Callable[[Any], Any]] = []


def _adopt(work: Callable[[Any], Any]) -> None:
    ignore_interrupts()
    _adopted.append(work)


def _run(item: Any) -> Any:
    return _adopted[-1](item)
