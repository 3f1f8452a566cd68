from typing import Any

import pytest

from ovnguard.validators.evolution.changes import Counterexample, Effect
from ovnguard.validators.evolution.counterexamples import searching
from ovnguard.validators.evolution.evolution import Evolution, evolve, served
from tests.support.small_definitions import definition
from tests.support.soak import limit

pytestmark = limit(120)
SIZE = {"type": "integer", "minimum": 0, "maximum": 9}


def of(field: dict[str, Any], *rules: str) -> dict[str, Any]:
    spec: dict[str, Any] = {"type": "object", "required": ["f"], "properties": {"f": field}}
    if rules:
        spec["x-kubernetes-validations"] = [{"rule": rule, "message": rule} for rule in rules]
    return definition({"type": "object", "required": ["spec"], "properties": {"spec": spec}})


def searched(old: dict[str, Any], new: dict[str, Any]) -> Evolution:
    return evolve(old, new, search=searching(20))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (of(SIZE), of(SIZE, "self.f < 9")),
        (of(SIZE, "self.f < 9"), of(SIZE, "self.f < 7")),
        (of(SIZE, "self.f >= 0"), of(SIZE, "self.f >= oldSelf.f")),
        (of({"type": "string", "enum": ["a", "b"]}), of({"type": "string", "enum": ["a", "b"], "pattern": "a"})),
    ],
)
def test_both_definitions_judge_what_is_shown(old: dict[str, Any], new: dict[str, Any]) -> None:
    (change,) = searched(old, new).changes
    assert change.effect is Effect.NARROWS
    found = change.counterexample
    assert found is not None
    before, after = (served(each, "1.35").versions["v1"] for each in (old, new))
    obj, stored = _whole(found)
    assert before.verdict(obj, stored).allowed
    assert tuple(error.text for error in after.verdict(obj, stored).findings) == found.errors


def _whole(found: Counterexample) -> tuple[dict[str, Any], dict[str, Any] | None]:
    head = {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "a", "namespace": "b"}}
    return {**head, **found.object}, None if found.old is None else {**head, **found.old}


def test_a_weaker_rule_stays_undecided() -> None:
    evolution = searched(of(SIZE, "self.f < 7"), of(SIZE, "self.f < 9"))
    (change,) = evolution.changes
    assert (change.effect, change.counterexample) == (Effect.UNDECIDED, None)
    assert evolution.searched > 0


def test_what_is_proved_to_be_safe_is_not_searched() -> None:
    assert searched(of(SIZE, "self.f < 7"), of(SIZE)).searched == 0


def test_an_update_shows_what_a_rule_about_the_old_value_refuses() -> None:
    (change,) = searched(of(SIZE), of(SIZE, "self.f >= oldSelf.f")).changes
    found = change.counterexample
    assert found is not None
    assert found.old is not None
    assert found.object["spec"]["f"] < found.old["spec"]["f"]
    assert found.errors == ("spec: Invalid value: self.f >= oldSelf.f",)
