"""The policy about the leader's attachments, as ovnguard's own evaluator judges it."""

from collections.abc import Mapping

import pytest

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.policy import CompiledPolicy, compile_policy
from tests.attacks.forged_attachments import LEADER, POLICY, SOMEBODY, Write, attacks, permitted, request_of
from tests.support.manifests.deploy_manifests import load

PARTS = ("labels", "annotations")


@pytest.fixture(scope="module", params=["1.30", "1.35"])
def policy(request: pytest.FixtureRequest) -> CompiledPolicy:
    return compile_policy(load(POLICY)[0], request.param)


def entry(manager: str, parts: Mapping[str, Mapping[str, str]]) -> JsonObject:
    fields: JsonObject = {f"f:{part}": {f"f:{key}": {} for key in parts.get(part, ())} for part in PARTS}
    return {"manager": manager, "fieldsV1": {"f:metadata": fields}}


def stored(write: Write) -> JsonObject | None:
    """``before`` with what somebody added, and what the API server records of both."""
    if write.before is None:
        return None
    metadata = write.before["metadata"]
    merged = {part: {**metadata.get(part, {}), **write.added.get(part, {})} for part in PARTS}
    entries = [entry(write.maker, metadata), entry(SOMEBODY, write.added)]
    present = {key: value for key, value in merged.items() if value}
    return {**write.before, "metadata": {**metadata, **present, "managedFields": entries}}


def sent(write: Write, before: JsonObject | None) -> JsonObject | None:
    """``after`` as the API server shows it to policies: who loses a value no longer has its field."""
    if write.after is None or "managedFields" in write.after["metadata"]:
        return write.after
    metadata, earlier = write.after["metadata"], {} if before is None else before["metadata"]
    entries = []
    for each in earlier.get("managedFields", ()):
        owned = {part: [key[2:] for key in each["fieldsV1"]["f:metadata"][f"f:{part}"]] for part in PARTS}
        left = {
            part: {key: "" for key in keys if earlier[part][key] == metadata.get(part, {}).get(key)}
            for part, keys in owned.items()
        }
        entries.append(entry(each["manager"], left))
    return {**write.after, "metadata": {**metadata, "managedFields": [*entries, entry(write.writer, {})]}}


def refusal(policy: CompiledPolicy, write: Write, username: str = LEADER) -> str:
    """The first message of the policy, "" where it permits the request."""
    before = stored(write)
    verdict = policy.evaluate(request_of(before, sent(write, before), username))
    return verdict.denials[0].message if verdict.denials else ""


@pytest.mark.parametrize("write", [*permitted()], ids=lambda write: write.what)
def test_what_the_leader_renders_and_records_is_permitted(policy: CompiledPolicy, write: Write) -> None:
    assert refusal(policy, write) == ""


@pytest.mark.parametrize("write", [*attacks()], ids=lambda write: write.what)
def test_whatever_else_its_account_writes_is_refused(policy: CompiledPolicy, write: Write) -> None:
    assert refusal(policy, write) == write.refusal
    assert refusal(policy, write, "system:serviceaccount:ovnguard-system:ovnguard-reconciler") == ""
