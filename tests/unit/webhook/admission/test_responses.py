"""Answers in the words of the API server."""

import base64
import json

import pytest

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.webhook.admission import responses
from ovnguard.webhook.admission.review import GroupVersionKind
from tests.support.admission_reviews import UID

KIND = GroupVersionKind("k8s.ovn.org", "v1", "ClusterUserDefinedNetwork")
ONE = FieldError(ErrorType.INVALID, "spec.a", "x", "is wrong", "R1")
TWO = FieldError(ErrorType.REQUIRED, "spec.b", detail="is missing", rule="R2")
REMARKS = responses.Remarks(("careful",), (("decision", "denied"),))


def test_allowed():
    assert responses.allowed(UID) == {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "response": {"uid": UID, "allowed": True},
    }


@pytest.mark.parametrize(
    "answer",
    [
        responses.allowed(UID, REMARKS),
        responses.patched(UID, [{"op": "remove", "path": "/a"}], REMARKS),
        responses.denied(UID, KIND, "blue", [ONE], REMARKS),
    ],
)
def test_uid_is_the_first_word(answer):
    assert next(iter(answer["response"].items())) == ("uid", UID)


def test_denied():
    assert responses.denied(UID, KIND, "blue", [ONE, TWO], REMARKS)["response"] == {
        "uid": UID,
        "allowed": False,
        "status": {
            "metadata": {},
            "status": "Failure",
            "message": 'ClusterUserDefinedNetwork.k8s.ovn.org "blue" is invalid: '
            '[spec.a: Invalid value: "x": is wrong, spec.b: Required value: is missing]',
            "reason": "Invalid",
            "details": {
                "name": "blue",
                "group": "k8s.ovn.org",
                "kind": "ClusterUserDefinedNetwork",
                "causes": [
                    {"reason": "FieldValueInvalid", "message": 'Invalid value: "x": is wrong', "field": "spec.a"},
                    {"reason": "FieldValueRequired", "message": "Required value: is missing", "field": "spec.b"},
                ],
            },
            "code": 422,
        },
        "warnings": ["careful"],
        "auditAnnotations": {"decision": "denied"},
    }


@pytest.mark.parametrize(
    ("kind", "name", "errors", "message"),
    [
        (
            KIND,
            "blue",
            [TWO],
            'ClusterUserDefinedNetwork.k8s.ovn.org "blue" is invalid: spec.b: Required value: is missing',
        ),
        (KIND, "", [], 'ClusterUserDefinedNetwork.k8s.ovn.org "" is invalid'),
        (GroupVersionKind("", "v1", "Pod"), 'a"b', [], 'Pod "a\\"b" is invalid'),
        (
            KIND,
            "b",
            [TWO, TWO],
            'ClusterUserDefinedNetwork.k8s.ovn.org "b" is invalid: spec.b: Required value: is missing',
        ),
    ],
)
def test_message(kind, name, errors, message):
    assert responses.denied(UID, kind, name, errors)["response"]["status"]["message"] == message


def test_causes_are_bounded():
    errors = [FieldError(ErrorType.INVALID, f"spec.f{number}", "y" * 5000) for number in range(70)]
    status = responses.denied(UID, KIND, "blue", errors)["response"]["status"]
    assert len(status["details"]["causes"]) == 64
    assert status["message"].endswith(", and 6 more]")
    assert max(len(cause["message"]) for cause in status["details"]["causes"]) == 1024


def test_patched():
    patch = [{"op": "add", "path": "/a", "value": "\u00e9"}]
    response = responses.patched(UID, patch)["response"]
    assert response["patchType"] == "JSONPatch"
    assert json.loads(base64.b64decode(response["patch"])) == patch


def test_empty_patch_is_plain_allowed():
    assert responses.patched(UID, [], REMARKS) == responses.allowed(UID, REMARKS)


@pytest.mark.parametrize(("code", "reason"), [(500, "InternalError"), (504, "Timeout"), (418, "Unknown")])
def test_failure_is_a_status_that_names_the_uid(code, reason):
    whole = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}
    whole |= {"message": "text", "reason": reason, "code": code}
    assert responses.failure(code, "text") == whole
    assert responses.failure(code, "text", UID) == whole | {"details": {"uid": UID}}


def test_cost_is_annotated_where_it_is_known():
    assert responses.audit_annotations("allowed", [], "released", (), 0) == (
        ("decision", "allowed"),
        ("schema-set", "released"),
        ("cost", "0"),
    )


def test_warnings_are_short_single_lines():
    lines = responses.warning_lines(["a\n b\tc", "x" * 120, "y" * 121, "", "a b c"])
    assert lines == ("a b c", "x" * 120, "y" * 119 + "\u2026")


def test_warnings_stay_below_what_the_api_server_keeps():
    lines = responses.warning_lines(str(number) + "z" * 200 for number in range(100))
    assert len(lines) == 32
    assert sum(map(len, lines)) <= 4096


def test_audit_annotations_leave_out_what_is_empty():
    assert responses.audit_annotations("allowed", [], "") == (("decision", "allowed"),)
    assert responses.audit_annotations("denied", ["R1", "R2"], "released", ["not checked: a", "b"]) == (
        ("decision", "denied"),
        ("rules", "R1,R2"),
        ("schema-set", "released"),
        ("notes", "not checked: a; b"),
    )
