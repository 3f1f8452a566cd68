"""Ports of pods in plans: who has one, who has none and why, and what a change costs."""

from dataclasses import replace
from ipaddress import ip_network

import pytest

from ovnguard.reconciler.plan.numbers.memo import Memo
from ovnguard.reconciler.plan.planner import Plan, make_plan
from ovnguard.reconciler.plan.rows.model import PodPort
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.rows.row_diff import diff
from ovnguard.reconciler.plan.rows.row_groups import groups_of
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import Network, Role
from tests.support.plan_samples import SERVICES, layer3, node, nodes, pod, sharing, udn
from tests.support.plan_scenarios import LAYER2, LAYER2_PODS, LAYER3_BOTH, LAYER3_PODS, generations

NET = udn("a_net", network_id=2, tunnel_keys=(16711685, 16715781))
FIRST = pod(NET, "one", "node1", "203.203.0.11", key=11)


def planned(*pods: PodPort, network: Network = NET, members: tuple[Node, ...] = nodes(2)) -> Plan:
    return make_plan([network], members, SERVICES, pods={network.name: pods})


def ports(plan: Plan, zone: int = 0) -> list[str]:
    rows = [row for row in plan.zones[zone].rows if row.entry("external_ids", "pod") == "true"]
    return sorted(str(row.columns["name"]) for row in rows)


def on_switch(plan: Plan, name: str) -> int:
    """How many ports the switch of this name has."""
    switches = [row for row in plan.zones[0].rows if row.table == "Logical_Switch"]
    (switch,) = (row for row in switches if row.columns["name"] == name)
    value = switch.columns["ports"]
    assert isinstance(value, tuple)
    return len(value)


def test_pods_are_on_their_switch_and_their_own_node_has_them() -> None:
    plan = make_plan([LAYER2], nodes(3, v6=True), SERVICES, pods={LAYER2.name: LAYER2_PODS})
    assert plan.errors == ()
    assert ports(plan) == ports(plan, 2)
    assert len(ports(plan)) == 3
    assert on_switch(plan, "test12_namespace.scoped_ovn_layer2_switch") == 5
    split = make_plan(
        [LAYER3_BOTH], sharing(nodes(2, v6=True), LAYER3_BOTH), SERVICES, pods={LAYER3_BOTH.name: LAYER3_PODS}
    )
    assert (ports(split), ports(split, 1)) == (["ns.l3.dual_ns_here"], ["ns.l3.dual_ns_there"])
    assert on_switch(split, "cluster_udn_l3.dual_node1") == 3


def test_a_pod_that_moves_keeps_its_row_and_changes_it() -> None:
    before, after = planned(FIRST), planned(replace(FIRST, node="node2"))
    assert [(step.op, step.subject, sorted(step.row)) for step in diff(before.zones[0].rows, after.zones[0].rows)] == [
        ("update", "ns.net_ns_one", ["options", "type"])
    ]


OTHER = pod(NET, "two", "node2", "203.203.0.12", key=12)
HELD = "network a_net, node node2, pod ns/two: {} is already held by pod ns/one"


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"addresses": FIRST.addresses}, HELD.format("address 203.203.0.11")),
        ({"mac": FIRST.mac}, HELD.format("MAC 0a:58:cb:cb:00:0b")),
        ({"key": 11}, HELD.format("tunnel key 11")),
        ({"key": None}, "network a_net, node node2, pod ns/two: no tunnel_id is recorded for ns/net"),
        (
            {"addresses": (ip_network("203.203.0.1").network_address,)},
            "network a_net, node node2, pod ns/two: address 203.203.0.1 is not for pods",
        ),
        (
            {"addresses": (ip_network("192.0.2.1").network_address,)},
            "network a_net, node node2, pod ns/two: address 192.0.2.1 is outside 203.203.0.0/16",
        ),
        (
            {"attachment": "ns/n-t", "pod": "one", "namespace": "ns"},
            "network a_net, node node2, pod ns/one: port name ns.n.t_ns_one is already held by pod ns/one",
        ),
    ],
)
def test_of_two_pods_that_claim_the_same_the_later_has_no_port(changes: dict, text: str) -> None:
    first = replace(FIRST, attachment="ns/n.t") if "attachment" in changes else FIRST
    plan = planned(first, replace(OTHER, **changes))
    assert [str(error) for error in plan.errors] == [text]
    assert ports(plan) == [first.name]


def test_keys_of_gateway_routers_before_transit_routers_are_not_for_pods() -> None:
    plan = make_plan([LAYER2], generations("no"), SERVICES, pods={LAYER2.name: (replace(LAYER2_PODS[0], key=103),)})
    text = f"network {LAYER2.name}, node node1, pod ns/here: tunnel key 103 is already held by the router of node node2"
    assert [str(error) for error in plan.errors] == [text]


