"""Random orders of events, restarts and pauses: a leader and two zones reach what a cluster from scratch has."""

import json
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ovnguard.reconciler.apply.kube import Recorder, find_condition
from ovnguard.reconciler.loop.activity.activity_metrics import ActiveNodesMetric
from ovnguard.reconciler.loop.activity.activity_status import ActivityStatus, selected_count
from ovnguard.reconciler.loop.activity.leader_activity import LeaderActivity
from ovnguard.reconciler.loop.activity.zone_activity import ZoneActivity
from ovnguard.reconciler.loop.inputs.plan_inputs import DECLARING_RESOURCES
from ovnguard.reconciler.loop.leader.leader import DynamicAllocation, Leader, LeaderParts
from ovnguard.reconciler.loop.process.events import BURST, EventRecorder
from ovnguard.reconciler.loop.process.frozen_view import Fingerprint
from ovnguard.reconciler.loop.status.status_writer import StatusWriter
from ovnguard.reconciler.loop.zone.zone_loop import ZoneLoop, ZoneLoopParts
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.admission import Operation, Request, judge
from ovnguard.validators.network.cluster_view import CUDN, EGRESS_IP, NODE, POD, ClusterView
from ovnguard.validators.network.declared.node import node_of
from tests.support.fake_cluster import Cluster, Store, cudn, node, operator
from tests.support.manifests.activity_manifests import egress_on, pod_on, tenant
from tests.support.soak import limit, sized

PERIOD = 10.0
NETWORKS, NODES = ("blue", "wide"), ("n1", "n2", "n3")


def declared(name: str) -> dict[str, Any]:
    """A Layer2 network, or a Layer3 one with subnets for exactly as many nodes as there are."""
    if name == "blue":
        return cudn("blue", "10.30.0.0/16")
    found = cudn("wide", second=1)
    subnets = [{"cidr": "10.20.0.0/22", "hostSubnet": 24}]
    found["spec"]["network"] = {"topology": "Layer3", "layer3": {"role": "Primary", "subnets": subnets}}
    return found


@dataclass(frozen=True, slots=True)
class Judged:
    """A request for a verdict: equal ones get the same, for judging takes most of the time of an order."""

    state: bytes
    text: str
    obj: Any = field(compare=False)
    view: ClusterView = field(compare=False)


@lru_cache(maxsize=4096)
def verdict_on(asked: Judged) -> Any:
    return judge(Request(Operation.CREATE, asked.obj, dynamic=True), asked.view)


def judged(obj, view):
    return verdict_on(Judged(Fingerprint().of(view), json.dumps(obj, sort_keys=True), obj, view))


class World:
    """The processes of a cluster and the time that they share."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster, self.seconds = cluster, 0.0
        self.checked: object = None
        self.stores = {name: Store() for name in NODES[:2]}
        self.zones: dict[str, ZoneLoop] = {}
        self.start_leader()
        for name in self.stores:
            self.start_zone(name)

    def monotonic(self) -> float:
        return self.seconds

    def start_leader(self) -> None:
        now = datetime(2026, 1, 1, tzinfo=UTC)
        recorder = Recorder(self.cluster, DECLARING_RESOURCES, lambda: now)
        announcer = EventRecorder(self.cluster, "leader", lambda: now, self.monotonic)
        status = ActivityStatus(recorder, announcer, ActiveNodesMetric())
        dynamic = DynamicAllocation(LeaderActivity(self.cluster, PERIOD, self.monotonic), status)
        reporter = StatusWriter(recorder, announcer, self.monotonic)
        parts = LeaderParts(self.cluster, judged, recorder, reporter, lambda: True, dynamic=dynamic)
        self.leader = Leader(replace(parts, monotonic=self.monotonic))

    def start_zone(self, name: str) -> None:
        announcer = EventRecorder(self.cluster, name, lambda: datetime.now(UTC), self.monotonic)
        reporter = StatusWriter(None, announcer, self.monotonic)
        activity = ZoneActivity(name, PERIOD, self.monotonic)
        store, settings_ = self.stores[name], Settings(dynamic=True)
        parts = ZoneLoopParts(self.cluster, judged, store, lambda _: False, reporter, settings_, records=False)
        self.zones[name] = ZoneLoop(name, replace(parts, activity=activity))

    def tick(self, who: str) -> None:
        process = self.leader if who == "leader" else self.zones[who]
        assert process.tick() == ()
        self.check()

    def settle(self) -> None:
        """Let all processes look until a round changes nothing."""
        before, now = None, self.changes()
        while now != before:
            for who in ("leader", *self.zones):
                self.tick(who)
            before, now = now, self.changes()

    def changes(self) -> tuple[int, ...]:
        """How often somebody wrote the objects, and each zone."""
        return self.cluster.version, *(store.transactions for store in self.stores.values())

    def finish(self) -> None:
        """Everything is quiet until all periods are over."""
        self.settle()
        self.seconds += PERIOD
        self.settle()

    def subnets(self) -> dict[str, tuple[Any, ...]]:
        found = (node_of(obj).node for obj in self.cluster.served[NODE].values())
        nodes = [each for each in found if each is not None]
        return {
            each.name: each.host_subnets["cluster_udn_wide"]
            for each in nodes
            if "cluster_udn_wide" in each.host_subnets
        }

    def check(self) -> None:
        """Nothing is given twice, at any time."""
        members = self.cluster.objects(NODE)
        if members is self.checked:
            return
        self.checked = members
        given_ = [subnet for subnets in self.subnets().values() for subnet in subnets]
        assert len(given_) == len(set(given_))

    def used(self) -> dict[str, set[str]]:
        """The nodes that use each network, by the rules in one's own words."""
        found: dict[str, set[str]] = {name: set() for name in self.cluster.served[CUDN]}
        for pod in self.cluster.served[POD].values():
            if pod["metadata"]["namespace"] in found and pod["status"]["phase"] == "Running":
                found[pod["metadata"]["namespace"]].add(pod["spec"]["nodeName"])
        for out in self.cluster.served[EGRESS_IP].values():
            name = out["spec"]["namespaceSelector"]["matchLabels"]["t"]
            if name in found:
                found[name] |= {item["node"] for item in out["status"]["items"]}
        return found


