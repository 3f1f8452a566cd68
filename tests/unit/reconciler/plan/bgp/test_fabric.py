"""The managed full mesh: who is whose neighbour, what is advertised and what is believed."""

from ipaddress import ip_address, ip_interface, ip_network
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reconciler.plan.bgp.fabric import Fabric, fabric_of
from reconciler.plan.bgp.frr_conf import render
from reconciler.plan.bgp.node_configuration import FrrConfigurations
from reconciler.plan.settings import Settings
from tests.support.plan_samples import DUAL_DEFAULT, default_network, node, nodes, udn
from validators.network.declared.node import Node
from validators.network.model import ManagedBGP, Network, Transport


def conf(fabric: Fabric, member: Node) -> str:
    return render(FrrConfigurations(fabric.documents).on(member, Settings().default_join_subnets), "informational")


@pytest.mark.parametrize(
    "networks", [[], [udn()], [default_network(transport=Transport.GENEVE)], [default_network(no_overlay=None)]]
)
def test_no_fabric(networks: list[Network]) -> None:
    fabric = fabric_of(networks, nodes(2), Settings())
    assert (fabric.routers, fabric.documents, fabric.notes, fabric.errors) == ({}, (), (), ())


def test_topology_that_nobody_knows() -> None:
    network = default_network(managed_bgp=ManagedBGP(64512, "routeReflector"))
    (error,) = fabric_of([network], nodes(2), Settings()).errors
    assert error.text == 'unsupported managed BGP topology "routeReflector", only "full-mesh" is supported'


def test_neighbours_are_sorted_as_texts_and_leave_out_the_own_address() -> None:
    routers = fabric_of([default_network()], [node(number) for number in (1, 9, 98, 99)], Settings()).routers
    assert [str(each.address) for each in routers["node1"].neighbors] == ["172.18.0.10", "172.18.0.100", "172.18.0.99"]
    assert [str(each.address) for each in routers["node9"].neighbors] == ["172.18.0.100", "172.18.0.2", "172.18.0.99"]


@pytest.mark.parametrize(
    "own",
    [
        {"internal_ips": (ip_address("10.9.9.9"),), "primary_addresses": (ip_interface("172.18.0.2/16"),)},
        {"host_cidrs": (ip_interface("172.18.0.3/16"),)},
    ],
)
def test_every_address_of_the_node_is_its_own(own: dict[str, Any]) -> None:
    """InternalIP, node-primary-ifaddr and host-cidrs may tell different addresses."""
    fabric = fabric_of([default_network()], [node(1, **own), node(2)], Settings())
    names = {str(each.address) for each in fabric.routers["node1"].neighbors}
    assert not names & {"10.9.9.9", *(str(each) for each in node(1, **own).own_addresses)}


def test_two_nodes_with_one_address() -> None:
    fabric = fabric_of([default_network()], [node(1), node(2, internal_ips=node(1).internal_ips)], Settings())
    assert [str(error) for error in fabric.errors] == [
        "network default, node node2: InternalIP 172.18.0.2 is also node node1's"
    ]
    assert len(fabric.documents[0]["spec"]["bgp"]["routers"][0]["neighbors"]) == 1


@pytest.mark.parametrize(
    ("share", "advertised"),
    [
        ("10.128.2.0/23", True),
        ("10.128.2.0/24", False),
        ("0.0.0.0/0", False),
        ("192.168.0.0/23", False),
        ("fd01::/64", False),
    ],
)
def test_only_a_share_of_the_network_is_advertised(share: str, advertised: bool) -> None:
    member = node(1)._replace(host_subnets={"default": (ip_network(share),)})
    fabric = fabric_of([default_network()], [member, node(2)], Settings())
    assert fabric.routers["node1"].prefixes == ((ip_network(share),) if advertised else ())
    text = f"k8s.ovn.org/node-subnets: {share} is not a node's share of the network's subnets, so it is not advertised"
    assert [error.text for error in fabric.errors] == ([] if advertised else [text])


def test_node_that_is_not_complete() -> None:
    member = node(1, host_subnets={}, internal_ips=())
    fabric = fabric_of([default_network()], [member, node(2)], Settings())
    assert [str(note) for note in fabric.notes] == [
        "network default, node node1: waiting for an InternalIP in status.addresses",
        "network default, node node1: waiting for k8s.ovn.org/node-subnets",
    ]
    router = fabric.routers["node1"]
    assert router.prefixes == ()
    assert "    network " not in conf(fabric, member)
    names = [document["metadata"]["name"] for document in fabric.documents]
    assert names == ["ovnk-managed-bgp", "ovnk-generated-de58924066"]


def test_sessions_of_a_family_without_prefixes_let_nothing_through() -> None:
    members = [each._replace(host_subnets=node(1).host_subnets) for each in nodes(2, v6=True)]
    text = conf(fabric_of([default_network()], members, Settings()), members[0])
    assert "ipv6 prefix-list fc00::3-allowed-ipv6 seq 1 deny any\n" in text
    assert "ip prefix-list fc00::3-inpl-ipv6 seq 1 deny any\n" in text
    assert "ipv6 prefix-list fc00::3-inpl-ipv6 seq 2 deny any\n" in text


def test_router_id_where_there_is_no_ipv4_address() -> None:
    members = nodes(2, v4=False, v6=True)
    fabric = fabric_of([DUAL_DEFAULT], members, Settings())
    assert fabric.routers["node1"].router_id == "100.64.0.2"
    assert "  bgp router-id 100.64.0.2\n" in conf(fabric, members[0])
    no_id = fabric_of([DUAL_DEFAULT], [node(1, v4=False, v6=True, node_id=None)], Settings()).routers
    assert no_id["node1"].router_id == ""
    no_room = Settings(default_join_subnets=(ip_network("100.64.0.0/31"),))
    assert fabric_of([DUAL_DEFAULT], nodes(1, v4=False, v6=True), no_room).routers["node1"].router_id == ""


def test_several_cluster_subnets_are_counted_by_one_counter() -> None:
    subnets = [*DUAL_DEFAULT.subnets, DUAL_DEFAULT.subnets[0]._replace(cidr=ip_network("10.200.0.0/16"))]
    members = nodes(2, v6=True)
    text = conf(fabric_of([default_network(*subnets)], members, Settings()), members[0])
    assert "ip prefix-list 172.18.0.3-inpl-ipv4 seq 1 permit 10.128.0.0/14 le 23 ge 23\n" in text
    assert "ip prefix-list 172.18.0.3-inpl-ipv4 seq 2 permit 10.200.0.0/16 le 23 ge 23\n" in text
    assert "ipv6 prefix-list 172.18.0.3-inpl-ipv4 seq 3 deny any\n" in text


@settings(deadline=None)
@given(numbers=st.sets(st.integers(1, 120), min_size=1, max_size=8))
def test_mesh_is_full_and_symmetric(numbers: set[int]) -> None:
    members = [node(number, v6=True, host_subnets={}) for number in numbers]
    routers = fabric_of([DUAL_DEFAULT], members, Settings()).routers
    everybody = {address for member in members for address in member.internal_ips}
    for member in members:
        named = {each.address for each in routers[member.name].neighbors}
        assert named == everybody - set(member.internal_ips)
