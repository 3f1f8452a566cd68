"""What the leader gives to networks and nodes, and what it says when there is nothing left."""

import copy
import json
import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from ovnguard.reconciler.apply.kube import Recorder, find_condition
from ovnguard.reconciler.apply.kube_report import KEY, RENEWED
from ovnguard.reconciler.loop.inputs.plan_inputs import DECLARING_RESOURCES
from ovnguard.reconciler.loop.leader.leader import Leader, LeaderParts
from ovnguard.reconciler.loop.leader.leader_metrics import LeaderMetrics
from ovnguard.reconciler.loop.process.events import EventRecorder
from ovnguard.reconciler.loop.process.metrics import Metrics
from ovnguard.reconciler.loop.status.network_status import UPGRADING_MESSAGE
from ovnguard.reconciler.loop.status.status_writer import StatusWriter
from ovnguard.reconciler.loop.status.zone_report import Problem, ZoneReport, mark_of, to_json
from ovnguard.reconciler.plan.numbers import node_ids
from ovnguard.validators.cluster.client_protocol import ApiStatusError, ClusterError
from ovnguard.validators.network.cluster_view import CONFIG_MAP, CUDN, NODE, UDN
from ovnguard.validators.network.declared.node import ROUTER_PORT_KEYS, TOPOLOGY_VERSION
from tests.support.fake_cluster import ID, Cluster, cudn, judged, nad, operator, udn
from tests.support.present import present

NODE_ID, SUBNETS, VERSION = (f"k8s.ovn.org/{key}" for key in ("node-id", "node-subnets", "layer2-topology-version"))


def bare(name: str, second: int = 0, **annotations: str):
    """A node that nobody has given anything."""
    metadata = {"name": name, "creationTimestamp": f"2026-01-01T00:00:{second:02d}Z"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": metadata | ({"annotations": annotations} if annotations else {}),
        "status": {"addresses": [{"type": "InternalIP", "address": "172.18.0.9"}]},
    }


def layer3(name: str = "wide", cidr: str = "10.20.0.0/16", length: int = 24, second: int = 0):
    found = cudn(name, second=second)
    found["spec"]["network"] = {
        "topology": "Layer3",
        "layer3": {"role": "Primary", "subnets": [{"cidr": cidr, "hostSubnet": length}]},
    }
    return found


class Memory:
    """What the Lease remembers."""

    text = ""

    def recall(self) -> str:
        return self.text

    def remember(self, text: str) -> None:
        self.text = text


class World:
    def __init__(self, *objects) -> None:
        self.cluster = Cluster(*objects)
        self.leads = True
        self.seconds, self.memory = 0.0, Memory()
        self.leader = self.another()

    def another(self, leading: Callable[[], bool] | None = None) -> Leader:
        """A process that begins."""
        now = datetime(2026, 1, 1, tzinfo=UTC)

        def monotonic() -> float:
            return self.seconds

        recorder = Recorder(self.cluster, DECLARING_RESOURCES, lambda: now)
        reporter = StatusWriter(recorder, EventRecorder(self.cluster, "x", lambda: now, lambda: 0.0), monotonic)
        self.parts = LeaderParts(
            self.cluster,
            judged,
            recorder,
            reporter,
            leading or (lambda: self.leads),
            memory=self.memory,
            monotonic=monotonic,
        )
        return Leader(self.parts)

    def settle(self) -> None:
        for _ in range(4):
            assert self.leader.tick() == ()

    def ids(self) -> dict[str, str]:
        return {
            name: obj["metadata"]["annotations"][NODE_ID]
            for name, obj in self.cluster.served[NODE].items()
            if NODE_ID in obj["metadata"].get("annotations", {})
        }

    def subnets(self, network: str) -> dict[str, list[str]]:
        texts = {
            name: obj["metadata"].get("annotations", {}).get(SUBNETS, "{}")
            for name, obj in self.cluster.served[NODE].items()
        }
        return {name: found for name, text in texts.items() if (found := json.loads(text).get(network))}


