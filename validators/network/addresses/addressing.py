"""The arithmetic of addresses, MACs and tunnel keys: the values that follow from a subnet, a node id or a network id.

All functions are pure. A request that cannot be met (a subnet that is too small, an id out of range) returns an
`AddressError` value; an argument that no caller may pass raises ValueError.

Sources: OKEP-5094 ("Ports, switches and routers topology", "Tunnel keys"), ovn-kubernetes ``go-controller/pkg/util``,
``pkg/generator/{ip,udn}`` and ``pkg/types``.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Interface, IPv4Network, IPv6Interface, IPv6Network
from typing import Final, NamedTuple, TypeAlias

from ovnguard.validators.network.model import IPAddress, IPNetwork

IPInterface: TypeAlias = IPv4Interface | IPv6Interface

# No node has id 0 or 1: the first two join addresses are the network address and the cluster router's.
MIN_NODE_ID: Final = 2
MAX_NODE_ID: Final = 5000
# Most networks have the default subnets, so what follows from them and a node id is computed once for all networks.
_KEPT: Final = 1 << 13
# Network id 0 is the default network.
MAX_NETWORKS: Final = 4096
MAX_NETWORK_ID: Final = MAX_NETWORKS - 1

# Datapath keys above northd's own range belong to interconnection; ovn-kubernetes starts two keys later.
BASE_TUNNEL_KEY: Final = 16711683
FIRST_DYNAMIC_TUNNEL_KEY: Final = BASE_TUNNEL_KEY + MAX_NETWORKS
MAX_TUNNEL_KEY: Final = (1 << 24) - 1
MAX_PORT_KEY: Final = (1 << 15) - 1
# Port keys 1 to 9 are reserved for the platform's own ports; pods start at 10.
ROUTER_TO_SWITCH_PORT_KEY: Final = 1
GATEWAY_PORT_KEY_BASE: Final = 10

DEFAULT_JOIN_SUBNETS: Final = (IPv4Network("100.64.0.0/16"), IPv6Network("fd98::/64"))
DEFAULT_UDN_JOIN_SUBNETS: Final = (IPv4Network("100.65.0.0/16"), IPv6Network("fd99::/64"))
DEFAULT_TRANSIT_SUBNETS: Final = (IPv4Network("100.88.0.0/16"), IPv6Network("fd97::/64"))
DEFAULT_MASQUERADE_SUBNETS: Final = (IPv4Network("169.254.0.0/17"), IPv6Network("fd69::/112"))

# Offsets of the fixed masquerade addresses from the base of the masquerade subnet.
MASQUERADE_OVN: Final = 1
MASQUERADE_HOST: Final = 2
MASQUERADE_HOST_ETP_LOCAL: Final = 3
MASQUERADE_NEXT_HOP: Final = 4
MASQUERADE_HAIRPIN: Final = 5
_MASQUERADE_USER_BASE: Final = 10

_MAC_PREFIX: Final = bytes((0x0A, 0x58))


class AddressError(NamedTuple):
    """The reason why no address, key or id can be assigned."""

    text: str


class TransitPair(NamedTuple):
    """Both ends of the link between a network's transit router and one node's gateway router (/31 or /127)."""

    router: IPInterface
    gateway: IPInterface


class MasqueradePair(NamedTuple):
    """The masquerade addresses of one network, equal on every node, with the masquerade subnet's prefix length."""

    gateway_router: IPInterface
    management_port: IPInterface


class SubnetAddresses(NamedTuple):
    """Gateway and management port address of one subnet, with the subnet's prefix length."""

    gateway: IPInterface
    management: IPInterface


def mac_of(address: IPAddress) -> str:
    """Return the MAC that belongs to ``address``: 0a:58 and the IPv4 octets, or 4 octets of the IPv6 text's SHA-256.

    The IPv6 text is the canonical one of RFC 5952.
    """
    if address.version == 4:
        tail = address.packed
    else:
        from hashlib import sha256  # it takes milliseconds to load, and few need it

        tail = sha256(str(address).encode()).digest()[:4]
    return (_MAC_PREFIX + tail).hex(":")


def interface(address: IPAddress, prefix: int) -> IPInterface:
    """Return ``address`` with a prefix length."""
    if isinstance(address, IPv4Address):
        return IPv4Interface((int(address), prefix))
    return IPv6Interface((int(address), prefix))


def nth_address(subnet: IPNetwork, index: int) -> IPAddress | AddressError:
    """Return the subnet's base plus ``index``, or an error when that is outside the subnet.

    Text of the error: ovn-kubernetes, package ``generator/ip``.
    """
    if index < 0:
        raise ValueError(f"negative index {index}")
    if index < subnet.num_addresses:
        return subnet.network_address + index
    value = int(subnet.network_address) + index
    shown = str(type(subnet.network_address)(value)) if value < 1 << subnet.max_prefixlen else "beyond the last one"
    return AddressError(f"generated ip {shown} from the idx {index} is out of range in the network {subnet}")


@lru_cache(_KEPT)
def join_address(subnet: IPNetwork, node_id: int) -> IPInterface | AddressError:
    """Return the join address of a node's gateway router: base + node id, with the join subnet's prefix length."""
    address = nth_address(subnet, node_id)
    return address if isinstance(address, AddressError) else interface(address, subnet.prefixlen)


