"""EgressIPs over several nodes, and what is said where there are none."""

from dataclasses import replace
from ipaddress import ip_address
from typing import Any

import pytest

from ovnguard.reconciler.plan.planner import Plan, make_plan
from ovnguard.reconciler.plan.rows.model import EgressPod
from ovnguard.reconciler.plan.rows.northbound import refs
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.rows.row_diff import diff
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.topology.address_sets import NODE_IPS, SERVICE_PODS, SERVICES, served_pods_name
from ovnguard.validators.network.model import Network
from tests.support.plan_samples import nodes, sharing, udn
from tests.support.plan_scenarios import (
    DEFAULT_LEAVING,
    LAYER2,
    LAYER3_BOTH,
    LAYER3_LEAVING,
    OVERLAY_DEFAULT,
    ROUTED,
    generations,
    leaving,
)

ONE_FAMILY = udn(network_id=1, tunnel_keys=(16711684, 16715780))
ROUTER = "test12_namespace.scoped_transit_router"


def planned(*hops: str) -> Plan:
    egress = leaving(LAYER2, *hops, pods={"node1": ("203.203.0.11",), "node3": ("203.203.0.13",)})
    return make_plan([LAYER2], nodes(3, v6=True), Settings(egress=(egress,)))


def policies(plan: Plan, zone: int) -> dict[str, Any]:
    """Next hops of the policies that reroute, by pod."""
    rows = (row.columns for row in plan.zones[zone].rows if row.table == "Logical_Router_Policy")
    return {str(row["match"]): row["nexthops"] for row in rows if row["priority"] == 100}


def reroutes(plan: Plan, zone: int) -> list[Row]:
    rows = (row for row in plan.zones[zone].rows if row.table == "Logical_Router_Policy")
    return [row for row in rows if row.columns["priority"] == 100]


def marked(plan: Plan, zone: int) -> set[object]:
    rows = (row.columns for row in plan.zones[zone].rows if row.table == "Logical_Router_Policy")
    return {row["match"] for row in rows if row["priority"] == 95}


def test_every_egress_node_is_a_next_hop_where_the_pod_runs() -> None:
    plan = planned("node2=172.18.0.202", "node3=172.18.0.203")
    assert policies(plan, 0) == {"ip4.src == 203.203.0.11": ("100.88.0.7", "100.88.0.9")}
    assert policies(plan, 1) == {
        "ip4.src == 203.203.0.11": ("100.88.0.7",),
        "ip4.src == 203.203.0.13": ("100.88.0.7",),
    }
    assert policies(plan, 2) == {
        "ip4.src == 203.203.0.11": ("100.88.0.9",),
        "ip4.src == 203.203.0.13": ("100.88.0.7", "100.88.0.9"),
    }
    assert marked(plan, 0) == set()
    both = {f"ip4.src == 203.203.0.1{number} && pkt.mark == 0" for number in (1, 3)}
    assert marked(plan, 1) == marked(plan, 2) == both


def test_a_node_more_is_one_update() -> None:
    one, two = planned("node2=172.18.0.202"), planned("node2=172.18.0.202", "node3=172.18.0.203")
    steps = [f"{each.op} {each.subject}" for each in diff(one.zones[0].rows, two.zones[0].rows)]
    assert steps == [f"update {ROUTER} policy 100 ip4.src == 203.203.0.11"]


def served(plan: Plan, zone: int, network: Network = LAYER2) -> dict[int, object]:
    """The members of the sets of served pods, by IP version."""
    rows = {
        str(row.columns["name"]): row.columns["addresses"]
        for row in plan.zones[zone].rows
        if "addresses" in row.columns
    }
    return {version: rows[name] for version in (4, 6) if (name := served_pods_name(network, version)) in rows}


def test_an_address_on_no_known_node_leaves_the_pod_alone() -> None:
    plan = planned("node9=172.18.0.209")
    assert policies(plan, 0) == {}
    assert served(plan, 0) == {4: (), 6: ()}


