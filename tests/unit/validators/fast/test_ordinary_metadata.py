"""Creations of stored objects: the fast path takes what a cluster stores, and answers what the exact path answers."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ovnguard.validators.crd.compiled_crd import compile_crd
from tests.support.fast_differential import of, same, with_node
from tests.support.soak import examples

CRD = compile_crd(with_node({"type": "integer"}))
OWNER = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d", "uid": "u-1", "controller": True}
ENTRY = {
    "manager": "kubectl-client-side-apply",
    "operation": "Update",
    "apiVersion": "example.com/v1",
    "time": "2026-01-01T00:00:00Z",
    "fieldsType": "FieldsV1",
    "fieldsV1": {"f:spec": {".": {}, "f:v": {}}},
}
STORED = {
    "name": "x",
    "namespace": "ns",
    "uid": "8f3c0d6e-1b7a-4c52-9e4d-000000000001",
    "resourceVersion": "1234",
    "generation": 7,
    "creationTimestamp": "2026-01-01T00:00:00Z",
    "labels": {"app": "x"},
    "annotations": {"example.com/number": "1"},
    "finalizers": ["example.com/protection"],
    "ownerReferences": [OWNER, OWNER | {"uid": "u-2", "controller": False, "blockOwnerDeletion": True}],
    "managedFields": [ENTRY, ENTRY | {"manager": "controller", "operation": "Apply", "subresource": "status"}],
}
CHANGES: dict[str, list[Any]] = {
    "name": ["X", "", None, "a/b", "x" * 254],
    "namespace": ["", "N", None, 1, "n" * 64],
    "uid": ["", None, 1, "other", "\ud800"],
    "resourceVersion": ["", None, 12, "0"],
    "generation": [0, 1, -1, 2**63 - 1, 2**63, "1", True, None],
    "creationTimestamp": [None, "", "yesterday", "2026-01-01T00:00:00.5Z", "2026-01-01T01:00:00+01:00"],
    "deletionTimestamp": ["2026-01-01T00:00:00Z", None],
    "deletionGracePeriodSeconds": [0, 30],
    "selfLink": ["/x"],
    "generateName": ["x-", ""],
    "labels": [{}, None, {"-": "x"}, {"a": "-"}],
    "annotations": [{}, None, {"a": 1}, {"-": ""}, {"A.example.com/b": ""}],
    "finalizers": [[], None, ["kubernetes"], ["orphan", "foregroundDeletion"], ["x"], ["a/b", "a/b"]],
    "ownerReferences": [
        [],
        None,
        [OWNER, OWNER],
        [OWNER, OWNER | {"uid": "u-2"}],
        [OWNER | {"apiVersion": "v1", "kind": "Event"}],
        [OWNER | {"apiVersion": "v1"}],
        [OWNER | {"apiVersion": "/"}],
        [OWNER | {"uid": ""}],
        [OWNER | {"controller": None}],
        [OWNER | {"other": 1}],
        [{}],
    ],
    "managedFields": [
        [],
        None,
        [{}],
        [ENTRY | {"operation": "Delete"}],
        [ENTRY | {"manager": "m" * 129}],
        [ENTRY | {"fieldsType": "FieldsV2"}],
        [ENTRY | {"time": "2026-01-01T01:00:00+01:00"}],
        [ENTRY | {"fieldsV1": "x"}],
        [ENTRY | {"fieldsV1": {"f:a": 1.0}}],
        [ENTRY | {"fieldsV1": {"f:a": None}}],
        [ENTRY | {"subresource": "s" * 257}],
        [{key: one for key, one in ENTRY.items() if key != "fieldsV1"}],
    ],
    "unknown": [1, None],
}


def with_meta(meta: dict[str, Any]) -> dict[str, Any]:
    return of(1) | {"metadata": copy.deepcopy(meta)}


def test_creation_of_a_stored_object_is_taken_and_drops_what_the_server_gave_it() -> None:
    taken, exact = same(CRD, with_meta(STORED))
    assert taken
    assert exact.object is not None
    gone = {"uid", "creationTimestamp"}
    assert exact.object["metadata"] == {k: v for k, v in STORED.items() if k not in gone} | {"generation": 1}


@pytest.mark.parametrize("key", [*STORED, "everything"])
def test_each_part_of_stored_metadata_is_taken_with_and_without_the_others(key: str) -> None:
    for meta in (
        {"name": "x"} | {each: one for each, one in STORED.items() if each == key},
        {each: one for each, one in STORED.items() if each == "name" or each != key},
    ):
        assert same(CRD, with_meta(meta))[0]


@pytest.mark.parametrize("key", CHANGES)
def test_other_metadata_have_the_exact_verdict(key: str) -> None:
    for value in CHANGES[key]:
        same(CRD, with_meta(STORED | {key: value}))
        same(CRD, with_meta({"name": "x"} | {key: value}))


@settings(max_examples=examples(60))
@given(
    st.dictionaries(st.sampled_from(sorted(CHANGES)), st.integers(0, 11), max_size=3),
    st.sets(st.sampled_from(sorted(STORED)), max_size=4),
)
def test_random_stored_metadata_have_the_exact_verdict(changed: dict[str, int], without: set[str]) -> None:
    meta = {key: one for key, one in STORED.items() if key not in without}
    for key, index in changed.items():
        meta[key] = CHANGES[key][index % len(CHANGES[key])]
    same(CRD, with_meta(meta))