def test_nodes_get_ids_and_subnets_in_order_of_creation():
    world = World(operator(), layer3(), bare("b", 1), bare("a", 2))
    world.settle()
    assert world.ids() == {"b": "2", "a": "3"}
    assert world.subnets("cluster_udn_wide") == {"b": ["10.20.0.0/24"], "a": ["10.20.1.0/24"]}
    assert world.subnets("default") == {"b": ["10.128.0.0/23"], "a": ["10.128.2.0/23"]}
    assert ID in world.cluster.get("wide")["metadata"]["annotations"]
    before = copy.deepcopy(world.cluster.served[NODE])
    world.cluster.put(bare("c", 3))
    world.settle()
    assert world.ids() == {"b": "2", "a": "3", "c": "4"}
    assert world.subnets("cluster_udn_wide")["c"] == ["10.20.2.0/24"]
    assert {name: obj for name, obj in world.cluster.served[NODE].items() if name != "c"} == before


def test_what_is_recorded_stays_and_other_networks_entries_too():
    text = '{"cluster_udn_wide":"10.20.7.0/24","other":["10.99.0.0/24"]}'
    world = World(operator(), layer3(), bare("a", 1, **{NODE_ID: "9", SUBNETS: text}), bare("b", 2))
    world.settle()
    assert world.ids() == {"a": "9", "b": "10"}
    assert world.subnets("cluster_udn_wide") == {"a": "10.20.7.0/24", "b": ["10.20.0.0/24"]}
    assert world.subnets("other") == {"a": ["10.99.0.0/24"]}
    assert world.subnets("default")["a"] == ["10.128.0.0/23"]


def test_subnets_of_a_deleted_network_are_given_back():
    world = World(operator(), layer3(), layer3("other", "10.30.0.0/16", second=1), bare("a"), bare("b", 1))
    world.settle()
    del world.cluster.served[CUDN]["wide"]
    world.settle()
    assert world.subnets("cluster_udn_wide") == {}
    assert set(world.subnets("cluster_udn_other")) == set(world.subnets("default")) == {"a", "b"}
    # a later leader does the same, and nobody knows whose the subnets of other names are
    texts = '{"cluster_udn_gone":["10.9.0.0/24"],"ns_gone":["10.8.0.0/24"],"tenant":["10.99.0.0/24"]}'
    world.cluster.put(bare("c", 2, **{SUBNETS: texts}))
    world.leader = world.another()
    world.settle()
    assert [world.subnets(name) for name in ("cluster_udn_gone", "ns_gone")] == [{}, {}]
    assert world.subnets("tenant") == {"c": ["10.99.0.0/24"]}


@pytest.mark.parametrize("doubt", ["emptied", "unserved", "unreadable"])
def test_subnets_stay_while_a_network_may_be_unknown(doubt):
    world = World(operator(), layer3(), bare("a"))
    world.settle()
    del world.cluster.served[CUDN]["wide"]
    if doubt == "emptied":
        world.cluster.silent = frozenset({CUDN})
    elif doubt == "unserved":
        world.cluster.served.pop(UDN)
    else:
        world.cluster.put(nad(type="ovn-k8s-cni-overlay", role="nobody"))
    world.settle()
    assert set(world.subnets("cluster_udn_wide")) == {"a"}


def test_only_a_node_without_id_has_never_had_another_topology():
    keyed = {"k8s.ovn.org/udn-layer2-node-gateway-router-lrp-tunnel-ids": '{"red_net":"4"}'}
    world = World(operator(), bare("a", 1), bare("b", 2, **{NODE_ID: "9"}), bare("c", 3, **keyed))
    world.settle()
    found = {name: obj["metadata"]["annotations"].get(VERSION) for name, obj in world.cluster.served[NODE].items()}
    assert found == {"a": "2.0", "b": None, "c": None}


def test_when_all_is_done_nothing_is_done_and_a_next_leader_finds_the_same():
    world = World(operator(), layer3(), bare("a"), bare("b"))
    world.settle()
    count, objects = len(world.cluster.patches), copy.deepcopy(world.cluster.served)
    world.settle()
    world.leader = world.another()
    world.settle()
    assert len(world.cluster.patches) == count
    assert world.cluster.served == objects


def test_a_crash_after_any_write_loses_nothing():
    objects = (operator(), layer3(), *(bare(f"n{number}", number) for number in range(5)))
    whole, world = World(*objects), World(*objects)
    whole.settle()
    for _ in range(20):
        # it dies after its next write, and another one begins
        written = len(world.cluster.patches)
        world.leader = world.another(lambda written=written: len(world.cluster.patches) == written)
        world.leader.tick()
    assert world.ids() == whole.ids()
    for network in ("default", "cluster_udn_wide"):
        assert world.subnets(network) == whole.subnets(network)


