import copy
from typing import Any

import pytest

from ovnguard.validators.crd.compiled_crd import InvalidCRD
from ovnguard.validators.evolution.evolution import evolve
from ovnguard.validators.evolution.stored_objects import Filled, Outcome
from tests.support.differential.definition_evolutions import judged
from tests.support.small_definitions import definition
from tests.support.soak import limit

SPEC: dict[str, Any] = {
    "type": "object",
    "properties": {"size": {"type": "integer", "maximum": 10}, "mode": {"type": "string"}},
}


def of(spec: dict[str, Any], **version: Any) -> dict[str, Any]:
    return definition({"type": "object", "properties": {"spec": spec}}, **version)


def stored(**spec: Any) -> dict[str, Any]:
    head = {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "a", "namespace": "b"}}
    return {**head, "spec": spec}


def with_version(made: dict[str, Any], name: str, **more: Any) -> dict[str, Any]:
    made = copy.deepcopy(made)
    made["spec"]["versions"].append(
        copy.deepcopy(made["spec"]["versions"][0]) | {"name": name, "storage": False} | more
    )
    return made


TIGHTER = SPEC | {"properties": SPEC["properties"] | {"size": {"type": "integer", "maximum": 5}}}
TOO_LARGE = "spec.size: Invalid value: 7: spec.size in body should be less than or equal to 5"


def outcome(old: dict[str, Any], new: dict[str, Any], obj: dict[str, Any], kubernetes: str = "1.35") -> Outcome:
    ((found,),) = (each.outcomes for each in evolve(old, new, [obj], kubernetes).touched)
    return found


def test_ratcheting_forgives_what_stays_as_it_is() -> None:
    assert outcome(of(SPEC), of(TIGHTER), stored(size=7)) == Outcome(("v1",), forgiven=(TOO_LARGE,))


def test_before_ratcheting_an_update_is_refused() -> None:
    assert outcome(of(SPEC), of(TIGHTER), stored(size=7), "1.29") == Outcome(("v1",), refused=(TOO_LARGE,))


def test_a_rule_of_the_whole_object_refuses_an_update_of_its_labels() -> None:
    root = {"type": "object", "properties": {"spec": SPEC}}
    ruled = definition(root | {"x-kubernetes-validations": [{"rule": "self.spec.size < 5", "message": "too large"}]})
    found = outcome(definition(root), ruled, stored(size=7))
    assert found == Outcome(("v1",), refused=("<nil>: Invalid value: too large",))


def test_a_field_is_lost_and_defaults_fill_in() -> None:
    fields = {"size": SPEC["properties"]["size"], "more": {"type": "string", "default": "x"}}
    found = outcome(of(SPEC), of(SPEC | {"properties": fields}), stored(size=1, mode="a"))
    assert found == Outcome(("v1",), pruned=("spec.mode",), filled=(Filled("spec.more", None, "x"),))


def test_an_object_that_stays_as_it_is_is_only_counted() -> None:
    found = evolve(of(SPEC), of(SPEC), [stored(size=1), {"apiVersion": "v1", "kind": "Pod"}])
    assert (found.objects, found.touched, found.refused, found.is_safe) == (1, (), 0, True)


def test_each_served_version_judges_and_equal_outcomes_are_one() -> None:
    old, new = with_version(of(SPEC), "v2"), with_version(of(TIGHTER), "v2")
    assert outcome(old, new, stored(size=7)).versions == ("v1", "v2")
    assert {change.version for change in evolve(old, new).changes} == {"v1", "v2"}
    new["spec"]["versions"][1]["schema"] = of(SPEC)["spec"]["versions"][0]["schema"]
    assert outcome(old, new, stored(size=7)).versions == ("v1",)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (of(SPEC), with_version(of(SPEC), "v2"), ["v2 version: widens"]),
        (with_version(of(SPEC), "v2"), of(SPEC), ["v2 version: narrows"]),
        (with_version(of(SPEC), "v2"), with_version(of(SPEC), "v2", served=False), ["v2 served: narrows"]),
        (with_version(of(SPEC), "v2", served=False), with_version(of(SPEC), "v2"), ["v2 served: widens"]),
        (of(SPEC), of(SPEC, deprecated=True), ["v1 deprecated: neutral"]),
        (of(SPEC), of(SPEC, subresources={"status": {}}), ["v1 subresources: undecided"]),
    ],
)
def test_what_versions_have(old: dict[str, Any], new: dict[str, Any], expected: list[str]) -> None:
    assert [f"{each.version} {each.keyword}: {each.effect}" for each in evolve(old, new).changes] == expected


def test_a_default_is_seen_by_other_versions() -> None:
    old = with_version(of(SPEC), "v2", schema=of(TIGHTER)["spec"]["versions"][0]["schema"])
    new = copy.deepcopy(old)
    for version in new["spec"]["versions"]:
        version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["mode"]["default"] = "x"
    assert [f"{each.version} {each.keyword}: {each.effect}" for each in evolve(old, new).changes] == [
        "v1 default: undecided",
        "v2 default: undecided",
    ]


def test_the_server_refuses_the_update() -> None:
    found = evolve(of(SPEC), of(SPEC) | {"spec": of(SPEC)["spec"] | {"scope": "Cluster"}})
    assert [error.text for error in found.errors] == ['spec.scope: Invalid value: "Cluster": field is immutable']
    assert not found.is_safe


BROKEN = of(SPEC) | {"spec": {"versions": 5}}


def test_a_new_definition_that_does_not_decode() -> None:
    found = evolve(of(SPEC), BROKEN)
    assert len(found.errors) == 1
    assert (found.changes, found.is_safe) == ((), False)


def test_an_old_definition_that_no_server_has_stored() -> None:
    with pytest.raises(InvalidCRD):
        evolve(BROKEN, of(SPEC))


def test_a_fault_of_both_definitions_does_not_hide_the_changes() -> None:
    old, new = (of(each | {"properties": each["properties"] | {"odd": {"type": "text"}}}) for each in (SPEC, TIGHTER))
    found = evolve(old, new)
    assert found.errors == ()
    assert [change.keyword for change in found.changes] == ["maximum"]


@limit(120)
@pytest.mark.parametrize("kubernetes", ["1.29", "1.35", "1.37"])
def test_no_stored_object_contradicts_a_change(kubernetes: str) -> None:
    """`python -m tests.support.differential.definition_evolutions 5000` judges many more."""
    found = [each for seed in (5, 6, 7, 10) if (each := judged(seed, 5, kubernetes)) is not None]
    assert [text for each in found for text in each.contradictions] == []
    assert sum(each.objects for each in found) > 0


@pytest.mark.parametrize(("seed", "kubernetes"), [(110001683, "1.29"), (130001654, "1.37")])
def test_an_error_that_the_old_definition_has_too_contradicts_no_change(seed: int, kubernetes: str) -> None:
    """A list for a text with a format, which a rule with oldSelf finds; a null that the storage version drops."""
    found = judged(seed, 50, kubernetes)
    assert found is not None
    assert found.contradictions == ()
    assert found.objects >= 50
