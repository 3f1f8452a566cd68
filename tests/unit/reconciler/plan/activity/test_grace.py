"""How long what is no longer used stays."""

from hypothesis import given
from hypothesis import strategies as st

from ovnguard.reconciler.plan.activity.grace import Grace, Use

NONE = frozenset[Use]()
A = frozenset({("blue", "node1")})


def test_a_period_begins_when_the_use_ends():
    grace = Grace().at(0, 120, A)
    assert grace.in_grace(0, 120) == NONE
    grace = grace.at(50, 120, NONE)
    assert grace.in_grace(169.9, 120) == A
    assert grace.in_grace(170, 120) == NONE
    assert grace.due(100, 120) == 70


def test_events_in_between_neither_extend_nor_restart_it():
    grace = Grace().at(0, 120, A).at(10, 120, NONE).at(60, 120, NONE).at(129, 120, NONE)
    assert grace.in_grace(129, 120) == A
    grace = grace.at(130, 120, NONE)
    assert grace == Grace()
    assert grace.at(131, 120, NONE).in_grace(131, 120) == NONE


def test_another_use_ends_it_and_the_next_end_begins_a_whole_one():
    grace = Grace().at(0, 120, A).at(10, 120, NONE).at(129, 120, A)
    assert grace == Grace(A)
    assert grace.at(200, 120, NONE).in_grace(319, 120) == A


def test_without_a_period_nothing_stays():
    assert Grace().at(0, 0, A).at(5, 0, NONE) == Grace()


def test_a_changed_period_counts_from_the_same_end():
    grace = Grace().at(0, 120, A).at(10, 120, NONE)
    assert grace.at(60, 30, NONE).in_grace(60, 30) == NONE
    assert grace.at(60, 300, NONE).in_grace(300, 300) == A


def test_what_is_held_is_remembered_until_it_is_given_back():
    grace = Grace().at(0, 5, NONE, A)
    assert grace.in_grace(4, 5) == A
    # it cannot be given back yet, and no new period begins
    grace = grace.at(60, 5, NONE, A)
    assert (grace.in_grace(60, 5), grace.due(60, 5)) == (NONE, None)
    assert grace.at(61, 5, NONE) == Grace()


@given(
    st.lists(st.tuples(st.integers(0, 40), st.frozensets(st.tuples(st.just("blue"), st.sampled_from("abc"))))),
    st.integers(0, 30),
)
def test_a_use_is_in_grace_for_exactly_one_period_after_its_end(steps, period):
    """Against a model that remembers only when each use was last seen."""
    grace, now, before = Grace(), 0, NONE
    ends: dict[Use, float] = {}
    for passed, active in steps:
        now += passed
        ends |= dict.fromkeys(before - active, now)
        ends = {use: at for use, at in ends.items() if use not in active}
        grace, before = grace.at(now, period, active), active
        assert grace.in_grace(now, period) == {use for use, at in ends.items() if now - at < period}


def test_uses_of_other_networks_are_forgotten():
    grace = Grace().at(0, 120, A | {("red", "node1"), ("red", "node2")}).at(10, 120, A | {("red", "node2")})
    assert grace.of({"blue"}) == Grace(A)
    assert grace.of({"red"}) == Grace(frozenset({("red", "node2")}), {("red", "node1"): 10})
