"""Where `apply` writes: a folder of files, or the live databases of some nodes.

Both read first, because live networks keep the numbers and subnets in their rows; then they apply the plan made from
those rows, zone by zone.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from ovnguard.reconciler.apply.files.file_store import FileStore
from ovnguard.reconciler.apply.files.object_file import StoredChanges, stored_changes
from ovnguard.reconciler.apply.foreign_rows import ForeignRow, as_text, foreign_rows
from ovnguard.reconciler.apply.frr.frr_file import FrrFile
from ovnguard.reconciler.apply.objects.object_owners import identity_of
from ovnguard.reconciler.apply.ovn.converge import converge
from ovnguard.reconciler.apply.ovn.ownership import by_network
from ovnguard.reconciler.apply.store_errors import StoreError, StoreUnusableError
from ovnguard.reconciler.apply.zone_store import SharedStore, ZoneStore
from ovnguard.reconciler.commands.own_numbers import own_numbers
from ovnguard.reconciler.commands.planned_manifests import PlannedManifests
from ovnguard.reconciler.commands.unused_rows import choice_of, objects_without, with_notes, zone_without
from ovnguard.reconciler.plan.bgp.config_lines import without_secrets
from ovnguard.reconciler.plan.numbers.live_allocations import LiveAllocation, live_allocations
from ovnguard.reconciler.plan.render.as_json import shown_objects
from ovnguard.reconciler.plan.render.changes import ZoneChange
from ovnguard.reconciler.plan.rows.row import Operation, Row, ZonePlan
from ovnguard.reconciler.plan.rows.row_diff import diff
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.route_advertisements import GENERATED_LABEL
from ovnguard.validators.network.model import DEFAULT_NETWORK
from ovnguard.validators.network.selectors import labels_of

Planner = Callable[[Mapping[str, LiveAllocation]], PlannedManifests]


@dataclass(slots=True)
class Proposal:
    """A plan, what changes on each node that could be read, and the errors of nodes that failed.

    ``objects`` are None where no store holds them. ``foreign`` are rows of other writers, by node. Nothing is written
    unless it ``is_confirmed``.
    """

    planned: PlannedManifests
    zones: list[ZoneChange]
    failures: dict[str, StoreError] = field(default_factory=dict)
    objects: StoredChanges | None = None
    foreign: Mapping[str, Sequence[ForeignRow]] = field(default_factory=dict)
    is_confirmed: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing changes."""
        return not self.objects and all(zone.is_empty for zone in self.zones)


Confirm = Callable[[Proposal], bool]
"""Called with the changes before the first write; without its consent, nothing is written."""


def planned_over(store: FileStore, plan: Planner) -> PlannedManifests:
    """Plan with the values in the rows of all nodes in ``store``. Raises StoreError."""
    return _planned_over({node: store.read(node) for node in store.nodes()}, plan)


def _planned_over(observed: Mapping[str, Sequence[Row]], plan: Planner) -> PlannedManifests:
    held = live_allocations(row for rows in observed.values() for row in rows)
    return with_notes(plan(held), observed)


def zone_change(
    planned: PlannedManifests, node: str, observed: Sequence[Row], rows: Sequence[Row], frr: tuple[str, str] = ("", "")
) -> ZoneChange:
    """Return what changes on ``node`` from ``observed`` to ``rows``; networks that cannot be planned there now keep
    their rows. ``frr`` is the FRR configuration before and after.
    """
    operations = differences(planned, node, observed, rows)
    columns = {row.uuid: row.columns for row in observed}
    networks = by_network(operations, lambda each: columns.get(each.uuid, {}))
    own = next((own_numbers(each, planned.desired) for each in planned.desired.nodes if each.name == node), ())
    return ZoneChange(node, operations, networks, observed, frr, planned.guesses, own)


def changes_in(store: FileStore, planned: PlannedManifests, node: str | None) -> list[ZoneChange]:
    """Return the changes of ``store`` on the planned nodes and on removed ones. Raises StoreError."""
    gone = [name for name in store.nodes() if name not in planned.node_names and node in (None, name)]
    zones = [*planned.plan.zones, *(ZonePlan(name, (), "") for name in gone)]
    return [
        zone_change(planned, zone.node, store.read(zone.node), zone.rows, _frr_in(store, planned, zone))
        for zone in zones
    ]


def _frr_in(store: FileStore, planned: PlannedManifests, zone: ZonePlan) -> tuple[str, str]:
    """The FRR configuration in ``store``, and the one after an apply: an unknown one stays."""
    before = store.read_frr(zone.node)
    return before, before if keeps_frr(planned, zone, before) else zone.frr


def keeps_frr(planned: PlannedManifests, zone: ZonePlan, before: str) -> bool:
    """Whether the FRR configuration of ``zone`` is unknown now, so that the present one, ``before``, stays."""
    whole = zone_without(planned, zone.node)
    doubted = whole is not None and whole.frr == before != zone.frr
    return zone.frr_file is None or DEFAULT_NETWORK in planned.desired.frozen or doubted


def object_changes_in(store: FileStore, planned: PlannedManifests) -> StoredChanges:
    """Return the changes of the objects in ``store`` that lead to a plan of all zones. Raises StoreError.

    As long as a network cannot be planned, no object is removed; those of a refused RouteAdvertisements stay, too.
    """
    routing = planned.plan.routing
    refused = {result.name for result in routing.results if result.keeps_attachments}
    doubted = objects_without(planned)

    def stays(obj: JsonObject) -> bool:
        refuses = labels_of(obj).get(GENERATED_LABEL) in refused
        return bool(planned.desired.frozen) or refuses or identity_of(obj) in doubted

    return stored_changes(store.read_objects(), shown_objects(routing), stays)


