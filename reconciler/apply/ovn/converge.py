"""Brings a zone's rows to the desired ones while others write to the same database."""

import gc
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Final

from ovnguard.reconciler.apply.ovn.ownership import by_network
from ovnguard.reconciler.apply.ovn.quarantine import Quarantine, Refusal
from ovnguard.reconciler.apply.ovn.repairs import Repair, repairs_among
from ovnguard.reconciler.apply.store_errors import NetworksRefusedError, TransactionRacedError, TransactionRefusedError
from ovnguard.reconciler.apply.zone_store import WatchedStore, ZoneStore
from ovnguard.reconciler.plan.rows.row import Operation, Row
from ovnguard.reconciler.plan.rows.row_diff import diff
from ovnguard.reconciler.plan.rows.row_groups import groups_of

ATTEMPTS: Final = 8
# Seconds between full reads, regardless of change notices.
WHOLE_LOOK: Final = 600.0

MANY: Final = 10_000
"""Rows that are worth `without_cycles`."""

# Maps the operations of a diff and the observed rows to the operations to apply.
Choose = Callable[[Sequence[Operation], Sequence[Row]], Sequence[Operation]]


@dataclass(frozen=True, slots=True)
class Converged:
    """The applied operations (only planned in an audit), and those among them that repair manual changes.

    ``refusals``: networks that were not written, because the database refuses their changes.
    """

    operations: tuple[Operation, ...] = ()
    repairs: tuple[Repair, ...] = ()
    refusals: tuple[Refusal, ...] = ()


def _all(operations: Sequence[Operation], _: Sequence[Row]) -> Sequence[Operation]:
    return operations


def converge(store: ZoneStore, desired: Iterable[Row], choose: Choose = _all) -> tuple[Operation, ...]:
    """Bring the rows of ``store`` to the ``desired`` ones in one transaction and return the applied operations.

    After a lost race it reads again at once, at most `ATTEMPTS` times, and then raises TransactionRacedError. Raises
    every other StoreError as well; after a TransactionRefusedError that names networks, the others were applied.
    """
    rows = desired if isinstance(desired, Sequence) else tuple(desired)
    done = Converger(store).run(rows, choose)
    if done.refusals:
        raise TransactionRefusedError("; ".join(map(str, done.refusals)))
    return done.operations


