"""The host part of a plan on a real node: Open vSwitch, nftables, routing, packets."""

from collections.abc import Callable, Sequence
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest

from ovnguard.reconciler.apply.host.host import Host
from ovnguard.reconciler.apply.host.host_routes import kernel_routes
from ovnguard.reconciler.apply.host.host_shell import Shell
from ovnguard.reconciler.plan.host.host_diff import host_as_text
from ovnguard.reconciler.plan.host.host_plan import HostPlan
from ovnguard.reconciler.plan.host.host_planner import HostInputs, host_plan
from ovnguard.reconciler.plan.host.nft import NftChain, NftSet
from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.rows.model import EgressAssignment, EgressHop
from ovnguard.reconciler.plan.rows.settings import ImportedRoute, Settings
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import Network, NoOverlay, Routing, Transport
from tests.support.lab.bgp_fabric import confs_of, lab_nodes
from tests.support.lab.host_bed import BRIDGE, HostNode, host_node, machine, seen, segment
from tests.support.plan_samples import DUAL_DEFAULT, default_network, layer3, nodes, sharing, udn
from tests.testbed.frr import FrrLab, FrrNode
from tests.testbed.netns import Namespace, Segment
from tests.testbed.parts import Parts
from tests.testbed.process import BedError, wait_until

__all__ = ["host_node", "segment"]

SERVICES = (ip_network("10.96.0.0/16"), ip_network("fd00:10:96::/112"))
ROUTED_L3 = layer3(transport=Transport.NO_OVERLAY, no_overlay=NoOverlay(True, Routing.MANAGED))
OUTSIDE, OTHER_NODE, OTHER_POD = "172.18.0.1", "172.18.0.3", "10.128.4.5"
EGRESS = "172.18.0.200"
OWN_NODE, OWN_POD = "172.18.0.2", "10.128.2.5"


def planned(host: Host, members: tuple[Node, ...], *networks: Network) -> HostPlan:
    plan = make_plan(networks, members, Settings())
    assert plan.errors == ()
    return host_plan("node1", HostInputs(networks, members, plan.ids, Settings()), host.abilities())


def routed(*, snat: bool) -> Network:
    return default_network(no_overlay=NoOverlay(snat, Routing.MANAGED), service_subnets=SERVICES)


def everything(host: Host, mode: str = "local") -> HostPlan:
    """The plan of all kinds of networks, of both families."""
    l2, l3 = udn("test12_net", "203.203.0.0/16", "2010:100:200::/60"), layer3()
    members = sharing(nodes(2, v6=True, mode=mode), ROUTED_L3, l3)
    dual = default_network(*DUAL_DEFAULT.subnets, service_subnets=SERVICES)
    # of two Layer3 networks with the same id one would be an error
    return planned(host, members, dual, l2, ROUTED_L3)


def settle(host_node: HostNode, *addresses: str) -> Host:
    for address in addresses or ("172.18.0.2/16", "fc00::2/64"):
        host_node.namespace.add_address(BRIDGE, address)
    for network in ("", "cluster_udn_l3.net_", "test12_net_"):
        host_node.patch(f"patch-{BRIDGE}_{network}node1-to-br-int")
    return host_node.host("node1")


@pytest.mark.parametrize("mode", ["local", "shared"])
def test_applied_twice_nothing_changes_and_the_empty_plan_takes_all_away(host_node: HostNode, mode: str) -> None:
    host = settle(host_node)
    before = host.observe()
    assert before == HostPlan("node1")
    desired = everything(host, mode)
    done = host.apply(desired)
    assert (done.failures, host_as_text(done.left)) == ((), "")
    assert len(done.operations) == len(desired.items) + len(desired.sets) + len(desired.chains)
    assert host.observe().items == desired.items
    again = host.apply(desired)
    assert (again.operations, again.failures) == ((), ())
    gone = host.apply(HostPlan("node1"))
    assert (gone.failures, host_as_text(gone.left)) == ((), "")
    assert host.observe() == HostPlan("node1")


