"""One primary Layer2 network as one node's zone sees it."""

from dataclasses import dataclass

from reconciler.plan.settings import Settings
from reconciler.plan.topology.addresses import Layer2, Peer
from validators.network.node import NodeGateway


@dataclass(frozen=True, slots=True)
class Zone:
    """One network in the zone of one node: the node's own links and gateway, and the links of every other node."""

    layer2: Layer2
    local: Peer
    gateway: NodeGateway
    remotes: tuple[Peer, ...]
    settings: Settings

    @property
    def gateway_mtu(self) -> dict[str, str]:
        """The option that limits packets towards the gateway to the default network's MTU."""
        return {"gateway_mtu": str(self.settings.default_mtu)} if self.local.node.gateway_mtu_support else {}
