"""A memo changes what a plan costs, never what it says."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from reconciler.plan.groups import SHARED, RowGroups, groups_of
from reconciler.plan.memo import Memo
from reconciler.plan.plan import make_plan
from tests.unit.reconciler.plan.samples import SERVICES, V4, V6, nodes, udn
from validators.network.model import Role

NUMBERS = st.lists(st.integers(1, 6), unique=True, max_size=4)


def network(number: int, mtu: int):
    keys = (16711683 + number, 16715779 + number)
    found = replace(udn(f"ns{number}_net", V4, V6), network_id=number, tunnel_keys=keys, mtu=mtu)
    return replace(found, role=Role.SECONDARY, tunnel_keys=(), transit_subnets=()) if number == 6 else found


STEPS = st.lists(st.tuples(NUMBERS, st.integers(1, 3), st.sampled_from([1300, 1400]), st.booleans()), max_size=6)


@settings(max_examples=25)
@given(STEPS)
def test_plans_with_a_memo_are_plans_without(steps):
    memo = Memo()
    for numbers, count, mtu, services in steps:
        networks = [network(number, mtu) for number in numbers]
        world = SERVICES if services else replace(SERVICES, services=())
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
