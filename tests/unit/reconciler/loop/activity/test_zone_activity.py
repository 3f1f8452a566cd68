"""The networks that a zone renders under dynamic allocation, over time."""

import json
from dataclasses import replace

import pytest

from ovnguard.reconciler.apply.store_errors import StoreUnavailableError
from ovnguard.reconciler.loop.activity.activity_metrics import FirstPodMetric
from ovnguard.reconciler.loop.activity.zone_activity import Rendered, ZoneActivity
from ovnguard.reconciler.loop.zone.host_loop import HostLoop
from ovnguard.reconciler.loop.zone.zone_loop import ZoneLoop
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.reconciler.plan.rows.model import ActiveNodes
from ovnguard.reconciler.plan.rows.settings import ImportedRoute
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import CUDN, EGRESS_IP, POD
from tests.support.fake_cluster import World, cudn
from tests.support.manifests.activity_manifests import egress_on, pod_on, tenant

BLUE, GREEN = "cluster_udn_blue", "cluster_udn_green"
PERIOD = 120.0


class Dynamic(World):
    """A zone of n1 that allocates dynamically, after its first period."""

    def __init__(self, *objects: JsonObject, period: float = PERIOD) -> None:
        super().__init__(cudn("blue"), cudn("green", "10.30.0.0/16"), tenant("blue"), tenant("green"), *objects)
        self.restart(period)
        self.settle()
        self.pass_by(period)
        self.settle()

    def restart(self, period: float = PERIOD) -> None:
        activity = ZoneActivity("n1", period, lambda: self.seconds)
        self.zone = ZoneLoop("n1", replace(self.parts, activity=activity))

    def pass_by(self, seconds: float) -> None:
        self.seconds += seconds

    def remove(self, name: str) -> None:
        self.cluster.served[POD].pop(name)

    @property
    def remotes(self) -> set[str]:
        """The nodes that the zone has ports for."""
        ports = {str(row.columns.get("name", "")) for row in self.store.rows if row.table == "Logical_Router_Port"}
        return {name.rpartition("_")[2] for name in ports if "trtor-GR_" in name}


def test_a_zone_renders_the_networks_of_its_pods_only():
    world = Dynamic()
    assert world.store.networks == set()
    world.cluster.put(pod_on("n1", "blue"))
    world.cluster.put(pod_on("n2", "green"))
    world.settle()
    assert world.store.networks == {BLUE}


def test_a_zone_renders_the_networks_of_the_egress_addresses_that_it_serves():
    world = Dynamic(egress_on("green", "n1"))
    assert world.store.networks == {GREEN}
    world.cluster.put(egress_on("green", "n2"))
    world.settle()
    world.pass_by(PERIOD)
    world.settle()
    assert world.store.networks == set()


def test_a_pod_counts_before_it_runs_and_no_longer_when_it_has_completed():
    world = Dynamic(pod_on("", "blue", "one"))
    assert world.store.networks == set()
    world.cluster.put(pod_on("n1", "blue", "one", "Pending"))
    world.settle()
    assert world.store.networks == {BLUE}
    world.cluster.put(pod_on("n1", "blue", "one", "Succeeded"))
    world.settle()
    world.pass_by(PERIOD)
    world.settle()
    assert world.store.networks == set()


def test_after_the_last_pod_the_rows_stay_unchanged_for_the_grace_period():
    world = Dynamic(pod_on("n1", "blue"))
    before, transactions = world.store.rows, world.store.transactions
    world.remove("blue-n1")
    world.settle()
    assert world.zone.due() == PERIOD
    world.pass_by(PERIOD - 1)
    world.settle()
    assert world.zone.due() == 1.0
    assert (world.store.rows, world.store.transactions) == (before, transactions)
    world.pass_by(1)
    world.settle()
    assert (world.store.networks, world.zone.due()) == (set(), None)


def test_a_pod_that_returns_in_time_finds_the_network_unchanged():
    world = Dynamic(pod_on("n1", "blue"))
    before, transactions = world.store.rows, world.store.transactions
    for _ in range(5):
        world.remove("blue-n1")
        world.settle()
        world.pass_by(PERIOD - 1)
        world.cluster.put(pod_on("n1", "blue"))
        world.settle()
        world.pass_by(PERIOD)
        world.settle()
    assert (world.store.rows, world.store.transactions) == (before, transactions)


