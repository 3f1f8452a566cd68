import copy
from typing import Any

import pytest

from ovnguard.validators.admission import Operation, Request, judge
from ovnguard.validators.bundled.catalog import Catalog
from ovnguard.validators.network.cluster_view import EmptyView, ObjectsView
from ovnguard.validators.network.model import TRANSIT_ANNOTATION

LAYER2: dict[str, Any] = {
    "apiVersion": "k8s.ovn.org/v1",
    "kind": "ClusterUserDefinedNetwork",
    "metadata": {"name": "blue"},
    "spec": {
        "namespaceSelector": {"matchLabels": {"tenant": "blue"}},
        "network": {"topology": "Layer2", "layer2": {"role": "Primary", "subnets": ["100.88.0.0/15"]}},
    },
}


def network(config: dict) -> dict:
    return {
        "apiVersion": "operator.openshift.io/v1",
        "kind": "Network",
        "metadata": {"name": "cluster"},
        "spec": {
            "clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}],
            "serviceNetwork": ["172.30.0.0/16"],
            "additionalRoutingCapabilities": {"providers": ["FRR"]},
            "defaultNetwork": {"type": "OVNKubernetes", "ovnKubernetesConfig": config},
        },
    }


OPTIONS = {"outboundSNAT": "Enable", "routing": "Managed"}
BGP = {"asNumber": 64600, "bgpTopology": "fullMesh"}
NO_OVERLAY = {
    "routeAdvertisements": "Enabled",
    "defaultNetworkTransport": "NoOverlay",
    "defaultNetworkNoOverlayOptions": OPTIONS,
    "bgpManagedConfig": BGP,
}
RELEASED = {
    "routeAdvertisements": "Enabled",
    "transport": "NoOverlay",
    "noOverlayConfig": {"outboundSNAT": "Enabled", "routing": "Managed"},
    "bgpManagedConfig": {"bgpTopology": "FullMesh"},
}


def test_selected_values_are_in_both_objects_and_inputs_stay_unchanged():
    given = copy.deepcopy(LAYER2)
    judgement = judge(Request(Operation.CREATE, given), EmptyView())
    assert given == LAYER2
    assert judgement.allowed
    assert judgement.mutated is not None
    assert judgement.object is not None
    assert judgement.mutated["metadata"]["annotations"] == {TRANSIT_ANNOTATION: "100.90.0.0/16"}
    assert judgement.mutated["spec"] is given["spec"]
    assert judgement.object["metadata"]["annotations"] == {TRANSIT_ANNOTATION: "100.90.0.0/16"}


def test_judging_the_mutated_object_again_selects_nothing_new():
    first = judge(Request(Operation.CREATE, LAYER2), EmptyView())
    again = judge(Request(Operation.CREATE, first.mutated), EmptyView())
    assert again.allowed
    assert again.mutated is first.mutated


def test_an_object_that_needs_nothing_is_mutated_to_itself():
    obj = network(NO_OVERLAY)
    judgement = judge(Request(Operation.CREATE, obj), EmptyView())
    assert (judgement.allowed, judgement.errors, judgement.schema_set) == (True, (), "enhancement")
    assert judgement.mutated is obj


TRANSITIONS = [
    # old config, new config, messages ([] = allowed)
    (NO_OVERLAY, NO_OVERLAY | {"mtu": 1400}, []),
    ({}, {"mtu": 1400}, []),
    (
        {},
        NO_OVERLAY,
        [
            "DefaultNetworkTransport field is immutable",
            "defaultNetworkNoOverlayOptions field is immutable",
            "bgpManagedConfig field is immutable",
        ],
    ),
    (
        NO_OVERLAY,
        {},
        [
            "DefaultNetworkTransport field is immutable",
            "defaultNetworkNoOverlayOptions field is immutable",
            "bgpManagedConfig field is immutable",
        ],
    ),
    ({}, {"bgpManagedConfig": BGP}, ["bgpManagedConfig field is immutable"]),
    ({"bgpManagedConfig": BGP}, {}, ["bgpManagedConfig field is immutable"]),
    (
        NO_OVERLAY,
        NO_OVERLAY | {"bgpManagedConfig": BGP | {"asNumber": 64601}},
        ["bgpManagedConfig field is immutable"],
    ),
    (
        NO_OVERLAY,
        NO_OVERLAY | {"defaultNetworkNoOverlayOptions": OPTIONS | {"outboundSNAT": "Disable"}},
        ["defaultNetworkNoOverlayOptions field is immutable"],
    ),
    ({}, {"transport": "Geneve"}, []),
    ({}, RELEASED, ["transport can only be set to Geneve after installation"]),
    (RELEASED, RELEASED | {"bgpManagedConfig": {"bgpTopology": "FullMesh", "asNumber": 65000}}, []),
    (
        RELEASED,
        RELEASED | {"noOverlayConfig": {"outboundSNAT": "Disabled", "routing": "Managed"}},
        [],
    ),
    (
        RELEASED,
        RELEASED | {"noOverlayConfig": {"outboundSNAT": "Enabled", "routing": "Unmanaged"}},
        ["routing is immutable once set"],
    ),
]


@pytest.mark.parametrize(("old", "new", "messages"), TRANSITIONS)
def test_transitions_of_the_default_network(old, new, messages):
    request = Request(Operation.UPDATE, network(new), network(old))
    judgement = judge(request, EmptyView())
    assert [error.detail for error in judgement.errors] == messages
    assert judgement.allowed is (not messages)


