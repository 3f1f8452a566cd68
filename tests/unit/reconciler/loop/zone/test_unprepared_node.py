"""A node without what ovnkube-node writes: no network is ready there, and the zone says whom it waits for."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ovnguard.reconciler.apply.pod_records import PodRecords
from ovnguard.reconciler.loop.pods.pod_addresser import AddresserParts, PodAddresser
from ovnguard.reconciler.loop.process.events import EventRecorder
from ovnguard.reconciler.loop.status.zone_report import report_of
from ovnguard.reconciler.loop.status.zone_state import PassResult, Written
from ovnguard.reconciler.loop.zone.unprepared_node import missing_plugin, unprepared_node
from ovnguard.reconciler.plan.pods.missing_entries import is_of_zone
from ovnguard.reconciler.plan.rows.settings import Settings
from tests.support.attached_api import AttachedApi
from tests.support.fake_cluster import ID, KEYS, TRANSIT, World, cudn, desired_state, judged, node, operator

pytestmark = pytest.mark.usefixtures("everything_is_heard")
NUMBERS: dict[str, Any] = {ID: "1", KEYS: "[16711684,16715779]", TRANSIT: "100.88.0.0/16"}


@pytest.mark.parametrize(
    ("key", "writer"),
    [
        ("k8s.ovn.org/node-chassis-id", "ovnkube-node"),
        ("k8s.ovn.org/l3-gateway-config", "ovnkube-node"),
        ("k8s.ovn.org/node-id", "the leader"),
    ],
)
def test_every_network_waits_for_the_writer(key: str, writer: str, caplog: pytest.LogCaptureFixture) -> None:
    world = World(operator(), cudn("blue", **NUMBERS))
    lacking = node()
    del lacking["metadata"]["annotations"][key]
    world.cluster.put(lacking)
    api = AttachedApi()
    announcer = EventRecorder(api, "n1", lambda: world.now, lambda: world.seconds)
    given = AddresserParts(PodRecords(api), announcer, is_of_zone, is_of_zone, lambda: world.seconds)
    zone = world.zone_of(world.store, addresser=PodAddresser(given))
    text = f"the node is waiting for {key}, which {writer} writes"

    def logged() -> list[str]:
        return [each.getMessage() for each in caplog.records if each.levelname == "WARNING"]

    # a node that joins gets its number in a moment
    assert (zone.tick(), logged(), zone.due()) == ((), [], 5.0)
    world.seconds = 10.0
    assert (zone.tick(), logged()) == ((), [f"zone n1: {text}"])
    desired = desired_state(world.cluster, judged, Settings(), "n1")
    found = unprepared_node(desired, "n1")
    assert found == {"default": text, "cluster_udn_blue": text}
    report = report_of(desired, "n1", "own", PassResult(Written(waiting=found)))
    problems = {name: (each.state, each.message) for name, each in report.problems.items()}
    assert problems == {"default": ("Waiting", text), "cluster_udn_blue": ("Waiting", text)}
    world.cluster.put(node())
    assert unprepared_node(desired_state(world.cluster, judged, Settings(), "n1"), "n1") == {}


def test_a_node_that_does_not_exist_is_no_reason() -> None:
    world = World(cudn("blue", **NUMBERS))
    assert unprepared_node(desired_state(world.cluster, judged, Settings(), "n9"), "n9") == {}


def test_a_node_without_the_plugin_has_rows_and_no_network_is_ready(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    world = World(operator(), cudn("blue", **NUMBERS))
    api = AttachedApi()
    announcer = EventRecorder(api, "n1", lambda: world.now, lambda: world.seconds)
    given = AddresserParts(PodRecords(api), announcer, is_of_zone, is_of_zone, lambda: world.seconds)
    lacking = partial(unprepared_node, missing_plugin=partial(missing_plugin, tmp_path))
    zone = world.zone_of(world.store, addresser=PodAddresser(given), lacking=lacking)
    what = f"waiting for a configuration of the CNI plugin ovn-k8s-cni-overlay in {tmp_path}"
    text = f"the node is {what}, which ovnkube-node writes"
    assert zone.tick() == ()
    assert "cluster_udn_blue" in world.store.networks
    world.seconds = 10.0
    assert zone.tick() == ()
    assert [each.getMessage() for each in caplog.records if each.levelname == "WARNING"] == [f"zone n1: {text}"]
    desired = desired_state(world.cluster, judged, Settings(), "n1")
    assert lacking(desired, "n1") == {"default": text, "cluster_udn_blue": text}
    # no event comes with the file
    assert zone.due() == 5.0
    (tmp_path / "10-ovn-kubernetes.conf").write_text('{"type": "ovn-k8s-cni-overlay"}')
    assert (lacking(desired, "n1"), zone.tick(), zone.due()) == ({}, (), None)
