"""Rules for the nodes of a schema, most with the old and the new value. Rules that do not compile are dropped."""

import random
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ovnguard.validators.cel.types.errors import InvalidRule
from tests.support.cel.cel_compile import compile_rule
from tests.support.generated_rule import estimated_cost, estimated_message_cost

_BOUNDS: Final = {"string": ("maxLength", 30), "array": ("maxItems", 4), "object": ("maxProperties", 4)}
_LIMIT: Final = 10_000_000
_MOST_PLACES: Final = 64
_ANY: Final = (
    "self == oldSelf",
    "!(self != oldSelf) || true",
    "[self].all(x, x == oldSelf)",
    "[oldSelf].exists(x, x == self)",
    "type(self) == type(oldSelf)",
    "'%s'.format([self]) != ''",
    "true",
)
_ANY_OPTIONAL: Final = (
    "!oldSelf.hasValue() || oldSelf.value() == self",
    "!oldSelf.hasValue() || self == oldSelf.value()",
    "oldSelf.orValue(self) == self",
    "oldSelf.optMap(o, self == o).orValue(true)",
    "optional.of(self) == oldSelf",
    "oldSelf == optional.of(self)",
    "[oldSelf].all(o, o.hasValue())",
    "oldSelf.or(optional.of(self)).value() == self",
    "type(oldSelf.orValue(self)) == type(self)",
)
_BY_TYPE: Final[dict[str, tuple[str, ...]]] = {
    "string": (
        *("self != 'a'", "self.size() > 1", "self.startsWith('a') || oldSelf == 'abc'", "self <= oldSelf"),
        *("self.matches('^[a-z0-9.]*$')", "!isIP(self) || ip(self).family() == 4", "self.split('.').size() < 3"),
        *("int(self) > 1", "(self + oldSelf).size() < 5", "isQuantity(self) || quantity(self).isInteger()"),
    ),
    "byte": ("self.size() > 0", "self == oldSelf", "string(self) != 'a'", "self + oldSelf == b'a'", "self > b'a'"),
    "duration": (
        *("self > duration('1h')", "self.getHours() > 1", "self + oldSelf > duration('1s')", "string(self) != '1s'"),
        *("self - oldSelf < self", "timestamp('9999-12-31T00:00:00Z') + self > timestamp(0)"),
    ),
    "date-time": (
        *(
            "self < timestamp('2030-01-01T00:00:00Z')",
            "self.getFullYear('-23:00') > 1",
            "self - oldSelf > duration('1h')",
        ),
        *("string(self) != '1s'", "self + duration('1ns') > self", "self.getHours('+99:99') != 5"),
    ),
    "integer": ("self > 2", "self >= oldSelf", "self % 2 == 0", "10 / self > 1", "self + oldSelf < 100"),
    "number": ("self < 2.5", "self >= oldSelf", "self / 2.0 > oldSelf", "int(self) > 1", "string(self) != '1'"),
    "boolean": ("self || !oldSelf", "!self"),
    "": (
        *("self == 80 || self == 'http'", "type(self) == string ? self.size() > 2 : int(self) > 3", "self > 3"),
        *("self == oldSelf || type(oldSelf) == int", "string(self).size() < 3", "self + 1 == 81"),
    ),
    "array": (
        *("self.size() < 3", "oldSelf.all(x, x in self)", "self.all(x, self.exists_one(y, x == y))"),
        *("self + oldSelf == self", "oldSelf + self == oldSelf", "self.exists(x, x == oldSelf[0])"),
        *("self.map(x, x) == self", "self == self.map(x, x)", "self[0] == self[1]", "self.sort() == self"),
        *("self.all(i, x, i >= oldSelf.size() || x == oldSelf[i])", "self.distinct() == self", "self.isSorted()"),
        *("sets.contains(self, oldSelf)", "sets.equivalent(oldSelf, self)", "self.reverse() == self"),
        *("(self.size() > 0 ? self[0].p0.p1.size() : 0) <= 3", "self[0].p0 == oldSelf[0].p0", "has(self[1].p1)"),
        *("self.flatten() == self", "dyn(self).flatten().size() == self.size()", "self[0].?p0.hasValue()"),
        *(
            "(self + oldSelf) + self == oldSelf + self",
            "self + self == self",
            "oldSelf + [self[0]] == [self[0]] + self",
        ),
        *("self + dyn([1, 'a', null]) == self", "(self + oldSelf).all(x, x in self)", "self + self == self + oldSelf"),
        *("optional.ofNonZeroValue(self + oldSelf).hasValue()", "(self + oldSelf).distinct() == oldSelf + self"),
        *("self.indexOf(oldSelf[0]) >= 0", "self.filter(x, x in oldSelf).size() > 0", "oldSelf == self + oldSelf"),
    ),
    "map": (
        *("self.all(k, k in oldSelf)", "'a' in self ? self['a'] == self['a'] : true", "self.all(k, v, v == v)"),
        *("self.transformMap(k, v, v) == self", "self == self.transformMap(k, v, v)", "size(self) <= 2"),
        *("self.all(k, v, k in oldSelf && oldSelf[k] == v)", "self.exists(k, v, v == oldSelf[k])"),
    ),
    "object": (
        *("has(self.P) == has(oldSelf.P)", "!has(self.P) || self.P == self.P", "has(self.P) && self.P == oldSelf.P"),
        *("self.P == oldSelf.P", "self.?P == oldSelf.?P", "[self.?P].all(o, o.hasValue())", "has(self.P)"),
        *("optional.of(self).?P.hasValue()", "[self.?P, oldSelf.?P].exists(o, o == self.?P)"),
        *("[self].map(x, x.?P)[0] == self.?P", "[?self.?P].size() == 1", "{'a': self}.a == oldSelf"),
        *("self.?P.optMap(x, x == x).orValue(false)", "(has(self.P) ? self.?P : oldSelf.?P).hasValue()"),
    ),
}
_OPTIONAL_BY_TYPE: Final[dict[str, tuple[str, ...]]] = {
    "string": ("oldSelf.orValue('a') == 'a'", "oldSelf.optMap(o, o.size() == self.size()).orValue(false)"),
    "integer": ("oldSelf.orValue(3) <= self", "oldSelf.value() + 1 > self"),
    "number": ("oldSelf.orValue(3.0) <= self", "oldSelf.value() / 2.0 < self"),
    "array": (
        *("oldSelf[?0].hasValue()", "oldSelf[?0] == self[?0]", "oldSelf.orValue([]).all(x, x in self)"),
        *("self.all(x, x in oldSelf.orValue(self))", "oldSelf.optMap(o, o + self == o).orValue(true)"),
        *("self.first() == oldSelf[?0]", "oldSelf.hasValue() && oldSelf.value().size() <= self.size()"),
    ),
    "map": ("oldSelf[?'a'].hasValue()", "oldSelf[?'a'] == self[?'a']", "oldSelf.orValue({}).all(k, k in self)"),
    "object": (
        *("oldSelf.?P == self.?P", "self.?P == oldSelf.?P", "!oldSelf.hasValue() || oldSelf.value().P == self.P"),
        *("oldSelf.?P.hasValue() ? has(self.P) : true", "oldSelf.?P.hasValue() && oldSelf.?P.value() == self.P"),
        *("oldSelf.P.orValue(self.P) == self.P", "has(oldSelf.P)", "oldSelf.?P.or(self.?P).hasValue()"),
        *("oldSelf.optMap(o, has(o.P)).orValue(true)", "self.?P.orValue(oldSelf.value().P) == self.P"),
    ),
}
_MESSAGES: Final = (
    "'size'",
    "''",
    "'a\\n'",
    "'%s'.format([self])",
    "'%s'.format([oldSelf])",
    "oldSelf == self ? 'same' : 'other'",
)
_OPTIONAL_MESSAGES: Final = (
    "oldSelf.hasValue() ? 'old' : 'new'",
    "'%s'.format([oldSelf.orValue(self)])",
    "oldSelf == optional.of(self) ? 'same' : 'other'",
)


