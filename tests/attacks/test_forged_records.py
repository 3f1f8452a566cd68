"""The policy about records of pods, as ovnguard's own evaluator judges it."""

import pytest

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.policy import CompiledPolicy, PolicyRequest, UserInfo, compile_policy
from tests.attacks.forged_records import (
    CHANGES,
    ENTRY,
    LEADER,
    MINE,
    NOTHING_ELSE,
    OTHER,
    PLACE,
    POLICY,
    ZONE,
    elsewhere,
    merged,
    pod,
    with_entry,
)
from tests.support.manifests.deploy_manifests import load

NODE = "authentication.kubernetes.io/node-name"


@pytest.fixture(scope="module", params=["1.30", "1.35"])
def policy(request: pytest.FixtureRequest) -> CompiledPolicy:
    (document,) = (each for each in load(POLICY) if each["kind"] == "ValidatingAdmissionPolicy")
    return compile_policy(document, request.param)


def refusal(
    policy: CompiledPolicy,
    before: JsonObject | None,
    after: JsonObject | None,
    account: str = ZONE,
    node: str = MINE,
    subresource: str = "status",
) -> str:
    """The first message of the policy, "" where it permits the request."""
    operation = "CREATE" if before is None else "DELETE" if after is None else "UPDATE"
    name = (before or after or {})["metadata"]["name"]
    user = UserInfo(f"system:serviceaccount:ovnguard-system:{account}", extra={NODE: (node,)} if node else {})
    place = ("", "v1", "pods", "Pod", after, before, name, PLACE, subresource)
    verdict = policy.evaluate(PolicyRequest(operation, *place, user=user))
    return verdict.denials[0].message if verdict.denials else ""


def test_the_zone_writes_records_of_its_own_pods(policy: CompiledPolicy) -> None:
    mine, other = pod("mine", MINE), pod("other", OTHER)
    assert refusal(policy, mine, merged(mine, ENTRY)) == ""
    assert refusal(policy, other, merged(other, ENTRY)) == elsewhere(MINE, "other")
    assert refusal(policy, mine, merged(mine, ENTRY), node="") == elsewhere("", "mine")
    unbound = merged(mine, {"spec": {"nodeName": None}})
    assert refusal(policy, unbound, merged(unbound, ENTRY), node="") == elsewhere("", "mine")


def test_the_leader_writes_records_of_all_pods(policy: CompiledPolicy) -> None:
    for obj in (pod("mine", MINE), pod("other", OTHER)):
        assert refusal(policy, obj, merged(obj, ENTRY), LEADER, "") == ""


@pytest.mark.parametrize("account", [ZONE, LEADER])
@pytest.mark.parametrize(
    "change", [*CHANGES, {"spec": {"nodeName": OTHER}}, {"metadata": {"ownerReferences": [{"uid": "a"}]}}], ids=str
)
def test_nothing_else_of_a_pod_changes(policy: CompiledPolicy, account: str, change: JsonObject) -> None:
    mine = pod("mine", MINE)
    for subresource in ("status", ""):
        found = refusal(policy, mine, merged(mine, with_entry(change)), account, subresource=subresource)
        assert found == NOTHING_ELSE


@pytest.mark.parametrize("account", [ZONE, LEADER])
def test_no_pod_is_made_or_deleted(policy: CompiledPolicy, account: str) -> None:
    mine = pod("mine", MINE)
    assert refusal(policy, mine, None, account, subresource="") == NOTHING_ELSE
    made = refusal(policy, None, mine, account, subresource="")
    assert made == (NOTHING_ELSE if account == LEADER else elsewhere(MINE, "mine"))


def test_other_users_are_not_asked(policy: CompiledPolicy) -> None:
    mine = pod("mine", MINE)
    assert refusal(policy, mine, None, "somebody", "") == ""
