"""The machine of the tests with hostile values: it finds exceptions, and makes their cases small."""

import json
import random
from typing import Any

import pytest

from tests.attacks.hostile_values import Crash, crashes, spoil


def case_of(seed: int) -> dict[str, Any]:
    return {"seed": seed, "a": {"b": [1, {"c": "x"}], "d": None}}


def judge(case: Any) -> str:
    if case["seed"] in {3, 5} and case["a"]["b"][1]["c"] == "x":
        raise KeyError("three")
    if case["seed"] == 4:
        raise ValueError("four")
    return "odd" if case["seed"] % 2 else "even"


def test_one_crash_for_each_line_and_its_smallest_case() -> None:
    found, outcomes = crashes(range(6), case_of, judge, 1.0)
    assert outcomes == {"even", "odd"}
    lines = [crash.line for crash in found]
    assert [crash.line.rpartition(":")[0] for crash in found] == ["test_hostile_values.py"] * 2
    assert found == [
        Crash(3, "KeyError: 'three'", lines[0], {"seed": 3, "a": {"b": [1, {"c": "x"}]}}),
        Crash(4, "ValueError: four", lines[1], {"seed": 4}),
    ]
    assert str(found[1]) == f'seed 4: ValueError: four in {lines[1]}: {{"seed": 4}}'


def test_a_case_that_takes_long_is_a_crash() -> None:
    found, outcomes = crashes(range(1), case_of, judge, -1.0)
    assert (len(found), outcomes) == (1, set())
    assert found[0].fault.startswith("AssertionError: case under attack took 0.0 s")


@pytest.mark.parametrize("place", [("seed",), ("a",), ("a", "b"), ("a", "b", 0), ("a", "b", 1, "c"), ("a", "d")])
def test_every_place_gets_faults(place: tuple[Any, ...]) -> None:
    found = set()
    for seed in range(150):
        made = case_of(0)
        spoil(random.Random(seed), made, 2)
        found.add(json.dumps(_at(made, place)))
    assert len(found) > 10


def _at(value: Any, place: tuple[Any, ...]) -> Any:
    for step in place:
        known = value if isinstance(value, dict) else dict(enumerate(value)) if isinstance(value, list) else {}
        value = known.get(step, "absent")
    return value
