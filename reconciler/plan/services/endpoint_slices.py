"""EndpointSlices: the servers of a service on one network.

The slices of Kubernetes have the pods' addresses on the default network. For a service in a namespace with a primary
user-defined network, OVN-Kubernetes mirrors them with the pods' addresses on that network.

Source: ovn-kubernetes ``pkg/util/kube.go``, ``pkg/clustermanager/endpointslicemirror``; KEP-1669.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv6Address
from typing import Final, NamedTuple, TypeGuard

from ovnguard.reconciler.plan.rows.service_model import PROTOCOLS, Backend
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import GroupKind
from ovnguard.validators.network.declared.node_values import BadValueError, parse_ip
from ovnguard.validators.network.model import DEFAULT_NETWORK, IPAddress
from ovnguard.validators.network.parse_values import dig, text_of

ENDPOINT_SLICE: Final = GroupKind("discovery.k8s.io", "EndpointSlice")
SERVICE_NAME: Final = "kubernetes.io/service-name"
MIRRORED_SERVICE_NAME: Final = "k8s.ovn.org/service-name"
MIRRORED_NETWORK: Final = "k8s.ovn.org/endpointslice-network"
MAX_PORT: Final = 65535
# The API allows at most so many in one slice.
_MAX_ENDPOINTS: Final = 1000
_MAX_ADDRESSES: Final = 100
_FAMILIES: Final = {"IPv4": 4, "IPv6": 6}


class SliceKey(NamedTuple):
    """The service and the network that a slice is about."""

    namespace: str
    service: str
    network: str


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One server. ``serves_last``: it is about to end, but still serves while no other server is ready."""

    addresses: tuple[IPAddress, ...]
    node: str
    is_ready: bool
    serves_last: bool


@dataclass(frozen=True, slots=True)
class EndpointSlice:
    """One slice: its ports by protocol and name, and its servers. ``faults`` are the parts that are left out."""

    ports: Mapping[tuple[str, str], tuple[int, ...]]
    endpoints: tuple[Endpoint, ...]
    faults: tuple[str, ...] = ()


def key_of(obj: JsonObject) -> SliceKey | None:
    """Return what a slice is about, or None when it says nothing."""
    metadata = obj.get("metadata")
    namespace, labels = dig(metadata, "namespace"), dig(metadata, "labels")
    service, network = dig(labels, SERVICE_NAME), DEFAULT_NETWORK
    if service is None:
        service, network = dig(labels, MIRRORED_SERVICE_NAME), text_of(dig(metadata, "annotations", MIRRORED_NETWORK))
    if not isinstance(namespace, str) or not isinstance(service, str) or not network:
        return None
    return SliceKey(namespace, service, network)


def slice_of(obj: JsonObject) -> EndpointSlice:
    """Return the slice that an EndpointSlice object describes, without its invalid parts."""
    family, faults = _FAMILIES.get(text_of(obj.get("addressType") or "IPv4")), dict[str, None]()
    listed = obj.get("endpoints") if family else ()
    entries = mappings(listed)
    if len(entries) > _MAX_ENDPOINTS:
        faults[f"only the first {_MAX_ENDPOINTS} of {len(entries)} endpoints are read"] = None
    endpoints = tuple(_endpoint(entry, family or 0, faults) for entry in entries[:_MAX_ENDPOINTS])
    return EndpointSlice(_ports(obj, faults), endpoints, tuple(faults))


def backends(endpoints: Iterable[Endpoint], port: int, *, publishes_all: bool = False) -> tuple[Backend, ...]:
    """Return the servers that take connections, in the order of their texts, as upstream has them.

    Those are the ready ones; if there are none, those that end but still serve. ``publishes_all``: readiness does
    not matter.
    """
    found = list(endpoints)
    chosen = [each for each in found if publishes_all or each.is_ready] or [each for each in found if each.serves_last]
    addresses = {address for each in chosen for address in each.addresses}
    return tuple(Backend(address, port) for address in sorted(addresses, key=str))


def servers(slices: Sequence[EndpointSlice], protocol: str, name: str) -> Mapping[int, list[Endpoint]]:
    """Return the endpoints that serve a service's port of this protocol and name, by their own port."""
    found: dict[int, list[Endpoint]] = {}
    for each in slices:
        for port in each.ports.get((protocol, name), ()):
            found.setdefault(port, []).extend(each.endpoints)
    return found


def mappings(value: object) -> list[JsonObject]:
    """Return the mappings in a list; anything else has none."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def is_port(value: object) -> TypeGuard[int]:
    """Whether ``value`` is the number of a port."""
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MAX_PORT


@lru_cache(maxsize=1 << 14)
def address_of(text: str) -> IPAddress | None:
    """Return an address without zone, or None; a service has the same addresses in several slices and ports."""
    try:
        address = parse_ip(text)
    except BadValueError:
        return None
    # Go takes an IPv4-mapped address for IPv4, which the rest of the row does not
    return None if isinstance(address, IPv6Address) and address.ipv4_mapped else address


def _ports(obj: JsonObject, faults: dict[str, None]) -> dict[tuple[str, str], tuple[int, ...]]:
    found: dict[tuple[str, str], tuple[int, ...]] = {}
    for entry in mappings(obj.get("ports")):
        port, protocol = entry.get("port"), entry.get("protocol") or PROTOCOLS[0]
        if port is None:
            # all ports: for other readers than load balancers
            continue
        if not is_port(port) or protocol not in PROTOCOLS:
            faults["a port is left out: it has no valid number or protocol"] = None
            continue
        key = (protocol, text_of(entry.get("name")))
        found[key] = (*found.get(key, ()), port)
    return found


def _endpoint(entry: JsonObject, family: int, faults: dict[str, None]) -> Endpoint:
    conditions = entry.get("conditions")
    ready, serving = dig(conditions, "ready"), dig(conditions, "serving")
    # an unknown readiness counts as ready, and an unknown service follows it
    is_ready = ready is not False
    still = serving if isinstance(serving, bool) else is_ready
    ends = dig(conditions, "terminating") is True
    return Endpoint(tuple(_addresses(entry, family, faults)), text_of(entry.get("nodeName")), is_ready, still and ends)


def _addresses(entry: JsonObject, family: int, faults: dict[str, None]) -> Iterator[IPAddress]:
    texts = entry.get("addresses")
    for text in texts[:_MAX_ADDRESSES] if isinstance(texts, list) else ():
        address = address_of(text) if isinstance(text, str) else None
        if address is not None and address.version == family:
            yield address
        else:
            faults["an endpoint's address is left out: its family is not the slice's addressType"] = None
