"""`run --mode own` on a real API server: where it does not start, and which deletions wait for somebody."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from ovnguard.reconciler.apply.kube_report import KEY
from tests.support.deployed import running
from tests.support.deployed.deployed import OURS
from tests.support.deployed.running import ACCOUNTS, ID, KEYS, MERGE, NODE, NODES, TRANSIT, Zone, as_deployed, cudn

pytestmark = pytest.mark.timing

api, zone = running.api, running.zone
REPORTS = f"/api/v1/namespaces/{OURS}/configmaps"
RECORDED = {ID: "7", TRANSIT: "100.88.0.0/16", KEYS: "[16711690,16715780]"}


def test_a_writer_that_must_not_join_a_zone_ends_with_one_error_and_says_so_in_its_report(zone: Zone) -> None:
    zone.create(cudn("blue", "10.30.0.0/16", **RECORDED))
    switch = "cluster_udn_blue_ovn_layer2_switch"
    zone.ovn.nbctl("ls-add", switch)
    as_deployed(zone.api, zone.folder, "ovnguard-reconciler", ACCOUNTS[0])
    process = zone.start("--report", OURS, record=False)
    assert process.process.wait(60) == 2
    text = (
        f"the database has 1 row of another writer: network cluster_udn_blue: Logical_Switch {switch}; "
        "stop the other writer, then name each network with --adopt NETWORK, or use --mode audit"
    )
    *_, last = (zone.folder / "run.log").read_text().splitlines()
    assert last == f"error: zone {NODE}: {text}"
    report = json.loads(zone.get(f"ovnguard-zone-{NODE}", REPORTS)["data"][KEY])
    assert report["zone"] == [text]
    assert zone.rows() == 0

    zone.process = None
    zone.start("--adopt", "cluster_udn_blue", record=False)
    zone.until(lambda: zone.has_router("cluster_udn_blue"), "rows")
    assert zone.ovn.nbctl("--bare", "--columns=name", "find", "logical_switch", f"name={switch}").split() == [switch]


def test_deletions_above_the_limit_wait_for_the_annotation_of_the_node(zone: Zone) -> None:
    names = [f"n{number}" for number in range(3)]
    for number, name in enumerate(names):
        zone.create(cudn(name, f"10.{number + 20}.0.0/16"))
    zone.start("--max-deletions", "1")
    for name in names:
        zone.until(lambda name=name: zone.has_router(f"cluster_udn_{name}"), f"rows of {name}")
    # both are gone when it looks again
    present = zone.process
    assert present is not None
    present.stop()
    for name in names[:2]:
        zone.delete(name)
    zone.start("--max-deletions", "1")
    zone.until(lambda: any(each["reason"] == "DeletionsHeld" for each in zone.events(NODE)), "the event")
    assert all(zone.has_router(f"cluster_udn_{name}") for name in names)
    held = [line for line in zone.log_lines() if "wait: more than --max-deletions 1 of" in line]
    assert len(held) == 1
    assert held[0].startswith(f"zone {NODE}: deletions of 2 networks (cluster_udn_n0, cluster_udn_n1) and 0 other rows")

    until = (datetime.now(UTC) + timedelta(minutes=5)).strftime("%Y-%m-%dT%H:%M:%SZ")
    change = {"metadata": {"annotations": {"ovnguard.io/allow-deletions-until": until}}}
    assert zone.api.request("PATCH", f"{NODES}/{NODE}", change, MERGE)[0] == 200
    zone.until(lambda: not zone.has_router("cluster_udn_n0"), "the deletion")
    zone.until(lambda: any(each["reason"] == "DeletionsResumed" for each in zone.events(NODE)), "the other event")
    assert not zone.has_router("cluster_udn_n1")
    assert zone.has_router("cluster_udn_n2")