def test_a_follower_writes_nothing():
    world = World(operator(), layer3(), bare("a"))
    world.leads = False
    world.settle()
    assert world.cluster.patches == []
    world.leads = True
    world.settle()
    assert world.ids() == {"a": "2"}


@pytest.mark.parametrize("shown", [0, 1, 2])
def test_a_watch_that_is_behind_gives_nothing_twice(shown, monkeypatch):
    """Of a node's states the watch shows only the first ones; an older node comes into view meanwhile."""
    world = World(operator(), layer3(), bare("b", 5))
    states = []

    def objects(kind, found=world.cluster.objects):
        listed = found(kind)
        if kind != NODE:
            return listed
        current = world.cluster.get("b", NODE)
        if current not in states:
            states.append(current)
        return tuple(states[: shown + 1][-1] if obj["metadata"]["name"] == "b" else obj for obj in listed)

    monkeypatch.setattr(world.cluster, "objects", objects)
    world.settle()
    world.cluster.put(bare("a", 1))
    world.settle()
    assert len(states) == 3
    assert world.ids() == {"b": "2", "a": "3"}
    assert world.subnets("cluster_udn_wide") == {"b": ["10.20.0.0/24"], "a": ["10.20.1.0/24"]}


@pytest.mark.parametrize("behind", [False, True])
def test_a_watch_that_is_behind_gives_no_network_id_twice(behind, monkeypatch):
    """Both names begin the search at the same id; the older network comes into view later."""
    world = World(operator(), layer3("n82", second=5))
    before = world.cluster.get("n82")
    stale = [behind]

    def objects(kind, found=world.cluster.objects):
        return tuple(before if stale[0] and obj["metadata"]["name"] == "n82" else obj for obj in found(kind) or ())

    monkeypatch.setattr(world.cluster, "objects", objects)
    world.settle()
    world.cluster.put(layer3("n93", "10.21.0.0/16", second=1))
    world.settle()
    stale[0] = False
    world.settle()
    ids = {name: world.cluster.get(name)["metadata"]["annotations"][ID] for name in ("n82", "n93")}
    assert ids == {"n82": "2138", "n93": "2139"}


def test_a_leader_that_loses_the_lease_between_two_writes_stops_writing():
    world = World(operator(), layer3("n82"), layer3("n93", "10.21.0.0/16"))
    answers = iter([True, True, False])
    first, *failures = world.another(lambda: next(answers, False)).tick()
    assert (first, failures) == (
        "ClusterUserDefinedNetwork n93: no longer the leader, not recorded: " + f"{ID}=2139",
        [],
    )
    assert world.cluster.get("n82")["metadata"]["annotations"] == {ID: "2138"}
    assert world.cluster.get("n93")["metadata"]["annotations"] == {}


@pytest.mark.parametrize("restarted", [False, True])
def test_a_freed_node_id_rests_for_an_hour(restarted):
    world = World(operator(), bare("a", 1), bare("b", 2))
    world.settle()
    del world.cluster.served[NODE]["b"]
    world.settle()
    if restarted:
        world.leader = world.another()
        world.settle()
    world.seconds = 59 * 60.0
    world.cluster.put(bare("c", 3))
    world.settle()
    assert world.ids() == {"a": "2", "c": "4"}
    del world.cluster.served[NODE]["c"]
    world.settle()
    world.seconds = 60 * 60.0
    world.cluster.put(bare("d", 4))
    world.settle()
    assert world.ids() == {"a": "2", "d": "5"}
    assert world.memory.text == '{"4":3540}'
    del world.cluster.served[NODE]["d"]
    world.settle()
    world.seconds = 3 * 3600.0
    world.cluster.put(bare("e", 5))
    world.settle()
    assert world.ids() == {"a": "2", "e": "3"}


def test_what_is_undone_before_the_next_look_is_recorded_again():
    world = World(operator(), bare("a", 1))
    assert world.leader.tick() == ()
    assert world.ids() == {"a": "2"}
    # the watch shows both changes at once
    world.cluster.put(bare("a", 1))
    world.settle()
    assert world.ids() == {"a": "2"}


