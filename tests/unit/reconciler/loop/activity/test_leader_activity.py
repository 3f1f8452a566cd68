"""What the leader gives to nodes, and says about them, under dynamic allocation."""

import copy
import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from ovnguard.reconciler.apply.kube import Recorder, find_condition
from ovnguard.reconciler.loop.activity.activity_metrics import ActiveNodesMetric
from ovnguard.reconciler.loop.activity.activity_status import ActivityStatus
from ovnguard.reconciler.loop.activity.leader_activity import LeaderActivity
from ovnguard.reconciler.loop.inputs.plan_inputs import DECLARING_RESOURCES
from ovnguard.reconciler.loop.leader.leader import DynamicAllocation, Leader, LeaderParts
from ovnguard.reconciler.loop.process.events import EventRecorder
from ovnguard.reconciler.loop.status.status_writer import StatusWriter
from ovnguard.validators.admission import Operation, Request, judge
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import ApiStatusError
from ovnguard.validators.network.cluster_view import CUDN, EGRESS_IP, NAMESPACE, NODE, POD
from tests.support.fake_cluster import Cluster, cudn, managed_by, node, operator
from tests.support.manifests.activity_manifests import egress_on, pod_on, tenant

SUBNETS = "k8s.ovn.org/node-subnets"
WIDE, PERIOD = "cluster_udn_wide", 120.0


def layer3(name: str = "wide", cidr: str = "10.20.0.0/16", length: int = 24) -> dict[str, Any]:
    found = cudn(name)
    subnets = [{"cidr": cidr, "hostSubnet": length}]
    found["spec"]["network"] = {"topology": "Layer3", "layer3": {"role": "Primary", "subnets": subnets}}
    return found


def judged(obj, view):
    return judge(Request(Operation.CREATE, obj, dynamic=True), view)


class Counts(ActiveNodesMetric):
    """What the metric shows."""

    def __init__(self) -> None:
        self.now: dict[str, int] = {}

    def set(self, counts) -> None:
        self.now = dict(counts)


class World:
    """A leader of three nodes; every node had the time to settle."""

    def __init__(self, *objects: JsonObject, period: float = PERIOD) -> None:
        members = [node(f"n{number}", number + 1) for number in (1, 2, 3)]
        self.cluster = Cluster(operator(), *members, tenant("wide"), tenant("blue"), *objects)
        self.seconds, self.leads, self.counts = 0.0, True, Counts()
        self.restart(period)
        self.settle()

    def restart(self, period: float = PERIOD, *, audit: bool = False, on: bool = True) -> None:
        now = datetime(2026, 1, 1, tzinfo=UTC)
        recorder = None if audit else Recorder(self.cluster, DECLARING_RESOURCES, lambda: now)
        announcer = EventRecorder(self.cluster, "x", lambda: now, lambda: self.seconds)
        reporter = StatusWriter(recorder, announcer, lambda: self.seconds)
        status = ActivityStatus(recorder, announcer, self.counts, lambda: self.seconds)
        self.activity = LeaderActivity(self.cluster, period, lambda: self.seconds)
        self.dynamic = dynamic = DynamicAllocation(self.activity if on else None, status)
        leading = (lambda: True) if audit else (lambda: self.leads)
        parts = LeaderParts(self.cluster, judged, recorder, reporter, leading, dynamic=dynamic)
        self.leader = Leader(replace(parts, monotonic=lambda: self.seconds))

    def settle(self) -> None:
        for _ in range(4):
            assert self.leader.tick() == ()

    def after(self, seconds: float) -> None:
        self.seconds += seconds
        self.settle()

    def remove(self, *names: str) -> None:
        for name in names:
            del self.cluster.served[POD][name]
        self.settle()

    def put(self, *objects: JsonObject) -> None:
        for obj in objects:
            self.cluster.put(obj)
        self.settle()

    def subnets(self, network: str = WIDE) -> dict[str, list[str]]:
        found = {}
        for name, obj in self.cluster.served[NODE].items():
            subnets = json.loads(obj["metadata"]["annotations"].get(SUBNETS, "{}"))
            if network in subnets:
                found[name] = subnets[network]
        return found

    def condition(self, name: str = "wide") -> tuple[str, str, str] | None:
        found = find_condition(self.cluster.get(name), "NodesSelected")
        return None if found is None else (found["status"], found["reason"], found["message"])

    @property
    def events(self) -> list[tuple[str, str]]:
        return [(event["reason"], event["note"]) for event in self.cluster.events]


ONE, TWO = ["10.20.0.0/24"], ["10.20.1.0/24"]
ONE_NODE = ("True", "DynamicAllocation", "1 node rendered with network")
TWO_NODES = ("True", "DynamicAllocation", "2 nodes rendered with network")
NO_NODE = ("False", "DynamicAllocation", "no nodes currently rendered with network")


