"""Who skipped a phase of an interconnect upgrade, and when: the webhook writes it, and nobody else can."""

import base64
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import jsonpatch
import pytest

from ovnguard.validators.admission import judge
from ovnguard.validators.network.cluster_view import EmptyView
from ovnguard.validators.network.operators import DEFAULT_OPERATORS
from ovnguard.webhook.admission.handlers import DEFAULT_ACTORS, Actors, AdmissionHandlers
from ovnguard.webhook.admission.override_record import with_override_record
from ovnguard.webhook.admission.review import AdmissionRequest, Limits, decode
from tests.support.admission_reviews import body
from tests.support.rollout.rollout_states import EARLY_MULTI, EARLY_SINGLE, FAST, MULTI, SINGLE

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
ADMINISTRATOR = "kube:admin"
OPERATOR = "system:serviceaccount:openshift-network-operator:default"
RECORD = {"ovnguard.io/overridden-by": ADMINISTRATOR, "ovnguard.io/overridden-at": "2026-05-01T12:00:00Z"}
EARLIER = {"ovnguard.io/overridden-by": "alice", "ovnguard.io/overridden-at": "2026-04-30T00:00:00Z"}


def config_map(data: dict[str, str], annotations: Any = None, name: str = "ovn-interconnect-configuration") -> Any:
    metadata = {"name": name, "namespace": "openshift-ovn-kubernetes"}
    if annotations is not None:
        metadata["annotations"] = annotations
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def annotations(new: Any, old: Any = None, user: str = ADMINISTRATOR) -> Any:
    return with_override_record(new, old, user, DEFAULT_OPERATORS, NOW)["metadata"].get("annotations")


@pytest.mark.parametrize(
    ("new", "old", "user", "expected"),
    [
        (config_map(FAST), None, ADMINISTRATOR, RECORD),
        (config_map(FAST), config_map(SINGLE), ADMINISTRATOR, RECORD),
        (config_map(FAST, {"a": "b"}), config_map(MULTI), ADMINISTRATOR, {"a": "b", **RECORD}),
        (config_map(EARLY_MULTI), config_map(EARLY_SINGLE), ADMINISTRATOR, RECORD),
        # the operator's own second phase
        (config_map(EARLY_MULTI), config_map(EARLY_SINGLE), OPERATOR, None),
        # what skips nothing
        (config_map(MULTI), config_map(SINGLE), ADMINISTRATOR, None),
        (config_map(SINGLE), None, ADMINISTRATOR, None),
        # the record of an earlier request stays, also when the request leaves it out
        (config_map({**FAST, "note": "x"}, EARLIER), config_map(FAST, EARLIER), ADMINISTRATOR, EARLIER),
        (config_map({**FAST, "note": "x"}), config_map(FAST, EARLIER), ADMINISTRATOR, EARLIER),
        # forged records
        (config_map(SINGLE, {**EARLIER, "a": "b"}), None, ADMINISTRATOR, {"a": "b"}),
        (config_map(FAST, EARLIER), config_map(SINGLE), ADMINISTRATOR, RECORD),
        (config_map(FAST, {**RECORD, "ovnguard.io/overridden-at": "soon"}), None, ADMINISTRATOR, RECORD),
        (config_map(FAST, {**RECORD, "ovnguard.io/overridden-at": 1}), None, ADMINISTRATOR, RECORD),
    ],
)
def test_record(new: Any, old: Any, user: str, expected: Any) -> None:
    assert annotations(new, old, user) == expected


@pytest.mark.parametrize("changed", [[], "text", None, 1])
def test_annotations_of_another_shape_are_replaced(changed: Any) -> None:
    new = config_map(FAST)
    new["metadata"]["annotations"] = changed
    assert annotations(new) == RECORD


def test_the_second_call_for_the_same_request_changes_nothing() -> None:
    first = with_override_record(config_map(FAST), None, ADMINISTRATOR, DEFAULT_OPERATORS, NOW)
    later = NOW + timedelta(seconds=3)
    assert with_override_record(first, None, ADMINISTRATOR, DEFAULT_OPERATORS, later) is first
    much_later = with_override_record(first, None, ADMINISTRATOR, DEFAULT_OPERATORS, NOW + timedelta(hours=1))
    assert much_later["metadata"]["annotations"]["ovnguard.io/overridden-at"] == "2026-05-01T13:00:00Z"


def mutated(obj: Any, actors: Actors = DEFAULT_ACTORS) -> Any:
    """The response of /mutate to an administrator."""
    kind = {"group": "", "version": "v1", "kind": "ConfigMap"}
    review = decode(body(object=obj, kind=kind, userInfo={"username": ADMINISTRATOR}), Limits())
    assert isinstance(review, AdmissionRequest)
    handlers = AdmissionHandlers(EmptyView(), judge, lambda: True, actors, clock=lambda: NOW)
    return handlers.mutate(review, 60).body["response"]


def test_the_mutating_webhook_writes_the_record_and_leaves_the_verdict_to_validation() -> None:
    for data in (FAST, {**FAST, "temporary": "maybe"}):
        patch = json.loads(base64.b64decode(mutated(config_map(data))["patch"]))
        assert jsonpatch.apply_patch(config_map(data), patch)["metadata"]["annotations"] == RECORD


def test_operators_and_other_objects_are_not_recorded() -> None:
    assert "patch" not in mutated(config_map(FAST), Actors(operators=frozenset({ADMINISTRATOR})))
    assert "patch" not in mutated(config_map(FAST, EARLIER, name="other"))
