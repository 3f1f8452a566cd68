"""What rules about BGP read of objects that nobody has validated."""

from typing import Any

import pytest

from ovnguard.validators.network.cluster.cluster_facts import host_mtu, known_operator, operator_facts
from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster.no_overlay import declared, options_path, serving, transport_path
from ovnguard.validators.network.cluster.route_advertisements import route_advertisement, vrf_of
from ovnguard.validators.network.cluster.user_networks import meeting_in, selected_names, user_networks
from ovnguard.validators.network.cluster_view import ObjectsView
from ovnguard.validators.network.frr.advertised_nodes import named
from ovnguard.validators.network.selectors import is_valid, matches
from tests.support.manifests.network_objects import JsonObject, advertisement, layer3, operator


@pytest.mark.parametrize(
    ("data", "expected"),
    [({"mtu": "1500"}, 1500), ({"mtu": "0"}, None), ({"mtu": "many"}, None), ({"mtu": 1500}, None), (None, None)],
)
def test_the_hosts_mtu_is_what_the_prober_found(data: Any, expected: int | None) -> None:
    found = {"metadata": {"namespace": "openshift-network-operator", "name": "mtu"}, "data": data}
    view = ObjectsView([{"apiVersion": "v1", "kind": "ConfigMap", **found}])
    assert host_mtu(inventory_of(view)) == expected


@pytest.mark.parametrize(
    ("ipsec", "full"),
    [({"mode": "Full"}, True), ({}, True), ({"mode": "Disabled"}, False), ({"mode": "External"}, False), (None, False)],
)
def test_an_ipsec_object_without_mode_means_full(ipsec: Any, full: bool) -> None:
    assert operator_facts(operator({"ipsecConfig": ipsec})).ipsec_full is full


def test_operators_that_disagree_are_not_known() -> None:
    same, other = operator({}), operator({"routeAdvertisements": "Enabled"})
    agreed, torn = ObjectsView([same, dict(same)]), ObjectsView([same, other])
    assert known_operator(inventory_of(agreed)) == operator_facts(same)
    assert known_operator(inventory_of(torn)) is None


def test_route_advertisements_as_values() -> None:
    found = route_advertisement(
        {
            "metadata": {"name": "ra"},
            "spec": {
                "targetVRF": "auto",
                "advertisements": ["PodNetwork", "EgressIP"],
                "networkSelectors": [{"networkSelectionType": "DefaultNetwork"}],
            },
            "status": {"conditions": [{"type": "Other", "status": "True"}, {"type": "Accepted", "status": "False"}]},
        }
    )
    assert (found.name, found.target_vrf, found.selects_default) == ("ra", "auto", True)
    assert (found.pod_network, found.egress_ip, found.accepted) == (True, True, False)
    assert not found.selects({})
    # an empty selector of networks selects them all, a missing one of FRRConfigurations is not told from an empty one
    assert route_advertisement(advertisement({})).selects({})
    assert route_advertisement({}).accepted is None
    # what is no selector selects nothing
    broken = route_advertisement(advertisement({}, nodeSelector="all"))
    assert not matches(broken.node_selector, {})
    assert matches(route_advertisement({}).node_selector, {})


def test_a_vrf_has_the_name_of_its_network_where_an_interface_can() -> None:
    assert vrf_of(_named("fifteen-letters")) == "fifteen-letters"
    assert vrf_of(_named("sixteen-letters-")) is None


def _named(name: str, *subnets: str, **labels: str) -> JsonObject:
    obj = layer3(*subnets or ("10.40.0.0/16",))
    obj["metadata"] = {"name": name, "labels": labels}
    return obj


