"""Writes one zone: the rows of its database and the configuration of its FRR, within what the options permit."""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ovnguard.reconciler.apply.deletion_brake import (
    HeldDeletions,
    Limit,
    counted,
    deletions_above_limit,
    held_deletions,
    without_deletions,
)
from ovnguard.reconciler.apply.foreign_rows import ForeignRow, adopted, foreign_rows
from ovnguard.reconciler.apply.kept_rows import kept_rows, moved, moved_members, with_kept, without_kept
from ovnguard.reconciler.apply.ovn.converge import Choose, Converged, Converger
from ovnguard.reconciler.apply.retention import kind_of, without_deletes_of
from ovnguard.reconciler.apply.store_errors import FrrForeignError, StoreError
from ovnguard.reconciler.apply.zone_store import SharedStore, ZoneStore
from ovnguard.reconciler.loop.status.zone_state import WriteOptions, Written
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.reconciler.plan.inputs.candidates import NETWORK_KINDS
from ovnguard.reconciler.plan.rows.row import Operation, Row, ZonePlan
from ovnguard.reconciler.plan.rows.row_groups import SHARED, RowGroups, groups_of
from ovnguard.validators.network.cluster_view import OPERATOR_NETWORK, GroupKind
from ovnguard.validators.network.model import DEFAULT_NETWORK


class ZoneWriter:
    """Brings the rows of ``store`` and the file that ``frr`` writes to successive plans."""

    def __init__(self, store: ZoneStore, frr: Callable[[str], bool], options: WriteOptions) -> None:
        self._store = store
        self._frr = frr
        self._options = options
        self._converger = Converger(store, audit=options.audit)
        self._joined = options.audit or not isinstance(store, SharedStore)
        # Networks whose foreign rows are replaced as soon as they are planned: some wait for their numbers first.
        self._adopting = options.adopt | {SHARED} if options.adopt and not self._joined else frozenset()
        # Shared rows of another writer that stay, by the UUID of the planned row.
        self._kept: Mapping[str, Row] = {}
        # UUIDs of the rows of another writer that are known.
        self._known: frozenset[str] = frozenset()
        self._appeared: tuple[ForeignRow, ...] = ()
        # Networks and rows of the last plan that was written whole.
        self._present: tuple[int, int] | None = None
        self._held_deletions: HeldDeletions | None = None

    @property
    def joined(self) -> bool:
        """Whether it is known that the zone has no rows of another writer."""
        return self._joined

    def networks(self) -> frozenset[str]:
        """Return the networks with rows of ovnguard; raise StoreError when they cannot be read."""
        self._converger.look_again()
        return frozenset(row.network for row in self._store.read()) - {SHARED}

    def write(
        self,
        desired: DesiredState,
        zone: ZonePlan,
        silent: frozenset[GroupKind] = frozenset(),
        *,
        allowed: bool = False,
        replaced: frozenset[str] = frozenset(),
    ) -> Written:
        """Write the zone; return what changed and what failed. A failure of one part does not stop the other.

        ``silent`` are the kinds of which the API server suddenly lists nothing; ``allowed``: somebody permits all
        deletions; ``replaced`` are networks whose topology changes, so that their rows go. Raises ForeignRowsError at
        the first pass, when nothing is written yet.
        """
        silent = frozenset() if allowed else silent
        failures: list[str] = []
        done, foreign, changed = Converged(), "", False
        self._appeared = ()
        try:
            done = self._write_rows(desired, zone, silent, allowed=allowed, replaced=replaced)
        except StoreError as error:
            failures.append(str(error))
        try:
            changed = self._write_frr(desired, zone, silent)
        except FrrForeignError as error:
            foreign = str(error)
        except StoreError as error:
            failures.append(str(error))
        held, appeared = self._held_deletions, self._appeared
        return Written(done.operations, done.repairs, done.refusals, changed, tuple(failures), held, foreign, appeared)

    def _write_rows(
        self,
        desired: DesiredState,
        zone: ZonePlan,
        silent: frozenset[GroupKind],
        *,
        allowed: bool,
        replaced: frozenset[str],
    ) -> Converged:
        permitted = self._permitted(zone.rows)
        doubtful = desired.unplanned_on(zone.node)
        detached = desired.detached_ports
        retain = without_deletes_of(doubtful, desired.unserved, self._options.only, detached)
        if self._joined and self._adopts(permitted):
            # only a look at everything shows rows of others
            self._converger.look_again()
        self._look(permitted, zone.rows)
        rows = with_kept(permitted, self._kept)
        idle = desired.settings.idle_on(zone.node) | replaced
        choose = partial(self._choose, _Choice(rows, permitted, retain, silent, allowed, idle))
        done = self._converger.run(rows, choose, (doubtful, desired.unserved, silent, allowed, detached))
        self._settle(rows, refused=bool(done.refusals))
        self._kept = moved(self._kept, done.operations)
        return done

    def _write_frr(self, desired: DesiredState, zone: ZonePlan, silent: frozenset[GroupKind]) -> bool:
        """Whether the file changed."""
        waits = self._held_deletions is not None and DEFAULT_NETWORK in self._held_deletions.networks
        keeps = waits or _keeps_frr(desired, zone, silent) or not self._options.permits(DEFAULT_NETWORK)
        file = None if self._options.audit or keeps else zone.frr_file
        return self._joined and file is not None and self._frr(file)

    def _permitted(self, rows: Sequence[Row]) -> Sequence[Row]:
        if self._options.only is None:
            return rows
        groups = {
            name: each for name, each in groups_of(rows).items() if name != SHARED and self._options.permits(name)
        }
        return RowGroups({SHARED: groups_of(rows).get(SHARED, ()), **groups} if groups else {})

    def _choose(
        self, choice: "_Choice", operations: Sequence[Operation], observed: Sequence[Row]
    ) -> Sequence[Operation]:
        """The operations of one pass that are permitted, and the deletions of adopted rows."""
        chosen = choice.retain(operations, observed)
        if self._options.audit:
            return chosen
        replaced = self._replaced(choice.rows)
        if self._present is None or self._held_deletions is not None:
            # all rows were read
            self._present = counted(observed)
        chosen, self._held_deletions = choice.without_held(chosen, observed, self._present, self._options.limit)
        moves = moved_members(choice.permitted, self._kept, {each.uuid for each in replaced})
        return (*moves, *replaced, *chosen)

    def _look(self, permitted: Sequence[Row], planned: Sequence[Row]) -> None:
        """Before rows are adopted, see which shared rows of another writer stay."""
        alone = self._options.only is None and not self._options.adopt
        if alone or (self._joined and not self._adopts(permitted)):
            return
        assert isinstance(self._store, SharedStore)
        self._store.read()
        self._kept = kept_rows(self._store.others(), planned, self._options.adopt)

    def _adopts(self, rows: Sequence[Row]) -> bool:
        """Whether rows are planned that may still have to replace those of another writer."""
        return not self._adopting.isdisjoint(groups_of(rows))

    def _replaced(self, rows: Sequence[Row]) -> tuple[Operation, ...]:
        """The deletions of adopted rows; raise ForeignRowsError at the first look at rows of other networks.

        A later look at everything shows what another writer has written since.
        """
        if not isinstance(self._store, SharedStore):
            return ()
        found = foreign_rows(without_kept(self._store.others(), self._kept), rows, self._options.only)
        operations: tuple[Operation, ...] = ()
        if not self._joined or self._adopts(rows):
            mine = [each for each in found if each.is_adopted(self._options.adopt)] if self._joined else found
            operations = adopted(mine, self._options.adopt)
        if self._joined:
            gone = {each.uuid for each in operations}
            self._appeared = tuple(each for each in found if each.row.uuid not in self._known | gone)
        self._known |= {each.row.uuid for each in found}
        self._joined = True
        return operations

    def _settle(self, rows: Sequence[Row], *, refused: bool) -> None:
        groups = groups_of(rows)
        if not refused:
            # What the database refuses to replace now is replaced later.
            self._adopting -= groups.keys()
        if self._held_deletions is None:
            self._present = len(groups.keys() - {SHARED}), len(rows)
        else:
            # what waits must be found again, though neither plan nor database changes
            self._converger.look_again()


