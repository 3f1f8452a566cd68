"""One primary Layer2 network in one node's zone."""

from dataclasses import dataclass

from ovnguard.reconciler.plan.numbers.layer2_addresses import Layer2, Peer
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.topology.egress_ip import Egress
from ovnguard.reconciler.plan.topology.gateway_router import Edge, EdgeFamily, edge_families, gateway_mtu
from ovnguard.validators.network.declared.node import GatewayMode, NodeGateway
from ovnguard.validators.network.model import IPAddress


@dataclass(frozen=True, slots=True)
class Layer2Zone:
    """One network in the zone of one node: the node's own links and gateway, and the links of every other node.

    ``gateway`` is None while the network's uplink is unknown on the node, which then has no gateway router. ``remotes``
    are those whose topology is known.
    """

    layer2: Layer2
    local: Peer
    gateway: NodeGateway | None
    remotes: tuple[Peer, ...]
    settings: Settings

    @property
    def egress(self) -> Egress:
        """EgressIPs of the network."""
        versions = tuple(family.version for family in self.layer2.families)
        return Egress(self.layer2.network, self.local.node.name, self.settings, versions)

    def egress_hop(self, node: str, version: int) -> IPAddress | None:
        """The next hop from the pods' gateway to a node's gateway router, which has a join address before the upgrade.

        Before the upgrade of this node, its gateway router itself is the pods' gateway, and the hop is outside.
        """
        if self.local.is_legacy and node == self.local.node.name:
            hops = self.gateway.next_hops if self.gateway is not None else ()
            return next((hop for hop in hops if hop.version == version), None)
        for peer in (self.local, *self.remotes):
            if peer.node.name == node:
                is_switched = peer.is_legacy or self.local.is_legacy
                return peer.join(version) if is_switched else peer.of_family(version).transit.gateway.ip
        return None

    @property
    def new_remotes(self) -> tuple[Peer, ...]:
        """Other nodes with a transit router."""
        return tuple(peer for peer in self.remotes if not peer.is_legacy)

    @property
    def legacy_remotes(self) -> tuple[Peer, ...]:
        """Other nodes that still have the topology before transit routers."""
        return tuple(peer for peer in self.remotes if peer.is_legacy)

    @property
    def is_upgrading(self) -> bool:
        """Whether this node has a transit router and must still reach nodes without."""
        return not self.local.is_legacy and bool(self.legacy_remotes)

    @property
    def is_local_mode(self) -> bool:
        """Whether pods' traffic leaves through the node's own routing."""
        return self.gateway is not None and self.gateway.mode is GatewayMode.LOCAL

    @property
    def gateway_mtu(self) -> dict[str, str]:
        """The option that limits packets towards the gateway to the default network's MTU."""
        return gateway_mtu(self.local.node, self.settings)

    @property
    def edge(self) -> Edge:
        """The node's gateway router; raises ValueError without a gateway.

        ``router_ip`` would be ambiguous for load balancers: the port has several.
        """
        if self.gateway is None:
            raise ValueError(f"network {self.layer2.network.name} has no gateway on node {self.local.node.name}")
        families = tuple(
            EdgeFamily(
                each.version, each.masquerade_subnet, each.masquerade.gateway_router.ip, each.next_hop, each.host
            )
            for each in self.layer2.families
        )
        return Edge(
            network=self.layer2.network,
            names=self.layer2.names,
            node=self.local.node,
            gateway=self.gateway,
            settings=self.settings,
            families=edge_families(families, self.layer2.ids, self.settings),
            lb_source=" ".join(str(join.ip) for join in self.local.joins),
        )
