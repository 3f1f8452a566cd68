"""Audits of a running zone: what two looks find is drift, told once in the log and as an Event about the Node."""

import logging
from collections.abc import Mapping
from dataclasses import replace

import pytest

from ovnguard.reconciler.apply.store_errors import StoreUnavailableError
from ovnguard.reconciler.loop.status.zone_state import WriteOptions
from ovnguard.reconciler.loop.zone.zone_auditor import PAUSE, ZoneAuditor
from ovnguard.reconciler.plan.comparison.audit import EMPTY
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.zone_audit import MARGIN
from ovnguard.validators.base.json_types import JsonObject
from tests.support.fake_cluster import Store, World, cudn

pytestmark = pytest.mark.usefixtures("everything_is_heard")
SWITCH = "cluster_udn_blue_ovn_layer2_switch"
TEXT = f"Logical_Switch {SWITCH}: other_config:mcast_snoop is false, planned true"


class Audited(World):
    """A zone that another process has brought to the plan, under an audit."""

    def __init__(self, *others: JsonObject) -> None:
        super().__init__(cudn("blue"), *others)
        self.settle()
        self.cluster.events.clear()
        self.whole = Whole(self.store.rows)
        auditor = ZoneAuditor(self.whole, "n1", self._monotonic)
        self.zone = self.zone_of(self.whole, options=WriteOptions(audit=True), auditor=auditor)

    def look(self) -> tuple[str, ...]:
        self.seconds += PAUSE
        return self.zone.tick()

    def events(self) -> list[tuple[str, str, str, str]]:
        events = [
            (each["type"], each["reason"], each["regarding"]["name"], each["note"]) for each in self.cluster.events
        ]
        self.cluster.events.clear()
        return events


class Whole(Store):
    def __init__(self, rows: tuple[Row, ...]) -> None:
        super().__init__()
        self.rows = rows
        self.looks = 0

    def read_everything(self):
        self.looks += 1
        return self.read()

    def change(self, name: str, key: str, value: str) -> None:
        self.rows = tuple(_changed(row, key, value) if row.columns.get("name") == name else row for row in self.rows)


def _changed(row: Row, key: str, value: str) -> Row:
    config = row.columns["other_config"]
    assert isinstance(config, Mapping)
    return replace(row, columns={**row.columns, "other_config": {**config, key: value}})


def test_a_zone_as_planned_is_logged_once_and_not_written(caplog):
    caplog.set_level(logging.INFO)
    world = Audited()
    for _ in range(3):
        assert world.look() == ()
    assert [text for text in caplog.messages if "audit" in text] == [
        f"zone n1: audit: {len(world.whole.rows)} rows as planned, 0 differences are drift"
    ]
    assert (world.events(), world.whole.transactions, world.whole.looks) == ([], 0, 3)


def test_drift_is_a_difference_in_two_audits_and_its_end_is_reported(caplog):
    world = Audited()
    world.look()
    before = world.whole.rows
    world.whole.change(SWITCH, "mcast_snoop", "false")
    world.look()
    assert (world.events(), TEXT in caplog.text) == ([], False)
    world.look()
    assert f"zone n1: network cluster_udn_blue: {TEXT}" in caplog.messages
    assert world.events() == [("Warning", "ZoneDrift", "n1", f"network cluster_udn_blue: {TEXT}")]
    world.look()
    assert world.events() == []
    world.whole.rows = before
    world.look()
    assert world.events() == [("Normal", "ZoneDriftEnded", "n1", "network cluster_udn_blue: as planned again")]


def test_a_changed_source_nat_is_one_difference():
    world = Audited()
    nat = next(row for row in world.whole.rows if row.table == "NAT")
    changed = replace(nat, columns={**nat.columns, "external_ip": "192.0.2.1"})
    world.whole.rows = tuple(changed if row is nat else row for row in world.whole.rows)
    world.look()
    world.look()
    ((_, reason, _, note),) = world.events()
    assert (reason, note.partition(": ")[0], note.rpartition(": ")[2]) == (
        "ZoneDrift",
        "network cluster_udn_blue",
        f"external_ip is 192.0.2.1, planned {nat.columns['external_ip']}",
    )


