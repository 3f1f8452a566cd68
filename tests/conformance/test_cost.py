"""Estimates against the API server's own code, which tells them as factors when a definition is over a limit.

A factor below 1.5 comes with six digits. So each rule is put into a list whose maxItems lifts it just above the limit:
that shows its estimate to a millionth.
"""

from collections import Counter
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from ovnguard.validators.cost import RULE_LIMIT, explain
from tests.support.cel.cost_definitions import crd
from tests.support.differential.peer import Peer

TEXT = {"type": "string"}
NAMES: dict[str, Any] = {"type": "array", "items": {"type": "string", "maxLength": 63}, "maxItems": 16}
FIELDS: dict[str, Any] = {
    "text": TEXT,
    "name": {"type": "string", "maxLength": 63},
    "mode": {"type": "string", "enum": ["Fast", "VerySlowIndeed"]},
    "when": {"type": "string", "format": "date-time"},
    "day": {"type": "string", "format": "date"},
    "span": {"type": "string", "format": "duration"},
    "raw": {"type": "string", "format": "byte", "maxLength": 100},
    "flag": {"type": "boolean"},
    "count": {"type": "integer"},
    "ratio": {"type": "number"},
    "port": {"x-kubernetes-int-or-string": True},
    "names": NAMES,
    "open": {"type": "array", "items": TEXT},
    "numbers": {"type": "array", "items": {"type": "integer"}, "maxItems": 100},
    "labels": {"type": "object", "additionalProperties": TEXT},
    "few": {"type": "object", "additionalProperties": {"type": "string", "maxLength": 20}, "maxProperties": 8},
    "rows": {"type": "array", "maxItems": 10, "items": NAMES},
    "ports": {
        "type": "array",
        "maxItems": 12,
        "items": {
            "type": "object",
            "required": ["name"],
            "properties": {"name": {"type": "string", "maxLength": 15}, "number": {"type": "integer"}},
        },
    },
}
RULES = (
    "self.count > 1",
    "self.count + 2 * self.count - 3 == 4 || self.flag",
    "self.flag && self.count > 1 && self.ratio < 2.0",
    "has(self.name) && self.name == 'abc'",
    "self.name != 'abc'",
    "self.text == self.name",
    "self.text == self.text",
    "self.name < 'm'",
    "self.name.startsWith('a')",
    "self.text.endsWith(self.name)",
    "self.text.contains(self.name)",
    "self.text.matches('^[a-z]+$')",
    "self.name.matches(self.text)",
    "self.name.find('[a-z]+') == 'a'",
    "self.name.findAll('[a-z]').size() == 1",
    "self.name.lowerAscii() == 'a'",
    "self.name.upperAscii() == self.name.trim()",
    "self.name.replace('a', 'bcd') == 'x'",
    "self.name.split('-').size() < 3",
    "self.name.split('-').all(p, p.size() < 3)",
    "self.name.substring(1) == 'a'",
    "self.name.charAt(1) == 'a'",
    "self.name.indexOf('a') == 1",
    "self.names.join('-') == 'a'",
    "'%s-%d'.format([self.name, self.count]) == 'a'",
    "self.name + self.name == 'aa'",
    "(self.name + self.text).matches('a')",
    "string(self.count) == '1'",
    "int(self.name) == 1",
    "size(self.name) == 1",
    "self.mode == 'Fast' ? self.name.matches('a') : self.text.contains('b')",
    "self.mode.matches('a')",
    "self.mode in ['Fast', 'Slow']",
    "self.name in self.names",
    "self.names.all(n, n == 'a')",
    "self.names.exists(n, n.matches('a'))",
    "self.names.exists_one(n, n == self.name)",
    "self.names.map(n, n + 'x').size() == 1",
    "self.names.filter(n, n != '').all(n, n.size() > 1)",
    "self.names.map(n, n.size() > 1, n + '!').exists(n, n == 'a!')",
    "self.names.all(i, v, v != 'a' || i == 0)",
    "self.names.transformList(i, v, v + 'x').size() == 1",
    "self.few.transformMap(k, v, v + 'x').size() == 1",
    "self.few.all(k, self.few[k] != k)",
    "self.few.all(k, v, v != k)",
    "self.labels.exists(k, k == 'a')",
    "'a' in self.labels",
    "self.labels['a'] == 'b'",
    "self.open.all(x, x == 'a')",
    "self.open.exists(x, x.startsWith('a'))",
    "self.open.size() == self.names.size()",
    "self.rows.all(r, r.all(n, n == 'a'))",
    "self.rows.all(r, r.exists(n, self.names.exists(m, m == n)))",
    "self.rows[0][1] == 'a'",
    "self.ports.all(p, self.ports.exists_one(q, q.name == p.name && q.number == p.number))",
    "self.ports.map(p, p.name).isSorted()",
    "self.ports.filter(p, p.number > 1).map(p, p.number).sum() == 3",
    "self.numbers.sum() == 1 && self.numbers.max() > self.numbers.min()",
    "self.numbers.indexOf(3) == 1",
    "self.names.isSorted() && self.names.lastIndexOf('a') == 0",
    "self.numbers == [1, 2, 3]",
    "self.names == self.names",
    "self.names + ['a'] == self.names",
    "self.numbers.slice(0, 3).reverse() == [1]",
    "self.numbers.sort() == self.numbers",
    "self.names.distinct().size() == 3",
    "self.rows.flatten().size() == 3",
    "sets.contains(self.names, ['a', 'b'])",
    "sets.equivalent(self.names, self.names) || sets.intersects(self.numbers, [1])",
    "{'a': self.count}.size() == 1",
    "[self.name, self.mode].exists(x, x == 'a')",
    "self.when > timestamp('2020-01-01T00:00:00Z') && self.when.getFullYear() > 2000",
    "self.span > duration('1h') && self.span.getHours() > 1",
    "self.day == timestamp('2020-01-01T00:00:00Z')",
    "self.raw == b'abc'",
    "self.port == 80 || self.port == 'http'",
    "type(self.port) == string && string(self.port).matches('^a$')",
    "isCIDR(self.name) && cidr(self.name).containsIP('10.0.0.1')",
    "cidr(self.name).containsCIDR(self.text) && cidr(self.name).ip().family() == 4",
    "isIP(self.text) && ip(self.name).isGlobalUnicast() && ip.isCanonical(self.name)",
    "isURL(self.name) && url(self.text).getHost() == 'a'",
    "quantity(self.name).isGreaterThan(quantity('1Gi'))",
    "isQuantity(self.name) && quantity(self.name).add(1).asInteger() == 3",
    "semver(self.name).compareTo(semver('1.0.0')) == 0 && isSemver(self.text, true)",
    "format.dns1123Label().validate(self.name).hasValue()",
    "!format.named('uuid').value().validate(self.text).hasValue()",
    "self.?name.orValue('a') == 'b'",
    "self.?names[?0].orValue('a').matches('b')",
    "optional.of(self.name).optMap(v, v + 'x').value() == 'ax'",
    "oldSelf.name == self.name",
    "self.text.matches('a') || self.text.contains(oldSelf.text)",
)