def test_networks_meet_in_the_vrf_that_something_advertises_them_in() -> None:
    into = {**advertisement({"a": "1"}, targetVRF="edge"), "metadata": {"name": "into"}}
    own = {**advertisement({}, targetVRF="auto"), "metadata": {"name": "own"}}
    egress = {**advertisement({}, advertisements=["EgressIP"]), "metadata": {"name": "egress"}}
    blue, edge, red = _named("blue", a="1"), _named("edge", "10.50.0.0/16"), _named("red", "10.60.0.0/16")
    inventory = inventory_of(view := ObjectsView([into, own, egress, blue, edge, red]))
    whole = user_networks(inventory)[0].network.subnets[0].cidr.supernet(new_prefix=8)
    assert [name for _, name in meeting_in(inventory, "edge").overlapping(whole)] == ["blue", "edge"]
    assert list(meeting_in(inventory, "").overlapping(whole)) == []
    assert list(meeting_in(inventory, "nobody's").overlapping(whole)) == []
    assert selected_names(inventory)["into"] == {"blue"}
    assert selected_names(inventory)["own"] == {"blue", "edge", "red"}
    assert view.objects is not None


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ({}, True),
        ({"matchLabels": {"a.b/c": "", "d": "E_1"}}, True),
        ({"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}, True),
        ({"matchExpressions": [{"key": "a", "operator": "Exists"}]}, True),
        (None, False),
        ({"matchLabels": []}, False),
        ({"matchLabels": {"a b": "c"}}, False),
        ({"matchLabels": {"A.b/c": "d"}}, False),
        ({"matchLabels": {"a": "-"}}, False),
        ({"matchLabels": {"a": 1}}, False),
        ({"matchLabels": {"a" * 64: "b"}}, False),
        ({"matchLabels": {"a": "b" * 64}}, False),
        ({"matchExpressions": [{"key": "a", "operator": "In"}]}, False),
        ({"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]}, False),
        ({"matchExpressions": [{"key": "a", "operator": "Near"}]}, False),
        ({"matchExpressions": [{"key": 1, "operator": "Exists"}]}, False),
        ({"matchExpressions": [{"key": "a", "operator": ["In"], "values": ["b"]}]}, False),
        ({"matchExpressions": [{"key": "a", "operator": "In", "values": "b"}]}, False),
        ({"matchExpressions": {}}, False),
        ({"matchExpressions": None, "matchLabels": None}, True),
        ({"matchExpressions": "x"}, False),
    ],
)
def test_selectors_that_a_controller_can_read(selector: Any, expected: bool) -> None:
    assert is_valid(selector) is expected


def test_fields_are_named_in_the_spelling_of_the_object() -> None:
    config = "spec.defaultNetwork.ovnKubernetesConfig"
    proposed = operator({"defaultNetworkTransport": "NoOverlay", "defaultNetworkNoOverlayOptions": {}})
    assert transport_path(proposed) == f"{config}.defaultNetworkTransport"
    assert options_path(proposed) == f"{config}.defaultNetworkNoOverlayOptions"
    assert transport_path(operator({})) == f"{config}.transport"
    assert options_path(operator({})) == f"{config}.noOverlayConfig"
    assert not declared({"kind": "Node"}).no_overlay


def test_a_namespace_is_served_by_its_own_network_before_the_default_one() -> None:
    blue = layer3("10.40.0.0/16", transport="NoOverlay", noOverlay={"outboundSNAT": "Enabled", "routing": "Managed"})
    blue["spec"]["namespaceSelector"] = {"matchLabels": {"team": "a"}}
    inventory = inventory_of(view := ObjectsView([blue, operator({"transport": "NoOverlay"})]))
    label = "k8s.ovn.org/primary-user-defined-network"
    assert serving(inventory, {"team": "a", label: ""}) == "blue"
    assert serving(inventory, {"team": "a"}) == "default"
    assert serving(inventory, {label: ""}) == ""
    assert view.objects is not None


def test_long_lists_of_names_are_cut() -> None:
    assert named("node", ["a"]) == "node a"
    assert named("node", ["a", "b", "c", "d", "e"]) == "nodes a, b, c and 2 more"
