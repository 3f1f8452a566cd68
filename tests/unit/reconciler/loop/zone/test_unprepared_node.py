"""A node without what ovnkube-node writes: no network is ready there, and the zone says whom it waits for."""

import pytest

from reconciler.loop.status.zone_report import report_of
from reconciler.loop.status.zone_state import Written
from reconciler.loop.zone.unprepared_node import unprepared_node
from reconciler.plan.rows.settings import Settings
from tests.support.fake_cluster import ID, KEYS, TRANSIT, World, cudn, desired_state, judged, node, operator

pytestmark = pytest.mark.usefixtures("everything_is_heard")
NUMBERS = {ID: "1", KEYS: "[16711684,16715779]", TRANSIT: "100.88.0.0/16"}


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
    assert world.zone.tick() == ()
    text = f"the node is waiting for {key}, which {writer} writes"
    desired = desired_state(world.cluster, judged, Settings(), "n1")
    found = unprepared_node(desired, "n1")
    assert found == {"default": text, "cluster_udn_blue": text}
    report = report_of(desired, "n1", "own", Written(waiting=found), [])
    problems = {name: (each.state, each.message) for name, each in report.problems.items()}
    assert problems == {"default": ("Waiting", text), "cluster_udn_blue": ("Waiting", text)}
    logged = [each.getMessage() for each in caplog.records if each.levelname == "WARNING"]
    assert logged == [f"zone n1: {text}"]
    world.cluster.put(node())
    assert unprepared_node(desired_state(world.cluster, judged, Settings(), "n1"), "n1") == {}


def test_a_node_that_does_not_exist_is_no_reason() -> None:
    world = World(cudn("blue", **NUMBERS))
    assert unprepared_node(desired_state(world.cluster, judged, Settings(), "n9"), "n9") == {}