def in_a_list(rule: str, most: int | None) -> dict[str, Any]:
    """A definition with the rule at the elements of a list."""
    element = {"type": "object", "properties": deepcopy(FIELDS), "x-kubernetes-validations": [{"rule": rule}]}
    bound = {} if most is None else {"maxItems": most}
    keys = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "required": ["name"]}
    element["required"] = keys.pop("required")
    return crd({"list": {"type": "array", "items": element, **bound, **keys}})


def same(peer: Peer, definition: dict[str, Any]) -> int:
    """Compare what both say of the cost; how many errors there are. Raises AssertionError."""
    theirs = Counter((error["field"], error["detail"]) for error in peer.ask(crd=definition)["crdErrors"])
    found = explain(definition)
    ours = Counter((error.field, error.detail) for schema in found.schemas for error in schema.errors)
    ours += Counter((flaw.field, flaw.detail) for flaw in found.flaws)
    assert ours == theirs
    return ours.total()


@pytest.mark.parametrize("rule", RULES)
def test_estimate_to_a_millionth(peer: Peer, rule: str) -> None:
    (found,) = explain(in_a_list(rule, 1)).schemas[0].rules
    assert same(peer, in_a_list(rule, RULE_LIMIT // found.cost + 1)) >= 1
    same(peer, in_a_list(rule, max(RULE_LIMIT // found.cost, 1)))


@pytest.mark.parametrize("rule", RULES)
def test_estimate_in_an_unbounded_list(peer: Peer, rule: str) -> None:
    same(peer, in_a_list(rule, None))


@pytest.mark.parametrize("rule", RULES)
def test_the_bound_that_fits(peer: Peer, rule: str) -> None:
    """With the bound that we name in place of every missing one, the server takes the rule."""
    definition = in_a_list(rule, None)
    (found,) = explain(definition).schemas[0].rules
    if not found.fits_at:
        return
    for one in found.missing:
        node = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        for step in one.path.replace("[*]", ".[*]").split("."):
            node = (node.get("items") or node["additionalProperties"]) if step == "[*]" else node["properties"][step]
        node[one.keyword] = found.fits_at
    answer = peer.ask(crd=definition)
    assert [error["text"] for error in answer["crdErrors"]] == []


def test_real_definitions(peer: Peer, shared: Path) -> None:
    files = sorted((shared / "conformance").rglob("*.yaml"))
    count = 0
    for file in files:
        text = file.read_text(encoding="utf-8")
        if "kind: CustomResourceDefinition" not in text:
            continue
        for document in yaml.load_all(text, yaml.CSafeLoader):
            if isinstance(document, dict) and document.get("kind") == "CustomResourceDefinition":
                same(peer, document)
                count += 1
    assert count > 50
