"""Faults around a leader and a zone that allocate dynamically: afterwards everything is as if nothing had happened.

Every test lets pods come and go during the fault, compares with what a cluster from scratch has, and counts Events.
"""

import contextlib
import json
import os
import signal
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from ovnguard.validators.commandline.program import Exit
from tests.support.deployed import dynamic as deployed
from tests.support.deployed import running
from tests.support.deployed.dynamic import DYNAMIC, GRACE, LEASE, ONE, OTHER, THIRD, TWO, Dynamic, dynamic, layer3
from tests.support.deployed.proxy import Proxy
from tests.support.deployed.running import CUDNS, ID, MERGE, NODE, NODES, Zone
from tests.support.present import present
from tests.support.soak import sized
from tests.testbed.apiserver import free_port
from tests.testbed.process import Child, wait_until

pytestmark = pytest.mark.timing

api, zone, made = running.api, running.zone, deployed.made
NODE_ID, SUBNETS = "k8s.ovn.org/node-id", "k8s.ovn.org/node-subnets"


@pytest.fixture
def proxy(zone: Zone) -> Iterator[Proxy]:
    with contextlib.closing(Proxy(port(zone))) as relay:
        yield relay


def port(zone: Zone) -> int:
    return present(urlsplit(zone.api.url).port)


def begun(made: list[Dynamic], zone: Zone, t: str, proxy: Proxy | None = None) -> Dynamic:
    """One network with a pod on the zone's node, in peace."""
    world = dynamic(made, zone, t, proxy)
    world.create(layer3(t))
    world.pod("one")
    world.until_condition(ONE)
    world.until(lambda: world.routers() == {f"cluster_udn_{t}"}, "rows")
    return world


def given(world: Dynamic) -> dict[str, str]:
    items = world.api.request("GET", NODES)[1]["items"]
    notes = {item["metadata"]["name"]: item["metadata"].get("annotations", {}) for item in items}
    return {name: note[NODE_ID] for name, note in notes.items() if NODE_ID in note}


def check(world: Dynamic, *nodes: str) -> None:
    """The network is on these nodes, the zone's among them; every value is given once; there are few Events."""
    world.until_condition({1: ONE, 2: TWO}[len(nodes)])
    world.until(lambda: world.remotes() == set(nodes), "ports of the nodes")
    world.until(lambda: set(world.subnets()) == set(nodes), "subnets of the nodes")
    shares = [share for subnets in world.subnets().values() for share in subnets]
    ids = given(world)
    assert len(set(shares)) == len(shares) == len(nodes)
    assert len(set(ids.values())) == len(ids) == len(world.api.request("GET", NODES)[1]["items"])
    numbers = [item["metadata"]["annotations"][ID] for item in world.api.request("GET", CUDNS)[1]["items"]]
    assert len(set(numbers)) == len(numbers)
    # an Event of a node that changes again is counted on the one that exists
    assert len(world.activity()) <= 2 * len(world.api.request("GET", NODES)[1]["items"])
    assert len(world.events(world.t)) <= 12


def from_scratch(world: Dynamic) -> None:
    """The zone has the rows that a process with an empty database writes."""
    before: list[str] = []

    def followed() -> bool:
        # one reading: an event that the zone has yet to see can take a port away after `check`
        before[:] = rows(world)
        ports = {name for name in before if name.startswith(f"cluster_udn_{world.t}_tstor-")}
        return ports == {f"cluster_udn_{world.t}_tstor-{node}" for node in world.subnets()}

    world.until(followed, "a port for each node with a subnet")
    present(world.process).stop()
    for table in ("Logical_Router", "Logical_Switch"):
        for name in world.ovn.nbctl("--bare", "--columns=_uuid", "list", table).split():
            world.ovn.nbctl("lr-del" if table == "Logical_Router" else "ls-del", name)
    world.start(*DYNAMIC, record=False)
    world.until(lambda: rows(world) == before, "the same rows from scratch")


def rows(world: Dynamic) -> list[str]:
    """Names of switches, routers and their ports."""
    tables = ("Logical_Router", "Logical_Switch", "Logical_Router_Port", "Logical_Switch_Port")
    listed = (world.ovn.nbctl("--bare", "--columns=name", "list", table).split() for table in tables)
    return sorted(name for names in listed for name in names)


def test_watches_that_are_cut_again_and_again(zone: Zone, made: list[Dynamic], proxy: Proxy) -> None:
    world = begun(made, zone, "faultcut", proxy)
    rounds = sized(3, 150)
    for number in range(rounds):
        proxy.cut()
        if number % 2:
            world.no_pod("two")
        else:
            world.pod("two", OTHER)
        proxy.mend()
        time.sleep(2)
    if rounds % 2 == 0:
        world.pod("two", OTHER)
    check(world, NODE, OTHER)
    from_scratch(world)


def test_an_api_server_that_starts_again_after_a_compaction(zone: Zone, made: list[Dynamic], proxy: Proxy) -> None:
    """Versions that the watches knew are gone (410), and so is a pod whose deletion nobody saw."""
    world = begun(made, zone, "faultgone", proxy)
    world.pod("two", OTHER)
    check(world, NODE, OTHER)
    version = world.api.request("GET", world.pods)[1]["metadata"]["resourceVersion"]
    proxy.cut()
    world.no_pod("two")
    world.pod("three", THIRD)
    zone.api.compact()
    zone.api.restart()
    query = f"watch=true&resourceVersion={version}&timeoutSeconds=5"
    status, answer = zone.api.request("GET", f"{world.pods}?{query}")
    status_object: Any = answer if isinstance(answer, dict) else json.loads(answer.splitlines()[0])
    assert 410 in (status, status_object.get("object", {}).get("code"), status_object.get("code"))
    proxy.target = port(zone)
    proxy.mend()
    check(world, NODE, THIRD)
    from_scratch(world)