def test_a_controller_that_needs_a_moment_is_no_drift():
    world = Audited()
    before = world.whole.rows
    world.whole.change(SWITCH, "mcast_snoop", "false")
    world.look()
    world.whole.rows = before
    world.look()
    assert world.events() == []


def test_the_database_is_read_once_a_minute():
    world = Audited()
    world.look()
    for _ in range(5):
        world.seconds += PAUSE / 10
        assert world.zone.tick() == ()
    assert world.whole.looks == 1


def test_a_database_that_is_away_is_a_failure():
    world = Audited()
    world.whole.failure = StoreUnavailableError("unix:x: No such file or directory")
    assert world.look() == ("zone n1: unix:x: No such file or directory",)
    world.whole.failure = None
    assert world.look() == ()


def test_an_emptied_database_is_a_failure_until_it_has_rows():
    world = Audited()
    before, world.whole.rows = world.whole.rows, ()
    failure = (f"zone n1: {EMPTY}",)
    assert world.look() == failure
    assert world.zone.tick() == failure
    world.whole.rows = before
    assert world.look() == ()
    assert world.events() == []


def test_many_differences_are_counted(caplog):
    world = Audited()
    for number in range(30):
        world.whole.change(SWITCH, f"key{number:02}", "x")
    world.look()
    world.look()
    assert "zone n1: network cluster_udn_blue: and 10 more differences" in caplog.messages
    ((_, _, _, note),) = world.events()
    assert note.startswith(
        f"network cluster_udn_blue: Logical_Switch {SWITCH}: other_config:key00 is x, planned empty; "
    )
    assert note.endswith("; and 25 more")


def namespace(network: str) -> JsonObject:
    labels = {"t": network, "k8s.ovn.org/primary-user-defined-network": ""}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"of-{network}", "labels": labels}}


def pod(network: str, node: str) -> JsonObject:
    metadata = {"name": f"{network}-{node}", "namespace": f"of-{network}"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"nodeName": node}}


def dynamic() -> Audited:
    """A zone that has a network from before, which only another node uses now."""
    used = (pod("blue", "n2"), pod("green", "n1"), pod("green", "n2"))
    green = cudn("green", subnet="10.30.0.0/16")
    world = Audited(green, namespace("blue"), namespace("green"), *used)
    obj = world.cluster.get("blue")
    condition = {"type": "NodesSelected", "status": "True", "reason": "DynamicAllocation"}
    obj["status"]["conditions"].append(condition)
    world.cluster.put(obj)
    return world


def test_under_dynamic_allocation_a_zone_lacks_idle_networks_and_may_keep_their_rows():
    world = dynamic()
    idle = tuple(row for row in world.whole.rows if row.network != "cluster_udn_blue")
    world.look()
    world.look()
    assert world.events() == []
    # a pod of its namespace makes the node use it again
    world.whole.rows = idle
    world.cluster.put(pod("blue", "n1"))
    world.look()
    world.look()
    assert any(text.startswith("network cluster_udn_blue: ") for *_, text in world.events())


def test_rows_of_an_idle_network_are_drift_after_its_grace_period_and_a_minute():
    world = dynamic()
    looks = 0
    while not (events := world.events()):
        world.look()
        looks += 1
    # the first look begins the period of 120 seconds; what two looks find is drift
    assert looks == 1 + (120 + MARGIN) / PAUSE + 1
    assert [event[1] for event in events] == ["ZoneDrift"]
    assert events[0][3].startswith("network cluster_udn_blue: ")


def test_a_row_that_an_idle_network_never_had_is_drift_at_once():
    world = dynamic()
    world.whole.change(SWITCH, "mcast_snoop", "false")
    world.look()
    world.look()
    assert [event[1] for event in world.events()] == ["ZoneDrift"]


def test_drift_does_not_end_because_the_database_was_emptied():
    world = Audited()
    before = world.whole.rows
    world.whole.change(SWITCH, "mcast_snoop", "false")
    for _ in range(2):
        world.look()
    assert [event[1] for event in world.events()] == ["ZoneDrift"]
    rows, world.whole.rows = world.whole.rows, ()
    assert world.look() == (f"zone n1: {EMPTY}",)
    world.whole.rows = rows
    assert world.look() == ()
    assert world.events() == []
    world.whole.rows = before
    world.look()
    assert [event[1] for event in world.events()] == ["ZoneDriftEnded"]
