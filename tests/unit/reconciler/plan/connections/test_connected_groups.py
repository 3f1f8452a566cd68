"""Connections in the row groups of a zone: which rows are shared, and which belong to a network."""

from dataclasses import replace

from ovnguard.reconciler.plan.numbers.memo import Memo
from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.rows.row_groups import SHARED, groups_of
from tests.support.connected import connection
from tests.support.plan_samples import SERVICES, nodes, sharing, udn
from tests.support.plan_scenarios import ALONE, CONNECTED, CONNECTED_NODES, LAYER2, LAYER3_BOTH, generations

NETWORKS = (LAYER3_BOTH, LAYER2, ALONE)


def test_what_belongs_to_no_single_network_is_shared() -> None:
    zone = make_plan(NETWORKS, CONNECTED_NODES, CONNECTED).zones[0]
    plain = make_plan(NETWORKS, CONNECTED_NODES, replace(CONNECTED, connections=())).zones[0]
    whole, before = groups_of(zone.rows), groups_of(plain.rows)
    new = {name: {row.uuid: row for row in rows} for name, rows in whole.items()}
    for name, rows in before.items():
        for row in rows:
            new[name].pop(row.uuid)
    tables = {name: sorted(row.table for row in rows.values()) for name, rows in new.items()}
    assert tables == {
        SHARED: [
            "Load_Balancer_Group",
            "Logical_Router",
            *["Logical_Router_Port"] * 3,
            *["Logical_Router_Static_Route"] * 6,
        ],
        LAYER3_BOTH.name: ["Logical_Router_Policy"] * 2 + ["Logical_Router_Port"],
        LAYER2.name: ["Logical_Router_Policy"] * 2 + ["Logical_Router_Port"],
        ALONE.name: [],
    }
    assert whole[ALONE.name] == before[ALONE.name]


def test_a_network_in_several_connections_has_all_their_links() -> None:
    blue = udn("blue_net", "10.30.0.0/16", network_id=2)
    two = (connection(LAYER2, blue, name="one"), connection(LAYER3_BOTH, LAYER2, name="two"))
    (zone,) = make_plan((*NETWORKS, blue), CONNECTED_NODES, replace(SERVICES, connections=two), ("node1",)).zones
    names = {str(row.columns["name"]) for row in zone.rows if row.table == "Logical_Router_Port"}
    assert {each for each in names if each.startswith("rtocr-")} == {
        "rtocr-test12_namespace-scoped_one",
        "rtocr-blue_net_one",
        "rtocr-cluster_udn_l3-dual_node1_two",
        "rtocr-test12_namespace-scoped_two",
    }


def test_a_waiting_network_keeps_its_link_and_a_router_of_the_earlier_topology_has_none() -> None:
    settings = replace(SERVICES, connections=(connection(LAYER2, LAYER3_BOTH),))
    lacking = CONNECTED_NODES[0]._replace(host_subnets={})
    for networks, members, link in (
        # its rows in the zone stay as they are
        ((LAYER2, LAYER3_BOTH), (lacking, CONNECTED_NODES[1]), "crtor-join_cluster_udn_l3-dual_node1"),
        ((LAYER3_BOTH, ALONE), CONNECTED_NODES, "crtor-join_test12_namespace-scoped"),
    ):
        (zone,) = make_plan(networks, members, settings, ("node1",)).zones
        assert link in {row.columns.get("name") for row in zone.rows}
    (zone,) = make_plan((LAYER2, LAYER3_BOTH), sharing(generations("oo"), LAYER3_BOTH), settings, ("node1",)).zones
    assert "crtor-join_test12_namespace-scoped" not in {row.columns.get("name") for row in zone.rows}
    assert "crtor-join_cluster_udn_l3-dual_node1" in {row.columns.get("name") for row in zone.rows}


def test_nothing_changes_where_nothing_is_connected() -> None:
    memo = Memo()
    first = make_plan(NETWORKS, CONNECTED_NODES, CONNECTED, memo=memo).zones[0]
    again = make_plan(NETWORKS, CONNECTED_NODES, CONNECTED, memo=memo).zones[0]
    alone = replace(CONNECTED, connections=())
    without = make_plan(NETWORKS, CONNECTED_NODES, alone, memo=memo).zones[0]
    for name in (network.name for network in NETWORKS):
        assert groups_of(again.rows)[name] is groups_of(first.rows)[name], name
    assert groups_of(without.rows)[ALONE.name] is groups_of(first.rows)[ALONE.name]
    assert without == make_plan(NETWORKS, CONNECTED_NODES, alone).zones[0]


def test_a_node_without_routers_has_no_connect_router() -> None:
    plan = make_plan((), nodes(1), replace(SERVICES, connections=(connection(LAYER2),)))
    assert [row for zone in plan.zones for row in zone.rows] == []
