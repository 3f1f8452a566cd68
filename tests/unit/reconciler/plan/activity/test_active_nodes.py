"""Which nodes use a network under dynamic allocation, and what the others lack."""

from dataclasses import replace
from ipaddress import ip_network
from typing import Any

import pytest

from ovnguard.reconciler.plan.activity.active_nodes import active_nodes_of, idle_notes
from ovnguard.reconciler.plan.numbers.memo import Memo
from ovnguard.reconciler.plan.planner import Plan, make_plan
from ovnguard.reconciler.plan.rows.model import ActiveNodes, PodPort
from ovnguard.reconciler.plan.rows.row_groups import groups_of
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import ObjectsView
from ovnguard.validators.network.declared.network_of import network_of
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import ObjectRef, Role, Topology
from tests.support.manifests.egress_manifests import BLUE, UDN, namespace
from tests.support.manifests.pod_manifests import cudn, nad, pod
from tests.support.plan_samples import SERVICES, layer3, node, nodes, sharing, udn
from tests.support.plan_scenarios import LAYER2

EVERYWHERE: list[ActiveNodes] = []


def on(node: str, name: str = "a", **status: Any) -> JsonObject:
    return {**pod(name), "spec": {"nodeName": node}, "status": status}


def egress_ip(*nodes: str, team: str = "a") -> JsonObject:
    return {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "EgressIP",
        "metadata": {"name": "out"},
        "spec": {"egressIPs": ["172.18.0.9"], "namespaceSelector": {"matchLabels": {"team": team}}},
        "status": {"items": [{"node": each, "egressIP": "172.18.0.9"} for each in nodes]},
    }


def with_condition(obj: JsonObject, status: str = "True", **changes: str) -> JsonObject:
    condition = {"type": "NodesSelected", "reason": "DynamicAllocation", "status": status, **changes}
    return {**obj, "status": {"conditions": [{"type": "NetworkCreated", "status": "True"}, condition]}}


def active(*objects: JsonObject, dynamic: bool | None = True, nodes: tuple[Node, ...] = (), **more: Any):
    view = ObjectsView(list(objects))
    networks = [found.network for obj in objects if (found := network_of(obj)).network is not None]
    ports = more.pop("ports", {})
    return list(active_nodes_of(view, dynamic, [each for each in networks if each is not None], nodes, ports, **more))


def used(*nodes: str, grace: frozenset[str] = frozenset()) -> list[ActiveNodes]:
    return [ActiveNodes("blue_net", frozenset(nodes), grace)]


@pytest.mark.parametrize(
    ("objects", "nodes"),
    [
        ([], ()),
        ([on("node1")], ("node1",)),
        ([on("node1"), on("node2", "b", phase="Pending")], ("node1", "node2")),
        ([on("node1", phase="Succeeded"), on("node2", "b", phase="Failed")], ()),
        ([pod("a", hostNetwork=True)], ()),
        ([egress_ip("node3")], ("node3",)),
        ([egress_ip("node3"), on("node1")], ("node1", "node3")),
        ([egress_ip("node3", team="other")], ()),
        ([egress_ip()], ()),
    ],
)
def test_pods_and_egress_ips_of_its_namespaces_make_a_node_use_a_network(
    objects: list[JsonObject], nodes: tuple[str, ...]
) -> None:
    assert active(UDN, BLUE, *objects) == used(*nodes)


def test_a_terminating_pod_counts_until_it_is_gone() -> None:
    leaving = on("node1")
    leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert active(UDN, BLUE, leaving) == used("node1")


def test_pods_of_a_namespace_without_the_label_are_in_the_default_network() -> None:
    assert active(UDN, namespace("blue"), on("node1")) == used()


def test_pods_use_the_networks_that_they_record() -> None:
    side = udn("cluster_udn_side", role=Role.SECONDARY)._replace(
        source=ObjectRef("", "ClusterUserDefinedNetwork", "", "")
    )
    port = PodPort(side.name, "blue/side", "blue", "a", "u", "node2", "0a:58:00:00:00:01", (), 5)
    found = active_nodes_of(ObjectsView([]), True, [side], (), {side.name: (port,)})
    assert found == (ActiveNodes(side.name, frozenset({"node2"})),)


SIDE_UDN = {
    **UDN,
    "metadata": {"name": "side", "namespace": "blue"},
    "spec": {"topology": "Layer2", "layer2": {"role": "Secondary", "subnets": ["10.9.0.0/16"]}},
}


