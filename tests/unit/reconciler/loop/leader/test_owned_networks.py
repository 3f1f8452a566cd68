"""The leader does not take over a network with policies, and says what nobody enforces in one that zones own."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from ovnguard.reconciler.apply.kube import Recorder, find_condition
from ovnguard.reconciler.apply.kube_report import KEY, RENEWED
from ovnguard.reconciler.loop.inputs.plan_inputs import DECLARING_RESOURCES
from ovnguard.reconciler.loop.leader.leader import Leader, LeaderParts
from ovnguard.reconciler.loop.process.events import EventRecorder
from ovnguard.reconciler.loop.status.status_writer import StatusWriter
from ovnguard.reconciler.loop.status.zone_report import ZoneReport, mark_of, to_json
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.reconciler.plan.rows.model import ActiveNodes
from ovnguard.validators.network.cluster_view import CONFIG_MAP, NETWORK_POLICY
from tests.support.fake_cluster import ID, Cluster, cudn, judged, node, operator
from tests.support.policies import network_policy, space

RECORDED: dict[str, Any] = {
    ID: "7",
    "ovnguard.io/transit-subnets": "100.88.0.0/16",
    "ovnguard.io/tunnel-keys": "[16711690,16715780]",
}
DENY = "NetworkPolicy red/deny"
REFUSAL = (
    f"the network is not owned, because ovnguard does not enforce {DENY} (--unenforced-policies owns it nevertheless)"
)
WARNING = f"ovnguard does not enforce {DENY}"
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class Published:
    """Another part of the leader, which is called with the state of all networks."""

    states: list[DesiredState] = field(default_factory=list)

    def publish(self, desired: DesiredState, active: tuple[ActiveNodes, ...]) -> None:
        del active
        self.states.append(desired)

    def due(self) -> float | None:
        return None


class World:
    """A leader, a node, and what its zone reports."""

    def __init__(self, *objects: Any) -> None:
        self.cluster = Cluster(node("a"), space("red", "blue"), *objects)
        self.cluster.served[CONFIG_MAP] = {}
        self.seconds = 0.0
        self.published = Published()
        self.leader = self.another()

    def another(self, **options: Any) -> Leader:
        """A process that begins."""

        def monotonic() -> float:
            return self.seconds

        recorder = Recorder(self.cluster, DECLARING_RESOURCES, lambda: NOW)
        reporter = StatusWriter(recorder, EventRecorder(self.cluster, "x", lambda: NOW, lambda: 0.0), monotonic)
        parts = (self.cluster, judged, recorder, reporter, lambda: True)
        return Leader(LeaderParts(*parts, monotonic=monotonic, publishers=[self.published], **options))

    def report(self) -> None:
        """The zone has network blue."""
        ready = mark_of(self.cluster.get("blue"))
        data = {KEY: to_json(ZoneReport("a", "own", 1, ready=ready), "now", RENEWED)}
        self.cluster.put(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "ovnguard-zone-a"}, "data": data}
        )

    def settle(self, leader: Leader | None = None) -> None:
        for _ in range(4):
            self.seconds += 2
            assert (leader or self.leader).tick() == ()

    def condition(self, kind: str) -> tuple[str, str, str] | None:
        found = find_condition(self.cluster.get("blue"), kind)
        return None if found is None else (found["status"], found["reason"], found["message"])

    def events(self, name: str = "blue") -> list[tuple[str, str, str]]:
        found = (each for each in self.cluster.events if each["regarding"]["name"] == name)
        return [(each["type"], each["reason"], each["note"]) for each in found if "Polic" in each["reason"]]


def test_a_network_with_a_policy_gets_no_numbers_and_nothing_is_published_for_it() -> None:
    world = World(cudn("blue"), network_policy("red"))
    world.settle()
    assert world.condition("Accepted") == ("False", "UnenforcedPolicies", REFUSAL)
    assert world.events() == [("Warning", "UnenforcedPolicies", REFUSAL)]
    assert world.cluster.get("blue")["metadata"]["annotations"] == {}
    assert world.published.states[-1].unenforced.refused == {"cluster_udn_blue"}
    assert dict(world.leader._parts.reporter.states) == {"UnenforcedPolicies": 1}
    world.cluster.served[NETWORK_POLICY].clear()
    world.settle()
    assert world.condition("Accepted") == ("True", "Accepted", "The network is accepted.")
    assert world.cluster.get("blue")["metadata"]["annotations"][ID]


def test_recorded_numbers_are_not_those_of_an_owner() -> None:
    world = World(cudn("blue", **RECORDED), network_policy("red"))
    world.settle()
    assert world.condition("Accepted") == ("False", "UnenforcedPolicies", REFUSAL)
    assert world.condition("ZonesReady") == (
        "False",
        "NotAccepted",
        "The network is not accepted: the condition Accepted says why.",
    )


def test_a_network_that_a_zone_has_stays_owned() -> None:
    world = World(cudn("blue", **RECORDED))
    world.report()
    world.settle()
    world.cluster.put(network_policy("red"))
    world.settle()
    assert world.condition("PoliciesEnforced") == ("False", "UnenforcedPolicies", WARNING)
    assert world.condition("Accepted") is None
    # also when no report has the new generation yet, and for the next leader, without any report
    changed = cudn("blue", "10.23.0.0/16", **RECORDED)
    changed["metadata"] |= {"generation": 2}
    changed["status"] = world.cluster.get("blue")["status"]
    world.cluster.put(changed)
    world.settle()
    assert world.condition("Accepted") is None
    world.cluster.served[CONFIG_MAP].clear()
    world.settle(world.another())
    assert world.condition("Accepted") is None
    assert world.events() == [("Warning", "UnenforcedPolicies", WARNING)]


def test_a_policy_that_comes_later_is_reported_at_once() -> None:
    world = World(cudn("blue", **RECORDED))
    world.report()
    world.settle()
    world.cluster.put(network_policy("red"))
    assert world.leader.tick() == ()
    assert world.condition("PoliciesEnforced") == ("False", "UnenforcedPolicies", WARNING)
    assert world.events() == [("Warning", "UnenforcedPolicies", WARNING)]


def test_the_next_leader_sees_in_reports_what_zones_own() -> None:
    world = World(cudn("blue", **RECORDED), network_policy("red"))
    world.report()
    world.settle()
    assert world.condition("PoliciesEnforced") == ("False", "UnenforcedPolicies", WARNING)
    assert world.condition("Accepted") is None


def test_the_option_owns_networks_with_policies() -> None:
    world = World(cudn("blue"), network_policy("red"))
    world.settle(world.another(unenforced=True))
    assert world.condition("PoliciesEnforced") == ("False", "UnenforcedPoliciesPermitted", WARNING)
    assert world.condition("Accepted") is None
    assert world.cluster.get("blue")["metadata"]["annotations"][ID]


def test_the_default_network_has_events() -> None:
    world = World(operator(), space("plain"), network_policy("plain"))
    world.settle()
    refusal = REFUSAL.replace(DENY, "NetworkPolicy plain/deny")
    assert world.events("cluster") == [("Warning", "UnenforcedPolicies", refusal)]
    world.cluster.served[NETWORK_POLICY].clear()
    world.settle()
    assert [each["reason"] for each in world.cluster.events][-1] == "Accepted"