def test_a_pod_that_goes_while_an_egress_address_stays_ends_nothing():
    world = Dynamic(pod_on("n1", "blue"), egress_on("blue", "n1"))
    world.remove("blue-n1")
    world.settle()
    world.pass_by(PERIOD)
    world.settle()
    assert world.store.networks == {BLUE}
    world.cluster.served[EGRESS_IP].clear()
    world.settle()
    world.pass_by(PERIOD)
    world.settle()
    assert world.store.networks == set()


def test_no_period_removes_at_once():
    world = Dynamic(pod_on("n1", "blue"), period=0.0)
    assert world.store.networks == {BLUE}
    world.remove("blue-n1")
    world.settle()
    assert (world.store.networks, world.zone.due()) == (set(), None)


def test_another_node_is_connected_and_disconnected_at_once():
    world = Dynamic(pod_on("n1", "blue"))
    assert world.remotes == {"n1"}
    world.cluster.put(pod_on("n2", "blue"))
    assert world.zone.tick() == ()
    assert world.remotes == {"n1", "n2"}
    world.remove("blue-n2")
    assert world.zone.tick() == ()
    assert world.remotes == {"n1"}


def test_after_a_restart_what_the_zone_had_stays_for_one_period():
    world = Dynamic(pod_on("n1", "blue"))
    before, transactions = world.store.rows, world.store.transactions
    world.remove("blue-n1")
    world.settle()
    world.pass_by(PERIOD - 1)
    world.restart()
    world.settle()
    world.pass_by(PERIOD - 1)
    world.settle()
    assert (world.store.rows, world.store.transactions, world.zone.due()) == (before, transactions, 1.0)
    world.pass_by(1)
    world.settle()
    assert world.store.networks == set()


def test_a_process_that_begins_creates_nothing_of_unused_networks():
    world = Dynamic()
    world.restart()
    world.cluster.put(pod_on("n1", "green"))
    world.settle()
    assert world.store.networks == {GREEN}


def test_after_a_restart_with_a_shorter_period_that_one_counts():
    world = Dynamic(pod_on("n1", "blue"))
    world.remove("blue-n1")
    world.settle()
    world.restart(10.0)
    world.settle()
    world.pass_by(10)
    world.settle()
    assert world.store.networks == set()


def test_a_deleted_network_has_no_grace():
    world = Dynamic(pod_on("n1", "blue"), pod_on("n1", "green"))
    world.remove("blue-n1")
    world.settle()
    del world.cluster.served[CUDN]["blue"]
    world.settle()
    assert world.store.networks == {GREEN}
    # another one of its name has nothing in grace
    world.cluster.put(cudn("blue"))
    world.settle()
    assert world.store.networks == {GREEN}


def test_a_node_that_stops_using_all_its_networks_needs_no_permission():
    networks = [cudn(f"x{number}", f"10.{100 + number}.0.0/16") for number in range(30)]
    spaces = [tenant(f"x{number}") for number in range(30)]
    pods = [pod_on("n1", f"x{number}") for number in range(30)]
    world = Dynamic(*networks, *spaces, *pods)
    assert len(world.store.networks) == 30
    for number in range(30):
        world.remove(f"x{number}-n1")
    world.cluster.put(pod_on("n2", "x0"))
    world.settle()
    world.pass_by(PERIOD)
    world.settle()
    assert world.store.networks == set()


def test_a_list_of_pods_that_is_suddenly_empty_removes_nothing():
    world = Dynamic(pod_on("n1", "blue"))
    world.remove("blue-n1")
    world.cluster.silent = frozenset({POD})
    world.settle()
    world.pass_by(PERIOD)
    world.settle()
    assert world.store.networks == {BLUE}


@pytest.mark.parametrize("labelled", [True, False])
def test_a_pod_is_on_the_network_of_its_namespace_only_with_the_label(labelled: bool):
    world = Dynamic(tenant("blue", labelled=labelled), pod_on("n1", "blue"))
    assert world.store.networks == ({BLUE} if labelled else set())