def test_the_next_leader_goes_on_with_the_rest_that_is_left_whatever_its_clock_says():
    """A monotonic clock restarts with the process; a leader has no other time."""
    world = World(operator(), bare("a", 1), bare("b", 2))
    world.settle()
    del world.cluster.served[NODE]["b"]
    world.settle()
    world.seconds = 600.25
    world.settle()
    assert world.memory.text == '{"3":3000}'
    world.leader = world.another()
    world.seconds = 7.0
    world.cluster.put(bare("c", 3))
    world.settle()
    assert (world.ids(), world.memory.text) == ({"a": "2", "c": "4"}, '{"3":3000}')
    world.seconds = 7.0 + 2999
    world.cluster.put(bare("d", 4))
    world.settle()
    assert (world.ids()["d"], world.memory.text) == ("5", '{"3":1}')
    world.seconds = 7.0 + 3000
    world.cluster.put(bare("e", 5))
    world.settle()
    assert (world.ids()["e"], world.memory.text) == ("6", "")


def test_a_node_waits_while_all_free_ids_rest(monkeypatch, caplog):
    monkeypatch.setattr(node_ids.node_ids, "__defaults__", (3, ()))
    caplog.set_level(logging.WARNING)
    world = World(operator(), bare("a", 1), bare("b", 2))
    world.settle()
    del world.cluster.served[NODE]["b"]
    world.settle()
    world.cluster.put(bare("c", 3))
    world.settle()
    text = "node c: no node id left: all 2 of 2 to 3 are in use, 1 of them until a short time ago"
    assert (world.ids(), caplog.messages) == ({"a": "2"}, [text])
    world.seconds = 1 * 3600.0
    world.settle()
    assert world.ids() == {"a": "2", "c": "3"}


@pytest.mark.parametrize(
    "text",
    ["[", "[]", '{"1":60}', '{"3":"60"}', '{"3":true}', '{"3":-1}', '{"x":"y","3":null}'],
)
def test_a_memory_that_cannot_be_read_holds_nothing_back(text):
    world = World(operator(), bare("a", 1), bare("b", 2))
    world.memory.text = text
    world.settle()
    assert world.ids() == {"a": "2", "b": "3"}
    assert world.memory.text == ""


def test_no_memory_holds_an_id_back_for_longer_than_an_hour():
    world = World(operator(), bare("a", 1), bare("b", 2))
    world.memory.text = f'{{"3":{"9" * 40}}}'
    world.settle()
    assert world.ids() == {"a": "4", "b": "5"}
    assert world.memory.text == '{"3":3600}'


def test_a_node_that_changed_meanwhile_is_tried_again(caplog):
    caplog.set_level(logging.INFO)
    world = World(operator(), bare("a"))
    world.settle()
    world.cluster.put(bare("c"))
    world.cluster.failure = ApiStatusError(409, "Conflict", "changed")
    assert world.leader.tick() == ()
    text = f"node c: changed in the meantime, not recorded: {VERSION}=2.0; next try in 0."
    assert [each for each in caplog.messages if each.startswith(text)]
    world.cluster.failure = ClusterError("gone")
    world.seconds += 1
    (failure,) = world.leader.tick()
    assert failure == f"node c: cannot record {VERSION}=2.0: gone"
    world.cluster.failure = None
    world.settle()
    assert world.ids()["c"] == "3"


def refusing(world: World, monkeypatch: pytest.MonkeyPatch, key: str, code: int = 403) -> list[float]:
    """The API server fails patches with ``key``; returns the times of the attempts."""
    attempts: list[float] = []

    def request(method, path, query=None, body=None, content_type="", found=world.cluster.request):
        if method == "PATCH" and key in body["metadata"].get("annotations", {}):
            attempts.append(world.seconds)
            raise ApiStatusError(code, "Forbidden", "OVNG-L2-024")
        return found(method, path, query, body, content_type)

    monkeypatch.setattr(world.cluster, "request", request)
    return attempts


def test_a_refused_topology_costs_no_number(monkeypatch, caplog):
    """The version goes first, while the Node has no numbers yet: with them, the rule would concern it."""
    world = World(operator(), bare("a"), bare("b"))
    attempts = refusing(world, monkeypatch, VERSION)
    world.settle()
    assert world.ids() == {"a": "2", "b": "3"}
    assert set(world.subnets("default")) == {"a", "b"}
    assert len(attempts) == 2
    text = f"cannot record {VERSION}=2.0: 403 Forbidden: OVNG-L2-024"
    assert [reported(world, name) for name in "ab"] == [[("Warning", "RecordRefused", text)]] * 2
    assert len([each for each in caplog.messages if text in each]) == 2


