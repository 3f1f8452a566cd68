"""Verdicts and plans that are kept say what new ones would, whatever happens; and few changes make them anew."""

import copy
import json
import sys
from ipaddress import ip_network
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ovnguard.reconciler.loop.inputs.verdicts import ContentView, Verdicts
from ovnguard.reconciler.loop.process.frozen_view import FrozenView
from ovnguard.reconciler.plan.desired_state import plan_cluster
from ovnguard.reconciler.plan.numbers.memo import Memo
from ovnguard.reconciler.plan.rows.model import ActiveNodes
from ovnguard.reconciler.plan.rows.settings import Settings, settings_of
from ovnguard.validators.network.cluster.cluster_facts import cluster_facts
from ovnguard.validators.network.cluster_view import CUDN, NODE, OPERATOR_NETWORK
from ovnguard.validators.network.declared.network_of import group_kind_of
from tests.support.fake_cluster import ID, KEYS, TRANSIT, Cluster, cudn, desired_state, judged, node, operator
from tests.support.soak import examples

SUBNETS, MACS, CIDRS = (f"k8s.ovn.org/{key}" for key in ("node-subnets", "node-mgmt-port-mac-addresses", "host-cidrs"))
VERSION, LEGACY = "k8s.ovn.org/layer2-topology-version", "k8s.ovn.org/udn-layer2-node-gateway-router-lrp-tunnel-ids"
NAMES = ("a", "b", "c")
NODES = ("n1", "n2", "n3")
WIDE = {name: f"cluster_udn_{name}" for name in NAMES}


def network(name: str, topology: str, second: int) -> dict[str, Any]:
    """One that has its numbers, or one that lacks them, whose transit subnet depends on addresses of nodes."""
    number = NAMES.index(name) + 1
    numbers = {ID: str(number), KEYS: f"[{16711683 + number},{16715779 + number}]"}
    if topology == "Layer3":
        found = cudn(name, second=second, **{ID: str(number)})
        layer3 = {"role": "Primary", "subnets": [{"cidr": f"10.{40 + number}.0.0/16", "hostSubnet": 24}]}
        found["spec"]["network"] = {"topology": "Layer3", "layer3": layer3}
    elif topology == "refused":
        found = cudn(name, "10.128.0.0/16", second)
    else:
        recorded = numbers | {TRANSIT: '["100.88.0.0/16"]'} if topology == "recorded" else {}
        found = cudn(name, f"10.{20 + number}.0.0/16", second, **recorded)
    # an object that is created at another time is another one
    found["metadata"]["uid"] = f"uid-{name}-{second}"
    return found


def subnets(shares: dict[str, int]) -> str:
    return json.dumps({WIDE[name]: [f"10.{41 + NAMES.index(name)}.{share}.0/24"] for name, share in shares.items()})


TEXTS = st.one_of(
    st.tuples(st.just(SUBNETS), st.dictionaries(st.sampled_from(NAMES), st.integers(0, 2)).map(subnets)),
    st.tuples(st.just(SUBNETS), st.sampled_from(["{", '{"default":["10.128.2.0/23"]}'])),
    st.tuples(st.just(MACS), st.sampled_from(['{"cluster_udn_a":"0a:58:0a:00:00:02"}', "[]"])),
    st.tuples(st.just(CIDRS), st.sampled_from(['["100.88.0.9/24"]', '["172.18.0.2/16"]'])),
    st.tuples(st.just(LEGACY), st.sampled_from(['{"cluster_udn_a":"5"}', "{}"])),
    st.tuples(st.just(VERSION), st.sampled_from(["2.0", ""])),
    st.tuples(st.just("example.invalid/other"), st.sampled_from(["x", "y"])),
)
STEP = st.one_of(
    st.tuples(st.just("annotate"), st.sampled_from(NODES), TEXTS),
    st.tuples(st.just("node"), st.sampled_from(NODES), st.integers(2, 5)),
    st.tuples(st.just("no node"), st.sampled_from(NODES), st.none()),
    st.tuples(st.just("heartbeat"), st.sampled_from(NODES), st.text(max_size=2)),
    st.tuples(
        st.just("network"),
        st.sampled_from(NAMES),
        st.tuples(st.sampled_from(["recorded", "Layer2", "Layer3", "refused"]), st.integers(0, 3)),
    ),
    st.tuples(st.just("no network"), st.sampled_from(NAMES), st.none()),
    st.tuples(st.just("operator"), st.none(), st.sampled_from(["100.64.0.0/16", "10.21.0.0/16"])),
    st.tuples(st.just("active"), st.sampled_from(NAMES), st.sets(st.sampled_from(NODES))),
)