CHANGES: dict[str, tuple[Callable[[HostNode], object], str]] = {
    "rule of nftables": (
        lambda node: node.nft("flush", "chain", "inet", "ovnguard", "ovn-kube-pod-subnet-masq"),
        "  ~ nft chain ovn-kube-pod-subnet-masq\n",
    ),
    "element": (
        lambda node: node.nft("add", "element", "inet", "ovnguard", "no-overlay-snat-exempt-v4", "{ 8.8.8.8 }"),
        "  ~ nft set no-overlay-snat-exempt-v4\n",
    ),
    "a chain of somebody's in our table": (
        lambda node: node.nft("add", "chain", "inet", "ovnguard", "mine"),
        "  - nft chain mine\n",
    ),
    "an expression that plans do not have": (
        lambda node: node.nft("add", "rule", "inet", "ovnguard", "mgmtport-snat", "meta", "mark", "set", "7"),
        "  ~ nft chain mgmtport-snat\n",
    ),
    "route": (
        lambda node: node.namespace.ip("route", "del", "169.254.0.1/32", "proto", "118"),
        "  + route 169.254.0.1/32 dev breth0 scope link src 172.18.0.2 mtu 1400 table 254\n",
    ),
    "another next hop": (
        lambda node: node.namespace.ip(
            "route", "replace", "169.254.0.3/32", "via", "10.128.2.9", "dev", "ovn-k8s-mp0", "proto", "118"
        ),
        "  ~ route 169.254.0.3/32 via 10.128.2.1 dev ovn-k8s-mp0 table 254\n",
    ),
    "a route in our name": (
        lambda node: node.namespace.ip("route", "add", "9.9.9.0/24", "via", "172.18.0.1", "proto", "118"),
        "  - route 9.9.9.0/24 via 172.18.0.1 dev breth0 table 254\n",
    ),
    "address": (
        lambda node: node.namespace.ip("address", "del", "169.254.0.2/17", "dev", BRIDGE),
        "  + address 169.254.0.2/17 dev breth0\n",
    ),
    "neighbour": (
        lambda node: node.namespace.ip("neighbour", "del", "169.254.0.4", "dev", BRIDGE),
        "  + neighbour 169.254.0.4 lladdr 0a:58:a9:fe:00:04 dev breth0\n",
    ),
    "reverse path filter": (
        lambda node: node.namespace.run("sysctl", "-w", "net/ipv4/conf/ovn-k8s-mp0/rp_filter=1"),
        "  ~ sysctl net/ipv4/conf/ovn-k8s-mp0/rp_filter = 2\n",
    ),
    "actions of a flow": (
        lambda node: node.ofctl("--strict", "mod-flows", BRIDGE, "priority=100,ip,in_port=LOCAL actions=drop"),
        "  ~ flow of breth0: table=0,priority=100,ip,in_port=LOCAL "
        "actions=ct(commit,zone=64000,exec(set_field:0x2->ct_mark)),output:{uplink}\n",
    ),
    "a flow in our name": (
        lambda node: node.ofctl("add-flow", BRIDGE, "cookie=0x6f766e67,priority=7,tcp,in_port=1,actions=drop"),
        "  - flow of breth0: table=0,priority=7,tcp,in_port={uplink} actions=drop\n",
    ),
    "a flow that is gone": (
        lambda node: node.ofctl("--strict", "del-flows", BRIDGE, "table=1,priority=0"),
        "  + flow of breth0: table=1,priority=0 actions=NORMAL\n",
    ),
    "MTU": (
        lambda node: node.vsctl("set", "Interface", "ovn-k8s-mp0", "mtu_request=1300"),
        "  ~ port ovn-k8s-mp0 of br-int: iface-id k8s-node1 mac 0a:58:0a:80:02:02 mtu 1400\n",
    ),
}


@pytest.mark.parametrize(("change", "repairs"), CHANGES.values(), ids=CHANGES.keys())
def test_what_is_changed_by_hand_is_named_and_repaired(
    host_node: HostNode, change: Callable[[HostNode], object], repairs: str
) -> None:
    host = settle(host_node, "172.18.0.2/16")
    desired = planned(host, nodes(2, mode="local"), routed(snat=True))
    assert host.apply(desired).failures == ()
    change(host_node)
    assert host_as_text(host.compare(desired)) == repairs
    done = host.apply(desired)
    assert (host_as_text(done.operations), done.failures, done.left) == (repairs, (), ())


