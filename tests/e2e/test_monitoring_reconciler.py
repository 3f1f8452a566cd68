"""Alerts and dashboard of the reconciler, evaluated by Prometheus' own engine over scrapes of real processes."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.deployed import running
from tests.support.deployed.deployed import OURS
from tests.support.deployed.running import ACCOUNTS, MERGE, NODE, NODES, Zone, account_of, as_deployed, cudn
from tests.support.monitoring import engine as monitoring
from tests.support.monitoring.engine import (
    ALERTS,
    Engine,
    alerts_of,
    bystanders,
    faulty,
    healthy,
    panels_of,
    reconciler,
)
from tests.support.monitoring.page import exposed, promised
from tests.support.monitoring.processes import Processes, processes
from tests.support.monitoring.scrapes import DOWN, Scrape
from tests.support.present import present

pytestmark = pytest.mark.timing
api, zone, engine = running.api, running.zone, monitoring.engine
LEADER = "ovnguard-reconciler-cluster"
LEASE = f"/apis/coordination.k8s.io/v1/namespaces/{OURS}/leases/{LEADER}"
OWN_LEADER = "`cluster`, `rollout run` and `dns run --record` with `--mode own`"
LEADING = "the leading `cluster`"
DYNAMIC_LEADER = "the leading `cluster` with `--enable-dynamic-udn-allocation`"
OWN = "`run --mode own`"
FIRST_POD = "`run --mode own --enable-dynamic-udn-allocation`"
WATCHES = "ovnk_reconcile_watch_f"
FAILING = "OvnguardWritesFail"
SILENT_AFTER = {"ovnguard.reconciler.loop.status.report_folding:STALE": 6}
OFTEN = {"ovnguard.reconciler.apply.kube_report:RENEWED": 1, "ovnguard.reconciler.apply.kube_report:PAUSE": 0.2}
AUDIT = {"ovnguard.reconciler.loop.zone.zone_auditor:PAUSE": 0.5}
SOON = {"ovnguard.reconciler.loop.process.probe_server:WATCH_FAILED": 1}


@pytest.fixture
def world(zone: Zone) -> Iterator[Processes]:
    zone.api.request("DELETE", LEASE)
    with processes(zone.folder) as made:
        yield made


def zones(found: Scrape) -> dict[str, float]:
    states = ("Ready", "NotReady", "NoReport", "Silent")
    return {state: number for state in states if (number := found.value("ovnk_reconcile_zones", state=state))}


def passes(found: Scrape) -> float:
    return found.value("ovnk_reconcile_passes_total", result="ok")


def drift(found: Scrape) -> float:
    return found.value("ovnk_reconcile_drift_rows")


def held(found: Scrape) -> float:
    return found.value("ovnk_reconcile_held_deletions", kind="networks")


def start_all(world: Processes, zone: Zone) -> None:
    """A leader, a zone that writes, its audit, both of dynamic allocation, and a zone with BGP."""
    config = as_deployed(zone.api, zone.folder, LEADER, *ACCOUNTS[1:])
    world.start("leader", "cluster", "--mode", "own", "--kubeconfig", config, "--resync", "1", periods=SILENT_AFTER)
    start_zone(world, zone)
    where = ("--kubeconfig", zone.kubeconfig)
    world.start("audit", "run", "--node", NODE, "--nb-db", zone.ovn.nb, *where, "--resync", "1", periods=AUDIT)
    dynamic = (*where, "--enable-dynamic-udn-allocation")
    world.start("trial", "run", "--mode", "own", "--node", "worker-b", "--store", zone.folder / "rows", *dynamic)
    frr = ("--store", zone.folder / "others", "--frr-conf", zone.frr)
    world.start("speaker", "run", "--mode", "own", "--node", "worker-c", *frr, *where)
    world.start("watcher", "cluster", *dynamic)


def start_zone(world: Processes, zone: Zone) -> None:
    where = ("--nb-db", zone.ovn.nb, "--kubeconfig", zone.kubeconfig, "--report", OURS)
    options = ("--max-deletions", "0", "--resync", "1")
    world.start("zone", "run", "--mode", "own", "--node", NODE, *where, *options, periods=OFTEN)


def test_a_zone_that_stops_drifts_and_holds_deletions_back(zone: Zone, world: Processes, engine: Engine) -> None:
    for name, subnet in (("blue", "10.20.0.0/16"), ("red", "10.30.0.0/16")):
        zone.create(cudn(name, subnet))
    start_all(world, zone)
    leader = world.state("leader", lambda found: zones(found) == {"Ready": 1, "NoReport": 2}, passes)
    before = world.state("zone", lambda found: held(found) == 0, passes)
    audit = world.state("audit", lambda found: drift(found) == 0, passes)
    others = {name: world.state(name) for name in ("trial", "watcher")}

    shown = {name: exposed(world.read(name)) for name in world.children}
    assert shown["leader"] == promised(OWN_LEADER, LEADING)
    assert shown["watcher"] == promised(LEADING, DYNAMIC_LEADER)
    assert shown["zone"] == promised(OWN)
    assert shown["trial"] == promised(OWN, FIRST_POD)
    assert shown["audit"] == promised("`run --mode audit`")
    assert shown["speaker"] == promised(OWN, "`run --frr-conf`")

    # what another writer would change while nobody repairs it
    world.stop("zone")
    names = zone.ovn.nbctl("--bare", "--columns=name", "list", "Logical_Router_Port").split()
    port = next(name for name in names if "cluster_udn_blue" in name)
    zone.ovn.nbctl("set", "Logical_Router_Port", port, 'mac="0a:58:64:58:00:ff"')
    silent = world.state("leader", lambda found: zones(found) == {"Silent": 1, "NoReport": 2}, passes)
    drifting = world.state("audit", lambda found: drift(found) > 0, passes)
    start_zone(world, zone)
    later = world.state("zone", lambda found: held(found) == 0, passes)
    rest = [
        healthy(reconciler(name, "cluster" if name == "watcher" else "reconciler"), others[name]) for name in others
    ]
    targets = [
        *bystanders(),
        faulty(reconciler("leader", "cluster"), leader, silent, leader),
        faulty(reconciler("zone"), before, DOWN, later),
        faulty(reconciler("audit"), audit, drifting, audit),
        *rest,
    ]
    engine.fires(targets, "OvnguardReconcilerDown", "OvnguardReportStale", "OvnguardDrift")

    zone.delete("red")
    holding = world.state("zone", lambda found: held(found) == 1, passes)
    until = (datetime.now(UTC) + timedelta(minutes=5)).strftime("%Y-%m-%dT%H:%M:%SZ")
    change = {"metadata": {"annotations": {"ovnguard.io/allow-deletions-until": until}}}
    assert zone.api.request("PATCH", f"{NODES}/{NODE}", change, MERGE)[0] == 200
    after = world.state("zone", lambda found: held(found) == 0, passes)
    zones_of = faulty(reconciler("zone"), later, holding, after)
    leading = healthy(reconciler("leader", "cluster"), leader)
    engine.fires([*bystanders(), zones_of, leading, *rest], "OvnguardDeletionsHeld")
    shown_here = [each for each in panels_of("reconciler", "layer2") if WATCHES not in each]
    engine.shows([*targets, healthy(reconciler("again"), holding)], shown_here)


def _binds_leader(binding: dict[str, Any]) -> bool:
    return any(each["name"] == LEADER for each in binding.get("subjects") or ())


def test_a_leader_without_rights(zone: Zone, world: Processes, engine: Engine) -> None:
    zone.create(cudn("blue", "10.20.0.0/16"))
    config = as_deployed(zone.api, zone.folder, LEADER, *ACCOUNTS[1:])
    documents = [each for file in ACCOUNTS[1:] for each in account_of(file)]
    bindings = [each for each in documents if each[1]["kind"].endswith("Binding") and _binds_leader(each[1])]
    for path, document in bindings:
        assert zone.api.request("DELETE", f"{path}/{document['metadata']['name']}")[0] == 200
    world.start("leader", "cluster", "--mode", "own", "--kubeconfig", config, "--resync", "1", periods=SOON)
    failing = world.state("leader", lambda found: found.value("ovnk_reconcile_watch_failing") > 0)
    for path, document in bindings:
        assert zone.api.request("POST", path, document)[0] == 201
    leading = world.state("leader", lambda found: found.value("ovnk_reconcile_leader") == 1, passes)
    targets = [*bystanders(), faulty(reconciler("leader", "cluster"), leading, failing, leading)]
    engine.fires(targets, "OvnguardNoLeader", "OvnguardReconcilerWatchRefused")
    engine.shows(targets, [each for each in panels_of("reconciler") if WATCHES in each])


def failed(found: Scrape) -> float:
    return found.value("ovnk_reconcile_passes_total", result="failed")


def refused(found: Scrape) -> float:
    return found.value("ovnk_reconcile_api_requests_total", method="PATCH", code="403")


def test_writes_that_fail_or_are_refused(zone: Zone, world: Processes, engine: Engine) -> None:
    zone.create(cudn("blue", "10.20.0.0/16"))
    account = as_deployed(zone.api, zone.folder, LEADER, *ACCOUNTS[1:], without=("clusteruserdefinednetworks/status",))
    world.start("leader", "cluster", "--mode", "own", "--kubeconfig", account, "--resync", "1")
    start_zone(world, zone)
    refusing = world.state("leader", lambda found: refused(found) > 0, refused)
    before = world.state("zone", lambda found: held(found) == 0, passes)
    files = as_deployed(zone.api, zone.folder, LEADER, *ACCOUNTS[1:])
    world.stop("leader")
    world.start("leader", "cluster", "--mode", "own", "--kubeconfig", files, "--resync", "1")
    leading = world.state("leader", lambda found: found.value("ovnk_reconcile_leader") == 1, passes)
    targets = [
        *bystanders(),
        faulty(reconciler("leader", "cluster"), leading, refusing, leading),
        healthy(reconciler("zone"), before),
    ]
    engine.fires(targets, FAILING)
    zone.ovn.appctl("nb", "exit")
    failing = world.state("zone", lambda found: failed(found) > failed(present(before.last)), failed)
    targets = [
        *bystanders(),
        healthy(reconciler("leader", "cluster"), leading),
        faulty(reconciler("zone"), before, failing, before),
    ]
    engine.fires(targets, FAILING)


def test_a_node_that_keeps_the_earlier_layer2_topology(zone: Zone, world: Processes, engine: Engine) -> None:
    version, seven_hours = "k8s.ovn.org/layer2-topology-version", 840
    zone.annotate(NODE, "k8s.ovn.org/udn-layer2-node-gateway-router-lrp-tunnel-ids", {"cluster_udn_blue": "4"})

    def legacy(found: Scrape) -> float:
        return found.value("ovnk_reconcile_layer2_nodes", topology="legacy")

    world.start("leader", "cluster", "--kubeconfig", zone.kubeconfig, "--resync", "1")
    before = world.state("leader", lambda found: passes(found) > 0 and legacy(found) == 0)
    change = {"metadata": {"annotations": {version: None}}}
    assert zone.api.request("PATCH", f"{NODES}/{NODE}", change, MERGE)[0] == 200
    stalling = world.state("leader", lambda found: legacy(found) == 1)
    target = faulty(reconciler("leader", "cluster"), before, stalling, before, seven_hours)
    engine.fires([*bystanders(during=seven_hours), target], "OvnguardLayer2UpgradeStalls")


def test_rules_and_the_templates_of_their_texts_are_valid(engine: Engine) -> None:
    assert f"SUCCESS: {len(ALERTS)} rules found" in engine.check()


def test_every_alert_of_the_reconciler_has_a_test() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    alerts = alerts_of("reconciler") | alerts_of("layer2")
    assert [name for name in sorted(alerts) if f'"{name}"' not in source] == []
