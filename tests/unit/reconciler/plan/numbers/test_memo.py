"""A memo changes what a plan costs, never what it says."""

from dataclasses import replace
from functools import partial
from ipaddress import ip_address

from hypothesis import given, settings
from hypothesis import strategies as st

from ovnguard.reconciler.plan.numbers.memo import Memo
from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.rows.model import EgressAssignment, EgressHop, EgressPod, PodPort
from ovnguard.reconciler.plan.rows.row_groups import SHARED, RowGroups, groups_of
from ovnguard.validators.network.model import Role
from tests.support.plan_samples import SERVICES, V4, V6, nodes, udn
from tests.support.plan_scenarios import EXPOSED
from tests.support.soak import examples

POD = EgressPod("a/web", "node1", (ip_address("203.203.0.9"),))
EGRESS = EgressAssignment("out", "ns2_net", 50000, (EgressHop("node2", ip_address("172.18.0.100")),), (POD,))
NUMBERS = st.lists(st.integers(1, 6), unique=True, max_size=4)


def network(number: int, mtu: int):
    keys = (16711683 + number, 16715779 + number)
    found = udn(f"ns{number}_net", V4, V6)._replace(network_id=number, tunnel_keys=keys, mtu=mtu)
    return found._replace(role=Role.SECONDARY, tunnel_keys=(), transit_subnets=()) if number == 6 else found


BALANCED = st.lists(st.sampled_from(EXPOSED), unique_by=lambda each: each.name, max_size=3)
STEP = st.tuples(NUMBERS, st.integers(1, 3), st.sampled_from([1300, 1400]), st.booleans(), st.booleans(), BALANCED)
STEPS = st.lists(STEP, max_size=6)


# several plans at once take a machine that is busy otherwise longer than one example may
@settings(max_examples=examples(8))
@given(STEPS)
def test_plans_with_a_memo_are_plans_without(steps):
    memo = Memo()
    for numbers, count, mtu, services, egress, balanced in steps:
        networks = [network(number, mtu) for number in numbers]
        world = SERVICES if services else replace(SERVICES, services=())
        world = replace(world, egress=(EGRESS,) if egress else (), balanced_services={"ns2_net": tuple(balanced)})
        again = make_plan(networks, nodes(count, v6=True), world, memo=memo)
        fresh = make_plan(networks, nodes(count, v6=True), world)
        assert again == fresh


def test_rows_of_networks_that_stay_the_same_are_the_same_objects():
    memo = Memo()
    first = make_plan([network(1, 1400), network(2, 1400)], nodes(2), SERVICES, memo=memo).zones[0]
    second = make_plan([network(1, 1400), network(2, 1300), network(3, 1400)], nodes(2), SERVICES, memo=memo).zones[0]
    old, new = groups_of(first.rows), groups_of(second.rows)
    assert old["ns1_net"] is new["ns1_net"]
    assert old["ns2_net"] is not new["ns2_net"]
    assert set(new) == {SHARED, "ns1_net", "ns2_net", "ns3_net"}


def test_rows_of_a_forgotten_zone_are_made_again_and_others_are_kept():
    memo = Memo()
    made = partial(make_plan, [network(1, 1400)], nodes(2), SERVICES, memo=memo)
    before = [groups_of(zone.rows)["ns1_net"] for zone in made().zones]
    memo.forget("node1")
    after = [groups_of(zone.rows)["ns1_net"] for zone in made().zones]
    assert after == before
    assert [old is new for old, new in zip(before, after, strict=True)] == [False, True]


def test_an_egress_ip_is_its_network_s_alone():
    memo, networks = Memo(), [network(1, 1400), network(2, 1400)]
    pods = {
        each.name: (PodPort(each.name, "a/b", "a", each.name, "u", "node2", "0a:58:00:00:00:01", (), 12),)
        for each in networks
    }
    plain = make_plan(networks, nodes(2), SERVICES, memo=memo, pods=pods).zones[0]
    served = replace(SERVICES, egress=(EGRESS,))
    found = make_plan(networks, nodes(2), served, memo=memo, pods=pods)
    old, new = groups_of(plain.rows), groups_of(found.zones[0].rows)
    assert old["ns1_net"] is new["ns1_net"]
    assert found == make_plan(networks, nodes(2), served, pods=pods)
    assert [row for row in new["ns2_net"] if row.columns.get("match") == "ip4.src == 203.203.0.9"]
    assert [
        row for row in new["ns2_net"] if row.table == "Logical_Switch_Port" and row.columns["name"] == "a.b_a_ns2_net"
    ]


def test_groups_are_a_sequence():
    rows = make_plan([network(1, 1400)], nodes(1), SERVICES).zones[0].rows
    assert isinstance(rows, RowGroups)
    assert rows == tuple(rows)
    assert len(rows) == len(tuple(rows))
    assert rows[0] is next(iter(rows))
    assert list(rows[:2]) == list(rows)[:2]
    assert rows != ()
    assert hash(rows) == hash(tuple(rows))
    assert repr(rows) == f"RowGroups({len(rows)} rows of 2 groups)"
    assert groups_of(list(rows)) == {SHARED: tuple(rows)}
