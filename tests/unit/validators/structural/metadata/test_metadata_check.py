from typing import Any

import pytest

from ovnguard.validators.base import object_names
from ovnguard.validators.go.time import BadTime, canonical_time
from ovnguard.validators.structural.metadata.metadata_check import (
    check_create,
    check_update,
    finalizer_warnings,
    reported,
    unique_owners,
)
from ovnguard.validators.structural.metadata.objectmeta import BadMetadata, decode

SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and"
    " end with an alphanumeric character (e.g. 'example.com', regex used for validation is"
    " '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
KEY = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric"
    " character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is"
    " '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
OWNER = {"apiVersion": "v1", "kind": "K", "name": "n", "uid": "u"}


def created(meta: dict[str, Any], namespaced: bool = False) -> list[str]:
    found = check_create(meta, namespaced=namespaced, name_rule=object_names.resource_name)
    return [error.text for error in found]


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        ({"name": "a.b-c"}, []),
        ({}, ["metadata.name: Required value: name or generateName is required"]),
        ({"name": "A_B"}, [f'metadata.name: Invalid value: "A_B": {SUBDOMAIN}']),
        (
            {"name": "a" * 254},
            [f'metadata.name: Invalid value: "{"a" * 254}": must be no more than 253 characters'],
        ),
        ({"name": "a", "generateName": "q-"}, []),
        ({"name": "a", "generateName": "Q"}, [f'metadata.generateName: Invalid value: "Q": {SUBDOMAIN}']),
        ({"name": "a", "namespace": "b"}, ["metadata.namespace: Forbidden: not allowed on this type"]),
        (
            {"name": "a", "generation": -1},
            ["metadata.generation: Invalid value: -1: must be greater than or equal to 0"],
        ),
        ({"name": "a", "labels": {"a b": ""}}, [f'metadata.labels: Invalid value: "a b": {KEY}']),
        (
            {"name": "a", "labels": {"k": "v" * 64}},
            [f'metadata.labels: Invalid value: "{"v" * 64}": must be no more than 63 bytes'],
        ),
        (
            {"name": "a", "annotations": {"UPPER/x": ""}},
            [],
        ),
        (
            {"name": "a", "annotations": {"a": "x" * 262144}},
            ["metadata.annotations: Too long: may not be more than 262144 bytes"],
        ),
        ({"name": "a", "ownerReferences": [OWNER]}, []),
        (
            {"name": "a", "ownerReferences": [{"apiVersion": "", "kind": "", "name": "", "uid": ""}]},
            [
                'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
                'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
                'metadata.ownerReferences.name: Invalid value: "": must not be empty',
                'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
            ],
        ),
        (
            {"name": "a", "ownerReferences": [{**OWNER, "kind": "Event"}]},
            [
                'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"n","uid":"u"}:'
                " /v1, Kind=Event is disallowed from being an owner"
            ],
        ),
        (
            {"name": "a", "finalizers": ["orphan", "foregroundDeletion"]},
            [
                'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]:'
                " finalizer orphan and foregroundDeletion cannot be both set"
            ],
        ),
        (
            {"name": "a", "managedFields": [{"operation": "x", "fieldsType": "y", "manager": "m" * 129}]},
            [
                'metadata.managedFields[0].operation: Invalid value: "x": must be `Apply` or `Update`',
                'metadata.managedFields[0].fieldsType: Invalid value: "y": must be `FieldsV1`',
                "metadata.managedFields[0].manager: Too long: may not be more than 128 bytes",
            ],
        ),
    ],
)
def test_create(meta: dict[str, Any], expected: list[str]) -> None:
    assert created(meta) == expected


def test_a_namespaced_object_needs_a_namespace() -> None:
    assert created({"name": "a"}, namespaced=True) == ["metadata.namespace: Required value"]
    assert created({"name": "a", "namespace": "b"}, namespaced=True) == []


def test_errors_about_all_owners_share_their_text() -> None:
    owners = [{**OWNER, "name": f"n{number}", "controller": True} for number in range(3)]
    second, third = check_create(
        {"name": "a", "ownerReferences": owners}, namespaced=False, name_rule=object_names.resource_name
    )
    shown = ",".join(
        f'{{"apiVersion":"v1","kind":"K","name":"n{number}","uid":"u","controller":true}}' for number in range(3)
    )
    where = 'Only one reference can have Controller set to true. Found "true" in references for K/n0 and K/'
    assert second.text == f"metadata.ownerReferences: Invalid value: [{shown}]: {where}n1"
    assert third.text == f"metadata.ownerReferences: Invalid value: [{shown}]: {where}n2"
    assert second.bad_value is third.bad_value
    assert second.older[0].bad_value is third.older[0].bad_value
    assert second.text_of("1.33").startswith("metadata.ownerReferences: Invalid value: []v1.OwnerReference{v1.Owner")


