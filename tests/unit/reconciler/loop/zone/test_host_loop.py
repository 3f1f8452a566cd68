"""The machine of a zone: kept at the plan, told, in doubt left alone; what BGP brought to it becomes rows."""

import logging
from collections.abc import Container
from dataclasses import replace
from datetime import timedelta
from ipaddress import ip_address, ip_network

import pytest

from ovnguard.reconciler.apply.deletion_brake import Limit
from ovnguard.reconciler.apply.host.host import HostApplied
from ovnguard.reconciler.apply.store_errors import StoreUnusableError
from ovnguard.reconciler.loop.status.zone_state import WriteOptions
from ovnguard.reconciler.loop.status.zone_texts import ALLOW
from ovnguard.reconciler.loop.zone.host_loop import HostLoop
from ovnguard.reconciler.loop.zone.zone_loop import ZoneLoop
from ovnguard.reconciler.plan.host.host_diff import HostOperation, host_diff
from ovnguard.reconciler.plan.host.host_plan import Abilities, HostPlan, keeping
from ovnguard.reconciler.plan.host.items import Port, Rule
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.rows.settings import ImportedRoute
from ovnguard.validators.network.cluster_view import CUDN, NODE
from tests.support.fake_cluster import Store, World, cudn

NO_OPTIONS = WriteOptions()


LEARNED = ImportedRoute("cluster_udn_blue", "n1", ip_network("192.0.2.0/24"), ip_address("172.18.0.9"))


class Fake:
    """A machine in memory: what it is brought to is what it holds, unless ``stuck``."""

    node = "n1"

    def __init__(self) -> None:
        self.held = HostPlan("n1")
        self.error = ""
        self.stuck = False
        self.learned: tuple[ImportedRoute, ...] = ()
        self.applied = 0

    def abilities(self) -> Abilities:
        return Abilities()

    def compare(self, desired: HostPlan, doubtful: Container[str] = ()) -> tuple[HostOperation, ...]:
        if self.error:
            raise StoreUnusableError(self.error)
        return host_diff(self.held, keeping(desired, self.held, doubtful))

    def apply(self, desired: HostPlan, doubtful: Container[str] = ()) -> HostApplied:
        operations = self.compare(desired, doubtful)
        if self.stuck:
            return HostApplied(operations, (), operations)
        self.applied += bool(operations)
        self.held = replace(keeping(desired, self.held, doubtful), notes=())
        return HostApplied(operations)

    def routes(self) -> tuple[ImportedRoute, ...]:
        if self.error:
            raise StoreUnusableError(self.error)
        return self.learned

    @property
    def networks(self) -> set[str]:
        return {item.network for item in self.held.items if isinstance(item, Port)}


class Living:
    """A world with a machine in it, two networks on it, settled."""

    def __init__(self, options: WriteOptions = NO_OPTIONS) -> None:
        self.world = World(cudn("blue"), cudn("green", "10.30.0.0/16"))
        self.machine, self.store = Fake(), Store()
        host = HostLoop(self.machine, audit=options.audit, only=options.only)
        # somebody else records what networks need, because who only looks does not
        self.world.settle()
        self.zone: ZoneLoop = self.world.zone_of(self.store, host=host, options=options)
        for _ in range(3):
            assert self.zone.tick() == ()


BOTH = {"cluster_udn_blue", "cluster_udn_green"}


def test_the_machine_is_kept_and_left_alone_when_all_is_done() -> None:
    living = Living()
    assert living.machine.networks == BOTH
    assert living.machine.applied == 1
    assert sum(isinstance(item, Port) for item in living.machine.held.items) == 2


def test_a_manual_change_is_repaired_and_reported(caplog: pytest.LogCaptureFixture) -> None:
    living = Living()
    held = living.machine.held
    living.machine.held = replace(held, items=(*held.items[:-1], Rule(9, 4, 9, network="cluster_udn_blue")))
    assert living.zone.tick() == ()
    assert living.machine.held == held
    assert "host n1: 2 manual changes repaired" in caplog.messages
    assert "host n1: - rule 9: lookup 9" in caplog.messages


