"""An index of the subnets in use and their users.

A cluster has thousands of host networks, and every Layer2 network checks them, so they are sorted once.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from ovnguard.validators.lazy_pattern import lazy_pattern
from ovnguard.validators.network.cluster.cluster_facts import ClusterFacts, host_networks, host_route
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import IPNetwork, Network

CLUSTER: Final = "cluster subnet"
SERVICE: Final = "service subnet"
HYBRID: Final = "hybrid overlay subnet"
JOIN: Final = "built-in join subnet"
MASQUERADE: Final = "masquerade subnet"
TRANSIT: Final = "transit switch subnet"
USER: Final = "user defined subnet"
USER_JOIN: Final = "user defined join subnet"
GATEWAY: Final = "default gateway IP"
HOST: Final = "host network of node"
OTHER_HOST: Final = "the host network of 1 node"
"""The text for tenants that replaces `HOST`, the node's name and its subnet."""


class Obstacle(NamedTuple):
    """A subnet in use, and its user."""

    kind: str
    subnet: IPNetwork

    def __str__(self) -> str:
        return f'{self.kind} "{self.subnet}"'


def without_hosts(text: str) -> str:
    """Return a text about obstacles without names and subnets of nodes; empty if it contains none."""
    found = _HOSTS.sub(OTHER_HOST, text)
    return "" if found == text else found


_HOSTS: Final = lazy_pattern(rf'{HOST} \S+ "[^"]*"')


def overlap(one: IPNetwork, other: IPNetwork) -> bool:
    """Whether two subnets share an address; subnets of different families never do."""
    if one.version != other.version:
        return False
    # one contains the other, so both agree in the shorter prefix
    shift = one.max_prefixlen - min(one.prefixlen, other.prefixlen)
    return int(one.network_address) >> shift == int(other.network_address) >> shift


class NetworkObstacles:
    """The obstacles of one IP family around a network."""

    def __init__(self, network: Network, facts: ClusterFacts, version: int) -> None:
        hosts = _hosts_of(facts)
        self._near = [each for each in _near(network, facts) if each.subnet.version == version]
        self._hosts = hosts.listed[version]
        self._taken_by_hosts = hosts.taken[version]
        self._taken_near: Taken | None = None

    def first(self, net: IPNetwork) -> Obstacle | None:
        """Return the first obstacle in upstream's order that overlaps ``net``."""
        found = next((each for each in self._near if overlap(net, each.subnet)), None)
        if found is not None or self._taken_by_hosts.meets(net) is None:
            return found
        return next(each for each in self._hosts if overlap(net, each.subnet))

    def meets(self, net: IPNetwork) -> Obstacle | None:
        """Return the obstacle with the lowest address that overlaps ``net``, the widest of several."""
        if self._taken_near is None:
            self._taken_near = Taken(self._near)
        both = (self._taken_near.meets(net), self._taken_by_hosts.meets(net))
        found = [each for each in both if each is not None]
        return min(found, key=lambda each: (first_of(each.subnet), each.subnet.prefixlen), default=None)

    def end_around(self, net: IPNetwork) -> int:
        """Return the last address of the obstacle that `meets` returns, or -1."""
        obstacle = self.meets(net)
        return -1 if obstacle is None else last_of(obstacle.subnet)

    def apart(self) -> list[Obstacle]:
        """Return the obstacles that no other obstacle covers, in ascending order."""
        return Taken([*self._near, *self._hosts]).obstacles


class Taken:
    """Obstacles as disjoint intervals in ascending order."""

    def __init__(self, obstacles: Iterable[Obstacle]) -> None:
        self._lasts: list[int] = []
        self._firsts: list[int] = []
        self.obstacles: list[Obstacle] = []
        for obstacle in sorted(obstacles, key=lambda each: (first_of(each.subnet), each.subnet.prefixlen)):
            first, last = first_of(obstacle.subnet), last_of(obstacle.subnet)
            if self._lasts and first <= self._lasts[-1]:
                # subnets are nested or disjoint, so the one that starts first, or is wider, covers the other
                continue
            self._firsts.append(first)
            self._lasts.append(last)
            self.obstacles.append(obstacle)

    def meets(self, net: IPNetwork) -> Obstacle | None:
        """The first obstacle that overlaps ``net``."""
        index = bisect_left(self._lasts, first_of(net))
        if index < len(self._lasts) and self._firsts[index] <= last_of(net):
            return self.obstacles[index]
        return None


class _Hosts:
    """The host networks of some nodes, by IP family."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes: Final = nodes
        self.listed: Final[dict[int, list[Obstacle]]] = {4: [], 6: []}
        for name, net in host_networks(nodes):
            self.listed[net.version].append(Obstacle(f"{HOST} {name}", net))
        self.taken: Final = {version: Taken(listed) for version, listed in self.listed.items()}


# Consecutive judgements concern the same cluster: the latest nodes are cached.
_KEPT: Final = [_Hosts(())]


def _hosts_of(facts: ClusterFacts) -> _Hosts:
    nodes, kept = facts.nodes or (), _KEPT[0]
    if kept.nodes is not nodes:
        kept = _KEPT[0] = _Hosts(nodes)
    return kept


def _near(network: Network, facts: ClusterFacts) -> Iterator[Obstacle]:
    yield from (Obstacle(CLUSTER, net) for net in facts.cluster_subnets or ())
    yield from (Obstacle(SERVICE, net) for net in facts.service_subnets or ())
    yield from (Obstacle(HYBRID, net) for net in facts.hybrid_subnets)
    yield from (Obstacle(JOIN, net) for net in facts.join_subnets)
    yield from (Obstacle(MASQUERADE, net) for net in facts.masquerade_subnets)
    yield from (Obstacle(USER, subnet.cidr) for subnet in network.subnets)
    yield from (Obstacle(USER_JOIN, net) for net in network.join_subnets)
    yield from (Obstacle(GATEWAY, host_route(ip)) for ip in network.default_gateway_ips)


def first_of(net: IPNetwork) -> int:
    """Return the first address of a subnet as a number."""
    return int(net.network_address)


def last_of(net: IPNetwork) -> int:
    """Return the last address of a subnet as a number."""
    return int(net.network_address) | (1 << (net.max_prefixlen - net.prefixlen)) - 1
