"""Warnings of the type check. Confirmed by the API server's own code, releases 1.35 and 1.36."""

import pytest

from ovnguard.validators.policy import compile_policy
from ovnguard.validators.policy.type_check import KnownKind, TypeChecker

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
    rule = {"apiGroups": ["example.com"], "apiVersions": ["v1"], "operations": ["*"], "resources": ["widgets"]}
    source = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "policy.example.com"},
        "spec": {
            "matchConstraints": {"resourceRules": [rule]},
            "paramKind": {"apiVersion": "example.com/v1", "kind": "Limit"},
            "validations": [{"expression": "object.spec.size <= params.spec.size"}],
        },
    }
    policy = compile_policy(source, kubernetes).source
    assert [warning.text for warning in TypeChecker(kinds, kubernetes).warnings(policy)] == expected