@pytest.mark.parametrize("how", ["unused", "deleted"])
def test_nothing_of_a_network_that_is_gone_stays_not_even_address_sets(how: str):
    """OVN-Kubernetes leaves the address sets of the EgressIP's pods behind."""
    record = {"ip_addresses": ["10.20.0.5/16"], "mac_address": "0a:58:0a:14:00:05", "tunnel_id": 105}
    served = pod_on("n1", "blue")
    served["metadata"]["annotations"] = {"k8s.ovn.org/pod-networks": json.dumps({"blue/blue": record})}
    world = Dynamic(served, egress_on("blue", "n1", "n2"))
    assert any(row.table == "Address_Set" and BLUE in str(row.columns) for row in world.store.rows)
    world.cluster.served[EGRESS_IP].clear()
    world.remove("blue-n1")
    if how == "deleted":
        del world.cluster.served[CUDN]["blue"]
    world.settle()
    world.pass_by(PERIOD)
    world.settle()
    assert [row for row in world.store.rows if BLUE in str(row.columns)] == []


def test_the_machine_has_nothing_of_networks_that_the_node_does_not_use():
    kept: list[list[str]] = []

    class Host(HostLoop):
        """Notes which networks the machine is to have."""

        def __init__(self) -> None:
            """Nothing is needed."""

        def routes(self) -> tuple[ImportedRoute, ...]:
            return ()

        def keep(self, desired: DesiredState) -> list[str]:
            kept.append([network.name for network in desired.host_inputs("n1").networks])
            return []

    world = Dynamic(pod_on("n1", "blue"))
    activity = ZoneActivity("n1", PERIOD, lambda: world.seconds)
    world.zone = ZoneLoop("n1", replace(world.parts, activity=activity, host=Host()))
    world.settle()
    assert kept[-1] == [BLUE]
    world.remove("blue-n1")
    world.settle()
    assert kept[-1] == [BLUE]
    world.pass_by(PERIOD)
    world.settle()
    assert kept[-1] == []


def used(*nodes: str, grace: frozenset[str] = frozenset()) -> tuple[ActiveNodes, ...]:
    return (ActiveNodes(BLUE, frozenset(nodes), grace),)


def test_only_the_own_node_has_a_period():
    now = [0.0]
    activity = ZoneActivity("n1", 10.0, lambda: now[0])
    assert activity.due() is None
    assert activity.rendered(used("n1", "n2")) == Rendered(used("n1", "n2"))
    assert activity.rendered(used("n1")) == Rendered(used("n1"))
    assert activity.rendered(used()) == Rendered(used(grace=frozenset({"n1"})))
    now[0] = 10.0
    assert activity.rendered(used()) == Rendered(used())


class Seconds(FirstPodMetric):
    """The times until the first pod."""

    def __init__(self) -> None:
        self.seen: list[float] = []

    def observe(self, seconds: float) -> None:
        self.seen.append(seconds)


def test_the_time_until_the_first_pod_has_its_rows_begins_with_the_event():
    now, seconds = [100.0], Seconds()
    heard: list[float | None] = [None]
    activity = ZoneActivity("n1", 10.0, lambda: now[0], lambda: heard[0], seconds)
    # what was in use before is not measured
    activity.rendered(used("n1"))
    activity.written({BLUE})
    assert seconds.seen == []
    green = ActiveNodes(GREEN, frozenset({"n1", "n2"}))
    now[0], heard[0] = 105.0, 104.0
    activity.rendered((*used("n1"), green))
    now[0] = 106.0
    activity.written({BLUE})
    # it waits for its subnets, and later events change nothing
    now[0], heard[0] = 108.0, 107.0
    activity.rendered((*used("n1"), green))
    now[0] = 109.5
    activity.written({BLUE, GREEN})
    activity.written({BLUE, GREEN})
    assert seconds.seen == [5.5]


def test_a_pod_that_finds_the_network_or_goes_before_it_is_not_measured():
    now, seconds = [0.0], Seconds()
    activity = ZoneActivity("n1", 10.0, lambda: now[0], metrics=seconds)
    for nodes in (("n1",), (), ("n1",)):
        activity.rendered(used(*nodes))
    activity.written({BLUE})
    activity.rendered(())
    activity.rendered((ActiveNodes(GREEN, frozenset({"n1"})),))
    activity.rendered(())
    activity.written({GREEN})
    assert seconds.seen == []


def test_the_loop_measures_what_it_wrote():
    world, seconds = Dynamic(), Seconds()
    activity = ZoneActivity("n1", PERIOD, lambda: world.seconds, metrics=seconds)
    world.zone = ZoneLoop("n1", replace(world.parts, activity=activity))
    world.settle()
    world.cluster.put(pod_on("n1", "blue"))
    world.store.failure = StoreUnavailableError("away")
    assert world.zone.tick() == ("away",)
    world.pass_by(7)
    world.store.failure = None
    world.settle()
    assert seconds.seen == [7.0]