def test_served_are_the_pods_of_this_node_with_all_their_addresses() -> None:
    pods = {"node1": ("203.203.0.11", "2010:100:200::11"), "node3": ("203.203.0.13",)}
    egress = leaving(LAYER2, "node2=172.18.0.202", pods=pods)
    plan = make_plan([LAYER2], nodes(3, v6=True), Settings(egress=(egress,)))
    assert served(plan, 0) == {4: ("203.203.0.11",), 6: ("2010:100:200::11",)}
    assert served(plan, 1) == {4: (), 6: ()}
    assert policies(plan, 0) == {"ip4.src == 203.203.0.11": ("100.88.0.7",)}


def rules(plan: Plan) -> dict[str, Row]:
    return {str(row.columns["match"]): row for row in plan.zones[0].rows if row.table == "QoS"}


@pytest.mark.parametrize(
    ("network", "settings", "versions"),
    [
        (LAYER2, Settings(), (4, 6)),
        (ONE_FAMILY, Settings(), (4,)),
        (ONE_FAMILY, Settings(ip_versions=(4, 6)), (4, 6)),
        (ROUTED, Settings(), (4, 6)),
    ],
)
def test_replies_are_marked_before_any_egress_ip(
    network: Network, settings: Settings, versions: tuple[int, ...]
) -> None:
    plan = make_plan([network], sharing(nodes(2, v6=True), network), settings)
    found = rules(plan)
    names = {
        version: f"ip{version}.src == ${served_pods_name(network, version)} && ct.trk && ct.rpl" for version in versions
    }
    assert sorted(found) == sorted(names.values())
    (switch,) = (row for row in plan.zones[0].rows if row.columns.get("qos_rules"))
    assert switch.columns["qos_rules"] == refs(found.values())
    rule = found[names[4]].columns
    assert (rule["direction"], rule["priority"], rule["action"]) == ("from-lport", 103, {"mark": "42"})
    policy = {
        str(row.columns["match"]): row.columns for row in plan.zones[0].rows if row.columns.get("priority") == 102
    }
    sources = f"(ip4.src == ${served_pods_name(network, 4)} || ip4.src == ${SERVICE_PODS.at(4)})"
    assert policy[f"{sources} && ip4.dst == ${NODE_IPS.at(4)}"]["options"] == {"pkt_mark": "1008"}
    assert policy[f"{sources} && ip4.dst == ${SERVICES.at(4)}"]["options"] == {}
    sets = {
        str(row.columns["name"]): row.columns["addresses"] for row in plan.zones[0].rows if row.table == "Address_Set"
    }
    assert sets[NODE_IPS.at(4)] == ("172.18.0.2", "172.18.0.3")


def test_pods_of_other_nodes_need_no_policy_in_layer3_networks() -> None:
    plan = make_plan([LAYER3_BOTH], sharing(nodes(3, v6=True), LAYER3_BOTH), Settings(egress=(LAYER3_LEAVING,)))
    assert policies(plan, 0) == {
        "ip4.src == 10.20.2.11": ("100.65.0.2", "100.88.0.4"),
        "ip6.src == fd20:0:0:2::11": ("fd97::4",),
    }
    assert marked(plan, 0) == {f"ip4.src == 10.20.{number}.11 && pkt.mark == 0" for number in (2, 4)}


def test_only_the_default_network_translates_and_marks_nothing() -> None:
    plan = make_plan([OVERLAY_DEFAULT], sharing(nodes(3)), Settings(egress=(DEFAULT_LEAVING,)))
    (policy,) = (row.columns for row in plan.zones[0].rows if row.columns.get("priority") == 100)
    assert (policy["match"], policy["options"]) == ("ip4.src == 10.128.2.11", {})
    own = [row for row in plan.zones[0].rows if row.columns.get("external_ip") == "172.18.0.201"]
    assert sorted(str(row.columns["logical_ip"]) for row in own) == ["10.128.2.11", "10.128.6.11"]
    assert {row.entry("external_ids", "k8s.ovn.org/id") for row in own} == {
        f"default-network-controller:EgressIP:out_ns/pod-node{number}:ip4" for number in (1, 3)
    }