def test_macs_of_layer3_networks_are_those_of_one_node() -> None:
    network = layer3()
    members = sharing(nodes(2), network)
    here, there = pod(network, "one", "node1", "10.20.2.11"), pod(network, "two", "node2", "10.20.3.11")
    same = replace(there, mac=here.mac)
    assert planned(here, same, network=network, members=members).errors == ()
    (error,) = planned(here, replace(same, node="node1"), network=network, members=members).errors
    assert error.text == "MAC 0a:58:0a:14:02:0b is already held by pod ns/one"
    (error,) = planned(pod(network, "one", "node1", "10.20.2.2"), network=network, members=members).errors
    assert error.text == "address 10.20.2.2 is not for pods"


def test_pods_wait_for_their_node() -> None:
    members = (node(1), node(2, chassis_id=""))
    plan = planned(
        FIRST,
        OTHER,
        replace(OTHER, pod="three", node="gone", addresses=(), mac="0a:58:00:00:00:09", key=9),
        members=members,
    )
    assert plan.errors == ()
    text = "waits for k8s.ovn.org/node-chassis-id of its node (and 1 more)"
    assert [str(note) for note in plan.notes if note.pod] == [f"network a_net, node node2, pod ns/two: {text}"]
    assert ports(plan) == ["ns.net_ns_one"]


def key_of(rows: tuple[Row, ...], name: str) -> str:
    (row,) = (row for row in rows if row.columns.get("name") == name)
    options = row.columns["options"]
    assert hasattr(options, "get")
    return options.get("requested-tnl-key", "")


def test_northd_selects_the_key_of_the_switchs_own_port() -> None:
    rows = tuple(planned(pod(NET, "p1", "node2", "203.203.1.1", key=1)).zones[0].rows)
    assert key_of(rows, "stotr-a_net_ovn_layer2_switch") == ""


def test_two_networks_never_share_the_name_of_a_port() -> None:
    dashed = replace(FIRST, attachment="ns/b-c")
    second = udn("a_other", role=Role.SECONDARY, transit_subnets=())._replace(network_id=3)
    dotted = replace(dashed, network="a_other", attachment="ns/b.c")
    free = replace(dotted, pod="two", addresses=(), mac="0a:58:00:00:00:02", key=12)
    plan = make_plan([NET, second], nodes(2), SERVICES, pods={"a_net": (dashed,), "a_other": (dotted, free)})
    text = "network a_other, node node1, pod ns/one: its port would have the name of another, ns.b.c_ns_one"
    assert [str(error) for error in plan.errors] == [text]
    assert ports(plan) == ["ns.b.c_ns_one", "ns.b.c_ns_two"]
    bridge = layer3("default", network_id=None)
    member = sharing(nodes(1), bridge)
    taken = replace(pod(bridge, "node1", "node1", "10.20.2.11"), namespace="breth0")
    plan = planned(taken, network=bridge, members=member)
    assert [error.text for error in plan.errors] == ["its port would have the name of another, breth0_node1"]
    assert ports(plan) == []


def test_a_changed_pod_plans_only_its_network_again() -> None:
    memo, networks = Memo(), [NET, LAYER2]
    pods = {NET.name: (FIRST, OTHER), LAYER2.name: LAYER2_PODS}

    def rows(pods: dict[str, tuple[PodPort, ...]]) -> dict[str, tuple[Row, ...]]:
        plan = make_plan(networks, nodes(3, v6=True), SERVICES, ("node1",), memo=memo, pods=pods)
        assert plan.zones == make_plan(networks, nodes(3, v6=True), SERVICES, ("node1",), pods=pods).zones
        return dict(groups_of(plan.zones[0].rows))

    first = rows(pods)
    again = rows({name: tuple(replace(each) for each in group) for name, group in pods.items()})
    assert all(again[name] is first[name] for name in (NET.name, LAYER2.name))
    third = rows({**pods, NET.name: (FIRST,)})
    assert third[LAYER2.name] is first[LAYER2.name]
    kept = {id(row) for row in first[NET.name]}
    fresh = sorted((row.table, str(row.columns["name"])) for row in third[NET.name] if id(row) not in kept)
    assert fresh == [("Logical_Switch", "a_net_ovn_layer2_switch")]
    assert rows({}).keys() == first.keys()


def test_pods_of_networks_that_are_not_planned_have_no_ports() -> None:
    plan = make_plan([NET], nodes(1), SERVICES, pods={"other": (FIRST,)})
    assert ports(plan) == []
    assert plan.zones == make_plan([NET], nodes(1), SERVICES).zones


def test_a_plan_names_the_ports_that_it_refuses_and_those_on_unknown_nodes() -> None:
    gone, waiting = (
        replace(OTHER, node="gone"),
        replace(OTHER, pod="three", key=13, mac="0a:58:00:00:00:03", addresses=()),
    )
    plan = planned(FIRST, gone, waiting, members=(node(1), node(2, chassis_id="")))
    assert (plan.refused, plan.stranded) == (frozenset(), frozenset({"ns.net_ns_two"}))
    plan = planned(FIRST, replace(OTHER, mac=FIRST.mac))
    assert (plan.refused, plan.stranded) == (frozenset({"ns.net_ns_two"}), frozenset())