def test_a_leader_that_is_killed_in_each_phase(zone: Zone, made: list[Dynamic]) -> None:
    """As soon as it holds the Lease, has numbered the network, given subnets, reported them, begun a period."""
    world = dynamic(made, zone, "faultkill")

    def again() -> None:
        world.leader.process.kill()
        world.leader.process.wait(60)
        assert world.api.request("DELETE", LEASE)[0] == 200
        world.leader = world.lead()

    def until(done: Any, what: str) -> None:
        wait_until(done, what, 100.0, [world.leader, present(world.process)])

    until(lambda: world.api.request("GET", LEASE)[0] == 200, "a leader")
    again()
    until(lambda: world.api.request("GET", LEASE)[0] == 200, "a leader")
    world.create(layer3("faultkill"))
    until(lambda: ID in world.get("faultkill")["metadata"].get("annotations", {}), "the number")
    number = world.get("faultkill")["metadata"]["annotations"][ID]
    again()
    world.pod("one")
    until(lambda: set(world.subnets()) == {NODE}, "a subnet")
    subnets = world.subnets()
    again()
    world.pod("two", OTHER)
    until(lambda: world.condition_text("faultkill") == TWO, "the condition")
    again()
    world.no_pod("two")
    until(lambda: world.condition_text("faultkill") == ONE, "the condition")
    again()
    check(world, NODE)
    assert world.get("faultkill")["metadata"]["annotations"][ID] == number
    assert world.subnets() == subnets
    from_scratch(world)


def test_a_leader_that_stood_still_finds_another_one_and_ends_without_a_write(zone: Zone, made: list[Dynamic]) -> None:
    world = begun(made, zone, "faultstill")
    first = world.leader
    with first:
        os.kill(first.pid, signal.SIGSTOP)
        try:
            # the Lease lasts for 15 seconds after its last renewal
            world.leader = lead_again(world)
            world.pod("two", OTHER)
            world.until_condition(TWO)
            versions = {name: world.get(name, NODES)["metadata"]["resourceVersion"] for name in (NODE, OTHER, THIRD)}
        finally:
            os.kill(first.pid, signal.SIGCONT)
        assert first.process.wait(60) == Exit.INTERNAL
        assert "another process has taken the Lease over: this one ends" in first.log.read_text()
        assert {name: world.get(name, NODES)["metadata"]["resourceVersion"] for name in versions} == versions
        holder = world.api.request("GET", LEASE)[1]["spec"]
        assert holder["leaseTransitions"] == 1
    check(world, NODE, OTHER)


def lead_again(world: Dynamic) -> Child:
    """Another process than the one that leads; it has metrics at a port of its own."""
    world.port = free_port()
    return world.lead()


def test_a_database_that_is_away_while_pods_come_and_periods_end(zone: Zone, made: list[Dynamic]) -> None:
    world = begun(made, zone, "faultaway")
    world.pod("two", OTHER)
    check(world, NODE, OTHER)
    os.kill(world.ovn.pids()["nb"], signal.SIGSTOP)
    try:
        world.no_pod("two")
        world.until_condition(ONE)
        time.sleep(sized(GRACE + 2, 60))
        world.pod("three", THIRD)
        world.until_condition(TWO)
    finally:
        os.kill(world.ovn.pids()["nb"], signal.SIGCONT)
    check(world, NODE, THIRD)
    from_scratch(world)


CORRUPT = ("{", '{"cluster_udn_faulthand":["10.20.0.0/24"]}', "[]", "\u0000", "9" * 5000)


def test_an_annotation_that_somebody_corrupts_and_repairs(zone: Zone, made: list[Dynamic]) -> None:
    """While it cannot be read, or claims the subnet of another node, nothing is given twice."""
    world = begun(made, zone, "faulthand")
    right = world.get(OTHER, NODES)["metadata"]["annotations"][SUBNETS]
    for number, text in enumerate(CORRUPT):
        note(world, text)
        world.pod(f"two-{number}", OTHER)
        world.until_condition(TWO)
        assert world.subnets_of(NODE) == ["10.20.0.0/24"]
        note(world, right)
        check(world, NODE, OTHER)
        world.no_pod(f"two-{number}")
        world.until(lambda: set(world.subnets()) == {NODE}, "the subnet is given back")
    check(world, NODE)
    from_scratch(world)


def note(world: Dynamic, text: str) -> None:
    change = {"metadata": {"annotations": {SUBNETS: text}}}
    assert world.api.request("PATCH", f"{NODES}/{OTHER}", change, MERGE)[0] == 200


def test_a_node_that_goes_and_comes_again_under_its_name(zone: Zone, made: list[Dynamic]) -> None:
    world = begun(made, zone, "faultnode")
    world.pod("two", OTHER)
    check(world, NODE, OTHER)
    for _ in range(sized(2, 20)):
        node = world.get(OTHER, NODES)
        kept = {key: text for key, text in node["metadata"]["annotations"].items() if key not in (NODE_ID, SUBNETS)}
        world.delete(OTHER, NODES)
        fresh = {**node, "metadata": {"name": OTHER, "labels": node["metadata"]["labels"], "annotations": kept}}
        world.create(fresh, NODES)
        assert world.api.request("PATCH", f"{NODES}/{OTHER}/status", {"status": node["status"]}, MERGE)[0] == 200
        check(world, NODE, OTHER)
    from_scratch(world)
