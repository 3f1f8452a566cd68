"""Warnings of the type check. Confirmed by the API server's own code, releases 1.35 and 1.36."""

from collections.abc import Mapping, Sequence

import pytest

from ovnguard.validators.policy import compile_policy
from ovnguard.validators.policy.type_check import ExpressionWarning, KnownKind, TypeChecker

SPEC = {"type": "object", "properties": {"size": {"type": "integer"}}}
WIDGET = KnownKind("example.com", "v1", "Widget", "widgets", {"type": "object", "properties": {"spec": SPEC}})
LIMIT = KnownKind("example.com", "v1", "Limit", "limits", {"type": "object", "properties": {"spec": SPEC}})
UNDECLARED = (
    "example.com/v1, Kind=Widget: ERROR: <input>:1:21: undeclared reference to 'params' (in container '')\n"
    " | object.spec.size <= params.spec.size\n"
    " | ....................^\n"
)


@pytest.mark.parametrize(
    ("kinds", "kubernetes", "expected"),
    [
        ([WIDGET, LIMIT], "1.35", []),
        ([WIDGET], "1.35", [UNDECLARED]),
        ([WIDGET], "1.36", []),
        ([WIDGET, LIMIT], "1.36", []),
    ],
)
def test_parameters_without_a_schema(kinds: list[KnownKind], kubernetes: str, expected: list[str]) -> None:
    found = warnings(kinds, kubernetes, validations=["object.spec.size <= params.spec.size"], params="Limit")
    assert [warning.text for warning in found] == expected


def warnings(
    kinds: Sequence[KnownKind],
    kubernetes: str = "1.35",
    *,
    validations: Sequence[str],
    params: str = "",
    variables: Mapping[str, str] | None = None,
    rule: Mapping[str, Sequence[str]] | None = None,
) -> Sequence[ExpressionWarning]:
    """The warnings about a policy on widgets, if the rule says nothing else."""
    usual = {"apiGroups": ["example.com"], "apiVersions": ["v1"], "operations": ["*"], "resources": ["widgets"]}
    spec = {
        "matchConstraints": {"resourceRules": [{**usual, **(rule or {})}]},
        "variables": [{"name": name, "expression": text} for name, text in (variables or {}).items()],
        "validations": [{"expression": text} for text in validations],
        **({"paramKind": {"apiVersion": "example.com/v1", "kind": params}} if params else {}),
    }
    source = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "policy.example.com"},
        "spec": spec,
    }
    return TypeChecker(kinds, kubernetes).warnings(compile_policy(source, kubernetes).source)


@pytest.mark.parametrize(
    ("rule", "checked"),
    [
        ({}, True),
        ({"resources": ["WIDGETS"]}, True),
        ({"resources": ["widget"]}, True),
        ({"resources": ["widgets/status"]}, False),
        ({"resources": ["*"]}, False),
        ({"resources": ["*/scale", "widgets"]}, True),
        ({"apiGroups": [""]}, True),
        ({"apiGroups": ["*"]}, False),
        ({"apiGroups": ["apps"]}, False),
        ({"apiVersions": ["v2", "v1"]}, True),
        ({"apiVersions": ["v2"]}, False),
    ],
)
def test_what_a_rule_names(rule: Mapping[str, Sequence[str]], checked: bool) -> None:
    found = warnings([WIDGET], validations=["object.nothing == 1"], rule=rule)
    assert [each.field for each in found] == ["spec.validations[0].expression"] * checked


def test_a_rule_counts_for_ten_kinds() -> None:
    kinds = [WIDGET._replace(kind=f"Widget{letter}", resource=f"widget{letter}s") for letter in "abcdefghijkl"]
    (found,) = warnings(
        kinds, validations=["object.nothing == 1"], rule={"resources": [each.resource for each in kinds]}
    )
    named = [line.partition(":")[0] for line in found.text.splitlines() if "Kind=" in line]
    assert named == [each.text for each in kinds[:10]]


def test_a_definition_names_its_singular() -> None:
    kind = WIDGET._replace(singular="gadget")
    assert warnings([kind], validations=["object.nothing == 1"], rule={"resources": ["gadget"]}) != ()
    assert warnings([kind], validations=["object.nothing == 1"], rule={"resources": ["widget"]}) == ()


def test_parameters_of_the_kind_of_the_object_have_a_type_of_their_own() -> None:
    (found,) = warnings([WIDGET], validations=["object.spec == params.spec"], params="Widget")
    assert found.text.splitlines()[0] == (
        "example.com/v1, Kind=Widget: ERROR: <input>:1:13: found no matching overload for '_==_' applied to "
        "'(Widget.spec, Widget2.spec)'"
    )
    assert warnings([WIDGET], validations=["object.spec == oldObject.spec"], params="Widget") == ()


@pytest.mark.parametrize(("kubernetes", "undeclared"), [("1.29", True), ("1.30", False)])
def test_variables_are_unknown_before_1_30(kubernetes: str, undeclared: bool) -> None:
    found = warnings([WIDGET], kubernetes, validations=["variables.a > 1"], variables={"a": "object.spec.size"})
    texts = [
        "example.com/v1, Kind=Widget: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')\n"
        " | variables.a > 1\n | ^\n"
    ]
    assert [each.text for each in found] == (texts if undeclared else [])
