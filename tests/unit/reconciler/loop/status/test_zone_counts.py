"""The numbers in the report of a zone, written and read."""

from typing import Any

import pytest

from ovnguard.reconciler.apply.deletion_brake import HeldDeletions
from ovnguard.reconciler.loop.status.zone_counts import Counts, counts_in, counts_of, counts_to_json
from ovnguard.reconciler.loop.status.zone_report import ZoneReport
from ovnguard.reconciler.loop.status.zone_state import BgpStatus, PassResult, Written
from ovnguard.reconciler.plan.rows.settings import Settings
from tests.support.fake_cluster import ID, KEYS, TRANSIT, Cluster, cudn, desired_state, judged, node

RECORD: dict[str, Any] = {ID: "7", TRANSIT: "100.88.0.0/16", KEYS: "[16711690,16715780]"}
DESIRED = desired_state(Cluster(node(), cudn("blue", **RECORD)), judged, Settings(), "n1")
(ROWS,) = (len(zone.rows) for zone in DESIRED.plan.zones)
HELD = Written(held_deletions=HeldDeletions(("a", "b"), 3, "why"))
UNREAD = BgpStatus(("bgpd is down",))


@pytest.mark.parametrize(
    ("mode", "result", "counts"),
    [
        ("own", PassResult(), Counts(ROWS, None, 0, 0)),
        ("own", PassResult(HELD), Counts(ROWS, None, 2, 3)),
        ("own", PassResult(bgp=BgpStatus(sessions=(1, 2))), Counts(ROWS, None, 0, 0, 2, 1)),
        ("own", PassResult(bgp=UNREAD), Counts(ROWS, None, 0, 0)),
        ("audit", PassResult(drift={"a": {"x", "y"}, "": {"z"}}), Counts(ROWS, 3)),
        ("audit", PassResult(), Counts(ROWS, 0)),
    ],
)
def test_numbers_of_a_pass(mode: str, result: PassResult, counts: Counts) -> None:
    assert ROWS > 20
    assert counts_of(DESIRED, "n1", mode, result) == counts
    assert counts_in({"counts": counts_to_json(counts)}) == counts


def test_a_zone_without_a_plan_counts_no_rows() -> None:
    assert counts_of(DESIRED, "other", "audit", PassResult()) == Counts(None, 0)


@pytest.mark.parametrize(
    "found", [{}, [], None, {"counts": 7}, {"counts": {"rows": "7", "drift": -1, "heldRows": 1e9}}]
)
def test_what_is_not_a_number_is_unknown(found: object) -> None:
    assert counts_in(found) == Counts()


def test_numbers_alone_are_no_news() -> None:
    assert ZoneReport("n1", "own", counts=Counts(rows=7)) == ZoneReport("n1", "own", counts=Counts(rows=8))