class World:
    """A cluster that changes, and what one process knows of it."""

    def __init__(self) -> None:
        self.cluster = Cluster(operator(), node("n1"), node("n2", 3), network("a", "Layer3", 0))
        self.view = FrozenView(self.cluster)
        self.asked = 0
        self.verdicts = Verdicts(self.view, self.judge)
        self.memo = Memo()
        self.active: dict[str, frozenset[str]] = {}

    def judge(self, obj, view):
        self.asked += 1
        return judged(obj, view)

    def put(self, obj: dict[str, Any]) -> None:
        """Serve an object that differs from the known one: candidates keep objects of equal content."""
        kind = group_kind_of(obj)
        held = self.cluster.served[kind].get(obj["metadata"]["name"])
        self.cluster.put(obj)
        if held is not None and _content(held) == _content(self.cluster.get(obj["metadata"]["name"], kind)):
            self.cluster.served[kind][obj["metadata"]["name"]] = held

    def step(self, kind: str, name: str, value: Any) -> None:
        held = self.cluster.served[NODE]
        if kind == "annotate" and name in held:
            changed = copy.deepcopy(held[name])
            changed["metadata"]["annotations"][value[0]] = value[1]
            self.cluster.put(changed)
        elif kind == "heartbeat" and name in held:
            changed = copy.deepcopy(held[name])
            changed["status"]["conditions"] = [{"type": "Ready", "lastHeartbeatTime": value}]
            self.cluster.put(changed)
        elif kind == "node":
            self.cluster.put(node(name, value))
        elif kind == "no node":
            held.pop(name, None)
        elif kind == "network":
            self.put(network(name, *value))
        elif kind == "no network":
            self.cluster.served[CUDN].pop(name, None)
        elif kind == "operator":
            self.put(operator(ipv4={"internalJoinSubnet": value}))
        elif kind == "active":
            self.active[WIDE[name]] = frozenset(value)
        self.view.take()

    @property
    def settings(self) -> Settings:
        active = tuple(ActiveNodes(name, nodes) for name, nodes in sorted(self.active.items()))
        return settings_of(cluster_facts(self.view), Settings(active=active))

    def known(self):
        return plan_cluster(self.verdicts.now(), self.settings, "n1", self.memo)

    def anew(self):
        return desired_state(FrozenView(self.cluster), judged, self.settings, "n1")


@settings(max_examples=examples(40))
@given(st.lists(STEP, max_size=8))
def test_kept_verdicts_equal_recomputed_ones(steps):
    world = World()
    assert world.known() == world.anew()
    for step in steps:
        world.step(*step)
        assert world.known() == world.anew()


@pytest.mark.parametrize(
    ("step", "again"),
    [
        (("annotate", "n1", (SUBNETS, subnets({"a": 1}))), 0),
        (("annotate", "n1", (MACS, '{"cluster_udn_a":"0a:58:0a:00:00:02"}')), 0),
        (("heartbeat", "n1", "now"), 0),
        (("annotate", "n1", (CIDRS, '["100.88.0.9/24"]')), 2),
        (("node", "n3", 5), 2),
        (("network", "b", ("recorded", 1)), 2),
    ],
)
def test_networks_are_judged_again_after_changes_that_verdicts_read(step, again):
    world = World()
    world.known()
    world.asked = 0
    world.step(*step)
    assert world.known() == world.anew()
    # the operator Network declares one, too
    assert world.asked == again