def differences(
    planned: PlannedManifests, node: str, observed: Sequence[Row], rows: Sequence[Row]
) -> Sequence[Operation]:
    """Return the operations that bring ``observed`` to ``rows``; networks that cannot be planned on ``node`` now keep
    their rows.
    """
    return choice_of(planned, node)(diff(observed, rows), observed)


def changes_of_files(plan: Planner, store: FileStore) -> Proposal:
    """Plan, and compare with the folder. Raises StoreError."""
    planned = planned_over(store, plan)
    return Proposal(planned, changes_in(store, planned, None), objects=object_changes_in(store, planned))


def apply_to_files(plan: Planner, store: FileStore, confirm: Confirm) -> Proposal:
    """Plan, and apply what is confirmed, while no other process can change the folder. Raises StoreError."""
    with store.locked():
        proposal = changes_of_files(plan, store)
        proposal.is_confirmed = confirm(proposal)
        if not proposal.is_confirmed:
            return proposal
        for zone in proposal.zones:
            store.apply(zone.node, zone.operations)
            store.write_frr(zone.node, zone.frr[1])
        if proposal.objects:
            store.write_objects(proposal.objects.objects)
    return proposal


def changes_of_databases(plan: Planner, stores: Mapping[str, ZoneStore], frr_dir: Path | None = None) -> Proposal:
    """Plan, and compare with databases by node and with the files of FRR in ``frr_dir``."""
    failures: dict[str, StoreError] = {}
    rows = {node: found for node, store in stores.items() if (found := _read(node, store, failures)) is not None}
    planned = _planned_over(rows, plan)
    zones = {zone.node: zone for zone in planned.plan.zones if zone.node in rows}
    changes = [
        zone_change(planned, node, rows[node], zone.rows, _frr_texts(_frr_file(frr_dir, planned, zone), zone))
        for node, zone in zones.items()
    ]
    return Proposal(planned, changes, failures, foreign=foreign_in(stores, zones))


def apply_to_databases(
    plan: Planner, stores: Mapping[str, ZoneStore], frr_dir: Path | None, confirm: Confirm
) -> Proposal:
    """Plan, and apply what is confirmed to one database after the other; one that fails does not stop the others.

    The changes of the result are those that were made, also where others wrote in between. A database with rows of
    another writer that have planned names has failed.
    """
    with closing_all(stores):
        proposal = _without_occupied(changes_of_databases(plan, stores, frr_dir))
        proposal.is_confirmed = confirm(proposal)
        if not proposal.is_confirmed:
            return proposal
        changes, proposal.zones = proposal.zones, []
        zones = {zone.node: zone for zone in proposal.planned.plan.zones}
        for each in changes:
            zone, file = zones[each.node], _frr_file(frr_dir, proposal.planned, zones[each.node])
            try:
                operations = converge(stores[each.node], zone.rows, choice_of(proposal.planned, each.node))
                proposal.zones.append(replace(each, operations=operations, frr=("", "")))
                if file is not None and file.write(zone.frr_file or ""):
                    proposal.zones[-1] = replace(each, operations=operations)
            except StoreError as error:
                proposal.failures[each.node] = error
    return proposal


def _without_occupied(proposal: Proposal) -> Proposal:
    """The proposal without the zones in which rows of another writer have the names of planned ones."""
    taken = {node: [each for each in rows if each.clashes] for node, rows in proposal.foreign.items()}
    errors = {
        node: StoreUnusableError(
            f"the database has {as_text(rows)}; stop the other writer, then take its networks over with "
            "run --mode own --adopt NETWORK"
        )
        for node, rows in taken.items()
        if rows
    }
    zones = [each for each in proposal.zones if each.node not in errors]
    foreign = {node: rows for node, rows in proposal.foreign.items() if node not in errors}
    return replace(proposal, zones=zones, failures={**proposal.failures, **errors}, foreign=foreign)


def foreign_in(stores: Mapping[str, ZoneStore], zones: Mapping[str, ZonePlan]) -> Mapping[str, Sequence[ForeignRow]]:
    """Return the rows of other writers, by node, that conflict with planned rows, as last read."""
    found = {
        node: foreign_rows(store.others(), zones[node].rows)
        for node, store in stores.items()
        if isinstance(store, SharedStore) and node in zones
    }
    return {node: rows for node, rows in found.items() if rows}


def _frr_file(folder: Path | None, planned: PlannedManifests, zone: ZonePlan) -> FrrFile | None:
    """The FRR file of ``zone``, None where it stays as it is."""
    if folder is None:
        return None
    file = FrrFile(folder / f"{zone.node}.conf")
    return None if keeps_frr(planned, zone, without_secrets(file.read())) else file


def _frr_texts(file: FrrFile | None, zone: ZonePlan) -> tuple[str, str]:
    """The text of FRR before and after, without passwords; a comment shows that only a password changes."""
    if file is None:
        return "", ""
    before = file.read()
    hidden = without_secrets(before)
    alone = hidden == zone.frr and before != zone.frr_file
    return hidden, f"{zone.frr}! a password changes\n" if alone else zone.frr


@contextmanager
def closing_all(stores: Mapping[str, ZoneStore]) -> Iterator[None]:
    """Close ``stores`` at the end."""
    try:
        yield
    finally:
        for store in stores.values():
            store.close()


def _read(node: str, store: ZoneStore, failures: dict[str, StoreError]) -> tuple[Row, ...] | None:
    try:
        return store.read()
    except StoreError as error:
        failures[node] = error
        return None