@pytest.mark.parametrize(
    ("requests", "changes", "uses"),
    [
        ("side", {}, True),
        ("blue/side@eth5", {}, True),
        ([{"name": "side"}], {}, True),
        # what a zone would allocate does not matter here
        ([{"name": "side", "namespace": "blue", "mac": "02:00:00:00:00:01", "ips": ["x"]}], {}, True),
        ("side", {"hostNetwork": True}, True),
        ("side", {"nodeName": ""}, False),
        ("other/side", {}, False),
        ("side,NOT A NAME", {}, False),
        ("[", {}, False),
        ([7], {}, False),
        ("x" * 70_000, {}, False),
    ],
)
def test_a_pod_uses_the_networks_that_it_requests(requests: Any, changes: dict[str, Any], uses: bool) -> None:
    found = active(SIDE_UDN, pod("a", requests=requests, **changes))
    assert found == [ActiveNodes("blue_side", frozenset({"node1"} if uses else ()))]
    assert active(SIDE_UDN, {**pod("a", requests=requests), "status": {"phase": "Failed"}}) == [
        ActiveNodes("blue_side", frozenset())
    ]


def test_a_pod_on_the_hosts_network_uses_the_requested_network_but_not_that_of_its_namespace() -> None:
    found = active(UDN, SIDE_UDN, BLUE, pod("a", requests="side", hostNetwork=True))
    assert found == [*used(), ActiveNodes("blue_side", frozenset({"node1"}))]


def test_pods_of_selected_namespaces_without_the_label_do_not_use_the_network() -> None:
    """Of two namespaces that a network selects, only one has the label: pods of the other are on the default one."""
    other = {**on("node2", "b"), "metadata": {"name": "b", "namespace": "other"}}
    found = active(cudn("blue"), BLUE, namespace("other"), on("node1"), other)
    assert found == [ActiveNodes("cluster_udn_blue", frozenset({"node1"}))]


@pytest.mark.parametrize(
    "objects",
    [[nad("blue", "raw", "raw-net")], [cudn("x"), nad("blue", "raw", "cluster_udn_x")]],
    ids=["attachment", "attachment-of-the-same-network"],
)
def test_attachments_that_no_udn_rendered_are_used_everywhere(objects: list[JsonObject]) -> None:
    assert active(*objects) == EVERYWHERE


def ovnkube(text: str, place: str = "ovn-kubernetes") -> JsonObject:
    metadata = {"name": "ovnkube-config", "namespace": place}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"ovnkube.conf": text}}


FILE = "[ovnkubernetesfeature]\nenable-dynamic-udn-allocation=true\n"


@pytest.mark.parametrize(
    ("objects", "is_dynamic"),
    [
        ([UDN], False),
        ([with_condition(UDN)], True),
        ([with_condition(UDN, "False")], True),
        ([with_condition(UDN, reason="Other")], False),
        ([UDN, with_condition(cudn("other"))], True),
        ([UDN, ovnkube(FILE)], True),
        ([UDN, ovnkube(FILE, "tenant")], False),
        ([UDN, ovnkube(FILE.replace("true", "false"))], False),
        # OVN-Kubernetes leaves its conditions where they are when it is switched off
        ([with_condition(UDN), ovnkube(FILE.replace("true", "false"))], False),
        ([with_condition(UDN), ovnkube(FILE.replace("true", "false"), "tenant")], True),
        ([with_condition(UDN), ovnkube("[default]\nmtu=1400\n")], True),
        ([{**UDN, "status": {"conditions": "x"}}], False),
        ([{**UDN, "status": {"conditions": [7, {"type": ["NodesSelected"]}]}}], False),
    ],
)
def test_dynamic_allocation_shows_in_any_networks_status_and_in_ovnkubes_configuration(
    objects: list[JsonObject], is_dynamic: bool
) -> None:
    found = active(*objects, BLUE, dynamic=None)
    assert ([each for each in found if each.network == "blue_net"] == used()) is is_dynamic
    assert active(*objects, BLUE, dynamic=False) == EVERYWHERE


def test_nodes_in_grace_have_rows_and_no_ports_on_others() -> None:
    (found,) = active(UDN, BLUE, on("node1"), grace={"blue_net": ["node1", "node2"]})
    assert found == used("node1", grace=frozenset({"node2"}))[0]
    assert [found.has_rows(f"node{number}") for number in (1, 2, 3)] == [True, True, False]


def test_the_cluster_manager_keeps_a_layer3_nodes_subnet_during_grace() -> None:
    network = {
        **UDN,
        "spec": {
            "topology": "Layer3",
            "layer3": {"role": "Primary", "subnets": [{"cidr": "10.20.0.0/16", "hostSubnet": 24}]},
        },
    }
    members = (node(1)._replace(host_subnets={"blue_net": (ip_network("10.20.1.0/24"),)}), node(2))
    assert active(with_condition(network, "False"), BLUE, nodes=members) == used(grace=frozenset({"node1"}))
    # without its condition, somebody else gave all nodes their subnets
    assert active(network, BLUE, nodes=members) == used()


