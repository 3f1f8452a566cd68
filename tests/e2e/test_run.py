"""`ovnguard-reconciler run` against a real API server and a real Northbound database, as its users start it."""

import contextlib
import json
import os
import signal
import subprocess
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.support.deployed import running
from tests.support.deployed.proxy import Proxy
from tests.support.deployed.running import CUDNS, ID, KEYS, MERGE, NODE, NODES, PROGRAM, TRANSIT, Zone, condition, cudn
from tests.support.present import present
from tests.testbed.process import Child, wait_until

pytestmark = pytest.mark.timing

api, zone = running.api, running.zone


def test_a_network_comes_and_goes(zone: Zone) -> None:
    process = zone.start()
    zone.until(zone.frr.exists, "the default network's mesh")
    assert "neighbor 172.18.0.3 remote-as" in zone.frr.read_text()
    assert zone.rows() == 0

    zone.create(cudn("blue", "100.88.0.0/15"))
    zone.until(lambda: zone.has_router("cluster_udn_blue"), "rows of blue")
    zone.ovn.wait_sb()
    zone.until(lambda: condition(zone.get("blue")) is not None, "the condition")
    blue = zone.get("blue")
    notes = blue["metadata"]["annotations"]
    assert notes[TRANSIT] == "100.90.0.0/16"
    key = 16711683 + int(notes[ID])
    assert json.loads(notes[KEYS])[0] == key
    assert f'requested-tnl-key="{key}"' in zone.ovn.nbctl(
        "get", "logical_switch", "cluster_udn_blue_ovn_layer2_switch", "other_config"
    )
    found = present(condition(zone.get("blue")))
    assert found.pop("lastTransitionTime")
    assert found == {
        "type": "TransitSubnetAllocated",
        "status": "True",
        "reason": "AlternativeSelected",
        "message": "Transit subnet 100.90.0.0/16 selected.",
        "observedGeneration": blue["metadata"]["generation"],
    }
    (entry,) = [each for each in blue["metadata"]["managedFields"] if each.get("subresource") == "status"]
    assert (entry["manager"], entry["operation"]) == ("ovnguard-reconciler", "Apply")

    zone.delete("blue")
    zone.until(lambda: zone.rows() == 0, "rows of blue gone")
    assert "neighbor 172.18.0.3 remote-as" in zone.frr.read_text()

    os.kill(process.pid, signal.SIGTERM)
    # a Pod has thirty
    assert process.process.wait(30) == 0
    lines = zone.log_lines()
    assert lines[-1] == f"zone {NODE}: stopped"
    assert sum("network-attachment-definitions.k8s.cni.cncf.io is not served" in line for line in lines) == 1
    assert zone.complaints("next try") == []


def test_nothing_is_written_twice(zone: Zone) -> None:
    zone.create(cudn("blue", "10.20.0.0/16"))
    zone.start()
    zone.until(lambda: condition(zone.get("blue")) is not None, "the condition")
    version = zone.get("blue")["metadata"]["resourceVersion"]
    before = len(zone.log_lines())
    time.sleep(2.5)
    assert zone.get("blue")["metadata"]["resourceVersion"] == version
    # northd's progress is heard of some time after the write
    assert [line for line in zone.log_lines()[before:] if "followed to nb_cfg" not in line] == []
    assert present(condition(zone.get("blue")))["reason"] == "DefaultSelected"

    present(zone.process).stop()
    before = len(zone.log_lines())
    zone.start()
    zone.until(lambda: any("watching" in line for line in zone.log_lines()[before:]), "the second start")
    time.sleep(2)
    assert zone.get("blue")["metadata"]["resourceVersion"] == version
    assert [line for line in zone.log_lines()[before:] if "inserted" in line or "recorded" in line] == []


