"""What a zone tells as Kubernetes Events."""

import copy

import pytest

from ovnguard.reconciler.apply.kube import find_condition
from ovnguard.reconciler.loop.status.zone_state import WriteOptions
from ovnguard.reconciler.plan.numbers import network_ids
from ovnguard.validators.network.cluster_view import CUDN
from tests.support.fake_cluster import ID, KEYS, TRANSIT, World, cudn
from tests.support.present import present

pytestmark = pytest.mark.usefixtures("everything_is_heard")


def test_the_writer_of_a_condition_writes_the_events_of_the_network():
    world = World(cudn("blue"))
    world.settle()
    (chosen,) = world.cluster.events
    assert (chosen["type"], chosen["reason"], chosen["action"]) == ("Normal", "DefaultSelected", "ChooseTransitSubnet")
    assert chosen["note"] == "Transit subnet 100.88.0.0/16 selected."
    assert chosen["regarding"] == {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "ClusterUserDefinedNetwork",
        "name": "blue",
        "uid": "uid-blue",
    }
    other = World()
    other.cluster.served = copy.deepcopy(world.cluster.served)
    other.settle()
    assert other.cluster.events == []


def test_a_conflict_and_its_end_are_events():
    record = {ID: "7", TRANSIT: "100.88.0.0/16", KEYS: "[16711690,16715780]"}
    world = World(cudn("aaa", "10.30.0.0/16", second=9, **record), cudn("zzz", "10.20.0.0/16", second=1, **record))
    world.settle()
    events = [each for each in world.cluster.events if each["regarding"]["name"] == "aaa"]
    assert [(each["type"], each["reason"], each["action"]) for each in events] == [
        ("Warning", "Conflict", "PlanNetwork")
    ]
    assert events[0]["note"] == present(find_condition(world.cluster.get("aaa"), "Accepted"))["message"]
    del world.cluster.served[CUDN]["zzz"]
    world.settle()
    events = [each for each in world.cluster.events if each["regarding"]["name"] == "aaa"]
    assert [(each["type"], each["reason"]) for each in events] == [
        ("Warning", "Conflict"),
        ("Normal", "DefaultSelected"),
        ("Normal", "Accepted"),
    ]


def test_running_out_of_network_ids_is_a_condition_and_an_event_with_the_number(monkeypatch):
    monkeypatch.setattr(network_ids, "MAX_NETWORK_ID", 1)
    world = World(cudn("blue", second=1), cudn("green", "10.30.0.0/16", second=2))
    world.settle()
    name = "cluster_udn_green"
    note = f"failed to allocate network ID: failed to allocate the id for the resource {name}: all 1 are in use"
    condition = present(find_condition(world.cluster.get("green"), "Accepted"))
    assert (condition["status"], condition["reason"], condition["message"]) == ("False", "NumbersExhausted", note)
    (event,) = [each for each in world.cluster.events if each["regarding"]["name"] == "green"]
    assert (event["type"], event["reason"], event["note"]) == ("Warning", "NumbersExhausted", note)


def attachment(name: str, config: str):
    return {
        "apiVersion": "k8s.cni.cncf.io/v1",
        "kind": "NetworkAttachmentDefinition",
        "metadata": {"name": name, "namespace": "a"},
        "spec": {"config": config},
    }


def test_an_attachment_that_is_refused_has_no_condition_and_one_event():
    bad = attachment(
        "sec",
        '{"cniVersion":"1.1.0","name":"sec","type":"ovn-k8s-cni-overlay","topology":"layer2",'
        '"netAttachDefName":"a/sec","subnets":"10.9.0.0/33"}',
    )
    world = World(bad)
    world.settle()
    (event,) = world.cluster.events
    assert (event["type"], event["reason"], event["action"]) == ("Warning", "Refused", "PlanNetwork")
    assert (event["metadata"]["namespace"], event["regarding"]["namespace"]) == ("a", "a")
    world.cluster.put(attachment("sec", bad["spec"]["config"].replace("/33", "/16")))
    world.settle()
    assert [each["reason"] for each in world.cluster.events] == ["Refused", "Accepted"]


def test_an_audit_writes_no_events():
    world = World(cudn("blue"))
    world.zone = world.zone_of(world.store, options=WriteOptions(audit=True))
    world.settle()
    assert world.cluster.events == []
