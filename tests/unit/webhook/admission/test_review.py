"""Every way in which bytes are not an AdmissionReview has its own sentence."""

import json
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ovnguard.validators.admission import Operation
from ovnguard.webhook.admission.review import (
    AdmissionRequest,
    BadReview,
    GroupVersionKind,
    GroupVersionResource,
    Limits,
    decode,
)
from tests.support.admission_reviews import UID, body, network, review

LIMITS = Limits()


def with_request(value):
    return json.dumps(review() | {"request": value}).encode()


def test_whole_request():
    old = network(mtu=1400)
    options = {"kind": "UpdateOptions"}
    data = body(operation="UPDATE", oldObject=old, namespace="ns", subResource="status", dryRun=True, options=options)
    assert decode(data, LIMITS) == AdmissionRequest(
        uid=UID,
        operation=Operation.UPDATE,
        kind=GroupVersionKind("k8s.ovn.org", "v1", "ClusterUserDefinedNetwork"),
        resource=GroupVersionResource("k8s.ovn.org", "v1", "clusteruserdefinednetworks"),
        sub_resource="status",
        namespace="ns",
        name="blue",
        user_info={"username": "alice"},
        object=network(),
        old_object=old,
        dry_run=True,
        options=options,
    )


def test_optional_members_may_be_absent():
    request = decode(body(name=None, userInfo=None, dryRun=None, options=None), LIMITS)
    assert isinstance(request, AdmissionRequest)
    assert (request.name, request.user_info, request.dry_run, request.options) == ("", {}, False, None)


def test_delete_needs_no_object():
    request = decode(body(operation="DELETE", object=None, oldObject=network()), LIMITS)
    assert isinstance(request, AdmissionRequest)
    assert (request.object, request.old_object) == (None, network())


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"", "the body is empty: an AdmissionReview is expected"),
        (b" \n", "the body is empty: an AdmissionReview is expected"),
        (b"hello", "the body is not JSON: Expecting value (line 1, column 1)"),
        (b'{"a": 1', "the body is not JSON: Expecting ',' delimiter (line 1, column 8)"),
        (b'{"a": "\xff"}', "the body is not UTF-8: byte 0xff at offset 7"),
        (b'{"a": NaN}', "the body is not JSON: NaN is not a JSON number"),
        (b'{"a": -Infinity}', "the body is not JSON: -Infinity is not a JSON number"),
        (b'{"a": 1e999}', "the body is not JSON that can be read: number 1e999 is out of range"),
        (b"1" * 5000, "the body is not JSON that can be read: a number has too many digits"),
        (b'{"a": {"b": 1, "c": 2, "b": 3}}', 'the body is not valid: key "b" occurs twice in one object'),
        (b'{"a": "\\ud800"}', "the body is not valid: a string holds half of a surrogate pair"),
        (b"[1]", "an AdmissionReview object is expected, not [1]"),
        (b"null", "an AdmissionReview object is expected, not null"),
        (b"{}", 'apiVersion: "admission.k8s.io/v1" is expected, not null'),
        (
            json.dumps(review() | {"apiVersion": "admission.k8s.io/v1beta1"}).encode(),
            'apiVersion: "admission.k8s.io/v1" is expected, not "admission.k8s.io/v1beta1"',
        ),
        (json.dumps(review() | {"kind": "Pod"}).encode(), 'kind: "AdmissionReview" is expected, not "Pod"'),
        (with_request(None), "request: an object is required, not null"),
        (with_request("x" * 100), 'request: an object is required, not "' + "x" * 60 + "..."),
        (body(uid=None), "request.uid: a non-empty string is required, not null"),
        (body(uid=7), "request.uid: a non-empty string is required, not 7"),
        (body(uid=""), 'request.uid: a non-empty string is required, not ""'),
        (body(operation=None), "request.operation: one of CREATE, UPDATE, DELETE is expected, not null"),
        (body(operation="CONNECT"), 'request.operation: one of CREATE, UPDATE, DELETE is expected, not "CONNECT"'),
        (body(operation=["CREATE"]), 'request.operation: one of CREATE, UPDATE, DELETE is expected, not ["CREATE"]'),
        (body(kind=None), "request.kind: an object with group, version, kind is required, not null"),
        (
            body(resource="pods"),
            'request.resource: an object with group, version, resource is required, not "pods"',
        ),
        (body(kind={"group": 1, "version": "v1", "kind": "K"}), "request.kind.group: a string is required, not 1"),
        (body(kind={"version": "v1"}), "request.kind.kind: a non-empty string is required"),
        (body(namespace=1), "request.namespace: a string is expected, not 1"),
        (body(name=[]), "request.name: a string is expected, not []"),
        (body(subResource={}), "request.subResource: a string is expected, not {}"),
        (body(userInfo="alice"), 'request.userInfo: an object is expected, not "alice"'),
        (body(dryRun="no"), 'request.dryRun: true or false is expected, not "no"'),
        (body(options=1), "request.options: an object is expected, not 1"),
        (body(object=None), "request.object: an object is required for CREATE"),
        (body(object=[1]), "request.object: an object is expected, not [1]"),
        (body(operation="UPDATE", object=None, oldObject={}), "request.object: an object is required for UPDATE"),
        (body(operation="UPDATE"), "request.oldObject: an object is required for UPDATE"),
        (
            body(object={"apiVersion": "v1", "kind": "Pod"}),
            'request.object.apiVersion: "k8s.ovn.org/v1" is expected (request.kind), not "v1"',
        ),
        (
            body(operation="UPDATE", oldObject={"apiVersion": "k8s.ovn.org/v1"}),
            'request.oldObject.kind: "ClusterUserDefinedNetwork" is expected (request.kind), not null',
        ),
        (body(operation="UPDATE", oldObject=1), "request.oldObject: an object is expected, not 1"),
    ],
)
def test_bad_review(raw, text):
    assert decode(raw, LIMITS) == BadReview(400, text)


