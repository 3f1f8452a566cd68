"""Definitions that were compiled by another process: what they refuse, and how, is what the compiler would say."""

import json
from typing import Any

import pytest

from ovnguard import crd_schemas
from ovnguard.validators.cel.compiled_rule import Rule
from ovnguard.validators.cel.serialization import rule_data, rule_of
from ovnguard.validators.crd.compiled_crd import CompiledCRD, compile_crd
from ovnguard.validators.crd.strategy import judge_exactly
from ovnguard.validators.structural.objects.rule_evaluation import RuleNode
from tests.support.differential.generate import Generator, requests
from tests.support.differential.samples import sample
from tests.support.fast_differential import definition, of, with_node
from tests.support.generated_rule import estimated_cost

BUNDLED = [(name, gvk) for name in crd_schemas.SETS for gvk in crd_schemas.crds(name)]


class Kept:
    """A store in memory."""

    def __init__(self) -> None:
        self.data: dict[str, bytes] = {}

    def load(self, key: str) -> bytes | None:
        return self.data.get(key)

    def save(self, key: str, data: bytes) -> None:
        self.data[key] = data


def both(source: dict[str, Any], kubernetes: str = "1.35") -> tuple[CompiledCRD, CompiledCRD]:
    """A definition compiled, and the same restored."""
    store = Kept()
    made = compile_crd(source, kubernetes=kubernetes, store=store)
    assert len(store.data) == 1
    return made, compile_crd(source, kubernetes=kubernetes, store=store)


def agree(made: CompiledCRD, restored: CompiledCRD, request: dict[str, Any]) -> bool:
    """Whether a request is allowed; asserts that both say the same, fast and exactly."""
    obj, old = request["object"], request.get("oldObject")
    subresource = "status" if request["operation"] == "STATUS" else None
    exact = judge_exactly(made.endpoint, obj, old, subresource)
    for verdict in (judge_exactly(restored.endpoint, obj, old, subresource), restored.verdict(obj, old, subresource)):
        assert verdict == exact
        assert verdict.cost == exact.cost
        assert verdict.status() == exact.status()
    return exact.allowed


@pytest.mark.parametrize(("name", "gvk"), BUNDLED, ids=[f"{name} {gvk[2]}" for name, gvk in BUNDLED])
def test_bundled_definitions(name: str, gvk: tuple[str, str, str]) -> None:
    source = crd_schemas.crds(name)[gvk]
    made, restored = both(source)
    schema = next(one for one in source["spec"]["versions"] if one["name"] == made.version)["schema"]["openAPIV3Schema"]
    allowed = [
        agree(made, restored, request)
        for request in requests(Generator(7), schema, f"{gvk[0]}/{gvk[1]}", gvk[2], made.has_status, 12)
    ]
    assert not all(allowed)


def test_generated_definitions() -> None:
    for seed in range(10):
        schema, has_status, listed = sample(seed)
        made, restored = both(definition(schema, status=has_status))
        for request in listed:
            agree(made, restored, request)


def nodes(node: RuleNode | None) -> list[RuleNode]:
    if node is None:
        return []
    below = [*node.properties.values(), *filter(None, (node.additional, node.items))]
    return [node, *(found for one in below for found in nodes(one))]


@pytest.mark.parametrize(("name", "gvk"), BUNDLED, ids=[f"{name} {gvk[2]}" for name, gvk in BUNDLED])
def test_rules_are_the_same_after_a_trip_through_data(name: str, gvk: tuple[str, str, str]) -> None:
    crd = compile_crd(crd_schemas.crds(name)[gvk])
    for node in nodes(crd.endpoint.rules):
        for bound in node.rules:
            rule = bound.compiled
            assert isinstance(rule, Rule)
            again = rule_of(rule_data(rule), rule.decl)
            assert again.compiled.checked.root == rule.compiled.checked.root
            assert again.compiled.checked.types == rule.compiled.checked.types
            assert (again.message_compiled is None) == (rule.message_compiled is None)
            assert rule_data(again) == rule_data(rule)
            assert estimated_cost(again) == estimated_cost(rule)


KINDS = (
    ("self.a == 'x' || self.n > 3u", "uint"),
    ("self.?a.orValue('') != 'y'", "optional"),
    ("[1, 2].exists(i, i == self.i) || self.l.all(k, v, v != k)", "two variables"),
    ("{'a': b'x'}['a'] == b'y' || type(self.i) == int", "bytes and types"),
    ("cidr('10.0.0.0/8').containsIP(self.a)", "library"),
    ("self.a.matches('^[a-f]+$') && self.i < 3", "pattern"),
)


@pytest.mark.parametrize(("rule", "kind"), KINDS, ids=[kind for _, kind in KINDS])
def test_every_kind_of_node(rule: str, kind: str) -> None:
    rule = rule.replace("self.n > 3u", "uint(self.i) > 3u")
    validation = {
        "rule": rule,
        "messageExpression": "'found ' + self.a",
        "reason": "FieldValueForbidden",
        "fieldPath": ".a",
    }
    texts = {"type": "string", "maxLength": 9}
    numbers = {"type": "array", "maxItems": 3, "items": {"type": "integer"}}
    node = {
        "type": "object",
        "properties": {"a": texts, "i": {"type": "integer"}, "l": numbers},
        "x-kubernetes-validations": [validation],
    }
    made, restored = both(with_node(node))
    for value in ({"a": "q", "i": 1, "l": [0]}, {"a": "y", "i": 7, "l": [1, 5]}, {"i": 3}, {"a": "10.1.1.1", "l": []}):
        agree(made, restored, {"object": of(value), "operation": "CREATE"})


@pytest.mark.parametrize("kubernetes", ["1.29", "1.30", "1.33"])
def test_older_releases(kubernetes: str) -> None:
    node = {
        "type": "array",
        "maxItems": 5,
        "items": {"type": "string", "maxLength": 9},
        "x-kubernetes-validations": [{"rule": "self == oldSelf"}, {"rule": "self.all(s, s.size() < 3)"}],
    }
    made, restored = both(with_node(node), kubernetes)
    for value in (["a"], ["abc"], ["b", "c"]):
        agree(made, restored, {"object": of(value), "oldObject": of(["a"]), "operation": "UPDATE"})


def test_what_1_29_makes_of_a_definition() -> None:
    rules = [{"rule": "self.a != 'x'", "fieldPath": ".a"}, {"rule": "self.a != oldSelf.a", "optionalOldSelf": True}]
    node = {"type": "object", "properties": {"a": {"type": "string"}}, "x-kubernetes-validations": rules}
    made, restored = both(with_node(node), "1.29")
    request = {"object": of({"a": "x"}), "operation": "CREATE"}
    assert not agree(made, restored, request)
    assert not agree(made, restored, {**request, "oldObject": of({"a": "x"}), "operation": "UPDATE"})


def test_what_is_kept_holds_no_more_than_data() -> None:
    made, _ = both(crd_schemas.crds("released")[("k8s.ovn.org", "v1", "ClusterUserDefinedNetwork")])
    rules = [rule.compiled for node in nodes(made.endpoint.rules) for rule in node.rules]
    assert len(rules) > 50
    for rule in rules:
        assert isinstance(rule, Rule)
        json.dumps(plain(rule_data(rule)))


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | frozenset):
        return [plain(one) for one in value]
    return value.hex() if isinstance(value, bytes) else value
