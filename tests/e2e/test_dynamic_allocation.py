"""Dynamic allocation with a real API server, leader, zone and database: the scenarios of the design, by its names."""

import contextlib
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ovnguard.reconciler.apply.ovn.ovn_nb import NorthboundStore
from ovnguard.reconciler.plan.connections.recorded_connections import SUBNETS
from tests.support.deployed import dynamic as deployed
from tests.support.deployed import running
from tests.support.deployed.dynamic import DYNAMIC, LEASE, NONE, ONE, OTHER, THIRD, TWO, Dynamic, dynamic, layer3
from tests.support.deployed.running import (
    CUDNS,
    EGRESS_IPS,
    ID,
    MERGE,
    NAMESPACES,
    NODE,
    NODES,
    OPERATOR,
    PODS,
    PROGRAM,
    TEST,
    Zone,
    condition,
    cudn,
)
from tests.support.present import present

pytestmark = pytest.mark.timing

APPLY = "application/apply-patch+yaml"
THEIRS = "1 node(s) rendered with network"
CONNECTS = "/apis/k8s.ovn.org/v1/clusternetworkconnects"
api, zone, made = running.api, running.zone, deployed.made


def test_cm_status_and_allocation_follow_pods_of_a_layer3_network(zone: Zone, made: list[Dynamic]) -> None:
    """CM status and CM allocation: nodes are counted, and only they have subnets."""
    world = dynamic(made, zone, "dynwide")
    world.create(layer3("dynwide"))
    world.until(lambda: ID in world.get("dynwide")["metadata"].get("annotations", {}), "the network's number")
    world.until(lambda: world.metric() == "0.0", "the metric")
    assert (world.condition_text("dynwide"), world.subnets(), world.routers()) == ("", {}, set())
    number = world.get("dynwide")["metadata"]["annotations"][ID]

    world.pod("one")
    world.until_condition(ONE)
    world.until(lambda: world.routers() == {"cluster_udn_dynwide"}, "rows")
    assert world.subnets() == {NODE: ["10.20.0.0/24"]}
    world.ovn.wait_sb()
    found = present(condition(world.get("dynwide"), "NodesSelected"))
    assert (found["status"], found["reason"], found["observedGeneration"]) == ("True", "DynamicAllocation", 1)

    world.pod("two", OTHER)
    world.until_condition(TWO)
    world.until(lambda: world.remotes() == {NODE, OTHER}, "the other node's port")
    world.until(lambda: world.metric() == "2.0", "the metric")
    world.no_pod("two")
    world.until_condition(ONE)
    world.until(lambda: world.remotes() == {NODE}, "no port of the other node")
    # the last pod: False at once, rows and subnets after the grace period
    world.no_pod("one")
    world.until_condition(NONE)
    assert world.routers() == {"cluster_udn_dynwide"}
    world.until(lambda: (world.routers(), world.subnets()) == (set(), {}), "no rows and no subnets")
    # the network's number does not depend on its nodes
    assert world.get("dynwide")["metadata"]["annotations"][ID] == number
    world.pod("three")
    world.until(lambda: world.routers() == {"cluster_udn_dynwide"}, "rows again")
    # a change that comes again is counted on the Event that exists
    expected = [
        "NodeActivated: Node worker-a uses the network.",
        "NodeActivated: Node worker-b uses the network.",
        "NodeDeactivated: Node worker-a no longer uses the network.",
        "NodeDeactivated: Node worker-b no longer uses the network.",
    ]
    world.until(lambda: world.activity() == expected, "events")


def test_grace_a_pod_in_time_finds_the_network_unchanged(zone: Zone, made: list[Dynamic]) -> None:
    """Grace: re-activation ends the period; also of a Layer2 network with remote ports."""
    world = dynamic(made, zone, "dyngrace")
    world.create(cudn("dyngrace", "10.30.0.0/16"))
    world.pod("one")
    world.until(lambda: world.remotes() == {NODE}, "rows")
    # the zone may be faster than the leader, which says nothing about a network that it never saw in use
    world.until_condition(ONE)
    before = world.ovn.nbctl("--bare", "--columns=_uuid", "list", "Logical_Router_Port").split()
    for name in ("two", "three"):
        world.no_pod("one" if name == "two" else "two")
        world.until_condition(NONE)
        world.pod(name)
        world.until_condition(ONE)
    assert sorted(world.ovn.nbctl("--bare", "--columns=_uuid", "list", "Logical_Router_Port").split()) == sorted(before)
    world.pod("far", OTHER)
    world.until(lambda: world.remotes() == {NODE, OTHER}, "a remote port")
    world.no_pod("far")
    world.until(lambda: world.remotes() == {NODE}, "no remote port")


