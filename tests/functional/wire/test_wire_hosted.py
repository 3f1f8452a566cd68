"""Real packets where everything is planned, the nodes' own side too: all networks share the bridge of each node."""

from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_address, ip_network

import pytest

from ovnguard.reconciler.plan.rows.model import FIRST_MARK, EgressAssignment, EgressHop, EgressPod
from ovnguard.reconciler.plan.rows.service_model import Service, ServicePort
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.services.allowed_services import cluster_addresses, with_default_services
from ovnguard.validators.network.model import Network
from tests.support.lab import wire
from tests.support.lab.wire import LabFactory, Pod
from tests.support.lab.wire_crowd import crowd
from tests.support.lab.wire_hosted import HostedCluster, bridged, hosted_cluster
from tests.support.lab.wire_node import host_server
from tests.support.plan_samples import SERVICES, nodes, sharing
from tests.support.plan_scenarios import DUAL_OVERLAY_DEFAULT, LAYER2, LAYER3_BOTH, backends
from tests.support.service_objects import service
from tests.testbed.parts import Parts

SERVICE_SUBNETS = (ip_network("10.96.0.0/16"), ip_network("fd00:10:96::/112"))
DEFAULT = DUAL_OVERLAY_DEFAULT._replace(service_subnets=SERVICE_SUBNETS)
NETWORKS = (DEFAULT, LAYER2, LAYER3_BOTH)
PORT, API, DNS = 8000, 6443, 53
DNS_ADDRESSES = {4: "10.96.0.53", 6: "fd00:10:96::53"}
# What OpenShift tells ovnkube.
OPENSHIFT = Settings(
    multicast=True,
    snat_per_pod=True,
    empty_lb_events=True,
    allowed_services=("default/kubernetes", "openshift-dns/dns-default"),
    dns_service="openshift-dns/dns-default",
)
NODES = ("node1", "node2")
modes = pytest.mark.parametrize("mode", ["shared", "local"])


def node_ip(cluster: HostedCluster, node: str, version: int) -> str:
    return next(str(ip) for ip in cluster.node(node).internal_ips if ip.version == version)


def settings_of() -> Settings:
    """The API server is served by both nodes' hosts."""
    allowed = SERVICES.services[0]
    https = ServicePort("TCP", 443, backends=backends(API, "172.18.0.2", "172.18.0.3"))
    return replace(SERVICES, balanced_services={"default": (Service(allowed.name, allowed.addresses, (https,)),)})


@pytest.fixture
def cluster(ovn_lab: LabFactory, parts: Parts, mode: str) -> Iterator[HostedCluster]:
    members = bridged(sharing(nodes(2, v6=True, mode=mode), LAYER3_BOTH))
    with hosted_cluster(ovn_lab, parts, members, NETWORKS, settings_of()) as made:
        made.lab.external.serve("tcp", PORT)
        yield made


@pytest.fixture
def pods(cluster: HostedCluster) -> dict[tuple[str, str], Pod]:
    """A pod of every network on every node."""
    made = {(net.name, node): cluster.pod(net.name, node, at) for net in NETWORKS for at, node in enumerate(NODES, 1)}
    cluster.apply()
    return made


@modes
def test_outside_sees_the_node(cluster: HostedCluster, pods: dict[tuple[str, str], Pod]) -> None:
    for (network, node), pod in pods.items():
        for version in (4, 6):
            peers = crowd(pod.machine, wire.outside(version), PORT, 3).peers
            assert peers == {node_ip(cluster, node, version): 3}, f"{network} on {node}"


@modes
def test_pods_of_a_network_talk(pods: dict[tuple[str, str], Pod]) -> None:
    for network in NETWORKS:
        client, server = (pods[network.name, node] for node in NODES)
        server.machine.serve("tcp", PORT)
        for version in (4, 6):
            assert crowd(client.machine, server.ip(version), PORT, 3).peers == {client.ip(version): 3}


