"""The policy about the leader's attachments permits every one that OVN-Kubernetes' own cluster manager rendered."""

import json
from pathlib import Path

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.policy import compile_policy
from tests.attacks.forged_attachments import POLICY, UNCONTROLLED, changed, request_of
from tests.support.manifests.deploy_manifests import load


def attachments(shared: Path) -> list[JsonObject]:
    """All that were recorded, each once."""
    files = sorted((shared / "conformance" / "ovnkube-rows").glob("*.json"))
    inputs = [obj for file in files for obj in json.loads(file.read_text(encoding="utf-8"))["inputs"]]
    found = {obj["metadata"]["uid"]: obj for obj in inputs if obj["kind"] == "NetworkAttachmentDefinition"}
    return list(found.values())


def test_what_ovn_kubernetes_renders_is_permitted(shared: Path) -> None:
    policy = compile_policy(load(POLICY)[0])
    rendered: list[JsonObject] = []
    others: list[JsonObject] = []
    for obj in attachments(shared):
        (rendered if obj["metadata"].get("ownerReferences") else others).append(obj)
    assert len(rendered) > 50
    for obj in rendered:
        earlier = {**obj, "spec": {"config": "{}"}}
        released = changed(obj, finalizers=[])
        for before, after in ((None, obj), (earlier, obj), (obj, released), (obj, None)):
            verdict = policy.evaluate(request_of(before, after))
            assert verdict.denials == (), (obj["metadata"]["name"], verdict.denials)
    for obj in others:
        (denial,) = policy.evaluate(request_of(obj, None)).denials
        assert denial.message.startswith(UNCONTROLLED)