def test_eip_tracker_and_two_trackers(zone: Zone, made: list[Dynamic]) -> None:
    """EIP tracker: assigned, moved, no longer selected; two trackers: the pod goes while the address remains."""
    world = dynamic(made, zone, "dynegress")
    world.create(cudn("dynegress", "10.30.0.0/16"))
    world.pod("one")
    world.egress("out", NODE)
    world.until_condition(ONE)
    world.until(lambda: world.routers() == {"cluster_udn_dynegress"}, "rows")
    world.no_pod("one")
    world.egress("more", NODE)
    moved = {"status": {"items": [{"node": OTHER, "egressIP": "172.18.0.100"}]}}
    assert world.api.request("PATCH", f"{EGRESS_IPS}/out", moved, MERGE)[0] == 200
    world.until_condition(TWO)
    world.delete("more", EGRESS_IPS)
    world.until_condition(ONE)
    world.until(lambda: world.routers() == set(), "no rows")
    label = {"metadata": {"labels": {TEST: "no-more"}}}
    assert world.api.request("PATCH", f"{NAMESPACES}/{world.t}", label, MERGE)[0] == 200
    world.until_condition(NONE)


def test_pod_tracker_secondary_networks_and_pods_that_end(zone: Zone, made: list[Dynamic]) -> None:
    """Pod tracker: a pod counts for the networks that it requests, while it terminates, and not once it completed."""
    world = dynamic(made, zone, "dynside")
    side = {"topology": "Layer2", "layer2": {"role": "Secondary", "subnets": ["10.90.0.0/16"]}}
    metadata = {"name": "side"}
    obj = {"apiVersion": "k8s.ovn.org/v1", "kind": "UserDefinedNetwork", "metadata": metadata, "spec": side}
    path = "/apis/k8s.ovn.org/v1/namespaces/dynside/userdefinednetworks"
    world.create(obj, path)
    world.create(cudn("dynside", "10.30.0.0/16"))
    world.pod("one", **{"k8s.v1.cni.cncf.io/networks": "side"})
    world.until_condition(ONE)
    world.until(
        lambda: present(condition(world.get("side", path), "NodesSelected"))["message"] == ONE, "the second one"
    )
    world.until(lambda: "dynside_side_ovn_layer2_switch" in world.ovn.nbctl("ls-list"), "its rows")
    assert world.api.request("DELETE", f"{world.pods}/one?gracePeriodSeconds=30")[0] == 200
    assert world.get("one", world.pods)["metadata"]["deletionTimestamp"]
    assert world.condition_text("dynside") == ONE
    done = {"status": {"phase": "Succeeded"}}
    assert world.api.request("PATCH", f"{world.pods}/one/status", done, MERGE)[0] == 200
    world.until_condition(NONE)
    world.until(lambda: "dynside_side" not in world.ovn.nbctl("ls-list"), "no rows")
    world.no_pod("one")


def test_cnc_a_pod_of_one_network_renders_the_connected_one(zone: Zone, made: list[Dynamic]) -> None:
    """CNC: activity on A renders connected B, and a disconnection ends that after the grace period."""
    world = dynamic(made, zone, "dyncnc")
    world.create(layer3("dyncnc"))
    world.create(layer3("dyncncpeer", "10.21.0.0/16"))
    names = ("dyncnc", "dyncncpeer")
    world.until(lambda: all(ID in world.get(name)["metadata"].get("annotations", {}) for name in names), "numbers")
    numbers = [world.get(name)["metadata"]["annotations"][ID] for name in names]
    record = json.dumps({f"layer3_{number}": {"ipv4": "192.168.0.0/24"} for number in numbers})
    kind = "ClusterUserDefinedNetworks"
    spec = {
        "connectSubnets": [{"cidr": "192.168.0.0/16", "networkPrefix": 24}],
        "connectivity": ["PodNetwork"],
        "networkSelectors": [
            {"networkSelectionType": kind, "clusterUserDefinedNetworkSelector": {"networkSelector": {}}}
        ],
    }
    connection = {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "ClusterNetworkConnect",
        "metadata": {"name": "dyncnc", "annotations": {SUBNETS: record}},
        "spec": spec,
    }
    world.create(connection, CONNECTS)
    world.pod("one")
    world.until(lambda: world.routers() == {f"cluster_udn_{name}" for name in names}, "rows of both")
    world.until(lambda: [world.condition_text(name) for name in names] == [ONE, ONE], "conditions of both")
    world.delete("dyncnc", CONNECTS)
    world.until(lambda: [world.condition_text(name) for name in names] == [ONE, NONE], "the end of the connection")
    world.until(lambda: world.routers() == {"cluster_udn_dyncnc"}, "rows of one")


def test_e2e_a_subnet_for_two_of_three_nodes_suffices_while_two_are_active(zone: Zone, made: list[Dynamic]) -> None:
    world = dynamic(made, zone, "dynsmall")
    world.create(layer3("dynsmall", "10.20.0.0/24", 25))
    world.pod("one")
    world.pod("two", OTHER)
    world.until_condition(TWO)
    world.until(lambda: world.remotes() == {NODE, OTHER}, "rows")
    assert condition(world.get("dynsmall"), "Accepted") is None
    assert sorted(world.subnets().values()) == [["10.20.0.0/25"], ["10.20.0.128/25"]]
    # the third node gets the subnet of the second one when that is given back
    world.pod("three", THIRD)
    world.no_pod("two")
    world.until(lambda: set(world.subnets()) == {NODE, THIRD}, "the third node's subnet")
    world.until(lambda: world.remotes() == {NODE, THIRD}, "the third node's port")