def test_a_topology_that_may_still_be_recorded_is_waited_for(monkeypatch):
    world = World(operator(), bare("a"))
    attempts = refusing(world, monkeypatch, VERSION, 500)
    world.settle()
    assert (world.ids(), attempts) == ({}, [0.0])
    monkeypatch.undo()
    world.seconds += 1
    world.settle()
    assert world.ids() == {"a": "2"}
    assert world.cluster.get("a", NODE)["metadata"]["annotations"][VERSION] == "2.0"


def test_a_refused_record_of_one_object_delays_no_other(monkeypatch, caplog):
    world = World(operator(), layer3("n82"), bare("a"))
    attempts = refusing(world, monkeypatch, NODE_ID)
    world.settle()
    world.cluster.put(layer3("n93", "10.21.0.0/16", second=1))
    world.settle()
    assert all(ID in world.cluster.get(name)["metadata"]["annotations"] for name in ("n82", "n93"))
    for _ in range(60):
        world.seconds += 1
        world.settle()
    # after 0.5, 1, 2, 4, 8, 16 and 32 s at the most, and half of that at the least
    assert 7 <= len(attempts) <= 12
    logged = [text.partition(";")[0] for text in caplog.messages if "cannot record" in text]
    assert len(logged) == len(set(logged))
    assert 0 < present(world.leader.due()) <= 60


def test_a_refused_record_of_a_network_is_its_condition_and_an_event(monkeypatch):
    world = World(operator(), layer3("n82"), bare("a"))
    refusing(world, monkeypatch, ID, 422)
    world.settle()
    text = f"cannot record {ID}=2138: 422 Forbidden: OVNG-L2-024"
    condition = present(find_condition(world.cluster.get("n82"), "Accepted"))
    assert (condition["status"], condition["reason"], condition["message"]) == ("False", "NotRecorded", text)
    assert ("Warning", "NotRecorded", text) in reported(world, "n82")
    monkeypatch.undo()
    world.seconds += 1
    world.settle()
    assert present(find_condition(world.cluster.get("n82"), "Accepted"))["status"] == "True"


def test_subnets_that_cannot_be_read_keep_new_ones_back(caplog):
    caplog.set_level(logging.WARNING)
    world = World(operator(), bare("a", 1, **{SUBNETS: "["}), bare("b", 2))
    world.settle()
    assert [text for text in caplog.messages if text.startswith("node a: no subnets are allocated to nodes: ")]
    assert world.ids() == {"a": "2", "b": "3"}
    assert "metadata" in world.cluster.get("b", NODE)
    assert SUBNETS not in world.cluster.get("b", NODE)["metadata"]["annotations"]
    world.cluster.put(bare("a", 1, **{NODE_ID: "2", SUBNETS: '{"default":"10.128.0.0/23"}'}))
    world.settle()
    assert world.subnets("default") == {"a": "10.128.0.0/23", "b": ["10.128.2.0/23"]}


def test_an_unreadable_id_stays_unchanged():
    world = World(operator(), bare("a", 1, **{NODE_ID: "many"}), bare("b", 2))
    world.settle()
    assert world.ids() == {"a": "many", "b": "3"}


def reported(world: World, name: str) -> list[tuple[str, str, str]]:
    found = [each for each in world.cluster.events if each["regarding"]["name"] == name]
    return [(each["type"], each["reason"], each["note"]) for each in found]


def test_a_network_without_enough_subnets_is_refused_and_what_nodes_have_stays(caplog):
    world = World(operator(), layer3(cidr="10.20.0.0/23"), bare("a", 1), bare("b", 2))
    world.settle()
    assert set(world.subnets("cluster_udn_wide")) == {"a", "b"}
    before = world.subnets("cluster_udn_wide")
    world.cluster.put(bare("c", 3))
    world.settle()
    assert world.subnets("cluster_udn_wide") == before
    assert set(world.subnets("default")) == {"a", "b", "c"}


def test_node_ids_that_run_out_are_an_event_about_the_node(monkeypatch):
    monkeypatch.setattr(node_ids.node_ids, "__defaults__", (3, ()))
    world = World(operator(), bare("a", 1), bare("b", 2), bare("c", 3))
    world.settle()
    world.settle()
    assert world.ids() == {"a": "2", "b": "3"}
    assert reported(world, "c") == [("Warning", "NodeIDsExhausted", "no node id left: all 2 of 2 to 3 are in use")]


