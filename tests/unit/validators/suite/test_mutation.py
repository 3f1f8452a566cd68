"""Broken rules: how a rule is broken, and which mutants no case tells apart."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest
import yaml

from validators.suite.mutants import mutants_of
from validators.suite.mutation import mutate
from validators.suite.runner import plan_suites


@pytest.mark.parametrize(
    ("rule", "mutants"),
    [
        ("self.a", ["negated: !(self.a)"]),
        (
            "has(self.a) && (self.b || self.c) && self.d",
            [
                "negated: !(has(self.a) && (self.b || self.c) && self.d)",
                "without has(self.a): (self.b || self.c) && self.d",
                "without (self.b || self.c): has(self.a) && self.d",
                "without self.d: has(self.a) && (self.b || self.c)",
            ],
        ),
        # the operands of || are no conjuncts
        ("self.a && self.b || self.c", ["negated: !(self.a && self.b || self.c)"]),
        (
            "self.size() <= 10",
            [
                "negated: !(self.size() <= 10)",
                "<= is <: self.size() < 10",
                "10 is 11: self.size() <= 11",
                "10 is 9: self.size() <= 9",
            ],
        ),
        ("self == 0", ["negated: !(self == 0)", "0 is 1: self == 1"]),
        # numbers in texts and arguments are no bounds
        ("self.split('1 < 2')[0]", ["negated: !(self.split('1 < 2')[0])"]),
        (
            "self >= oldSelf",
            ["negated: !(self >= oldSelf)", ">= is >: self > oldSelf", "self and oldSelf swapped: oldSelf >= self"],
        ),
        # equality reads the same from both sides
        ("self.mtu == oldSelf.mtu", ["negated: !(self.mtu == oldSelf.mtu)"]),
        (
            "(has(self.a) ? self.a : 1) == (has(oldSelf.a) ? oldSelf.a : 1)",
            ["negated: !((has(self.a) ? self.a : 1) == (has(oldSelf.a) ? oldSelf.a : 1))"],
        ),
        (
            "!has(oldSelf.a) && !has(self.a) || has(self.a) && has(oldSelf.a)",
            ["negated: !(!has(oldSelf.a) && !has(self.a) || has(self.a) && has(oldSelf.a))"],
        ),
        (
            "self.all(x, x in oldSelf) || oldSelf.all(x, x in self)",
            ["negated: !(self.all(x, x in oldSelf) || oldSelf.all(x, x in self))"],
        ),
        # of three operands the first two are compared first
        (
            "self.a == oldSelf.a == oldSelf.b",
            [
                "negated: !(self.a == oldSelf.a == oldSelf.b)",
                "self and oldSelf swapped: oldSelf.a == self.a == self.b",
            ],
        ),
        (
            "oldSelf == '' || self == oldSelf",
            ["negated: !(oldSelf == '' || self == oldSelf)", "self and oldSelf swapped: self == '' || oldSelf == self"],
        ),
    ],
)
def test_mutants(rule: str, mutants: list[str]) -> None:
    assert [f"{each.change}: {each.rule}" for each in mutants_of(rule)] == mutants


CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "things.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Cluster",
        "names": {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "a.b": {
                                "type": "array",
                                "maxItems": 3,
                                "items": {
                                    "type": "integer",
                                    "x-kubernetes-validations": [{"rule": "self > 3", "message": "too small"}],
                                },
                            },
                            "size": {
                                "type": "integer",
                                "x-kubernetes-validations": [{"rule": "self < 5", "message": "too big"}],
                            },
                        },
                    }
                },
            }
        ],
    },
}


def case(name: str, error: str = "", fields: Mapping[str, object] = MappingProxyType({"size": 1})) -> dict[str, str]:
    text = yaml.safe_dump({"apiVersion": "example.com/v1", "kind": "Thing", **fields})
    return {"name": name, "initial": text, **({"expectedError": error} if error else {"expected": text})}


def suite(folder: Path, *cases: dict[str, str]) -> Path:
    place = folder / "tests" / "things.example.com"
    place.mkdir(parents=True)
    (folder / "crd.yaml").write_text(yaml.safe_dump(CRD))
    head = {"apiVersion": "apiextensions.k8s.io/v1", "name": "things", "crdName": "things.example.com"}
    (place / "a.testsuite.yaml").write_text(yaml.safe_dump({**head, "tests": {"onCreate": list(cases)}}))
    return folder


def test_a_mutant_that_no_case_distinguishes_survives(tmp_path: Path) -> None:
    folder = suite(tmp_path, case("small"), case("big", "too big", {"size": 9}))
    found = mutate(plan_suites([folder], crds=[folder]))
    assert found.report.passed
    survivors = [(each.location, each.mutant.change, each.cases) for each in found.survivors]
    assert survivors == [
        ("a.b[*].x-kubernetes-validations[0]", change, 0) for change in ("negated", "> is >=", "3 is 4", "3 is 2")
    ] + [("size.x-kubernetes-validations[0]", change, 2) for change in ("< is <=", "5 is 6", "5 is 4")]
    assert (found.killed, found.invalid) == (1, 0)


def test_cases_at_the_bound_leave_no_survivor(tmp_path: Path) -> None:
    sizes = [case("largest", "", {"size": 4}), case("next", "too big", {"size": 5})]
    items = [case("fits", "", {"a.b": [4]}), case("does not", "too small", {"a.b": [3]})]
    found = mutate(plan_suites([suite(tmp_path, *sizes, *items)], crds=[tmp_path]))
    assert (found.report.passed, found.survivors, found.killed) == (True, (), 8)
