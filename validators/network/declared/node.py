"""A cluster node as a frozen value, from a core/v1 Node mapping.

OVN-Kubernetes records its data about a node in annotations. Anyone who may patch a node may write any text there, so
every annotation is untrusted: an invalid one produces one error and counts as absent, and the rest of the node stays
usable.

Formats: ovn-kubernetes, ``go-controller/pkg/util/node_annotations.go``.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeVar

from ovnguard.validators.base.field import FieldError
from ovnguard.validators.base.json_types import JsonMapping
from ovnguard.validators.network.addresses.addressing import IPInterface
from ovnguard.validators.network.declared.node_values import (
    BadValueError,
    addresses_of,
    chassis_of,
    flag_of,
    gateway_values,
    interfaces_by_family,
    interfaces_of,
    listed_addresses,
    macs_by_network,
    node_id_of,
    parse_ip,
    port_keys_by_network,
    subnets_by_network,
    valid_name,
    version_of,
    zone_of,
)
from ovnguard.validators.network.model import DEFAULT_NETWORK, IPAddress, IPNetwork
from ovnguard.validators.network.parse_errors import NODE
from ovnguard.validators.network.parse_values import invalid

NODE_ID: Final = "k8s.ovn.org/node-id"
CHASSIS_ID: Final = "k8s.ovn.org/node-chassis-id"
PRIMARY_IFADDR: Final = "k8s.ovn.org/node-primary-ifaddr"
HOST_CIDRS: Final = "k8s.ovn.org/host-cidrs"
NODE_SUBNETS: Final = "k8s.ovn.org/node-subnets"
GATEWAY_CONFIG: Final = "k8s.ovn.org/l3-gateway-config"
ENCAP_IPS: Final = "k8s.ovn.org/node-encap-ips"
ZONE_NAME: Final = "k8s.ovn.org/zone-name"
TOPOLOGY_VERSION: Final = "k8s.ovn.org/layer2-topology-version"
ROUTER_PORT_KEYS: Final = "k8s.ovn.org/udn-layer2-node-gateway-router-lrp-tunnel-ids"
GATEWAY_MTU_SUPPORT: Final = "k8s.ovn.org/gateway-mtu-support"
TRANSIT_IFADDR: Final = "k8s.ovn.org/node-transit-switch-port-ifaddr"
MANAGEMENT_MACS: Final = "k8s.ovn.org/node-mgmt-port-mac-addresses"
HYBRID_OVERLAY: Final = "k8s.ovn.org/hybrid-overlay-"
HYBRID_GATEWAY: Final = f"{HYBRID_OVERLAY}distributed-router-gateway-ip"

_T = TypeVar("_T")
_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


class GatewayMode(StrEnum):
    """How traffic leaves the node: through OVN only, or through the host's routing."""

    SHARED = "shared"
    LOCAL = "local"


class NodeGateway(NamedTuple):
    """How a node's gateway router connects to the physical network (annotation l3-gateway-config, key ``default``)."""

    mode: GatewayMode
    bridge_id: str
    mac: str
    addresses: tuple[IPInterface, ...]
    next_hops: tuple[IPAddress, ...] = ()
    interface_id: str = ""
    vlan_id: int = 0
    node_port: bool = False


class Node(NamedTuple):
    """One node. Fields that are not recorded yet are None or empty.

    ``internal_ips``: the first InternalIP of each family, IPv4 first. ``host_subnets``: per network name, the pod
    subnets of this node. ``router_port_keys``: per network name, the key of this node's gateway router port on the
    switch of a primary Layer2 network in the topology before transit routers. ``transit_addresses``: those of the
    node's cluster routers. ``management_macs``: per network name, the MAC of the node's own port.
    ``is_in_hybrid_overlay``: hybrid overlay has recorded something, and ``hybrid_gateways`` is its gateway here.
    """

    name: str
    labels: Mapping[str, str] = _NOTHING
    node_id: int | None = None
    chassis_id: str = ""
    internal_ips: tuple[IPAddress, ...] = ()
    primary_addresses: tuple[IPInterface, ...] = ()
    host_cidrs: tuple[IPInterface, ...] = ()
    host_subnets: Mapping[str, tuple[IPNetwork, ...]] = _NOTHING
    gateway: NodeGateway | None = None
    encap_ips: tuple[IPAddress, ...] = ()
    topology_version: str = ""
    zone: str = ""
    gateway_mtu_support: bool = True
    router_port_keys: Mapping[str, int] = _NOTHING
    transit_addresses: tuple[IPInterface, ...] = ()
    management_macs: Mapping[str, str] = _NOTHING
    is_in_hybrid_overlay: bool = False
    hybrid_gateways: tuple[IPAddress, ...] = ()

    def __hash__(self) -> int:
        # mappings have no hash
        return hash((self.name, self.node_id, self.internal_ips, self.host_cidrs))

    @property
    def own_addresses(self) -> frozenset[IPAddress]:
        """Every known address of this node."""
        interfaces = (*self.primary_addresses, *self.host_cidrs, *(self.gateway.addresses if self.gateway else ()))
        return frozenset((*self.internal_ips, *(each.ip for each in interfaces)))