def test_a_port_that_somebody_took_away_comes_back_with_all_that_is_on_it(host_node: HostNode) -> None:
    host = settle(host_node, "172.18.0.2/16")
    desired = planned(host, nodes(2, mode="local"), routed(snat=True))
    host.apply(desired)
    host_node.vsctl("del-port", "br-int", "ovn-k8s-mp0")
    done = host.apply(desired)
    assert (done.failures, done.left) == ((), ())
    assert {each.op for each in done.operations} == {"insert"}
    assert host.observe().items == desired.items


def test_what_is_of_others_stays(host_node: HostNode) -> None:
    host = settle(host_node)
    ip = host_node.namespace.ip
    host_node.nft("add table ip theirs; add chain ip theirs c { type nat hook postrouting priority 100; }")
    host_node.nft("add", "table", "inet", "ovn-kubernetes")
    ip("route", "add", "5.5.5.0/24", "via", "172.18.0.1", "table", "1003", "proto", "static")
    ip("route", "add", "6.6.6.0/24", "via", "172.18.0.1", "proto", "186")
    ip("rule", "add", "priority", "2000", "to", "7.7.7.7", "lookup", "1003")
    ip("neighbour", "add", "172.18.0.99", "lladdr", "02:00:00:00:00:99", "dev", BRIDGE, "nud", "permanent")
    host_node.vsctl("add-port", "br-int", "mine", "--", "set", "Interface", "mine", "type=internal")
    host_node.ofctl("add-flow", BRIDGE, "cookie=0xdeff105,priority=77,tcp,actions=drop")
    ip("address", "add", "172.18.0.77/32", "dev", BRIDGE)

    def theirs() -> list[str]:
        tables = [line for line in host_node.nft("list", "ruleset").split("table ") if "ovnguard" not in line[:20]]
        listed = [
            ip("route", "show", "table", "all", "proto", "static"),
            ip("route", "show", "proto", "186"),
            ip("rule", "show", "to", "7.7.7.7"),
            ip("neighbour", "show", "172.18.0.99"),
            ip("-o", "address", "show", "dev", BRIDGE, "to", "172.18.0.0/16"),
            host_node.vsctl("--columns=name,type", "find", "Interface", "name=mine"),
            host_node.ofctl("--no-stats", "dump-flows", BRIDGE, "cookie=0xdeff105/-1"),
        ]
        return [*tables, *listed]

    before = theirs()
    assert all(before[1:])
    assert host.observe() == HostPlan("node1")
    for desired in (everything(host), everything(host, "shared"), HostPlan("node1")):
        assert host.apply(desired).failures == ()
        assert theirs() == before


def test_networks_in_doubt_keep_what_they_have(host_node: HostNode) -> None:
    host = settle(host_node)
    desired = everything(host)
    host.apply(desired)
    assert host.compare(HostPlan("node1"), {"default", "cluster_udn_l3-net", "test12_net", ""}) == ()
    doubtful = {"cluster_udn_l3-net", ""}
    kept = host.compare(HostPlan("node1"), doubtful)
    assert kept
    words = ("mp3 ", "1003", "udn-bgp-drop", "l3.net", "ct_mark=0x6")
    assert not any(word in str(each).partition("actions=")[0] for each in kept for word in words)
    done = host.apply(HostPlan("node1"), doubtful)
    assert (done.failures, done.left) == ((), ())
    assert {item.network for item in host.observe().items} == doubtful
    assert [each.name for each in host.observe().chains] == ["udn-bgp-drop"]


def ping(pod: Namespace, parts: Parts, address: str) -> bool:
    try:
        pod.run(parts.tools.tool("ping"), "-n", "-i", "0.2", "-c", "1", "-w", "3", address)
    except BedError:
        return False
    return True


SOURCES = {
    "enabled": (True, {OUTSIDE: OWN_NODE, OTHER_NODE: OWN_NODE, OTHER_POD: OWN_POD}),
    "disabled": (False, {OUTSIDE: OWN_POD, OTHER_NODE: OWN_NODE, OTHER_POD: OWN_POD}),
}


