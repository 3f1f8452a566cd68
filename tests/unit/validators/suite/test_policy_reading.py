"""Suites of policies that cannot be read: file, line and what to do."""

import json
from importlib.resources import files
from typing import Any

import jsonschema
import pytest

from ovnguard.validators.suite.policy_suite import PolicySuite
from ovnguard.validators.suite.reading import read_suite
from ovnguard.validators.suite.suite import SuiteFault

HEAD = "policyName: size\ntests:\n  onCreate:\n  - name: one\n    object: {kind: Pod}\n"
UPDATE = "policyName: size\ntests:\n  onUpdate:\n  - object: {kind: Pod}\n"


def read(text: str) -> PolicySuite:
    suite = read_suite("s.yaml", "s.yaml", text.encode())
    assert isinstance(suite, PolicySuite)
    return suite


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("policyName: size\n", "s.yaml:1: tests must be given"),
        ("policyName: ''\ntests: {}\n", "s.yaml:1: policyName: must not be empty"),
        (
            "crdName: a.b\npolicyName: size\ntests: {}\n",
            "s.yaml:1: Additional properties are not allowed ('crdName' was",
        ),
        ("policyName: size\ntests:\n  onPatch: []\n", "s.yaml:2: tests: Additional properties are not allowed"),
        ("policyName: size\ntests:\n  onCreate: 1\n", "s.yaml:3: tests.onCreate: must be a list"),
    ],
)
def test_an_invalid_suite_is_refused(text: str, message: str) -> None:
    with pytest.raises(SuiteFault) as refusal:
        read(text)
    assert str(refusal.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (UPDATE, "s.yaml:4: tests.onUpdate[0]: oldObject must be given"),
        (HEAD + "    oldObject: {}\n", "s.yaml:6: tests.onCreate[0].oldObject: must not be given"),
        (HEAD + "    right: []\n", "s.yaml:4: tests.onCreate[0]: Additional properties are not allowed ('right' was"),
        (HEAD + "    rights: [{}]\n", "s.yaml:6: tests.onCreate[0].rights[0]: verbs must be given"),
        (
            HEAD + "    rights:\n    - {verbs: [get], serviceAccount: robot}\n",
            "s.yaml:7: tests.onCreate[0].rights[0].serviceAccount: 'robot' does not match",
        ),
        (HEAD + "    userInfo: alice\n", "s.yaml:6: tests.onCreate[0].userInfo: must be a mapping"),
        (
            "policyName: size\ntests:\n  onCreate:\n  - name: one\n    object: |\n      kind: Pod\n",
            "s.yaml:5: tests.onC",
        ),
    ],
)
def test_a_fault_inside_a_case_is_recorded_on_it(text: str, fault: str) -> None:
    suite = read(text + "  onDelete:\n  - oldObject: {kind: Pod}\n")
    bad, good = suite.cases
    assert (bad.fault[: len(fault)], bad.request) == (fault, None)
    assert (good.fault, good.phase, good.line) == ("", "onDelete", suite_line(text) + 2)


def suite_line(text: str) -> int:
    return text.count("\n")


@pytest.mark.parametrize(
    ("kind", "stated", "resource"),
    [
        ({"apiVersion": "apps/v1", "kind": "Deployment"}, {}, ("apps", "v1", "deployments", "", "shop")),
        ({"apiVersion": "v1", "kind": "Pod"}, {"subResource": "status"}, ("", "v1", "pods", "status", "shop")),
        ({"apiVersion": "v1", "kind": "PodExecOptions"}, {"resource": "pods"}, ("", "v1", "pods", "", "shop")),
        ({"apiVersion": "v1", "kind": "Namespace"}, {}, ("", "v1", "namespaces", "", "web")),
    ],
)
def test_the_request_follows_from_the_object(
    kind: dict[str, Any], stated: dict[str, Any], resource: tuple[str, ...]
) -> None:
    shown = {**kind, "metadata": {"name": "web", "namespace": "shop"}}
    (case,) = read(f"policyName: size\ntests:\n  onDelete:\n  - oldObject: {shown}\n    request: {stated}\n").cases
    made = case.request
    assert made is not None
    assert (made.group, made.version, made.resource, made.subresource, made.namespace) == resource
    assert (made.operation, made.name, made.object, made.old_object) == ("DELETE", "web", None, shown)
    assert (made.user, case.authorize, case.annotations) == (None, None, None)


def test_repeated_keys_and_more_documents_are_warned_of() -> None:
    suite = read(HEAD + "    object: {kind: Node}\n---\nmore: 1\n")
    assert suite.warnings == (
        "s.yaml:6: duplicate key 'object'; the last one counts",
        "s.yaml:8: everything after the first YAML document has no effect",
    )


def test_a_suite_without_cases_is_warned_of() -> None:
    assert read("policyName: size\ntests: {}\n").warnings == ("s.yaml:2: the suite holds no case",)


def test_the_schema_is_one() -> None:
    schema = json.loads(files("ovnguard.validators.suite").joinpath("policy-suite-v1.json").read_bytes())
    jsonschema.Draft202012Validator.check_schema(schema)