def test_a_network_that_goes_takes_its_part_along() -> None:
    living = Living()
    del living.world.cluster.served[CUDN]["blue"]
    living.zone.tick()
    assert living.machine.networks == {"cluster_udn_green"}


def test_a_kind_that_is_not_served_keeps_what_its_networks_have() -> None:
    living = Living()
    del living.world.cluster.served[CUDN]
    living.zone.tick()
    assert living.machine.networks == BOTH


def test_a_refused_network_keeps_what_it_has() -> None:
    living = Living()
    broken = cudn("blue")
    broken["spec"]["network"]["layer2"]["subnets"] = ["10.20.0.1/16"]
    living.world.cluster.put(broken)
    living.zone.tick()
    assert living.machine.networks == BOTH


def test_a_node_that_is_gone_keeps_its_machine_as_it_is() -> None:
    living = Living()
    del living.world.cluster.served[NODE]["n1"]
    assert living.zone.tick() == ()
    assert living.machine.networks == BOTH


def test_a_machine_without_tools_is_a_failure_and_rows_go_on() -> None:
    living = Living()
    living.machine.error = "nft: no such program; install nftables"
    living.world.cluster.put(cudn("red", "10.40.0.0/16"))
    failures = [living.zone.tick(), living.zone.tick()]
    assert failures[-1] == ("host n1: nft: no such program; install nftables",)
    assert "cluster_udn_red" in living.store.networks


def test_what_cannot_be_brought_about_is_tried_again_and_named() -> None:
    living = Living()
    living.machine.stuck = True
    living.machine.held = HostPlan("n1")
    failures = living.zone.tick()
    assert len(failures) == 20
    assert failures[0].startswith("host n1: still not as planned: + port ovn-k8s-mp")


def test_audit_writes_nothing_and_says_once_what_differs(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    living = Living(WriteOptions(audit=True))
    assert living.machine.held == HostPlan("n1")
    lines = [text for text in caplog.messages if text.startswith("host n1: audit, not applied: ")]
    assert len(lines) == 1


def test_learned_routes_are_rows_at_once_and_stay_while_nobody_can_read_them(
    caplog: pytest.LogCaptureFixture,
) -> None:
    living = Living()
    living.machine.learned = (LEARNED,)
    assert living.zone.tick() == ()

    def prefixes() -> set[object]:
        held: tuple[Row, ...] = living.store.rows
        rows = [row for row in held if row.table == "Logical_Router_Static_Route"]
        return {row.columns["ip_prefix"] for row in rows if row.columns["nexthop"] == "172.18.0.9"}

    assert prefixes() == {"192.0.2.0/24"}
    living.machine.error = "ip: no such program; install iproute2"
    for _ in range(2):
        living.zone.tick()
    assert prefixes() == {"192.0.2.0/24"}
    text = f"host n1: cannot read BGP routes, keeping the last ones: {living.machine.error}"
    assert caplog.messages.count(text) == 1
    living.machine.error, living.machine.learned = "", ()
    assert living.zone.tick() == ()
    assert prefixes() == set()


def test_a_network_that_is_not_on_the_list_keeps_what_it_has() -> None:
    living = Living(WriteOptions(only=frozenset({"cluster_udn_blue"})))
    assert living.machine.networks == {"cluster_udn_blue"}
    green = Rule(9, 4, 9, network="cluster_udn_green")
    living.machine.held = replace(living.machine.held, items=(*living.machine.held.items, green))
    assert living.zone.tick() == ()
    assert green in living.machine.held.items


def test_what_waits_in_the_database_waits_on_the_machine() -> None:
    living = Living(WriteOptions(limit=Limit(0, percent=False)))
    assert living.machine.networks == BOTH
    del living.world.cluster.served[CUDN]["green"]
    for _ in range(2):
        assert living.zone.tick() == ()
        assert living.store.networks == living.machine.networks == BOTH
    node = living.world.cluster.get("n1", NODE)
    node["metadata"]["annotations"][ALLOW] = (living.world.now + timedelta(seconds=1)).isoformat()
    living.world.cluster.put(node)
    assert living.zone.tick() == ()
    assert living.store.networks == living.machine.networks == {"cluster_udn_blue"}
