"""Where `apply` writes to: a folder of files, or the live databases of some nodes. Both do the same two steps.

What is there is read first, because live networks keep what their rows hold; then the plan that was made of it is
applied, zone by zone.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from reconciler.apply.files.file_store import FileStore
from reconciler.apply.frr.frr_file import FrrFile
from reconciler.apply.ovn.converge import Choose, converge
from reconciler.apply.retention import without_deletes_of
from reconciler.apply.store_errors import StoreError
from reconciler.apply.zone_store import TLSFiles, ZoneStore
from reconciler.commands.manifests import Inputs
from reconciler.plan.diff import diff
from reconciler.plan.live_allocations import Held, held_by
from reconciler.plan.rows import Operation, Row, ZonePlan
from validators.network.model import DEFAULT_NETWORK

# Told about every zone that was applied: what was done to its rows, and to its FRR configuration ('' for nothing).
Tell = Callable[[ZonePlan, Sequence[Operation], str], None]
Planner = Callable[[Mapping[str, Held]], Inputs]


@dataclass(slots=True)
class Applied:
    """What became of one apply: the plan, and what failed of which node."""

    inputs: Inputs
    failures: dict[str, StoreError] = field(default_factory=dict)


def held_in(store: FileStore) -> Mapping[str, Held]:
    """Return what the rows of all nodes in ``store`` hold. Raises StoreError."""
    return held_by(row for node in store.nodes() for row in store.read(node))


def against(
    inputs: Inputs, store: FileStore, node: str | None
) -> tuple[list[ZonePlan], dict[str, Sequence[Operation]]]:
    """Return the zones of the plan and of nodes that are gone, and what would change in ``store``."""
    gone = [name for name in store.nodes() if name not in inputs.node_names and node in (None, name)]
    zones = [*inputs.plan.zones, *(ZonePlan(name, (), "") for name in gone)]
    operations: dict[str, Sequence[Operation]] = {}
    for zone in zones:
        observed = store.read(zone.node)
        operations[zone.node] = _choice(inputs, zone.node)(diff(observed, zone.rows), observed)
    return zones, operations


def _choice(inputs: Inputs, node: str) -> Choose:
    """Rows of networks that cannot be planned now stay, whether on no node or only on this one."""
    return without_deletes_of(inputs.frozen | inputs.plan.waiting.get(node, frozenset()))


def apply_to_files(plan: Planner, store: FileStore, tell: Tell) -> Applied:
    """Plan and apply while no other process can change the folder. Raises StoreError."""
    with store.locked():
        inputs = plan(held_in(store))
        zones, operations = against(inputs, store, None)
        for zone in zones:
            store.apply(zone.node, operations[zone.node])
            before = store.read_frr(zone.node)
            written = DEFAULT_NETWORK not in inputs.frozen and store.write_frr(zone.node, zone.frr)
            tell(zone, operations[zone.node], _lines(before, zone.frr) if written else "")
    return Applied(inputs)


def apply_to_databases(plan: Planner, stores: Mapping[str, ZoneStore], frr_dir: Path | None, tell: Tell) -> Applied:
    """Plan and apply to one database after the other; one that fails does not keep the others from being written."""
    failures: dict[str, StoreError] = {}
    with _closing_all(stores):
        rows = {node: found for node, store in stores.items() if (found := _read(node, store, failures)) is not None}
        inputs = plan(held_by(row for found in rows.values() for row in found))
        for zone in inputs.plan.zones:
            if zone.node not in rows:
                continue
            try:
                operations = converge(stores[zone.node], zone.rows, _choice(inputs, zone.node))
                written = False
                if frr_dir is not None and DEFAULT_NETWORK not in inputs.frozen:
                    written = FrrFile(frr_dir / f"{zone.node}.conf").write(zone.frr)
                tell(zone, operations, "written" if written else "")
            except StoreError as error:
                failures[zone.node] = error
    return Applied(inputs, failures)


def connect(remotes: Mapping[str, str], tls: TLSFiles | None, *, exclusive: bool = True) -> dict[str, ZoneStore]:
    """Return the databases by node; nothing is connected before it is used. Who only looks is not ``exclusive``."""
    # Only here, because plans and files need no OVSDB library.
    from reconciler.apply.ovn.ovn_nb import NorthboundStore  # noqa: PLC0415 - see above

    return {node: NorthboundStore(remote, tls=tls, exclusive=exclusive) for node, remote in remotes.items()}


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
