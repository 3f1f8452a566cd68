"""Services that take traffic on every node, whether or not the node has their network.

Source: OKEP-5552, 'Risks, Known Limitations and Mitigations'.
"""

from collections.abc import Iterator
from typing import Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.inventory import Inventory
from ovnguard.validators.network.cluster.network_namespaces import namespaces
from ovnguard.validators.network.cluster_view import NAMESPACE, SERVICE
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.parse_values import mapping, text_of

_ON_NODES: Final = frozenset({"NodePort", "LoadBalancer"})


def takes_traffic_everywhere(service: JsonObject) -> bool:
    """Whether nodes without pods of ``service`` forward its traffic."""
    spec = mapping(service, "spec")
    reached = text_of(spec.get("type")) in _ON_NODES or bool(spec.get("externalIPs"))
    return reached and (spec.get("externalTrafficPolicy") or "Cluster") == "Cluster"


def exposed_services(inventory: Inventory) -> tuple[str, ...]:
    """Return such Services of namespaces with a primary user-defined network, as ``namespace/name``, ordered."""
    return inventory.derived(_exposed, SERVICE, NAMESPACE)


def _exposed(inventory: Inventory) -> tuple[str, ...]:
    return tuple(sorted(_named(inventory)))


def _named(inventory: Inventory) -> Iterator[str]:
    known = namespaces(inventory).by_name
    for service in inventory.objects(SERVICE) or ():
        ref = ref_of(service)
        namespace = known.get(ref.namespace)
        if namespace is not None and namespace.has_primary_label and takes_traffic_everywhere(service):
            yield f"{namespace.name}/{ref.name}"
