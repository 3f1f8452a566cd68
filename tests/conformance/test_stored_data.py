"""Rules over stored data that its schema no longer allows, over optionals, and their messages: as the server judges.

A status update shows a rule the stored spec as its self, an update as its oldSelf. Costs are compared, too.
"""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from ovnguard.validators.crd.compiled_crd import compile_crd
from tests.support.differential.compare import definition, differences, ours
from tests.support.differential.peer import Peer

TRIES = 100
TEXT: dict[str, Any] = {"type": "string", "maxLength": 20}
SET: dict[str, Any] = {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "integer"}, "maxItems": 4}
FIELDS: dict[str, Any] = {
    "a": TEXT,
    "n": {"type": "number"},
    "when": {"type": "string", "format": "date-time"},
    "nothing": {**TEXT, "nullable": True},
    "namespace": TEXT,
    "set": SET,
    "ints": {"type": "array", "items": {"type": "integer", "nullable": True}, "maxItems": 4},
    "texts": {"type": "array", "items": {**TEXT, "nullable": True}, "maxItems": 4},
    "map": {"type": "object", "additionalProperties": {**TEXT, "nullable": True}, "maxProperties": 3},
    "bytes": {"type": "object", "additionalProperties": {**TEXT, "format": "byte"}, "maxProperties": 3},
    "rows": {
        "type": "array",
        "maxItems": 3,
        "items": {"type": "object", "nullable": True, "properties": {"x": TEXT}},
    },
    "keyed": {
        "type": "array",
        "maxItems": 3,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        "items": {"type": "object", "required": ["k"], "properties": {"k": TEXT, "v": {"type": "integer"}}},
    },
}
PLAIN: dict[str, Any] = {
    "a": "x",
    "n": 2,
    "when": "2021-01-01T00:00:00Z",
    "namespace": "x",
    "set": [1, 2],
    "ints": [1, 2],
    "texts": ["a"],
    "map": {"a": "x"},
    "bytes": {"a": "YQ=="},
    "rows": [{"x": "a"}],
    "keyed": [{"k": "a", "v": 1}, {"k": "b"}],
}

