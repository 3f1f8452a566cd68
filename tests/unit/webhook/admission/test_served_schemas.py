"""ServedSchemas of the cluster: taken, compared with the bundled ones, exchanged in one step."""

import copy
import json
import logging

import pytest

from ovnguard import crd_schemas
from ovnguard.crd_schemas import gating
from ovnguard.validators.admission import Operation, Request
from ovnguard.validators.bundled.catalog import Catalog
from ovnguard.validators.cluster.trim import definition as trimmed
from ovnguard.validators.network.cluster_view import EmptyView
from ovnguard.webhook.admission.served_judge import ServedJudge
from ovnguard.webhook.admission.served_schemas import ServedSchemas, differences
from tests.support.soak import limit

CUDN = ("k8s.ovn.org", "v1", "ClusterUserDefinedNetwork")
NETWORK = ("operator.openshift.io", "v1", "Network")


def definition(schema_set="released", key=CUDN):
    return trimmed(copy.deepcopy(crd_schemas.crds(schema_set)[key]))


def schema(crd):
    return crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


def network(**spec):
    layer3 = {"role": "Primary", "subnets": [{"cidr": "10.40.0.0/16", "hostSubnet": 24}]}
    whole = {"namespaceSelector": {}, "network": {"topology": "Layer3", "layer3": layer3, **spec}}
    return {"apiVersion": "k8s.ovn.org/v1", "kind": CUDN[2], "metadata": {"name": "blue"}, "spec": whole}


@pytest.fixture
def schemas():
    return ServedSchemas(Catalog())


def test_without_definitions_the_bundled_ones_judge(schemas):
    assert schemas.served(network()) is None
    assert ServedJudge(schemas)(Request(Operation.CREATE, network()), EmptyView()).schema_set == "released"


@pytest.mark.parametrize("schema_set", crd_schemas.SETS)
@limit(180)
def test_bundled_definitions_are_known_whole_and_under_every_feature_set(schemas, schema_set):
    tried: set[str] = set()
    for key, crd in crd_schemas.crds(schema_set).items():
        if key[2] == "InstallConfig":
            continue
        name = crd_schemas.crd_name(*key)
        for features in (gating.Features(), *map(gating.features, gating.feature_sets())):
            served = gating.gated(crd, name, schema_set, features).crd if features else crd
            # most feature sets leave most definitions as they are
            if (text := json.dumps(served)) in tried:
                continue
            tried.add(text)
            schemas.take([served])
            found = schemas.served({"apiVersion": f"{key[0]}/{key[1]}", "kind": key[2]})
            assert found.remarks == {key[1]: ""}, (name, features)


def test_the_served_schema_judges_and_a_strange_one_is_warned_about(schemas):
    served = definition()
    schema(served)["properties"]["spec"]["properties"]["namespaceSelector"]["properties"]["strange"] = {
        "type": "string"
    }
    schemas.take([served])
    answer = ServedJudge(schemas)(Request(Operation.CREATE, network(transport="Geneve")), EmptyView())
    assert answer.schema_set == "given"
    # the released API has no Geneve any more: the cluster's schema is the one that counts
    assert answer.errors[0].field == "spec.network.transport"
    [remark] = [text for text in answer.schema_warnings if "ovnguard" in text]
    assert remark == (
        "ovnguard does not know this cluster's schema of ClusterUserDefinedNetwork: "
        "it differs at spec.namespaceSelector.strange"
    )
    assert len(remark) <= 140


def test_deletion_needs_no_schema(schemas):
    schemas.take([definition()])
    assert ServedJudge(schemas)(Request(Operation.DELETE, None, network()), EmptyView()).allowed


def test_unchanged_definition_is_not_compiled_again(schemas):
    schemas.take([definition(), definition(key=NETWORK)])
    before = schemas.served(network())
    changed = definition(key=NETWORK)
    schema(changed)["properties"]["extra"] = {"type": "string"}
    schemas.take([definition(), changed])
    assert schemas.served(network()) is before


def test_definition_that_goes_away_gives_way_to_the_bundled_one(schemas):
    schemas.take([definition()])
    schemas.take([])
    assert schemas.served(network()) is None


def test_definition_that_cannot_be_compiled_changes_nothing(schemas, caplog):
    caplog.set_level(logging.ERROR, "ovnguard.schemas")
    schemas.take([definition()])
    before = schemas.served(network())
    broken = definition()
    schema(broken)["type"] = "array"
    schemas.take([broken])
    assert schemas.served(network()) is before
    assert "the cluster's definition of ClusterUserDefinedNetwork.k8s.ovn.org cannot be used" in caplog.text


def test_version_that_is_not_served_is_nothing(schemas):
    schemas.take([definition()])
    assert schemas.served({**network(), "apiVersion": "k8s.ovn.org/v2"}) is None


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ({"type": "object"}, {"type": "object"}, []),
        ({"type": "object"}, {"type": "array"}, ["its root"]),
        ({"required": ["a", "b"]}, {"required": ["b", "a"]}, []),
        ({"x-kubernetes-validations": [{"rule": "a\n  b"}]}, {"x-kubernetes-validations": [{"rule": "a b"}]}, []),
        ({"properties": {"a": {"default": 1}}}, {"properties": {"a": {}}}, ["a"]),
        ({"properties": {"a": {"items": {"properties": {"b": {}}}}}}, {"properties": {"a": {"items": {}}}}, ["a[]"]),
        (
            {"properties": {"a": {"properties": {"x": {}, "y": {}}}}},
            {"properties": {"a": {"properties": {"x": {"type": "string"}, "z": {}}}}},
            ["a.x", "a.y", "a.z"],
        ),
        ("text", {"type": "object"}, ["its root"]),
    ],
)
def test_differences(one, other, found):
    assert list(differences(one, other)) == found
