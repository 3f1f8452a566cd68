"""The attachments that the leader keeps: where they are, when they go, and whose they are."""

import json
import logging
from datetime import UTC, datetime
from typing import Any

import pytest

from ovnguard.reconciler.apply.kube import Recorder
from ovnguard.reconciler.apply.objects.attachment_writer import ATTACHMENT_MANAGER, AttachmentWriter
from ovnguard.reconciler.loop.inputs.plan_inputs import DECLARING_RESOURCES
from ovnguard.reconciler.loop.leader.attachment_publisher import AttachmentParts, AttachmentPublisher
from ovnguard.reconciler.loop.process.events import EventRecorder
from ovnguard.reconciler.plan.rows.settings import Settings, settings_of
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import ApiStatusError
from ovnguard.validators.network.cluster.cluster_facts import cluster_facts
from ovnguard.validators.network.cluster_view import POD
from tests.support.attached_api import AttachedApi, namespace, path_of, pod
from tests.support.fake_cluster import cudn, desired_state, judged, node, operator, udn
from tests.support.policies import unowned

FINALIZER = "k8s.ovn.org/user-defined-network-protection"
NAD = "NetworkAttachmentDefinition"
CUDN = "ClusterUserDefinedNetwork"
DELETED = "2026-01-01T00:30:00Z"
NUMBERS: dict[str, Any] = {
    "ovnguard.io/network-id": "1",
    "ovnguard.io/tunnel-keys": "[16711684,16715779]",
    "ovnguard.io/transit-subnets": "100.88.0.0/16",
}


def blue(**metadata: Any) -> JsonObject:
    found = cudn("blue", **NUMBERS)
    found["metadata"] |= {"uid": "uid-blue", "labels": {"advertise": "blue"}, **metadata}
    return found


def record(*attachments: str) -> str:
    entry = {"ip_addresses": ["10.20.0.3/16"], "mac_address": "0a:58:0a:14:00:03"}
    return json.dumps(dict.fromkeys(attachments, entry))


class World:
    """A leader's publisher before an API server."""

    def __init__(self, *objects: JsonObject, adopted: frozenset[str] = frozenset(), leads: bool = True) -> None:
        self.api = AttachedApi(operator(), node(), *objects)
        self.seconds = 0.0
        self.leads = leads
        now = datetime(2026, 1, 1, tzinfo=UTC)
        self.announcer = EventRecorder(self.api, "x", lambda: now, lambda: 0.0)
        writer = AttachmentWriter(self.api, Recorder(self.api, DECLARING_RESOURCES, lambda: now))
        parts = AttachmentParts(self.api, writer, self.announcer, lambda: self.leads, adopted, lambda: self.seconds)
        self.publisher = AttachmentPublisher(parts)

    def publish(self, times: int = 3) -> None:
        for _ in range(times):
            settings = settings_of(cluster_facts(self.api), Settings())
            self.publisher.publish(desired_state(self.api, judged, settings, ""), ())
        self.announcer.flush()

    def change(self, kind: str, name: str, **metadata: Any) -> None:
        obj = self.api.of(kind)[name]
        self.api.put({**obj, "metadata": {**obj["metadata"], **metadata}})

    @property
    def places(self) -> list[str]:
        return sorted(self.api.of(NAD))


def test_a_network_has_an_attachment_in_every_selected_namespace_and_a_finalizer() -> None:
    world = World(blue(), namespace("blue", t="blue"), namespace("sky", t="blue"), namespace("red"))
    world.publish()
    assert world.places == ["blue/blue", "sky/blue"]
    found = world.api.of(NAD)["sky/blue"]
    metadata = found["metadata"]
    assert metadata["labels"] == {"advertise": "blue", "k8s.ovn.org/user-defined-network": ""}
    assert metadata["annotations"] == {
        "k8s.ovn.org/network-name": "cluster_udn_blue",
        "k8s.ovn.org/network-id": "1",
        "k8s.ovn.org/tunnel-keys": "[16711684,16715779]",
    }
    assert metadata["finalizers"] == [FINALIZER]
    (owner,) = metadata["ownerReferences"]
    assert owner == {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": CUDN,
        "name": "blue",
        "uid": "uid-blue",
        "controller": True,
        "blockOwnerDeletion": True,
    }
    assert found["spec"]["config"] == (
        '{"cniVersion":"1.1.0","joinSubnet":"100.65.0.0/16,fd99::/64","name":"cluster_udn_blue",'
        '"netAttachDefName":"sky/blue","role":"primary","subnets":"10.20.0.0/16","topology":"layer2",'
        '"transitSubnet":"100.88.0.0/16","type":"ovn-k8s-cni-overlay"}'
    )
    assert world.api.of(CUDN)["blue"]["metadata"]["finalizers"] == [FINALIZER]
    written = len(world.api.writes)
    world.publish()
    assert len(world.api.writes) == written == 3
    assert world.api.events == []


