"""EgressIP objects and their selected pods, as inputs of a plan.

These objects are untrusted input: invalid parts are skipped and reported.

Source: k8s.ovn.org/v1 EgressIP; ovn-kubernetes annotations ``k8s.ovn.org/egressip-mark``, ``k8s.ovn.org/pod-networks``.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address, ip_interface
from typing import Final

from ovnguard.reconciler.plan.rows.model import FIRST_MARK, LAST_MARK, EgressAssignment, EgressHop, EgressPod, Remark
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.inventory import Inventory, inventory_of
from ovnguard.validators.network.cluster.network_namespaces import namespaces, primaries
from ovnguard.validators.network.cluster.pod_index import POD_NETWORKS, Pod, pod_of
from ovnguard.validators.network.cluster_view import EGRESS_IP, NAMESPACE, POD, ClusterView
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.model import DEFAULT_NETWORK, IPAddress
from ovnguard.validators.network.parse_values import dig, text_of
from ovnguard.validators.network.selectors import labels_of, matches, or_everything

MARK: Final = "k8s.ovn.org/egressip-mark"
_MAX_TEXT: Final = 256 * 1024


@dataclass(frozen=True, slots=True)
class Egresses:
    """Assignments of EgressIPs, and notes about EgressIPs that cannot be assigned."""

    assignments: tuple[EgressAssignment, ...] = ()
    notes: tuple[Remark, ...] = ()


def egresses_of(view: ClusterView) -> Egresses:
    """Return the EgressIPs in ``view``, by name, one assignment for each network whose pods they serve.

    Without Namespaces and Pods in the view it is unknown which pods they serve.
    """
    inventory = inventory_of(view)
    objects = sorted(inventory.objects(EGRESS_IP) or (), key=lambda obj: ref_of(obj).name)
    if not objects:
        return Egresses()
    if not inventory.knows(NAMESPACE, POD):
        return Egresses(notes=(Remark("EgressIPs are not planned: needs namespaces and Pods"),))
    found: list[EgressAssignment] = []
    notes: list[Remark] = []
    pods = _pods(inventory)
    for obj in objects:
        name, hops = ref_of(obj).name, tuple(_hops(obj))
        mark = _mark(obj)
        served = _served(obj, inventory, pods)
        if served and (mark is None or not hops):
            missing = MARK if mark is None else "nodes in status.items"
            notes.append(Remark(f"EgressIP {name} waits for {missing}"))
        elif mark is not None:
            found += (EgressAssignment(name, network, mark, hops, tuple(each)) for network, each in served.items())
    return Egresses(tuple(found), tuple(notes))


def _pods(inventory: Inventory) -> Mapping[str, list[tuple[Pod, JsonObject]]]:
    """Running pods with their own addresses, by namespace."""
    found: dict[str, list[tuple[Pod, JsonObject]]] = {}
    for obj in inventory.objects(POD) or ():
        pod = pod_of(obj)
        if pod.runs and not pod.host_network:
            found.setdefault(pod.namespace, []).append((pod, obj))
    return found


def _served(
    obj: JsonObject, inventory: Inventory, pods: Mapping[str, list[tuple[Pod, JsonObject]]]
) -> dict[str, list[EgressPod]]:
    """Pods that an EgressIP selects, by the network that carries their default route."""
    found: dict[str, list[EgressPod]] = {}
    owners, selector = primaries(inventory), or_everything(dig(obj, "spec", "podSelector"))
    for namespace in namespaces(inventory).selected_by(dig(obj, "spec", "namespaceSelector")):
        networks = owners.get(namespace.name, ()) if namespace.has_primary_label else ()
        network = networks[0].name if networks else DEFAULT_NETWORK
        for pod, described in sorted(pods.get(namespace.name, ()), key=lambda each: each[0].name):
            text = text_of(dig(described, "metadata", "annotations", POD_NETWORKS))
            addresses = _recorded(text, is_default=network == DEFAULT_NETWORK)
            if addresses and matches(selector, labels_of(described)):
                found.setdefault(network, []).append(EgressPod(pod.key, pod.node, addresses))
    return found


def _hops(obj: JsonObject) -> Iterator[EgressHop]:
    items = dig(obj, "status", "items")
    for item in items if isinstance(items, list) else ():
        node, address = text_of(dig(item, "node")), _address(dig(item, "egressIP"))
        if node and address is not None:
            yield EgressHop(node, address)


def _mark(obj: JsonObject) -> int | None:
    text = text_of(dig(obj, "metadata", "annotations", MARK))
    number = int(text) if text.isascii() and text.isdecimal() and len(text) <= len(str(LAST_MARK)) else -1
    return number if FIRST_MARK <= number <= LAST_MARK else None


# Usually one of ten thousand pods has changed.
@lru_cache(maxsize=1 << 14)
def _recorded(text: str, *, is_default: bool) -> tuple[IPAddress, ...]:
    """Addresses in the network of the default route, from a pod's record.

    The pod's status is not a source: it has only addresses in the default network, and other writers.
    """
    entries = _attached(text).items()
    # before roles were recorded, every pod had its default route in the default network
    old = "primary" if is_default else ""
    primary = [
        entry
        for key, entry in entries
        if (key == DEFAULT_NETWORK) is is_default and entry.get("role", old) == "primary"
    ]
    found = (_address(each) for entry in primary for each in _listed(entry))
    return tuple(address for address in found if address is not None)


def _attached(text: str) -> dict[str, JsonObject]:
    try:
        decoded = json.loads(text) if 0 < len(text) <= _MAX_TEXT else {}
    except (ValueError, RecursionError):
        return {}
    return {k: v for k, v in decoded.items() if isinstance(v, dict)} if isinstance(decoded, dict) else {}


def _listed(entry: JsonObject) -> list[object]:
    texts = entry.get("ip_addresses")
    return texts if isinstance(texts, list) else [entry.get("ip_address")]


def _address(text: object) -> IPAddress | None:
    """An address, with or without a prefix length."""
    try:
        if not isinstance(text, str) or "%" in text:
            return None
        return ip_interface(text).ip if "/" in text else ip_address(text)
    except ValueError:
        return None