def test_a_leader_and_a_zone_that_are_killed_begin_whole_periods_and_end_them(zone: Zone, made: list[Dynamic]) -> None:
    world = dynamic(made, zone, "dynkill")
    world.create(layer3("dynkill"))
    world.pod("one")
    world.until(lambda: world.routers() == {"cluster_udn_dynkill"}, "rows")
    world.until_condition(ONE)
    world.leader.process.kill()
    present(world.process).process.kill()
    world.leader.process.wait(60)
    present(world.process).process.wait(60)
    world.no_pod("one")
    assert world.api.request("DELETE", LEASE)[0] == 200
    world.leader = world.lead()
    world.start(*DYNAMIC, record=False)
    world.until_condition(NONE)
    world.until(lambda: (world.routers(), world.subnets()) == (set(), {}), "no rows and no subnets")
    assert world.complaints("next try") == []


def test_switched_off_every_node_has_every_network_and_no_condition_says_otherwise(
    zone: Zone, made: list[Dynamic]
) -> None:
    world = dynamic(made, zone, "dynoff")
    world.create(layer3("dynoff"))
    world.create(cudn("dyntheirs", "10.40.0.0/16"))
    world.pod("one", OTHER)
    world.until_condition(ONE)
    world.until(lambda: set(world.subnets()) == {OTHER}, "the subnet of the node that uses it")
    assert world.routers() == set()

    world.leader.stop()
    present(world.process).stop()
    theirs = {"type": "NodesSelected", "status": "True", "reason": "DynamicAllocation", "message": THEIRS}
    written = {"conditions": [{**theirs, "lastTransitionTime": "2026-01-01T00:00:00Z"}]}
    body = {"apiVersion": "k8s.ovn.org/v1", "kind": "ClusterUserDefinedNetwork", "metadata": {"name": "dyntheirs"}}
    path = f"{CUDNS}/dyntheirs/status?fieldManager=ClusterManager&force=true"
    assert world.api.request("PATCH", path, {**body, "status": written}, APPLY)[0] == 200
    # the leader that follows need not wait until the Lease of the former one ends
    world.api.request("DELETE", LEASE)
    world.leader = world.lead(())
    world.start(record=False)
    world.until(lambda: world.condition_text("dynoff") == "", "no condition")
    world.until(lambda: {NODE, OTHER, THIRD} <= set(world.subnets()), "subnets of all nodes")
    world.until(lambda: world.routers() == {"cluster_udn_dynoff", "cluster_udn_dyntheirs"}, "rows of all networks")
    world.until(lambda: world.remotes() == {NODE, OTHER, THIRD}, "the ports of the other nodes")
    assert world.condition_text("dyntheirs") == THEIRS
    assert world.complaints("next try") == []

    # offline, the condition of the other writer deletes nothing either
    done = _diff(world)
    decides = "only a condition says that some are unused, so --enable-dynamic-udn-allocation or "
    decides += "--disable-dynamic-udn-allocation has to decide"
    assert [line for line in done.stderr.splitlines() if "dynamic-" in line or " because " in line] == [
        "note: dynamic allocation is on because network cluster_udn_dyntheirs has the condition NodesSelected",
        f"note: network cluster_udn_dynoff keeps its rows on worker-a: {decides}",
        f"note: network cluster_udn_dyntheirs keeps its rows on worker-a: {decides}",
    ]
    deleted = {each["uuid"] for each in json.loads(done.stdout)["nodes"][NODE] if each["op"] == "delete"}
    with contextlib.closing(NorthboundStore(world.ovn.nb)) as store:
        networks = {(row.network, row.uuid in deleted) for row in store.read()}
    assert {("cluster_udn_dynoff", False), ("cluster_udn_dyntheirs", False)} <= networks
    assert not {("cluster_udn_dynoff", True), ("cluster_udn_dyntheirs", True)} & networks


def _diff(world: Dynamic) -> subprocess.CompletedProcess[str]:
    """What `diff` shows between the objects of the API server and the zone's database."""
    items = [item for path in (CUDNS, OPERATOR, NODES, NAMESPACES, PODS) for item in _listed(world, path)]
    file = world.folder / "cluster.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    command: list[str | Path] = [
        PROGRAM,
        "diff",
        "-f",
        file,
        "--nodes",
        file,
        "--nb-db",
        f"{NODE}={world.ovn.nb}",
        "-o",
        "json",
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def _listed(world: Dynamic, path: str) -> list[dict[str, Any]]:
    status, answer = world.api.request("GET", path)
    assert status == 200, answer
    named = {"apiVersion": answer["apiVersion"], "kind": answer["kind"].removesuffix("List")}
    return [{**named, **item} for item in answer["items"]]
