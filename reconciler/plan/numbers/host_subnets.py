"""Host subnets: each node's part of a Layer3 network.

Source: ovn-kubernetes ``pkg/clustermanager/node/subnet_allocator.go``; annotation ``k8s.ovn.org/node-subnets``.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ovnguard.reconciler.plan.numbers.families import FAMILY
from ovnguard.reconciler.plan.numbers.layer3_addresses import gives
from ovnguard.reconciler.plan.rows.model import Remark
from ovnguard.validators.network.declared.node import Node, ParsedNode
from ovnguard.validators.network.list_text import shortlist
from ovnguard.validators.network.model import IPNetwork, Network, Subnet, Topology


@dataclass(frozen=True, slots=True)
class Shares:
    """Subnets of one network by node name, recorded ones included, and errors for nodes without one."""

    subnets: Mapping[str, tuple[IPNetwork, ...]] = field(hash=False)
    errors: tuple[Remark, ...] = ()


def host_subnets(network: Network, nodes: Sequence[Node], wanted: Container[str] | None = None) -> Shares:
    """Return one subnet of each family of the network for every node, given in order of creation.

    Recorded subnets are kept while they fit the network; of two nodes with one subnet the later one gets another. A
    node that cannot get a subnet of every family gets no new one, and neither does one whose name is not ``wanted``.
    """
    held: set[IPNetwork] = set()
    kept: dict[str, dict[int, IPNetwork]] = {}
    for node in nodes:
        for recorded in node.host_subnets.get(network.name, ()):
            mine = kept.setdefault(node.name, {})
            if recorded not in held and recorded.version not in mine and gives(network.subnets, recorded):
                held.add(recorded)
                mine[recorded.version] = recorded
    free = {version: _Free(network, version, held) for version in _versions(network)}
    errors = []
    for node in nodes if wanted is None else (each for each in nodes if each.name in wanted):
        mine = kept.setdefault(node.name, {})
        lacking = [version for version in free if version not in mine]
        found = {version: free[version].first() for version in lacking}
        missing = next((version for version, subnet in found.items() if subnet is None), None)
        if missing is None:
            new = {version: subnet for version, subnet in found.items() if subnet is not None}
            held.update(new.values())
            mine.update(new)
        else:
            errors.append(Remark(free[missing].exhausted, network.name, node.name))
    shares = {name: tuple(mine[version] for version in sorted(mine)) for name, mine in kept.items() if mine}
    return Shares(shares, tuple(errors))


@dataclass(frozen=True, slots=True)
class Predicted:
    """Nodes with the subnets that a cluster would allocate next, and errors.

    ``guessed`` are these subnets by network and node; a note says that they are a guess.
    """

    nodes: tuple[ParsedNode, ...]
    guessed: Mapping[str, Mapping[str, tuple[IPNetwork, ...]]] = field(default_factory=dict, hash=False)
    errors: tuple[Remark, ...] = ()

    @property
    def notes(self) -> tuple[Remark, ...]:
        """One note about all guesses."""
        text = "are a guess, the next free ones; OVN-Kubernetes may allocate others"
        return (Remark(f"host subnets of {shortlist(self.guessed)} {text}"),) if self.guessed else ()


def with_host_subnets(nodes: Sequence[ParsedNode], networks: Iterable[Network]) -> Predicted:
    """Return ``nodes`` with subnets of those ``networks`` that are of Layer3 topology; recorded ones stay."""
    found = list(nodes)
    guessed: dict[str, dict[str, tuple[IPNetwork, ...]]] = {}
    errors: list[Remark] = []
    for network in networks:
        if network.topology is not Topology.LAYER3 or not network.subnets:
            continue
        shares = host_subnets(network, [each.node for each in found if each.node is not None])
        errors += shares.errors
        for index, each in enumerate(found):
            subnets = shares.subnets.get(each.node.name, ()) if each.node is not None else ()
            recorded = each.node.host_subnets.get(network.name, ()) if each.node is not None else ()
            if each.node is not None and subnets and subnets != recorded:
                node = each.node._replace(host_subnets={**each.node.host_subnets, network.name: subnets})
                found[index] = each._replace(node=node)
                new = tuple(subnet for subnet in subnets if subnet not in recorded)
                guessed.setdefault(network.name, {})[node.name] = new
    return Predicted(tuple(found), guessed, tuple(errors))


def _versions(network: Network) -> list[int]:
    return sorted({subnet.cidr.version for subnet in network.subnets})


class _Free:
    """Free subnets of one family, in order; a used subnet does not become free again during allocation."""

    def __init__(self, network: Network, version: int, held: set[IPNetwork]) -> None:
        self._subnets = [each for each in network.subnets if each.cidr.version == version]
        self._held = held
        self._candidates = self._all()
        self._next: IPNetwork | None = None
        self._version = version

    def first(self) -> IPNetwork | None:
        """The first free subnet, or None; it stays free until it is marked as used."""
        while self._next is None or self._next in self._held:
            self._next = next(self._candidates, None)
            if self._next is None:
                return None
        return self._next

    @property
    def exhausted(self) -> str:
        """The error when no subnet is free."""
        count = sum(1 << (_length(each) - each.cidr.prefixlen) for each in self._subnets)
        where = ", ".join(f"{each.cidr} (length {_length(each)})" for each in self._subnets)
        return f"no {FAMILY[self._version]} subnet left for the node: all {count} of {where} are in use"

    def _all(self) -> Iterator[IPNetwork]:
        for each in self._subnets:
            yield from each.cidr.subnets(new_prefix=_length(each))


def _length(subnet: Subnet) -> int:
    return subnet.host_prefix or subnet.cidr.prefixlen
