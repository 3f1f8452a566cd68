"""What BGP must bring to a node: the sessions of its frr.conf, and the pod subnets of the other nodes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final

from ovnguard.reconciler.plan.bgp.config_lines import Line, lines_of
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import IPAddress, IPNetwork, Network, Topology, Transport

DEFAULT_VRF: Final = "default"
"""The name that FRR prints for the VRF without a name."""
_MAKES: Final = frozenset(("remote-as", "interface", "peer-group"))


@dataclass(frozen=True, slots=True)
class Session:
    """A configured session: the peer's address, or the interface of an unnumbered one, in a VRF."""

    peer: str
    vrf: str = DEFAULT_VRF

    def __str__(self) -> str:
        """Return how messages name it."""
        return self.peer if self.vrf == DEFAULT_VRF else f"{self.peer} in VRF {self.vrf}"


@dataclass(frozen=True, slots=True)
class WantedRoute:
    """A pod subnet of another node; ``addresses`` are that node's, of the same family."""

    network: str
    prefix: IPNetwork
    node: str
    addresses: tuple[IPAddress, ...]


def wanted_sessions(conf: str) -> tuple[Session, ...]:
    """Return the sessions that a frr.conf configures, in its order. Raises ValueError for a far too long text."""
    return tuple(dict.fromkeys(_sessions(lines_of(conf))))


def wanted_routes(networks: Sequence[Network], nodes: Sequence[Node], node: str) -> tuple[WantedRoute, ...]:
    """Return what ``node`` must learn: the subnets of all other nodes in every Layer3 network without an overlay.

    Subnets are those recorded on Nodes that lie in the network's. Source: enhancement "no-overlay mode".
    """
    routed = [each for each in networks if each.transport is Transport.NO_OVERLAY and each.topology is Topology.LAYER3]
    return tuple(
        WantedRoute(network.name, share, other.name, _addresses(other, share.version))
        for network in routed
        for other in sorted(nodes, key=lambda each: each.name)
        if other.name != node
        for share in dict.fromkeys(other.host_subnets.get(network.name, ()))
        if any(share.version == each.cidr.version and share.network_address in each.cidr for each in network.subnets)
    )


def _sessions(lines: Sequence[Line]) -> Iterator[Session]:
    for line in lines:
        words = line.text.split()
        if len(line.context) != 1 or words[0] != "neighbor" or words[2:3] == [] or words[2] not in _MAKES:
            continue
        router = line.context[0].split()
        is_peer = words[2] == "interface" or _is_address(words[1])
        if is_peer and router[:2] == ["router", "bgp"]:
            yield Session(words[1], router[4] if router[3:4] == ["vrf"] and len(router) > 4 else DEFAULT_VRF)


def _addresses(node: Node, version: int) -> tuple[IPAddress, ...]:
    return tuple(each for each in node.internal_ips if each.version == version)


def _is_address(text: str) -> bool:
    """Whether a neighbour is a single peer, not a group."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
