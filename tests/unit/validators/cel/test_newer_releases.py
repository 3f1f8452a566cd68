"""Rules that Kubernetes 1.37 judges otherwise than 1.36: values that keep their schema, scopes, limits, costs.

Every row was answered so by the API server's own code, of both releases.
"""

from typing import Any

import pytest

from ovnguard.validators.cel.cost.estimate import estimate
from ovnguard.validators.cel.types.errors import InvalidRule
from tests.support.cel.cel_compile import compile_rule

TEXT: dict[str, Any] = {"type": "string", "maxLength": 20}
THING = {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"p": {"type": "integer"}}}
KEYED = {"type": "object", "required": ["k"], "properties": {"k": TEXT, "v": {"type": "integer"}}}
SET = {"type": "array", "x-kubernetes-list-type": "set", "maxItems": 4}
FIELDS: dict[str, Any] = {
    "a": TEXT,
    "ints": {"type": "array", "items": {"type": "integer"}, "maxItems": 4},
    "set": {**SET, "items": {"type": "integer"}},
    "times": {**SET, "items": {"type": "string", "format": "date-time"}},
    "things": {**SET, "items": THING},
    "keyed": {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        "maxItems": 4,
        "items": KEYED,
    },
    "when": {"type": "string", "format": "date-time"},
}
SCHEMA = {"type": "object", "properties": FIELDS}
VALUE = {
    "a": "abc",
    "ints": [2, 1],
    "set": [1, 2],
    "times": ["2020-01-01T00:00:00Z"],
    "things": [{"p": 1}],
    "keyed": [{"k": "x", "v": 1}, {"k": "y", "v": 2}],
    "when": "2020-01-01T00:00:00Z",
}
UNHASHABLE = "internal error: runtime error: hash of unhashable type {} evaluating rule: no"
NO_SET = "listSet operations are only supported on lists of scalar values evaluating rule: no"
SIGNATURE = "call arguments did not match a supported operator, function or macro signature for rule: no"


def outcome(rule: str, kubernetes: str) -> tuple[str, int]:
    """What the rule says, "" where it holds, and its cost."""
    found = compile_rule(rule, SCHEMA, message="no", kubernetes=kubernetes).evaluate(VALUE)
    return "" if found.ok else found.message, found.cost


def refused(rule: str, kubernetes: str) -> str:
    """Why the rule does not compile, the first line; "" for one that does."""
    try:
        compile_rule(rule, SCHEMA, kubernetes=kubernetes)
    except InvalidRule as fault:
        return fault.text.partition("\n")[0].removeprefix("compilation failed: ERROR: <input>:1:")
    return ""


@pytest.mark.parametrize(
    ("rule", "before", "since"),
    [
        (
            "self.set + [dyn({'a': 1})] == self.set",
            (UNHASHABLE.format("map[ref.Val]ref.Val"), 2),
            (NO_SET, 6),
        ),
        ("self.things == self.things", (UNHASHABLE.format("map[string]interface {}"), 4), (NO_SET, 5)),
        ("self.things + self.things == self.things", (UNHASHABLE.format("map[string]interface {}"), 4), (NO_SET, 8)),
        (
            "(self.ints + [dyn('x')])[2] == 'x'",
            ("invalid data, expected int, got string evaluating rule: no", 6),
            ("", 6),
        ),
        ("self.times == dyn([timestamp('2020-01-01T00:00:00Z')])", ("no", 3), ("", 3)),
        ("self.times + dyn([timestamp('2020-01-01T00:00:00Z')]) == self.times", ("no", 6), ("", 6)),
    ],
)
def test_sums_and_sets_have_values(rule: str, before: tuple[str, int], since: tuple[str, int]) -> None:
    assert (outcome(rule, "1.36"), outcome(rule, "1.37")) == (before, since)


@pytest.mark.parametrize(
    ("rule", "cost"),
    [
        ("self.set + [3, 2] == dyn([2, 3, 1])", 4),
        ("[1, 2, 3] == self.set + [2, 3]", 4),
        ("self.keyed + [self.keyed[1]] == self.keyed", 19),
        ("(self.keyed + self.keyed).size() == 2", 7),
        ("optional.of(self).a.hasValue()", 5),
    ],
)
def test_sums_with_the_same_result(rule: str, cost: int) -> None:
    assert outcome(rule, "1.36") == outcome(rule, "1.37") == ("", cost)


@pytest.mark.parametrize(
    ("rule", "before", "since"),
    [
        ("optional.of(self).?when.orValue(timestamp(0)) == self.when", ("no", 7), ("", 7)),
        ("optional.of(self).?set.orValue([]) == [2, 1]", ("no", 5), ("", 5)),
        ("dyn(1).orValue(2) == 2", ("no", 1), (f"'no such overload': {SIGNATURE}", 1)),
        (
            "dyn(optional.of(1)).flatten() == []",
            (f"'no such overload: optional_type.flatten()': {SIGNATURE}", 14),
            (f"'no such overload: optional_type(dyn).flatten()': {SIGNATURE}", 14),
        ),
    ],
)
def test_optionals_keep_values(rule: str, before: tuple[str, int], since: tuple[str, int]) -> None:
    assert (outcome(rule, "1.36"), outcome(rule, "1.37")) == (before, since)


