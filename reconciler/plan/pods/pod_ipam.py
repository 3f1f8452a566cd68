"""Addresses for pods that record none: manifests have no cluster manager that allocates them.

Existing addresses are kept: first those in pods' annotations, then those that an earlier plan wrote into rows. The
other pods follow in order of creation. The same input therefore gives the same addresses, and adding or removing a pod
moves no other pod."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ovnguard.reconciler.plan.inputs.plannable_nodes import counted
from ovnguard.reconciler.plan.numbers.live_allocations import LiveAllocation, LivePort
from ovnguard.reconciler.plan.numbers.pod_addresses import (
    PodAddresses,
    Pool,
    SwitchAddresses,
    layer2_pools,
    layer3_pools,
)
from ovnguard.reconciler.plan.pods.pod_attachments import DesiredAttachment
from ovnguard.reconciler.plan.pods.pod_objects import Pods
from ovnguard.reconciler.plan.rows.model import PodPort, Remark
from ovnguard.reconciler.plan.rows.names import pod_port
from ovnguard.reconciler.plan.topology.pod_ports import is_shared
from ovnguard.validators.network.addresses.addressing import AddressError, interface
from ovnguard.validators.network.cluster.pod_index import POD_NETWORKS
from ovnguard.validators.network.declared.node import NODE_SUBNETS, Node
from ovnguard.validators.network.model import Network, Role, Topology

# The maximum number of addresses that a note names.
_NAMED: Final = 3
_NOTHING: Final = LiveAllocation()


@dataclass(frozen=True, slots=True)
class Placement:
    """Ports of all pods by network in order of creation, with remarks about allocated addresses."""

    ports: Mapping[str, tuple[PodPort, ...]] = field(hash=False)
    notes: tuple[Remark, ...] = ()
    errors: tuple[Remark, ...] = ()


def place_pods(
    pods: Pods,
    desired: Mapping[str, Sequence[DesiredAttachment]],
    networks: Sequence[Network],
    nodes: Sequence[Node],
    held: Mapping[str, LiveAllocation],
) -> Placement:
    """Return the recorded ports of ``pods`` and new ports for ``desired``, by network and in order of creation.

    ``held`` is what live rows contain. A pod that gets no address is an error with the numbers.
    """
    ports = dict(pods.ports)
    notes: list[Remark] = []
    errors: list[Remark] = []
    for network in networks:
        wanted = desired.get(network.name, ())
        if not wanted:
            continue
        recorded = ports.get(network.name, ())
        allocator = _PodAllocator(network, nodes, recorded, held.get(network.name, _NOTHING))
        allocated = tuple(allocator.ports(wanted))
        # recorded ports come first: of two pods with one address, the allocated one must lose
        ports[network.name] = (*recorded, *allocated)
        notes += [*_allocation_note(network, allocated), *counted(allocator.notes)]
        errors += allocator.errors
    return Placement(ports, tuple(notes), tuple(errors))


class _PodAllocator:
    """Allocates addresses in one network."""

    def __init__(
        self, network: Network, nodes: Sequence[Node], recorded: Sequence[PodPort], held: LiveAllocation
    ) -> None:
        self.notes: list[Remark] = []
        self.errors: list[Remark] = []
        self._network = network
        self._nodes = {node.name: node for node in nodes}
        self._held = held.ports
        self._recorded = recorded
        self._switches: dict[str, SwitchAddresses | AddressError | None] = {}

    def ports(self, desired: Sequence[DesiredAttachment]) -> Iterator[PodPort]:
        """Iterate over the ports of ``desired``, in this order; a pod without an address is a note or an error."""
        kept = {each: held for each in desired if (held := self._kept(each)) is not None}
        for each in desired:
            found: PodAddresses | AddressError | None = kept.get(each) or self._new(each)
            if isinstance(found, AddressError):
                self.errors.append(Remark(found.text, self._network.name, each.pod.node, each.pod.title))
            elif found is None:
                missing = NODE_SUBNETS if self._network.subnets else POD_NETWORKS
                text = f"the pod has no address yet: it waits for {missing}"
                self.notes.append(Remark(text, self._network.name, each.pod.node, each.pod.title))
            else:
                yield _port(self._network, each, found)

    def _kept(self, desired: DesiredAttachment) -> PodAddresses | None:
        """The addresses of the pod's port, if the switch still has them and no other pod uses them."""
        switch = self._switch(desired.pod.node)
        port = self._held.get(pod_port(desired.attachment, desired.pod.namespace, desired.pod.name))
        if port is None or not isinstance(switch, SwitchAddresses):
            return None
        found = _pod_addresses(port)
        if not switch.fits(found) or not {*desired.wanted} <= {*port.addresses}:
            return None
        switch.hold(found)
        return found

    def _new(self, desired: DesiredAttachment) -> PodAddresses | AddressError | None:
        refusal = _refusal(self._network, desired)
        if refusal:
            return AddressError(refusal)
        switch = self._switch(desired.pod.node)
        if isinstance(switch, SwitchAddresses):
            # without subnets, pods have the addresses that they request, and only a MAC if they request none
            known = self._network.subnets or desired.wanted or desired.mac
            return switch.give(desired.wanted, desired.mac) if known else None
        return switch

    def _switch(self, node: str) -> SwitchAddresses | AddressError | None:
        """The addresses of the switch that pods of a node are on, the reason why it has none, or None while unknown."""
        where = node if self._network.topology is Topology.LAYER3 else ""
        if where not in self._switches:
            self._switches[where] = self._addresses(node)
        return self._switches[where]

    def _addresses(self, node: str) -> SwitchAddresses | AddressError | None:
        network = self._network
        pools: tuple[Pool, ...] | AddressError = ()
        if network.topology is not Topology.LAYER3:
            pools = layer2_pools(network)
        elif node in self._nodes:
            pools = layer3_pools(network, self._nodes[node])
        if isinstance(pools, AddressError):
            return pools
        if network.subnets and not pools:
            return None
        addresses = SwitchAddresses(pools, self._others_keys() if is_shared(network) else None)
        for port in self._recorded:
            addresses.hold(_pod_addresses(LivePort(port.mac, port.addresses, port.key)))
        return addresses

    def _others_keys(self) -> Collection[int]:
        """Keys of gateway routers in the topology before transit routers, also of nodes that moved on since."""
        keys = (node.router_port_keys.get(self._network.name) for node in self._nodes.values())
        return [key for key in keys if key is not None]


