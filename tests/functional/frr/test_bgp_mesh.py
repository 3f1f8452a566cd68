"""The generated full mesh in real bgpd: sessions come up, pod subnets are learnt, nothing else is believed."""

from collections.abc import Callable, Sequence
from ipaddress import ip_network
from pathlib import Path

import pytest

from ovnguard.reconciler.apply.frr.frr_file import MARK
from ovnguard.reconciler.plan.bgp.reflectors import REFLECTOR, ROLE
from ovnguard.validators.network.model import ManagedBGP, Network, Subnet
from tests.support.lab.bgp_fabric import Fabric, confs_of, lab_nodes, learnt, pod_address, shares_of_others
from tests.support.plan_samples import DUAL_DEFAULT, default_network, nodes
from tests.testbed import frr_daemons
from tests.testbed.endpoint import captured
from tests.testbed.fixtures import need
from tests.testbed.frr import FrrLab, FrrNode
from tests.testbed.parts import Parts
from tests.testbed.process import wait_until

LabFactory = Callable[[Sequence[FrrNode]], FrrLab]

V6_DEFAULT = default_network(Subnet(ip_network("fd01::/48"), 64))
STACKS = {
    "ipv4": (default_network(), {"v4": True, "v6": False}),
    "dual": (DUAL_DEFAULT, {"v4": True, "v6": True}),
    "ipv6": (V6_DEFAULT, {"v4": False, "v6": True}),
}
stacks = pytest.mark.parametrize(("network", "families"), STACKS.values(), ids=STACKS.keys())


@stacks
def test_frr_reads_every_file_without_a_complaint(network: Network, families: dict[str, bool], parts: Parts) -> None:
    need(parts, "frr")
    for conf in confs_of(network, nodes(3, **families)).values():
        assert frr_daemons.check(f"{MARK}{conf}", parts.frr) == []


@stacks
def test_every_node_learns_the_pod_subnets_of_the_others(
    network: Network, families: dict[str, bool], frr_lab: LabFactory
) -> None:
    members = nodes(3, **families)
    lab = frr_lab(lab_nodes(confs_of(network, members), members))
    lab.wait_established()
    for member in members:
        node, wanted = lab[member.name], shares_of_others(members, member.name)
        wait_until(lambda node=node, wanted=wanted: learnt(node) == wanted, f"routes of {member.name}", 60)
        peers = set(lab[member.name].peers())
        own = {str(address) for address in member.internal_ips}
        assert peers == {str(address) for other in members for address in other.internal_ips} - own


@stacks
def test_clients_learn_everything_from_reflectors(
    network: Network, families: dict[str, bool], parts: Parts, frr_lab: LabFactory
) -> None:
    """Of four nodes two reflect; the others have no session with each other."""
    reflected = network._replace(managed_bgp=ManagedBGP(64512, "route-reflector"))
    roles = [{ROLE: REFLECTOR}, {ROLE: REFLECTOR}, {}, {}]
    members = [each._replace(labels=role) for each, role in zip(nodes(4, **families), roles, strict=True)]
    confs = confs_of(reflected, members)
    need(parts, "frr")
    for conf in confs.values():
        assert frr_daemons.check(f"{MARK}{conf}", parts.frr) == []
    lab = frr_lab(lab_nodes(confs, members))
    lab.wait_established()
    for member in members:
        node, wanted = lab[member.name], shares_of_others(members, member.name)
        wait_until(lambda node=node, wanted=wanted: learnt(node) == wanted, f"routes of {member.name}", 60)
    reflectors = {str(address) for member in members[:2] for address in member.internal_ips}
    assert set(lab["node3"].peers()) == set(lab["node4"].peers()) == reflectors
    hops = {hop for family in ("-4", "-6") for hop in lab["node3"].bgp_routes(family).values()}
    assert {str(address) for address in members[3].internal_ips if address.version == 4} <= hops


def test_routes_lead_to_the_node_that_has_the_pods(frr_lab: LabFactory) -> None:
    members = nodes(3)
    lab = frr_lab(lab_nodes(confs_of(default_network(), members), members))
    wait_until(lambda: len(lab["node1"].bgp_routes()) == 2, "routes of node1", 60)
    assert lab["node1"].bgp_routes() == {"10.128.4.0/23": "172.18.0.3", "10.128.6.0/23": "172.18.0.4"}


def test_routes_outside_the_network_are_not_accepted(frr_lab: LabFactory) -> None:
    """Even when a neighbour's FRR announces more than our files let it."""
    members = nodes(2)
    lab = frr_lab(lab_nodes(confs_of(default_network(), members), members))
    lab.wait_established()
    extra = ["network 192.168.7.0/24", "network 10.130.0.0/24", "network 10.131.0.0/23", "network 0.0.0.0/0"]
    family = ["configure terminal", "router bgp 64512", "address-family ipv4 unicast"]
    lab["node2"].vtysh(*family, *extra, "no neighbor 172.18.0.2 route-map 172.18.0.2-out out")
    wait_until(lambda: set(lab["node1"].bgp_routes()) == {"10.128.4.0/23", "10.131.0.0/23"}, "one more route", 60)


@stacks
def test_pods_of_all_nodes_meet_without_a_tunnel(
    network: Network, families: dict[str, bool], frr_lab: LabFactory, parts: Parts, tmp_path: Path
) -> None:
    need(parts, "tools")
    members = nodes(3, **families)
    lab = frr_lab(lab_nodes(confs_of(network, members), members))
    Fabric(lab, members).wait_learnt(60)
    ping = parts.tools.tool("ping")
    with captured(parts.tools, lab.segment, "segment", tmp_path / "segment.out") as seen:
        for source in members:
            for target in (member for member in members if member is not source):
                for version in sorted({share.version for share in source.host_subnets["default"]}):
                    ends = [pod_address(member, version) for member in (source, target)]
                    lab[source.name].namespace.run(ping, "-n", "-c1", "-w30", "-I", *ends)
                    # the outermost addresses on the link are those of the pods
                    assert seen.wait(rf"ethertype IPv{version} .*: {' > '.join(ends)}: ICMP6?,? echo request")
    for member in members:
        details = lab[member.name].namespace.ip_json("-details", "link", "show")
        kinds = {link.get("linkinfo", {}).get("info_kind", "") for link in details}
        assert kinds - {"", "veth"} == set(), kinds
