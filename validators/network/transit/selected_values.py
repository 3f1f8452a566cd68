"""Values that ovnguard selects for an object before it is stored: the transit subnets of Layer2 networks.

They are recorded in annotation ``ovnguard.io/transit-subnets`` of a (C)UDN, which no schema prunes, and in key
``transitSubnet`` of a NetworkAttachmentDefinition's configuration, where ovn-kubernetes reads it.
"""

from collections.abc import Mapping
from typing import NamedTuple

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.cluster_facts import ClusterFacts, cluster_facts
from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster_view import ClusterView
from ovnguard.validators.network.declared.netconf import with_key
from ovnguard.validators.network.declared.network_of import network_of
from ovnguard.validators.network.declared.parse_nad import config_of
from ovnguard.validators.network.model import TRANSIT_ANNOTATION, IPNetwork, Network
from ovnguard.validators.network.parse_values import dig, mapping, network_text
from ovnguard.validators.network.transit.transit_subnet import (
    NO_FREE_TRANSIT_SUBNET,
    NoFreeTransitSubnet,
    Reason,
    Selection,
    select_transit,
    transit_faults,
)

_NAD_KEY = "transitSubnet"


class Selected(NamedTuple):
    """The object with selected values, or the identical input object when it needs none.

    ``reason`` is the reason of condition TransitSubnetAllocated, empty for objects that need no transit subnet.
    """

    object: JsonObject
    notes: tuple[str, ...] = ()
    reason: str = ""


def select_values(
    obj: JsonObject, old: JsonObject | None, view: ClusterView, recorded: tuple[IPNetwork, ...] = ()
) -> Selected:
    """Return ``obj`` with values selected against ``view``; ``old`` is the stored object of an update.

    ``recorded`` is an earlier choice from another source, for objects that do not record it.

    Values in the object stay as they are, even if invalid: the rules judge them. An earlier choice that the update
    drops is restored; one that is no longer valid is replaced with a note. The inputs are not modified, and the
    function is idempotent.
    """
    if _has_another_topology(obj):
        return Selected(obj)
    network, errors, _ = network_of(obj)
    if network is None or errors or not network.needs_transit_subnet or not network.subnets or goes_away(old):
        return Selected(obj)
    if not _has_metadata(obj) or inventory_of(view).is_rendered(obj) or _is_orphan(obj, old, view):
        return Selected(obj)
    earlier = _recorded(old) or recorded
    declared = network.transit_subnets
    if declared and declared != earlier:
        return Selected(obj, reason=Reason.KEPT)
    facts = cluster_facts(view)
    answer = select_transit(network, facts, earlier)
    if isinstance(answer, NoFreeTransitSubnet):
        return _nothing_free(obj, network, earlier, answer)
    if answer.subnets == declared:
        return Selected(obj, reason=Reason.KEPT)
    note = _note(network, facts, earlier, answer)
    return Selected(_with_transit(obj, answer.subnets), notes=(note,) if note else (), reason=answer.reason)


def _has_another_topology(obj: JsonObject) -> bool:
    """Whether the topology of a (C)UDN rules out a selection. The full check would take a tenth of the time of a
    verdict.
    """
    if obj.get("kind") not in {"ClusterUserDefinedNetwork", "UserDefinedNetwork"}:
        return False
    spec = mapping(obj, "spec")
    return spec.get("topology") != "Layer2" and mapping(spec, "network").get("topology") != "Layer2"


def _nothing_free(
    obj: JsonObject, network: Network, earlier: tuple[IPNetwork, ...], refusal: NoFreeTransitSubnet
) -> Selected:
    """A network with an earlier choice keeps it, so that updates remain possible; the rules refuse any other."""
    if earlier:
        note = f"transit subnets {network_text(earlier)} kept although they are no longer valid: {refusal.text}"
        restored = obj if network.transit_subnets else _with_transit(obj, earlier)
        return Selected(restored, notes=(note,), reason=Reason.KEPT)
    return Selected(obj, reason=NO_FREE_TRANSIT_SUBNET)


def _note(network: Network, facts: ClusterFacts, earlier: tuple[IPNetwork, ...], answer: Selection) -> str:
    chosen = network_text(answer.subnets)
    if answer.reason is Reason.KEPT:
        return f"transit subnets {chosen} restored: they were selected before and are still valid"
    faults = "; ".join(fault.text for fault in transit_faults(network, facts, earlier))
    if faults:
        return f"transit subnets {chosen} selected in place of {network_text(earlier)}, which are not valid: {faults}"
    if answer.tried:
        blocked = answer.tried[0]
        return f"transit subnets {chosen} selected: {blocked.candidate} overlaps {blocked.obstacle}"
    return ""


def _recorded(old: JsonObject | None) -> tuple[IPNetwork, ...]:
    network = network_of(old).network if old is not None else None
    return network.transit_subnets if network is not None else ()


def goes_away(old: JsonObject | None) -> bool:
    """Whether the stored object is being deleted, so that an update selects nothing more.

    The new object proves nothing: the API server ignores a deletionTimestamp that a request brings.
    """
    return old is not None and dig(old, "metadata", "deletionTimestamp") is not None


def _is_orphan(obj: JsonObject, old: JsonObject | None, view: ClusterView) -> bool:
    """Whether an update only takes the owner away from an attachment that OVN-Kubernetes rendered."""
    return old is not None and old.get("spec") == obj.get("spec") and inventory_of(view).is_rendered(old)


def _has_metadata(obj: JsonObject) -> bool:
    """Whether values can be written into the metadata; the schema refuses anything else."""
    metadata, annotations = obj.get("metadata"), dig(obj, "metadata", "annotations")
    return all(each is None or isinstance(each, Mapping) for each in (metadata, annotations))


def _with_transit(obj: JsonObject, subnets: tuple[IPNetwork, ...]) -> JsonObject:
    text = network_text(subnets)
    config = config_of(obj) if obj.get("kind") == "NetworkAttachmentDefinition" else None
    if config is not None:
        return {**obj, "spec": {**obj["spec"], "config": with_key(config, _NAD_KEY, text)}}
    metadata = mapping(obj, "metadata")
    annotations = {**mapping(metadata, "annotations"), TRANSIT_ANNOTATION: text}
    return {**obj, "metadata": {**metadata, "annotations": annotations}}
