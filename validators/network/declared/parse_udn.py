"""Networks of ClusterUserDefinedNetwork and UserDefinedNetwork objects, in either spelling of the no-overlay API."""

from collections.abc import Iterator, Mapping
from ipaddress import ip_network
from typing import Any, Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.addresses.addressing import DEFAULT_UDN_JOIN_SUBNETS
from ovnguard.validators.network.declared.parse_operator import options_of, ref_of, transport_of
from ovnguard.validators.network.model import (
    LAYER2,
    LAYER3,
    LOCALNET,
    NETWORK_ID_ANNOTATION,
    NO_OVERLAY,
    PRIMARY,
    TRANSIT_ANNOTATION,
    TUNNEL_KEYS_ANNOTATION,
    IPNetwork,
    Network,
    ObjectRef,
    Role,
    Subnet,
    Topology,
)
from ovnguard.validators.network.parse_errors import NAME, ROLE, TOPOLOGY
from ovnguard.validators.network.parse_values import (
    MAX_ITEMS,
    Parsed,
    Reader,
    annotation,
    dig,
    mapping,
    text_of,
    with_families,
)

CUDN_PREFIX: Final = "cluster_udn_"
# The value of a topology is also the name of its block.
_BLOCKS: Final = {"Layer2": LAYER2, "Layer3": LAYER3, "Localnet": LOCALNET}
_SECONDARY: Final = Role.SECONDARY
_ROLES: Final = {"Primary": PRIMARY, "Secondary": _SECONDARY}


def cluster_user_defined_network(obj: JsonObject) -> Parsed:
    """Return the network of a ClusterUserDefinedNetwork, named ``cluster_udn_<name>``."""
    network, ref = mapping(obj, "spec", "network"), ref_of(obj)
    options = network.get("noOverlayOptions", network.get("noOverlay"))
    return _network(obj, ref, f"{CUDN_PREFIX}{ref.name}", "spec.network", network, network.get("transport"), options)


def user_defined_network(obj: JsonObject) -> Parsed:
    """Return the network of a UserDefinedNetwork, named ``<namespace>_<name>``; it has no transport of its own."""
    ref = ref_of(obj)
    return _network(obj, ref, f"{ref.namespace}_{ref.name}", "spec", mapping(obj, "spec"), None, None)


def _network(
    obj: JsonObject,
    ref: ObjectRef,
    name: str,
    path: str,
    spec: Mapping[str, Any],
    transport: object,
    options: object,
) -> Parsed:
    reader = _reader(ref)
    shape = _shape(path, spec, reader)
    if shape is None:
        return Parsed(None, tuple(reader.errors))
    path, block = f"{path}.{shape}", mapping(spec, shape)
    role = _role(path, block, reader)
    chosen, noted = transport_of(transport), dig(obj, "metadata", "annotations")
    network = Network(
        name=name,
        source=ref,
        topology=shape,
        role=role or _SECONDARY,
        transport=chosen,
        subnets=_subnets(shape, f"{path}.subnets", block.get("subnets"), reader),
        join_subnets=_join(shape, f"{path}.joinSubnets", block.get("joinSubnets"), reader),
        transit_subnets=_transit(obj, shape, role, reader),
        default_gateway_ips=reader.addresses(f"{path}.defaultGatewayIPs", block.get("defaultGatewayIPs")),
        infrastructure_subnets=reader.cidrs(
            f"{path}.infrastructureSubnets", block.get("infrastructureSubnets"), strict=True
        ),
        reserved_subnets=reader.cidrs(f"{path}.reservedSubnets", block.get("reservedSubnets"), strict=True),
        excluded_subnets=tuple(_excluded(block["excludeSubnets"])) if "excludeSubnets" in block else (),
        mtu=reader.number(f"{path}.mtu", block.get("mtu"), 576, 65536),
        no_overlay=options_of(options) if chosen is NO_OVERLAY else None,
        network_id=reader.network_id(*annotation(obj, NETWORK_ID_ANNOTATION)) if noted else None,
        tunnel_keys=reader.tunnel_keys(*annotation(obj, TUNNEL_KEYS_ANNOTATION)) if noted else (),
        physical_network=text_of(block.get("physicalNetworkName")) if shape is LOCALNET else "",
        vlan=_vlan(path, block, reader) if shape is LOCALNET else 0,
        uplink=_uplink(obj) if role is PRIMARY else "",
    )
    return reader.finish(network)


def _reader(ref: ObjectRef) -> Reader:
    reader = Reader()
    if not ref.name:
        reader.refuse(NAME, "metadata.name", None, "name or generateName is required")
    return reader


def _shape(path: str, spec: Mapping[str, Any], reader: Reader) -> Topology | None:
    shape = _BLOCKS.get(text_of(spec.get("topology")))
    if shape is None:
        reader.refuse(TOPOLOGY, f"{path}.topology", spec.get("topology"), "must be Layer2, Layer3 or Localnet")
    return shape


def _role(path: str, block: Mapping[str, Any], reader: Reader) -> Role | None:
    role = _ROLES.get(text_of(block.get("role")))
    if role is None:
        reader.refuse(ROLE, f"{path}.role", block.get("role"), "must be Primary or Secondary")
    return role


def _subnets(topology: Topology, path: str, value: object, reader: Reader) -> tuple[Subnet, ...]:
    if topology is not LAYER3:
        return tuple(Subnet(net) for net in reader.cidrs(path, value))
    found = []
    for where, item in reader.items(path, value):
        cidr, share = dig(item, "cidr"), dig(item, "hostSubnet")
        subnet = reader.shared_subnet(f"{where}.cidr", f"{where}.hostSubnet", cidr, share)
        if subnet is not None:
            found.append(subnet)
    return tuple(found)


def _join(topology: Topology, path: str, value: object, reader: Reader) -> tuple[IPNetwork, ...]:
    """Both families are always present, also in secondary networks, because ovn-kubernetes fills them in."""
    if topology is LOCALNET:
        return ()
    return with_families(reader.cidrs(path, value), DEFAULT_UDN_JOIN_SUBNETS)


def _transit(obj: JsonObject, topology: Topology, role: Role | None, reader: Reader) -> tuple[IPNetwork, ...]:
    if topology is not LAYER2 or role is not PRIMARY:
        return ()
    return reader.transit(*annotation(obj, TRANSIT_ANNOTATION))


def _uplink(obj: JsonObject) -> str:
    """The one uplink that the definition of a ClusterUserDefinedNetwork allows."""
    listed = dig(obj, "spec", "uplinks")
    return text_of(listed[0]) if isinstance(listed, list) and listed else ""


def _excluded(value: object) -> Iterator[IPNetwork]:
    """Addresses that pods may not have. Host bits are ignored, as upstream does."""
    for text in value[:MAX_ITEMS] if isinstance(value, list) else ():
        try:
            yield ip_network(text_of(text), strict=False)
        except ValueError:
            continue


def _vlan(path: str, block: Mapping[str, Any], reader: Reader) -> int:
    """The VLAN of an access port, 0 for untagged frames."""
    return reader.number(f"{path}.vlan.access.id", dig(mapping(block, "vlan"), "access", "id"), 1, 4094) or 0
