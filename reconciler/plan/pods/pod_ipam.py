"""Places of pods of which nothing is recorded, where nobody else gives them out: in manifests there is no cluster
manager.

What is recorded stays: first what pods' annotations say, then what an earlier plan wrote into rows. The other pods
follow in order of creation. So the same input gives the same places, and a pod more or less moves nobody.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from reconciler.plan.allocation.pod_addresses import Places, PodPlace, Pool, layer2_pools, layer3_pools
from reconciler.plan.live_allocations import Held, HeldPort
from reconciler.plan.members import counted
from reconciler.plan.model import PodPort, Remark
from reconciler.plan.names import pod_port
from reconciler.plan.pods.pod_attachments import Wish
from reconciler.plan.pods.pod_objects import Pods
from reconciler.plan.topology.pod_ports import is_shared
from validators.network.addresses.addressing import AddressError, interface
from validators.network.cluster.pod_index import POD_NETWORKS
from validators.network.declared.node import NODE_SUBNETS, Node
from validators.network.model import Network, Topology

# How many places a note names.
_NAMED: Final = 3
_NOTHING: Final = Held()


@dataclass(frozen=True, slots=True)
class Placement:
    """Ports of all pods by network in order of creation, and what is to be said about those that were given places."""

    ports: Mapping[str, tuple[PodPort, ...]] = field(hash=False)
    notes: tuple[Remark, ...] = ()
    errors: tuple[Remark, ...] = ()


def place_pods(
    pods: Pods,
    wishes: Mapping[str, Sequence[Wish]],
    networks: Sequence[Network],
    nodes: Sequence[Node],
    held: Mapping[str, Held],
) -> Placement:
    """Return the recorded ports of ``pods`` and those of ``wishes``, which are by network and in order of creation.

    ``held`` is what live rows hold. A pod that no place is left for is an error with the numbers.
    """
    ports = dict(pods.ports)
    notes: list[Remark] = []
    errors: list[Remark] = []
    for network in networks:
        wanted = wishes.get(network.name, ())
        if not wanted:
            continue
        recorded = ports.get(network.name, ())
        placer = _Placer(network, nodes, recorded, held.get(network.name, _NOTHING))
        given = tuple(placer.given(wanted))
        # what is recorded comes first: of two pods with one address the one that was given it must be the loser
        ports[network.name] = (*recorded, *given)
        notes += [*_told(network, given), *counted(placer.notes)]
        errors += placer.errors
    return Placement(ports, tuple(notes), tuple(errors))


class _Placer:
    """Gives places in one network."""

    def __init__(self, network: Network, nodes: Sequence[Node], recorded: Sequence[PodPort], held: Held) -> None:
        self.notes: list[Remark] = []
        self.errors: list[Remark] = []
        self._network = network
        self._nodes = {node.name: node for node in nodes}
        self._held = held.ports
        self._recorded = recorded
        self._switches: dict[str, Places | AddressError | None] = {}

    def given(self, wishes: Sequence[Wish]) -> Iterator[PodPort]:
        """Iterate over the ports of ``wishes``, in this order; what cannot be given is a note or an error."""
        kept = {wish: held for wish in wishes if (held := self._kept(wish)) is not None}
        for wish in wishes:
            place: PodPlace | AddressError | None = kept.get(wish) or self._new(wish)
            if isinstance(place, AddressError):
                self.errors.append(Remark(place.text, self._network.name, wish.pod.node, wish.pod.title))
            elif place is None:
                missing = NODE_SUBNETS if self._network.subnets else POD_NETWORKS
                text = f"no address is given to the pod, which waits for {missing}"
                self.notes.append(Remark(text, self._network.name, wish.pod.node, wish.pod.title))
            else:
                yield _port(self._network, wish, place)

    def _kept(self, wish: Wish) -> PodPlace | None:
        """The place that the pod's port holds, if it is still one of this switch's and nobody's."""
        switch = self._switch(wish.pod.node)
        port = self._held.get(pod_port(wish.attachment, wish.pod.namespace, wish.pod.name))
        if port is None or not isinstance(switch, Places):
            return None
        place = _place(port)
        if not switch.fits(place) or not {*wish.wanted} <= {*port.addresses}:
            return None
        switch.hold(place)
        return place

    def _new(self, wish: Wish) -> PodPlace | AddressError | None:
        switch = self._switch(wish.pod.node)
        return switch.give(wish.wanted) if isinstance(switch, Places) else switch

    def _switch(self, node: str) -> Places | AddressError | None:
        """The places of the switch that pods of a node are on, why there are none, or None while nobody knows them."""
        where = node if self._network.topology is Topology.LAYER3 else ""
        if where not in self._switches:
            self._switches[where] = self._places(node)
        return self._switches[where]

    def _places(self, node: str) -> Places | AddressError | None:
        network = self._network
        pools: tuple[Pool, ...] | AddressError = ()
        if network.topology is not Topology.LAYER3:
            pools = layer2_pools(network)
        elif node in self._nodes:
            pools = layer3_pools(network, self._nodes[node].host_subnets.get(network.name, ()))
        if isinstance(pools, AddressError) or not pools:
            return pools if isinstance(pools, AddressError) else None
        places = Places(pools, self._others_keys() if is_shared(network) else None)
        for port in self._recorded:
            places.hold(_place(HeldPort(port.mac, port.addresses, port.key)))
        return places

    def _others_keys(self) -> Collection[int]:
        """Keys of gateway routers in the topology before transit routers, also of nodes that moved on since."""
        keys = (node.router_port_keys.get(self._network.name) for node in self._nodes.values())
        return [key for key in keys if key is not None]


def _place(port: HeldPort) -> PodPlace:
    return PodPlace(tuple(interface(each, each.max_prefixlen) for each in port.addresses), port.mac, port.key)


def _port(network: Network, wish: Wish, place: PodPlace) -> PodPort:
    pod, addresses = wish.pod, tuple(each.ip for each in place.addresses)
    return PodPort(
        network.name, wish.attachment, pod.namespace, pod.name, pod.uid, pod.node, place.mac, addresses, place.key
    )


def _told(network: Network, given: Sequence[PodPort]) -> list[Remark]:
    """Which places were given, so that nobody takes them for recorded."""
    if not given:
        return []
    named = "; ".join(f"{port.title} {' '.join(map(str, port.addresses))}" for port in given[:_NAMED])
    more = f"; and {len(given) - _NAMED} more" if len(given) > _NAMED else ""
    return [Remark(f"addresses are given to pods that record none: {named}{more}", network.name)]
