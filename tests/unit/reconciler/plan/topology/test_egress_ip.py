"""EgressIPs over several nodes, and what is said where there are none."""

from dataclasses import replace
from typing import Any

from reconciler.plan.planner import Plan, make_plan
from reconciler.plan.row_diff import diff
from reconciler.plan.settings import Settings
from tests.support.plan_samples import SERVICES, nodes, sharing
from tests.support.plan_scenarios import LAYER2, LAYER2_LEAVING, LAYER3_BOTH, ROUTED, generations, leaving

ROUTER = "test12_namespace.scoped_transit_router"


def planned(*hops: str) -> Plan:
    egress = leaving(LAYER2, *hops, pods={"node1": ("203.203.0.11",), "node3": ("203.203.0.13",)})
    return make_plan([LAYER2], nodes(3, v6=True), Settings(egress=(egress,)))


def policies(plan: Plan, zone: int) -> dict[str, Any]:
    """Next hops of the policies that reroute, by pod."""
    rows = (row.columns for row in plan.zones[zone].rows if row.table == "Logical_Router_Policy")
    return {str(row["match"]): row["nexthops"] for row in rows if row["priority"] == 100}


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


def test_an_address_on_no_known_node_leaves_the_pod_alone() -> None:
    plan = planned("node9=172.18.0.209")
    assert policies(plan, 0) == {}
    assert not [row for row in plan.zones[0].rows if row.table == "Address_Set"]


def test_of_two_egress_ips_for_one_pod_the_first_counts() -> None:
    first = leaving(LAYER2, "node2=172.18.0.202", pods={"node1": ("203.203.0.11",)}, mark=50001)
    second = leaving(LAYER2, "node3=172.18.0.203", pods={"node1": ("203.203.0.11",)}, mark=50002)
    plan = make_plan([LAYER2], nodes(3, v6=True), Settings(egress=(first, replace(second, name="later"))))
    assert policies(plan, 0) == {"ip4.src == 203.203.0.11": ("100.88.0.7",)}


def test_where_there_are_none_it_is_said() -> None:
    routed = leaving(ROUTED, "node2=172.18.0.202", pods={"node1": ("10.20.2.11",)})
    plan = make_plan([ROUTED], sharing(nodes(2, v6=True), ROUTED), replace(SERVICES, egress=(routed,)))
    text = "no EgressIP: without tunnels, pods leave only through their own node"
    assert text in [note.text for note in plan.notes if note.network == ROUTED.name]
    assert policies(plan, 0) == {}
    mixed = make_plan([LAYER2], generations("noo"), replace(SERVICES, egress=(LAYER2_LEAVING,)))
    text = "no EgressIP on nodes without a transit router (and 1 more)"
    assert [str(note) for note in mixed.notes] == [f"network {LAYER2.name}, node node2: {text}"]
    other = leaving(LAYER3_BOTH, "node2=172.18.0.202", pods={"node1": ("203.203.0.11",)})
    assert make_plan([LAYER2], generations("oo"), replace(SERVICES, egress=(other,))).notes == ()