@pytest.mark.parametrize("waiting", [("nodes",), ()])
def test_until_everything_is_listed_nothing_is_given(waiting):
    world = World(operator(), bare("a"))
    world.cluster.waiting = waiting
    world.leader.tick()
    assert bool(world.cluster.patches) is not bool(waiting)
    assert CUDN in world.cluster.served


def test_conditions_are_the_leaders():
    world = World(operator(), cudn("blue"), bare("a"))
    world.settle()
    condition = find_condition(world.cluster.get("blue"), "TransitSubnetAllocated")
    assert condition is not None
    assert (condition["status"], condition["reason"]) == ("True", "DefaultSelected")
    before = len(world.cluster.patches)
    world.settle()
    assert len(world.cluster.patches) == before


def test_a_follower_writes_no_condition():
    world = World(operator(), cudn("blue"), bare("a"))
    world.leads = False
    world.settle()
    assert world.cluster.patches == []


def test_nodes_stay_unchanged_while_a_cluster_manager_runs():
    world = World(operator(), layer3(), bare("a"))
    world.leader = Leader(replace(world.parts, nodes=False))
    world.settle()
    assert ID in world.cluster.get("wide")["metadata"]["annotations"]
    assert world.ids() == {}
    assert world.subnets("cluster_udn_wide") == {}


def test_an_audit_writes_nothing_and_logs_what_conditions_would_say():
    """Two refusals are one report; the recovery is another one."""
    bad = cudn("red", "10.20.0.0/16")
    bad["spec"]["network"]["layer2"]["joinSubnets"] = ["10.20.128.0/17"]
    world = World(operator(), bad, cudn("blue", "10.30.0.0/16"), bare("a"))
    now = datetime(2026, 1, 1, tzinfo=UTC)
    reporter = StatusWriter(None, EventRecorder(world.cluster, "x", lambda: now, lambda: 0.0), lambda: 0.0)
    world.leader = Leader(replace(world.parts, recorder=None, reporter=reporter))
    world.settle()
    assert world.cluster.patches == []
    (event,) = world.cluster.events
    assert (event["regarding"]["name"], event["type"], event["reason"]) == ("red", "Warning", "Conflict")
    world.cluster.put(cudn("red", "10.20.0.0/16"))
    world.settle()
    assert [each["reason"] for each in world.cluster.events] == ["Conflict", "Accepted"]
    assert world.cluster.patches == []


RECORD: dict[str, Any] = {
    ID: "7",
    "ovnguard.io/transit-subnets": "100.88.0.0/16",
    "ovnguard.io/tunnel-keys": "[16711690,16715780]",
}


class Reporting(World):
    """A cluster whose zones report; the clock stands still unless a test moves it."""

    def __init__(self, *objects) -> None:
        self.seconds = 0.0
        super().__init__(*objects)
        self.cluster.served[CONFIG_MAP] = {}

    def lead(self, **changes: Any) -> None:
        self.leader = Leader(replace(self.parts, monotonic=lambda: self.seconds, **changes))

    def say(self, reporter: str, *, legacy: bool = True, **problems: Problem) -> None:
        networks = [
            *((f"cluster_udn_{name}", obj) for name, obj in self.cluster.served[CUDN].items()),
            *((f"ns_{name}", obj) for name, obj in self.cluster.served[UDN].items()),
        ]
        ready = "".join(sorted(mark_of(obj) for name, obj in networks if name not in problems))
        report = ZoneReport(reporter, "own", 1, problems, layer2_legacy=legacy, ready=ready)
        text = to_json(report, "now", RENEWED)
        metadata = {"name": f"ovnguard-zone-{reporter}"}
        self.cluster.put({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {KEY: text}})

    def settle(self) -> None:
        self.seconds += 10
        super().settle()

    def reported(self, name: str) -> list[tuple[str, str, str]]:
        found = [each for each in self.cluster.events if each["regarding"]["name"] == name]
        return [(each["type"], each["reason"], each["note"]) for each in found]


NO_CHASSIS = Problem("Waiting", "no chassis on secretcorp/vault", 1)


