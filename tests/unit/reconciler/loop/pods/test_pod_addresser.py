"""The addresses that zones and the leader give to pods: from what is recorded, none twice, and nothing of others."""

import json
import logging
from datetime import UTC, datetime
from typing import Any

import pytest

from ovnguard.reconciler.apply.pod_records import POD_MANAGER, PodRecords
from ovnguard.reconciler.loop.leader.address_publisher import AddressPublisher
from ovnguard.reconciler.loop.pods.pod_addresser import AddresserParts, PodAddresser
from ovnguard.reconciler.loop.process.events import EventRecorder
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.reconciler.plan.pods.missing_entries import is_of_leader, is_of_zone
from ovnguard.reconciler.plan.pods.pod_objects import pods_of
from ovnguard.reconciler.plan.rows.settings import Settings, settings_of
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import ApiStatusError
from ovnguard.validators.network.cluster.cluster_facts import cluster_facts
from ovnguard.validators.network.cluster_view import POD
from tests.support.attached_api import AttachedApi, namespace, path_of, pod
from tests.support.fake_cluster import cudn, desired_state, judged, node, operator

RECORD = "k8s.ovn.org/pod-networks"
SUBNETS = {"k8s.ovn.org/node-subnets": '{"default":["10.128.0.0/23"]}'}
NUMBERS: dict[str, Any] = {
    "ovnguard.io/network-id": "1",
    "ovnguard.io/tunnel-keys": "[16711684,16715779]",
    "ovnguard.io/transit-subnets": "100.88.0.0/16",
}


def plain(name: str) -> JsonObject:
    found = namespace(name)
    del found["metadata"]["labels"]["k8s.ovn.org/primary-user-defined-network"]
    return found


def given(world: "World", name: str) -> dict[str, str]:
    """The addresses that a pod records, by attachment."""
    text = world.api.of("Pod")[name]["metadata"].get("annotations", {}).get(RECORD, "{}")
    return {key: " ".join(entry["ip_addresses"] or ()) for key, entry in json.loads(text).items()}


class World:
    """A zone of n1 and a leader, before an API server whose watch may be late."""

    def __init__(self, *objects: JsonObject, late: bool = False) -> None:
        self.api = AttachedApi(operator(), node("n1", 2, **SUBNETS), cudn("flat", **NUMBERS), *objects, late=late)
        self.seconds = 0.0
        now = datetime(2026, 1, 1, tzinfo=UTC)
        self.announcer = EventRecorder(self.api, "x", lambda: now, lambda: 0.0)
        self.zone = PodAddresser(self.parts(is_of_zone))
        self.leader = self.new_leader()

    def parts(self, concerns: Any) -> AddresserParts:
        records = PodRecords(self.api)
        return AddresserParts(records, self.announcer, concerns, concerns, lambda: self.seconds)

    def new_leader(self) -> AddressPublisher:
        return AddressPublisher(self.api, PodRecords(self.api), PodAddresser(self.parts(is_of_leader)))

    def desired(self) -> DesiredState:
        return desired_state(self.api, judged, settings_of(cluster_facts(self.api), Settings()), "")

    def keep(self, node: str = "n1") -> dict[str, str]:
        """One pass of the zone; what waits."""
        own = [obj for obj in self.api.objects(POD) or () if obj["spec"]["nodeName"] == node]
        waiting = self.zone.keep(self.api, own, pods_of(self.api).ports, self.desired())
        self.announcer.flush()
        return dict(waiting)

    def change_node(self, annotations: dict[str, str]) -> None:
        found = node("n1", 2, **annotations)
        self.api.put(found)

    def lead(self, leader: AddressPublisher | None = None) -> None:
        (leader or self.leader).publish(self.desired(), ())
        self.announcer.flush()


def test_the_zone_gives_addresses_of_the_default_network() -> None:
    world = World(plain("blue"), pod("a", second=1), pod("b"), pod("far", "n2"))
    assert world.keep() == {}
    record = (
        '{"default":{"ip_addresses":["10.128.0.4/23"],"mac_address":"0a:58:0a:80:00:04","gateway_ips":["10.128.0.1"],'
        '"routes":[{"dest":"10.128.0.0/14","nextHop":"10.128.0.1"},{"dest":"169.254.0.5/32","nextHop":"10.128.0.1"},'
        '{"dest":"100.64.0.0/16","nextHop":"10.128.0.1"}],"ip_address":"10.128.0.4/23","gateway_ip":"10.128.0.1",'
        '"role":"primary"}}'
    )
    assert world.api.of("Pod")["blue/a"]["metadata"]["annotations"] == {RECORD: record}
    assert given(world, "blue/b") == {"default": "10.128.0.3/23"}
    assert given(world, "blue/far") == {}
    written = len(world.api.writes)
    assert world.keep() == {}
    assert len(world.api.writes) == written == 2


