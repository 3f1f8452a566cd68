"""What the test bed of alerts says of expressions that are wrong."""

import pytest

from tests.support.monitoring import engine as monitoring
from tests.support.monitoring.engine import Engine, bystanders, faulty, reconciler
from tests.support.monitoring.scrapes import DOWN, State, Target, parse

engine = monitoring.engine
DRIFT = "# TYPE ovnk_reconcile_drift_rows gauge\novnk_reconcile_drift_rows {}\n"


def state(text: str, later: str | None = None) -> State:
    """Two scrapes, ten seconds apart."""
    return State(parse(text, 1000.0), parse(text if later is None else later, 1010.0))


GOOD, BAD = state(DRIFT.format(0)), state(DRIFT.format(3))


def test_an_alert_that_begins_and_ends(engine: Engine) -> None:
    engine.fires([*bystanders(), faulty(reconciler("a"), GOOD, BAD, GOOD)], "OvnguardDrift")


@pytest.mark.parametrize(
    ("states", "alert"),
    [
        ((GOOD, GOOD, GOOD), "OvnguardDrift"),
        ((GOOD, BAD, BAD), "OvnguardDrift"),
        ((BAD, GOOD, BAD), "OvnguardDrift"),
        ((GOOD, BAD, GOOD), "OvnguardNoLeader"),
        ((GOOD, DOWN, GOOD), "OvnguardDrift"),
    ],
    ids=["never", "no end", "two begins", "another one", "only down"],
)
def test_an_alert_that_does_not(engine: Engine, states: tuple[State, State, State], alert: str) -> None:
    with pytest.raises(AssertionError, match="FAILED"):
        engine.fires([*bystanders(), faulty(reconciler("a"), *states)], alert)


def test_an_expression_without_a_result(engine: Engine) -> None:
    targets = [faulty(reconciler("a"), GOOD, BAD, GOOD)]
    engine.shows(targets, ["max by (pod) (ovnk_reconcile_drift_rows)"])
    with pytest.raises(AssertionError, match="got: nil"):
        engine.shows(targets, ["max by (pod) (ovnk_reconcile_drift_row)"])


def test_counters_grow_and_times_move_with_the_timeline() -> None:
    before = "# TYPE a_total counter\na_total 5\n# TYPE b_timestamp_seconds gauge\nb_timestamp_seconds 990\n"
    after = before.replace("a_total 5", "a_total 7").replace("990", "1005")
    target = Target({"pod": "a"}, [(state(before), 2), (DOWN, 1), (state(before, after), 2)])
    assert target.series() == {
        'a_total{pod="a"}': ["5.0", "5.0", "_", "5.0", "11.0"],
        'b_timestamp_seconds{pod="a"}': ["-10.0", "-10.0", "_", "95.0", "95.0"],
        'up{pod="a"}': ["1", "1", "0", "1", "1"],
    }
