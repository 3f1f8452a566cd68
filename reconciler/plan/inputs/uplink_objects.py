"""Uplink and UplinkState objects: the bridges by which networks leave nodes, in addition to the default network's.

Nobody checks who writes an UplinkState, because it has no status subresource: what cannot be read is reported and makes
no gateway.

Source: k8s.ovn.org/v1alpha1 Uplink and UplinkState; ovn-kubernetes, option ``--enable-uplink``.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ovnguard.reconciler.plan.rows.model import Remark, UplinkState
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.addresses.addressing import IPInterface
from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster_view import UPLINK, UPLINK_STATE, ClusterView
from ovnguard.validators.network.declared.node_values import (
    BadValueError,
    bridge_of,
    is_ethernet_address,
    parse_interface,
    parse_ip,
)
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.model import IPAddress
from ovnguard.validators.network.parse_values import dig, mapping, text_of

# As many as the definition allows: one per IP family.
_MAX_ADDRESSES: Final = 2


@dataclass(frozen=True, slots=True)
class Uplinks:
    """The states that can be used, by uplink and node, and notes about those that cannot be read.

    ``unreadable`` are the uplinks and nodes of the latter.
    """

    states: tuple[UplinkState, ...] = ()
    notes: tuple[Remark, ...] = ()
    unreadable: frozenset[tuple[str, str]] = frozenset()


def uplinks_of(view: ClusterView) -> Uplinks:
    """Return the resolved states of the Uplinks in ``view``."""
    inventory = inventory_of(view)
    names = {ref_of(obj).name for obj in inventory.objects(UPLINK) or ()}
    found: dict[tuple[str, str], UplinkState] = {}
    notes: list[Remark] = []
    unreadable: set[tuple[str, str]] = set()
    for uplink, node, obj in sorted(_named(inventory.objects(UPLINK_STATE) or ()), key=lambda each: each[:2]):
        if uplink not in names or not _is_resolved(obj):
            continue
        try:
            found.setdefault((uplink, node), _state(uplink, node, mapping(obj, "status")))
        except BadValueError as fault:
            notes.append(Remark(f"UplinkState {ref_of(obj).name[:253]}: {fault}", node=node))
            unreadable.add((uplink, node))
    return Uplinks(tuple(found.values()), tuple(notes), frozenset(unreadable))


def _named(objects: Iterable[JsonObject]) -> Iterator[tuple[str, str, JsonObject]]:
    for obj in objects:
        uplink, node = (text_of(dig(obj, "spec", key)) for key in ("uplinkName", "nodeName"))
        # OVN-Kubernetes looks states up by this name
        if uplink and node and ref_of(obj).name == f"{uplink}.{node}":
            yield uplink, node, obj


def _is_resolved(obj: JsonObject) -> bool:
    conditions = dig(obj, "status", "conditions")
    listed = conditions if isinstance(conditions, list) else ()
    return any(dig(each, "type") == "Resolved" and dig(each, "status") == "True" for each in listed)


def _state(uplink: str, node: str, status: Mapping[str, Any]) -> UplinkState:
    """Raise BadValueError for a status that describes no gateway."""
    mac = text_of(status.get("macAddress")).lower()
    if not is_ethernet_address(mac):
        raise BadValueError("macAddress must be six octets, such as 0a:58:0a:00:00:01")
    bridge = bridge_of(dig(status, "ovsBridge", "name"))
    addresses: tuple[IPInterface, ...] = tuple(map(parse_interface, _listed(status, "ipAddresses")))
    hops: tuple[IPAddress, ...] = tuple(map(parse_ip, _listed(status, "defaultGateways")))
    if not addresses:
        raise BadValueError("ipAddresses must not be empty")
    return UplinkState(uplink, node, bridge, mac, addresses, hops)


def _listed(status: Mapping[str, Any], key: str) -> list[object]:
    listed = status.get(key) or []
    if not isinstance(listed, list) or len(listed) > _MAX_ADDRESSES:
        raise BadValueError(f"{key} must be a list of at most {_MAX_ADDRESSES}")
    return listed
