"""EgressIP: traffic of pods that leaves through other nodes with a dedicated address.

On the gateway of a zone's pods, a policy sends a pod's traffic to the gateway routers of the nodes with its egress
addresses: each connection uses one of these next hops. Those gateway routers mark the packets, and the node's bridge
translates them by the mark; in the default network, the gateway router translates.

Source: OKEP-5094, "EgressIP"; ovn-kubernetes ``pkg/ovn/egressip.go``, ``egressip_udn_l2.go``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from reconciler.plan.model import EgressAssignment, EgressHop, EgressPod
from reconciler.plan.rows import Row
from reconciler.plan.settings import Settings
from reconciler.plan.topology.address_sets import EGRESS, NODE_IPS, SERVICES, address_set
from reconciler.plan.topology.common_rows import Owned, match_name
from reconciler.plan.topology.database_ids import egress_ids
from reconciler.plan.topology.internal_traffic import INSIDE
from validators.network.model import IPAddress, Network

REROUTE: Final = 100
MARK: Final = 95
# The mark of packets from served pods to nodes, so that nodes answer without translation.
TO_NODES_MARK: Final = 1008
PODS: Final = "egressip-served-pods"
SERVICE_PODS: Final = "egresssvc-served-pods"

# Next hop of an IP version towards a node's gateway router, None for an unreachable node.
HopOf: TypeAlias = Callable[[str, int], IPAddress | None]


@dataclass(frozen=True, slots=True)
class Egress:
    """The EgressIPs of one network, as needed in one zone; ``node_ips`` are all nodes' addresses by IP version."""

    network: Network
    node: str
    settings: Settings
    node_ips: Mapping[int, tuple[IPAddress, ...]]
    versions: tuple[int, ...]

    @property
    def assignments(self) -> tuple[EgressAssignment, ...]:
        """The assignments of the network."""
        return tuple(each for each in self.settings.egress if each.network == self.network.name)

    def on_router(self, router: Owned, hop_of: HopOf) -> Iterable[Row]:
        """Return policies, and the address sets they refer to, for the router that is the pods' gateway."""
        served: list[IPAddress] = []
        for assignment, pod, address in self._served():
            hops = self._hops(assignment, pod, address.version, hop_of)
            if hops:
                served.append(address)
                match = f"{match_name(address.version)}.src == {address}"
                extra = _ids(self.network, assignment, pod, address.version, REROUTE)
                yield router.reroute(REROUTE, match, *hops, mark=assignment.mark, extra=extra, labelled=False)
        for version in self.versions:
            addresses = [address for address in served if address.version == version]
            if addresses:
                yield from self._kept_inside(router, version, addresses)

    def on_gateway(self, router: Owned, management_port: str) -> Iterable[Row]:
        """Return the rows of the local gateway router for pods whose traffic leaves here.

        The mark of a packet does not survive a tunnel, so it is set again. ``management_port`` is the port whose MAC
        upstream names in source NAT of the default network.
        """
        for assignment, pod, address in self._served():
            own = [each.address for each in _hops_of(assignment, address.version) if each.node == self.node]
            if own and self.network.is_default:
                yield router.snat(own[0], address, self.settings.snat_ports, port=management_port)
            elif own:
                match = f"{match_name(address.version)}.src == {address} && pkt.mark == 0"
                extra = _ids(self.network, assignment, pod, address.version, MARK)
                yield router.allow(MARK, match, mark=assignment.mark, extra=extra, labelled=False)

    def _served(self) -> Iterator[tuple[EgressAssignment, EgressPod, IPAddress]]:
        """Every pod address, once: the first EgressIP that serves it counts."""
        seen: set[IPAddress] = set()
        for assignment in self.assignments:
            for pod in assignment.pods:
                for address in pod.addresses:
                    if address not in seen and address.version in self.versions:
                        seen.add(address)
                        yield assignment, pod, address

    def _hops(self, assignment: EgressAssignment, pod: EgressPod, version: int, hop_of: HopOf) -> tuple[IPAddress, ...]:
        """The next hops of the pod's traffic: every egress node in its own zone, this node in another zone."""
        nodes = [each.node for each in _hops_of(assignment, version)]
        if pod.node != self.node:
            nodes = [node for node in nodes if node == self.node]
        found = (hop_of(node, version) for node in nodes)
        return tuple(dict.fromkeys(hop for hop in found if hop is not None))

    def _kept_inside(self, router: Owned, version: int, served: Sequence[IPAddress]) -> Iterable[Row]:
        """Traffic of served pods to nodes and to services of the default network is not rerouted."""
        services = [each for service in self.settings.services for each in service.addresses]
        sets = {
            PODS: served,
            # no plan has EgressService rows yet, but upstream's match names both
            SERVICE_PODS: (),
            NODE_IPS: self.node_ips.get(version, ()),
            SERVICES: [each for each in services if each.version == version],
        }
        rows = {name: address_set(self.network, EGRESS, name, version, found) for name, found in sets.items()}
        yield from rows.values()
        ip, names = match_name(version), {name: row.columns["name"] for name, row in rows.items()}
        sources = f"({ip}.src == ${names[PODS]} || {ip}.src == ${names[SERVICE_PODS]})"
        nodes = egress_ids(self.network.name, INSIDE, "EIP-No-Reroute-Pod-To-Node", ip)
        found = f"{sources} && {ip}.dst == ${names[NODE_IPS]}"
        yield router.allow(INSIDE, found, mark=TO_NODES_MARK, extra=nodes, labelled=False)
        cluster = egress_ids(self.network.name, INSIDE, "EIP-No-Reroute-Pod-To-CDN-Svc", ip)
        yield router.allow(INSIDE, f"{sources} && {ip}.dst == ${names[SERVICES]}", extra=cluster, labelled=False)


def _hops_of(assignment: EgressAssignment, version: int) -> list[EgressHop]:
    return [each for each in assignment.hops if each.address.version == version]


def _ids(network: Network, assignment: EgressAssignment, pod: EgressPod, version: int, priority: int) -> dict[str, str]:
    return egress_ids(network.name, priority, f"{assignment.name}_{pod.name}", match_name(version))
