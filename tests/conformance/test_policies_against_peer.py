"""Random ValidatingAdmissionPolicies and requests: ovnguard answers as the API server's code does."""

from collections import Counter
from collections.abc import Iterator

import pytest

from tests.support.differential.line_peer import LinePeer, line_peer
from tests.support.differential.policies import PolicyQuestions
from tests.support.differential.policy_compare import differences, ours
from tests.support.differential.rights_policies import RightsQuestions
from tests.support.soak import sized
from tests.testbed.fixtures import need, parts
from tests.testbed.parts import Parts

__all__ = ["parts"]

QUESTIONS = sized(600, 50_000)


@pytest.fixture(scope="module")
def policies(parts: Parts) -> Iterator[LinePeer]:
    need(parts, "policy-verdict")
    with line_peer(parts["policy-verdict"]) as running:
        yield running


def test_answers_of_random_policies(policies: LinePeer) -> None:
    """Decisions, status, warnings, audit annotations, costs, and errors of expressions that do not compile."""
    made, outcomes = PolicyQuestions(seed=2026), Counter[str]()
    for number in range(QUESTIONS):
        question = made.question()
        theirs = policies.ask(question)
        assert differences(theirs, ours(question)) == {}, f"question {number}"
        outcomes["refused" if theirs["compileErrors"] else "allowed" if theirs["allowed"] else "denied"] += 1
    assert set(outcomes) == {"refused", "allowed", "denied"}


def test_answers_about_random_rights(policies: LinePeer) -> None:
    """What ``authorizer`` says, by the server's code for role-based access control."""
    made, outcomes = RightsQuestions(seed=2026), Counter[str]()
    for number in range(QUESTIONS):
        question = made.question()
        theirs = policies.ask(question)
        assert theirs["compileErrors"] == []
        assert differences(theirs, ours(question)) == {}, f"question {number}"
        outcomes["allowed" if theirs["allowed"] else "denied"] += 1
    assert min(outcomes["allowed"], outcomes["denied"]) > QUESTIONS / 5


def test_a_difference_is_seen(policies: LinePeer) -> None:
    """The proof that the comparison can fail."""
    question = PolicyQuestions(seed=1).question()
    question["policy"]["spec"] = {
        "matchConstraints": {
            "resourceRules": [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*/*"]}]
        },
        "validations": [{"expression": "false", "message": "no"}],
    }
    question["bindings"] = question["bindings"][:1]
    question["bindings"][0]["spec"] = {"policyName": "policy.example.com", "validationActions": ["Warn"]}
    theirs = policies.ask(question)
    text = "Validation failed for ValidatingAdmissionPolicy 'policy.example.com' with binding 'b0': no"
    assert theirs["warnings"] == [text]
    question["policy"]["spec"]["validations"][0]["message"] = "never"
    assert differences(theirs, ours(question)) == {"warnings": ([text], [text.replace(": no", ": never")])}
