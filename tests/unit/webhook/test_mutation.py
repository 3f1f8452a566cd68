"""What /mutate writes: little, the same for everybody, and nothing when it is asked again."""

import base64
import copy
import json
from typing import Any

import jsonpatch
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ovnguard import crd_schemas
from ovnguard.validators.bundled.catalog import Catalog
from ovnguard.validators.network.cluster_view import ObjectsView
from ovnguard.validators.network.model import TRANSIT_ANNOTATION
from ovnguard.webhook.admission.handlers import AdmissionHandlers
from ovnguard.webhook.admission.review import AdmissionRequest, Limits, decode
from ovnguard.webhook.admission.served_judge import ServedJudge
from ovnguard.webhook.admission.served_schemas import ServedSchemas
from tests.support.admission_reviews import body
from tests.support.manifests.managed_bgp import DEFAULTS, network, served
from tests.support.soak import examples

JUDGING = ServedJudge(ServedSchemas(Catalog()))
NODES = [
    {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": f"n{number}",
            "annotations": {
                "k8s.ovn.org/node-id": str(number),
                "k8s.ovn.org/host-cidrs": json.dumps([f"100.9{number}.0.7/16"]),
            },
        },
    }
    for number in (1, 2, 3)
]
HANDLERS = AdmissionHandlers(ObjectsView(NODES), JUDGING, lambda: True)


def mutated(
    handlers: AdmissionHandlers, obj: dict[str, Any], **changes: Any
) -> tuple[dict[str, Any], list[dict[str, Any]], str]:
    """The object after /mutate, the patch, and the decision."""
    group, _, version = obj["apiVersion"].rpartition("/")
    kind = {"group": group, "version": version, "kind": obj["kind"]}
    before = copy.deepcopy(obj)
    review = decode(body(object=obj, kind=kind, **changes), Limits())
    assert isinstance(review, AdmissionRequest)
    answer = handlers.mutate(review, 60)
    response = answer.body["response"]
    patch = json.loads(base64.b64decode(response["patch"])) if "patch" in response else []
    assert obj == before
    return jsonpatch.apply_patch(obj, patch), patch, answer.verdict


PREFIXES = st.sampled_from(["100.88.0.0/15", "10.20.0.0/16", "100.64.0.0/10", "192.168.0.0/16", "100.88.0.0/16"])
SIX = st.sampled_from(["fd97::/64", "fd20::/60", "2001:db8::/64"])
ANNOTATIONS = st.none() | st.dictionaries(
    st.sampled_from(["a", TRANSIT_ANNOTATION]), st.sampled_from(["", "100.90.0.0/16", "x", "100.88.0.0/16"]), max_size=2
)


@st.composite
def networks(draw):
    subnets = draw(st.lists(PREFIXES, min_size=1, max_size=1)) + draw(st.lists(SIX, max_size=1))
    layer2 = {"role": draw(st.sampled_from(["Primary", "Secondary"])), "subnets": subnets}
    metadata: dict[str, Any] = {"name": "blue"}
    annotations = draw(ANNOTATIONS)
    if annotations is not None:
        metadata["annotations"] = annotations
    spec = {"namespaceSelector": {"matchLabels": {"a": "b"}}, "network": {"topology": "Layer2", "layer2": layer2}}
    return {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "ClusterUserDefinedNetwork",
        "metadata": metadata,
        "spec": spec,
    }


@settings(max_examples=examples(20))
@given(networks())
def test_again_changes_nothing_and_a_dry_run_is_the_same(obj):
    once, patch, verdict = mutated(HANDLERS, obj)
    assert mutated(HANDLERS, obj, dryRun=True) == (once, patch, verdict)
    assert (verdict == "patched") == bool(patch)
    if verdict == "denied":
        assert patch == []
        return
    assert mutated(HANDLERS, once)[1] == []
    # nothing but the one annotation, and nothing pruned or defaulted
    stripped = copy.deepcopy(once)
    stripped["metadata"].setdefault("annotations", {}).pop(TRANSIT_ANNOTATION, None)
    wanted = copy.deepcopy(obj)
    wanted["metadata"].setdefault("annotations", {}).pop(TRANSIT_ANNOTATION, None)
    assert stripped == wanted


@settings(max_examples=examples(15))
@given(networks(), ANNOTATIONS)
def test_whatever_an_update_does_to_the_choice_a_second_call_agrees(obj, annotations):
    stored, _, verdict = mutated(HANDLERS, obj)
    if verdict == "denied":
        return
    update = copy.deepcopy(stored)
    update["metadata"]["annotations"] = annotations or {}
    once, _, verdict = mutated(HANDLERS, update, operation="UPDATE", oldObject=stored)
    if verdict != "denied":
        assert mutated(HANDLERS, once, operation="UPDATE", oldObject=stored)[1] == []


@pytest.mark.parametrize("schema_set", crd_schemas.SETS)
def test_defaults_that_the_cluster_lacks_are_in_the_patch(schema_set):
    schemas = ServedSchemas(Catalog())
    schemas.take([served(schema_set)])
    handlers = AdmissionHandlers(ObjectsView([]), ServedJudge(schemas), lambda: True)
    spelling = {"released": {"bgpTopology": "FullMesh"}, "enhancement": {"asNumber": 64512}}[schema_set]
    obj = network(spelling)
    obj["spec"] |= {
        "clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}],
        "serviceNetwork": ["172.30.0.0/16"],
    }
    once, patch, verdict = mutated(handlers, obj)
    [(name, value)] = DEFAULTS[schema_set].items()
    path = f"/spec/defaultNetwork/ovnKubernetesConfig/bgpManagedConfig/{name}"
    assert (verdict, patch) == ("patched", [{"op": "add", "path": path, "value": value}])
    assert mutated(handlers, once)[1] == []


@settings(max_examples=examples(20))
@given(
    st.sampled_from(["metadata", "spec", "status"]),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=4),
        lambda inner: (
            st.lists(inner, max_size=2)
            | st.dictionaries(st.sampled_from(["network", "layer2", "annotations", "name"]), inner, max_size=3)
        ),
        max_leaves=6,
    ),
)
def test_any_json_is_answered(member, value):
    obj = {"apiVersion": "k8s.ovn.org/v1", "kind": "ClusterUserDefinedNetwork", "metadata": {"name": "x"}}
    review = decode(body(object={**obj, member: value}), Limits())
    assert isinstance(review, AdmissionRequest)
    for handler in (HANDLERS.mutate, HANDLERS.validate):
        answer = handler(review, 60)
        assert (answer.status, answer.body["response"]["uid"]) == (200, review.uid)
