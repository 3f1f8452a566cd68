"""Both analyses of suites on definitions and suites of every shape."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from ovnguard.validators.suite.coverage import Coverage, cover
from ovnguard.validators.suite.mutants import mutants_of
from ovnguard.validators.suite.mutation import MOST_MUTANTS, MOST_TEXT, Mutation, mutate
from ovnguard.validators.suite.runner import plan_suites
from tests.unit.validators.suite.test_mutation import CRD, case


def rule(text: str) -> list[dict[str, str]]:
    return [{"rule": text, "message": "no"}]


def definition(schema: dict[str, Any]) -> dict[str, Any]:
    crd: dict[str, Any] = deepcopy(CRD)
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = {"type": "object", **schema}
    return crd


def analysed(folder: Path, crd: dict[str, Any], **tests: list[dict[str, Any]]) -> tuple[Coverage, Mutation]:
    place = folder / "tests" / "things.example.com"
    place.mkdir(parents=True)
    (folder / "crd.yaml").write_text(yaml.safe_dump(crd))
    (place / "a.yaml").write_text(yaml.safe_dump({"name": "things", "crdName": "things.example.com", "tests": tests}))
    plan = plan_suites([folder], crds=[folder / "crd.yaml"])
    covered, mutated = cover(plan), mutate(plan)
    assert covered.report == mutated.report
    return covered, mutated


def gaps(covered: Coverage) -> list[str]:
    return [f"{gap.location}: {gap.missing}" for gap in covered.gaps]


def survivors(mutated: Mutation) -> list[str]:
    return [f"{each.location}: {each.mutant.change} ({each.cases})" for each in mutated.survivors]


NEVER_REFUSED = "x-kubernetes-validations[0]: rule never refused with its exact text: no"


@pytest.mark.parametrize(
    ("schema", "value", "location"),
    [
        (
            {
                "type": "object",
                "additionalProperties": {"type": "integer", "x-kubernetes-validations": rule("self < 5")},
            },
            {"a": 1},
            "part[*]",
        ),
        (
            {"type": "array", "items": {"type": "integer", "x-kubernetes-validations": rule("self < 5")}},
            [1],
            "part[*]",
        ),
        (
            {
                "type": "object",
                "x-kubernetes-embedded-resource": True,
                "x-kubernetes-preserve-unknown-fields": True,
                "x-kubernetes-validations": rule("size(self.metadata.name) < 5"),
            },
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}},
            "part",
        ),
        (
            {
                "type": "object",
                "properties": {
                    "x-y.z": {"type": "object", "properties": {"a": {"type": "integer"}}},
                    "in": {"type": "integer", "x-kubernetes-validations": rule("self < 5")},
                },
            },
            {"in": 1},
            "part.in",
        ),
    ],
    ids=["values of a map", "items", "an embedded resource", "a reserved name"],
)
def test_rules_anywhere(tmp_path: Path, schema: dict[str, Any], value: object, location: str) -> None:
    crd = definition({"properties": {"part": schema}})
    covered, mutated = analysed(tmp_path, crd, onCreate=[case("one", "", {"part": value})])
    assert covered.report.passed, [each.message for each in covered.report.cases]
    assert gaps(covered) == [f"{location}.{NEVER_REFUSED}"]
    where = f"{location}.x-kubernetes-validations[0]"
    assert survivors(mutated) == [f"{where}: {change} (1)" for change in ("< is <=", "5 is 6", "5 is 4")]
    assert (mutated.killed, mutated.invalid, mutated.cut) == (1, 0, 0)


def test_a_rule_about_metadata(tmp_path: Path) -> None:
    crd = definition({"x-kubernetes-validations": rule("self.metadata.name.startsWith('test-') && true")})
    covered, mutated = analysed(tmp_path, crd, onCreate=[case("one", "", {})])
    assert gaps(covered) == [NEVER_REFUSED]
    assert survivors(mutated) == [
        "x-kubernetes-validations[0]: without self.metadata.name.startsWith('test-') (1)",
        "x-kubernetes-validations[0]: without true (1)",
    ]


PATCHED = {
    "name": "grew under older rules",
    "initialCRDPatches": [
        {
            "op": "remove",
            "path": "/spec/versions/0/schema/openAPIV3Schema/properties/size/x-kubernetes-validations",
        }
    ],
    "initial": yaml.safe_dump({"apiVersion": "example.com/v1", "kind": "Thing", "size": 9}),
    "updated": yaml.safe_dump({"apiVersion": "example.com/v1", "kind": "Thing", "size": 8}),
    "expectedError": "too big",
}


def test_what_a_patch_changes_is_no_part_of_the_definition(tmp_path: Path) -> None:
    covered, mutated = analysed(tmp_path, CRD, onUpdate=[PATCHED])
    assert covered.report.passed, [each.message for each in covered.report.cases]
    assert "size.x-kubernetes-validations[0]: rule never held in an accepted request: too big" in gaps(covered)
    assert not [gap for gap in gaps(covered) if "refused" in gap and gap.startswith("size")]
    own = [each for each in survivors(mutated) if each.startswith("size")]
    assert own == [f"size.x-kubernetes-validations[0]: {change} (1)" for change in ("< is <=", "5 is 6", "5 is 4")]


def test_a_mutant_meets_the_patched_definition_as_well(tmp_path: Path) -> None:
    """The mutant ``self < 4`` refuses the initial object: the patch removes another rule only."""
    patch = [{"op": "remove", "path": "/spec/versions/0/schema/openAPIV3Schema/properties/a.b"}]
    initial = yaml.safe_dump({"apiVersion": "example.com/v1", "kind": "Thing", "size": 4})
    updated = yaml.safe_dump({"apiVersion": "example.com/v1", "kind": "Thing", "size": 1})
    same = {"name": "shrinks", "initialCRDPatches": patch, "initial": initial, "updated": updated}
    covered, mutated = analysed(tmp_path, CRD, onUpdate=[same])
    assert covered.report.passed, [each.message for each in covered.report.cases]
    own = [each for each in survivors(mutated) if each.startswith("size")]
    assert own == [f"size.x-kubernetes-validations[0]: {change} (1)" for change in ("< is <=", "5 is 6")]


def test_a_definition_that_does_not_compile(tmp_path: Path) -> None:
    crd = definition({"x-kubernetes-validations": rule("self.absent > 3")})
    covered, mutated = analysed(tmp_path, crd, onCreate=[case("one", "", {})], onUpdate=[PATCHED])
    assert [each.outcome.value for each in covered.report.cases] == ["errored"]
    assert (covered.gaps, mutated.survivors, mutated.killed, mutated.invalid) == ((), (), None, 0)


def test_a_mutant_that_its_own_default_breaks_is_no_valid_rule(tmp_path: Path) -> None:
    schema = {"type": "integer", "default": 4, "x-kubernetes-validations": rule("self < 5")}
    _, mutated = analysed(tmp_path, definition({"properties": {"size": schema}}), onCreate=[])
    assert survivors(mutated) == []


def test_a_size_of_at_least_0_is_no_gap(tmp_path: Path) -> None:
    crd = definition({"properties": {"a": {"type": "string", "minLength": 0}, "b": {"type": "integer", "minimum": 0}}})
    covered, _ = analysed(tmp_path, crd, onCreate=[case("one", "", {"b": 0})])
    assert gaps(covered) == ["b: minimum 0 never refused a value with its exact text"]


def test_a_long_rule_is_cut(tmp_path: Path) -> None:
    text = " && ".join(f"self != {number}" for number in range(1, 9)) + " " * MOST_TEXT
    text = text[: MOST_TEXT // 5]
    crd = definition({"properties": {"size": {"type": "integer", "x-kubernetes-validations": rule(text)}}})
    _, mutated = analysed(tmp_path, crd, onCreate=[case("one", "", {"size": 1000}), case("none", "no", {"size": 1})])
    assert (mutated.killed, mutated.invalid, mutated.cut) == (2, 0, 1)
    assert survivors(mutated) == [f"size.x-kubernetes-validations[0]: without self != {n} (2)" for n in (2, 3, 4)]


def test_mutants_of_a_very_long_rule_are_made_on_demand() -> None:
    text = " && ".join(f"self.a != {number}" for number in range(5_000))
    assert next(iter(mutants_of(text))).change == "negated"
    assert sum(1 for _, _ in zip(mutants_of(text), range(MOST_MUTANTS), strict=False)) == MOST_MUTANTS


def test_processes_do_not_change_the_result(tmp_path: Path) -> None:
    cases = [case("small"), case("big", "too big", {"size": 9})]
    _, alone = analysed(tmp_path, CRD, onCreate=cases)
    assert mutate(plan_suites([tmp_path], crds=[tmp_path / "crd.yaml"]), jobs=3) == alone