def test_only_nodes_that_use_a_network_get_subnets_of_it():
    world = World(layer3())
    assert (world.subnets(), len(world.subnets("default"))) == ({}, 3)
    world.put(pod_on("n2", "wide"))
    assert world.subnets() == {"n2": ONE}
    world.put(egress_on("wide", "n3"))
    assert world.subnets() == {"n2": ONE, "n3": TWO}


def test_a_network_that_is_too_small_for_all_nodes_suffices_for_those_that_use_it(caplog):
    world = World(layer3(cidr="10.20.0.0/24", length=25), pod_on("n1", "wide"), pod_on("n3", "wide"))
    assert world.subnets() == {"n1": ["10.20.0.0/25"], "n3": ["10.20.0.128/25"]}
    assert caplog.messages == []
    world.put(pod_on("n2", "wide"))
    message = "no IPv4 subnet left for the node: all 2 of 10.20.0.0/24 (length 25) are in use"
    assert caplog.messages == [f"network cluster_udn_wide, node n2: {message}"]


def test_subnets_are_given_back_after_the_grace_period_and_then_free():
    world = World(layer3(), pod_on("n1", "wide"), pod_on("n2", "wide"))
    assert world.subnets() == {"n1": ONE, "n2": TWO}
    world.remove("wide-n1")
    assert world.activity.due() == PERIOD
    world.after(PERIOD - 1)
    assert (world.subnets(), world.activity.due()) == ({"n1": ONE, "n2": TWO}, 1.0)
    world.put(pod_on("n3", "wide"))
    assert world.subnets() == {"n1": ONE, "n2": TWO, "n3": ["10.20.2.0/24"]}
    world.remove("wide-n3")
    world.after(1)
    assert world.subnets() == {"n2": TWO, "n3": ["10.20.2.0/24"]}
    assert len(world.subnets("default")) == 3
    world.put(pod_on("n1", "wide"))
    assert world.subnets()["n1"] == ONE


def test_a_subnet_is_not_given_to_another_node_before_it_is_given_back():
    """In the pass that takes it from one node, it is not free yet."""
    world = World(layer3(cidr="10.20.0.0/24", length=25), pod_on("n2", "wide"), pod_on("n3", "wide"))
    world.remove("wide-n3")
    world.put(pod_on("n1", "wide"))
    low, high = ["10.20.0.0/25"], ["10.20.0.128/25"]
    assert world.subnets() == {"n2": low, "n3": high}
    world.seconds += PERIOD
    assert world.leader.tick() == ()
    assert world.subnets() == {"n2": low}
    assert world.leader.tick() == ()
    assert world.subnets() == {"n1": high, "n2": low}


def test_without_a_period_subnets_are_given_back_at_once_also_at_the_start():
    world = World(layer3(), pod_on("n1", "wide"), pod_on("n2", "wide"), period=0.0)
    world.remove("wide-n1")
    assert world.subnets() == {"n2": TWO}
    del world.cluster.served[POD]["wide-n2"]
    world.restart(0.0)
    world.settle()
    assert world.subnets() == {}


def test_a_write_that_fails_is_tried_again():
    world = World(layer3(), pod_on("n1", "wide"), period=0.0)
    del world.cluster.served[POD]["wide-n1"]
    world.cluster.failure = ApiStatusError(500, "InternalError", "etcd is away")
    world.leader.tick()
    world.cluster.failure = None
    world.seconds += 1.0
    world.settle()
    assert world.subnets() == {}


@pytest.mark.parametrize("how", ["restart", "lost lease"])
def test_a_new_leader_begins_whole_periods(how: str):
    world = World(layer3(), pod_on("n1", "wide"))
    world.remove("wide-n1")
    world.after(PERIOD - 1)
    if how == "restart":
        world.restart()
    else:
        world.leads = False
        world.settle()
        world.leads = True
    world.settle()
    world.after(PERIOD - 1)
    assert world.subnets() == {"n1": ONE}
    world.after(1)
    assert world.subnets() == {}


def test_a_node_that_comes_again_under_its_name_has_nothing_in_grace():
    world = World(layer3(), pod_on("n1", "wide"))
    world.remove("wide-n1")
    del world.cluster.served[NODE]["n1"]
    world.settle()
    world.put(node("n1", 2))
    assert world.subnets() == {}
    world.put(pod_on("n2", "wide"), pod_on("n1", "wide"))
    assert world.subnets() == {"n1": ONE, "n2": TWO}