@pytest.mark.parametrize(("snat", "sources"), SOURCES.values(), ids=SOURCES.keys())
def test_source_addresses_without_overlay_in_local_gateway_mode(
    host_node: HostNode, segment: Segment, parts: Parts, tmp_path: Path, snat: bool, sources: dict[str, str]
) -> None:
    """Captured on the wire: who is seen with the node's address, and who with its own."""
    host = settle(host_node, "172.18.0.2/16")
    desired = planned(host, nodes(2, mode="local"), routed(snat=snat))
    assert host.apply(desired).failures == ()
    with (
        host_node.pod(f"{OWN_POD}/23", "10.128.2.2") as pod,
        machine(segment, parts, f"{OUTSIDE}/16", f"{OTHER_NODE}/16", f"{OTHER_POD}/32") as outside,
        seen(outside, parts, tmp_path / "outside", "icmp") as wire,
    ):
        outside.ip("route", "add", "10.128.2.0/23", "via", OWN_NODE)
        host_node.namespace.ip("route", "add", "10.128.4.0/23", "via", OTHER_NODE, "proto", "bgp")
        for target, source in sources.items():
            assert ping(pod, parts, target), target
            assert f" {source} > {target}: ICMP echo request" in wire.wait(f"> {target}: ICMP echo request")[0]
        # the node itself sees its pods' own addresses
        assert ping(pod, parts, OWN_NODE)


def test_toggling_source_nat_is_a_change_of_its_chains_alone(host_node: HostNode) -> None:
    host = settle(host_node, "172.18.0.2/16")
    members = nodes(2, mode="local")
    host.apply(planned(host, members, routed(snat=True)))
    done = host.apply(planned(host, members, routed(snat=False)))
    assert host_as_text(done.operations) == (
        "  - nft set no-overlay-snat-exempt-v4\n"
        "  + nft set remote-node-ips-v4\n"
        "  ~ nft chain ovn-kube-pod-subnet-masq\n"
    )
    assert (done.failures, done.left) == ((), ())


def test_the_node_reaches_its_own_pods_by_the_management_port_in_shared_mode(
    host_node: HostNode, segment: Segment, parts: Parts, tmp_path: Path
) -> None:
    """A route that BGP brings for the node's own subnet must not take its packets out."""
    host = settle(host_node, "172.18.0.2/16")
    assert host.apply(planned(host, nodes(2), routed(snat=True))).failures == ()
    host_node.namespace.ip("route", "add", "10.128.2.5/32", "via", OUTSIDE, "proto", "bgp")
    chosen = host_node.namespace.ip_json("route", "get", OWN_POD)[0]
    assert (chosen["dev"], chosen["gateway"]) == ("ovn-k8s-mp0", "10.128.2.1")


def test_packets_of_a_network_look_its_own_table_up_without_a_vrf(host_node: HostNode) -> None:
    host = settle(host_node)
    assert not host.abilities().vrf, "this kernel has VRF devices, and the test is of one that has none"
    desired = everything(host)
    host.apply(desired)
    assert [str(note) for note in desired.notes if "VRF" in str(note)] != []
    routes = host_node.namespace.ip_json("route", "show", "table", "1003")
    assert {each["dst"] for each in routes} >= {"default", "10.20.2.0/24", "10.20.2.1", "10.96.0.0/16"}
    marked = host_node.namespace.ip_json("route", "get", "8.8.8.8", "mark", "0x1003")[0]
    assert (marked["gateway"], marked["dev"], marked["table"]) == (OUTSIDE, BRIDGE, "1003")
    answer = host_node.namespace.ip_json("route", "get", "10.20.2.7")[0]
    assert (answer["gateway"], answer["dev"]) == ("10.20.2.1", "ovn-k8s-mp3")


def test_pods_of_user_networks_leave_as_the_node_or_by_their_egress_address(
    host_node: HostNode, segment: Segment, parts: Parts, tmp_path: Path
) -> None:
    """What stands for the network's gateway router sends with its masquerade address, with and without a mark."""
    host = settle(host_node, "172.18.0.2/16")
    network, members = udn("test12_net", "203.203.0.0/16", network_id=6), nodes(2)
    leaving = EgressAssignment("out", "test12_net", 50000, (EgressHop("node1", ip_address(EGRESS)),), ())
    settings = Settings(egress=(leaving,))
    plan = make_plan([network], members, settings)
    desired = host_plan("node1", HostInputs((network,), members, plan.ids, settings), host.abilities())
    done = host.apply(desired)
    assert (done.failures, done.left) == ((), ())
    with (
        machine(segment, parts, f"{OUTSIDE}/16") as outside,
        host_node.router("patch-breth0_test12_net_node1-to-br-int", "169.254.0.21/32") as router,
        seen(outside, parts, tmp_path / "outside", "icmp") as wire,
    ):
        router.ip("route", "add", "172.18.0.0/16", "dev", "eth0")
        mac = outside.ip_json("link", "show", "eth0")[0]["address"]
        router.ip("neighbour", "add", OUTSIDE, "lladdr", mac, "dev", "eth0")
        assert ping(router, parts, OUTSIDE)
        host_node.mark(50000)
        assert ping(router, parts, OUTSIDE)
        requests = wire.wait(f"{EGRESS} > {OUTSIDE}: ICMP echo request")
        assert requests
        assert wire.lines(f" {OWN_NODE} > {OUTSIDE}: ICMP echo request")
        assert not wire.lines("169.254")
    gone = host.apply(HostPlan("node1"))
    assert (gone.failures, gone.left, host.observe()) == ((), (), HostPlan("node1"))