@pytest.mark.parametrize(
    ("kinds", "zone", "hops"),
    [
        ("oo", 0, {"ip4.src == 203.203.0.11": ("100.65.0.3", "172.18.0.1")}),
        ("oo", 1, {"ip4.src == 203.203.0.11": ("172.18.0.1",)}),
        ("no", 0, {"ip4.src == 203.203.0.11": ("100.65.0.3", "100.88.0.5")}),
        ("no", 1, {"ip4.src == 203.203.0.11": ("172.18.0.1",)}),
        ("on", 0, {"ip4.src == 203.203.0.11": ("100.65.0.3", "172.18.0.1")}),
        ("on", 1, {"ip4.src == 203.203.0.11": ("100.88.0.7",)}),
    ],
)
def test_before_the_upgrade_the_gateway_router_sends_packets_out(
    kinds: str, zone: int, hops: dict[str, tuple[str, ...]]
) -> None:
    egress = leaving(LAYER2, "node1=172.18.0.201", "node2=172.18.0.202", pods={"node1": ("203.203.0.11",)})
    plan = make_plan([LAYER2], generations(kinds), Settings(egress=(egress,)))
    assert policies(plan, zone) == hops
    has_marks = kinds[zone] == "n"
    assert marked(plan, zone) == ({"ip4.src == 203.203.0.11 && pkt.mark == 0"} if has_marks else set())


def test_of_two_egress_ips_for_one_pod_the_first_counts() -> None:
    first = leaving(LAYER2, "node2=172.18.0.202", pods={"node1": ("203.203.0.11",)}, mark=50001)
    second = leaving(LAYER2, "node3=172.18.0.203", pods={"node1": ("203.203.0.11",)}, mark=50002)
    plan = make_plan([LAYER2], nodes(3, v6=True), Settings(egress=(first, replace(second, name="later"))))
    assert policies(plan, 0) == {"ip4.src == 203.203.0.11": ("100.88.0.7",)}


@pytest.mark.parametrize(("source", "target"), [("ns/a", "ns/b"), ("ns/b", "ns/a")])
def test_both_pods_of_a_machine_that_migrates_leave_by_the_egress_ip(source: str, target: str) -> None:
    pods = tuple(
        EgressPod(name, node, (ip_address("203.203.0.11"),))
        for name, node in sorted([(source, "node1"), (target, "node2")])
    )
    egress = replace(leaving(LAYER2, "node3=172.18.0.203", pods={}), pods=pods)
    plan = make_plan([LAYER2], nodes(3, v6=True), Settings(egress=(egress,)))
    for zone in (0, 1):
        assert policies(plan, zone) == {"ip4.src == 203.203.0.11": ("100.88.0.9",)}
        (served,) = (row for row in plan.zones[zone].rows if row.columns.get("name") == served_pods_name(LAYER2, 4))
        assert served.columns["addresses"] == ("203.203.0.11",)
    names = [row.entry("external_ids", "k8s.ovn.org/name") for zone in (0, 1) for row in reroutes(plan, zone)]
    assert names == [f"out_{source}", f"out_{target}"]
    # nothing of it changes on either node when the target is ready, or on the target's node when the source ends
    after = replace(egress, pods=tuple(each for each in pods if each.node == "node2"))
    ended = make_plan([LAYER2], nodes(3, v6=True), Settings(egress=(after,)))
    assert reroutes(ended, 1) == reroutes(plan, 1)
    assert marked(ended, 2) == marked(plan, 2) == {"ip4.src == 203.203.0.11 && pkt.mark == 0"}


def test_networks_without_egress_ips_have_a_note() -> None:
    routed = leaving(ROUTED, "node2=172.18.0.202", pods={"node1": ("10.20.2.11",)})
    plan = make_plan([ROUTED], sharing(nodes(2, v6=True), ROUTED), Settings(egress=(routed,)))
    text = "no EgressIP: without tunnels, pods leave only through their own node"
    assert text in [note.text for note in plan.notes if note.network == ROUTED.name]
    assert policies(plan, 0) == {}