def test_what_zones_report_becomes_a_condition_and_an_event_on_every_transition():
    world = Reporting(operator(), cudn("blue", **RECORD), *(bare(name) for name in "ab"))
    world.lead()
    world.settle()
    assert find_condition(world.cluster.get("blue"), "ZonesReady") is None
    count = len(world.reported("blue"))
    for name in "ab":
        world.say(name, cluster_udn_blue=NO_CHASSIS)
        world.settle()
    condition = present(find_condition(world.cluster.get("blue"), "ZonesReady"))
    text = "no chassis on secretcorp/vault, e.g. a"
    assert (condition["status"], condition["reason"]) == ("False", "Waiting")
    assert condition["message"] == f"0 of 2 zones are ready; on 2 nodes: {text}"
    world.settle()
    world.say("a")
    world.say("b")
    world.settle()
    condition = present(find_condition(world.cluster.get("blue"), "ZonesReady"))
    assert (condition["status"], condition["reason"]) == ("True", "Ready")
    # not one for each node
    assert world.reported("blue")[count:] == [
        ("Warning", "Waiting", f"0 of 2 zones are ready; on 2 nodes: {text}"),
        ("Normal", "Ready", "2 of 2 zones are ready."),
    ]


def test_a_silent_zone_is_ignored_and_reported_once():
    world = Reporting(operator(), cudn("blue", **RECORD), bare("a"))
    world.lead()
    world.say("a", cluster_udn_blue=NO_CHASSIS)
    world.settle()
    assert present(find_condition(world.cluster.get("blue"), "ZonesReady"))["status"] == "False"
    world.seconds += 1000
    world.settle()
    world.settle()
    condition = present(find_condition(world.cluster.get("blue"), "ZonesReady"))
    text = "0 of 1 zones are ready; on 1 node: the zone has not renewed its report for 900 s, e.g. a"
    assert (condition["status"], condition["reason"], condition["message"]) == ("False", "NoReport", text)
    note = "The zone has not renewed its report for 900 s; it is ignored."
    assert world.reported("a") == [("Warning", "ZoneSilent", note)]


def test_namespaces_learn_nothing_about_others_from_reports():
    network = udn()
    network["metadata"]["annotations"] = RECORD
    world = Reporting(operator(), network, bare("a"))
    world.lead()
    world.say("a", ns_u=NO_CHASSIS)
    world.settle()
    condition = present(find_condition(world.cluster.get("u", UDN), "ZonesReady"))
    text = "facts about the node or the network are missing, e.g. a"
    assert condition["message"] == f"0 of 1 zones are ready; on 1 node: {text}"


def test_an_audit_writes_reports_of_zones_as_events():
    world = Reporting(operator(), cudn("blue", **RECORD), *(bare(name) for name in "ab"))
    now = datetime(2026, 1, 1, tzinfo=UTC)
    reporter = StatusWriter(None, EventRecorder(world.cluster, "x", lambda: now, lambda: 0.0), lambda: world.seconds)
    world.lead(recorder=None, reporter=reporter)
    for name in "ab":
        world.say(name, cluster_udn_blue=NO_CHASSIS)
        world.settle()
    world.cluster.served[CONFIG_MAP].clear()
    world.settle()
    assert [each[:2] for each in world.reported("blue")] == [("Warning", "Waiting"), ("Normal", "Accepted")]
    assert world.cluster.patches == []


def keyed(name: str):
    """A node that still has the Layer2 topology before transit routers."""
    found = bare(name)
    numbers = {NODE_ID: {"a": "2", "b": "3"}[name], ROUTER_PORT_KEYS: '{"cluster_udn_blue":"4"}'}
    found["metadata"]["annotations"] = numbers
    return found


def upgrade(world: World, name: str) -> None:
    changed = copy.deepcopy(world.cluster.get(name, NODE))
    changed["metadata"]["annotations"][TOPOLOGY_VERSION] = "2.0"
    world.cluster.put(changed)
    world.settle()


def test_the_upgrade_is_a_condition_of_layer2_networks_until_the_last_node():
    world = Reporting(operator(), cudn("blue", **RECORD), keyed("a"), keyed("b"))
    world.settle()
    metrics = Metrics()
    world.lead(metrics=LeaderMetrics(metrics.registry))
    world.settle()

    def shown() -> tuple[str, str, str]:
        found = find_condition(world.cluster.get("blue"), "Layer2TopologyUpgraded")
        assert found is not None
        return found["status"], found["reason"], found["message"]

    def count(topology: str) -> str:
        lines = metrics.exposition()[1].decode().splitlines()
        return next(line for line in lines if line.startswith(f'ovnk_reconcile_layer2_nodes{{topology="{topology}"}}'))

    assert shown() == ("False", "UpgradeInProgress", UPGRADING_MESSAGE)
    upgrade(world, "a")
    assert shown() == ("False", "UpgradeInProgress", UPGRADING_MESSAGE)
    assert count("legacy").endswith(" 1.0")
    assert count("transit-router").endswith(" 1.0")
    upgrade(world, "b")
    assert shown() == ("True", "AllNodesUpgraded", "All nodes use transit routers.")
    assert [each[1] for each in world.reported("blue") if "Upgrade" in each[1]] == [
        "UpgradeInProgress",
        "AllNodesUpgraded",
    ]