class Converger:
    """Brings one store to successive plans, and examines only rows that may have changed since the last run.

    With a WatchedStore, these are planned and reported changes; any other store is read completely every time.
    ``audit``: write nothing.
    """

    def __init__(self, store: ZoneStore, *, audit: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._watched: WatchedStore | None = store if isinstance(store, WatchedStore) else None
        self._audit = audit
        self._clock = clock
        self._looked = 0.0
        self._terms: Hashable = None
        # Whether the store differs from the plan because operations since the last look at all rows were not chosen.
        self._withheld = False
        # The content of the store after the last run; unknown before the first.
        self._groups: Mapping[str, tuple[Row, ...]] | None = None
        self._rows: dict[str, Row] = {}
        self._doubtful: set[tuple[str, str]] = set()
        self._quarantine = Quarantine(clock)

    def run(self, desired: Sequence[Row], choose: Choose = _all, terms: Hashable = None) -> Converged:
        """Bring the store's rows to the ``desired`` ones in one transaction.

        Networks whose changes the database refuses wait for a later run; those of the others are applied.

        ``terms`` are the inputs of ``choose``: when they change after it withheld an operation, all rows are compared
        again. Raises the errors of `converge`.
        """
        if terms != self._terms:
            self._terms = terms
            if self._withheld:
                self._groups = None
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._run(desired, choose)
            except TransactionRacedError:
                # A part may have been applied: a transaction that is too large is split.
                self._groups = None
                if attempt == ATTEMPTS:
                    raise
        raise AssertionError("the last attempt returns or raises")

    def look_again(self) -> None:
        """Compare all rows in the next run, because the last one left differences."""
        self._groups = None

    def _run(self, desired: Sequence[Row], choose: Choose) -> Converged:
        groups = groups_of(desired)
        heard = self._heard()
        if heard is None or self._groups is None:
            with without_cycles() if len(desired) >= MANY else nullcontext():
                found = self._whole(desired, choose)
        else:
            found = self._partial(groups, heard, choose)
        if not self._audit:
            self._groups = groups if self._watched is not None and not found.refusals else None
            self._doubtful.clear()
        if found.refusals:
            # planned rows that do not exist
            self._rows = {}
        return found

    def _heard(self) -> frozenset[tuple[str, str]] | None:
        if self._watched is None or self._groups is None or self._clock() - self._looked > WHOLE_LOOK:
            return None
        heard = self._watched.changed()
        if heard is not None:
            self._doubtful |= heard
        return heard

    def _whole(self, desired: Sequence[Row], choose: Choose) -> Converged:
        """Read and compare all rows."""
        settled = self._rows if self._watched is not None else {}
        self._groups, self._withheld = None, False
        observed = self._store.read()
        self._looked = self._clock()
        rows = {row.uuid: row for group in groups_of(desired).values() for row in group}
        same = settled.keys() & rows.keys()
        found = self._apply(diff(observed, rows.values()), observed, choose, {u for u in same if settled[u] == rows[u]})
        self._rows = rows if self._watched is not None else {}
        return found

    def _partial(
        self, groups: Mapping[str, tuple[Row, ...]], heard: Iterable[tuple[str, str]], choose: Choose
    ) -> Converged:
        """Read and compare the rows that the plan or others changed."""
        old, new = self._moved(groups)
        suspects = {(row.table, row.uuid) for row in (*old.values(), *new.values())} | self._doubtful | set(heard)
        if not suspects:
            return Converged()
        assert self._watched is not None
        self._doubtful = suspects
        observed = self._watched.reread(sorted(suspects))
        kept = {uuid: self._rows[uuid] for _, uuid in suspects if uuid in self._rows and uuid not in old}
        wanted = {**kept, **new}
        found = self._apply(diff(observed, wanted.values(), _Everything()), observed, choose, kept.keys())
        for uuid in old.keys() - new.keys():
            del self._rows[uuid]
        self._rows.update(new)
        return found

    def _moved(self, groups: Mapping[str, tuple[Row, ...]]) -> tuple[dict[str, Row], dict[str, Row]]:
        """Previous and desired rows that the plan changed since the last run."""
        before = self._groups or {}
        old: dict[str, Row] = {}
        new: dict[str, Row] = {}
        for name in before.keys() | groups.keys():
            was, now = before.get(name, ()), groups.get(name, ())
            if was is not now:
                old.update((row.uuid, row) for row in was)
                new.update((row.uuid, row) for row in now)
        for uuid in [uuid for uuid, row in old.items() if new.get(uuid) == row]:
            del old[uuid], new[uuid]
        return old, new

    def _apply(
        self, difference: Sequence[Operation], observed: Sequence[Row], choose: Choose, settled: Iterable[str]
    ) -> Converged:
        operations = tuple(choose(difference, observed))
        self._withheld = self._withheld or not set(map(id, difference)) <= set(map(id, operations))
        if not self._audit:
            operations = tuple(self._write(self._quarantine.admitted(operations, observed), observed))
        repairs = repairs_among(operations, observed, frozenset(settled))
        return Converged(operations, repairs, self._quarantine.refusals)

    def _write(self, operations: Sequence[Operation], observed: Sequence[Row]) -> Sequence[Operation]:
        """Apply the operations and return those that the database accepted."""
        refused: Mapping[str, str] = {}
        try:
            if operations:
                self._store.apply(operations)
        except NetworksRefusedError as error:
            refused = error.refused
        if not refused and not self._quarantine.refusals:
            return operations
        rows = {row.uuid: row.columns for row in observed}
        tried = by_network(operations, lambda operation: rows.get(operation.uuid, {}))
        self._quarantine.release(tried.keys() - refused.keys())
        self._quarantine.refuse(refused)
        return [each for name, changes in tried.items() if name not in refused for each in changes]


class _Everything:
    """Contains every UUID, because a store returns only references to ovnguard's rows."""

    def __contains__(self, _: object) -> bool:
        return True


@contextmanager
def without_cycles() -> Iterator[None]:
    """Disable the search for reference cycles while the block creates tens of thousands of rows, which have none.

    The garbage collector would repeatedly scan all of them, a third of the run time. Afterwards the rows are frozen
    (`gc.freeze`), so later collections do not pause for a tenth of a second on rows that stay. Reference counting still
    frees unused rows; cycles of others are collected before, because frozen ones would stay for ever.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.collect()
        gc.freeze()
        if was:
            gc.enable()
