import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovnguard.validators.network.cluster_view import ClusterView, EmptyView, ObjectsView
from ovnguard.validators.network.declared.network_of import network_of
from ovnguard.validators.network.transit.selected_values import Selected, select_values
from tests.support.manifests.network_objects import (
    JsonObject,
    layer2,
    layer3,
    nad,
    node,
    operator,
    rendered,
    stored,
    udn,
)

KEY = "ovnguard.io/transit-subnets"
NOTHING = EmptyView()
FULL = ObjectsView(
    [
        operator(clusterNetwork=[{"cidr": "100.64.0.0/10"}, {"cidr": "172.16.0.0/12"}], serviceNetwork=["10.0.0.0/8"]),
        node("a", 2, host_cidrs='["192.168.3.4/16"]'),
    ]
)
NO_FREE = (
    "can't generate transit subnets: no free /16 in 10.0.0.0/8, 100.64.0.0/10, 172.16.0.0/12, 192.168.0.0/16; in use: "
    'service subnet "10.0.0.0/8", cluster subnet "100.64.0.0/10", cluster subnet "172.16.0.0/12", '
    'host network of node a "192.168.0.0/16"'
)


def recorded(obj: JsonObject) -> str:
    value = obj["metadata"]["annotations"][KEY]
    assert isinstance(value, str)
    return value


@pytest.mark.parametrize(
    ("obj", "expected", "reason", "notes"),
    [
        (layer2("10.41.0.0/16"), "100.88.0.0/16", "DefaultSelected", ()),
        (layer2("fd41::/64", "10.41.0.0/16"), "100.88.0.0/16,fd97::/64", "DefaultSelected", ()),
        (
            layer2("100.88.0.0/15", "fd97::/63"),
            "100.90.0.0/16,fd97:0:0:2::/64",
            "AlternativeSelected",
            (
                "transit subnets 100.90.0.0/16,fd97:0:0:2::/64 selected: 100.88.0.0/16 overlaps "
                'user defined subnet "100.88.0.0/15"',
            ),
        ),
        (
            udn(topology="Layer2", layer2={"role": "Primary", "subnets": ["10.41.0.0/16"]}),
            "100.88.0.0/16",
            "DefaultSelected",
            (),
        ),
    ],
)
def test_what_is_written_on_creation(obj: JsonObject, expected: str, reason: str, notes: tuple[str, ...]) -> None:
    before = copy.deepcopy(obj)
    selected = select_values(obj, None, NOTHING)
    assert obj == before
    assert (selected.notes, selected.reason) == (notes, reason)
    assert recorded(selected.object) == expected
    rest = copy.deepcopy(selected.object)
    del rest["metadata"]["annotations"]
    assert rest == before


def test_other_annotations_stay() -> None:
    obj = layer2("10.41.0.0/16")
    obj["metadata"]["annotations"] = {"a": "b"}
    assert select_values(obj, None, NOTHING).object["metadata"]["annotations"] == {"a": "b", KEY: "100.88.0.0/16"}


@pytest.mark.parametrize(
    "obj",
    [
        layer3("10.40.0.0/16"),
        layer2("10.41.0.0/16", role="Secondary"),
        layer2("10.41.0.0/33"),
        layer2(),
        operator(),
        node("a"),
        nad("{"),
        nad(topology="layer3"),
        {"apiVersion": "k8s.ovn.org/v1", "kind": "ClusterUserDefinedNetwork", "metadata": "x"},
        {**layer2("10.41.0.0/16"), "metadata": {"name": "blue", "annotations": ["x"]}},
    ],
)
def test_objects_that_need_nothing_are_returned_as_they_are(obj: JsonObject) -> None:
    selected = select_values(obj, None, NOTHING)
    assert selected == Selected(obj)
    assert selected.object is obj


def test_nothing_is_selected_for_an_attachment_that_a_network_rendered() -> None:
    blue = stored(layer2("10.41.0.0/16", transit="100.88.0.0/16"))
    obj = rendered(blue)
    assert select_values(obj, None, ObjectsView([blue])) == Selected(obj)
    assert select_values(obj, None, ObjectsView([stored(blue, "another")])).reason == "DefaultSelected"


def test_nothing_is_selected_for_an_object_that_goes_away() -> None:
    obj = layer2("10.41.0.0/16")
    going = {**obj, "metadata": {"name": "blue", "deletionTimestamp": "2026-01-02T03:04:05Z"}}
    assert select_values(going, going, NOTHING) == Selected(going)
    # what a request says of its own deletion is no proof
    assert select_values(going, obj, NOTHING).object is not going


@pytest.mark.parametrize("transit", ["100.93.0.0/16", "10.41.0.0/24", "8.8.8.0/24", "fd97::/64"])
def test_what_the_object_brings_is_left_for_the_rules(transit: str) -> None:
    obj = layer2("10.41.0.0/16", transit=transit)
    assert select_values(obj, None, NOTHING) == Selected(obj, reason="Kept")
    assert select_values(obj, layer2("10.41.0.0/16", transit="100.99.0.0/16"), NOTHING).object is obj


def test_where_nothing_is_free_nothing_is_selected() -> None:
    obj = layer2("203.203.0.0/16")
    assert select_values(obj, None, FULL) == Selected(obj, reason="NoFreeTransitSubnet")


def _update(old: str, new: str, view: ClusterView = NOTHING) -> Selected:
    return select_values(layer2("203.203.0.0/16", transit=new), layer2("203.203.0.0/16", transit=old), view)


