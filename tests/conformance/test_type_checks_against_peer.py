"""Random policies on built-in kinds: the type check warns as the API server's code does."""

from collections import Counter
from collections.abc import Iterator

import pytest

from ovnguard.validators.base.field import DEFAULT_KUBERNETES, minor
from tests.support.differential.built_in_policies import BuiltInPolicies
from tests.support.differential.line_peer import LinePeer, line_peer
from tests.support.differential.policy_compare import differences, ours
from tests.support.soak import sized
from tests.testbed.fixtures import need, parts
from tests.testbed.parts import Parts

__all__ = ["parts"]

QUESTIONS = sized(300, 20_000)
RELEASE = minor(DEFAULT_KUBERNETES)


@pytest.fixture(scope="module")
def policies(parts: Parts) -> Iterator[LinePeer]:
    need(parts, "policy-verdict")
    with line_peer(parts["policy-verdict"]) as running:
        yield running


def test_warnings_about_built_in_kinds(policies: LinePeer) -> None:
    made, outcomes = BuiltInPolicies(2026, RELEASE), Counter[str]()
    for number in range(QUESTIONS):
        question = made.question()
        theirs = policies.ask(question)
        assert differences(theirs, ours(question)) == {}, f"question {number}"
        outcomes["refused" if theirs["compileErrors"] else "warned" if theirs["typeWarnings"] else "plain"] += 1
    assert outcomes["warned"] > QUESTIONS / 3
    assert outcomes["plain"] > QUESTIONS / 20


def test_every_kind_has_the_servers_fields(policies: LinePeer) -> None:
    """An expression that reads a field that no kind has, and one that every kind has."""
    question = BuiltInPolicies(1, RELEASE).question()
    for each in question["kinds"]:
        question["policy"]["spec"] = {
            "matchConstraints": {
                "resourceRules": [
                    {
                        "apiGroups": [each["group"]],
                        "apiVersions": [each["version"]],
                        "operations": ["*"],
                        "resources": [each["resource"]],
                    }
                ]
            },
            "validations": [
                {"expression": "object.metadata.creationTimestamp > timestamp('2020-01-01T00:00:00Z')"},
                {"expression": "object.nothing == 1"},
            ],
        }
        theirs = policies.ask(question)
        assert [one["field"] for one in theirs["typeWarnings"]] == ["spec.validations[1].expression"]
        assert differences(theirs, ours(question)) == {}, each["kind"]
