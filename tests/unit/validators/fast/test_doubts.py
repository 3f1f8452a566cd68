"""Refusals with the help of the fast path against refusals without it: the same answer in every part."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crd_schemas
from tests.support.differential.samples import sample
from tests.support.fast_differential import definition, of, same, with_node
from validators.base.verdict import Verdict
from validators.crd.compiled_crd import CompiledCRD, compile_crd
from validators.crd.strategy import judge_doubtful, judge_exactly
from validators.fast.known import Known, known_of

CUDN = ("k8s.ovn.org", "v1", "ClusterUserDefinedNetwork")
NO = {"maxLength": 3, "type": "string"}


def known(crd: CompiledCRD, obj: Any, old: Any = None, *, strict: bool = False) -> Known | None:
    at = crd.endpoint
    assert at.fast is not None
    assert at.doubts is not None
    return known_of(at.fast, at.doubts, obj, old, lambda: 0, strict=strict)


def compared(crd: CompiledCRD, obj: Any, old: Any, subresource: str | None, validation: str) -> Verdict:
    """The exact verdict, after the one with help is found to be the same."""
    at = crd.endpoint
    before = json.dumps([obj, old])
    exact = judge_exactly(at, obj, old, subresource, validation)
    helped = judge_doubtful(at, obj, old, subresource, validation, lambda: exact.cost)
    assert json.dumps([obj, old]) == before, "the request was changed"
    assert helped == exact
    assert helped.cost == exact.cost
    assert json.dumps(helped.object, sort_keys=True) == json.dumps(exact.object, sort_keys=True)
    assert [error.text for error in helped.errors] == [error.text for error in exact.errors]
    return exact


@given(seed=st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_generated_schemas(seed: int) -> None:
    schema, has_status, listed = sample(seed)
    crd = compile_crd(definition(schema, status=has_status))
    if crd.endpoint.doubts is None:
        return
    for request in listed:
        subresource = "status" if request["operation"] == "STATUS" else None
        for validation in ("Warn", "Strict"):
            compared(crd, request["object"], request.get("oldObject"), subresource, validation)


def test_refusals_of_generated_schemas_have_help() -> None:
    refused = helped = 0
    for seed in range(12):
        schema, has_status, listed = sample(seed)
        crd = compile_crd(definition(schema, status=has_status))
        for request in listed:
            obj, old = request["object"], request.get("oldObject")
            if request["operation"] != "STATUS" and not crd.verdict(obj, old).allowed:
                refused += 1
                helped += crd.endpoint.doubts is not None and known(crd, obj, old) is not None
    # Most are spoilt in more ways than one; unknown fields and invalid old objects are none of ours.
    assert refused > 20
    assert helped > 8


BROKEN: tuple[tuple[dict[str, Any], Any], ...] = (
    ({"type": "string", "enum": ["a"]}, "b"),
    ({"type": "string", "enum": ["a"]}, 1),
    ({"type": "string", "pattern": "^a"}, "b"),
    ({"type": "string", "format": "ipv4"}, "b"),
    (NO, "abcd"),
    (NO, "\u00e9" * 4),
    (NO, ["abcd"]),
    (NO, {}),
    (NO, 1.5),
    ({"type": "integer", "minimum": 3}, 2),
    ({"type": "integer"}, 2.5),
    ({"type": "boolean"}, "true"),
    ({"type": "object", "properties": {"a": NO}, "required": ["a"]}, {}),
    ({"type": "object", "properties": {"a": NO, "b": NO}}, {"b": "abcd", "a": "abcd"}),
    ({"type": "object", "properties": {"a": {**NO, "default": "x"}}, "minProperties": 2}, {}),
    ({"type": "object", "properties": {"a": NO}}, []),
    ({"type": "object", "additionalProperties": NO}, {"k": "abcd", "j": "a"}),
    ({"type": "object", "additionalProperties": NO, "maxProperties": 1}, {"k": "a", "j": "a"}),
    ({"type": "array", "items": NO, "maxItems": 2}, ["a", "b", "c"]),
    ({"type": "array", "items": NO, "minItems": 2}, ["abcd"]),
    ({"type": "array", "items": NO}, [None, "a"]),
    ({"type": "array", "items": NO, "x-kubernetes-list-type": "set"}, ["a", "b", "a"]),
    ({"type": "array", "items": {"type": "object", "properties": {"a": NO}}}, [{"a": "abcd"}, {"a": "a"}]),
    ({"type": "string", "anyOf": [{"minLength": 2}, {"pattern": "^b"}]}, "a"),
    ({"x-kubernetes-int-or-string": True, "pattern": "^a"}, "b"),
    ({"type": "string", "nullable": True, "enum": ["a"]}, None),
)


@pytest.mark.parametrize(("node", "value"), BROKEN)
def test_what_is_wrong_is_found_with_help(node: dict[str, Any], value: Any) -> None:
    crd = compile_crd(with_node(node))
    assert known(crd, of(value)) is not None
    assert not compared(crd, of(value), None, None, "Warn").allowed
    kept = compared(crd, of(value), of(value), None, "Warn")
    assert kept.errors == () or known(crd, of(value), of(value)) is None


CHANGED = (
    ({"type": "string"}, None),
    ({"type": "string"}, "\ud800"),
    ({"type": "string"}, {"a": 1}),
    ({"type": "integer"}, 2**70),
    ({"type": "object", "properties": {"a": NO}}, {"b": 1}),
    ({"type": "object", "properties": {"a": NO}}, {"a": None}),
    ({"type": "object", "properties": {"a": {"type": "string", "default": "x"}}}, {"a": None}),
    ({"type": "array", "items": {"type": "object", "properties": {"a": NO}}}, [{"a": "abcd", "b": 1}]),
    ({"type": "object", "additionalProperties": NO}, {"k": None, "j": "abcd"}),
    ({"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"a": NO}}, {"a": "abcd"}),
)


@pytest.mark.parametrize(("node", "value"), CHANGED)
def test_what_the_server_changes_has_no_help(node: dict[str, Any], value: Any) -> None:
    crd = compile_crd(with_node(node))
    assert known(crd, of(value)) is None
    compared(crd, of(value), None, None, "Warn")


def test_unknown_fields_are_enough_for_strict_validation() -> None:
    crd = compile_crd(with_node({"type": "object", "properties": {"a": NO}}))
    obj = {**of({"b": 1, "a": "abcd"}), "z": {"y": [1]}}
    assert known(crd, obj, strict=True) is not None
    said = compared(crd, obj, None, None, "Strict")
    assert [error.detail for error in said.errors] == ['unknown field "spec.v.b"', 'unknown field "z"']


def test_a_large_object_is_left_to_the_exact_path() -> None:
    crd = compile_crd(with_node({"type": "array", "items": NO}))
    assert known(crd, of(["abcd"] * 100)) is not None
    assert known(crd, of(["abcd"] * 500)) is None
    compared(crd, of(["abcd"] * 500), None, None, "Warn")


METADATA = (
    {"name": "UPPER"},
    {"name": "x", "labels": {"a": "no good"}},
    {"name": "x", "labels": {"a": 1}},
    {"name": "x", "finalizers": ["plain"]},
    {"name": "x", "unknown": 1},
    {"name": "x", "resourceVersion": "2"},
    {"name": "y"},
    {"generateName": "x-"},
)


@pytest.mark.parametrize("meta", METADATA)
@pytest.mark.parametrize("value", ["a", "abcd"])
def test_metadata_is_judged_as_ever(meta: dict[str, Any], value: str) -> None:
    crd = compile_crd(with_node(NO))
    obj = {**of(value), "metadata": meta}
    old = {**of("a"), "metadata": {"name": "x", "resourceVersion": "1"}}
    for validation in ("Warn", "Strict", "Ignore"):
        compared(crd, obj, None, None, validation)
        compared(crd, obj, old, None, validation)


RULES = (
    ("self.a != 'no'", {"a": "no", "b": "abcd"}, 1),
    ("self.a != 'no'", {"a": "yes", "b": "Abc"}, 0),
    ("self.a != 'no'", {"a": "no", "b": "Abc"}, 1),
    ("size(self.b) < 3", {"a": "yes", "b": "Abc"}, 1),
)


@pytest.mark.parametrize(("rule", "value", "refusals"), RULES)
def test_rules_run_on_what_does_not_keep_them_from_it(rule: str, value: dict[str, Any], refusals: int) -> None:
    node = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string", "pattern": "^[a-z]+$"}},
        "x-kubernetes-validations": [{"rule": rule}],
    }
    crd = compile_crd(with_node(node))
    for _ in range(4):
        # From the third time on there are functions for single rules.
        said = compared(crd, of(value), None, None, "Warn")
        assert len([error for error in said.errors if "failed rule" in error.detail]) == refusals


def test_real_refusals() -> None:
    crd = compile_crd(crd_schemas.crds("released")[CUDN])
    good = {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "ClusterUserDefinedNetwork",
        "metadata": {"name": "blue"},
        "spec": {
            "namespaceSelector": {"matchLabels": {"a": "b"}},
            "network": {"topology": "Layer2", "layer2": {"role": "Primary", "subnets": ["10.0.0.0/16"]}},
        },
    }
    assert crd.verdict(good).allowed
    changes: list[dict[str, Any]] = [{"mtu": 70000}, {"role": "None"}, {"subnets": []}, {"mtu": "1"}]
    for change in (*changes, {"subnets": ["10.0.0.0/99"]}):
        bad = json.loads(json.dumps(good))
        bad["spec"]["network"]["layer2"] |= change
        for old in (None, good):
            assert known(crd, bad, old) is not None
            assert not compared(crd, bad, old, None, "Warn").allowed


HALVES = (
    ({"type": "string"}, "a\ud800"),
    ({"type": "object", "additionalProperties": {"type": "string"}}, {"\udc00": "a"}),
    ({"x-kubernetes-int-or-string": True}, "\ud800"),
    ({"x-kubernetes-preserve-unknown-fields": True}, {"a": ["\ud800"]}),
)


@pytest.mark.parametrize(("node", "value"), HALVES)
def test_half_a_surrogate_pair_is_stored_as_the_replacement_character(node: dict[str, Any], value: Any) -> None:
    taken, said = same(compile_crd(with_node(node)), of(value))
    assert not taken
    assert "\ufffd" in json.dumps(said.object, ensure_ascii=False)
    marked = {**of("a"), "metadata": {"name": "x", "annotations": {"a": "\ud800"}}}
    assert not same(compile_crd(with_node({"type": "string"})), marked)[0]