@pytest.mark.parametrize(("old", "new"), [(NO_OVERLAY, RELEASED), (RELEASED, NO_OVERLAY)])
def test_an_update_across_the_generations_has_a_note_and_its_errors(old, new):
    judgement = judge(Request(Operation.UPDATE, network(new), network(old)), EmptyView(), field_validation="Strict")
    assert judgement.errors
    assert judgement.notes == ("the stored object uses the other generation of the no-overlay API",)


@pytest.mark.parametrize(("old", "new"), [(NO_OVERLAY, {}), ({}, RELEASED), ({"mtu": 1400}, {"mtu": True})])
def test_objects_without_fields_of_a_generation_belong_to_neither(old, new):
    judgement = judge(Request(Operation.UPDATE, network(new), network(old)), EmptyView())
    assert (bool(judgement.errors), judgement.notes) == (True, ())


def test_transport_cannot_come_with_a_parent_that_cel_does_not_see():
    old = network(NO_OVERLAY)
    del old["spec"]["defaultNetwork"]["ovnKubernetesConfig"]
    judgement = judge(Request(Operation.UPDATE, network(NO_OVERLAY), old), EmptyView())
    assert not judgement.allowed
    assert {error.rule for error in judgement.errors} == {"OVNG-NET-004"}


def test_delete_and_unknown_kinds_are_allowed():
    assert judge(Request(Operation.DELETE, None, LAYER2), EmptyView()).allowed
    unknown = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "x"}}
    judgement = judge(Request(Operation.CREATE, unknown), EmptyView())
    assert judgement.allowed
    assert judgement.notes == ("not judged: no schema for Widget of example.com/v1",)
    judgement = judge(Request(Operation.CREATE, {"apiVersion": "v1", "kind": "Foo"}), EmptyView())
    assert judgement.notes == ("not judged: no schema for Foo of v1",)


def test_unknown_fields_warn_or_refuse():
    obj = network({"mtu": 1400, "nonsense": 1})
    warned = judge(Request(Operation.CREATE, obj), EmptyView())
    path = "spec.defaultNetwork.ovnKubernetesConfig.nonsense"
    assert (warned.allowed, warned.schema_warnings) == (True, (f'unknown field "{path}"',))
    strict = judge(Request(Operation.CREATE, obj), EmptyView(), field_validation="Strict")
    assert (strict.allowed, [error.field for error in strict.errors]) == (False, [path])


def test_the_view_decides_what_is_free():
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "n", "annotations": {"k8s.ovn.org/host-cidrs": '["100.90.3.4/24"]'}},
    }
    judgement = judge(Request(Operation.CREATE, LAYER2), ObjectsView([node]))
    assert judgement.mutated is not None
    assert judgement.mutated["metadata"]["annotations"] == {TRANSIT_ANNOTATION: "100.91.0.0/16"}


def test_a_given_set_judges_alone():
    released = judge(Request(Operation.CREATE, network(NO_OVERLAY)), EmptyView(), Catalog(schema_set="released"))
    assert released.schema_set == "released"
    assert (
        released.schema_warnings[0]
        == 'unknown field "spec.defaultNetwork.ovnKubernetesConfig.defaultNetworkNoOverlayOptions"'
    )
    with pytest.raises(ValueError, match="schema set 'other' is not one of auto, enhancement, released"):
        Catalog(schema_set="other")


def test_the_old_object_decides_the_set_when_the_new_one_does_not():
    request = Request(Operation.UPDATE, network({}), network({"transport": "Geneve"}))
    judgement = judge(request, EmptyView())
    assert judgement.schema_set == "released"
    assert [error.detail for error in judgement.errors] == ["transport may not be removed once set"]


HOST_BITS = {**LAYER2, "metadata": {"name": "blue", "annotations": {TRANSIT_ANNOTATION: "100.90.0.1/16"}}}


def test_host_bits_are_a_warning_once():
    given = copy.deepcopy(LAYER2)
    given["spec"]["network"]["layer2"]["subnets"] = ["10.1.2.3/16"]
    created = judge(Request(Operation.CREATE, given), EmptyView())
    text = 'spec.network.layer2.subnets[0]: Invalid value: "10.1.2.3/16": has host bits set; the subnet is 10.1.0.0/16'
    assert (created.allowed, [each.text for each in created.warnings]) == (True, [text])
    assert [each.rule for each in created.warnings] == ["subnet-host-bits"]
    labelled = {**given, "metadata": {"name": "blue", "labels": {"a": "b"}}}
    assert judge(Request(Operation.UPDATE, labelled, given), EmptyView()).warnings == ()


def test_what_the_stored_object_already_is_does_not_refuse_an_update():
    assert [error.field for error in judge(Request(Operation.CREATE, HOST_BITS), EmptyView()).errors] == [
        f"metadata.annotations[{TRANSIT_ANNOTATION}]"
    ]
    labelled = {**HOST_BITS, "metadata": {**HOST_BITS["metadata"], "labels": {"a": "b"}}}
    assert judge(Request(Operation.UPDATE, labelled, HOST_BITS), EmptyView()).allowed


def test_a_status_is_judged_by_its_schema_alone():
    status = {
        "conditions": [
            {"type": "A", "status": "True", "reason": "R", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}
        ]
    }
    request = Request(Operation.UPDATE, {**HOST_BITS, "status": status}, HOST_BITS, "status")
    judgement = judge(request, EmptyView())
    assert (judgement.allowed, judgement.errors) == (True, ())
    assert judgement.mutated is request.object
