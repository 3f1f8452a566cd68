"""Data that its schema does not describe, and values inside optionals, as the API server's own code judges them.

Every row was answered so by apiserver-verdict; tests/conformance/test_stored_data.py asks it again.
"""

from typing import Any

import pytest

from tests.support.cel.cel_compile import compile_rule
from tests.support.generated_rule import confirms

TEXT: dict[str, Any] = {"type": "string", "maxLength": 20}
FIELDS: dict[str, Any] = {
    "a": TEXT,
    "n": {"type": "number"},
    "when": {"type": "string", "format": "date-time"},
    "nothing": {**TEXT, "nullable": True},
    "namespace": TEXT,
    "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "integer"}, "maxItems": 4},
    "ints": {"type": "array", "items": {"type": "integer", "nullable": True}, "maxItems": 4},
    "map": {"type": "object", "additionalProperties": TEXT, "maxProperties": 3},
}
SCHEMA = {"type": "object", "properties": FIELDS}
NOT_A_MAP = "invalid data, expected a map for the provided schema with type=object"


def message(rule: str, value: Any, old: Any = None, *, optional: bool | None = None) -> str:
    """What the rule says; "" where it holds."""
    made = compile_rule(rule, SCHEMA, message="no", optional_old_self=optional)
    found = made.evaluate(value) if old is None else made.evaluate(value, old)
    return "" if found.ok else found.message


@pytest.mark.parametrize(
    ("rule", "stored", "expected"),
    [
        ("true", "text", ""),
        ("self.a == 'x'", "text", f"{NOT_A_MAP} evaluating rule: no"),
        ("has(self.a)", {"a": 3}, "invalid data, expected string, got int64 evaluating rule: no"),
        ("self.set == [1, 2]", {"set": ["a", 2]}, "no"),
        ("[1, 2] == self.set", {"set": ["a", 2]}, "no"),
        ("{'a': 'b'} == self.map", {"map": {"a": 3}}, "no"),
        ("self.ints.distinct().size() == 2", {"ints": ["a", 2]}, ""),
        ("self.ints.reverse().size() == 2", {"ints": ["a", 2]}, ""),
        (
            "self.ints.isSorted()",
            {"ints": [None, 1]},
            "'no such overload: isSorted(list)': call arguments did not match a supported operator, function or macro "
            "signature for rule: no",
        ),
        (
            "self.ints.all(x, x > 0)",
            {"ints": [None]},
            "'no such overload: _>_': call arguments did not match a supported operator, function or macro signature "
            "for rule: no",
        ),
        (
            "'%s'.format([self.ints]) == ''",
            {"ints": ["a"]},
            "error during formatting: no formatting function for error evaluating rule: no",
        ),
    ],
)
def test_stored_self(rule: str, stored: Any, expected: str) -> None:
    assert message(rule, stored) == expected


@pytest.mark.parametrize(
    ("rule", "value", "old", "expected"),
    [
        ("self.a == 'x' || oldSelf.a == 'y'", {"a": "x"}, "text", ""),
        ("self.a == 'z' || oldSelf.a == 'y'", {"a": "x"}, "text", f"{NOT_A_MAP} evaluating rule: no"),
        ("self.set == oldSelf.set", {"set": [1]}, {"set": ["x"]}, "no"),
        ("self.set == oldSelf.set || true", {"set": [1]}, {"set": [{}]}, ""),
        (
            "oldSelf.set == self.set || true",
            {"set": [1]},
            {"set": [[]]},
            "internal error: runtime error: hash of unhashable type []interface {} evaluating rule: no",
        ),
    ],
)
def test_stored_old(rule: str, value: Any, old: Any, expected: str) -> None:
    assert message(rule, value, old) == expected


def test_a_null_that_the_schema_forbids_is_in_no_set() -> None:
    stored = {"set": [1, None]}
    assert message("self.set == oldSelf.value().set", stored, stored, optional=True) == "no"
    assert message("self.set == oldSelf.value().set", {"set": [1]}, {"set": [1]}, optional=True) == ""


@pytest.mark.parametrize(
    ("rule", "old", "expected"),
    [
        ("oldSelf.hasValue()", "text", ""),
        (
            "oldSelf.value().a == 'x'",
            "text",
            f"unsupported conversion to ref.Val: (*errors.errorString){NOT_A_MAP} evaluating rule: no",
        ),
        ("oldSelf.?a.orValue('q') == 'x'", {"a": 3}, "no"),
        ("oldSelf.?namespace.orValue('q') == 'x'", {"namespace": "x"}, ""),
        ("oldSelf.?__namespace__.orValue('q') == 'x'", {"namespace": "x"}, "no"),
        (
            "oldSelf.?when.orValue(timestamp('2020-01-01T00:00:00Z')) == self.when",
            {"when": "2021-01-01T00:00:00Z"},
            "no",
        ),
        (
            "oldSelf.?n.value() / 2.0 == 1.0",
            {"n": 2},
            "'no such overload': call arguments did not match a supported operator, function or macro signature for "
            "rule: no",
        ),
        ("oldSelf.?nothing.hasValue()", {"nothing": None}, ""),
        ("oldSelf.?set.orValue([1]) == [2, 1]", {"set": [1, 2]}, "no"),
        ("oldSelf.value().set == self.set", {"set": [2, 1]}, "no"),
        ("self.set == oldSelf.value().set", {"set": [2, 1]}, ""),
    ],
)
def test_what_an_optional_holds_has_no_schema(rule: str, old: Any, expected: str) -> None:
    value = {"a": "x", "set": [1, 2], "when": "2021-01-01T00:00:00Z"}
    assert message(rule, value, old, optional=True) == expected
    # The fast form may only say yes where the exact one does.
    made = compile_rule(rule, SCHEMA, optional_old_self=True)
    assert not (confirms(made, value, old) and expected)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("'old ' + oldSelf.?a.orValue('none')", "old z"),
        ("oldSelf.orValue(self).a", "z"),
        ("has(oldSelf.a) ? 'has' : 'not'", "has"),
        ("oldSelf.hasValue() ? 'old' : 'new'", "no"),
        ("oldSelf.value().a", "no"),
        ("oldSelf == optional.none() ? 'none' : 'some'", "no"),
    ],
)
def test_the_message_of_an_optional_old_sees_it_bare(expression: str, expected: str) -> None:
    made = compile_rule(
        "oldSelf.hasValue() && false", SCHEMA, message="no", message_expression=expression, optional_old_self=True
    )
    assert made.evaluate({"a": "y"}, {"a": "z"}).message == expected
    assert made.evaluate({"a": "y"}).message == "no"


def test_a_message_reads_the_old_value_only_if_a_rule_does() -> None:
    made = compile_rule("self.a == 'x'", SCHEMA, message="no", message_expression="'old ' + oldSelf.a")
    assert made.evaluate({"a": "y"}, {"a": "z"}).message == "no"
    found = made.evaluate({"a": "y"}, {"a": "z"}, node_reads_old=True)
    assert (found.message, found.cost, found.message_cost) == ("old z", 6, 3)
