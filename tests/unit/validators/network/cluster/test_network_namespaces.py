"""Which namespaces networks reach; the indexed answer is the one of reading every selector against every namespace."""

from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster.network_namespaces import (
    NAME_LABEL,
    PRIMARY_LABEL,
    Namespaces,
    attachments,
    namespace_of,
    namespaced_networks,
    namespaces,
    primaries,
    reaches,
)
from ovnguard.validators.network.cluster_view import EmptyView, ObjectsView
from ovnguard.validators.network.selectors import matches
from tests.support.manifests.network_objects import JsonObject, layer2, nad, rendered, stored, udn

PRIMARY: JsonObject = {"role": "Primary", "subnets": ["10.45.0.0/16"]}
KEYS, VALUES = st.sampled_from(["a", "b", NAME_LABEL]), st.sampled_from(["", "x", "y", "n0"])
EXPRESSION = st.fixed_dictionaries(
    {"key": KEYS, "operator": st.sampled_from(["In", "NotIn", "Exists", "DoesNotExist", "Equals"])},
    optional={"values": st.lists(VALUES, max_size=3)},
)
SELECTORS = st.fixed_dictionaries(
    {},
    optional={
        "matchLabels": st.dictionaries(KEYS, VALUES, max_size=2),
        "matchExpressions": st.lists(EXPRESSION, max_size=3),
    },
)


def namespace(name: str, **labels: str) -> JsonObject:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def cudn_of(name: str, **selector: Any) -> JsonObject:
    obj = layer2("10.41.0.0/16")
    return {**obj, "metadata": {"name": name}, "spec": {**obj["spec"], "namespaceSelector": selector}}


@given(SELECTORS, st.lists(st.dictionaries(st.sampled_from(["a", "b"]), VALUES), max_size=5))
def test_selection_is_that_of_label_selectors(selector: JsonObject, labels: list[Mapping[str, str]]) -> None:
    objects = [namespace(f"n{index}", **each) for index, each in enumerate(labels)]
    found = Namespaces(objects)
    expected = [obj["metadata"]["name"] for obj in objects if matches(selector, namespace_of(obj).labels)]
    assert [each.name for each in found.selected_by(selector)] == expected
    assert found.selected_by(selector) is found.selected_by(dict(selector))
    assert sorted(found.names(selector, {"n0"})) == [name for name in expected if name != "n0"]


def test_invalid_selectors_select_nothing() -> None:
    found = Namespaces([namespace("a")])
    wrong: list[Any] = [None, "a", [], {"matchLabels": 3}, {"matchExpressions": [3]}, {"matchExpressions": [{}]}]
    for selector in wrong:
        assert found.selected_by(selector) == ()


def test_namespaces_that_go_away_are_not_selected() -> None:
    late = namespace("late")
    late["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert [each.name for each in Namespaces([namespace("a"), late, namespace("")]).selected_by({})] == ["a"]


def test_labels_of_a_namespace() -> None:
    found = namespace_of(namespace("a", **{PRIMARY_LABEL: ""}))
    assert (found.name, found.labels[NAME_LABEL], found.has_primary_label) == ("a", "a", True)
    assert not namespace_of({"metadata": {"name": "a", "labels": {PRIMARY_LABEL: 3}}}).has_primary_label


def test_primary_networks_of_namespaces() -> None:
    view = ObjectsView(
        [
            namespace("red", team="x"),
            namespace("sky", team="x"),
            cudn_of("first", matchLabels={"team": "x"}),
            cudn_of("second", matchLabels={"team": "x"}),
            cudn_of("third"),
            udn(topology="Layer2", layer2=PRIMARY),
            udn(topology="Layer2", layer2={**PRIMARY, "role": "Secondary"}),
        ]
    )
    found = primaries(inventory_of(view))
    assert {name: [each.source.name for each in networks] for name, networks in found.items()} == {
        "red": ["blue", "first"],
        "sky": ["first", "second"],
    }


def test_an_attachment_without_its_network_is_a_network_of_its_own() -> None:
    own = stored(udn(topology="Layer2", layer2={**PRIMARY, "role": "Secondary"}))
    alone = ObjectsView([rendered(own)])
    assert [each.name for each in primaries(inventory_of(alone))["red"]] == ["red_blue"]
    known = ObjectsView([rendered(own), own])
    assert primaries(inventory_of(known)) == {}


def test_where_the_network_of_an_attachment_is() -> None:
    blue = stored(layer2("10.41.0.0/16"))
    blue["spec"]["namespaceSelector"] = {"matchLabels": {"team": "x"}}
    spaces = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}
        for name, labels in (("red", {"team": "x"}), ("sky", {}))
    ]
    own, known, unknown = stored(udn()), ObjectsView([blue, *spaces]), ObjectsView([blue])
    assert reaches(inventory_of(known), rendered(blue, "red"))
    assert not reaches(inventory_of(known), rendered(blue, "sky"))
    assert not reaches(inventory_of(known), rendered(blue, "far"))
    assert reaches(inventory_of(unknown), rendered(blue, "sky"))
    assert reaches(inventory_of(known), rendered(own, "sky"))


def test_nothing_is_known_of_an_empty_view() -> None:
    view = EmptyView()
    assert primaries(inventory_of(view)) == {}
    assert namespaces(inventory_of(view)).selected_by({}) == ()
    assert attachments(inventory_of(view)) == namespaced_networks(inventory_of(view)) == {}


def test_attachments_and_networks_by_name() -> None:
    own = udn(topology="Layer2", layer2=PRIMARY)
    view = ObjectsView([nad(), own])
    assert attachments(inventory_of(view)) == {"blue": {"red": nad()}}
    assert namespaced_networks(inventory_of(view)) == {"blue": {"red": own}}
