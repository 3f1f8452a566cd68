"""Multicast, where ovnkube runs with enable-multicast: switches snoop and ask, and no pod sends or receives any.

The cluster router relays between the nodes. OVN drops all multicast of pods on the switches of primary networks, except
at the ports towards routers. OVN-Kubernetes permits it inside a namespace with an annotation; no plan contains that.

Source: ovn-kubernetes ``base_network_controller_multicast.go`` and ``base_network_controller.go``.
"""

from collections.abc import Sequence
from ipaddress import IPv6Address
from typing import Final

from ovnguard.reconciler.plan.numbers.layer3_addresses import Share
from ovnguard.reconciler.plan.rows.names import Names
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.topology.acls import DIRECTIONS, FROM, PORTS, Acl
from ovnguard.reconciler.plan.topology.common_rows import owner_ids
from ovnguard.reconciler.plan.topology.database_ids import database_ids
from ovnguard.validators.network.addresses.addressing import mac_of
from ovnguard.validators.network.model import Network

_OWNER_TYPE: Final = "MulticastCluster"
_ALLOW: Final = 1012
_DENY: Final = 1011
_TIER: Final = 2
# IPv6 groups that are not assigned for good have the bit T (RFC 3307, 4.3); the others carry neighbour discovery.
_PACKETS: Final = "(ip4.mcast || mldv1 || mldv2 || (ip6.dst[120..127] == 0xff && ip6.dst[116] == 1))"
_LINK_LOCAL: Final = 0xFE80 << 112


def querier_config(shares: Sequence[Share]) -> dict[str, str]:
    """Return the options by which a node's switch asks its pods for their groups, as the pods' gateway."""
    gateways = {share.version: share.gateway.ip for share in shares}
    mac = mac_of(shares[0].gateway.ip)
    config = {"mcast_snoop": "true", "mcast_querier": "true", "mcast_eth_src": mac}
    if 4 in gateways:
        config["mcast_ip4_src"] = str(gateways[4])
    if 6 in gateways:
        config["mcast_ip6_src"] = str(_link_local(mac))
    return config


def _link_local(mac: str) -> IPv6Address:
    """The address of RFC 4291, appendix A."""
    octets = bytes.fromhex(mac.replace(":", ""))
    return IPv6Address(_LINK_LOCAL | int.from_bytes((octets[0] ^ 2, *octets[1:3], 0xFF, 0xFE, *octets[3:])))


def deny_acls(network: Network) -> tuple[Row, ...]:
    """Return the ACLs that drop multicast from and to all ports of a switch."""
    return tuple(_acl(network, "DefaultDeny", each, _DENY, _PACKETS, "drop") for each in DIRECTIONS)


def relay_acls(network: Network, group: str) -> tuple[Row, ...]:
    """Return the ACLs that let multicast pass the ports towards routers, which are in ``group``."""
    return tuple(
        _acl(network, "AllowInterNode", each, _ALLOW, f"{PORTS[each]} == @{group} && {_PACKETS}", "allow")
        for each in DIRECTIONS
    )


def _acl(network: Network, kind: str, direction: str, priority: int, match: str, action: str) -> Row:
    parts = {"type": kind, "direction": DIRECTIONS[direction]}
    ids = database_ids(Names(network.name).controller, _OWNER_TYPE, parts)
    acl = Acl(direction, priority, match, action, _TIER, after_lb=direction == FROM)
    return acl.row(ids | owner_ids(network))
