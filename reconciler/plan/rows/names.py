"""Names of OVN objects in OVN-Kubernetes' scheme, so that its tools and users recognise them.

Source: ovn-kubernetes ``pkg/types/const.go`` and ``pkg/util/multi_network.go``; OKEP-5094 for the transit router.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ovnguard.validators.network.model import DEFAULT_NETWORK, Network

COPP: Final = "ovnkube-default"
PHYSICAL_NETWORK: Final = "physnet"
# The owner type of the rows of a ClusterNetworkConnect, whose group of load balancers is named after it.
CONNECT: Final = "ClusterNetworkConnect"
_SERVICE_GROUP: Final = "cnc_svc_"
# The longest name of a network device (IFNAMSIZ without its final zero byte).
MAX_DEVICE_NAME: Final = 15
# A network name becomes part of match expressions and file names; the longest legal one is namespace_name.
_SAFE_NAME: Final = re.compile(r"[A-Za-z0-9][-A-Za-z0-9._/]{0,507}")


def mangle(name: str) -> str:
    """Return ``name`` as it appears in names of OVN objects: '-' and '/' become '.'."""
    return name.replace("-", ".").replace("/", ".")


def connect_router(connection: str) -> str:
    """Return the name of the router of a ClusterNetworkConnect."""
    return f"connect_router_{connection}"


def service_group(connection: str) -> str:
    """Return the name of the group with the load balancers of a ClusterNetworkConnect's networks."""
    return f"{_SERVICE_GROUP}{connection}"


def is_service_group(name: str) -> bool:
    """Whether a group of load balancers is a connection's; the names of networks' groups end in upper case."""
    return name.startswith(_SERVICE_GROUP) and name.islower()


def vrf_name(network: Network, network_id: int) -> str:
    """Return the name of a network's VRF: that of a ClusterUserDefinedNetwork if it can be a device's."""
    name = network.source.name
    if network.source.kind == "ClusterUserDefinedNetwork" and len(name) <= MAX_DEVICE_NAME and name != "default":
        return name
    return f"mp{network_id}-udn-vrf"


def is_safe(network: str) -> bool:
    """Whether a network name can be part of OVN names and match expressions without changing their meaning."""
    return _SAFE_NAME.fullmatch(network) is not None


# Every name of a network contains it, and every plan names every network.
@lru_cache(maxsize=1 << 14)
def _prefix(network: str) -> str:
    return "" if network == DEFAULT_NETWORK else f"{mangle(network)}_"


# Several rows of every network contain the name of a set.
@lru_cache(maxsize=1 << 14)
def address_set_hash(identity: str) -> str:
    """Return the name of an address set or port group with this id: 'a' and the decimal FNV-1a-64 of the id."""
    value = 0xCBF29CE484222325
    for octet in identity.encode():
        value = (value ^ octet) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"a{value}"


def pod_port(attachment: str, namespace: str, pod: str) -> str:
    """Return the name of a pod's port; it starts with the attachment, not with its network."""
    return f"{Names(attachment).prefix}{namespace}_{pod}"