def _refusal(network: Network, desired: DesiredAttachment) -> str:
    """Why OVN-Kubernetes does not give a pod the addresses that it requests, or ''. Texts: ovn-kubernetes."""
    asked, subnets = desired.wanted, network.subnets
    if not asked or not subnets:
        return ""
    if network.role is Role.SECONDARY:
        pod = f"{desired.attachment}/{desired.pod.title}"
        return f"cannot allocate a static IP request with IPAM for pod {pod} (custom network configuration disabled)"
    if sorted(each.version for each in asked) != sorted(each.cidr.version for each in subnets):
        wrong = "requested IPs family types must match network's IP family configuration"
        return f"layer2 network expects {len(subnets)} IP(s), got {len(asked)}: {wrong}"
    stray = next((each for each in asked if not any(each in subnet.cidr for subnet in subnets)), None)
    if stray is not None:
        return f"failed to allocate IP {stray} for {network.name}: not contained in any known subnet"
    return ""


def _pod_addresses(port: LivePort) -> PodAddresses:
    return PodAddresses(tuple(interface(each, each.max_prefixlen) for each in port.addresses), port.mac, port.key)


def _port(network: Network, desired: DesiredAttachment, found: PodAddresses) -> PodPort:
    pod, addresses = desired.pod, tuple(each.ip for each in found.addresses)
    named = (network.name, desired.attachment, pod.namespace, pod.name, pod.uid, pod.node)
    opened = pod.open_ports if desired.isolated else ()
    return PodPort(*named, found.mac, addresses, found.key, isolated=desired.isolated, open_ports=opened)


def _allocation_note(network: Network, allocated: Sequence[PodPort]) -> list[Remark]:
    """A note that names allocated addresses, so that readers do not take them for recorded ones."""
    if not allocated:
        return []
    named = "; ".join(f"{port.title} {' '.join(map(str, port.addresses))}" for port in allocated[:_NAMED])
    more = f"; and {len(allocated) - _NAMED} more" if len(allocated) > _NAMED else ""
    return [Remark(f"allocated addresses for pods that record none: {named}{more}", network.name)]
