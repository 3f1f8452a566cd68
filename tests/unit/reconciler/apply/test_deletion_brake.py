"""What a pass may delete, and what waits."""

import pytest

from ovnguard.reconciler.apply.deletion_brake import (
    HeldDeletions,
    Limit,
    counted,
    deletions_above_limit,
    without_deletions,
)
from ovnguard.reconciler.plan.rows.row import NETWORK_KEY, Column, Ref, Row, row_uuid
from ovnguard.reconciler.plan.rows.row_diff import diff
from tests.support.present import present


def row(table: str, name: str, network: str = "", **ids: str) -> Row:
    columns: dict[str, Column] = {"name": name}
    if table != "Load_Balancer_Group":
        columns["external_ids"] = {NETWORK_KEY: network, **ids} if network else {}
    return Row(table, row_uuid(table, name), columns)


def network(name: str, ports: int = 2) -> list[Row]:
    group = row("Load_Balancer_Group", f"{name}_clusterLBGroup")
    switch = row("Logical_Switch", f"{name}_switch", name)
    return [group, switch, *(row("Logical_Switch_Port", f"{name}_{n}", name) for n in range(ports))]


def waiting(before: list[Row], after: list[Row], limit: Limit) -> HeldDeletions | None:
    planned = {each.network for each in after} - {""}
    return deletions_above_limit(diff(before, after), before, planned, counted(before), limit)


@pytest.mark.parametrize(
    ("limit", "total", "most"),
    [
        *((Limit(), total, most) for total, most in ((0, 20), (200, 20), (209, 20), (210, 21), (1000, 100))),
        *((Limit(0, False), 1000, 0), (Limit(7, False), 5, 7), (Limit(100), 1000, 1000)),
    ],
)
def test_limits(limit: Limit, total: int, most: int):
    assert limit.of(total) == most


def test_whole_networks_count_as_networks_and_not_by_their_rows():
    before = [each for number in range(25) for each in network(f"n{number}", ports=30)]
    gone = 32 * 20
    assert waiting(before, before[gone:], Limit()) is None
    held = waiting(before, before[gone + 32 :], Limit())
    assert held is not None
    assert (len(held.networks), held.rows) == (21, 0)
    assert str(held) == (
        "deletions of 21 networks (n0, n1, n10, n11, n12 and 16 more) and 0 other rows wait: "
        "more than --max-deletions 10% of 25 networks or 800 rows"
    )


def test_networks_that_the_node_stopped_using_do_not_count():
    before = [each for number in range(30) for each in network(f"n{number}", ports=30)]
    idle = {f"n{number}" for number in range(9)}

    def after(gone: int, rows: int = 0) -> HeldDeletions | None:
        left = before[32 * gone + rows :]
        planned = {each.network for each in left} - {""}
        return deletions_above_limit(diff(before, left), before, planned, counted(before), Limit(20, False), idle)

    assert after(29) is None
    assert len(present(after(30)).networks) == 21
    # a network that stays counts by its rows
    assert after(9, rows=20) is None
    assert present(after(9, rows=23)).rows == 23


def test_rows_of_networks_that_stay_count_one_by_one():
    before = network("a", ports=30)
    assert waiting(before, before[:-20], Limit()) is None
    held = waiting(before, before[:-21], Limit())
    assert held == HeldDeletions((), 21, "more than --max-deletions 10% of 1 networks or 32 rows")
    assert str(held) == f"deletions of 0 networks and 21 other rows wait: {held.why}"


@pytest.mark.parametrize(
    ("table", "ids"),
    [
        ("Logical_Switch_Port", {"pod": "true"}),
        ("Logical_Router_Policy", {"k8s.ovn.org/owner-type": "EgressIP"}),
        ("Logical_Router_Policy", {"k8s.ovn.org/owner-type": "EgressService"}),
        ("Logical_Router_Policy", {"k8s.ovn.org/owner-type": "ClusterNetworkConnect"}),
        ("ACL", {"k8s.ovn.org/name": "OpenPort-ns/pod"}),
        ("Load_Balancer", {}),
        ("DHCP_Options", {}),
    ],
)
def test_what_comes_and_goes_with_pods_and_services_does_not_count(table: str, ids: dict[str, str]):
    before = network("a") + [row(table, f"x{number}", "a", **ids) for number in range(300)]
    assert waiting(before, before[:4], Limit()) is None


def test_what_is_replaced_is_not_lost():
    before, after = network("a", ports=40), network("a", ports=0)
    after += [row("Logical_Switch_Port", f"new{number}", "a") for number in range(20)]
    assert waiting(before, after, Limit()) is None
    held = waiting(before, after[:-1], Limit())
    assert held is not None
    assert held.rows == 21


def test_nothing_of_a_network_that_loses_a_row_changes_and_others_go_on():
    shared = row("Copp", "protection")
    before = [shared, *network("a"), *network("b")]
    switch, fresh = before[2], network("c")
    changed = Row(switch.table, switch.uuid, {**switch.columns, "external_ids": {NETWORK_KEY: "a", "x": "y"}})
    after = [changed, *before[3:4], *network("b"), row("Logical_Switch_Port", "b_new", "b"), *fresh]
    operations = diff(before, after)
    assert {each.op for each in operations} == {"insert", "update", "delete"}
    kept = without_deletions(operations, before)
    assert {each.uuid for each in kept} == {each.uuid for each in fresh} | {row_uuid("Logical_Switch_Port", "b_new")}
    assert {each.op for each in kept} == {"insert"}


def test_ports_of_a_network_that_waits_stay_in_shared_port_groups():
    gone, stays, new = (row("Logical_Switch_Port", name, name[0]) for name in ("a_port", "b_port", "c_port"))

    def group(*ports: Row) -> Row:
        columns: dict[str, Column] = {
            "name": "g",
            "ports": tuple(sorted(Ref(each.uuid) for each in ports)),
            "external_ids": {},
        }
        return Row("Port_Group", row_uuid("Port_Group", "g"), columns)

    operations = diff([gone, stays, group(gone, stays)], [stays, new, group(stays, new)])
    kept = {each.op: each for each in without_deletions(operations, [gone, stays, group(gone, stays)])}
    assert kept.keys() == {"insert", "update"}
    assert kept["update"].row == {"ports": tuple(sorted(Ref(each.uuid) for each in (gone, stays, new)))}