def test_a_list_that_is_suddenly_empty_gives_nothing_back():
    world = World(layer3(), pod_on("n1", "wide"))
    world.cluster.silent = frozenset({POD})
    world.remove("wide-n1")
    world.after(PERIOD)
    world.after(PERIOD)
    assert (world.subnets(), world.condition()) == ({"n1": ONE}, ONE_NODE)
    world.cluster.silent = frozenset()
    world.settle()
    assert (world.subnets(), world.condition()) == ({"n1": ONE}, NO_NODE)


@pytest.mark.parametrize("kind", [POD, NAMESPACE, EGRESS_IP])
def test_nothing_is_allocated_while_the_use_of_networks_is_unknown(kind):
    world = World()
    world.cluster.put(layer3())
    del world.cluster.served[kind]
    world.restart()
    world.settle()
    assert (world.subnets(), world.condition()) == ({}, None)


def test_the_condition_counts_nodes_from_the_first_pod_on():
    world = World(layer3())
    assert world.condition() is None
    world.put(pod_on("n1", "wide"), pod_on("n1", "wide", "another"))
    assert world.condition() == ONE_NODE
    world.put(pod_on("n2", "wide"))
    assert world.condition() == TWO_NODES
    world.remove("wide-n2")
    assert world.condition() == ONE_NODE
    # at once, though the node keeps its subnet for a while
    world.remove("wide-n1", "another")
    assert (world.condition(), world.subnets()["n1"]) == (NO_NODE, ONE)
    world.put(pod_on("n1", "wide"))
    assert (world.condition(), world.subnets()["n1"]) == (ONE_NODE, ONE)


def test_the_condition_names_the_generation_that_it_is_about():
    changed = {**layer3(), "metadata": {**layer3()["metadata"], "generation": 4}}
    world = World(changed, pod_on("n1", "wide"))
    condition = find_condition(world.cluster.get("wide"), "NodesSelected")
    assert condition is not None
    assert condition["observedGeneration"] == 4


def test_a_count_that_does_not_change_is_not_written_again():
    world = World(layer3(), pod_on("n1", "wide"))
    written = len(world.cluster.patches)
    world.put(pod_on("n1", "wide", "another"), egress_on("wide", "n1"))
    world.remove("another")
    assert len(world.cluster.patches) == written


def test_a_new_leader_corrects_a_count_that_is_no_longer_true():
    world = World(layer3(), pod_on("n1", "wide"), pod_on("n2", "wide"))
    for name in ("wide-n1", "wide-n2"):
        del world.cluster.served[POD][name]
    world.restart()
    world.settle()
    assert world.condition() == NO_NODE


def test_a_condition_of_ovn_kubernetes_that_counts_the_same_is_left_as_it_is():
    theirs = {"type": "NodesSelected", "status": "True", "reason": "DynamicAllocation"}
    wide = {**layer3(), "status": {"conditions": [{**theirs, "message": "1 node(s) rendered with network"}]}}
    world = World(wide, pod_on("n1", "wide"))
    assert world.condition() == ("True", "DynamicAllocation", "1 node(s) rendered with network")
    world.put(pod_on("n2", "wide"))
    assert world.condition() == TWO_NODES


def test_changes_are_events_about_the_network_and_the_first_state_of_a_leader_is_not():
    world = World(layer3(), pod_on("n1", "wide"))
    assert world.events == []
    world.put(pod_on("n2", "wide"), pod_on("n2", "wide", "another"))
    world.remove("wide-n1")
    world.remove("another")
    assert world.events == [
        ("NodeActivated", "Node n2 uses the network."),
        ("NodeDeactivated", "Node n1 no longer uses the network."),
    ]
    regarding = world.cluster.events[0]["regarding"]
    assert (regarding["kind"], regarding["name"], world.cluster.events[0]["type"]) == (CUDN.kind, "wide", "Normal")
    # a network that comes with its pods
    world.put(cudn("blue", "10.30.0.0/16"), pod_on("n3", "blue"))
    assert world.events[2] == ("NodeActivated", "Node n3 uses the network.")


def test_two_egress_addresses_on_one_node_are_one_use():
    world = World(layer3())
    world.put(egress_on("wide", "n1", name="one"), egress_on("wide", "n1", name="two"))
    del world.cluster.served[EGRESS_IP]["one"]
    world.settle()
    assert (world.condition(), world.events) == (ONE_NODE, [("NodeActivated", "Node n1 uses the network.")])


def test_a_namespace_that_changes_its_network_uses_the_new_one():
    world = World(layer3(), cudn("blue", "10.30.0.0/16"), pod_on("n1", "wide"))
    moved = tenant("wide")
    moved["metadata"]["labels"]["t"] = "blue"
    world.put(moved)
    assert (world.condition("wide"), world.condition("blue")) == (NO_NODE, ONE_NODE)
    assert world.counts.now == {"cluster_udn_wide": 0, "cluster_udn_blue": 1}