def test_repeated_owners_are_dropped() -> None:
    owners = [{**OWNER, "name": name} for name in "abacb"]
    obj, (warning,) = unique_owners({"metadata": {"ownerReferences": owners}})
    assert [owner["name"] for owner in obj["metadata"]["ownerReferences"]] == ["a", "b", "c"]
    assert warning.endswith("duplicate UID(s) observed: u, u")
    assert unique_owners(obj) == (obj, [])


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        (
            {"ownerReferences": [OWNER, {"apiVersion": "", "kind": "", "name": "", "uid": ""}]},
            [
                "metadata.ownerReferences[1].apiVersion: Required value: must not be empty",
                "metadata.ownerReferences[1].kind: Required value: must not be empty",
                "metadata.ownerReferences[1].name: Required value: must not be empty",
                "metadata.ownerReferences[1].uid: Required value: must not be empty",
            ],
        ),
        (
            {"ownerReferences": [{**OWNER, "apiVersion": "a/b/c"}]},
            ['metadata.ownerReferences[0].apiVersion: Invalid value: "a/b/c": must be <group>/<version> or <version>'],
        ),
        (
            {"ownerReferences": [{**OWNER, "kind": "Event"}]},
            [
                'metadata.ownerReferences[0]: Invalid value: {"apiVersion":"v1","kind":"Event","name":"n","uid":"u"}:'
                " /v1, Kind=Event is disallowed from being an owner"
            ],
        ),
        (
            {"managedFields": [{"operation": ""}, {"operation": "x"}]},
            [
                "metadata.managedFields[0].operation: Required value: must not be empty",
                'metadata.managedFields[1].operation: Unsupported value: "x": supported values: "Apply", "Update"',
            ],
        ),
    ],
)
def test_since_1_37_what_is_empty_is_missing(meta: dict[str, Any], expected: list[str]) -> None:
    rule = object_names.resource_name
    found = check_create({"name": "a", **meta}, namespaced=False, name_rule=rule, release=37)
    assert [error.text for error in found] == expected
    update = check_update({"resourceVersion": "1", **meta}, {}, 37)
    assert [error.text for error in update] == expected


def test_since_1_37_an_update_may_not_have_a_negative_generation() -> None:
    new = {"resourceVersion": "1", "generation": -1}
    assert check_update(new, {"generation": -1}, 36) == []
    negative = "metadata.generation: Invalid value: -1: must be greater than or equal to 0"
    assert [error.text for error in check_update(new, {"generation": -1}, 37)] == [negative]


def test_since_1_37_strategies_report_each_text_once() -> None:
    errors = check_create({"name": "a", "labels": {"x": "a b", "y": "a b"}}, namespaced=False, name_rule=lambda *_: [])
    assert len(reported(errors, 36)) == 2
    assert reported(errors, 37) == errors[:1]


def test_two_controllers_are_too_many() -> None:
    both = [{**OWNER, "controller": True}, {**OWNER, "kind": "L", "controller": True}]
    found = check_create({"name": "a", "ownerReferences": both}, namespaced=False, name_rule=object_names.resource_name)
    assert [error.detail for error in found] == [
        'Only one reference can have Controller set to true. Found "true" in references for K/n and L/n'
    ]


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        ({"resourceVersion": "1"}, {}, []),
        ({}, {}, ['metadata.resourceVersion: Invalid value: "": must be specified for an update']),
        (
            {"resourceVersion": "1", "generation": 1, "uid": "b"},
            {"generation": 2, "uid": "a"},
            [
                "metadata.generation: Invalid value: 1: must not be decremented",
                'metadata.uid: Invalid value: "b": field is immutable',
            ],
        ),
        (
            {"resourceVersion": "1", "finalizers": ["b", "a", "c"], "deletionTimestamp": "t"},
            {"finalizers": ["a"], "deletionTimestamp": "t"},
            [
                "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted,"
                ' found new finalizers []string{"b", "c"}'
            ],
        ),
    ],
)
def test_update(new: dict[str, Any], old: dict[str, Any], expected: list[str]) -> None:
    assert [error.text for error in check_update(new, old)] == expected