def test_an_address_of_a_node_changes_the_choice_of_a_transit_subnet():
    world = World()
    world.step("network", "b", ("Layer2", 1))
    before = world.known().candidates[-1].network
    world.step("annotate", "n1", (CIDRS, '["100.88.0.9/24"]'))
    now = world.known().candidates[-1].network
    assert before is not None
    assert now is not None
    assert (before.name, now.name) == (WIDE["b"], WIDE["b"])
    assert before.transit_subnets == (ip_network("100.88.0.0/16"),)
    assert now.transit_subnets not in ((), before.transit_subnets)


def test_nodes_that_verdicts_read_alike_stay_the_same_objects():
    world = World()
    seen = ContentView(world.view)
    before = seen.objects(NODE)
    assert before is not None
    world.step("annotate", "n2", (SUBNETS, subnets({"a": 1})))
    assert seen.objects(NODE) is before
    world.step("annotate", "n2", ("example.invalid/other", "x"))
    now = seen.objects(NODE)
    assert now is not None
    assert now[0] is before[0]
    assert now[1] != before[1]
    assert SUBNETS not in now[1]["metadata"]["annotations"]
    assert seen.objects(OPERATOR_NETWORK) == world.view.objects(OPERATOR_NETWORK)
    assert ContentView(Nothing()).objects(NODE) is None


@pytest.mark.parametrize(
    ("changes", "stays"),
    [
        ({"status": {"conditions": [{"type": "Accepted", "status": "True"}]}}, True),
        ({"metadata": {"resourceVersion": "9", "managedFields": []}}, True),
        ({"metadata": {"annotations": {}}}, False),
        ({"metadata": {"uid": "other"}}, False),
        ({"metadata": {"deletionTimestamp": "2026-01-02T00:00:00Z"}}, False),
        ({"spec": {"mtu": True}}, False),
        ({"spec": {"mtu": 1.0}}, False),
    ],
)
def test_a_network_stays_the_same_object_until_its_content_changes(changes, stays):
    first, other = network("a", "Layer3", 0) | {"spec": {"mtu": 1}}, network("b", "Layer3", 1)
    view = Cluster(first, other)
    seen = ContentView(view)
    before = seen.objects(CUDN)
    assert before == view.objects(CUDN)
    changed = {key: first[key] | each if key == "metadata" else each for key, each in changes.items()}
    view.put(first | changed)
    now = seen.objects(CUDN)
    assert now is not None
    assert before is not None
    assert (now is before, now[0] is before[0]) == (stays, stays)
    assert now[1] is before[1]


def calls_for_one_more(number: int) -> int:
    """How many functions of Python run when a zone with so many networks judges and plans one more."""
    world, calls = World(), 0
    world.put(operator())
    for index in range(number + 1):
        obj = cudn(f"n{index:03}", "10.20.0.0/16", 1, **{ID: str(index + 1), TRANSIT: "100.88.0.0/16"})
        obj["metadata"]["annotations"][KEYS] = f"[{16711684 + index},{16715780 + index}]"
        if index == number:
            world.view.take()
            assert len(world.known().plan.zones) == 1
        world.put(obj)
    world.view.take()

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        found = world.known()
    finally:
        sys.setprofile(before)
    assert len(found.judged.ready) == number + 2
    return calls


def test_one_more_network_is_little_work_for_each_other_one():
    """Time depends on the machine, calls do not."""
    few, many = calls_for_one_more(20), calls_for_one_more(120)
    assert (many - few) / 100 < 60


def _content(obj: dict[str, Any]) -> dict[str, Any]:
    return obj | {"metadata": {key: each for key, each in obj["metadata"].items() if key != "resourceVersion"}}


class Nothing:
    """A view that knows no kind."""

    def objects(self, _: object) -> None:
        return None
