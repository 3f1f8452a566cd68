"""Defaults that a rule refuses, and reasons of such rules; texts confirmed by the API server's own code, 1.35."""

from typing import Any

import pytest

from ovnguard.validators.crd.compiled_crd import InvalidCRD, compile_crd
from tests.support.small_definitions import definition

NODE = "spec.validation.openAPIV3Schema.properties[spec]"
REASONS = '"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"'
TEXT = {"type": "string", "default": "x"}
LIST = {"type": "array", "items": {"type": "string"}, "default": ["x"]}
MAP = {"type": "object", "properties": {"a": {"type": "string"}}, "default": {"a": "x"}}


def texts(node: dict[str, Any], *rules: dict[str, Any]) -> list[str]:
    refusing = {
        **node,
        "x-kubernetes-validations": [{"rule": "self != self", "message": "no", **rule} for rule in rules],
    }
    with pytest.raises(InvalidCRD) as caught:
        compile_crd(definition({"type": "object", "properties": {"spec": refusing}}))
    return [error.text for error in caught.value.errors]


@pytest.mark.parametrize("reason", ["Nope", "", "InternalError", "FieldValueNotFound", "FieldValueTooLong"])
@pytest.mark.parametrize(("node", "shown"), [(TEXT, ': "x"'), (LIST, ""), (MAP, "")])
def test_an_unknown_reason_refuses_as_invalid(node: dict[str, Any], shown: str, reason: str) -> None:
    assert texts(node, {"reason": reason}) == [
        f"{NODE}.default: Invalid value{shown}: no",
        f'{NODE}.x-kubernetes-validations[0].reason: Unsupported value: "{reason}": supported values: {REASONS}',
    ]


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("FieldValueInvalid", 'Invalid value: "x": no'),
        ("FieldValueForbidden", "Forbidden: no"),
        ("FieldValueRequired", "Required value: no"),
        ("FieldValueDuplicate", 'Duplicate value: "x"'),
    ],
)
def test_a_known_reason_is_the_type_of_the_error(reason: str, expected: str) -> None:
    assert texts(TEXT, {"reason": reason}) == [f"{NODE}.default: {expected}"]


def test_each_rule_refuses_for_its_own_reason() -> None:
    assert texts(TEXT, {"reason": "Nope"}, {}, {"reason": "FieldValueForbidden"}) == [
        f'{NODE}.default: Invalid value: "x": no',
        f'{NODE}.default: Invalid value: "x": no',
        f"{NODE}.default: Forbidden: no",
        f'{NODE}.x-kubernetes-validations[0].reason: Unsupported value: "Nope": supported values: {REASONS}',
    ]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("self != self", 'Invalid value: "x"'),
        ("1 / 0 == 1", 'Invalid value: "string": division by zero evaluating rule: '),
    ],
)
def test_a_message_of_spaces_is_empty(rule: str, expected: str) -> None:
    assert texts(TEXT, {"rule": rule, "message": " "}) == [
        f"{NODE}.default: {expected}",
        f'{NODE}.x-kubernetes-validations[0].message: Invalid value: " ": must be non-empty if specified',
    ]