def test_depth_is_exact():
    # a review holds object > spec at depth 3
    def nested(depth):
        value: object = 0
        for _ in range(depth - 4):
            value = [value]
        return body(object=network(deep=value))

    assert isinstance(decode(nested(128), LIMITS), AdmissionRequest)
    assert decode(nested(129), LIMITS) == BadReview(400, "the body is nested deeper than 128 levels")


def test_number_of_values_is_exact():
    few = Limits(values=500)
    least = body(object=network(many=[0]))
    held = sum(map(least.count, (b"{", b"[", b",")))
    text = "the body has more than 500 values"
    for value, count in ((0, 1), ({}, 2), ([], 2)):
        # the zero is there already
        most = (500 - held) // count
        assert isinstance(decode(body(object=network(many=[0] + [value] * most)), few), AdmissionRequest)
        assert decode(body(object=network(many=[0] + [value] * (most + 1))), few) == BadReview(400, text)


def test_only_the_review_of_a_node_has_more_than_fifty_thousand_values():
    kind = {"group": "", "version": "v1", "kind": "Node"}
    many = {"apiVersion": "v1", "kind": "Node", "status": {"images": [0] * 60_000}}
    other = {"group": "example.com", "version": "v1", "kind": "Node"}
    node = decode(body(kind=kind, object=many), LIMITS)
    assert isinstance(node, AdmissionRequest)
    text = "the body has more than 50000 values"
    stranger = {**many, "apiVersion": "example.com/v1"}
    assert decode(body(kind=other, object=stranger), LIMITS) == BadReview(400, text)
    assert decode(body(object=network(many=[0] * 60_000)), LIMITS) == BadReview(400, text)
    largest = {**many, "status": {"images": [0] * 500_000}}
    assert decode(body(kind=kind, object=largest), LIMITS) == BadReview(400, "the body has more than 500000 values")


def test_brackets_in_strings_are_no_depth():
    assert isinstance(decode(body(object=network(text='["\\' * 400)), LIMITS), AdmissionRequest)


def refused(raw: bytes) -> BadReview:
    found = decode(raw, LIMITS)
    assert isinstance(found, BadReview)
    return found


@pytest.mark.parametrize("raw", [b"[" * 300_000, b'{"a":' * 300_000, b'"' + b'\\"' * 300_000, b"[]," * 300_000])
def test_hostile_text_is_refused_in_linear_time(raw):
    assert refused(raw).status == 400


def test_size_is_exact():
    whole = body()
    assert isinstance(decode(whole, Limits(body_bytes=len(whole))), AdmissionRequest)
    assert decode(whole, Limits(body_bytes=len(whole) - 1)) == BadReview(
        413, f"the body has {len(whole)} bytes, at most {len(whole) - 1} are accepted"
    )


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_answered(raw):
    assert refused(raw).status == 400


@settings(deadline=None)
@given(st.integers(0, len(body()) - 1), st.integers(0, 255))
def test_one_wrong_byte_is_answered(position, byte):
    raw = bytearray(body())
    raw[position] = byte
    assert isinstance(decode(bytes(raw), LIMITS), AdmissionRequest | BadReview)


def test_recursion_is_never_reached():
    assert sys.getrecursionlimit() > 4 * LIMITS.depth
