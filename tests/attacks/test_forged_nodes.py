"""A Node that is made to look like a new one, so that OVNG-L2-024 does not concern it: the policy about its id."""

import pytest
import yaml

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.policy import CompiledPolicy, PolicyRequest, UserInfo, compile_policy
from tests.support.paths import ROOT
from tests.support.rule_case_files import cases

ID, VERSION = "k8s.ovn.org/node-id", "k8s.ovn.org/layer2-topology-version"
LEADER = "system:serviceaccount:ovnguard-system:ovnguard-reconciler-cluster"
REFUSAL = (
    "only the leader of ovnguard removes k8s.ovn.org/node-id; a Node that is deleted and made again gets another one"
)
POLICY = ROOT / "webhook/templates/policies/node-id-removed.yaml"
KUBELET, ZONE = "system:node:a", "system:serviceaccount:ovnguard-system:ovnguard-reconciler"


@pytest.fixture(scope="module", params=["1.30", "1.35"])
def policy(request: pytest.FixtureRequest) -> CompiledPolicy:
    documents = yaml.safe_load_all(POLICY.read_text(encoding="utf-8"))
    return compile_policy(next(documents), request.param)


def node(**annotations: str) -> JsonObject:
    found = {f"k8s.ovn.org/{key.replace('_', '-')}": text for key, text in annotations.items()}
    metadata = {"name": "a", **({"annotations": found} if found else {})}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata}


def refusal(policy: CompiledPolicy, before: JsonObject, after: JsonObject, user: str, subresource: str = "") -> str:
    """The first message of the policy, "" where it permits the request."""
    asked = PolicyRequest(
        "UPDATE",
        "",
        "v1",
        "nodes",
        "Node",
        object=after,
        old_object=before,
        name="a",
        subresource=subresource,
        user=UserInfo(user),
    )
    verdict = policy.evaluate(asked)
    return verdict.denials[0].message if verdict.denials else ""


NUMBERED = node(node_id="2", node_subnets="{}")


@pytest.mark.parametrize("subresource", ["", "status"])
@pytest.mark.parametrize("user", [KUBELET, ZONE, "somebody", ""])
@pytest.mark.parametrize(
    "after",
    [node(), node(node_subnets="{}"), node(layer2_topology_version="2.0")],
    ids=["all", "the id", "changed"],
)
def test_nobody_but_the_leader_removes_an_id(policy: CompiledPolicy, after: JsonObject, user: str, subresource: str):
    assert refusal(policy, NUMBERED, after, user, subresource) == REFUSAL
    assert refusal(policy, NUMBERED, after, LEADER, subresource) == ""


@pytest.mark.parametrize(
    ("before", "after"),
    [(node(), node(node_id="2")), (NUMBERED, node(node_id="")), (NUMBERED, NUMBERED), (node(), node())],
)
def test_everything_else_is_somebody_elses_decision(policy: CompiledPolicy, before: JsonObject, after: JsonObject):
    assert refusal(policy, before, after, KUBELET) == ""


def test_an_id_that_is_emptied_does_not_make_the_rule_milder():
    (case,) = [case for case in cases() if case.rule == "OVNG-L2-024" and case.name == "an id that cannot be read"]
    assert case.speaks
