"""Defaults of managed BGP: of the generation that is served, where it lacks them, and no others."""

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ovnguard import crd_schemas
from ovnguard.webhook.admission.managed_bgp_defaults import with_managed_bgp
from ovnguard.webhook.admission.responses import difference
from tests.support.manifests.managed_bgp import DEFAULTS, OVN, managed_schema, network, served


@pytest.mark.parametrize("schema_set", crd_schemas.SETS)
def test_missing_defaults_are_added(schema_set):
    obj = network({})
    before = copy.deepcopy(obj)
    assert with_managed_bgp(obj, None, served(schema_set)) == network(DEFAULTS[schema_set])
    assert obj == before


@pytest.mark.parametrize("schema_set", crd_schemas.SETS)
@pytest.mark.parametrize(
    ("obj", "old"),
    [
        (network(), None),
        (network("text"), None),
        (network({"asNumber": 1, "bgpTopology": "x"}), None),
        (network({}), network({})),
        ({**network({}), "kind": "Other"}, None),
        ({**network({}), "spec": "text"}, None),
        ({**network({}), "apiVersion": "v1"}, None),
    ],
)
def test_nothing_is_added(schema_set, obj, old):
    assert with_managed_bgp(obj, old, served(schema_set)) is obj
    assert with_managed_bgp(obj, old, None) is obj


@pytest.mark.parametrize("schema_set", crd_schemas.SETS)
def test_defaults_of_the_served_schema_are_the_api_servers_business(schema_set):
    obj = network({})
    assert with_managed_bgp(obj, None, served(schema_set, with_defaults=True)) is obj


def test_configuration_that_begins_with_an_update_gets_them():
    old = network(mtu=1400)
    assert with_managed_bgp(network({}, mtu=1400), old, served("released")) == network({"asNumber": 64512}, mtu=1400)


def test_value_that_the_served_schema_does_not_take_is_not_added():
    definition = served("enhancement")
    managed_schema(definition)["bgpTopology"]["enum"] = ["FullMesh"]
    obj = network({})
    assert with_managed_bgp(obj, None, definition) is obj


def test_schema_of_both_generations_or_none_says_nothing():
    definition = served("released")
    node = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    for name in OVN:
        node = node["properties"][name]
    obj = network({})
    node["properties"]["defaultNetworkTransport"] = {"type": "string"}
    assert with_managed_bgp(obj, None, definition) is obj
    del node["properties"]["defaultNetworkTransport"], node["properties"]["transport"]
    assert with_managed_bgp(obj, None, definition) is obj


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["asNumber", "bgpTopology", "spec", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)
SERVED = {name: served(name) for name in crd_schemas.SETS}


@settings(deadline=None)
@given(JSON, JSON | st.just({}), st.sampled_from(crd_schemas.SETS))
def test_again_adds_nothing_and_the_patch_only_adds_defaults(anything, managed, schema_set):
    for obj in (network(managed), {**network(), "spec": anything}):
        once = with_managed_bgp(obj, None, SERVED[schema_set])
        assert with_managed_bgp(once, None, SERVED[schema_set]) is once
        for operation in difference(obj, once):
            name = operation["path"].rpartition("/")[2]
            assert (operation["op"], operation["value"]) == ("add", DEFAULTS[schema_set][name])
