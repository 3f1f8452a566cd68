"""What a zone does for pods of its node that have no address yet."""

import json
from dataclasses import replace
from typing import Any

from ovnguard.reconciler.apply.kube_report import KEY, ReportPublisher
from ovnguard.reconciler.apply.pod_records import PodRecords
from ovnguard.reconciler.loop.pods.pod_addresser import AddresserParts, PodAddresser
from ovnguard.reconciler.loop.process.events import EventRecorder
from ovnguard.reconciler.plan.pods.missing_entries import is_of_zone
from ovnguard.validators.network.cluster_view import NAMESPACE, POD
from tests.support.attached_api import AttachedApi, namespace, pod
from tests.support.fake_cluster import ID, KEYS, TRANSIT, World, cudn, node, operator

NUMBERS: dict[str, Any] = {ID: "1", KEYS: "[16711684,16715779]", TRANSIT: "100.88.0.0/16"}


class Client:
    """Takes the report."""

    text = ""

    def request(self, method, path, query=None, body=None, content_type=""):
        self.text = body["data"][KEY]
        return body

    def watch(self, path, query, idle_timeout):
        raise AssertionError


def test_pods_of_the_node_that_wait_are_in_the_report_of_their_network() -> None:
    world = World(operator(), cudn("blue", **NUMBERS))
    world.cluster.put(node("n1", 2, **{"k8s.ovn.org/node-subnets": '{"default":["10.128.0.0/23"]}'}))
    api = AttachedApi(namespace("blue", t="blue"), pod("one"), pod("far", "n2"))
    for kind in (NAMESPACE, POD):
        for obj in api.objects(kind) or ():
            world.cluster.put(obj)
    announcer = EventRecorder(api, "n1", lambda: world.now, lambda: world.seconds)
    given = AddresserParts(PodRecords(api), announcer, is_of_zone, lambda _: True, lambda: world.seconds)
    client = Client()
    publisher = ReportPublisher(client, "ours", "n1", lambda: world.now, lambda: world.seconds)
    world.parts = replace(world.parts, addresser=PodAddresser(given), publisher=publisher)
    zone = world.zone_of(world.store)
    assert zone.tick() == ()
    record = json.loads(api.of("Pod")["blue/one"]["metadata"]["annotations"]["k8s.ovn.org/pod-networks"])
    assert record.keys() == {"default"}
    assert "annotations" not in api.of("Pod")["blue/far"]["metadata"]
    assert json.loads(client.text)["networks"]["problems"] == {}
    assert zone.due() == 10.0
    world.seconds = 10.0
    assert (zone.tick(), zone.due()) == ((), 3.0)
    world.seconds = 13.0
    assert zone.tick() == ()
    text = "pod blue/one: the pod has no address yet: another process allocates in this network"
    problem = {"state": "Waiting", "message": text, "generation": 0}
    assert json.loads(client.text)["networks"]["problems"] == {"cluster_udn_blue": problem}
