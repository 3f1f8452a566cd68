"""The generated full mesh in real bgpd: sessions come up, pod subnets are learnt, nothing else is believed."""

from collections.abc import Callable, Sequence
from ipaddress import ip_network

import pytest

from reconciler.apply.frr.frr_file import MARK
from reconciler.plan.planner import Plan, make_plan
from reconciler.plan.settings import Settings
from tests.support.plan_samples import DUAL_DEFAULT, default_network, nodes
from tests.testbed import frr
from tests.testbed.fixtures import need
from tests.testbed.frr import FrrLab, FrrNode
from tests.testbed.parts import Parts
from tests.testbed.process import wait_until
from validators.network.declared.node import Node
from validators.network.model import Network, Subnet

LabFactory = Callable[[Sequence[FrrNode]], FrrLab]

V6_DEFAULT = default_network(Subnet(ip_network("fd01::/48"), 64))
STACKS = {
    "ipv4": (default_network(), {"v4": True, "v6": False}),
    "dual": (DUAL_DEFAULT, {"v4": True, "v6": True}),
    "ipv6": (V6_DEFAULT, {"v4": False, "v6": True}),
}
stacks = pytest.mark.parametrize(("network", "families"), STACKS.values(), ids=STACKS.keys())


def planned(network: Network, members: Sequence[Node]) -> Plan:
    plan = make_plan([network], members, Settings())
    assert plan.errors == ()
    return plan


def lab_nodes(plan: Plan, members: Sequence[Node]) -> list[FrrNode]:
    """FRR nodes with the addresses that the plan was made for; the first address of a pod subnet is its gateway."""
    confs = {zone.node: zone.frr for zone in plan.zones}
    return [
        FrrNode(
            member.name,
            [str(each) for each in member.primary_addresses],
            confs[member.name],
            [f"{share.network_address + 1}/{share.prefixlen}" for share in member.host_subnets["default"]],
        )
        for member in members
    ]


def shares_of_others(members: Sequence[Node], node: str, version: int) -> set[str]:
    others = (member for member in members if member.name != node)
    return {str(share) for member in others for share in member.host_subnets["default"] if share.version == version}


def learnt(lab: FrrLab, node: str) -> set[str]:
    return {*lab[node].bgp_routes("-4"), *lab[node].bgp_routes("-6")}


@stacks
def test_frr_reads_every_file_without_a_complaint(network: Network, families: dict[str, bool], parts: Parts) -> None:
    need(parts, "frr")
    for zone in planned(network, nodes(3, **families)).zones:
        assert frr.check(f"{MARK}{zone.frr}", parts.frr) == []


@stacks
def test_every_node_learns_the_pod_subnets_of_the_others(
    network: Network, families: dict[str, bool], frr_lab: LabFactory
) -> None:
    members = nodes(3, **families)
    lab = frr_lab(lab_nodes(planned(network, members), members))
    lab.wait_established()
    for member in members:
        wanted = {share for version in (4, 6) for share in shares_of_others(members, member.name, version)}
        wait_until(lambda name=member.name, wanted=wanted: learnt(lab, name) == wanted, f"routes of {member.name}", 60)
        peers = set(lab[member.name].peers())
        own = {str(address) for address in member.internal_ips}
        assert peers == {str(address) for other in members for address in other.internal_ips} - own


def test_routes_lead_to_the_node_that_has_the_pods(frr_lab: LabFactory) -> None:
    members = nodes(3)
    lab = frr_lab(lab_nodes(planned(default_network(), members), members))
    wait_until(lambda: len(lab["node1"].bgp_routes()) == 2, "routes of node1", 60)
    assert lab["node1"].bgp_routes() == {"10.128.4.0/23": "172.18.0.3", "10.128.6.0/23": "172.18.0.4"}


def test_what_is_no_share_of_the_network_is_not_believed(frr_lab: LabFactory) -> None:
    """Even when a neighbour's FRR announces more than our files let it."""
    members = nodes(2)
    lab = frr_lab(lab_nodes(planned(default_network(), members), members))
    lab.wait_established()
    extra = ["network 192.168.7.0/24", "network 10.130.0.0/24", "network 10.131.0.0/23", "network 0.0.0.0/0"]
    family = ["configure terminal", "router bgp 64512", "address-family ipv4 unicast"]
    lab["node2"].vtysh(*family, *extra, "no neighbor 172.18.0.2 route-map 172.18.0.2-out out")
    wait_until(lambda: set(lab["node1"].bgp_routes()) == {"10.128.4.0/23", "10.131.0.0/23"}, "one more route", 60)