def beginning() -> Cluster:
    members = [node(name, number + 2) for number, name in enumerate(NODES)]
    # a zone keeps its rows when the API server suddenly lists no network at all
    unused = cudn("unused", "10.40.0.0/16")
    return Cluster(operator(), *members, *map(tenant, (*NETWORKS, "unused")), *map(declared, NETWORKS), unused)


WHERE = st.tuples(st.sampled_from(NETWORKS), st.sampled_from(NODES))
EVENTS = st.one_of(
    st.tuples(st.just("pod"), WHERE),
    st.tuples(st.just("no pod"), WHERE),
    st.tuples(st.just("completed"), WHERE),
    st.tuples(st.just("egress"), WHERE),
    st.tuples(st.just("no egress"), WHERE),
    st.tuples(st.just("no network"), WHERE),
    st.tuples(st.just("network"), WHERE),
    st.tuples(st.just("node again"), WHERE),
    st.tuples(st.just("restart"), st.sampled_from(("leader", *NODES[:2]))),
    st.tuples(st.just("tick"), st.sampled_from(("leader", *NODES[:2]))),
    st.tuples(st.just("pause"), st.sampled_from((0.5, PERIOD - 0.5, PERIOD))),
)


def change(world: World, what: str, where: tuple[str, str]) -> None:
    network, name = where
    served = world.cluster.served
    if what in {"pod", "completed"}:
        world.cluster.put(pod_on(name, network, phase="Running" if what == "pod" else "Succeeded"))
    elif what == "no pod":
        served[POD].pop(f"{network}-{name}", None)
    elif what == "egress":
        world.cluster.put(egress_on(network, name, name=f"out-{network}"))
    elif what == "no egress":
        served[EGRESS_IP].pop(f"out-{network}", None)
    elif what == "no network":
        served[CUDN].pop(network, None)
    elif what == "network" and network not in served[CUDN]:
        world.cluster.put(declared(network))
    elif what == "node again":
        world.cluster.put(node(name, NODES.index(name) + 2))


def play(world: World, events: list[tuple[str, Any]]) -> None:
    for what, how in events:
        if what == "tick":
            world.tick(how)
        elif what == "pause":
            world.seconds += how
        elif what == "restart":
            world.start_leader() if how == "leader" else world.start_zone(how)
        else:
            change(world, what, how)


def by_name(rows: tuple[Row, ...]) -> set[tuple[str, object]]:
    return {(row.table, row.uuid) for row in rows}


@limit(180)
@given(st.lists(EVENTS, max_size=25))
@settings(
    max_examples=sized(10, 10_000),
    deadline=None,
    # the shortest failing order would take minutes to find
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow],
)
def test_every_order_of_events_ends_where_a_cluster_from_scratch_begins(events):
    world = World(beginning())
    world.finish()
    play(world, events)
    world.finish()
    used = world.used()
    # subnets: those of nodes that use the network, which a new leader does not change
    assert set(world.subnets()) == used.get("wide", set()) & set(NODES)
    scratch = World(world.cluster)
    scratch.finish()
    for name, store in world.stores.items():
        assert store.networks == {"default", *(f"cluster_udn_{each}" for each, nodes in used.items() if name in nodes)}
        assert sorted(store.rows, key=str) == sorted(scratch.stores[name].rows, key=str)
    for network, nodes in used.items():
        condition = find_condition(world.cluster.get(network), "NodesSelected")
        assert (0 if condition is None else selected_count(condition)) == len(nodes)
        assert condition is None or (condition["status"] == "True") is bool(nodes)


@limit(180)
def test_pods_that_come_and_go_at_the_end_of_the_period_neither_churn_nor_storm():
    """A pod that returns just before the end, and one that returns just after it."""
    world = World(beginning())
    world.finish()
    world.cluster.put(pod_on("n1", "wide"))
    world.settle()
    store, subnets = world.stores["n1"], world.subnets()
    before, transactions = store.rows, store.transactions
    rounds = sized(15, 50)
    for _ in range(rounds):
        del world.cluster.served[POD]["wide-n1"]
        world.settle()
        world.seconds += PERIOD - 0.5
        world.settle()
        world.cluster.put(pod_on("n1", "wide"))
        world.settle()
    assert (store.rows, store.transactions, world.subnets()) == (before, transactions, subnets)
    seconds = rounds * PERIOD
    activity = [each for each in world.cluster.events if each["reason"] in {"NodeActivated", "NodeDeactivated"}]
    assert 0 < len(activity) <= BURST + seconds / 10
    for _ in range(sized(3, 10)):
        del world.cluster.served[POD]["wide-n1"]
        world.settle()
        world.seconds += PERIOD
        world.settle()
        assert (store.networks, world.subnets()) == ({"default"}, {})
        world.cluster.put(pod_on("n1", "wide"))
        world.settle()
        assert (by_name(store.rows), world.subnets()) == (by_name(before), subnets)
