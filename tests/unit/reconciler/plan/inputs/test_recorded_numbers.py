"""Numbers that OVN-Kubernetes recorded on attachments hold for the networks that these were rendered for."""

import json
from collections.abc import Sequence
from ipaddress import ip_network
from typing import Any

import pytest

from ovnguard.reconciler.plan.desired_state import JudgedNetworks, judge_networks, plan_networks
from ovnguard.reconciler.plan.numbers.network_ids import NetworkIds
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.admission import Operation, Request, judge
from ovnguard.validators.network.cluster_view import ObjectsView
from tests.support.manifests.network_objects import JsonObject, layer2, layer3, nad, rendered, stored

ID, KEYS = "k8s.ovn.org/network-id", "k8s.ovn.org/tunnel-keys"
OWN_ID, OWN_KEYS, OWN_TRANSIT = (f"ovnguard.io/{key}" for key in ("network-id", "tunnel-keys", "transit-subnets"))
SUBNET = "10.41.0.0/16"
SEVEN = {ID: "7", KEYS: "[16711690,16715790]"}


def flat(name: str = "blue", **annotations: str) -> JsonObject:
    found = stored(layer2(SUBNET), uid=f"uid-{name}")
    found["metadata"] |= {"name": name, "annotations": annotations}
    return found


def split(name: str = "wide", cidr: str = "10.42.0.0/16") -> JsonObject:
    found = stored(layer3(cidr), uid=f"uid-{name}")
    found["metadata"]["name"] = name
    return found


def recorded(network: JsonObject, annotations: dict[str, str], namespace: str = "red", **config: Any) -> JsonObject:
    shape = "layer2" if network["spec"]["network"]["topology"] == "Layer2" else "layer3"
    subnets = SUBNET if shape == "layer2" else "10.42.0.0/16/24"
    found = rendered(network, namespace, topology=shape, role="primary", subnets=subnets, **config)
    found["metadata"]["annotations"] = annotations
    return found


def found_in(objects: Sequence[JsonObject], *, live: bool = False) -> JudgedNetworks:
    """All networks of the objects; their other rules do not matter here."""

    def alone(obj: JsonObject, _: object) -> Any:
        return judge(Request(Operation.CREATE, obj), ObjectsView([obj]))

    return judge_networks(objects, ObjectsView(objects), alone, recorded=live)


def ids_of(objects: Sequence[JsonObject]) -> tuple[dict[str, NetworkIds], list[str]]:
    state = plan_networks(found_in(objects), (), Settings())
    return dict(state.plan.ids), [str(error) for error in state.errors]


def test_numbers_and_transit_subnets_of_a_rendered_attachment_are_kept() -> None:
    blue = flat()
    judged = found_in([blue, recorded(blue, SEVEN, transitSubnet="100.70.0.0/16")], live=True)
    (network,) = judged.ready
    assert (network.network_id, network.tunnel_keys) == (7, (16711690, 16715790))
    assert network.transit_subnets == (ip_network("100.70.0.0/16"),)
    # the attachment is the record: nothing is written to the network's object
    assert judged.records == {}
    assert judged.errors == ()
    assert judged.candidates[0].notes == ()


def test_other_networks_get_other_numbers() -> None:
    blue, wide = flat(), split()
    # a plan without records selects this id for the other network
    alone, _ = ids_of([wide])
    number = alone["cluster_udn_wide"].network_id
    keys = json.dumps([16711683 + number, 16715790])
    found, errors = ids_of([wide, blue, recorded(blue, {ID: str(number), KEYS: keys})])
    assert errors == []
    assert found["cluster_udn_blue"].network_id == number
    assert found["cluster_udn_wide"].network_id == number + 1


