"""Where `apply` writes: a folder of files, or the live databases of some nodes.

Both read first, because live networks keep the numbers and subnets in their rows; then they apply the plan made from
those rows, zone by zone.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from reconciler.apply.files.file_store import FileStore
from reconciler.apply.files.object_file import StoredChanges, stored_changes
from reconciler.apply.frr.frr_file import FrrFile
from reconciler.apply.ovn.converge import Choose, converge
from reconciler.apply.retention import without_deletes_of
from reconciler.apply.store_errors import StoreError
from reconciler.apply.zone_store import ZoneStore
from reconciler.commands.manifests import PlannedManifests
from reconciler.plan.live_allocations import LiveAllocation, live_allocations
from reconciler.plan.render.as_json import shown_objects
from reconciler.plan.row_diff import diff
from reconciler.plan.rows import Operation, Row, ZonePlan
from validators.base.json_types import JsonObject
from validators.network.cluster.route_advertisements import GENERATED_LABEL
from validators.network.model import DEFAULT_NETWORK
from validators.network.selectors import labels_of

Report = Callable[[ZonePlan, Sequence[Operation], str], None]
"""Called for every zone that was applied, with the changes of its rows and of its FRR configuration ('' for none)."""
Planner = Callable[[Mapping[str, LiveAllocation]], PlannedManifests]


@dataclass(slots=True)
class Applied:
    """The plan of one apply, and the errors of nodes that failed. ``objects`` are None where no store holds them."""

    planned: PlannedManifests
    failures: dict[str, StoreError] = field(default_factory=dict)
    objects: StoredChanges | None = None


def held_in(store: FileStore) -> Mapping[str, LiveAllocation]:
    """Return the values in the rows of all nodes in ``store``. Raises StoreError."""
    return live_allocations(row for node in store.nodes() for row in store.read(node))


def changes_in(
    store: FileStore, planned: PlannedManifests, node: str | None
) -> tuple[list[ZonePlan], dict[str, Sequence[Operation]]]:
    """Return the zones of the plan and of removed nodes, with the changes of ``store``."""
    gone = [name for name in store.nodes() if name not in planned.node_names and node in (None, name)]
    zones = [*planned.plan.zones, *(ZonePlan(name, (), "") for name in gone)]
    return zones, {zone.node: differences(planned, zone.node, store.read(zone.node), zone.rows) for zone in zones}


def object_changes_in(store: FileStore, planned: PlannedManifests) -> StoredChanges:
    """Return the changes of the objects in ``store`` that lead to a plan of all zones. Raises StoreError.

    As long as a network cannot be planned, no object is removed; those of a refused RouteAdvertisements stay, too.
    """
    routing = planned.plan.routing
    refused = {result.name for result in routing.results if result.keeps_attachments}

    def stays(obj: JsonObject) -> bool:
        return bool(planned.desired.frozen) or labels_of(obj).get(GENERATED_LABEL) in refused

    return stored_changes(store.read_objects(), shown_objects(routing), stays)


def differences(
    planned: PlannedManifests, node: str, observed: Sequence[Row], rows: Sequence[Row]
) -> Sequence[Operation]:
    """Return the operations that bring ``observed`` to ``rows``; networks that cannot be planned on ``node`` now keep
    their rows.
    """
    return _choice(planned, node)(diff(observed, rows), observed)


def _choice(planned: PlannedManifests, node: str) -> Choose:
    return without_deletes_of(planned.desired.unplanned_on(node))


def apply_to_files(plan: Planner, store: FileStore, report: Report) -> Applied:
    """Plan and apply while no other process can change the folder. Raises StoreError."""
    with store.locked():
        planned = plan(held_in(store))
        zones, operations = changes_in(store, planned, None)
        objects = object_changes_in(store, planned)
        for zone in zones:
            store.apply(zone.node, operations[zone.node])
            before = store.read_frr(zone.node)
            keeps = zone.frr_file is None or DEFAULT_NETWORK in planned.desired.frozen
            written = not keeps and store.write_frr(zone.node, zone.frr)
            report(zone, operations[zone.node], _lines(before, zone.frr) if written else "")
        if objects:
            store.write_objects(objects.objects)
    return Applied(planned, objects=objects)


def apply_to_databases(plan: Planner, stores: Mapping[str, ZoneStore], frr_dir: Path | None, report: Report) -> Applied:
    """Plan and apply to one database after the other; a database that fails does not stop the others."""
    failures: dict[str, StoreError] = {}
    with _closing_all(stores):
        rows = {node: found for node, store in stores.items() if (found := _read(node, store, failures)) is not None}
        planned = plan(live_allocations(row for found in rows.values() for row in found))
        for zone in planned.plan.zones:
            if zone.node not in rows:
                continue
            try:
                operations = converge(stores[zone.node], zone.rows, _choice(planned, zone.node))
                written = False
                if frr_dir is not None and zone.frr_file is not None and DEFAULT_NETWORK not in planned.desired.frozen:
                    written = FrrFile(frr_dir / f"{zone.node}.conf").write(zone.frr_file)
                report(zone, operations, "written" if written else "")
            except StoreError as error:
                failures[zone.node] = error
    return Applied(planned, failures)


@contextmanager
def _closing_all(stores: Mapping[str, ZoneStore]) -> Iterator[None]:
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


def _lines(before: str, after: str) -> str:
    old, new = Counter(before.splitlines()), Counter(after.splitlines())
    return f"{(new - old).total()} lines added, {(old - new).total()} removed"