def test_idle_networks_are_one_note() -> None:
    idle = [ActiveNodes(f"n{number}", frozenset()) for number in range(5)]
    busy = [ActiveNodes("busy", frozenset({"x"})), ActiveNodes("grace", frozenset(), frozenset({"x"}))]
    assert [str(note) for note in idle_notes(idle + busy)] == ["dynamic allocation: no node uses n0, n1, n2 and 2 more"]
    assert idle_notes(busy) == []


SPLIT = layer3()
SIDE = udn("a_side", role=Role.SECONDARY, transit_subnets=(), network_id=7, tunnel_keys=())
LAN = SIDE._replace(name="a_lan", topology=Topology.LOCALNET, network_id=8)
NETWORKS = (LAYER2, SPLIT, SIDE, LAN)
MEMBERS = sharing(nodes(3, v6=True), SPLIT)


def planned(*nodes: str, grace: frozenset[str] = frozenset(), memo: Memo | None = None, networks=NETWORKS) -> Plan:
    found = tuple(ActiveNodes(network.name, frozenset(nodes), grace) for network in networks)
    return make_plan(NETWORKS, MEMBERS, replace(SERVICES, active=found), memo=memo)


def names(plan: Plan, zone: int) -> set[str]:
    return {str(row.columns.get("name", "")) for row in plan.zones[zone].rows}


def test_a_node_that_does_not_use_a_network_has_no_row_of_it() -> None:
    plan = planned("node1", "node3")
    assert (plan.errors, plan.waiting) == ((), {})
    assert [sorted(groups_of(zone.rows)) for zone in plan.zones] == [
        ["", *sorted(network.name for network in NETWORKS)],
        [],
        ["", *sorted(network.name for network in NETWORKS)],
    ]


def test_other_nodes_have_ports_only_for_nodes_that_use_the_network() -> None:
    ports = {"trtor-GR_test12_namespace.scoped_node{}", "cluster_udn_l3.net_tstor-node{}"}

    def peers(plan: Plan, zone: int) -> list[int]:
        return [number for number in (1, 2, 3) if {port.format(number) for port in ports} <= names(plan, zone)]

    assert [peers(planned("node1", "node3"), zone) for zone in (0, 2)] == [[1, 3], [1, 3]]
    assert peers(planned("node1"), 0) == [1]
    # in grace: its own rows, unknown to the others
    plan = planned("node1", grace=frozenset({"node2"}))
    assert [peers(plan, zone) for zone in (0, 1)] == [[1], [1, 2]]


def test_a_network_without_activity_is_everywhere() -> None:
    assert planned(networks=()).zones == make_plan(NETWORKS, MEMBERS, SERVICES).zones


def test_a_network_that_nodes_begin_to_use_makes_no_rows_of_others_again() -> None:
    memo = Memo()
    first = planned("node1", memo=memo)
    both = tuple(
        ActiveNodes(each.name, frozenset({"node1", "node2"} if each is SPLIT else {"node1"})) for each in NETWORKS
    )
    second = make_plan(NETWORKS, MEMBERS, replace(SERVICES, active=both), memo=memo)
    before, after = groups_of(first.zones[0].rows), groups_of(second.zones[0].rows)
    assert [name for name in after if after[name] is not before[name] and name] == [SPLIT.name]
    assert second.zones == make_plan(NETWORKS, MEMBERS, replace(SERVICES, active=both)).zones


def test_a_layer3_network_waits_for_subnets_only_on_nodes_that_use_it() -> None:
    found = (ActiveNodes(SPLIT.name, frozenset({"node2"})),)
    plan = make_plan((SPLIT,), nodes(3, v6=True), replace(SERVICES, active=found))
    assert plan.waiting == {"node2": frozenset({SPLIT.name})}


def test_a_node_that_does_not_use_a_network_conflicts_with_none_that_does() -> None:
    own = {SPLIT.name: (ip_network("10.20.2.0/24"),)}
    members = tuple(each._replace(host_subnets={**each.host_subnets, **own}) for each in nodes(2))

    def errors(*users: str) -> list[str]:
        active = (ActiveNodes(SPLIT.name, frozenset(users)),)
        return [error.node for error in make_plan((SPLIT,), members, replace(SERVICES, active=active)).errors]

    assert errors("node1", "node2") == ["node2"]
    assert errors("node2") == []
