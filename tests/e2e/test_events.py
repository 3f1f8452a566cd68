"""Kubernetes Events of `run`, as kubectl would show them: on a change, once, and counted when it happens again."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.deployed import running
from tests.support.deployed.running import (
    ACCOUNTS,
    ID,
    KEYS,
    NODE,
    PROGRAM,
    TRANSIT,
    Zone,
    as_deployed,
    condition,
    cudn,
)
from tests.testbed.process import Child

pytestmark = pytest.mark.timing

api, zone = running.api, running.zone
ROUTER = "cluster_udn_blue_transit_router"


def short(event: dict[str, Any]) -> tuple[str, str, str]:
    return event["type"], event["reason"], event["note"]


ACCOUNT = ("ovnguard-reconciler", ACCOUNTS[0])
CHOSEN = ("Normal", "DefaultSelected", "Transit subnet 100.88.0.0/16 selected.")


def restart(zone: Zone, *, record: bool = True) -> None:
    assert zone.process is not None
    zone.process.stop()
    before = len(zone.log_lines())
    zone.start(record=record)
    zone.until(lambda: any("watching" in line for line in zone.log_lines()[before:]), "the next start")


def test_the_choice_of_a_subnet_is_one_event_for_two_zones_and_a_restart(zone: Zone, ovn_zone, tmp_path) -> None:
    other = Zone(zone.api, ovn_zone("worker-b"), tmp_path / "other")
    other.folder.mkdir()
    other.start(node="worker-b")
    assert other.process is not None
    try:
        zone.start()
        zone.create(cudn("blue", "10.20.0.0/16"))
        zone.until(lambda: bool(zone.events("blue")), "the event")
        other.until(lambda: other.has_router("cluster_udn_blue"), "rows of the other zone")
        restart(zone)
        time.sleep(2)
    finally:
        other.process.stop()
    (event,) = zone.events("blue")
    assert short(event) == CHOSEN
    assert "series" not in event
    assert (event["action"], event["reportingController"]) == ("ChooseTransitSubnet", "ovnguard-reconciler")
    assert event["reportingInstance"] in (NODE, "worker-b")
    assert event["metadata"]["namespace"] == "default"
    assert event["regarding"]["uid"] == zone.get("blue")["metadata"]["uid"]


def test_a_conflict_event_has_the_reason_of_its_condition(zone: Zone) -> None:
    zone.create(cudn("first", "10.30.0.0/16", **{ID: "7"}))
    zone.start()
    zone.until(lambda: zone.has_router("cluster_udn_first"), "the first network")
    time.sleep(1.1)  # creationTimestamps have seconds
    zone.create(cudn("twin", "10.40.0.0/16", **{ID: "7", TRANSIT: "100.88.0.0/16", KEYS: "[16711690,16715780]"}))
    zone.until(lambda: bool(zone.events("twin")), "the event")
    conflict = condition(zone.get("twin"), "Accepted")
    assert conflict is not None
    assert [short(each) for each in zone.events("twin")] == [("Warning", "Conflict", conflict["message"])]
    zone.delete("first")
    zone.until(lambda: len(zone.events("twin")) == 3, "the end of it")
    accepted = ("Normal", "Accepted", "The network is accepted.")
    assert [short(each) for each in zone.events("twin")[1:]] == [CHOSEN, accepted]


def test_no_free_subnet_is_a_warning_with_the_ranges_that_were_tried(zone: Zone) -> None:
    everywhere = ["10.0.0.1/8", "100.64.0.1/10", "172.16.0.1/12", "192.168.0.1/16"]
    zone.annotate("worker-b", "k8s.ovn.org/host-cidrs", everywhere)
    zone.create(cudn("blue", "203.203.0.0/16"))
    zone.start()
    zone.until(lambda: len(zone.events("blue")) == 2, "the events")
    transit, accepted = zone.events("blue")
    assert short(transit)[:2] == ("Warning", "NoFreeTransitSubnet")
    assert transit["note"].startswith("can't generate transit subnets: no free /16 in ")
    assert short(accepted)[:2] == ("Warning", "Conflict")


def test_a_row_that_somebody_changes_is_one_event_about_the_node(zone: Zone) -> None:
    zone.create(cudn("blue", "10.20.0.0/16"))
    zone.start()
    zone.until(lambda: zone.has_router("cluster_udn_blue"), "rows")
    zone.until(lambda: bool(zone.events("blue")), "the first look's end")

    def spoil() -> None:
        before = sum("put back" in line for line in zone.log_lines())
        zone.ovn.nbctl("set", "logical_router", ROUTER, "options:requested-tnl-key=5")
        zone.until(lambda: sum("put back" in line for line in zone.log_lines()) > before, "the repair")

    spoil()
    zone.until(lambda: bool(zone.events(NODE)), "the event")
    note = f"network cluster_udn_blue: Logical_Router {ROUTER}: options changed by hand, put back"
    (event,) = zone.events(NODE)
    assert short(event) == ("Warning", "RowsRepaired", note)
    assert (event["action"], event["regarding"]["kind"]) == ("RepairRows", "Node")
    spoil()
    spoil()
    time.sleep(1.5)
    (again,) = zone.events(NODE)
    assert again == event

    restart(zone)
    spoil()
    zone.until(lambda: zone.events(NODE)[0].get("series") is not None, "the count of a later process")
    (counted,) = zone.events(NODE)
    assert counted["series"]["count"] == 2


@pytest.fixture
def leader(zone: Zone) -> Iterator[Child]:
    """The leader, as it is deployed next to a cluster manager: it records and writes conditions."""
    (zone.folder / "leader").mkdir()
    kubeconfig = as_deployed(zone.api, zone.folder / "leader", "ovnguard-reconciler-cluster", *ACCOUNTS[1:])
    argv: list[str | Path] = [PROGRAM, "cluster", "--mode", "own", "--networks-only", "--kubeconfig", kubeconfig]
    child = Child("leader", [*argv, "--resync", "1", "--log-format", "json"], zone.folder / "leader.log")
    yield child
    child.stop()


def spoil(zone: Zone) -> None:
    zone.ovn.nbctl("set", "logical_router", ROUTER, "options:requested-tnl-key=5")


@pytest.mark.usefixtures("leader")
def test_the_rights_that_it_is_deployed_with_are_enough(zone: Zone) -> None:
    zone.kubeconfig = as_deployed(zone.api, zone.folder, *ACCOUNT)
    zone.create(cudn("blue", "10.20.0.0/16"))
    zone.start(record=False)
    zone.until(lambda: bool(zone.events("blue")), "the event")
    zone.until(lambda: zone.has_router("cluster_udn_blue"), "rows")
    zone.until(lambda: condition(zone.get("blue")) is not None, "the condition")
    spoil(zone)
    zone.until(lambda: bool(zone.events(NODE)), "the event about a repair")
    restart(zone, record=False)
    time.sleep(1)
    spoil(zone)
    zone.until(lambda: "series" in zone.events(NODE)[0], "the count")
    assert zone.complaints("Forbidden", "cannot") == []
    # everything on the network is the leader's
    managers = {each["manager"] for each in zone.get("blue")["metadata"]["managedFields"]}
    assert "ovnguard-reconciler" in managers
    assert not [line for line in zone.log_lines() if line.startswith("recorded on") or "condition" in line]


@pytest.mark.usefixtures("leader")
def test_a_zone_without_the_right_to_write_events_goes_on(zone: Zone) -> None:
    zone.kubeconfig = as_deployed(zone.api, zone.folder, *ACCOUNT, without=("events",))
    zone.create(cudn("blue", "10.20.0.0/16"))
    zone.start(record=False)
    zone.until(lambda: zone.has_router("cluster_udn_blue"), "rows")
    spoil(zone)
    zone.until(lambda: any("cannot write event" in line for line in zone.log_lines()), "the complaint")
    zone.create(cudn("red", "10.30.0.0/16"))
    zone.until(lambda: zone.has_router("cluster_udn_red"), "rows of another network")
    complaints = [line for line in zone.log_lines() if "cannot write event" in line]
    assert complaints[0].startswith(f"cannot write event RowsRepaired about Node {NODE}: 403 ")
    assert zone.complaints("next try") == []
