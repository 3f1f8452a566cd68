"""The condition NodesSelected, as text and as a decision to write."""

from typing import Any

import pytest

from ovnguard.reconciler.apply.kube import Condition
from ovnguard.reconciler.loop.activity.activity_status import selected_count, selection_of

MANAGER = "ovnguard-reconciler-nodes"


@pytest.mark.parametrize(
    ("message", "count"),
    [
        ("5 nodes rendered with network", 5),
        ("1 node rendered with network", 1),
        ("5 node(s) rendered with network", 5),
        ("1 node(s) rendered with network", 1),
        ("no nodes currently rendered with network", 0),
        ("0 nodes rendered with network", 0),
        ("five nodes rendered with network", None),
        ("12345678 nodes rendered with network", None),
        ("-1 nodes rendered with network", None),
        ("1 node rendered with network\n", None),
        ("", None),
        (None, None),
        (["1 node rendered with network"], None),
    ],
)
def test_both_forms_are_understood(message: Any, count: int | None):
    assert selected_count({"message": message}) == count


def network(**condition: Any) -> dict[str, Any]:
    found = {"type": "NodesSelected", "status": "True", "reason": "DynamicAllocation", **condition}
    return {"metadata": {"generation": 2}, "status": {"conditions": [found]} if condition else {}}


def condition(status: bool, message: str) -> Condition:
    return Condition("NodesSelected", status, "DynamicAllocation", message, MANAGER)


ONE, FIVE = "1 node rendered with network", "5 nodes rendered with network"
NONE, THEIRS = "no nodes currently rendered with network", "1 node(s) rendered with network"


@pytest.mark.parametrize(
    ("obj", "nodes", "written"),
    [
        (network(), 0, None),
        (network(), 1, condition(True, ONE)),
        (network(message=ONE, observedGeneration=2), 5, condition(True, FIVE)),
        (network(message=ONE, observedGeneration=2), 0, condition(False, NONE)),
        # whether the same is written again is decided with the generation
        (network(message=ONE, observedGeneration=1), 1, condition(True, ONE)),
        # in the words of OVN-Kubernetes
        (network(message=THEIRS), 1, None),
        (network(message=THEIRS), 2, condition(True, "2 nodes rendered with network")),
        (network(message=THEIRS, status="False"), 1, condition(True, ONE)),
        (network(message=THEIRS, reason="Other"), 1, condition(True, ONE)),
        (network(message=NONE, status="False"), 0, None),
        (network(message="x"), 1, condition(True, ONE)),
        ({"metadata": {}, "status": "x"}, 1, condition(True, ONE)),
    ],
)
def test_what_is_written(obj: dict[str, Any], nodes: int, written: Condition | None):
    assert selection_of(obj, nodes) == written