@modes
def test_node_and_its_default_pods_reach_each_other(cluster: HostedCluster, pods: dict[tuple[str, str], Pod]) -> None:
    pod, ping = pods["default", "node1"], (cluster.parts.tools.tool("ping"), "-n", "-c", "1", "-w", "5")
    for version in (4, 6):
        cluster.lab["node1"].namespace.run(*ping, pod.ip(version))
    with host_server(cluster.lab["node1"], PORT):
        assert crowd(pod.machine, node_ip(cluster, "node1", 4), PORT, 3).servers == {"node1": 3}


@modes
def test_default_pods_reach_the_api_server_on_nodes(cluster: HostedCluster, pods: dict[tuple[str, str], Pod]) -> None:
    with host_server(cluster.lab["node1"], API), host_server(cluster.lab["node2"], API):
        found = crowd(pods["default", "node1"].machine, "10.96.0.1", 443, 60)
        assert set(found.servers) == set(NODES)


@modes
@pytest.mark.parametrize("network", [LAYER2, LAYER3_BOTH], ids=["layer2", "layer3"])
def test_egress_addresses_are_the_nodes_own(
    cluster: HostedCluster, pods: dict[tuple[str, str], Pod], network: Network
) -> None:
    addresses = {node: {4: f"172.18.0.20{at}", 6: f"fc00::20{at}"} for at, node in enumerate(NODES, 2)}
    hops = tuple(EgressHop(node, ip_address(text)) for node in NODES for text in addresses[node].values())
    pod = pods[network.name, "node1"]
    served = (EgressPod(pod.port.title, pod.port.node, pod.port.addresses),)
    leaving = EgressAssignment("out", network.name, FIRST_MARK, hops, served)
    cluster.settings = replace(settings_of(), egress=(leaving,))
    cluster.apply()
    for version in (4, 6):
        peers = crowd(pod.machine, wire.outside(version), PORT, 40).peers
        assert set(peers) == {texts[version] for texts in addresses.values()}
    cluster.settings = settings_of()
    cluster.apply()
    for version in (4, 6):
        assert crowd(pod.machine, wire.outside(version), PORT, 3).peers == {node_ip(cluster, "node1", version): 3}


@modes
def test_pods_reach_the_hosts_of_all_nodes(cluster: HostedCluster, pods: dict[tuple[str, str], Pod]) -> None:
    with host_server(cluster.lab["node1"], API), host_server(cluster.lab["node2"], API):
        for (network, node), pod in pods.items():
            for host in NODES:
                for version in (4, 6):
                    target = node_ip(cluster, host, version)
                    servers = crowd(pod.machine, target, API, 2).servers
                    assert servers == {host: 2}, f"{network} on {node} to {host} by IPv{version}"


@modes
def test_pods_of_all_networks_reach_dns_of_openshift(
    cluster: HostedCluster, pods: dict[tuple[str, str], Pod], mode: str
) -> None:
    """With all of OpenShift's options; ovnkube's own defaults permit another service."""
    servers = [pods["default", node] for node in NODES]
    behind = backends(PORT, *(server.ip(version) for version in (4, 6) for server in servers))
    ports = tuple(ServicePort(protocol, DNS, backends=behind) for protocol in ("TCP", "UDP"))
    dns = service(OPENSHIFT.dns_service, addresses=tuple(DNS_ADDRESSES.values()))
    settings = with_default_services(OPENSHIFT, cluster_addresses([dns]))
    balanced = Service(OPENSHIFT.dns_service, tuple(map(ip_address, DNS_ADDRESSES.values())), ports)
    cluster.settings = replace(settings, balanced_services={"default": (balanced,)})
    cluster.apply()
    for server in servers:
        for kind in ("tcp", "udp"):
            server.machine.serve(kind, PORT)
    names = {server.machine.name for server in servers}
    for (network, node), pod in pods.items():
        for version, address in DNS_ADDRESSES.items():
            found = crowd(pod.machine, address, DNS, 20).servers
            assert set(found) == names, f"{network} on {node} by IPv{version} in {mode} mode"
            assert pod.machine.ask("udp", address, DNS).name in names
    # each pod of the default network leaves with the address of its node
    for node in NODES:
        for version in (4, 6):
            peers = crowd(pods["default", node].machine, wire.outside(version), PORT, 3).peers
            assert peers == {node_ip(cluster, node, version): 3}
