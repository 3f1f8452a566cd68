"""What is recorded of a network, and what its condition says."""

import json
from ipaddress import ip_network

import pytest

from reconciler.apply.kube import Condition
from reconciler.loop.network_status import condition_of, missing_record
from reconciler.plan.candidates import consider
from reconciler.plan.network_ids import NetworkIds
from tests.support.fake_cluster import cudn, node
from validators.admission import Operation, Request, judge
from validators.network.cluster_view import ObjectsView

IDS = NetworkIds(7, 16711690, 16715780)
TRANSIT = "100.88.0.0/16"


def only(obj):
    view = ObjectsView([node(), obj])
    (candidate,) = consider([obj], lambda each: judge(Request(Operation.CREATE, each), view))
    return candidate


def nad(name: str = "n", **config):
    whole = {
        "cniVersion": "1.1.0",
        "name": "tenant",
        "netAttachDefName": f"ns/{name}",
        "type": "ovn-k8s-cni-overlay",
        "topology": "layer2",
        "role": "primary",
        "subnets": "10.20.0.0/16",
        **config,
    }
    return {
        "apiVersion": "k8s.cni.cncf.io/v1",
        "kind": "NetworkAttachmentDefinition",
        "metadata": {"name": name, "namespace": "ns"},
        "spec": {"config": json.dumps(whole)},
    }


def udn(**layer2):
    return {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "UserDefinedNetwork",
        "metadata": {"name": "u", "namespace": "ns"},
        "spec": {"topology": "Layer2", "layer2": {"role": "Primary", "subnets": ["10.20.0.0/16"], **layer2}},
    }


def annotations(**values):
    return {"metadata": {"annotations": {f"ovnguard.io/{key.replace('_', '-')}": text for key, text in values.items()}}}


ALL = {"network_id": "7", "transit_subnets": TRANSIT, "tunnel_keys": "[16711690,16715780]"}


@pytest.mark.parametrize(
    ("obj", "patch"),
    [
        (cudn("blue"), annotations(**ALL)),
        (udn(), annotations(**ALL)),
        (
            cudn("blue", **{"ovnguard.io/transit-subnets": "100.92.0.0/16"}),
            annotations(network_id="7", tunnel_keys=ALL["tunnel_keys"]),
        ),
        (cudn("blue", **annotations(**ALL)["metadata"]["annotations"]), {}),
        (udn(role="Secondary"), annotations(network_id="7")),
    ],
    ids=["cudn", "udn", "selected before", "recorded before", "secondary"],
)
def test_what_is_missing(obj, patch):
    assert missing_record(only(obj), IDS) == patch


def test_an_attachment_gets_its_transit_subnet_where_it_is_read():
    patch = missing_record(only(nad()), IDS)
    assert json.loads(patch["spec"]["config"])["transitSubnet"] == TRANSIT
    assert patch["metadata"] == annotations(network_id="7", tunnel_keys=ALL["tunnel_keys"])["metadata"]
    again = nad(transitSubnet=TRANSIT)
    again["metadata"]["annotations"] = patch["metadata"]["annotations"]
    assert missing_record(only(again), IDS) == {}


def test_the_same_network_in_two_namespaces_is_one():
    objects = [nad("a"), nad("b")]
    view = ObjectsView(objects)
    found = consider(objects, lambda each: judge(Request(Operation.CREATE, each), view))
    assert [each.title for each in found] == ["NetworkAttachmentDefinition ns/a"]


@pytest.mark.parametrize(
    ("transit", "cluster", "reason", "message"),
    [
        (TRANSIT, (TRANSIT,), "DefaultSelected", f"Transit subnet {TRANSIT} selected."),
        ("100.90.0.0/16", (TRANSIT,), "AlternativeSelected", "Transit subnet 100.90.0.0/16 selected."),
        ("100.90.0.0/16", ("100.90.0.0/16",), "DefaultSelected", "Transit subnet 100.90.0.0/16 selected."),
    ],
)
def test_condition_of_a_choice(transit, cluster, reason, message):
    candidate = only(cudn("blue", **{"ovnguard.io/transit-subnets": transit}))
    expected = Condition("TransitSubnetAllocated", True, reason, message)
    assert condition_of(candidate, [ip_network(each) for each in cluster]) == expected


def test_two_families_are_named_together():
    obj = cudn("blue", **{"ovnguard.io/transit-subnets": f"{TRANSIT},fd97::/64"})
    obj["spec"]["network"]["layer2"]["subnets"] = ["10.20.0.0/16", "2001:db8::/64"]
    condition = condition_of(only(obj))
    assert condition.message == f"Transit subnets {TRANSIT}, fd97::/64 selected."


@pytest.mark.parametrize("obj", [udn(role="Secondary"), nad(transitSubnet=TRANSIT)], ids=["secondary", "attachment"])
def test_nothing_to_say(obj):
    assert condition_of(only(obj)) is None


def test_a_refusal_for_other_reasons_says_nothing_about_transit_subnets():
    bad = udn(joinSubnets=["10.20.128.0/17"])
    candidate = only(bad)
    assert candidate.network is None
    assert condition_of(candidate) is None
