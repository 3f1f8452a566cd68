"""Real packets through planned rows: primary Layer2 networks with transit routers, on three nodes, both families."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from ovnguard.reconciler.plan.rows.names import Names
from tests.support.lab import wire
from tests.support.lab.wire import Cluster, LabFactory, Pod
from tests.support.plan_samples import SERVICES, nodes
from tests.support.plan_scenarios import LAYER2
from tests.testbed.process import wait_until

NAMES = Names(LAYER2.name)
MEMBERS = nodes(3, v6=True)
NODES = tuple(member.name for member in MEMBERS)
GATEWAY = {4: "203.203.0.1", 6: "2010:100:200::1"}
GATEWAY_MAC = "0a:58:cb:cb:00:01"
# derived from the MAC (EUI-64)
GATEWAY_LINK_LOCAL = "fe80::858:cbff:fecb:1"
families = pytest.mark.parametrize("version", [4, 6])


@pytest.fixture
def cluster(ovn_lab: LabFactory) -> Iterator[Cluster]:
    with wire.cluster(ovn_lab, MEMBERS, [LAYER2], SERVICES) as made:
        yield made


@pytest.fixture
def pods(cluster: Cluster) -> list[Pod]:
    return list(wire.pods_on(cluster, LAYER2.name, NODES).values())


@families
def test_pods_of_all_nodes_talk_through_tunnels(cluster: Cluster, pods: list[Pod], version: int) -> None:
    for server in pods:
        for kind in ("tcp", "udp"):
            server.machine.serve(kind, 8000)
    key = f"vni {hex(16711684)},"
    for client, server in ((one, other) for one in pods for other in pods if one is not other):
        source, target = client.ip(version), server.ip(version)
        with cluster.lab.capture("udp port 6081") as seen:
            client.machine.ping(target)
            for kind, size in wire.KINDS:
                answer = client.machine.ask(kind, target, 8000, size)
                assert (answer.name, answer.peer) == (server.machine.name, source)
            ends = [str(cluster.node(pod.port.node).internal_ips[0]) for pod in (client, server)]
            tunnel = re.escape(ends[0]) + r"\.\d+ > " + re.escape(ends[1]) + r"\.6081: Geneve"
            for what in (r"ICMP6?,? echo request", r"Flags \[S\]", r"UDP"):
                assert seen.wait(rf"{tunnel}.* {key}.* {source}\S* > {target}\S*: .*{what}")


@families
def test_outside_sees_the_address_of_the_node(cluster: Cluster, pods: list[Pod], version: int) -> None:
    outside = cluster.lab.external
    for kind in ("tcp", "udp"):
        outside.serve(kind, 8000)
    for pod in pods:
        node = next(str(ip) for ip in cluster.node(pod.port.node).internal_ips if ip.version == version)
        pod.machine.ping(wire.outside(version))
        for kind, size in wire.KINDS:
            assert pod.machine.ask(kind, wire.outside(version), 8000, size).peer == node


def test_outside_is_reached_without_a_tunnel_and_without_addresses_of_ours(cluster: Cluster, pods: list[Pod]) -> None:
    cluster.lab.external.serve("tcp", 8000)
    with cluster.lab.capture() as seen:
        pods[0].machine.ask("tcp", wire.outside(4), 8000, 100_000)
        pods[0].machine.ask("tcp", wire.outside(6), 8000, 100_000)
        assert seen.wait(r"IPv4 .* 172\.18\.0\.2\.\d+ > 172\.18\.0\.1\.8000: Flags \[S\]")
        assert seen.wait(r"IPv6 .* fc00::2\.\d+ > fc00::1\.8000: Flags \[S\]")
        assert seen.lines(r"\.8000: .*Geneve|Geneve.*\.8000: ") == []
        # neither pods' nor join, transit or masquerade addresses
        assert seen.lines(r"IPv[46] .* (203\.203|100\.|169\.254|2010:|fd97:|fd99:|fd69:)\S* > (172\.18|fc00)") == []


@families
def test_outside_learns_what_fits_into_the_network(cluster: Cluster, pods: list[Pod], version: int) -> None:
    outside, pod = cluster.lab.external, pods[0]
    outside.serve("udp", 8000)
    node = next(str(ip) for ip in cluster.node(pod.port.node).internal_ips if ip.version == version)
    # what the server adds makes its answer larger than the 1400 octets that a packet may have inside
    assert pod.machine.ask("udp", wire.outside(version), 8000, 1340).peer == node
    assert outside.path_mtu(node) == 1400


@families
def test_gateway_routers_of_all_nodes_answer_to_their_join_addresses(pods: list[Pod], version: int) -> None:
    for pod in pods:
        for number in (2, 3, 4):
            pod.machine.ping(f"100.65.0.{number}" if version == 4 else f"fd99::{number}")


def test_gateway_is_the_same_on_every_node(pods: list[Pod]) -> None:
    for pod in pods:
        for version, address in GATEWAY.items():
            answer = rf"{address} is-at" if version == 4 else rf"tgt is {address},"
            pod.machine.forget(address)
            with pod.machine.capture("arp or icmp6") as seen:
                pod.machine.ping(address)
                assert {line.split()[1] for line in seen.wait(answer)} == {GATEWAY_MAC}
                assert pod.machine.neighbour(address) == GATEWAY_MAC


@pytest.mark.parametrize(("own", "expected"), [(None, 1340), (1300, 1300)])
def test_advertisements_carry_the_mtu(cluster: Cluster, own: int | None, expected: int) -> None:
    """The network's own, else the default network's: machines that configure themselves know no other."""
    cluster.networks = (LAYER2._replace(mtu=own),)
    cluster.settings = replace(SERVICES, default_mtu=1340)
    pod = cluster.pod(LAYER2.name, NODES[0], advertised=True)
    # before a router exists: the first advertisement may follow the rows at once
    assert pod.machine.advertised_mtu() == 1400
    cluster.apply()
    with pod.machine.capture("icmp6 and ip6[40] == 134") as seen:
        pod.machine.solicit()
        seen.wait("router advertisement")
    wait_until(lambda: pod.machine.advertised_mtu() == expected, f"MTU {expected} on the link of the pod", 30.0)


def test_advertisements_name_one_router_on_every_node(cluster: Cluster) -> None:
    pods = [cluster.pod(LAYER2.name, node, number, advertised=True) for number, node in enumerate(NODES, 1)]
    cluster.apply()
    cluster.lab.external.serve("tcp", 8000)
    for pod in pods:
        with pod.machine.capture("icmp6 and ip6[40] == 134") as seen:
            pod.machine.solicit()
            advertised = seen.wait("router advertisement")
        assert all(f"{GATEWAY_LINK_LOCAL} > " in line for line in advertised)
        gateways = {route["gateway"] for route in pod.machine.routes() if route["dst"] == "default"}
        assert gateways == {GATEWAY_LINK_LOCAL}
        assert pod.machine.ask("tcp", wire.outside(6), 8000).name == "external"