def test_zone_and_leader_divide_a_pod_between_them() -> None:
    world = World(namespace("blue", t="flat"), pod("a"))
    world.lead()
    assert given(world, "blue/a") == {"blue/flat": "10.20.0.3/16"}
    world.keep()
    assert given(world, "blue/a") == {"blue/flat": "10.20.0.3/16", "default": "10.128.0.3/23"}
    record = json.loads(world.api.of("Pod")["blue/a"]["metadata"]["annotations"][RECORD])
    assert (record["default"]["role"], record["blue/flat"]["role"]) == ("infrastructure-locked", "primary")
    assert record["blue/flat"]["tunnel_id"] == 10
    paths = {f"PATCH {path_of(pod('a'))}"}
    assert set(world.api.writes) == paths


def test_no_address_is_given_twice_while_the_watch_is_late() -> None:
    world = World(plain("blue"), namespace("red", t="flat"), pod("a"), pod("x", place="red"), late=True)
    world.keep()
    world.lead()
    world.seconds = 1000.0
    for obj in (pod("b"), pod("y", place="red")):
        # only the new pods are shown, and not what was recorded
        stored = world.api.put(obj)
        world.api.shown[POD] = (*(world.api.shown[POD]), stored)
    world.keep()
    world.lead()
    assert [given(world, f"blue/{name}")["default"] for name in "ab"] == ["10.128.0.3/23", "10.128.0.5/23"]
    assert given(world, "red/x")["default"] == "10.128.0.4/23"
    assert [given(world, f"red/{name}")["red/flat"] for name in "xy"] == ["10.20.0.3/16", "10.20.0.4/16"]


def test_a_second_leader_counts_what_the_first_one_gave_last() -> None:
    world = World(namespace("red", t="flat"), pod("x", place="red"), late=True)
    world.lead()
    # the watch of the second one shows a younger pod, and nothing of the first one's write
    stored = world.api.put(pod("a", place="red"))
    world.api.shown[POD] = (stored,)
    world.lead(world.new_leader())
    assert given(world, "red/x") == {"red/flat": "10.20.0.3/16"}
    assert given(world, "red/a") == {"red/flat": "10.20.0.4/16"}


def test_what_is_recorded_stays_after_a_restart() -> None:
    world = World(plain("blue"), pod("a"), pod("b"))
    world.keep()
    before = {name: given(world, name) for name in ("blue/a", "blue/b")}
    world.api.drop(path_of(pod("a")))
    world.zone = PodAddresser(world.parts(is_of_zone))
    world.api.put(pod("c"))
    world.keep()
    assert given(world, "blue/b") == before["blue/b"]
    assert given(world, "blue/c") == before["blue/a"]


def test_a_record_of_another_program_is_left_alone(caplog: pytest.LogCaptureFixture) -> None:
    other = pod("a", **{RECORD: '{"red/net":{"ip_addresses":["10.9.0.3/16"],"mac_address":"0a:58:0a:09:00:03"}}'})
    fields: JsonObject = {"f:metadata": {"f:annotations": {f"f:{RECORD}": {}}}}
    other["metadata"]["managedFields"] = [{"manager": "ovnkube", "operation": "Update", "fieldsV1": fields}]
    world = World(plain("blue"), other)
    for _ in range(3):
        world.keep()
    assert given(world, "blue/a") == {"red/net": "10.9.0.3/16"}
    text = "another program writes k8s.ovn.org/pod-networks of the pod, so ovnguard gives it no addresses"
    assert world.api.events == [("ForeignRecord", text)]
    assert [each.getMessage() for each in caplog.records if each.levelno == logging.WARNING] == [f"pod blue/a: {text}"]
    assert world.api.writes == []


def test_pods_that_wait_are_reported_after_a_while() -> None:
    world = World(plain("blue"), pod("a"), pod("b"))
    world.change_node({})
    assert world.keep() == {}
    world.seconds = 9.9
    assert (world.keep(), world.api.events) == ({}, [])
    world.seconds = 10.0
    text = "pod blue/a: the pod has no address yet (and 1 more)"
    assert world.keep() == {"default": text}
    assert sorted(world.api.events) == [("AddressMissing", "network default: the pod has no address yet")] * 2
    world.change_node(SUBNETS)
    assert world.keep() == {}
    assert len(world.api.events) == 2