def test_an_earlier_choice_stays() -> None:
    selected = _update("100.93.0.0/16", "100.93.0.0/16")
    assert recorded(selected.object) == "100.93.0.0/16"
    assert (selected.notes, selected.reason) == ((), "Kept")


def test_a_choice_that_vanished_is_restored() -> None:
    selected = _update("100.93.0.0/16", "")
    assert recorded(selected.object) == "100.93.0.0/16"
    assert selected.notes == ("transit subnets 100.93.0.0/16 restored: they were selected before and are still valid",)
    assert selected.reason == "Kept"


@pytest.mark.parametrize("new", ["100.93.0.0/16", ""])
def test_a_choice_that_is_no_longer_valid_is_replaced(new: str) -> None:
    view = ObjectsView([operator(clusterNetwork=[{"cidr": "100.93.0.0/16"}])])
    selected = _update("100.93.0.0/16", new, view)
    assert recorded(selected.object) == "100.88.0.0/16"
    assert selected.notes == (
        "transit subnets 100.88.0.0/16 selected in place of 100.93.0.0/16, which are not valid: pod or join subnet "
        'overlaps with already configured internal subnets: transit switch subnet "100.93.0.0/16" overlaps '
        'cluster subnet "100.93.0.0/16"',
    )
    assert selected.reason == "DefaultSelected"


@pytest.mark.parametrize("new", ["100.93.0.0/16", ""])
def test_a_network_that_exists_can_be_changed_even_when_nothing_is_free(new: str) -> None:
    selected = _update("100.93.0.0/16", new, FULL)
    assert recorded(selected.object) == "100.93.0.0/16"
    assert selected.notes == (f"transit subnets 100.93.0.0/16 kept although they are no longer valid: {NO_FREE}",)


def test_a_network_from_before_gets_its_choice_with_the_next_update() -> None:
    obj = layer2("203.203.0.0/16")
    assert recorded(select_values(obj, copy.deepcopy(obj), NOTHING).object) == "100.88.0.0/16"


def test_an_attachment_gets_a_key_in_its_configuration() -> None:
    selected = select_values(nad(subnets="100.88.0.0/16"), None, NOTHING)
    assert selected.object["spec"]["config"] == (
        '{"cniVersion":"1.1.0","name":"red_blue","netAttachDefName":"red/blue","role":"primary",'
        '"subnets":"100.88.0.0/16","topology":"layer2","transitSubnet":"100.89.0.0/16","type":"ovn-k8s-cni-overlay"}'
    )
    assert "annotations" not in selected.object["metadata"]
    again = select_values(selected.object, None, NOTHING)
    assert again.object is selected.object


def test_a_key_in_another_case_is_the_same_key() -> None:
    given = nad(TransitSubnet="100.93.0.0/16")
    assert select_values(given, None, NOTHING).object is given
    empty = select_values(nad(TransitSubnet=""), None, NOTHING).object["spec"]["config"]
    assert json.loads(empty) == {**json.loads(nad()["spec"]["config"]), "transitSubnet": "100.88.0.0/16"}


def test_a_configuration_with_two_keys_of_one_field_stays_for_the_judge_to_refuse() -> None:
    obj = nad(nad()["spec"]["config"].replace("{", '{"SUBNETS":"10.42.0.0/16",', 1))
    assert select_values(obj, None, NOTHING).object is obj


def test_a_plugin_list_gets_the_key_inside() -> None:
    plugin = json.loads(nad()["spec"]["config"])
    selected = select_values(nad(json.dumps({"plugins": [plugin], "name": "red_blue"})), None, NOTHING)
    assert json.loads(selected.object["spec"]["config"]) == {
        "name": "red_blue",
        "plugins": [{**plugin, "transitSubnet": "100.88.0.0/16"}],
    }


_SUBNETS = st.sampled_from(["10.41.0.0/16", "100.88.0.0/15", "100.64.0.0/10", "203.203.0.0/16"])
_TRANSIT = st.sampled_from(["", "100.88.0.0/16", "100.93.0.0/16", "10.41.0.0/24", "x"])
_VIEWS = st.sampled_from([NOTHING, FULL, ObjectsView([operator(serviceNetwork=["100.88.0.0/14"]), node("a", 7)])])


@given(_SUBNETS, _TRANSIT, _TRANSIT, st.booleans(), _VIEWS)
def test_selecting_again_changes_nothing(subnet: str, new: str, old: str, update: bool, view: ClusterView) -> None:
    before = layer2(subnet, transit=old) if update else None
    selected = select_values(layer2(subnet, transit=new), before, view)
    assert select_values(selected.object, before, view).object is selected.object
    assert select_values(selected.object, None, view).object is selected.object
    if selected.reason != "NoFreeTransitSubnet" and new != "x":
        network = network_of(selected.object).network
        assert network is not None
        assert network.transit_subnets


def test_a_choice_that_is_known_from_elsewhere_is_kept_while_it_is_valid() -> None:
    earlier = network_of(layer2("10.41.0.0/16", transit="100.95.0.0/16")).network
    assert earlier is not None
    kept = select_values(layer2("10.41.0.0/16"), None, NOTHING, earlier.transit_subnets)
    assert (recorded(kept.object), kept.reason) == ("100.95.0.0/16", "Kept")
    replaced = select_values(layer2("100.95.0.0/16"), None, NOTHING, earlier.transit_subnets)
    assert (recorded(replaced.object), replaced.reason) == ("100.88.0.0/16", "DefaultSelected")