def test_new_finalizers_without_a_domain_are_warned_of() -> None:
    warnings = finalizer_warnings({"finalizers": ["b.c", "a", "k/x", "orphan"]}, {"finalizers": ["k/x"]}, 35)
    end = "to avoid accidental conflicts with other finalizer writers"
    assert warnings == [
        f'metadata.finalizers: "a": prefer a domain-qualified finalizer name {end}',
        f'metadata.finalizers: "b.c": prefer a domain-qualified finalizer name including a path (/) {end}',
    ]


def test_metadata_is_written_back_as_objectmeta_writes_it() -> None:
    meta, unknown = decode(
        {
            "zz": 1,
            "name": "x",
            "uid": "",
            "labels": {},
            "annotations": {"a": None},
            "creationTimestamp": "2020-01-01T00:30:00.5+01:00",
            "deletionTimestamp": None,
            "generation": 2.0,
            "ownerReferences": [{"name": "n", "zz": 1}, None],
            "finalizers": [None],
        }
    )
    assert unknown == ["ownerReferences[0].zz", "zz"]
    assert meta == {
        "name": "x",
        "generation": 2,
        "creationTimestamp": "2019-12-31T23:30:00Z",
        "annotations": {"a": ""},
        "ownerReferences": [
            {"apiVersion": "", "kind": "", "name": "n", "uid": ""},
            {"apiVersion": "", "kind": "", "name": "", "uid": ""},
        ],
        "finalizers": [""],
    }


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        (5, "json: cannot unmarshal number into Go value of type v1.ObjectMeta"),
        ({"name": 5}, "json: cannot unmarshal number into Go struct field ObjectMeta.name of type string"),
        (
            {"labels": 5},
            "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type map[string]string",
        ),
        (
            {"labels": {"a": 1}},
            "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string",
        ),
        (
            {"generation": 1.5},
            "json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.generation of type int64",
        ),
        ({"uid": 5}, "json: cannot unmarshal number into Go struct field ObjectMeta.uid of type types.UID"),
        (
            {"ownerReferences": [{"name": 5}]},
            "json: cannot unmarshal number into Go struct field OwnerReference.ownerReferences.name of type string",
        ),
        (
            {"ownerReferences": {}},
            "json: cannot unmarshal object into Go struct field ObjectMeta.ownerReferences of type []v1.OwnerReference",
        ),
        (
            {"creationTimestamp": "x", "name": 5},
            'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
        ),
        (
            {"annotations": 5, "creationTimestamp": 5},
            "json: cannot unmarshal number into Go struct field ObjectMeta.creationTimestamp of type string",
        ),
        (
            {"name": [], "labels": ""},
            "json: cannot unmarshal string into Go struct field ObjectMeta.labels of type map[string]string",
        ),
    ],
)
def test_metadata_that_does_not_decode(value: Any, complaint: str) -> None:
    with pytest.raises(BadMetadata) as caught:
        decode(value)
    assert str(caught.value) == complaint


def test_stored_metadata_loses_what_does_not_decode() -> None:
    assert decode({"name": "x", "labels": 5, "zz": 1}, lenient=True) == ({"name": "x"}, [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2020-02-29T23:59:59Z", "2020-02-29T23:59:59Z"),
        ("0001-01-01T00:00:00Z", ""),
        ("2020-01-01T00:00:00-01:30", "2020-01-01T01:30:00Z"),
    ],
)
def test_times(text: str, expected: str) -> None:
    assert canonical_time(text) == expected


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("2020-13-01T00:00:00Z", 'parsing time "2020-13-01T00:00:00Z": month out of range'),
        ("2020-02-30T00:00:00Z", 'parsing time "2020-02-30T00:00:00Z": day out of range'),
        ("2020-01-01T24:00:00Z", 'parsing time "2020-01-01T24:00:00Z": hour out of range'),
        (
            "2020-01-01 00:00:00Z",
            'parsing time "2020-01-01 00:00:00Z" as "2006-01-02T15:04:05Z07:00": cannot parse " 00:00:00Z" as "T"',
        ),
        (
            "2020-01-01T00:00:00",
            'parsing time "2020-01-01T00:00:00" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"',
        ),
    ],
)
def test_texts_that_are_no_times(text: str, complaint: str) -> None:
    with pytest.raises(BadTime) as caught:
        canonical_time(text)
    assert str(caught.value) == complaint
