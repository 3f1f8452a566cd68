"""Rules on the fast path: true is true, everything else is left, and no budget is passed."""

from typing import Any

import pytest

from ovnguard.validators.crd.compiled_crd import compile_crd
from ovnguard.validators.fast.limits import TIERS, Caps, most_values
from ovnguard.validators.fast.rule_code import CALL_BUDGET, bounds, places
from ovnguard.validators.structural.schema.schema import parse_schema
from tests.support.fast_differential import definition, of, same, with_node
from tests.support.soak import limit


def ruled(node: dict[str, Any], *rules: Any) -> dict[str, Any]:
    written = [{"rule": one} if isinstance(one, str) else one for one in rules]
    return with_node({**node, "x-kubernetes-validations": written})


TEXT = {"type": "string", "maxLength": 20}
INT = {"type": "integer"}
INTS = {"type": "array", "maxItems": 10, "items": INT}
PAIR = {"type": "object", "properties": {"a": INT, "b": {"type": "string", "maxLength": 5}}}
SET = {"type": "array", "maxItems": 10, "x-kubernetes-list-type": "set", "items": INT}


@pytest.mark.parametrize(
    ("node", "rule", "value", "taken"),
    [
        (TEXT, "self == 'a'", "a", True),
        (TEXT, "self == 'a'", "b", False),
        (TEXT, "self.matches('^[a-z]+$')", "abc", True),
        (TEXT, "self.matches('^[a-z]+$')", "abc\n", False),
        (TEXT, "!self.matches('^[a-z]+$')", "1", True),
        (TEXT, "size(self) == 1", "\U0001f600", True),
        (TEXT, "self.split(':').all(p, p.matches('^[0-9]+$'))", "1:2", True),
        (TEXT, "self.split(':').all(p, p.matches('^[0-9]+$'))", "1:x", False),
        (TEXT, "uint(self) <= 5u", "5", True),
        (TEXT, "uint(self) <= 5u", "-1", False),
        (TEXT, "isCIDR(self) && cidr(self).prefixLength() == 24", "10.0.0.0/24", True),
        (INT, "self + 1 > 0", 1, True),
        (INT, "self + 1 > 0", 2**63 - 1, False),
        (INT, "1 / self == 1", 0, False),
        (INTS, "self.all(x, self.exists_one(y, x == y))", [1, 2], True),
        (INTS, "self.all(x, self.exists_one(y, x == y))", [1, 1], False),
        (INTS, "self == [1, 2]", [1, 2], True),
        (PAIR, "has(self.a) != has(self.b)", {"a": 1}, True),
        (PAIR, "!has(self.a) || self.a > 0", {}, True),
        (PAIR, "self.a > 0", {}, False),
        (PAIR, "self.?a.orValue(7) == 7", {}, True),
        (PAIR, "self.b == 'x' || self.a / 0 == 1", {"a": 1, "b": "x"}, True),
    ],
)
def test_rules(node: dict[str, Any], rule: str, value: Any, taken: bool) -> None:
    crd = compile_crd(ruled(node, rule))
    took, exact = same(crd, of(value))
    assert took <= exact.allowed
    # `self == [1, 2]` has no fast form; all others do.
    assert took is taken or rule == "self == [1, 2]"
    assert crd.verdict(of(value)).allowed is exact.allowed
    assert crd.verdict(of(value)).cost == exact.cost


@pytest.mark.parametrize(
    ("new", "old", "taken"),
    [(3, 2, True), (2, 3, False), (3, None, True)],
)
def test_transition_rules_see_the_old_value(new: int, old: int | None, taken: bool) -> None:
    crd = compile_crd(ruled(INT, "self >= oldSelf"))
    before = None if old is None else of(old)
    assert same(crd, of(new), before)[0] is taken
    assert same(crd, of(new), {**of(0), "spec": {}})[0]


def test_optional_old_self() -> None:
    rule = {"rule": "oldSelf.hasValue() ? self >= oldSelf.value() : self == 1", "optionalOldSelf": True}
    crd = compile_crd(ruled(INT, rule))
    assert same(crd, of(1))[0]
    assert not same(crd, of(2))[0]
    assert same(crd, of(2), of(1))[0]
    assert not same(crd, of(1), of(2))[0]


