"""Broken rules: how a rule is broken, and which mutants no case tells apart."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest
import yaml

from ovnguard.validators.cli import suite_command
from ovnguard.validators.suite.mutants import mutants_of
from ovnguard.validators.suite.mutation import mutate
from ovnguard.validators.suite.runner import plan_suites


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
                "without self.b: has(self.a) && (self.c) && self.d",
                "without self.c: has(self.a) && (self.b) && self.d",
                "has(self.a) is !has(self.a): !has(self.a) && (self.b || self.c) && self.d",
            ],
        ),
        (
            "self.a && self.b || self.c",
            [
                "negated: !(self.a && self.b || self.c)",
                "without self.a: self.b || self.c",
                "without self.b: self.a || self.c",
                "without self.a && self.b: self.c",
                "without self.c: self.a && self.b",
            ],
        ),
        (
            "self.l.all(x, x.exists(y, y > -3 && has(y.b)))",
            [
                "negated: !(self.l.all(x, x.exists(y, y > -3 && has(y.b))))",
                "without y > -3: self.l.all(x, x.exists(y, has(y.b)))",
                "without has(y.b): self.l.all(x, x.exists(y, y > -3))",
                "all is exists: self.l.exists(x, x.exists(y, y > -3 && has(y.b)))",
                "exists is all: self.l.all(x, x.all(y, y > -3 && has(y.b)))",
                "has(y.b) is !has(y.b): self.l.all(x, x.exists(y, y > -3 && !has(y.b)))",
                "> is >=: self.l.all(x, x.exists(y, y >= -3 && has(y.b)))",
                "3 is 4: self.l.all(x, x.exists(y, y > -4 && has(y.b)))",
                "3 is 2: self.l.all(x, x.exists(y, y > -2 && has(y.b)))",
            ],
        ),
        (
            "!has(self.a) || self.a == 'x'",
            [
                "negated: !(!has(self.a) || self.a == 'x')",
                "without !has(self.a): self.a == 'x'",
                "without self.a == 'x': !has(self.a)",
                "!has(self.a) is has(self.a): has(self.a) || self.a == 'x'",
                "== is !=: !has(self.a) || self.a != 'x'",
            ],
        ),
        # of a whole rule, other changes would mean the same as its negation
        ("!has(self.a)", ["negated: !(!has(self.a))"]),
        ("self.a != 'x'", ["negated: !(self.a != 'x')"]),
        (
            "self.a ? self.b ? self.c : self.d : self.e",
            [
                "negated: !(self.a ? self.b ? self.c : self.d : self.e)",
                "self.a is negated: !(self.a) ? self.b ? self.c : self.d : self.e",
                "self.b is negated: self.a ? !(self.b) ? self.c : self.d : self.e",
            ],
        ),
        # methods and variables of these names are no macros
        (
            "self.exists && all(self.b)",
            [
                "negated: !(self.exists && all(self.b))",
                "without self.exists: all(self.b)",
                "without all(self.b): self.exists",
            ],
        ),
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
            [
                "negated: !((has(self.a) ? self.a : 1) == (has(oldSelf.a) ? oldSelf.a : 1))",
                "has(self.a) is negated: (!(has(self.a)) ? self.a : 1) == (has(oldSelf.a) ? oldSelf.a : 1)",
                "has(oldSelf.a) is negated: (has(self.a) ? self.a : 1) == (!(has(oldSelf.a)) ? oldSelf.a : 1)",
            ],
        ),
        (
            "!has(oldSelf.a) && !has(self.a) || has(self.a) && has(oldSelf.a)",
            [
                "negated: !(!has(oldSelf.a) && !has(self.a) || has(self.a) && has(oldSelf.a))",
                "without !has(oldSelf.a): !has(self.a) || has(self.a) && has(oldSelf.a)",
                "without !has(self.a): !has(oldSelf.a) || has(self.a) && has(oldSelf.a)",
                "without has(self.a): !has(oldSelf.a) && !has(self.a) || has(oldSelf.a)",
                "without has(oldSelf.a): !has(oldSelf.a) && !has(self.a) || has(self.a)",
                "without !has(oldSelf.a) && !has(self.a): has(self.a) && has(oldSelf.a)",
                "without has(self.a) && has(oldSelf.a): !has(oldSelf.a) && !has(self.a)",
                "!has(oldSelf.a) is has(oldSelf.a): has(oldSelf.a) && !has(self.a) || has(self.a) && has(oldSelf.a)",
                "!has(self.a) is has(self.a): !has(oldSelf.a) && has(self.a) || has(self.a) && has(oldSelf.a)",
                "has(self.a) is !has(self.a): !has(oldSelf.a) && !has(self.a) || !has(self.a) && has(oldSelf.a)",
                "has(oldSelf.a) is !has(oldSelf.a): !has(oldSelf.a) && !has(self.a) || has(self.a) && !has(oldSelf.a)",
            ],
        ),
        (
            "self.all(x, x in oldSelf) || oldSelf.all(x, x in self)",
            [
                "negated: !(self.all(x, x in oldSelf) || oldSelf.all(x, x in self))",
                "without self.all(x, x in oldSelf): oldSelf.all(x, x in self)",
                "without oldSelf.all(x, x in self): self.all(x, x in oldSelf)",
                "all is exists: self.exists(x, x in oldSelf) || oldSelf.all(x, x in self)",
                "all is exists: self.all(x, x in oldSelf) || oldSelf.exists(x, x in self)",
            ],
        ),
        # of three operands the first two are compared first
        (
            "self.a == oldSelf.a == oldSelf.b",
            [
                "negated: !(self.a == oldSelf.a == oldSelf.b)",
                "== is !=: self.a != oldSelf.a == oldSelf.b",
                "== is !=: self.a == oldSelf.a != oldSelf.b",
                "self and oldSelf swapped: oldSelf.a == self.a == self.b",
            ],
        ),
        (
            "oldSelf == '' || self == oldSelf",
            [
                "negated: !(oldSelf == '' || self == oldSelf)",
                "without oldSelf == '': self == oldSelf",
                "without self == oldSelf: oldSelf == ''",
                "== is !=: oldSelf != '' || self == oldSelf",
                "== is !=: oldSelf == '' || self != oldSelf",
                "self and oldSelf swapped: self == '' || oldSelf == self",
            ],
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


def test_equal_operands_of_a_hostile_rule_take_little_time() -> None:
    assert [each.change for each in mutants_of("a && " * 2_000 + "a")] == ["negated", "without a"]


@pytest.mark.parametrize("analysis", [(), ("--coverage",), ("--mutate",)])
def test_a_broken_definition_is_reported_once_at_its_line(
    analysis: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = suite(tmp_path, case("small"), case("big", "too big", {"size": 9}))
    file = folder / "crd.yaml"
    file.write_text(file.read_text().replace("self < 5", "self +"))
    assert suite_command.test.main([str(folder), *analysis], standalone_mode=False) == 1
    out, err = capsys.readouterr()
    lines = out.splitlines()
    at = next(number for number, line in enumerate(file.read_text().splitlines(), 1) if "self +" in line)
    assert lines[0] == f"{file}:{at}: errored  [crd.yaml]"
    assert f"    'kubectl ovn-preflight cost {file}' checks the CRD alone, with the costs of its rules" in lines
    assert out.count("the CRD is not valid: ") == 1
    assert "1 suite, 1 run, 1 case: 0 passed, 0 failed, 1 errored" in lines
    assert err == ("" if "--mutate" not in analysis else RED % (1, 1))


RED = "Error: --mutate needs cases that pass, %d of %d did not: no rule was broken\n"


def test_no_rule_is_broken_while_a_case_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = suite(tmp_path, case("small"), case("big", "too big", {"size": 1}))
    assert suite_command.test.main([str(folder), "--mutate"], standalone_mode=False) == 1
    out, err = capsys.readouterr()
    assert err == RED % (1, 2)
    assert out.splitlines()[-1] == "1 suite, 1 run, 2 cases: 1 passed, 1 failed, 0 errored"