@lru_cache(_KEPT)
def transit_pair(subnet: IPNetwork, node_id: int) -> TransitPair | AddressError:
    """Return a node's pair in the transit subnet: router side base + 2 * id, gateway side the next address.

    No annotation records the pair: it follows from the node id (OKEP-5094, /31 and /127 pairs).
    """
    router = nth_address(subnet, 2 * node_id)
    gateway = nth_address(subnet, 2 * node_id + 1)
    if isinstance(router, AddressError):
        return router
    if isinstance(gateway, AddressError):
        return gateway
    prefix = subnet.max_prefixlen - 1
    return TransitPair(interface(router, prefix), interface(gateway, prefix))


def transit_holds(subnet: IPNetwork, max_node_id: int) -> bool:
    """Whether a transit subnet has a pair for every node id up to ``max_node_id``."""
    return subnet.num_addresses >= 2 * (max_node_id + 1)


def join_holds(subnet: IPNetwork, max_node_id: int) -> bool:
    """Whether a join subnet has an address for every node id up to ``max_node_id``."""
    return _size(subnet) > max_node_id


def masquerade_holds(subnet: IPNetwork, max_network_id: int) -> bool:
    """Whether a masquerade subnet has both addresses for every network id up to ``max_network_id``."""
    return _size(subnet) > _MASQUERADE_USER_BASE + 2 * max_network_id


def _size(subnet: IPNetwork) -> int:
    """Like ``num_addresses``, but twice as fast: every judgement calls this."""
    return int(1 << subnet.max_prefixlen - subnet.prefixlen)


def last_masquerade_id(subnet: IPNetwork) -> int:
    """Return the highest network id for which a masquerade subnet has both addresses; 0 if there is no such id."""
    return max((subnet.num_addresses - 1 - _MASQUERADE_USER_BASE) // 2, 0)


def masquerade_pair(subnet: IPNetwork, network_id: int) -> MasqueradePair | AddressError:
    """Return the masquerade addresses of network ``network_id``: base + 10 + 2n - 1 and base + 10 + 2n."""
    if network_id < 1:
        # the misspelt word is upstream's
        return AddressError("invalid argument: network ID should be bigger that 0")
    gateway = nth_address(subnet, _MASQUERADE_USER_BASE + 2 * network_id - 1)
    management = nth_address(subnet, _MASQUERADE_USER_BASE + 2 * network_id)
    if isinstance(gateway, AddressError):
        return gateway
    if isinstance(management, AddressError):
        return management
    return MasqueradePair(interface(gateway, subnet.prefixlen), interface(management, subnet.prefixlen))


def subnet_addresses(
    subnet: IPNetwork, gateways: Iterable[IPAddress] = (), infrastructure: Iterable[IPNetwork] = ()
) -> SubnetAddresses | AddressError:
    """Return gateway and management address of a Layer2 subnet.

    Gateway: the address of ``gateways`` (defaultGatewayIPs) inside the subnet, else the first free address of
    ``infrastructure`` (infrastructureSubnets) in it, else base + 1. Management port: the next free address of
    ``infrastructure``, else base + 2, or base + 1 when the gateway took base + 2.
    """
    chosen = next((ip for ip in gateways if ip in subnet), None)
    pool = [net for net in infrastructure if net.version == subnet.version and _inside(net, subnet)]
    if pool:
        free = _usable(subnet, pool)
        gateway = chosen if chosen is not None else next(free, None)
        management = next((ip for ip in free if ip != gateway), None)
    else:
        gateway = chosen if chosen is not None else next(_numbered(subnet, 1), None)
        management = next((ip for ip in _numbered(subnet, 2, 1) if ip != gateway), None)
    if gateway is None or management is None:
        where = ", ".join(str(net) for net in pool) or str(subnet)
        return AddressError(f"no free address for the gateway and the management port of {subnet} in {where}")
    return SubnetAddresses(interface(gateway, subnet.prefixlen), interface(management, subnet.prefixlen))


def switch_tunnel_key(network_id: int) -> int:
    """Return the datapath key of a network's Layer2 switch or transit switch, from the preserved block.

    Raises ValueError when the id is not between 0 and 4095.
    """
    if not 0 <= network_id <= MAX_NETWORK_ID:
        raise ValueError(f"network id {network_id} is not one of 0 to {MAX_NETWORK_ID}")
    return BASE_TUNNEL_KEY + network_id


def gateway_port_key(node_id: int) -> int:
    """Return the port key of the transit router's port towards a node's gateway router: 10 + node id."""
    return GATEWAY_PORT_KEY_BASE + node_id


def _inside(inner: IPNetwork, outer: IPNetwork) -> bool:
    first, last = int(outer.network_address), int(outer.broadcast_address)
    return first <= int(inner.network_address) and int(inner.broadcast_address) <= last


def _numbered(subnet: IPNetwork, *indices: int) -> Iterator[IPAddress]:
    """The subnet's addresses at these indices, if they exist; the IPv4 broadcast address is excluded."""
    end = subnet.num_addresses - (1 if subnet.version == 4 else 0)
    return (subnet.network_address + index for index in indices if index < end)


def _usable(subnet: IPNetwork, pool: Iterable[IPNetwork]) -> Iterator[IPAddress]:
    """Addresses of the pool in order, without the subnet's network and IPv4 broadcast address."""
    for net in pool:
        for index in range(net.num_addresses):
            address = net.network_address + index
            if address == subnet.network_address:
                continue
            if address.version == 4 and address == subnet.broadcast_address:
                continue
            yield address