OF_STORED: dict[str, tuple[tuple[Any, ...], tuple[str, ...]]] = {
    "a": ((3, [3], None, {}), ("true", "self.F == 'x'", "has(self.F) && self.F == 'x'", "self.?F.hasValue()")),
    "set": (
        (["a", 2], "a", [{}], [[1]], [None], [2.5]),
        (
            *("self.F.all(x, x > 1)", "self.F.exists(x, x > 1)", "self.F.map(x, x).size() == 1", "self.F[0] == 1"),
            *("1 in self.F", "2 in self.F", "self.F == [1, 2]", "[1, 2] == self.F", "self.F == self.F"),
            *("self.F + self.F == [1]", "self.F + [2] == self.F", "sets.contains(self.F, [2])"),
            *("sets.equivalent(self.F, [2])", "self.F.all(i, v, v > 1)", "self.F.first().value() == 1"),
        ),
    ),
    "ints": (
        ([None, 1], [1, None], ["a", 1], [1, "a"], [{}], []),
        (
            *(
                "self.F.isSorted()",
                "self.F.sum() == 1",
                "self.F.min() == 1",
                "self.F.max() == 1",
                "self.F.sort() == [1]",
            ),
            *("self.F.indexOf(1) == 0", "self.F.distinct() == [1]", "self.F.reverse() == [1]", "size(self.F) == 1"),
            *("self.F.slice(0, 1) == [1]", "1 in self.F", "self.F + self.F == self.F", "self.F.all(x, x > 0)"),
            *("self.F.exists_one(x, x == 1)", "self.F.flatten() == [1]", "self.F.lastIndexOf(1) == 1"),
            *("self.F.sortBy(x, x) == [1]", "self.?F[?0].hasValue()", "self.?F[?0].orValue(3) == 1"),
            *("'%s %s'.format([self.F, self.F[0]]) == ''", "[1] == self.F", "self.F.filter(x, x > 0) == [1]"),
        ),
    ),
    "texts": (
        ([1], [None, "a"], ["a", 3], [{}]),
        ("self.F.join(',') == 'a'", "self.F.isSorted()", "self.F.map(x, x.size()) == [1]", "self.F == self.F"),
    ),
    "map": (
        ({"a": None}, {"a": 1}, {"a": "x", "b": None}, {"a": {}}, []),
        (
            *("self.F.all(k, self.F[k] == 'x')", "self.F == self.F", "self.F == {'a': 'x'}", "{'a': 'x'} == self.F"),
            *("size(self.F) == 1", "'a' in self.F", "self.F.all(k, v, v == 'x')", "self.F.a == 'x'", "has(self.F.a)"),
            *("self.F.?a.orValue('q') == 'x'", "'%s'.format([self.F]) == ''", "type(self.F) == map"),
        ),
    ),
    "bytes": (
        ({"a": "YQ==", "b": "YQ"}, {"b": "YQ"}, {"a": "YQ=="}),
        ("self.F.transformMap(k, v, v) == self.F", "self.F.transformMap(k, v, v).size() == 1", "self.F == self.F"),
    ),
    "rows": (
        ([None], [{}], [{"x": "a"}, None], [3], [{"x": 3}], [{"x": None}]),
        (
            *("self.F.all(o, has(o.x))", "self.F == self.F", "self.F == [self.F[0]]", "[self.F[0]] == self.F"),
            *(
                "self.F[0] in self.F",
                "self.F.exists(o, o == self.F[0])",
                "self.F.indexOf(self.F[0]) == 0",
                "'%s'.format([self.F]) == ''",
            ),
            *("self.F[0].x == 'a'", "has(self.F[0].x)", "self.F[0].?x.hasValue()", "self.?F[0].x.hasValue()"),
            *("(self.F.size() > 0 ? self.F[0].x.size() : 0) <= 3", "self.F[int(self.n)].x.startsWith('b')"),
        ),
    ),
    "keyed": (
        ([3], [{"k": []}], [{"k": {}}], [{}], [{"k": "a", "v": "x"}], [{"k": "a"}, {"k": "a"}]),
        ("self.F == self.F", "self.F + self.F == self.F", "self.F == [self.F[0]]", "self.F.all(x, x in self.F)"),
    ),
}
OLD: tuple[Any, ...] = (
    *("text", 3, [], {}, PLAIN, {"a": 3}, {"set": [{}]}, {"set": [[]]}, {"set": ["x"]}, {"set": [2, 1]}),
    *({"nothing": None}, {"when": "x", "n": "x"}, {"keyed": [{"k": []}]}, {"keyed": [{"k": "b"}, {"k": "a", "v": 1}]}),
)
OF_OLD = (
    *("self.a == 'x' || oldSelf.a == 'y'", "self.a == 'z' || oldSelf.a == 'y'", "self.set == oldSelf.set"),
    *(
        "oldSelf.set == self.set",
        "oldSelf.set == self.set || true",
        "true || oldSelf.set == self.set",
        "self == oldSelf",
    ),
    *(
        "oldSelf.set + self.set == [1]",
        "self.set + oldSelf.set == [1]",
        "self.keyed == oldSelf.keyed",
        "oldSelf == self",
    ),
    *("oldSelf.keyed == self.keyed", "oldSelf.keyed + self.keyed == self.keyed"),
)
OF_OPTIONAL_OLD = (
    *(
        "oldSelf.hasValue()",
        "oldSelf.value().a == 'x'",
        "oldSelf.?a.orValue('q') == 'x'",
        "oldSelf.?namespace.hasValue()",
    ),
    *("oldSelf.?__namespace__.orValue('q') == 'x'", "oldSelf.?when.orValue(self.when) == self.when"),
    *(
        "oldSelf.?when.value().getFullYear() == 2021",
        "oldSelf.?n.orValue(1.0) == 2.0",
        "oldSelf.?n.value() / 2.0 == 1.0",
    ),
    *("oldSelf.?nothing.hasValue()", "has(oldSelf.nothing)", "has(oldSelf.a) && oldSelf.a.orValue('') == 'x'"),
    *("oldSelf.?set.orValue([1]) == [2, 1]", "oldSelf.?set.orValue([1]) == [1, 2]", "oldSelf.?set[?0].orValue(7) == 1"),
    *("oldSelf.?set.hasValue() && oldSelf.value().set == self.set", "self.set == oldSelf.value().set"),
    *(
        "oldSelf.optMap(o, o.set == self.set).orValue(false)",
        "oldSelf.?keyed == self.?keyed",
        "self.?keyed == oldSelf.?keyed",
    ),
    *("oldSelf.orValue(self) == self", "self == oldSelf.orValue(self)", "oldSelf.?a == optional.of(self.a)"),
)
OF_OPTIONALS = (
    *("self.?a.optMap(v, ip('1.2.3.4')).value().family() == 4", "self.?a.optMap(v, quantity('1')).value().isInteger()"),
    *("self.?a.optMap(v, semver('1.2.3')).value().major() == 1", "self.?a.optMap(v, type(v)).value() == string"),
    *("self.?a.optMap(v, url('http://a')).value().getHost() == 'a'", "self.?a.optMap(v, self.set).value() == [2, 1]"),
    *("self.?a.optMap(v, cidr('1.2.3.0/24')).value().ip().family() == 4", "self.?a.optMap(v, 1u).value() == 1u"),
    *("self.?a.optMap(v, format.uuid()).value().validate('a').hasValue()", "self.?a.optMap(v, b'a').value() == b'a'"),
    *(
        "self.?a.optMap(v, timestamp('2020-01-01T00:00:00Z')).value().getFullYear() == 2020",
        "self.?set.value() == [2, 1]",
    ),
    *("[optional.of(ip('1.2.3.4'))].all(o, o.hasValue())", "[self.?set].all(v, v.value() == [2, 1])"),
    *("(true ? optional.of(self.set) : optional.none()).value() == [2, 1]", "optional.of(self.set).value() == [2, 1]"),
    *("(true ? self.?set : optional.none()).value() == [2, 1]", "[self].first().?set.value() == [2, 1]"),
    *(
        "optional.of(self).?set.value() == [2, 1]",
        "optional.of(self).set.value() == [2, 1]",
        "[?self.?set][0] == [2, 1]",
    ),
    *("[self.?when].all(v, v.value() == timestamp('2021-01-01T00:00:00Z'))", "[self.?a].map(v, v)[0].value() == 'x'"),
    *("[optional.of(optional.of(self.set))].all(v, v.value().value() == [2, 1])", "[self.?a].all(v, v.hasValue())"),
)
MESSAGES = (
    *("'old ' + oldSelf.?a.orValue('none')", "oldSelf.hasValue() ? 'a' : 'b'", "oldSelf.orValue(self).a", "self.a"),
    *("oldSelf.value().a", "oldSelf.a.orValue('q')", "oldSelf.optMap(o, o.a).orValue('q')", "self.?a.value()"),
    *("has(oldSelf.a) ? 'has' : 'not'", "oldSelf == optional.none() ? 'none' : 'some'", "''", "'a\\n'"),
    "oldSelf.or(optional.of(self)).value().a",
)

