"""What a network's object records before planning."""

import json

import pytest

from ovnguard.reconciler.plan.inputs.candidates import candidate_of, consider
from ovnguard.reconciler.plan.inputs.network_records import missing_record
from ovnguard.reconciler.plan.numbers.network_ids import NetworkIds
from ovnguard.validators.admission import Operation, Request, judge
from ovnguard.validators.network.cluster_view import ObjectsView
from tests.support.fake_cluster import cudn, nad, node, udn

IDS = NetworkIds(7, 16711690, 16715780)
TRANSIT = "100.88.0.0/16"


def only(obj):
    view = ObjectsView([node(), obj])
    (candidate,) = consider([obj], lambda each: candidate_of(each, judge(Request(Operation.CREATE, each), view)))
    return candidate


def annotations(**values):
    return {"metadata": {"annotations": {f"ovnguard.io/{key.replace('_', '-')}": text for key, text in values.items()}}}


ALL = {"network_id": "7", "transit_subnets": TRANSIT, "tunnel_keys": "[16711690,16715780]"}


@pytest.mark.parametrize(
    ("obj", "patch"),
    [
        (cudn("blue"), annotations(**ALL)),
        (udn(), annotations(**ALL)),
        (
            cudn("blue", "10.20.0.0/16", 0, **{"ovnguard.io/transit-subnets": "100.92.0.0/16"}),
            annotations(network_id="7", tunnel_keys=ALL["tunnel_keys"]),
        ),
        (cudn("blue", "10.20.0.0/16", 0, **annotations(**ALL)["metadata"]["annotations"]), {}),
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
    found = consider(objects, lambda each: candidate_of(each, judge(Request(Operation.CREATE, each), view)))
    assert [each.title for each in found] == ["NetworkAttachmentDefinition ns/a"]