def test_a_pod_waits_for_the_primary_network_of_its_namespace() -> None:
    world = World(namespace("blue"), pod("a"))
    for seconds in (0.0, 10.0):
        world.seconds = seconds
        assert world.keep() == {}
    text = (
        'invalid primary network state for namespace "blue": a valid primary user defined network or network '
        "attachment definition custom resource, and required namespace label "
        '"k8s.ovn.org/primary-user-defined-network" must both be present'
    )
    assert world.api.events == [("AddressMissing", text)]
    assert world.api.writes == []


def test_a_localnet_network_leaves_excluded_addresses_out() -> None:
    number: dict[str, Any] = {"ovnguard.io/network-id": "2"}
    lan = cudn("lan", **number)
    block = {"role": "Secondary", "physicalNetworkName": "phys", "subnets": ["192.168.70.0/24"]}
    lan["spec"]["network"] = {"topology": "Localnet", "localnet": {**block, "excludeSubnets": ["192.168.70.0/30"]}}
    world = World(plain("blue"), lan, pod("a", **{"k8s.v1.cni.cncf.io/networks": "lan,lan"}))
    world.lead()
    assert given(world, "blue/a") == {"blue/lan": "192.168.70.4/24", "blue/lan/1": "192.168.70.5/24"}


def test_a_pool_without_addresses_says_so() -> None:
    small = {"k8s.ovn.org/node-subnets": '{"default":["10.128.0.0/30"]}'}
    world = World(plain("blue"), pod("a"))
    world.change_node(small)
    world.keep()
    world.seconds = 10.0
    text = "no IPv4 address left: all 0 of 10.128.0.0/30 for pods are in use"
    assert world.keep() == {"default": f"pod blue/a: {text}"}


def test_one_pod_that_cannot_be_written_delays_no_other() -> None:
    world = World(plain("blue"), pod("a"), pod("b"))
    path = path_of(pod("a"))
    world.api.failures[path] = ApiStatusError(403, "Forbidden", "no")
    for _ in range(3):
        world.keep()
    assert world.api.writes.count(f"PATCH {path}") == 1
    assert given(world, "blue/b") == {"default": "10.128.0.4/23"}
    assert world.zone.due() == 0.5
    del world.api.failures[path]
    world.seconds = 0.5
    world.keep()
    assert given(world, "blue/a") == {"default": "10.128.0.3/23"}
    assert world.zone.due() is None


def test_a_migrating_machine_keeps_its_addresses() -> None:
    machine = {"kubevirt.io/domain": "vm"}
    one, other = pod("one", place="red", **machine), pod("other", "n2", "red", 1, **machine)
    for each in (one, other):
        each["metadata"]["labels"] = {"kubevirt.io": "virt-launcher"}
    world = World(namespace("red", t="flat"), one)
    world.lead()
    world.api.put(other)
    world.lead()
    assert given(world, "red/other") == given(world, "red/one") == {"red/flat": "10.20.0.3/16"}


def test_a_pod_of_a_network_without_subnets_gets_a_mac_of_its_own() -> None:
    number: dict[str, Any] = {"ovnguard.io/network-id": "2"}
    bare = cudn("bare", **number)
    bare["spec"]["network"]["layer2"] = {"role": "Secondary", "ipam": {"mode": "Disabled"}}
    asks = {"k8s.v1.cni.cncf.io/networks": "bare"}
    world = World(plain("blue"), bare, pod("a", **asks), pod("b", **asks))
    world.lead()
    records = [world.api.of("Pod")[f"blue/{name}"]["metadata"]["annotations"][RECORD] for name in "ab"]
    entries = [json.loads(each)["blue/bare"] for each in records]
    assert [each["ip_addresses"] for each in entries] == [None, None]
    assert [each["tunnel_id"] for each in entries] == [10, 11]
    first, second = (int(each["mac_address"][:2], 16) for each in entries)
    assert first & 3 == second & 3 == 2
    assert entries[0]["mac_address"] != entries[1]["mac_address"]


def test_only_our_manager_writes_and_only_the_annotation() -> None:
    world = World(plain("blue"), pod("a"))
    world.keep()
    found = world.api.of("Pod")["blue/a"]["metadata"]["managedFields"]
    assert [each["manager"] for each in found] == [POD_MANAGER]