class ParsedNode(NamedTuple):
    """``node`` is None when the object has no usable name; ``errors`` describe the invalid parts."""

    node: Node | None
    errors: tuple[FieldError, ...] = ()


def node_of(obj: JsonMapping) -> ParsedNode:
    """Return the node that a core/v1 Node object describes, with one error per invalid part."""
    metadata = obj.get("metadata")
    name = metadata.get("name") if isinstance(metadata, Mapping) else None
    if not isinstance(metadata, Mapping) or not valid_name(name):
        return ParsedNode(
            None, (invalid("metadata.name", name, "must be a DNS-1123 subdomain of at most 253 octets", NODE.id),)
        )
    errors: list[FieldError] = []
    labels = _strings(metadata.get("labels"), "metadata.labels", errors)
    annotations = _strings(metadata.get("annotations"), "metadata.annotations", errors)
    reader = _Annotations(annotations, errors)
    gateway = reader.get(GATEWAY_CONFIG, _gateway, None)
    node = Node(
        name=str(name),
        labels=MappingProxyType(dict(labels)),
        node_id=reader.get(NODE_ID, node_id_of, None),
        chassis_id=reader.get(CHASSIS_ID, chassis_of, ""),
        internal_ips=_internal_ips(obj.get("status"), errors),
        primary_addresses=reader.get(PRIMARY_IFADDR, interfaces_by_family, ()),
        host_cidrs=reader.get(HOST_CIDRS, interfaces_of, ()),
        host_subnets=reader.get(NODE_SUBNETS, subnets_by_network, _NOTHING),
        gateway=gateway,
        encap_ips=reader.get(ENCAP_IPS, addresses_of, ()),
        topology_version=reader.get(TOPOLOGY_VERSION, version_of, ""),
        zone=reader.get(ZONE_NAME, zone_of, ""),
        gateway_mtu_support=reader.get(GATEWAY_MTU_SUPPORT, flag_of, True),
        router_port_keys=reader.get(ROUTER_PORT_KEYS, port_keys_by_network, _NOTHING),
        transit_addresses=reader.get(TRANSIT_IFADDR, interfaces_by_family, ()),
        management_macs=reader.get(MANAGEMENT_MACS, macs_by_network, _NOTHING),
        is_in_hybrid_overlay=any(key.startswith(HYBRID_OVERLAY) for key in annotations),
        hybrid_gateways=reader.get(HYBRID_GATEWAY, listed_addresses, ()),
    )
    return ParsedNode(node, tuple(errors))


class _Annotations:
    """Reads annotations one by one; an invalid one adds an error and yields the fallback."""

    def __init__(self, values: Mapping[str, str], errors: list[FieldError]) -> None:
        self._values = values
        self._errors = errors

    def get(self, key: str, parse: Callable[[str], _T], fallback: _T) -> _T:
        text = self._values.get(key)
        if text is None:
            return fallback
        try:
            return parse(text)
        except BadValueError as error:
            self._errors.append(invalid(f"metadata.annotations[{key}]", text, str(error), NODE.id))
            return fallback


def _gateway(text: str) -> NodeGateway | None:
    values = gateway_values(text, DEFAULT_NETWORK)
    if values is None:
        return None
    return NodeGateway(
        mode=GatewayMode(values.mode),
        bridge_id=values.bridge_id,
        mac=values.mac,
        addresses=values.addresses,
        next_hops=values.next_hops,
        interface_id=values.interface_id,
        vlan_id=values.vlan_id,
        node_port=values.node_port,
    )


def _strings(value: object, path: str, errors: list[FieldError]) -> Mapping[str, str]:
    """Return ``value`` when it maps strings to strings, else an empty mapping and one error."""
    if value is None:
        return _NOTHING
    if isinstance(value, Mapping) and all(isinstance(k, str) and isinstance(v, str) for k, v in value.items()):
        return value
    errors.append(invalid(path, value, "must map strings to strings", NODE.id))
    return _NOTHING


def _internal_ips(status: object, errors: list[FieldError]) -> tuple[IPAddress, ...]:
    """First InternalIP of each family, IPv4 first, as the managed BGP controller selects them."""
    addresses = status.get("addresses") if isinstance(status, Mapping) else None
    if not isinstance(addresses, list):
        return ()
    first: dict[int, IPAddress] = {}
    for index, entry in enumerate(addresses):
        if not isinstance(entry, Mapping) or entry.get("type") != "InternalIP":
            continue
        try:
            ip = parse_ip(entry.get("address"))
        except BadValueError as error:
            errors.append(invalid(f"status.addresses[{index}].address", entry.get("address"), str(error), NODE.id))
            continue
        first.setdefault(ip.version, ip)
    return tuple(first[version] for version in sorted(first))