def test_a_user_defined_network_has_one_in_its_own_namespace() -> None:
    network = udn()
    network["metadata"]["annotations"] = NUMBERS
    world = World(network, namespace("ns"), namespace("other"))
    world.publish()
    assert world.places == ["ns/u"]


def test_numbers_that_are_not_recorded_render_nothing() -> None:
    world = World(cudn("blue"), namespace("blue", t="blue"))
    world.publish()
    assert world.api.writes == []


def test_a_network_that_is_not_owned_is_not_rendered_and_keeps_what_it_has() -> None:
    world = World(blue(), namespace("blue", t="blue"))
    settings = settings_of(cluster_facts(world.api), Settings())
    refused = unowned(desired_state(world.api, judged, settings, ""), "cluster_udn_blue")
    world.publisher.publish(refused, ())
    assert world.api.writes == []
    world.publish()
    world.publisher.publish(refused, ())
    assert world.places == ["blue/blue"]


def test_labels_follow_the_network_and_those_of_others_stay() -> None:
    world = World(blue(), namespace("blue", t="blue"))
    world.publish()
    labels = {**world.api.of(NAD)["blue/blue"]["metadata"]["labels"], "mine": "1"}
    world.change(NAD, "blue/blue", labels=labels)
    world.change(CUDN, "blue", labels={"advertise": "sky"})
    world.publish()
    found = world.api.of(NAD)["blue/blue"]["metadata"]["labels"]
    assert found == {"advertise": "sky", "k8s.ovn.org/user-defined-network": "", "mine": "1"}
    world.change(CUDN, "blue", labels={})
    world.publish()
    assert world.api.of(NAD)["blue/blue"]["metadata"]["labels"] == {"k8s.ovn.org/user-defined-network": "", "mine": "1"}


def test_an_attachment_goes_with_its_label_and_with_its_network() -> None:
    world = World(blue(), namespace("blue", t="blue"), namespace("sky", t="blue"))
    world.publish()
    world.change("Namespace", "sky", labels={})
    world.publish()
    assert world.places == ["blue/blue"]
    world.change(CUDN, "blue", deletionTimestamp=DELETED)
    world.publish()
    assert (world.places, list(world.api.of(CUDN))) == ([], [])
    assert world.api.events == []


def test_pods_keep_their_attachment_and_their_network(caplog: pytest.LogCaptureFixture) -> None:
    using = pod("one", **{"k8s.ovn.org/pod-networks": record("default", "blue/blue/1")})
    world = World(blue(), namespace("blue", t="blue"), namespace("sky", t="blue"), using)
    world.publish()
    world.change("Namespace", "blue", labels={})
    world.publish()
    assert world.places == ["blue/blue", "sky/blue"]
    world.change(CUDN, "blue", deletionTimestamp=DELETED)
    world.publish()
    assert (world.places, list(world.api.of(CUDN))) == (["blue/blue"], ["blue"])
    text = "failed to delete NetworkAttachmentDefinition [blue/blue]: network in use by the following pods: [blue/one]"
    assert world.api.events == [("NetworkInUse", text)]
    assert [each.getMessage() for each in caplog.records if each.levelno == logging.WARNING] == [f"{CUDN} blue: {text}"]
    world.api.drop(path_of(using))
    world.publish()
    assert (world.places, list(world.api.of(CUDN))) == ([], [])


def test_a_network_that_is_only_refused_keeps_its_attachments() -> None:
    world = World(blue(), namespace("blue", t="blue"))
    world.publish()
    bad = blue()
    bad["spec"]["network"]["layer2"]["subnets"] = ["100.65.0.0/16"]
    world.api.put({**bad, "metadata": world.api.of(CUDN)["blue"]["metadata"]})
    world.publish()
    assert world.places == ["blue/blue"]


def test_a_list_that_is_suddenly_empty_removes_nothing() -> None:
    world = World(blue(), namespace("blue", t="blue"))
    world.publish()
    world.api.lost = frozenset((POD,))
    world.change("Namespace", "blue", labels={})
    world.publish()
    assert world.places == ["blue/blue"]
    world.api.lost = frozenset()
    world.publish()
    assert world.places == []