def test_only_the_leader_counts_nodes_by_topology():
    world = Reporting(operator(), cudn("blue", **RECORD), keyed("a"))
    world.settle()
    metrics = Metrics()
    led = [True]
    world.lead(metrics=LeaderMetrics(metrics.registry), leading=lambda: led[0])

    def counted() -> bool:
        return 'ovnk_reconcile_layer2_nodes{topology="legacy"} 1.0' in metrics.exposition()[1].decode()

    for led[0] in (True, False, True):
        world.settle()
        assert counted() is led[0]


def test_only_the_leader_counts_networks_and_zones_by_state():
    world = Reporting(operator(), cudn("blue", **RECORD), *(bare(name) for name in "abc"))
    metrics, led = Metrics(), [True]
    world.lead(metrics=LeaderMetrics(metrics.registry), leading=lambda: led[0])

    def counted() -> dict[str, float]:
        lines = (line.rsplit(" ", 1) for line in metrics.exposition()[1].decode().splitlines())
        found = {name.removeprefix("ovnk_reconcile_"): float(value) for name, value in lines if "{state=" in name}
        return {name: value for name, value in found.items() if value}

    world.settle()
    # the default network is one, too; no report in this test has it
    assert counted() == {'networks{state="NoReport"}': 2, 'zones{state="NoReport"}': 3}
    for name in "ab":
        world.say(name)
    world.say("c", cluster_udn_blue=NO_CHASSIS)
    world.settle()
    assert counted() == {
        'networks{state="NotReported"}': 1,
        'networks{state="Waiting"}': 1,
        'zones{state="Ready"}': 2,
        'zones{state="NotReady"}': 1,
    }
    world.say("c")
    world.settle()
    assert counted() == {'networks{state="Ready"}': 1, 'networks{state="NotReported"}': 1, 'zones{state="Ready"}': 3}
    # every state has a number, so that an increase is seen
    assert len([line for line in metrics.exposition()[1].decode().splitlines() if "_zones{state=" in line]) == 4
    world.seconds += 1000
    world.say("a")
    world.settle()
    # the default network is one, too; no report in this test has it
    assert counted() == {'networks{state="NoReport"}': 2, 'zones{state="Ready"}': 1, 'zones{state="Silent"}': 2}
    led[0] = False
    world.settle()
    assert counted() == {}


def test_a_cluster_without_the_earlier_topology_has_no_such_condition():
    world = Reporting(operator(), cudn("blue", **RECORD), bare("a"))
    world.lead()
    world.settle()
    assert find_condition(world.cluster.get("blue"), "Layer2TopologyUpgraded") is None


def test_annotations_go_when_no_zone_needs_them(caplog):
    caplog.set_level("INFO")
    world = Reporting(operator(), cudn("blue", **RECORD), keyed("a"), keyed("b"))
    world.lead(layer2_legacy=False)
    world.settle()

    def left() -> list[str]:
        keys = (TOPOLOGY_VERSION, ROUTER_PORT_KEYS)
        nodes = world.cluster.served[NODE].items()
        return [f"{name} {key}" for name, obj in nodes for key in keys if obj["metadata"]["annotations"].get(key)]

    text = "the annotation of Layer2 topologies stays: {} still need it"
    assert text.format("a, b") in caplog.messages
    upgrade(world, "a")
    upgrade(world, "b")
    world.say("a", legacy=False)
    world.settle()
    assert text.format("b") in caplog.messages
    assert len(left()) == 4
    world.say("b", legacy=False)
    world.settle()
    assert left() == []
    assert f"recorded on Node a: {TOPOLOGY_VERSION} removed, {ROUTER_PORT_KEYS} removed" in caplog.messages


def test_a_new_node_gets_no_annotation_that_nobody_needs():
    world = Reporting(operator(), bare("a"))
    world.lead(layer2_legacy=False)
    world.settle()
    assert TOPOLOGY_VERSION not in world.cluster.get("a", NODE)["metadata"]["annotations"]