@pytest.mark.parametrize(
    ("rule", "before", "since"),
    [
        (
            "lists.range(-1) == []",
            ("", 11),
            ("lists.range: size must be non-negative, got -1 evaluating rule: no", 12),
        ),
        ("'abc'.indexOf('', 9) == 9", ("", 1), ("no", 1)),
        ("'abc'.indexOf('', -1) == -1", ("", 1), ("index out of range: -1 evaluating rule: no", 1)),
        ("'abc'.lastIndexOf('', 9) == 9", ("", 1), ("no", 1)),
        (
            "dyn([[1]]).flatten(-1) == [1]",
            ("level must be non-negative evaluating rule: no", 11),
            ("level must be non-negative evaluating rule: no", 13),
        ),
    ],
)
def test_limits(rule: str, before: tuple[str, int], since: tuple[str, int]) -> None:
    assert (outcome(rule, "1.36"), outcome(rule, "1.37")) == (before, since)


def test_a_range_has_a_million_numbers_at_most() -> None:
    text = "lists.range: size 1000001 exceeds maximum allowed (1000000) evaluating rule: no"
    assert outcome("lists.range(1000001).size() == 3", "1.37") == (text, 14)


@pytest.mark.parametrize(
    ("rule", "before", "since"),
    [
        ("[self.a].exists(self, .self.a == self)", "28: type 'string' does not support field selection", ""),
        (
            "[1].all(int, .int == int)",
            "",
            "19: found no matching overload for '_==_' applied to '(type(int), int)'",
        ),
        ("[1].all(x, .x == 1)", "", "13: undeclared reference to '.x' (in container '')"),
        (
            "[{'IP': 1}].all(net, net.IP == 1)",
            "29: found no matching overload for '_==_' applied to '(type(net.IP), int)'",
            "",
        ),
        ("self{a: 1} == 1", "5: 'selfType' is not a type", "5: undeclared reference to 'self' (in container '')"),
        ("list{} == []", "5: 'list' is not a message type", ""),
        (
            "optional_type == 1",
            "15: found no matching overload for '_==_' applied to '(type(optional_type), int)'",
            "15: found no matching overload for '_==_' applied to '(type(optional_type(dyn)), int)'",
        ),
        (
            "duration(self.set[0]) == duration('1ns')",
            "",
            "9: found no matching overload for 'duration' applied to '(int)'",
        ),
        ("[1].includes(1)", "13: undeclared reference to 'includes' (in container '')", ""),
    ],
)
def test_names_and_overloads(rule: str, before: str, since: str) -> None:
    assert (refused(rule, "1.36"), refused(rule, "1.37")) == (before, since)


def test_a_hidden_variable_costs_nothing_to_select_from() -> None:
    assert outcome("[self.a].exists(self, .self.a == self)", "1.37") == ("", 20)


def test_there_is_no_message_of_the_name_list() -> None:
    assert outcome("list{} == []", "1.37") == ("unknown type 'list' evaluating rule: no", 40)


def test_includes() -> None:
    assert outcome("self.ints.includes(1) && !self.a.includes('b') && self.a.includes('abc')", "1.37")[0] == ""


@pytest.mark.parametrize(
    ("rule", "before", "since"),
    [
        ("matches(self.a, 'a+')", 3, 11),
        ("self.a.startsWith('abcdefghijklmnop')", 4, 4),
    ],
)
def test_estimates(rule: str, before: int, since: int) -> None:
    made = [compile_rule(rule, SCHEMA, kubernetes=release) for release in ("1.36", "1.37")]
    assert [estimate(one.compiled.checked, one.decl).max for one in made] == [before, since]


@pytest.mark.parametrize(
    ("names", "before", "since"),
    [({}, 314579, 108), ({"name": {"type": "string", "maxLength": 10}}, 314579, 10)],
)
def test_a_name_is_not_longer_than_names_can_be(names: dict[str, Any], before: int, since: int) -> None:
    schema = {
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "properties": {"metadata": {"properties": names}},
    }
    made = [
        compile_rule("self.metadata.name.startsWith(self.metadata.name)", schema, kubernetes=one)
        for one in ("1.36", "1.37")
    ]
    assert [estimate(one.compiled.checked, one.decl).max for one in made] == [before, since]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("self.`a` == 'abc'", ("", 3)),
        ("has(self.`a`) && self.?`a`.hasValue()", ("", 4)),
        ("{'a.b': 1}.`a.b` == 1 && {'true': 1}.`true` == 1", ("", 6)),
        ("[{'a b': 1}].all(x, x.`a b` == 1)", ("", 7)),
        ("'`a`' == self .  `a` // `x`", ("no", 3)),
        ("r'\\' == self.`a`", ("no", 3)),
        ("{'a': 1}.`in` == 1", ("no such key: in evaluating rule: no", 3)),
    ],
)
def test_names_in_backticks(rule: str, expected: tuple[str, int]) -> None:
    assert refused(rule, "1.36").endswith("unsupported syntax: '`'")
    assert outcome(rule, "1.37") == expected


@pytest.mark.parametrize("rule", ["`self`.a == 'abc'", "self.a.`size`() == 3", "self.`a`b == 1", "true ? `a` : 1"])
def test_names_that_may_not_be_in_backticks(rule: str) -> None:
    assert refused(rule, "1.37")


def test_a_field_in_backticks_has_its_name_in_expressions() -> None:
    assert refused("self.`a-b` == 1", "1.37") == "5: undefined field 'a-b'"