def test_conditions_of_others_stay(zone: Zone) -> None:
    zone.create(cudn("blue", "10.20.0.0/16"))
    theirs = {
        "type": "NetworkCreated",
        "status": "True",
        "reason": "NetworkAttachmentDefinitionCreated",
        "message": "NetworkAttachmentDefinition has been created in following namespaces: []",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    assert zone.api.request("PATCH", f"{CUDNS}/blue/status", {"status": {"conditions": [theirs]}}, MERGE)[0] == 200
    zone.start()
    zone.until(lambda: condition(zone.get("blue")) is not None, "our condition")
    assert condition(zone.get("blue"), "NetworkCreated") == theirs


def test_refused_networks_stay_out_and_do_not_stop_others(zone: Zone) -> None:
    zone.start()
    overlapping = cudn("red", "10.20.0.0/16")
    overlapping["spec"]["network"]["layer2"]["joinSubnets"] = ["10.20.128.0/17"]
    taken = cudn("twin", "10.40.0.0/16", **{ID: "7", TRANSIT: "100.88.0.0/16", KEYS: "[16711690,16715780]"})
    zone.create(cudn("first", "10.30.0.0/16", **{ID: "7"}))
    zone.until(lambda: zone.has_router("cluster_udn_first"), "the first network")
    status, answer = zone.api.request("POST", CUDNS, overlapping)
    assert status == 201, answer
    time.sleep(1.1)  # creationTimestamps have seconds
    zone.create(taken)
    zone.create(cudn("blue", "10.50.0.0/16"))
    zone.until(lambda: zone.has_router("cluster_udn_blue"), "the last network")
    assert not zone.has_router("cluster_udn_red")
    assert not zone.has_router("cluster_udn_twin")
    time.sleep(2)
    lines = zone.log_lines()
    refusals = [line for line in lines if line.startswith("ClusterUserDefinedNetwork red is refused and not planned: ")]
    assert len(refusals) == 1, lines
    assert lines.count('network cluster_udn_twin: network id 7 is already held by network "cluster_udn_first"') == 1


def test_a_live_network_that_is_refused_later_keeps_its_rows_until_it_is_deleted(zone: Zone) -> None:
    zone.create(cudn("blue", "10.20.0.0/16"))
    zone.start()
    zone.until(lambda: zone.has_router("cluster_udn_blue"), "rows")
    rows = zone.rows()
    spoiled = {"metadata": {"annotations": {ID: "seven"}}}
    assert zone.api.request("PATCH", f"{CUDNS}/blue", spoiled, MERGE)[0] == 200
    zone.until(lambda: any("blue is refused" in line for line in zone.log_lines()), "the refusal")
    time.sleep(1.5)
    assert zone.rows() == rows
    zone.delete("blue")
    zone.until(lambda: zone.rows() == 0, "rows gone")


def test_no_free_transit_subnet_is_a_condition(zone: Zone) -> None:
    busy = {"k8s.ovn.org/host-cidrs": json.dumps(["10.0.0.1/8", "100.64.0.1/10", "172.16.0.1/12", "192.168.0.1/16"])}
    assert zone.api.request("PATCH", f"{NODES}/worker-b", {"metadata": {"annotations": busy}}, MERGE)[0] == 200
    zone.create(cudn("blue", "203.203.0.0/16"))
    zone.start()
    zone.until(lambda: condition(zone.get("blue")) is not None, "the condition")
    found = present(condition(zone.get("blue")))
    assert (found["status"], found["reason"]) == ("False", "NoFreeTransitSubnet")
    assert found["message"].startswith("can't generate transit subnets: no free /16 in ")
    assert not zone.has_router("cluster_udn_blue")
    since = found["lastTransitionTime"]

    free = {"k8s.ovn.org/host-cidrs": '["172.18.0.3/16"]'}
    time.sleep(1.1)
    assert zone.api.request("PATCH", f"{NODES}/worker-b", {"metadata": {"annotations": free}}, MERGE)[0] == 200
    zone.until(lambda: present(condition(zone.get("blue")))["status"] == "True", "a free subnet")
    assert present(condition(zone.get("blue")))["lastTransitionTime"] > since
    zone.until(lambda: zone.has_router("cluster_udn_blue"), "rows")


def test_a_node_that_goes_away_is_forgotten_by_the_others(zone: Zone) -> None:
    zone.create(cudn("blue", "10.20.0.0/16"))
    zone.start()
    remote = "trtor-GR_cluster_udn_blue_worker-c"
    zone.until(lambda: zone.has_router("cluster_udn_blue"), "rows")
    assert remote in zone.ovn.nbctl("lrp-list", "cluster_udn_blue_transit_router")
    zone.delete("worker-c", NODES)
    zone.until(lambda: remote not in zone.ovn.nbctl("lrp-list", "cluster_udn_blue_transit_router"), "the port gone")
    zone.until(lambda: "172.18.0.4" not in zone.frr.read_text(), "the neighbor gone")


def test_what_somebody_removes_comes_back(zone: Zone) -> None:
    zone.create(cudn("blue", "10.20.0.0/16"))
    zone.start()
    zone.until(lambda: zone.has_router("cluster_udn_blue"), "rows")
    zone.ovn.nbctl("lr-del", "cluster_udn_blue_transit_router")
    zone.until(lambda: zone.has_router("cluster_udn_blue"), "the router again")


def test_it_goes_on_by_itself_when_api_server_and_database_come_back(zone: Zone, parts, tmp_path: Path) -> None:
    proxy = Proxy(urlsplit(zone.api.url).port or 443)
    zone.kubeconfig = proxy.kubeconfig(zone.api.kubeconfig, tmp_path / "kubeconfig")
    with contextlib.closing(proxy):
        zone.create(cudn("blue", "10.20.0.0/16"))
        zone.start()
        zone.until(lambda: zone.has_router("cluster_udn_blue"), "rows")

        before = len(zone.log_lines())
        proxy.cut()
        zone.create(cudn("green", "10.30.0.0/16"))
        # all watches fail for one reason, and the log names the first of them
        zone.until(lambda: any("next try" in line for line in zone.log_lines()[before:]), "a complaint")
        assert zone.has_router("cluster_udn_blue")
        proxy.mend()
        zone.until(lambda: zone.has_router("cluster_udn_green"), "what happened meanwhile")

        database = Path(zone.ovn.nb.removeprefix("unix:"))
        os.kill(zone.ovn.pids()["nb"], signal.SIGKILL)
        zone.until(lambda: any(zone.ovn.nb in line and "next try" in line for line in zone.log_lines()), "another one")
        database.unlink(missing_ok=True)
        empty = tmp_path / "empty.db"
        subprocess.run([parts.ovn.tool("ovsdb-tool"), "create", empty, parts.ovn.file("ovn-nb.ovsschema")], check=True)
        server = [
            parts.ovn.tool("ovsdb-server"),
            f"--unixctl={tmp_path / 'again.ctl'}",
            f"--remote=punix:{database}",
            empty,
        ]
        with Child("nb again", server, tmp_path / "again.out") as again:
            wait_until(database.exists, "nb again", 60.0, [again])
            zone.until(lambda: zone.has_router("cluster_udn_green"), "all rows again")
            assert zone.has_router("cluster_udn_blue")
            present(zone.process).stop()


def test_a_node_that_is_not_there_yet(zone: Zone) -> None:
    node = zone.get(NODE, NODES)
    zone.delete(NODE, NODES)
    zone.create(cudn("blue", "10.20.0.0/16"))
    zone.start()
    text = f"node {NODE}: the cluster has no such node yet; the zone stays unchanged"
    zone.until(lambda: text in zone.log_lines(), "the note")
    assert zone.rows() == 0
    fresh = {**node, "metadata": {key: node["metadata"][key] for key in ("name", "labels", "annotations")}}
    zone.create(fresh, NODES)
    zone.until(lambda: zone.has_router("cluster_udn_blue"), "rows")


def test_two_zones_agree_on_numbers(zone: Zone, ovn_zone, tmp_path: Path) -> None:
    other = ovn_zone("worker-b")
    zone.start()
    where = ["--kubeconfig", str(zone.kubeconfig), "--nb-db", other.nb]
    argv = [
        PROGRAM,
        "run",
        "--mode",
        "own",
        "--record",
        "--node",
        "worker-b",
        *where,
        "--resync",
        "1",
        "--log-format",
        "json",
    ]
    with Child("other", argv, tmp_path / "other.log"):
        for number in range(6):
            zone.create(cudn(f"net{number}", f"10.{number + 20}.0.0/16"))
        for number in range(6):
            zone.until(lambda number=number: zone.has_router(f"cluster_udn_net{number}"), f"rows of net{number}")
            wait_until(lambda number=number: f"cluster_udn_net{number}_transit" in other.nbctl("lr-list"), "other", 60)
        one = zone.ovn.nbctl("--format=json", "--columns=name,other_config", "list", "logical_switch")
        two = other.nbctl("--format=json", "--columns=name,other_config", "list", "logical_switch")
        keys = [
            {row[0]: dict(row[1][1]).get("requested-tnl-key") for row in json.loads(text)["data"] if "layer2" in row[0]}
            for text in (one, two)
        ]
        assert keys[0] == keys[1]
        assert len(set(keys[0].values())) == 6
        present(zone.process).stop()
    errors = [line for line in (tmp_path / "other.log").read_text().splitlines() if "already held" in line]
    assert errors == []
