import json
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from click.testing import CliRunner

from ovnguard import crd_schemas
from ovnguard.validators.cli import cost_command as command
from ovnguard.validators.cli import main as program
from ovnguard.validators.cost import DefinitionCost, RuleCost, explain
from ovnguard.validators.crd.compiled_crd import InvalidCRD, compile_crd
from tests.support.cel.cost_definitions import NAME, crd
from tests.support.paths import ROOT
from tests.support.soak import limit

TEXT = {"type": "string"}
SHORT = {"type": "string", "maxLength": 10}


def items(of: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": of, **more}


def entries(of: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": of, **more}


def ruled(schema: dict[str, Any], *rules: str) -> dict[str, Any]:
    return {**schema, "x-kubernetes-validations": [{"rule": rule} for rule in rules]}


def only(definition: dict[str, Any]) -> RuleCost:
    (schema,) = explain(definition).schemas
    (rule,) = schema.rules
    return rule


def missing(rule: RuleCost) -> list[str]:
    return [f"{one.path} {one.keyword}" for one in rule.missing]


@pytest.mark.parametrize(
    ("properties", "rule", "expected"),
    [
        ({"n": {"type": "integer"}}, "self.n > 1", []),
        ({"a": SHORT}, "self.a == 'x'", []),
        ({"a": TEXT}, "self.a.matches('x')", ["spec.a maxLength"]),
        # A comparison is as dear as the shorter side: bounding either helps.
        ({"a": TEXT, "b": TEXT}, "self.a == self.b", ["spec.a maxLength", "spec.b maxLength"]),
        ({"a": TEXT, "b": SHORT}, "self.a == self.b", []),
        # Of two branches the dearer counts: bounding one alone would not show it.
        (
            {"f": {"type": "boolean"}, "a": TEXT, "b": TEXT},
            "self.f ? self.a.contains('x') : self.b.contains('y')",
            ["spec.a maxLength", "spec.b maxLength"],
        ),
        ({"a": {"type": "string", "enum": ["x", "y"]}}, "self.a.matches('x')", []),
        ({"a": {"type": "string", "format": "date-time"}}, "string(self.a).matches('x')", []),
        ({"a": {"type": "string", "format": "byte"}}, "self.a == b'x'", []),
        ({"a": {"x-kubernetes-int-or-string": True}}, "type(self.a) == int", []),
        ({"a": {"x-kubernetes-int-or-string": True}}, "string(self.a).startsWith('a')", ["spec.a maxLength"]),
        ({"l": items(SHORT)}, "self.l.all(x, x == 'a')", ["spec.l maxItems"]),
        ({"l": items(TEXT, maxItems=5)}, "self.l.all(x, x == 'a')", []),
        ({"l": items(TEXT, maxItems=5)}, "self.l.all(x, x.matches('a'))", ["spec.l[*] maxLength"]),
        ({"m": entries(SHORT)}, "self.m.all(k, self.m[k] == 'a')", ["spec.m maxProperties"]),
        ({"m": entries(TEXT, maxProperties=3)}, "self.m.all(k, self.m[k].contains('a'))", ["spec.m[*] maxLength"]),
        (
            {"l": items({"type": "object", "properties": {"n": TEXT, "o": TEXT}})},
            "self.l.all(x, self.l.exists_one(y, x.n == y.n))",
            ["spec.l maxItems", "spec.l[*].n maxLength"],
        ),
        # Escaped and reserved names.
        ({"a-b": TEXT}, "self.a__dash__b.matches('x')", ["spec.a-b maxLength"]),
        # The estimate does not find what is named by a reserved word without its escape.
        ({"for": TEXT}, "self.for.matches('x')", []),
        ({"for": TEXT}, "self.__for__.matches('x')", ["spec.for maxLength"]),
        # What a rule does not look at does not count.
        ({"a": SHORT, "z": TEXT, "l": items(TEXT)}, "self.a.matches('x') && has(self.z)", []),
    ],
)
def test_missing_bounds(properties: dict[str, Any], rule: str, expected: list[str]) -> None:
    assert missing(only(crd(properties, rule))) == expected


@pytest.mark.parametrize(
    ("properties", "times", "expected"),
    [
        ({"a": ruled(SHORT, "self == 'x'")}, 1, []),
        ({"l": items(ruled(SHORT, "self == 'x'"), maxItems=7)}, 7, []),
        ({"l": items(ruled(SHORT, "self == 'x'"))}, 3_145_728 // 3, ["spec.l maxItems"]),
        ({"m": entries(ruled(SHORT, "self == 'x'"))}, 3_145_728 // 3, ["spec.m maxProperties"]),
        ({"l": items(entries(ruled(SHORT, "self == 'x'"), maxProperties=3), maxItems=7)}, 21, []),
        ({"l": items(entries(ruled(SHORT, "self == 'x'"), maxProperties=3))}, 3_145_728 // 3, ["spec.l maxItems"]),
        (
            {"l": items(items(ruled({"type": "integer"}, "self > 1")))},
            3_145_728 // 2,
            ["spec.l maxItems", "spec.l[*] maxItems"],
        ),
        # The rule of a list itself runs once.
        ({"l": ruled(items(SHORT), "size(self) > 0")}, 1, []),
    ],
)
def test_how_often_a_rule_runs(properties: dict[str, Any], times: int, expected: list[str]) -> None:
    rule = only(crd(properties))
    assert (rule.times, missing(rule)) == (times, expected)
    assert rule.cost == rule.per_call * times


def bounded(definition: dict[str, Any], rule: RuleCost, bound: int) -> dict[str, Any]:
    """The definition with a value for every bound that the rule misses."""
    made = deepcopy(definition)
    for one in rule.missing:
        node = made["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        for step in one.path.replace("[*]", ".[*]").split("."):
            node = (node.get("items") or node["additionalProperties"]) if step == "[*]" else node["properties"][step]
        node[one.keyword] = bound
    return made


@pytest.mark.parametrize(
    ("properties", "rules"),
    [
        ({"l": items(TEXT)}, ["self.l.all(x, self.l.exists_one(y, x == y))"]),
        ({"l": items(ruled(TEXT, "self.matches('^[a-z]+$')"))}, []),
        ({"l": items(entries(ruled(TEXT, "self.contains('abc')")))}, []),
        ({"a": TEXT, "b": TEXT}, ["self.a.contains(self.b)"]),
    ],
)
def test_the_bound_that_fits_fits_and_is_the_largest(properties: dict[str, Any], rules: list[str]) -> None:
    definition = crd(properties, *rules)
    rule = only(definition)
    assert rule.over
    assert rule.fits_at
    fitting = only(bounded(definition, rule, rule.fits_at))
    assert not fitting.over
    assert (fitting.missing, fitting.fits_at) == ((), None)
    assert only(bounded(definition, rule, rule.fits_at + 1)).over


def test_no_bound_is_proposed_where_none_makes_the_rule_cheap_enough() -> None:
    rule = only(crd({"l": items(SHORT, maxItems=5000)}, "self.l.all(x, self.l.all(y, x != y))"))
    assert rule.over
    assert (missing(rule), rule.fits_at) == ([], 0)
    computed = only(crd({"l": items(SHORT)}, "self.l.map(x, x + 'y').join('') == 'a'"))
    assert computed.fits_at == 0


def test_messages_count_once_and_apart() -> None:
    written = {"rule": "self.n > 1", "messageExpression": "'many ' + self.a.replace('x', 'y')"}
    nested = {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "a": TEXT},
        "x-kubernetes-validations": [written],
    }
    (schema,) = explain(crd({"l": items(nested, maxItems=100)})).schemas
    message, rule = schema.rules
    assert message.path == "spec.l[*].x-kubernetes-validations[0].messageExpression"
    assert (message.times, rule.times) == (1, 100)
    assert missing(message) == ["spec.l[*].a maxLength"]
    assert schema.total == message.cost + rule.cost


def test_errors_are_those_of_the_server() -> None:
    definition = crd({"a": TEXT, "b": TEXT, "n": items(ruled(TEXT, "self.matches('x')"))}, "self.a.contains(self.b)")
    (schema,) = explain(definition).schemas
    with pytest.raises(InvalidCRD) as refusal:
        compile_crd(definition)
    assert schema.errors == refusal.value.errors
    assert schema.over


def test_several_versions() -> None:
    definition = crd({"a": TEXT}, "self.a == 'x'")
    first = definition["spec"]["versions"][0]
    second = {**deepcopy(first), "name": "v2", "storage": False}
    definition["spec"]["versions"].append(second)
    (shared,) = explain(definition).schemas
    assert shared.versions == ("v1", "v2")
    assert shared.rules[0].field.startswith("spec.validation.openAPIV3Schema.properties[spec].")
    second["schema"]["openAPIV3Schema"]["properties"]["spec"]["x-kubernetes-validations"][0]["rule"] = "true"
    apart = explain(definition).schemas
    assert [one.versions for one in apart] == [("v1",), ("v2",)]
    assert apart[1].rules[0].field.startswith("spec.versions[1].schema.openAPIV3Schema.")


def test_the_dearest_comes_first() -> None:
    rules = explain(crd({"a": TEXT, "b": SHORT}, "self.b == 'x'", "self.a.matches('x')", "true")).schemas[0].rules
    assert [rule.cost for rule in rules] == sorted((rule.cost for rule in rules), reverse=True)
    assert rules[0].text == "self.a.matches('x')"


def test_definition_without_rules() -> None:
    assert explain(crd({})) == DefinitionCost(NAME, ())


@pytest.mark.parametrize("broken", [{}, {"kind": "CustomResourceDefinition"}, {"spec": 1, "kind": "X"}])
def test_an_invalid_definition_is_refused(broken: dict[str, Any]) -> None:
    with pytest.raises(InvalidCRD):
        explain(broken)


OVER = crd({"a": TEXT, "b": TEXT}, "self.a.contains(self.b)")
FINE = crd({"a": SHORT}, "self.a == 'x'")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, body in (("over", OVER), ("fine", FINE)):
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(body))
    return tmp_path


def returned(*arguments: str, stdin: str | None = None) -> tuple[int, str]:
    """What the command returns, which is the exit code, and what it writes."""
    result = CliRunner().invoke(command.cost, [*arguments], input=stdin, standalone_mode=False)
    assert result.exception is None, result.output
    return result.return_value, result.stdout


def read(text: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(text)
    schema = json.loads((ROOT / "docs/schemas/cost-v1.json").read_text())
    jsonschema.validate(document, schema, jsonschema.Draft202012Validator)
    return document


def test_text(folder: Path) -> None:
    assert returned("over.yaml") == (
        1,
        """\
widgets.example.com (over.yaml) v1: 1 rule, 98,956,172,333 of 100,000,000 (990x), over the limit
          COST OF RULE OF CRD  RULE
98,956,172,333   9896x   990x  spec: rule 0
                                self.a.contains(self.b)
                                missing maxLength: spec.a (3,145,726 bytes)
                                missing maxLength: spec.b (3,145,726 bytes)
                                -> within the limit with each at most 7,905

1 CRD, 1 rule, 1 over a limit (Kubernetes 1.35: 10,000,000 a rule, 100,000,000 a schema)
""",
    )


def test_within_the_limits(folder: Path) -> None:
    code, text = returned("fine.yaml", "--kubernetes-version", "1.33")
    assert code == 0
    assert text.endswith("1 CRD, 1 rule, 0 over a limit (Kubernetes 1.33: 10,000,000 a rule, 100,000,000 a schema)\n")


def test_json(folder: Path) -> None:
    code, text = returned(".", "-o", "json")
    document = read(text)
    assert code == 1
    assert document["summary"] == {"crds": 2, "rules": 2, "over": 1, "errors": 0}
    fine, over = document["crds"]
    assert (fine["source"], fine["schemas"][0]["over"], over["schemas"][0]["over"]) == ("fine.yaml", False, True)
    assert over["schemas"][0]["rules"][0] | {"field": ""} == {
        "path": "spec.x-kubernetes-validations[0].rule",
        "field": "",
        "expression": "self.a.contains(self.b)",
        "cost": 98_956_172_333,
        "cost_per_call": 98_956_172_333,
        "calls": 1,
        "share_of_rule_limit": 9895.6172333,
        "share_of_crd_limit": 989.56172333,
        "over": True,
        "missing": [
            {"path": "spec.a", "keyword": "maxLength", "assumed": 3_145_726},
            {"path": "spec.b", "keyword": "maxLength", "assumed": 3_145_726},
        ],
        "fits_at": 7905,
    }
    assert [text.split(": ")[1] for text in over["schemas"][0]["errors"]] == ["Forbidden"] * 3


def test_standard_input() -> None:
    assert returned("-", stdin=json.dumps(FINE))[0] == 0


@limit(180)
def test_bundled() -> None:
    code, text = returned("--bundled", "-o", "json")
    names = {(one["name"], one["source"]) for one in read(text)["crds"]}
    assert code == 0
    assert ("userdefinednetworks.k8s.ovn.org", "bundled common") in names
    assert ("networks.operator.openshift.io", "bundled released") in names
    assert ("networks.operator.openshift.io", "bundled enhancement") in names
    assert len(names) == len({path for key in crd_schemas.kinds() for path in crd_schemas.paths(*key).values()})


def test_bundled_by_name() -> None:
    code, text = returned("userdefinednetworks.k8s.ovn.org", "-o", "json")
    assert (code, [one["source"] for one in read(text)["crds"]]) == (0, ["bundled common"])


@limit(180)
def test_a_hundred_columns() -> None:
    code, text = returned("--bundled", "--color", "always")
    assert code == 0
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.yaml", "a: [", "a.yaml:"),
        (
            "a.yaml",
            "kind: ConfigMap\napiVersion: v1",
            "a.yaml: no CustomResourceDefinition there; name a file or folder",
        ),
        ("a.yaml", json.dumps({**FINE, "apiVersion": "x/v1"}), "a.yaml: kind: Invalid value: "),
        ("a.yaml", json.dumps(crd({"a": TEXT}, "self.b == 1")), "undefined field 'b'"),
        ("b.yaml", "", "a.yaml:1:1: cannot be read: No such file or directory"),
    ],
)
def test_bad_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: str, message: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(content)
    code, text = returned("a.yaml")
    assert (code, message in text) == (2, True), text
    code, text = returned("a.yaml", "-o", "json")
    document = read(text)
    assert code == 2
    assert document["summary"]["errors"] >= 1


def test_a_broken_rule_does_not_prevent_the_estimate_of_others(folder: Path) -> None:
    body = crd({"a": ruled(SHORT, "self == 'x'"), "b": ruled(SHORT, "self == 1")})
    (folder / "half.yaml").write_text(json.dumps(body))
    code, text = returned("half.yaml", "-o", "json")
    (found,) = read(text)["crds"]
    assert code == 2
    assert [rule["path"] for rule in found["schemas"][0]["rules"]] == ["spec.a.x-kubernetes-validations[0].rule"]
    assert len(found["errors"]) == 1


def test_colour_only_on_request(folder: Path) -> None:
    assert "\x1b[31m98,956,172,333" in returned("over.yaml", "--color", "always")[1]
    assert "\x1b" not in returned("fine.yaml", "--color", "always")[1]
    assert "\x1b" not in returned("over.yaml")[1]


def test_untrusted_text_does_not_reach_the_terminal(folder: Path) -> None:
    body = crd({"a": SHORT}, {"rule": "self.a == '\x1b[2J'", "message": "m"})
    (folder / "odd.yaml").write_text(json.dumps(body))
    assert "\x1b" not in returned("odd.yaml")[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a CRD, or use --bundled"),
        (["a.yaml", "--kubernetes-version", "1.2"], "1.2 is not one of 1.29 to 1.37"),
        (["a.yaml", "--kubernetes-version", "x"], "'x' is not a Kubernetes version such as '1.35'"),
        (["a.yaml", "-o", "xml"], "'xml' is not one of 'text', 'json'"),
    ],
)
def test_wrong_calls(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(command.cost, arguments)
    assert result.exit_code == 2
    assert message in result.output


def test_preflight_runs_the_cost_command(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["kubectl-ovn_preflight", "cost", "over.yaml"])
    with pytest.raises(SystemExit) as ended:
        program.main()
    assert ended.value.code == 1
    assert "1 over a limit" in capsys.readouterr().out
