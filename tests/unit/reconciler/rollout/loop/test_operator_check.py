"""Nothing is written while the cluster network operator runs, or after it has written."""

import pytest

from ovnguard.validators.cluster.client_protocol import ClusterError
from tests.support.rollout.rollout_world import APPS, CONFIG_MAP, World

PLACE = "/apis/apps/v1/namespaces/openshift-network-operator/deployments/network-operator"
NODES = f"{APPS}/daemonsets/ovnkube-node"
RUNS = (
    "Deployment openshift-network-operator/network-operator: spec.replicas is 1 and status.replicas is 1: the cluster "
    "network operator would undo what --mode own writes; scale it to 0, or use --mode audit"
)


@pytest.fixture
def world() -> World:
    return World()


def operator(world: World, replicas: int) -> None:
    metadata = {"namespace": "openshift-network-operator", "name": "network-operator"}
    counts = {"replicas": replicas}
    world.api.put(PLACE, {"kind": "Deployment", "metadata": metadata, "spec": counts, "status": counts})


def wrote(world: World, path: str, time: str) -> None:
    """The operator writes an object, as the API server records it."""
    entry = {"manager": "cluster-network-operator/operconfig", "operation": "Apply", "time": time}
    world.api.objects[path]["metadata"].setdefault("managedFields", []).append(entry)


def degraded(world: World) -> tuple[str, str, str]:
    found = next(each for each in world.report()["conditions"] if each["type"] == "Degraded")
    return found["status"], found["reason"], found["message"]


def test_only_the_report_and_an_event_are_written_while_an_operator_runs(world):
    operator(world, 1)
    world.api.objects[NODES]["metadata"]["annotations"]["networkoperator.openshift.io/rollout-hung"] = ""
    assert world.controller.tick() == ()
    assert world.written() == []
    assert world.report()["phase"] == "not-understood"
    assert degraded(world) == ("True", "NotUnderstood", RUNS)
    assert world.notes() == [("RolloutNotUnderstood", "Warning", RUNS)]
    operator(world, 0)
    assert world.controller.tick() == ()
    assert (world.report()["phase"], CONFIG_MAP in world.api.objects) == ("S1", True)


def test_an_audit_may_run_while_the_operator_does(world):
    operator(world, 1)
    assert world.restarted(audit=True).tick() == ()
    assert [reason for reason, *_ in world.notes()] == ["RolloutPhase"]


@pytest.mark.parametrize("path", [NODES, CONFIG_MAP])
def test_what_an_operator_writes_meanwhile_ends_all_writes_until_the_next_start(world, path):
    wrote(world, NODES, "2026-01-01T00:00:00Z")
    assert world.controller.tick() == ()
    assert world.report()["phase"] == "S1"
    world.roll()
    world.written()
    wrote(world, path, "2026-01-01T00:00:05Z")
    assert (world.controller.tick(), world.controller.tick()) == ((), ())
    assert world.written() == []
    kind, name = path.split("/")[-2:]
    assert degraded(world) == (
        "True",
        "NotUnderstood",
        f"{'DaemonSet' if kind == 'daemonsets' else 'ConfigMap'} openshift-ovn-kubernetes/{name}: "
        "cluster-network-operator/operconfig wrote it at 2026-01-01T00:00:05Z: the cluster network operator would undo "
        "what --mode own writes; stop the operator, then start this process again",
    )
    world.controller = world.restarted()
    assert world.controller.tick() == ()
    assert world.report()["phase"] == "S1"
    assert "ovnkube-node" in world.written()


def test_an_operator_that_cannot_be_looked_for_is_a_reason_not_to_write(world):
    world.api.failures["GET", PLACE] = ClusterError("403 Forbidden")
    assert world.controller.tick() == ("403 Forbidden",)
    assert world.api.writes == []


def test_what_the_operator_writes_before_it_is_stopped_is_the_past(world):
    operator(world, 1)
    world.controller.tick()
    wrote(world, NODES, "2026-01-01T00:00:05Z")
    world.controller.tick()
    operator(world, 0)
    assert world.controller.tick() == ()
    assert world.report()["phase"] == "S1"
