"""A change before it is made: objects in place of the live ones, and how every node's plan changes."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from typing import Final

from ovnguard.reconciler.commands.manifests import ASSUMED_NAMESPACE, Manifests, UnreadableError
from ovnguard.reconciler.commands.planned_manifests import PlannedManifests, plan_manifests
from ovnguard.reconciler.commands.targets import keeps_frr, zone_change
from ovnguard.reconciler.plan.inputs.candidates import created
from ovnguard.reconciler.plan.numbers.live_allocations import live_allocations
from ovnguard.reconciler.plan.render.changes import ZoneChange
from ovnguard.reconciler.plan.rows.row import ZonePlan
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.manifest.documents import Document, Identity, SourceProblem, identity_of
from ovnguard.validators.manifest.sources import read_sources
from ovnguard.validators.network.cluster_view import NODE
from ovnguard.validators.network.declared.namespace import with_namespace
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.declared.node import node_of
from ovnguard.validators.network.parse_values import mapping

# What an API server or a controller writes and a manifest omits.
_KEPT: Final = ("uid", "creationTimestamp", "finalizers", "ownerReferences")


def with_change(manifests: Manifests, paths: Sequence[str]) -> Manifests:
    """Return ``manifests`` with the objects of ``paths`` in place of those with the same name, or in addition to them.

    An object is stored as kubectl would store it: it keeps the status, the annotations and the other metadata of the
    live one. It is judged as an update of that, a new object as the youngest. Raises UnreadableError.
    """
    loaded = read_sources(paths)
    if loaded.problems:
        raise UnreadableError(loaded.problems)
    if not loaded.documents:
        raise UnreadableError([SourceProblem(paths[0], 1, 1, "contains no object to change")])
    live = {document.identity: document for document in manifests.documents}
    now = max((created(document.value) for document in manifests.documents), default="")
    proposed: dict[Identity, Document] = {}
    for each in loaded.documents:
        value = with_namespace(each.value, ASSUMED_NAMESPACE)
        old = live.get(each._replace(value=value).identity)
        stored = _stored(value, {"metadata": {"creationTimestamp": now} if now else {}} if old is None else old.value)
        document = each._replace(value=stored, old=None if old is None else old.value)
        proposed[document.identity] = document
    names = frozenset(proposed)
    documents = (*(proposed.pop(each.identity, each) for each in manifests.documents), *proposed.values())
    parsed = tuple((each, node_of(each.value)) for each in documents if group_kind_of(each.value) == NODE)
    return replace(manifests, documents=documents, parsed=parsed, proposed=names)


def plan_change(before: Manifests, after: Manifests, node: str | None) -> tuple[PlannedManifests, list[ZoneChange]]:
    """Return the plan of ``after``, and what changes on each node from the plan of ``before``."""
    wanted = None if node is None else (node,)
    old = plan_manifests(before, {}, wanted)
    zones = {zone.node: zone for zone in old.plan.zones}
    new = plan_manifests(after, live_allocations(row for zone in zones.values() for row in zone.rows), wanted)
    # what the plan before the change lacks is no longer in use
    new = replace(new, notes=(*new.notes, *_number_notes(new, after.proposed)), everywhere=None)
    return new, [_changed(new, zones.get(zone.node, ZonePlan(zone.node, (), "")), zone) for zone in new.plan.zones]


def _changed(planned: PlannedManifests, old: ZonePlan, new: ZonePlan) -> ZoneChange:
    frr = old.frr, old.frr if keeps_frr(planned, new, old.frr) else new.frr
    return zone_change(planned, new.node, old.rows, new.rows, frr)


def _number_notes(planned: PlannedManifests, proposed: Container[Identity]) -> Iterator[str]:
    """One note for each proposed network whose number is not recorded."""
    for candidate in planned.desired.candidates:
        network, number = candidate.network, planned.plan.ids.get(candidate.name)
        if network is None or number is None or network.is_default or network.network_id is not None:
            continue
        if identity_of(candidate.object) in proposed:
            text = f"network id {number.network_id} is a free one, OVN-Kubernetes may choose another"
            yield f"network {network.name}: {text}"


def _stored(value: JsonObject, live: JsonObject) -> JsonObject:
    metadata, old = mapping(value, "metadata"), mapping(live, "metadata")
    kept = {key: old[key] for key in _KEPT if key in old and key not in metadata}
    annotations = {**mapping(old, "annotations"), **mapping(metadata, "annotations")}
    status = {"status": live["status"]} if "status" in live and "status" not in value else {}
    return {
        **value,
        **status,
        "metadata": {**metadata, **kept, **({"annotations": annotations} if annotations else {})},
    }
