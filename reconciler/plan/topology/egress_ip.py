"""EgressIP: traffic of pods that leaves through other nodes with a dedicated address.

On the gateway of a zone's pods, a policy sends a pod's traffic to the gateway routers of the nodes with its egress
addresses: each connection uses one of these next hops. Those gateway routers mark the packets, and the node's bridge
translates them by the mark; in the default network, the gateway router translates.

Source: OKEP-5094, "EgressIP"; ovn-kubernetes ``pkg/ovn/egressip.go``, ``egressip_udn_l2.go``.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from ovnguard.reconciler.plan.numbers.families import cluster_versions
from ovnguard.reconciler.plan.rows.model import EgressAssignment, EgressHop, EgressPod
from ovnguard.reconciler.plan.rows.northbound import new_row
from ovnguard.reconciler.plan.rows.row import Column, Row
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.topology.address_sets import (
    NODE_IPS,
    SERVICE_PODS,
    SERVICES,
    served_pods,
    served_pods_name,
)
from ovnguard.reconciler.plan.topology.common_rows import Owned, Scope, match_name, owner_ids
from ovnguard.reconciler.plan.topology.database_ids import EGRESS_CONTROLLER, EGRESS_IP, NAME, database_ids, egress_ids
from ovnguard.reconciler.plan.topology.internal_traffic import INSIDE, REPLY_MARK
from ovnguard.validators.network.model import IPAddress, Network, Topology

REROUTE: Final = 100
MARK: Final = 95
_MARK_REPLIES: Final = 103
# The mark of packets from served pods to nodes, so that nodes answer without translation.
TO_NODES_MARK: Final = 1008

# Next hop of an IP version towards a node's gateway router, None for an unreachable node.
HopOf: TypeAlias = Callable[[str, int], IPAddress | None]


@dataclass(frozen=True, slots=True)
class Egress:
    """The EgressIPs of one network, as needed in one zone.

    ``versions`` are the IP versions of the network. Without tunnels, pods cannot leave through other nodes, so no
    EgressIP has an effect. Address sets, and policies and rules about them, exist before any EgressIP.
    """

    network: Network
    node: str
    settings: Settings
    versions: tuple[int, ...]
    has_tunnels: bool = True

    @property
    def assignments(self) -> tuple[EgressAssignment, ...]:
        """The assignments of the network."""
        egress = self.settings.egress if self.has_tunnels else ()
        return tuple(each for each in egress if each.network == self.network.name)

    def on_router(self, router: Owned, hop_of: HopOf) -> Iterable[Row]:
        """Return policies, and the address sets they refer to, for the router that is the pods' gateway."""
        served: list[IPAddress] = []
        for assignment, pod, address in self._served():
            hops = {version: self._hops(assignment, pod, version, hop_of) for version in self.versions}
            if pod.node == self.node and any(hops.values()):
                served.append(address)
            if hops[address.version]:
                match = f"{match_name(address.version)}.src == {address}"
                extra = _ids(self.network, assignment, pod, address.version, REROUTE)
                # the gateway router of the default network translates, so nothing has to know the EgressIP later
                mark = None if self.network.is_default else assignment.mark
                yield router.reroute(REROUTE, match, *hops[address.version], mark=mark, extra=extra, labelled=False)
        for version in cluster_versions(self.network, self.settings):
            yield served_pods(self.network, version, (each for each in served if each.version == version))
            yield from self._kept_inside(router, version)

    def on_switch(self, switch: str) -> tuple[Row, ...]:
        """Return the QoS rules of the pods' switch: they mark replies of served pods, which a policy does not reroute.

        A connection from outside thus keeps its way: its replies leave through the node that it came in by.
        """
        rules = []
        for version in cluster_versions(self.network, self.settings):
            ip = match_name(version)
            match = f"{ip}.src == ${served_pods_name(self.network, version)} && ct.trk && ct.rpl"
            ids = egress_ids(self.network.name, _MARK_REPLIES, "EgressIP-Mark-Reply-Traffic", ip)
            columns: dict[str, Column] = {
                "direction": "from-lport",
                "priority": _MARK_REPLIES,
                "match": match,
                "action": {"mark": str(REPLY_MARK)},
                "external_ids": ids | owner_ids(self.network),
            }
            rules.append(new_row("QoS", columns, f"{switch} qos from-lport {_MARK_REPLIES} {match}"))
        return tuple(rules)

    def on_gateway(self, router: Owned, management_port: str) -> Iterable[Row]:
        """Return the rows of the local gateway router for pods whose traffic leaves here.

        The mark of a packet does not survive a tunnel, so it is set again. ``management_port`` is the port whose MAC
        upstream names in source NAT of the default network.
        """
        for assignment, pod, address in self._served():
            own = self._own(assignment, address)
            if own and self.network.is_default:
                parts = {NAME: _title(assignment, pod), "ip-family": match_name(address.version)}
                scope = Scope(ids=database_ids(EGRESS_CONTROLLER, EGRESS_IP, parts))
                yield router.snat(own[0], address, self.settings.snat_ports, port=management_port, scope=scope)
            elif own:
                match = f"{match_name(address.version)}.src == {address} && pkt.mark == 0"
                extra = _ids(self.network, assignment, pod, address.version, MARK)
                yield router.allow(MARK, match, mark=assignment.mark, extra=extra, labelled=False)

    @property
    def leaving(self) -> frozenset[IPAddress]:
        """The addresses of pods whose traffic leaves here with an EgressIP."""
        return frozenset(address for assignment, _, address in self._served() if self._own(assignment, address))

    def _own(self, assignment: EgressAssignment, address: IPAddress) -> list[IPAddress]:
        """The EgressIPs of this node for a pod's address."""
        return [each.address for each in _hops_of(assignment, address.version) if each.node == self.node]

    def _served(self) -> Iterator[tuple[EgressAssignment, EgressPod, IPAddress]]:
        """Every pod address, once: the first EgressIP that serves it counts, and of its pods the one on this node.

        During a live migration, two pods have the addresses of a machine. Traffic of both must leave by the EgressIP:
        of the source until it ends, and of the target from its first packet on.
        """
        seen: set[IPAddress] = set()
        for assignment in self.assignments:
            local = {address: pod for pod in assignment.pods if pod.node == self.node for address in pod.addresses}
            for pod in assignment.pods:
                for address in pod.addresses:
                    if address not in seen and address.version in self.versions:
                        seen.add(address)
                        yield assignment, local.get(address, pod), address

    def _hops(self, assignment: EgressAssignment, pod: EgressPod, version: int, hop_of: HopOf) -> tuple[IPAddress, ...]:
        """The next hops of the pod's traffic: in its own zone every egress node.

        In another zone it is this node; routes of Layer3 networks lead there anyway.
        """
        nodes = [each.node for each in _hops_of(assignment, version)]
        if pod.node != self.node:
            nodes = [node for node in nodes if node == self.node and self.network.topology is Topology.LAYER2]
        found = (hop_of(node, version) for node in nodes)
        return tuple(dict.fromkeys(hop for hop in found if hop is not None))

    def _kept_inside(self, router: Owned, version: int) -> Iterable[Row]:
        """Traffic of served pods to nodes is not rerouted, nor that of pods to services of the default network."""
        ip, pods = match_name(version), served_pods_name(self.network, version)
        sources = f"({ip}.src == ${pods} || {ip}.src == ${SERVICE_PODS.at(version)})"
        nodes = egress_ids(self.network.name, INSIDE, "EIP-No-Reroute-Pod-To-Node", ip)
        match = f"{sources} && {ip}.dst == ${NODE_IPS.at(version)}"
        yield router.allow(INSIDE, match, mark=TO_NODES_MARK, extra=nodes, labelled=False)
        if not self.network.is_default and version in self.versions:
            services = egress_ids(self.network.name, INSIDE, "EIP-No-Reroute-Pod-To-CDN-Svc", ip)
            match = f"{sources} && {ip}.dst == ${SERVICES.at(version)}"
            yield router.allow(INSIDE, match, extra=services, labelled=False)


def _hops_of(assignment: EgressAssignment, version: int) -> list[EgressHop]:
    return [each for each in assignment.hops if each.address.version == version]


def _ids(network: Network, assignment: EgressAssignment, pod: EgressPod, version: int, priority: int) -> dict[str, str]:
    return egress_ids(network.name, priority, _title(assignment, pod), match_name(version))


def _title(assignment: EgressAssignment, pod: EgressPod) -> str:
    return f"{assignment.name}_{pod.name}"
