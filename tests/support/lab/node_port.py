"""A Service with a node port on the lab's nodes."""

from reconciler.plan.names import Names
from tests.support.lab.wire import Cluster, Pod
from tests.support.plan_samples import nodes, sharing
from tests.support.plan_scenarios import DUAL_OVERLAY_DEFAULT, LAYER2, LAYER3_BOTH
from tests.testbed.ovs import EXTERNAL, INTEGRATION
from validators.network.model import Network

MEMBERS = sharing(nodes(2, v6=True), LAYER3_BOTH)

PORT, NODE_PORT, DNS = 8000, 30080, 53

NODE = {4: "172.18.0.3", 6: "fc00::3"}

# join addresses of node2
JOIN = {
    LAYER2.name: {4: "100.65.0.3", 6: "fd99::3"},
    LAYER3_BOTH.name: {4: "100.65.0.3", 6: "fd99::3"},
    DUAL_OVERLAY_DEFAULT.name: {4: "100.64.0.3", 6: "fd98::3"},
}


def at(address: str, port: int) -> str:
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def take_in(cluster: Cluster, network: Network, node: str, version: int, match: str) -> None:
    """Have br-ex of a node give a network what is for one of its services, as ovn-kubernetes' openflow_manager does."""
    gateway = cluster.node(node).gateway
    assert gateway is not None
    machine, localnet = cluster.lab[node], Names(network.name).localnet_port(gateway.bridge_id, node)
    patch = machine.port_number(f"patch-{localnet}-to-{INTEGRATION}")
    physical, protocol = machine.port_number("eth0"), "tcp" if version == 4 else "tcp6"
    machine.ofctl("add-flow", EXTERNAL, f"priority=300,in_port={physical},{protocol},{match},actions=output:{patch}")


def node_port(cluster: Cluster, network: Network, version: int, *backends: Pod) -> None:
    """A node port of node2.

    Its load balancer is written by hand, as node ports and user networks' services are no allowed default services:
    those are all that plans know. Where it hangs, which groups and which options the router has, is planned.
    """
    nbctl, router = cluster.lab["node2"].zone.nbctl, Names(network.name).gateway_router("node2")
    servers = ",".join(at(pod.ip(version), PORT) for pod in backends)
    nbctl(
        "lb-add",
        f"web{version}",
        at(NODE[version], NODE_PORT),
        servers,
        "tcp",
        "--",
        "lr-lb-add",
        router,
        f"web{version}",
    )
    cluster.lab.wait()
    field = "nw_dst" if version == 4 else "ipv6_dst"
    take_in(cluster, network, "node2", version, f"{field}={NODE[version]},tp_dst={NODE_PORT}")