@dataclass(frozen=True, slots=True)
class _Choice:
    """The terms of one pass; ``idle`` are networks whose rows go because the node does not use them, or not these.

    ``permitted`` are the planned rows that may be written, ``rows`` the same with shared rows of another writer.
    """

    rows: Sequence[Row]
    permitted: Sequence[Row]
    retain: Choose
    silent: frozenset[GroupKind]
    allowed: bool
    idle: frozenset[str]

    def without_held(
        self, operations: Sequence[Operation], observed: Sequence[Row], present: tuple[int, int], limit: Limit
    ) -> tuple[Sequence[Operation], HeldDeletions | None]:
        """Split ``operations`` into those that happen now and what waits."""
        if self.allowed or not any(each.op == "delete" for each in operations):
            return operations, None
        planned = groups_of(self.rows).keys()
        kept = self._believed(operations, observed)
        waiting = deletions_above_limit(kept, observed, planned, present, limit, self.idle)
        if waiting is not None:
            return without_deletions(kept, observed), held_deletions(operations, observed, planned, waiting.why)
        left = {id(each) for each in kept}
        dropped = [each for each in operations if each.op == "delete" and id(each) not in left]
        if not dropped:
            return kept, None
        found = held_deletions(dropped, observed, planned, "")
        likely = {kind_of(network) for network in found.networks}
        kinds = self.silent - {*NETWORK_KINDS} or self.silent & likely or self.silent
        names = ", ".join(sorted(kind.kind for kind in kinds))
        return kept, replace(found, why=f"the API server suddenly lists nothing of {names}")

    def _believed(self, operations: Sequence[Operation], observed: Sequence[Row]) -> Sequence[Operation]:
        """The operations without deletions that follow from an empty list; those of pods may be in any network."""
        if not self.silent:
            return operations
        if not self.silent.issubset(NETWORK_KINDS):
            return without_deletions(operations, observed)
        kept = without_deletes_of((), self.silent)(operations, observed)
        deletions = (sum(each.op == "delete" for each in part) for part in (kept, operations))
        return operations if len(set(deletions)) == 1 else kept


def _keeps_frr(desired: DesiredState, zone: ZonePlan, silent: Container[GroupKind]) -> bool:
    """Whether the FRR configuration stays unchanged, like rows of the default network while it is in doubt."""
    if DEFAULT_NETWORK in desired.frozen:
        return True
    return not zone.frr and (OPERATOR_NETWORK in desired.unserved or OPERATOR_NETWORK in silent)
