"""Source NAT of advertised networks, whose pods keep their addresses outside: only nodes do not know the way to them.

Source: ovn-kubernetes ``pkg/ovn/base_network_controller_user_defined.go`` (``buildUDNEgressSNAT``) and
``gateway.go`` (``GetNetworkScopedClusterSubnetSNATMatch``).
"""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.topology.address_sets import NODE_IPS, SERVICES
from ovnguard.reconciler.plan.topology.common_rows import Scope, match_name
from ovnguard.validators.network.model import Network, Transport

# Makes the source NAT of a subnet's packets to one port, of those that match or are in the scope; see `Owned.snat`.
Snat: TypeAlias = Callable[..., Row]


def to_nodes(version: int) -> str:
    """Return the match of packets to any node."""
    return f"{match_name(version)}.dst == ${NODE_IPS.at(version)}"


def outbound_match(network: Network, settings: Settings, version: int, match: str = "") -> str:
    """Return which packets to the node's bridge get an address of the gateway router: of those that ``match``, all, or
    if the network is advertised those to nodes.
    """
    routed = to_nodes(version) if settings.is_routed(network) else ""
    return " && ".join(filter(None, (match, routed)))


def towards_node(
    snat: Snat, network: Network, settings: Settings, mac: str, version: int, *, local: bool
) -> Iterator[Row]:
    """Iterate over the source NAT of packets to the node's own port with this MAC, where pod addresses may overlap.

    In ``local`` mode, packets to the outside pass this port, too.
    """
    own, sets = f"eth.dst == {mac}", (NODE_IPS, SERVICES)
    routed = settings.is_routed(network)
    if routed and local:
        where = " || ".join(f"{match_name(version)}.dst == ${each.at(version)}" for each in sets)
        yield snat(match=f"{own} && ({where})")
        return
    for each in sets if routed else ():
        yield snat(scope=Scope(allowed=(each.row(version),)))
    if network.transport is not Transport.NO_OVERLAY:
        # upstream keeps this row when a network becomes advertised; in shared mode it translates nothing else
        yield snat(match=own)
