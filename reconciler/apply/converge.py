"""Brings a zone's rows to what is desired, whoever else writes at the same time."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from reconciler.apply.errors import TransactionRacedError
from reconciler.apply.store import ZoneStore
from reconciler.plan.diff import diff
from reconciler.plan.rows import Operation, Row

ATTEMPTS: Final = 8

# From the operations of a difference and the rows that were read to the operations that are to happen.
Choose = Callable[[Sequence[Operation], Sequence[Row]], Sequence[Operation]]


def converge(
    store: ZoneStore, desired: Iterable[Row], choose: Choose = lambda operations, _: operations
) -> tuple[Operation, ...]:
    """Make the rows of ``store`` the ``desired`` ones in one transaction and return what it did.

    A lost race is followed by reading again, at once, `ATTEMPTS` times at most; then TransactionRacedError is raised,
    as is every other StoreError.
    """
    wanted = tuple(desired)
    for attempt in range(1, ATTEMPTS + 1):
        observed = store.read()
        operations = tuple(choose(diff(observed, wanted), observed))
        try:
            if operations:
                store.apply(operations)
        except TransactionRacedError:
            if attempt == ATTEMPTS:
                raise
        else:
            return operations
    raise AssertionError("the last attempt returns or raises")
