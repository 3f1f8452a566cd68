"""Selects the transit subnet of a primary Layer2 network.

OKEP-5094, "Transit subnet conflict", option 4: a network whose subnets overlap the cluster's transit subnet gets
another one, selected automatically and reported. Upstream tries at most ten subnets, upward in steps of the subnet's
size, and selects again at every rendering. This module keeps an earlier choice while it is valid, considers more
obstacles (nodes, gateway addresses, room for all node ids), and searches all private and unique local space. It skips
over sorted obstacles, so the work depends on their number, not on the size of the space.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from ipaddress import IPv4Network, IPv6Network
from typing import Final, NamedTuple

from ovnguard.validators.network.addresses.addressing import DEFAULT_TRANSIT_SUBNETS, MIN_NODE_ID, transit_holds
from ovnguard.validators.network.cluster.cluster_facts import ClusterFacts
from ovnguard.validators.network.model import IPNetwork, Network
from ovnguard.validators.network.transit.used_subnets import (
    TRANSIT,
    NetworkObstacles,
    Obstacle,
    first_of,
    last_of,
    overlap,
)

# RFC 1918, RFC 6598 (carrier-grade NAT, which contains the default) and RFC 4193.
PRIVATE_SPACE: Final[tuple[IPNetwork, ...]] = (
    IPv4Network("10.0.0.0/8"),
    IPv4Network("100.64.0.0/10"),
    IPv4Network("172.16.0.0/12"),
    IPv4Network("192.168.0.0/16"),
    IPv6Network("fc00::/7"),
)
# The number of obstacles in a text, and of rejected candidates in a selection.
_SHOWN: Final = 5


class Reason(StrEnum):
    """The reason for the selection; the reason of condition TransitSubnetAllocated."""

    DEFAULT_SELECTED = "DefaultSelected"
    ALTERNATIVE_SELECTED = "AlternativeSelected"
    KEPT = "Kept"


NO_FREE_TRANSIT_SUBNET: Final = "NoFreeTransitSubnet"


class Conflict(NamedTuple):
    """A rejected candidate, and the obstacle that it overlaps."""

    candidate: IPNetwork
    obstacle: Obstacle


class Selection(NamedTuple):
    """The transit subnets of a network, one of each family of its subnets, IPv4 first."""

    subnets: tuple[IPNetwork, ...]
    reason: Reason
    tried: tuple[Conflict, ...] = ()


class NoFreeTransitSubnet(NamedTuple):
    """No transit subnet is free; ``text`` names the obstacles."""

    text: str


class Fault(NamedTuple):
    """Why a transit subnet cannot serve a network."""

    subnet: IPNetwork
    text: str


def select_transit(
    network: Network, facts: ClusterFacts, recorded: Sequence[IPNetwork] = ()
) -> Selection | NoFreeTransitSubnet:
    """Return transit subnets for the families of ``network.subnets``; ``recorded`` is an earlier choice.

    A recorded subnet that is still valid stays. Otherwise the first free candidate is selected: the cluster's transit
    subnet (wider when it has no room for all node ids), then upward to the end of its private block, that block from
    its start, and the other blocks of private space in order. The result depends only on the input.
    """
    chosen: list[IPNetwork] = []
    tried: list[Conflict] = []
    default = kept = True
    for version in sorted({subnet.cidr.version for subnet in network.subnets}):
        around = NetworkObstacles(network, facts, version)
        earlier = next((net for net in recorded if net.version == version), None)
        if earlier is not None and _fault(earlier, around, facts) is None:
            chosen.append(earlier)
            default = False
            continue
        space = _Space.of(version, facts)
        free, conflicts = _search(space, around)
        if free is None:
            return NoFreeTransitSubnet(_none_free(space, around))
        chosen.append(free)
        tried += conflicts
        kept = False
        default = default and free in facts.transit_subnets
    reason = Reason.KEPT if kept else Reason.DEFAULT_SELECTED if default else Reason.ALTERNATIVE_SELECTED
    return Selection(tuple(chosen), reason, tuple(tried[:_SHOWN]))


def transit_faults(network: Network, facts: ClusterFacts, transit: Sequence[IPNetwork]) -> Iterator[Fault]:
    """Iterate over the faults of given transit subnets of ``network``, at most one per subnet."""
    for subnet in transit:
        fault = _fault(subnet, NetworkObstacles(network, facts, subnet.version), facts)
        if fault is not None:
            yield Fault(subnet, fault)


def is_private(subnet: IPNetwork) -> bool:
    """Whether a subnet is in private (RFC 1918, RFC 6598) or unique local space (RFC 4193)."""
    return _block_of(subnet) is not None


def room_fault(subnet: IPNetwork, max_node_id: int | None) -> str | None:
    """Return why a transit subnet has no room for every node id up to ``max_node_id``, or None.

    Without known nodes it needs room for the lowest id, which the first node gets.
    """
    if transit_holds(subnet, max_node_id or MIN_NODE_ID):
        return None
    if max_node_id is None:
        lowest = f"node ids start at {MIN_NODE_ID} and need {2 * (MIN_NODE_ID + 1)}"
        return f'{TRANSIT} "{subnet}" has {subnet.num_addresses} addresses, {lowest}'
    need = 2 * (max_node_id + 1)
    return f'{TRANSIT} "{subnet}" has {subnet.num_addresses} addresses, node ids up to {max_node_id} need {need}'


def _fault(subnet: IPNetwork, around: NetworkObstacles, facts: ClusterFacts) -> str | None:
    obstacle = around.first(subnet)
    if obstacle is not None:
        return (
            "pod or join subnet overlaps with already configured internal subnets: "
            f'{TRANSIT} "{subnet}" overlaps {obstacle}'
        )
    if not is_private(subnet):
        space = " or ".join(str(block) for block in PRIVATE_SPACE if block.version == subnet.version)
        return f'{TRANSIT} "{subnet}" must lie in {space}'
    return room_fault(subnet, facts.max_node_id)


class _Space(NamedTuple):
    """The search space: the first candidate, and the prefix length of the next ones."""

    first: IPNetwork
    prefixlen: int

    @classmethod
    def of(cls, version: int, facts: ClusterFacts) -> "_Space":
        """Start at the cluster's transit subnet, or at the built-in one when the cluster's is not private.

        Subnets that are too small for all node ids are widened; those wider than the built-in one are not tried twice.
        """
        built_in = next(net for net in DEFAULT_TRANSIT_SUBNETS if net.version == version)
        subnet = next(net for net in facts.transit_subnets if net.version == version)
        first = _with_room(subnet if is_private(subnet) else built_in, facts.max_node_id)
        return cls(first, max(first.prefixlen, _with_room(built_in, facts.max_node_id).prefixlen))

    def candidates(self, taken: NetworkObstacles) -> Iterator[IPNetwork]:
        """Iterate over candidates in order of preference, without those that ``taken`` covers."""
        yield self.first
        home = _block_of(self.first)
        blocks = [block for block in PRIVATE_SPACE if block.version == self.first.version]
        starts = [(block, first_of(self.first)) for block in blocks if block == home]
        starts += [(block, first_of(block)) for block in sorted(blocks, key=lambda block: block != home)]
        for block, start in starts:
            candidate = start
            while block.prefixlen <= self.prefixlen and candidate <= last_of(block):
                net = _at(block, candidate, self.prefixlen)
                yield net
                candidate = (max(taken.end_around(net), last_of(net)) // net.num_addresses + 1) * net.num_addresses


def _with_room(subnet: IPNetwork, max_node_id: int | None) -> IPNetwork:
    while not transit_holds(subnet, max_node_id or MIN_NODE_ID):
        subnet = subnet.supernet()
    return subnet


def _search(space: _Space, taken: NetworkObstacles) -> tuple[IPNetwork | None, list[Conflict]]:
    """The first free candidate, and the first few rejected ones with their obstacles."""
    tried: list[Conflict] = []
    for candidate in space.candidates(taken):
        obstacle = taken.meets(candidate)
        if obstacle is None:
            return candidate, tried
        if len(tried) < _SHOWN and candidate not in (each.candidate for each in tried):
            tried.append(Conflict(candidate, obstacle))
    return None, tried


def _none_free(space: _Space, around: NetworkObstacles) -> str:
    """The searched blocks, and the widest obstacles in them."""
    blocks = [block for block in PRIVATE_SPACE if block.version == space.first.version]
    inside = [each for each in around.apart() if any(overlap(each.subnet, block) for block in blocks)]
    widest = sorted(inside, key=lambda each: each.subnet.prefixlen)
    named = ", ".join(str(each) for each in widest[:_SHOWN])
    more = f" and {len(widest) - _SHOWN} more" if len(widest) > _SHOWN else ""
    where = ", ".join(str(block) for block in blocks)
    return f"can't generate transit subnets: no free /{space.prefixlen} in {where}; in use: {named}{more}"


def _block_of(subnet: IPNetwork) -> IPNetwork | None:
    return next(
        (
            block
            for block in PRIVATE_SPACE
            if block.version == subnet.version
            and first_of(block) <= first_of(subnet)
            and last_of(subnet) <= last_of(block)
        ),
        None,
    )


def _at(like: IPNetwork, address: int, prefixlen: int) -> IPNetwork:
    if isinstance(like, IPv4Network):
        return IPv4Network((address, prefixlen))
    return IPv6Network((address, prefixlen))