def test_the_default_network_has_id_0() -> None:
    operator = {
        "apiVersion": "operator.openshift.io/v1",
        "kind": "Network",
        "metadata": {"name": "cluster"},
        "spec": {"clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}], "defaultNetwork": {"type": ""}},
    }
    found, _ = ids_of([operator])
    assert found["default"] == NetworkIds(0, 16711683)


RED = "NetworkAttachmentDefinition red/blue"
DECIMAL = "must be a decimal network id from 1 to 4095"


@pytest.mark.parametrize(
    ("own", "records", "text"),
    [
        ({OWN_ID: "8"}, [SEVEN], f"network id 8 of the object contradicts 7 of {RED}"),
        (
            {OWN_KEYS: "[16711690,16715791]"},
            [SEVEN],
            f"tunnel keys 16711690 16715791 of the object contradicts 16711690 16715790 of {RED}",
        ),
        (
            {OWN_TRANSIT: "100.71.0.0/16"},
            [SEVEN],
            f"transit subnets 100.71.0.0/16 of the object contradicts 100.70.0.0/16 of {RED}",
        ),
        (
            {},
            [SEVEN, {ID: "9", KEYS: "[16711692,16715790]"}],
            f"network id 7 of {RED} contradicts 9 of NetworkAttachmentDefinition green/blue",
        ),
        ({}, [SEVEN | {ID: "4096"}], f"{RED}: metadata.annotations[{ID}]: {DECIMAL}"),
        ({}, [SEVEN | {ID: "0"}], f"{RED}: metadata.annotations[{ID}]: {DECIMAL}"),
        (
            {},
            [{ID: "7", KEYS: "[16711690,5]"}],
            f"{RED}: metadata.annotations[{KEYS}]: must be a JSON list of at most two tunnel keys, such as "
            "[16711684,16715780]",
        ),
        (
            {},
            [{ID: "7", KEYS: "[16711691,16715790]"}],
            f"{RED}: the first tunnel key of network id 7 is 16711690, not 16711691",
        ),
    ],
)
def test_contradicting_records_are_reported_and_nothing_is_written(
    own: dict[str, str], records: list[dict[str, str]], text: str
) -> None:
    blue = flat(**own)
    attachments = [
        recorded(blue, each, namespace, transitSubnet="100.70.0.0/16")
        for each, namespace in zip(records, ("red", "green"), strict=False)
    ]
    judged = found_in([blue, *attachments], live=True)
    assert [(error.network, error.text) for error in judged.errors] == [("cluster_udn_blue", text)]
    assert (judged.ready, judged.records) == ((), {})
    state = plan_networks(judged, (), Settings())
    assert [str(error) for error in state.errors] == [f"network cluster_udn_blue: {text}"]
    assert state.frozen == {"cluster_udn_blue"}


def test_no_network_gets_a_number_of_contradicting_records() -> None:
    alone, _ = ids_of([split()])
    number = alone["cluster_udn_wide"].network_id
    blue = flat(**{OWN_ID: "4"})
    found, errors = ids_of([split(), blue, recorded(blue, {ID: str(number)})])
    assert errors == [f"network cluster_udn_blue: network id 4 of the object contradicts {number} of {RED}"]
    assert found["cluster_udn_wide"].network_id == number + 1


def test_numbers_taken_twice_are_the_first_networks() -> None:
    blue, other = flat(), flat("green")
    found, errors = ids_of([blue, other, recorded(blue, SEVEN), recorded(other, SEVEN, "green")])
    assert found["cluster_udn_blue"].network_id == 7
    assert errors == ['network cluster_udn_green: network id 7 is already held by network "cluster_udn_blue"']


@pytest.mark.parametrize("wrong", ["uid", "name", "reference"])
def test_an_attachment_that_only_claims_to_be_rendered_records_nothing(wrong: str) -> None:
    blue = flat()
    claim = recorded(blue, SEVEN)
    if wrong == "uid":
        claim["metadata"]["ownerReferences"][0]["uid"] = "other"
    elif wrong == "name":
        claim["metadata"]["name"] = "other"
    else:
        del claim["metadata"]["ownerReferences"]
    network = next(each for each in found_in([blue, claim]).ready if each.source.kind == blue["kind"])
    assert (network.network_id, network.tunnel_keys) == (None, ())


def alike(namespace: str, **annotations: str) -> JsonObject:
    found = nad(name="tenant", netAttachDefName=f"{namespace}/blue", transitSubnet="100.70.0.0/16")
    found["metadata"] = {"name": "blue", "namespace": namespace, "annotations": annotations}
    return found


def test_attachments_that_declare_one_network_share_its_numbers() -> None:
    (network,) = found_in([alike("a"), alike("b", **SEVEN)], live=True).ready
    assert (network.source.namespace, network.network_id, network.tunnel_keys) == ("a", 7, (16711690, 16715790))


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        (
            {ID: "7"},
            {ID: "8"},
            "network id 7 of NetworkAttachmentDefinition a/blue contradicts 8 of NetworkAttachmentDefinition b/blue",
        ),
        (
            {OWN_ID: "7", ID: "8"},
            {},
            "network id 7 of the object contradicts 8 of NetworkAttachmentDefinition a/blue",
        ),
    ],
)
def test_contradicting_attachments_of_one_network_are_reported(
    first: dict[str, str], second: dict[str, str], text: str
) -> None:
    judged = found_in([alike("a", **first), alike("b", **second)], live=True)
    assert [(error.network, error.text) for error in judged.errors] == [("tenant", text)]
    assert (judged.ready, judged.records) == ((), {})


def test_a_network_waits_where_ovn_kubernetes_records_numbers() -> None:
    blue, wide = flat(), split()
    judged = found_in([wide, blue, recorded(blue, SEVEN, transitSubnet="100.70.0.0/16")], live=True)
    assert [each.name for each in judged.ready] == ["cluster_udn_blue"]
    assert judged.records == {}
    text = f"waits for {ID} of OVN-Kubernetes on its NetworkAttachmentDefinition"
    assert [(error.network, error.text) for error in judged.errors] == [("cluster_udn_wide", text)]
    # without its cluster manager, the leader records numbers
    assert len(found_in([wide, blue], live=True).records) == 2