@dataclass(frozen=True, slots=True)
class Names:
    """Names of one network's OVN objects; ``node`` arguments are node names, which stay unchanged."""

    network: str

    @property
    def prefix(self) -> str:
        """What every name of the network begins with; empty for the default network."""
        return _prefix(self.network)

    @property
    def layer2_switch(self) -> str:
        """The one switch that all pods of a Layer2 network are on."""
        return f"{self.prefix}ovn_layer2_switch"

    @property
    def transit_router(self) -> str:
        """The distributed router of a primary Layer2 network."""
        return f"{self.prefix}transit_router"

    @property
    def router_to_switch(self) -> str:
        """The transit router's port towards the switch."""
        return f"trtos-{self.layer2_switch}"

    @property
    def switch_to_router(self) -> str:
        """The switch's port towards the transit router."""
        return f"stotr-{self.layer2_switch}"

    @property
    def localnet_switch(self) -> str:
        """The switch that pods of a Localnet network are on."""
        return f"{self.prefix}ovn_localnet_switch"

    @property
    def localnet_network_port(self) -> str:
        """The port of a Localnet network's switch towards the physical network."""
        return f"{self.prefix}ovn_localnet_port"

    @property
    def cluster_router(self) -> str:
        """The distributed router of a Layer3 network."""
        return f"{self.prefix}ovn_cluster_router"

    @property
    def join_switch(self) -> str:
        """The switch between a Layer3 network's cluster router and its gateway routers."""
        return f"{self.prefix}join"

    @property
    def transit_switch(self) -> str:
        """The switch that joins the cluster routers of all zones."""
        return f"{self.prefix}transit_switch"

    @property
    def cluster_to_join(self) -> str:
        """The cluster router's port towards the join switch."""
        return f"rtoj-{self.cluster_router}"

    @property
    def join_to_cluster(self) -> str:
        """The join switch's port towards the cluster router."""
        return f"jtor-{self.cluster_router}"

    @property
    def legacy_router_to_switch(self) -> str:
        """A gateway router's port towards the Layer2 switch, in the topology before transit routers."""
        return f"rtos-{self.layer2_switch}"

    @property
    def legacy_switch_to_router(self) -> str:
        """The Layer2 switch's port towards the local gateway router, in the topology before transit routers."""
        return f"stor-{self.layer2_switch}"

    @property
    def upgrade_router_to_switch(self) -> str:
        """The transit router's second port towards the switch, while nodes of the earlier topology are left."""
        return f"{self.router_to_switch}-upgrade"

    @property
    def upgrade_switch_to_router(self) -> str:
        """The switch's second port towards the transit router, while nodes of the earlier topology are left."""
        return f"{self.switch_to_router}-upgrade"

    @property
    def load_balancer_group(self) -> str:
        """Load balancers of the network on switches and routers."""
        return f"{self.prefix}clusterLBGroup"

    @property
    def switch_load_balancer_group(self) -> str:
        """Load balancers of the network on switches only."""
        return f"{self.prefix}clusterSwitchLBGroup"

    @property
    def router_load_balancer_group(self) -> str:
        """Load balancers of the network on gateway routers only."""
        return f"{self.prefix}clusterRouterLBGroup"

    @property
    def controller(self) -> str:
        """Value of k8s.ovn.org/owner-controller on rows with a database id."""
        return f"{self.network}-network-controller"

    def gateway_router(self, node: str) -> str:
        """The node's gateway router."""
        return f"GR_{self.prefix}{node}"

    def transit_to_gateway(self, node: str) -> str:
        """The transit router's port towards the node's gateway router."""
        return f"trtor-{self.gateway_router(node)}"

    def gateway_to_transit(self, node: str) -> str:
        """The gateway router's port towards the transit router."""
        return f"rtotr-{self.gateway_router(node)}"

    def gateway_to_external(self, node: str) -> str:
        """The gateway router's port towards the external switch."""
        return f"rtoe-{self.gateway_router(node)}"

    def external_to_gateway(self, node: str) -> str:
        """The external switch's port towards the gateway router."""
        return f"etor-{self.gateway_router(node)}"

    def external_switch(self, node: str) -> str:
        """The switch between the gateway router and the node's bridge."""
        return f"ext_{self.prefix}{node}"

    def localnet_port(self, bridge_id: str, node: str) -> str:
        """The external switch's port towards the node's bridge."""
        return f"{bridge_id}_{self.prefix}{node}"

    def management_port(self, node: str) -> str:
        """The node's own port on the workload switch."""
        return f"k8s-{self.prefix}{node}"

    def node_switch(self, node: str) -> str:
        """The node's own switch of a Layer3 network."""
        return f"{self.prefix}{node}"

    def cluster_to_node(self, node: str) -> str:
        """The cluster router's port towards the node's switch."""
        return f"rtos-{self.node_switch(node)}"

    def node_to_cluster(self, node: str) -> str:
        """The port of the node's switch towards the cluster router."""
        return f"stor-{self.node_switch(node)}"

    def gateway_to_join(self, node: str) -> str:
        """The gateway router's port towards the join switch."""
        return f"rtoj-{self.gateway_router(node)}"

    def join_to_gateway(self, node: str) -> str:
        """The join switch's port towards the node's gateway router."""
        return f"jtor-{self.gateway_router(node)}"

    def cluster_to_transit(self, node: str) -> str:
        """The port of the node's cluster router towards the transit switch; the prefix comes first."""
        return f"{self.prefix}rtots-{node}"

    def transit_to_cluster(self, node: str) -> str:
        """The transit switch's port towards the node's cluster router; the prefix comes first."""
        return f"{self.prefix}tstor-{node}"

    def legacy_remote_router(self, node: str) -> str:
        """The Layer2 switch's port for another node's gateway router, before transit routers."""
        return f"{self.legacy_switch_to_router}_{node}"
