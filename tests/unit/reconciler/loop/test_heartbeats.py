"""A kubelet writes the status of its node every few minutes: no loop wakes, judges, plans or writes because of it."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from ovnguard.reconciler.loop.inputs.plan_inputs import DECLARING_PARTS
from ovnguard.reconciler.loop.leader import leader as leader_module
from ovnguard.reconciler.loop.zone import zone_loop as zone_module
from ovnguard.reconciler.plan.pods.pod_objects import pods_of
from ovnguard.validators.cluster.cache import Cache
from ovnguard.validators.network.cluster_view import NODE
from tests.support.fake_cluster import Cluster, World, cudn, node
from tests.unit.reconciler.loop.leader.test_leader import World as LeaderWorld
from tests.unit.reconciler.loop.leader.test_leader import bare, layer3

pytestmark = pytest.mark.usefixtures("everything_is_heard")


def heartbeat(cluster: Cluster, name: str, change: Callable[[dict[str, Any]], Any] = lambda _: None) -> None:
    """Write what a kubelet writes: times, and who wrote them."""
    obj: dict[str, Any] = copy.deepcopy(cluster.get(name, NODE))
    now = f"2026-01-01T00:05:{cluster.version:02d}Z"
    obj["status"]["conditions"] = [{"type": "Ready", "status": "True", "lastHeartbeatTime": now}]
    obj["metadata"]["managedFields"] = [{"manager": "kubelet", "subresource": "status", "time": now}]
    change(obj)
    cluster.put(obj)


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which process planned, once for each plan."""
    made: list[str] = []
    for name, module in (("leader", leader_module), ("zone", zone_module)):
        planned = module.plan_cluster

        def counted(*args: Any, name: str = name, planned: Callable[..., Any] = planned) -> Any:
            made.append(name)
            return planned(*args)

        monkeypatch.setattr(module, "plan_cluster", counted)
    return made


def test_no_loop_wakes_for_heartbeats() -> None:
    cluster, cache = Cluster(node()), Cache(*DECLARING_PARTS[-1])
    cache.replace([cluster.get("n1", NODE)])
    heartbeat(cluster, "n1")
    assert not cache.put(cluster.get("n1", NODE))
    assert cache.objects() == (cluster.get("n1", NODE),)
    heartbeat(cluster, "n1", lambda obj: obj["metadata"].update(labels={"a": "b"}))
    assert cache.put(cluster.get("n1", NODE))


def test_a_zone_reads_pods_and_routes_again_for_no_condition_of_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    reads = list[None]()

    def counted(*args: Any) -> Any:
        reads.append(None)
        return pods_of(*args)

    monkeypatch.setattr("ovnguard.reconciler.loop.inputs.plan_inputs.pods_of", counted)
    world = World(cudn("blue"))
    world.settle()
    reads.clear()
    obj: dict[str, Any] = copy.deepcopy(world.cluster.get("blue"))
    obj["status"]["conditions"].append({"type": "Seen", "status": "True", "reason": "Other", "message": ""})
    world.cluster.put(obj)
    world.settle()
    assert reads == []
    world.cluster.put({**obj, "metadata": {**obj["metadata"], "labels": {"a": "b"}}})
    world.settle()
    assert len(reads) == 1


def test_a_zone_does_nothing_after_heartbeats(plans: list[str]) -> None:
    world = World(cudn("blue"))
    world.settle()
    before = world.store.transactions, world.judged, len(world.cluster.patches), len(world.cluster.events)
    plans.clear()
    for name in ("n1", "n2"):
        heartbeat(world.cluster, name)
        world.settle()
    assert plans == []
    assert (world.store.transactions, world.judged, len(world.cluster.patches), len(world.cluster.events)) == before
    heartbeat(world.cluster, "n2", lambda obj: obj["status"].update(addresses=[]))
    world.settle()
    assert plans == ["zone"]


def test_a_leader_does_nothing_after_heartbeats(plans: list[str]) -> None:
    world = LeaderWorld(bare("n1"), bare("n2", 1), layer3(), cudn("blue"))
    world.settle()
    before = len(world.cluster.patches), len(world.cluster.events)
    plans.clear()
    for name in ("n1", "n2"):
        heartbeat(world.cluster, name)
        world.settle()
    assert plans == []
    assert (len(world.cluster.patches), len(world.cluster.events)) == before
    heartbeat(world.cluster, "n2", lambda obj: obj["status"].update(addresses=[]))
    world.settle()
    assert plans == ["leader"]