def test_numbers_that_somebody_changes_come_back_and_the_network_goes_on() -> None:
    world = World(blue(), namespace("blue", t="blue"))
    world.publish()
    annotations = world.api.of(NAD)["blue/blue"]["metadata"]["annotations"]
    forged = {**annotations, "k8s.ovn.org/network-id": "7", "k8s.ovn.org/tunnel-keys": "[16711690,16715790]"}
    world.change(NAD, "blue/blue", annotations=forged)
    broken = desired_state(world.api, judged, Settings(), "")
    assert [str(error) for error in broken.errors] == [
        "network cluster_udn_blue: network id 1 of the object contradicts 7 of NetworkAttachmentDefinition blue/blue"
    ]
    world.publish()
    assert world.api.of(NAD)["blue/blue"]["metadata"]["annotations"] == annotations
    assert desired_state(world.api, judged, Settings(), "").errors == ()


def rendered_by_another(**owner: Any) -> JsonObject:
    world = World(blue(), namespace("blue", t="blue"))
    world.publish()
    found = world.api.of(NAD)["blue/blue"]
    metadata = {**found["metadata"], "managedFields": [{"manager": "ovnkube", "operation": "Update"}]}
    metadata["ownerReferences"] = [{**metadata["ownerReferences"][0], **owner}]
    return {**found, "metadata": {**metadata, "labels": {}}}


@pytest.mark.parametrize(
    ("owner", "event"),
    [
        (
            {},
            (
                "NotAdopted",
                "NetworkAttachmentDefinition blue/blue stays as it is: another writer rendered it (--adopt NETWORK)",
            ),
        ),
        (
            {"uid": "uid-other"},
            ("ForeignObject", "foreign NetworkAttachmentDefinition with the desired name already exist [blue/blue]"),
        ),
    ],
)
def test_what_another_writer_made_stays(owner: dict[str, Any], event: tuple[str, str]) -> None:
    other = rendered_by_another(**owner)
    world = World(blue(), namespace("blue", t="blue"), other)
    world.publish()
    assert world.api.of(NAD)["blue/blue"]["metadata"]["managedFields"] == other["metadata"]["managedFields"]
    assert world.api.writes == []
    assert world.api.events == [event]


def test_an_adopted_attachment_becomes_ours() -> None:
    world = World(blue(), namespace("blue", t="blue"), rendered_by_another(), adopted=frozenset(("cluster_udn_blue",)))
    world.publish()
    found = world.api.of(NAD)["blue/blue"]["metadata"]
    assert ATTACHMENT_MANAGER in {each["manager"] for each in found["managedFields"]}
    assert found["labels"] == {"advertise": "blue", "k8s.ovn.org/user-defined-network": ""}


def test_one_refused_attachment_delays_no_other() -> None:
    world = World(blue(), namespace("blue", t="blue"), namespace("sky", t="blue"))
    path = "/apis/k8s.cni.cncf.io/v1/namespaces/blue/network-attachment-definitions/blue"
    world.api.failures[path] = ApiStatusError(403, "Forbidden", "no")
    world.publish(5)
    assert world.places == ["sky/blue"]
    assert world.api.writes.count(f"PATCH {path}") == 1
    assert [reason for reason, _ in world.api.events] == ["NotWritten"]
    assert world.publisher.due() == 0.5
    del world.api.failures[path]
    world.seconds = 0.5
    world.publish()
    assert world.places == ["blue/blue", "sky/blue"]
    assert world.publisher.due() is None


def test_a_refused_attachment_keeps_no_process_busy_that_leads_no_longer() -> None:
    world = World(blue(), namespace("blue", t="blue"))
    path = "/apis/k8s.cni.cncf.io/v1/namespaces/blue/network-attachment-definitions/blue"
    world.api.failures[path] = ApiStatusError(403, "Forbidden", "no")
    world.publish()
    # a process that leads no longer is asked when it is due, and publishes nothing
    pauses: list[float] = []
    while len(pauses) < 100 and (due := world.publisher.due()) is not None:
        pauses.append(due)
        world.seconds += due
    assert pauses == [0.5, 0.5, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0]


def test_another_process_that_does_not_lead_writes_nothing() -> None:
    world = World(blue(), namespace("blue", t="blue"), leads=False)
    world.publish()
    assert world.api.writes == []


def test_numbers_on_our_attachments_do_not_make_new_networks_wait_for_another_cluster_manager() -> None:
    world = World(blue(), namespace("blue", t="blue"))
    world.publish()
    world.api.put(cudn("green", "10.21.0.0/16"))
    state = desired_state(world.api, judged, Settings(), "")
    assert [str(error) for error in state.errors] == []
    (patch,) = state.records.values()
    assert "ovnguard.io/network-id" in patch["metadata"]["annotations"]
