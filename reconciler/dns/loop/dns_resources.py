"""The objects that user-managed DNS depends on, as they are watched."""

from typing import Final

from ovnguard.reconciler.dns.plan.load_balancer import CONTROLLER, SERVICE
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.resources import NODES, Part, Resource
from ovnguard.validators.network.cluster_view import CONFIG_DNS, INFRASTRUCTURE, INGRESS_CONTROLLER, NODE
from ovnguard.validators.network.cluster_view import SERVICE as SERVICE_KIND
from ovnguard.validators.network.parse_values import dig

INFRASTRUCTURES: Final = Resource(INFRASTRUCTURE.group, "v1", "infrastructures", INFRASTRUCTURE.kind)
_DNSES: Final = Resource(CONFIG_DNS.group, "v1", "dnses", CONFIG_DNS.kind)
_CONTROLLERS: Final = Resource(
    INGRESS_CONTROLLER.group, "v1", "ingresscontrollers", INGRESS_CONTROLLER.kind, namespaced=True
)
_SERVICES: Final = Resource(SERVICE_KIND.group, "v1", "services", SERVICE_KIND.kind, namespaced=True)


def _addresses_only(obj: JsonObject) -> JsonObject:
    """Keep the name and the addresses of a Node: its heartbeats change nothing."""
    kept = {"metadata": {"name": obj["metadata"]["name"]}, "status": {"addresses": dig(obj, "status", "addresses")}}
    return {"apiVersion": "v1", "kind": NODE.kind, **kept}


def _only(name: str) -> Part:
    namespace, _, own = name.rpartition("/")
    return Part(namespace, own)


DNS_RESOURCES: Final = (
    (INFRASTRUCTURES, _only("cluster")),
    (_DNSES, _only("cluster")),
    (_CONTROLLERS, _only(CONTROLLER)),
    (_SERVICES, _only(SERVICE)),
    (NODES, Part(trim=_addresses_only)),
)