def test_a_flow_waits_for_the_port_that_ovn_makes(host_node: HostNode) -> None:
    host_node.namespace.add_address(BRIDGE, "172.18.0.2/16")
    host = host_node.host("node1")
    desired = planned(host, nodes(2), routed(snat=True))
    done = host.apply(desired)
    assert done.failures == (f"bridge {BRIDGE} has no port patch-{BRIDGE}_node1-to-br-int yet",)
    assert {each.subject.kind for each in done.left if not isinstance(each.subject, (NftSet, NftChain))} == {"flow"}
    host_node.patch(f"patch-{BRIDGE}_node1-to-br-int")
    again = host.apply(desired)
    assert (again.failures, again.left) == ((), ())


def test_bgp_routes_of_the_kernel_become_rows(host_node: HostNode) -> None:
    host = settle(host_node)
    assert kernel_routes(host) == ()
    ip = host_node.namespace.ip
    ip("route", "add", "10.128.4.0/23", "via", OTHER_NODE, "proto", "bgp")
    hops = ["nexthop", "via", OTHER_NODE, "nexthop", "via", "172.18.0.4"]
    ip("route", "add", "192.0.2.0/24", "proto", "bgp", *hops)
    ip("route", "add", "198.51.100.0/24", "dev", BRIDGE, "proto", "bgp")
    ip("route", "add", "203.0.113.0/24", "via", OTHER_NODE, "proto", "static")
    ip("route", "add", "10.30.0.0/24", "via", OTHER_NODE, "proto", "bgp", "table", "1003")
    ip("route", "add", "blackhole", "10.31.0.0/24", "proto", "bgp")
    ip("-6", "route", "add", "fd01:0:0:3::/64", "via", "fc00::3", "proto", "bgp")
    found = kernel_routes(host)
    assert found == tuple(
        ImportedRoute("default", "node1", ip_network(prefix), ip_address(hop))
        for prefix, hop in (
            ("10.128.4.0/23", OTHER_NODE),
            ("192.0.2.0/24", OTHER_NODE),
            ("192.0.2.0/24", "172.18.0.4"),
            ("fd01:0:0:3::/64", "fc00::3"),
        )
    )
    plan = make_plan([routed(snat=True)], nodes(2), Settings(imported_routes=found), ["node1"])
    rows = [row.columns for row in plan.zones[0].rows if row.table == "Logical_Router_Static_Route"]
    learned = {(row["ip_prefix"], row["nexthop"]) for row in rows if "RouteImport" in str(row["external_ids"])}
    assert learned >= {("10.128.4.0/23", OTHER_NODE), ("192.0.2.0/24", OTHER_NODE), ("192.0.2.0/24", "172.18.0.4")}


def test_routes_of_real_bgp_are_imported(frr_lab: Callable[[Sequence[FrrNode]], FrrLab]) -> None:
    members = nodes(3, v6=True)
    lab = frr_lab(lab_nodes(confs_of(DUAL_DEFAULT, members), members))
    prefix = tuple(str(word) for word in lab["node1"].namespace.inside([]))
    host = Host("node1", Shell(prefix))
    wait_until(lambda: len(kernel_routes(host)) == 4, "routes of node1", 60)
    found = {(str(each.prefix), str(each.nexthop)) for each in kernel_routes(host)}
    assert found >= {("10.128.4.0/23", "172.18.0.3"), ("10.128.6.0/23", "172.18.0.4")}
    assert {prefix for prefix, _ in found} >= {"fd01:0:0:2::/64", "fd01:0:0:3::/64"}
