"""One Layer3 network in one node's zone."""

from dataclasses import dataclass

from ovnguard.reconciler.plan.numbers.layer3_addresses import Layer3, Layer3Peer
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.topology.common_rows import Owned, network_ids
from ovnguard.reconciler.plan.topology.egress_ip import Egress
from ovnguard.reconciler.plan.topology.gateway_router import Edge, EdgeFamily, edge_families, gateway_mtu
from ovnguard.validators.network.declared.node import GatewayMode, NodeGateway
from ovnguard.validators.network.model import IPAddress


@dataclass(frozen=True, slots=True)
class Layer3Zone:
    """One network in the zone of one node, and the addresses of every other node in it.

    ``gateway`` is None in secondary networks, and while a network's uplink is unknown on the node.
    """

    layer3: Layer3
    local: Layer3Peer
    gateway: NodeGateway | None
    remotes: tuple[Layer3Peer, ...]
    settings: Settings

    @property
    def router(self) -> Owned:
        """Creates the rows of the cluster router."""
        return Owned(self.layer3.names.cluster_router, network_ids(self.layer3.network))

    @property
    def egress(self) -> Egress:
        """EgressIPs of the network."""
        versions = tuple(family.version for family in self.layer3.families)
        return Egress(self.layer3.network, self.local.node.name, self.settings, versions, self.layer3.has_overlay)

    def egress_hop(self, node: str, version: int) -> IPAddress | None:
        """The next hop from the cluster router to a node's gateway router."""
        if node == self.local.node.name:
            return self.local.join(version)
        return next((peer.transit(version) for peer in self.remotes if peer.node.name == node), None)

    @property
    def is_local_mode(self) -> bool:
        """Whether pods' traffic leaves through the node's own routing."""
        return self.gateway is not None and self.gateway.mode is GatewayMode.LOCAL

    @property
    def relays_multicast(self) -> bool:
        """Whether the cluster router relays multicast between nodes."""
        return self.settings.multicast and self.layer3.is_primary

    @property
    def translates_pods(self) -> bool:
        """Whether the gateway router translates the addresses of single pods, not those of the subnets."""
        return self.settings.snat_per_pod and self.layer3.network.is_default

    @property
    def gateway_mtu(self) -> dict[str, str]:
        """The option that limits packets towards the gateway to the default network's MTU."""
        return gateway_mtu(self.local.node, self.settings)

    @property
    def edge(self) -> Edge:
        """The node's gateway router; raises ValueError for a network without one."""
        if self.gateway is None:
            raise ValueError(f"network {self.layer3.network.name} has no gateway on node {self.local.node.name}")
        backbones = [(family.version, family.backbone) for family in self.layer3.families]
        families = tuple(
            EdgeFamily(
                version,
                each.masquerade_subnet,
                None if each.own is None else each.own.gateway_router.ip,
                each.next_hop,
                each.host,
            )
            for version, each in backbones
            if each is not None
        )
        if not self.layer3.network.is_default:
            families = edge_families(families, self.layer3.ids, self.settings)
        return Edge(
            network=self.layer3.network,
            names=self.layer3.names,
            node=self.local.node,
            gateway=self.gateway,
            settings=self.settings,
            families=families,
            lb_source="router_ip",
        )
