"""A Service with a node port on the lab's nodes."""

from dataclasses import replace
from ipaddress import ip_address
from typing import Any

from ovnguard.reconciler.plan.rows.service_model import Backend, Service, ServicePort
from ovnguard.validators.network.model import Network
from tests.support.lab.wire import Cluster, Pod
from tests.support.plan_samples import nodes, sharing, taking_node_ports
from tests.support.plan_scenarios import DUAL_OVERLAY_DEFAULT, LAYER2, LAYER3_BOTH

MEMBERS = taking_node_ports(sharing(nodes(2, v6=True), LAYER3_BOTH))

PORT, NODE_PORT, DNS = 8000, 30080, 53

NODE = {4: "172.18.0.3", 6: "fc00::3"}

# join addresses of node2
JOIN = {
    LAYER2.name: {4: "100.65.0.3", 6: "fd99::3"},
    LAYER3_BOTH.name: {4: "100.65.0.3", 6: "fd99::3"},
    DUAL_OVERLAY_DEFAULT.name: {4: "100.64.0.3", 6: "fd98::3"},
}


def take_in(cluster: Cluster, network: Network, node: str, version: int, match: str) -> None:
    """Have br-ex of a node give a network what is for one of its services, as ovn-kubernetes' openflow_manager does."""
    protocol = "tcp" if version == 4 else "tcp6"
    place = (node, network.name)
    cluster.entered[place] = (*cluster.entered.get(place, ()), f"{protocol},{match}")
    cluster.apply()


def web(version: int, *pods: Pod, addresses: tuple[str, ...] = (), **policy: Any) -> Service:
    """A Service with a node port, and one server on each of the ``pods``."""
    servers = {pod: Backend(ip_address(pod.ip(version)), PORT) for pod in pods}
    on_nodes: dict[str, tuple[Backend, ...]] = {}
    for pod, server in servers.items():
        on_nodes[pod.port.node] = (*on_nodes.get(pod.port.node, ()), server)
    port = ServicePort("TCP", PORT, NODE_PORT, tuple(servers.values()), on_nodes)
    return Service(f"app/web{version}", tuple(map(ip_address, addresses)), (port,), **policy)


def node_port(cluster: Cluster, network: Network, version: int, *backends: Pod, **policy: Any) -> None:
    """A node port of node2; the flow by which its bridge gives the packets to the network is the host's part."""
    cluster.settings = replace(cluster.settings, balanced_services={network.name: (web(version, *backends, **policy),)})
    field = "nw_dst" if version == 4 else "ipv6_dst"
    take_in(cluster, network, "node2", version, f"{field}={NODE[version]},tp_dst={NODE_PORT}")