def with_rules(schema: dict[str, Any], seed: int) -> None:
    """Give some nodes of a schema rules, and all of them bounds, so that no rule costs too much."""
    rng = random.Random(seed)
    spec = schema["properties"]["spec"]
    for node, _ in _nodes(spec, correlated=True):
        _bind(node)
    for node, correlated in _nodes(spec, correlated=True):
        if rng.random() < 0.5:
            made = [_rule(node, rng) for _ in range(rng.randint(1, 3))]
            rules = [rule for rule in made if rule is not None and (correlated or "oldSelf" not in str(rule))]
            if rules:
                node["x-kubernetes-validations"] = rules


def _nodes(node: dict[str, Any], *, correlated: bool) -> Iterator[tuple[dict[str, Any], bool]]:
    """Every node, and whether it has an old value of its own."""
    yield node, correlated
    for child in node.get("properties", {}).values():
        yield from _nodes(child, correlated=correlated)
    if isinstance(node.get("items"), dict):
        yield from _nodes(node["items"], correlated=correlated and node.get("x-kubernetes-list-type") == "map")
    if isinstance(node.get("additionalProperties"), dict):
        yield from _nodes(node["additionalProperties"], correlated=correlated)


def _bind(node: dict[str, Any]) -> None:
    kind = node.get("type", "string" if node.get("x-kubernetes-int-or-string") else "")
    keyword, most = _BOUNDS.get(kind, ("", 0))
    if keyword and (kind != "object" or "additionalProperties" in node):
        node.setdefault(keyword, most)


def _kind(node: Mapping[str, Any]) -> str:
    kind = str(node.get("type", ""))
    if kind == "string" and node.get("format") in _BY_TYPE:
        return str(node["format"])
    if kind == "string" and node.get("format") == "date":
        return "date-time"
    return "map" if kind == "object" and isinstance(node.get("additionalProperties"), dict) else kind


def _rule(node: dict[str, Any], rng: random.Random) -> dict[str, Any] | None:
    optional = rng.random() < 0.35
    general, special = (_ANY_OPTIONAL, _OPTIONAL_BY_TYPE) if optional else (_ANY, _BY_TYPE)
    choices = special.get(_kind(node), ())
    text = rng.choice(choices) if choices and rng.random() < 0.7 else rng.choice(general)
    place = rng.choice(sorted(node.get("properties") or {"none": {}}))
    made: dict[str, Any] = {"rule": text.replace("P", place)}
    if optional:
        made["optionalOldSelf"] = True
    if rng.random() < 0.2:
        made["message"] = "said so"
    if rng.random() < 0.3:
        made["messageExpression"] = rng.choice(_OPTIONAL_MESSAGES if optional else _MESSAGES)
    if rng.random() < 0.2:
        made["reason"] = rng.choice(("FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"))
    if "properties" in node and rng.random() < 0.2:
        made["fieldPath"] = f".{place}"
    return made if _compiles(node, made) else None


def _compiles(node: Mapping[str, Any], rule: Mapping[str, Any]) -> bool:
    try:
        made = compile_rule(
            rule["rule"],
            node,
            message_expression=rule.get("messageExpression"),
            optional_old_self=rule.get("optionalOldSelf"),
        )
    except InvalidRule:
        return False
    return max(estimated_cost(made), estimated_message_cost(made)) * _MOST_PLACES <= _LIMIT
