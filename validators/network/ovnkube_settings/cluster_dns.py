"""Zones of the cluster's DNS, and load-balancer parameters of its ingress, for the rules about custom DNS.

Sources: openshift/api, config/v1 ``DNSSpec`` and operator/v1 ``IngressControllerSpec``; OpenShift enhancement "BYO
custom DNS", 'Variation'.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.inventory import Inventory
from ovnguard.validators.network.cluster_view import CONFIG_DNS, CONFIG_INGRESS, INGRESS_CONTROLLER
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.parse_values import dig, mapping, text_of

ZONES: Final = ("publicZone", "privateZone")
_STRATEGY: Final = "spec.endpointPublishingStrategy"
_PARAMETERS: Final = f"{_STRATEGY}.loadBalancer.providerParameters"
_INGRESS: Final = "spec.loadBalancer.platform"
IBM: Final = frozenset({"IBMCloud", "PowerVS"})

# The parameter blocks at each path, and the type that activates them.
_BLOCKS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    _PARAMETERS: (("aws", "AWS"), ("gcp", "GCP"), ("ibm", "IBM")),
    f"{_PARAMETERS}.aws": (("classicLoadBalancer", "Classic"), ("networkLoadBalancer", "NLB")),
    _STRATEGY: (
        ("loadBalancer", "LoadBalancerService"),
        ("hostNetwork", "HostNetwork"),
        ("nodePort", "NodePortService"),
        ("private", "Private"),
    ),
    _INGRESS: (("aws", "AWS"),),
}
_PLACES: Final = {INGRESS_CONTROLLER: (_STRATEGY, _PARAMETERS, f"{_PARAMETERS}.aws"), CONFIG_INGRESS: (_INGRESS,)}


class Chosen(NamedTuple):
    """A type of load-balancer parameters, and its field."""

    field: str
    type: str


def zones(dns: object) -> tuple[str, ...]:
    """Return the fields of a DNS object's zones; an empty zone counts, as it does for the ingress operator."""
    spec = mapping(dns, "spec")
    return tuple(f"spec.{name}" for name in ZONES if spec.get(name) is not None)


def known_zones(inventory: Inventory) -> tuple[str, ...]:
    """Return the fields of all zones of the cluster's DNS."""
    return tuple(dict.fromkeys(field for dns in inventory.objects(CONFIG_DNS) or () for field in zones(dns)))


def parameters_for(obj: JsonObject) -> Chosen | None:
    """Return the platform of an IngressController's or Ingress's parameters, or None."""
    place = {INGRESS_CONTROLLER: _PARAMETERS, CONFIG_INGRESS: _INGRESS}.get(group_kind_of(obj))
    found = text_of(dig(obj, *place.split("."), "type")) if place else ""
    return Chosen(f"{place}.type", found) if found else None


def suits(parameters: str, platform: str) -> bool:
    """Whether ``platform`` reads the chosen parameters."""
    return parameters == platform or (parameters == "IBM" and platform in IBM)


def unread_blocks(obj: JsonObject) -> Iterator[tuple[str, str, str]]:
    """Iterate over (path, type that reads it, type that is chosen) for the blocks that have no effect."""
    for place in _PLACES.get(group_kind_of(obj), ()):
        block = mapping(obj, *place.split("."))
        chosen = text_of(block.get("type"))
        for name, reader in _BLOCKS[place]:
            if chosen and chosen != reader and block.get(name) is not None:
                yield f"{place}.{name}", reader, chosen
