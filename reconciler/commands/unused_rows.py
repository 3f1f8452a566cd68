"""Rows that only dynamic allocation would delete, where no more than a condition says that it is on.

A condition NodesSelected may be older than the decision to allocate statically, and then every zone has all networks.
So a network of which a zone has such rows keeps its rows there, until ovnkube's configuration or an option decides.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from ovnguard.reconciler.apply.objects.object_owners import identity_of
from ovnguard.reconciler.apply.ovn.converge import Choose
from ovnguard.reconciler.apply.ovn.ownership import SHARED, by_network
from ovnguard.reconciler.apply.retention import without_deletes_of
from ovnguard.reconciler.commands.planned_manifests import PlannedManifests
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.reconciler.plan.render.as_json import shown_objects
from ovnguard.reconciler.plan.rows.row import Operation, Row, ZonePlan
from ovnguard.reconciler.plan.rows.row_diff import diff
from ovnguard.validators.network.list_text import shortlist

_DECIDES: Final = (
    "only a condition says that some are unused, so --enable-dynamic-udn-allocation or "
    "--disable-dynamic-udn-allocation has to decide"
)


def choice_of(planned: PlannedManifests, node: str) -> Choose:
    """Return the choice of operations in the zone of ``node``: networks that cannot be planned there now keep their
    rows, and so do those that `kept_in` returns.
    """
    unplanned, ports = planned.desired.unplanned_on(node), planned.desired.detached_ports
    if planned.everywhere is None:
        return without_deletes_of(unplanned, ports=ports)

    def choose(operations: Sequence[Operation], observed: Sequence[Row]) -> Sequence[Operation]:
        kept = kept_in(planned, node, operations, observed)
        stay = {each.uuid for group in kept.values() for each in group}
        left = [each for each in operations if each.uuid not in stay]
        return without_deletes_of(unplanned.union(kept), ports=ports)(left, observed)

    return choose


def kept_in(
    planned: PlannedManifests, node: str, operations: Sequence[Operation], observed: Sequence[Row]
) -> Mapping[str, Sequence[Operation]]:
    """Return those of ``operations`` in the zone of ``node`` that wait for a decision, by network.

    A network is among them when one of its operations deletes a row that the plan without dynamic allocation has.
    """
    whole = zone_without(planned, node)
    uuids = frozenset(row.uuid for row in whole.rows) if whole is not None else frozenset()
    if not any(each.op == "delete" and each.uuid in uuids for each in operations):
        return {}
    columns = {row.uuid: row.columns for row in observed}
    groups = by_network(operations, lambda each: columns.get(each.uuid, {}))
    return {
        name: group
        for name, group in groups.items()
        if name != SHARED and any(each.op == "delete" and each.uuid in uuids for each in group)
    }


def with_notes(planned: PlannedManifests, observed: Mapping[str, Sequence[Row]]) -> PlannedManifests:
    """Return ``planned`` with a note about each network that keeps its rows in some of the ``observed`` zones."""
    nodes: dict[str, list[str]] = {}
    for zone in planned.plan.zones if planned.everywhere is not None else ():
        rows = observed.get(zone.node, ())
        for network in kept_in(planned, zone.node, diff(rows, zone.rows), rows):
            nodes.setdefault(network, []).append(zone.node)
    kept = sorted(nodes.items())
    notes = (f"network {network} keeps its rows on {shortlist(names)}: {_DECIDES}" for network, names in kept)
    return replace(planned, notes=(*planned.notes, *notes))


def zone_without(planned: PlannedManifests, node: str) -> ZonePlan | None:
    """Return the zone of ``node`` in the plan without dynamic allocation; None where the allocation is certain."""
    if planned.everywhere is None:
        return None
    return next((zone for zone in planned.everywhere().plan.zones if zone.node == node), None)


def objects_without(planned: PlannedManifests) -> frozenset[tuple[str, str, str]]:
    """Return the identities of the objects in that plan."""
    found = () if planned.everywhere is None else shown_objects(planned.everywhere().plan.routing)
    return frozenset(map(identity_of, found))


def with_unused(planned: PlannedManifests, node: str) -> DesiredState:
    """Return the plan of the machine ``node``, which keeps its state of networks that only a condition calls unused."""
    desired = planned.desired
    return desired if planned.everywhere is None else desired.with_kept(desired.settings.idle_on(node))