Case = tuple[list[dict[str, Any]], str, Any, Any]


def cases() -> Iterator[Case]:
    """Rules of the spec, the operation, the new spec and the old one."""
    for field, (values, rules) in OF_STORED.items():
        for rule, value in itertools.product(rules, values):
            yield [{"rule": rule.replace("F", field)}], "STATUS", {}, {field: value}
    for rule, old in itertools.product(OF_OLD, OLD):
        yield [{"rule": rule}], "UPDATE", PLAIN, old
    for rule, old in itertools.product(OF_OPTIONAL_OLD, OLD):
        yield [{"rule": rule, "optionalOldSelf": True}], "UPDATE", PLAIN, old
    for rule in OF_OPTIONALS:
        yield [{"rule": rule}], "CREATE", PLAIN, None
    for message, old in itertools.product(MESSAGES, ({"a": "z"}, {}, "text", None)):
        false = {"rule": "oldSelf.hasValue() && false", "optionalOldSelf": True, "messageExpression": message}
        yield [false], "UPDATE" if old is not None else "CREATE", PLAIN, old
    neighbours: tuple[list[dict[str, Any]], ...] = (
        [],
        [{"rule": "oldSelf.a != 'qq'"}],
        [{"rule": "oldSelf.hasValue()", "optionalOldSelf": True}],
    )
    for beside, old in itertools.product(neighbours, ({"a": "z"}, {}, 3, None)):
        first = {"rule": "self.a == 'y'", "messageExpression": "'old ' + oldSelf.a"}
        yield [first, *beside], "UPDATE" if old is not None else "CREATE", PLAIN, old


CASES = list(cases())
CHUNK = 100


def source_of(rules: list[dict[str, Any]]) -> dict[str, Any]:
    """A definition with rules of its spec."""
    spec = {"type": "object", "properties": FIELDS, "x-kubernetes-validations": rules}
    status = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return definition({"type": "object", "properties": {"spec": spec, "status": status}}, status=True)


def wrong(peer: Peer, case: Case) -> list[str]:
    """What differs; of a definition that is refused, nothing."""
    rules, operation, new, old = case
    source = source_of(rules)
    if peer.ask(crd=source)["crdErrors"]:
        return ["refused"]
    head = {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "x"}}
    request: dict[str, Any] = {"object": {**head, "spec": new, "status": {"a": 1}}, "operation": operation}
    if old is not None:
        request["oldObject"] = {**head, "spec": old}
    verdict = ours(compile_crd(source), request)
    found: list[str] = []
    for _ in range(TRIES):
        found = differences(verdict, peer.ask(crdRef="foos.example.com", cost=True, **request))
        if not found:
            return []
    return [f"{case}", *found]


@pytest.mark.parametrize("start", range(0, len(CASES), CHUNK))
def test_as_the_server_judges(peer: Peer, start: int) -> None:
    found = [wrong(peer, case) for case in CASES[start : start + CHUNK]]
    assert [one for one in found if one and one != ["refused"]] == []
    assert found.count(["refused"]) < CHUNK // 2