def test_events_of_a_whole_cluster_are_limited_and_no_condition_is_missing(caplog):
    world = World(layer3(), *(node(f"m{number}", number + 10) for number in range(200)))
    world.put(*(pod_on(f"m{number}", "wide") for number in range(200)))
    assert world.condition() == ("True", "DynamicAllocation", "200 nodes rendered with network")
    assert len(world.cluster.events) == 20
    assert [text for text in caplog.messages if "dropped" in text] == [
        "136 events were dropped: more than 64 were pending"
    ]


def test_subnets_of_further_networks_do_not_wait_for_many_conditions(monkeypatch):
    names = [f"n{number}" for number in range(6)]
    world = World(*(cudn(name, f"10.{30 + number}.0.0/16", number) for number, name in enumerate(names)), layer3())
    for name in names:
        world.cluster.put(tenant(name))
        world.cluster.put(pod_on("n1", name))
    request = world.cluster.request

    def slow(*args: Any) -> Any:
        world.seconds += 0.4
        return request(*args)

    monkeypatch.setattr(world.cluster, "request", slow)
    world.leader.tick()
    assert [world.condition(name) for name in names] == [ONE_NODE] * 3 + [None] * 3
    assert world.leader.due() == 0.1
    world.cluster.put(pod_on("n2", names[0]))
    world.cluster.put(pod_on("n1", "wide"))
    world.leader.tick()
    assert world.subnets() == {"n1": ONE}
    # who was left comes first
    assert [world.condition(name) for name in names] == [ONE_NODE] * 6
    world.leader.tick()
    assert (world.condition(names[0]), world.condition()) == (TWO_NODES, ONE_NODE)
    assert world.dynamic.status.due() is None


def test_the_metric_counts_nodes_by_network():
    world = World(layer3(), cudn("blue", "10.30.0.0/16"), pod_on("n1", "wide"), pod_on("n2", "wide"))
    assert world.counts.now == {"cluster_udn_wide": 2, "cluster_udn_blue": 0}
    del world.cluster.served[CUDN]["blue"]
    world.remove("wide-n2")
    assert world.counts.now == {"cluster_udn_wide": 1}
    # who does not lead counts nothing
    world.leads = False
    world.settle()
    assert world.counts.now == {}


def test_an_audit_counts_and_writes_no_object():
    world = World()
    world.put(layer3(), pod_on("n1", "wide"))
    before = copy.deepcopy(world.cluster.patches)
    world.restart(audit=True)
    world.settle()
    world.put(pod_on("n2", "wide"))
    assert world.counts.now == {"cluster_udn_wide": 2}
    assert world.cluster.patches == before
    assert world.events[-1] == ("NodeActivated", "Node n2 uses the network.")


def test_switched_off_the_leader_removes_its_conditions_and_gives_all_nodes_subnets(caplog):
    theirs = {"type": "NodesSelected", "status": "True", "reason": "DynamicAllocation", "message": "3 of theirs"}
    world = World(layer3(), cudn("blue", "10.30.0.0/16"), pod_on("n1", "wide"), pod_on("n1", "blue"))
    assert (world.condition("wide"), world.condition("blue")) == (ONE_NODE, ONE_NODE)
    # another writer took this one over
    blue = world.cluster.get("blue")
    blue["status"]["conditions"] = [theirs]
    blue["metadata"]["managedFields"] = [managed_by("ClusterManager")]
    world.cluster.put(blue)
    caplog.set_level("INFO", "ovnguard.reconciler.loop.activity")
    world.restart(on=False)
    world.settle()
    assert world.condition("wide") is None
    assert find_condition(world.cluster.get("blue"), "NodesSelected") == theirs
    assert len(world.subnets()) == 3
    assert caplog.messages == [
        "ClusterUserDefinedNetwork wide: condition NodesSelected removed: all nodes render the network"
    ]
    assert (world.counts.now, world.dynamic.due()) == ({}, None)
    world.restart()
    world.settle()
    assert world.condition("wide") == ONE_NODE


def test_a_condition_that_cannot_be_removed_is_tried_again():
    world = World(layer3(), pod_on("n1", "wide"))
    world.restart(on=False)
    world.cluster.failure = ApiStatusError(403, "Forbidden", "not yours")
    assert world.leader.tick() == ()
    assert world.condition() == ONE_NODE
    assert 0 < (world.dynamic.due() or 0) <= 0.5
    world.cluster.failure = None
    world.after(0.5)
    assert (world.condition(), world.dynamic.due()) == (None, None)


def test_switched_off_in_an_audit_nothing_is_removed():
    world = World(layer3(), pod_on("n1", "wide"))
    world.restart(audit=True, on=False)
    world.settle()
    assert world.condition() == ONE_NODE