def test_old_items_are_found_by_their_keys() -> None:
    item = {
        "type": "object",
        "required": ["k"],
        "properties": {"k": {"type": "string"}, "v": INT},
        "x-kubernetes-validations": [{"rule": "self.v >= oldSelf.v"}],
    }
    node = {
        "type": "array",
        "maxItems": 5,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        "items": item,
    }
    crd = compile_crd(with_node(node))
    old = of([{"k": "a", "v": 1}, {"k": "b", "v": 5}])
    assert same(crd, of([{"k": "b", "v": 5}, {"k": "a", "v": 2}, {"k": "c", "v": 0}]), old)[0]
    assert not same(crd, of([{"k": "b", "v": 4}]), old)[0]


@pytest.mark.parametrize("rule", ["self == true", "self in [true]", "dyn(self) == true"])
def test_numbers_are_no_booleans(rule: str) -> None:
    crd = compile_crd(ruled({"x-kubernetes-int-or-string": True, "maxLength": 5}, rule))
    assert not same(crd, of(1))[0]


def test_sets_are_equal_in_any_order() -> None:
    crd = compile_crd(ruled(SET, "self == oldSelf"))
    assert same(crd, of([1, 2]), of([1, 2]))[0]
    taken, exact = same(crd, of([2, 1]), of([1, 2]))
    assert exact.allowed
    assert not taken
    differ = compile_crd(ruled(SET, "self != oldSelf"))
    assert not same(differ, of([2, 1]), of([1, 2]))[0]


def test_undeclared_data_is_never_compared() -> None:
    node = {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"a": INT}}
    crd = compile_crd(ruled(node, "self == oldSelf"))
    assert not same(crd, of({"a": 1, "x": 1}), of({"a": 1, "x": True}))[0]


@limit(180)
def test_a_budget_that_may_be_spent_is_left_to_the_exact_path() -> None:
    node = {"type": "array", "maxItems": 1000, "items": {"type": "string", "maxLength": 5}}
    crd = compile_crd(ruled(node, "self.all(x, self.exists(y, y == x))"))
    taken, exact = same(crd, of([str(number) for number in range(1000)]))
    assert not taken
    assert not exact.allowed
    assert "cost" in exact.errors[0].text
    assert same(crd, of(["a", "b"]))[0]


def test_costs_stay_below_their_bounds() -> None:
    node = {"type": "array", "maxItems": 300, "items": {"type": "array", "maxItems": 100, "items": TEXT}}
    crd = compile_crd(ruled(node, "self.all(l, l.all(x, x.size() < 100))", "self.size() < 1000"))
    rules = crd.endpoint.rules
    assert rules is not None
    caps = next(caps for caps in TIERS if not bounds(rules, caps).refused)
    assert len(list(places(rules, caps))) == 1
    full = of([["a" * 20] * caps.inner] * caps.outer)
    taken, exact = same(crd, full)
    assert taken
    assert exact.cost < CALL_BUDGET


def test_no_caps_hold_too_many_values() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(5):
        schema = {"type": "array", "items": schema}
    assert most_values(parse_schema(schema), Caps(256, 32, 10), 100) > 256 * 32**4
    assert most_values(parse_schema(schema), Caps(2, 2, 10), 100) == 63


HOSTILE = [
    "a') or __import__('os').system('x",
    "\n\treturn True",
    '"""',
    "\\",
    "K1",
    "v",
    "__class__",
    "}{",
    "%s{0}",
    "\u2028",
    "#",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_and_texts_stay_data(name: str) -> None:
    node = {
        "type": "object",
        "required": [name],
        "properties": {name: {"type": "string", "enum": [name, "b"], "maxLength": 100, "default": name}},
    }
    crd = compile_crd(
        definition({"type": "object", "properties": {"spec": {"type": "object", "properties": {"v": node}}}})
    )
    assert same(crd, of({name: name}))[0]
    assert not same(crd, of({name: name + "x"}))[0]
    assert same(crd, of({}))[0], "the default is filled in"


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_of_rules_stay_data(text: str) -> None:
    literal = "'" + "".join(f"\\U{ord(char):08x}" for char in text) + "'"
    crd = compile_crd(ruled({"type": "string", "maxLength": 100}, f"self == {literal} || self.startsWith({literal})"))
    assert same(crd, of(text))[0]
    assert not same(crd, of("other"))[0]
