"""EgressService objects and the pods behind their Services, as inputs of a plan.

Only services of the default network count: upstream acts on the pods' addresses there, also for pods whose default
route is in another network, where its rows have no effect on the pods' traffic. Such an EgressService is reported and
not planned.

These objects are untrusted input: invalid parts are skipped. Whether the feature is enabled is unknown; an object
counts as yes, and only the cluster manager writes ``status.host``.

Source: k8s.ovn.org/v1 EgressService; ovn-kubernetes ``pkg/ovn/controller/egressservice``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ovnguard.reconciler.plan.rows.model import EgressService, Remark, ServedEndpoint
from ovnguard.reconciler.plan.services.endpoint_slices import ENDPOINT_SLICE, SliceKey, key_of, slice_of
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.inventory import Inventory, inventory_of
from ovnguard.validators.network.cluster.network_namespaces import namespaces, primaries
from ovnguard.validators.network.cluster_view import EGRESS_SERVICE, NAMESPACE, ClusterView
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.model import DEFAULT_NETWORK
from ovnguard.validators.network.parse_values import dig, text_of

# The value of status.host where every node serves its own pods.
_EVERY_NODE: Final = "ALL"


@dataclass(frozen=True, slots=True)
class EgressServices:
    """EgressServices that one node serves, and notes about those of primary networks, which have no rows."""

    services: tuple[EgressService, ...] = ()
    notes: tuple[Remark, ...] = ()


def egress_services_of(view: ClusterView) -> EgressServices:
    """Return the EgressServices in ``view`` with a node in their status, by namespace and name.

    Without Namespaces and EndpointSlices in the view it is unknown which pods they serve.
    """
    inventory = inventory_of(view)
    hosted = sorted(_hosted(inventory.objects(EGRESS_SERVICE) or ()))
    if not hosted:
        return EgressServices()
    slices = view.objects(ENDPOINT_SLICE)
    if slices is None or not inventory.knows(NAMESPACE):
        return EgressServices(notes=(Remark("EgressServices are not planned: needs namespaces and EndpointSlices"),))
    by_service: dict[SliceKey | None, list[JsonObject]] = {}
    for obj in slices:
        by_service.setdefault(key_of(obj), []).append(obj)
    found, notes = [], []
    for namespace, name, node in hosted:
        network = _primary(inventory, namespace)
        if network:
            text = f"EgressService {namespace}/{name} is not planned: it has no effect on pods of a primary network"
            notes.append(Remark(text, network))
        own = by_service.get(SliceKey(namespace, name, DEFAULT_NETWORK), ())
        endpoints = dict.fromkeys(each for obj in own for each in _endpoints(obj))
        found.append(EgressService(f"{namespace}/{name}", node, tuple(endpoints), network or DEFAULT_NETWORK))
    return EgressServices(tuple(found), tuple(notes))


def _hosted(objects: Sequence[JsonObject]) -> Iterator[tuple[str, str, str]]:
    """Namespace and name of each EgressService, and the node in its status."""
    for obj in objects:
        ref, node = ref_of(obj), text_of(dig(obj, "status", "host"))
        if node and node != _EVERY_NODE:
            yield ref.namespace, ref.name, node


def _primary(inventory: Inventory, namespace: str) -> str:
    """The primary user-defined network of a namespace's pods, or ''."""
    space = namespaces(inventory).by_name.get(namespace)
    held = primaries(inventory).get(namespace, ()) if space is not None and space.has_primary_label else ()
    return held[0].name if held else ""


def _endpoints(obj: JsonObject) -> Iterator[ServedEndpoint]:
    """Every address, ready or not, with the node that it is on."""
    for each in slice_of(obj).endpoints:
        if each.node:
            yield from (ServedEndpoint(each.node, address) for address in each.addresses)
