"""An upgrade that hangs, phases that an administrator skips, another operator, and a kill between two writes."""

import json
import urllib.request
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from ovnguard.reconciler.rollout.plan.forecast import forecast
from tests.support.deployed.rollout_bed import (
    CONFIG,
    CONFIG_MAPS,
    LEASE,
    NAMESPACES,
    NODES,
    OPERATOR,
    OPERATOR_SPACE,
    OVN,
    RolloutBed,
)
from tests.support.deployed.rollout_fixtures import NODE, containers, handed_over
from tests.support.deployed.rollout_invariants import kind_of, settle, upgrade
from tests.support.deployed.running import as_deployed
from tests.support.deployed.simulated_workloads import MERGE
from tests.support.soak import limit
from tests.testbed.apiserver import ApiServer, free_port
from tests.testbed.process import wait_until

pytestmark = [pytest.mark.conformance, pytest.mark.timing, limit(120)]

HUNG = "networkoperator.openshift.io/rollout-hung"
REMEMBERED = "ovnguard.io/remembered"
WAITS = (
    f'DaemonSet "{OVN}/ovnkube-node" update is rolling out (3 out of 6 updated)',
    f"DaemonSet {OVN}/ovnkube-master is not at version 4.14.20 yet",
)
RIGHTS = "components/rollout/account.yaml", "components/rollout-own/rights.yaml"
MANAGER = "cluster-network-operator/operconfig"
ROLE = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{OVN}/roles/ovnguard-rollout-own"


def rolls_until(bed: RolloutBed, done: Callable[[], bool], what: str) -> None:
    """Let the workloads go on, until ``done``."""

    def stepped() -> bool:
        return done() or (bed.simulation.step() and False)

    wait_until(stepped, what, 60, bed.processes[-1:])


def in_phase(bed: RolloutBed, phase: str) -> Callable[[], bool]:
    return lambda: bed.report().get("phase") == phase


def updated(bed: RolloutBed) -> int:
    """How many nodes have the newest template."""
    status: dict[str, Any] = bed.guest.request("GET", NODE)[1]["status"]
    return int(status["updatedNumberScheduled"])


def stuck_in_the_first_phase(bed: RolloutBed, *options: str, release: str = "4.14.20") -> None:
    """Half of the nodes run interconnect, and one of the others breaks."""
    bed.install(6)
    bed.start(*options, release=release)
    rolls_until(bed, lambda: updated(bed) == 3, "half of the nodes run interconnect")
    wait_until(in_phase(bed, "S2"), "phase S2", 30, bed.processes)
    bed.simulation.broken.add("n005")
    while bed.simulation.step():
        pass
    progress = f'{OVN}/ovnkube-node" update is rolling out (3 out of 6 updated)'
    wait_until(lambda: progress in str(bed.report()["waitingFor"]), "a report about three nodes", 30, bed.processes)


def pod_on_a_dead_node(bed: RolloutBed) -> None:
    """What the cluster shows of the node that broke; all other pods are ready."""
    place, spec = f"{NAMESPACES}/{OVN}/pods", {"containers": [{"name": "c", "image": "none"}]}
    for number in range(6):
        name = f"ovnkube-node-{number}"
        labels = {"metadata": {"name": name, "labels": {"app": "ovnkube-node"}}}
        status, answer = bed.guest.request("POST", place, {**labels, "spec": {**spec, "nodeName": f"n00{number}"}})
        assert status == 201, answer
        ready = {"type": "Ready", "status": "False" if number == 5 else "True"}
        bed.guest.request("PATCH", f"{place}/{name}/status", {"status": {"conditions": [ready]}}, MERGE)
    dead = {"type": "Ready", "status": "False", "lastTransitionTime": "2026-01-01T00:00:00Z", "message": "no heartbeat"}
    bed.guest.request("PATCH", f"{NODES}/n005/status", {"status": {"conditions": [dead]}}, MERGE)


def ten_minutes_later(bed: RolloutBed) -> float:
    """Another process finds that the rollout changed last more than ten minutes ago; return when."""
    key = "DaemonSet ovnkube-node"

    def remembered() -> dict[str, Any]:
        annotations = bed.guest.request("GET", LEASE)[1]["metadata"].get("annotations", {})
        found: dict[str, Any] = json.loads(annotations.get(REMEMBERED, "{}"))
        return found

    wait_until(lambda: "/6/3/5/1" in str(remembered().get(key)), "the Lease remembers the rollout", 30, bed.processes)
    bed.kill()
    state, since = remembered()[key]
    text = json.dumps({key: [state, since - 601]})
    assert bed.guest.request("PATCH", LEASE, {"metadata": {"annotations": {REMEMBERED: text}}}, MERGE)[0] == 200
    return float(since) - 601


def metrics_of(port: int) -> dict[str, float]:
    """The numbers about the upgrade, without their common prefix."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
        lines = answer.read().decode().splitlines()
    pairs = (line.rsplit(" ", 1) for line in lines if line.startswith("ovnk_reconcile_rollout_"))
    return {name.removeprefix("ovnk_reconcile_rollout_"): float(value) for name, value in pairs}


def test_a_rollout_that_hangs_is_reported_and_goes_on_when_it_moves(bed: RolloutBed) -> None:
    stuck_in_the_first_phase(bed)
    pod_on_a_dead_node(bed)
    since = ten_minutes_later(bed)
    port = free_port()
    bed.start("--metrics-bind-address", f"127.0.0.1:{port}")
    wait_until(lambda: "RolloutHung" in str(bed.report()["conditions"]), "a report", 30, bed.processes[-1:])
    last = datetime.fromtimestamp(since, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    hangs = (
        f'DaemonSet "{OVN}/ovnkube-node" rollout is not making progress - last change {last} '
        "(3 of 6 updated, 5 of 6 available)"
    )
    cause = "node n005, pod ovnkube-node-5: the node is not ready since 2026-01-01T00:00:00Z: no heartbeat"
    assert bed.conditions() == {
        "Progressing": ("True", "Deploying", "\n".join(WAITS)),
        "Degraded": ("True", "RolloutHung", hangs),
    }
    assert ("RolloutHung", "Warning", f"{hangs}: {cause}") in bed.events()
    assert ("RolloutPhase", "Normal", f"phase S2: {'; '.join(WAITS)}") in bed.events()
    assert bed.guest.request("GET", NODE)[1]["metadata"]["annotations"][HUNG] == ""
    found = metrics_of(port)
    assert found.pop("waiting_since_timestamp_seconds") == pytest.approx(since, abs=1)
    assert found == {'phase{phase="S2"}': 1, "hung": 1, "stalls": 1, "level_reached": 0}
    bed.simulation.broken.clear()
    bed.simulation.step()
    wait_until(lambda: bed.conditions()["Degraded"] == ("False", "AsExpected", ""), "it moves", 30, bed.processes[-1:])
    assert HUNG not in bed.guest.request("GET", NODE)[1]["metadata"]["annotations"]
    upgrade(bed)
    assert bed.report()["phase"] == "S9"


def workloads(names: list[str]) -> list[str]:
    """What is written of workloads and the ConfigMap; what accompanies them is there already, in part."""
    return [name for name in names if name.split()[1].startswith(("daemonsets/", "deployments/", "configmaps/"))]


EARLY = {"zone-mode": "multizone", "temporary": "false", "ongoing-upgrade": ""}
WRITING = ("FF", "S4", "S6", "S8")
FAST = {"zone-mode": "multizone", "fast-forward-to-multizone": ""}


@pytest.mark.parametrize(
    ("release", "begun", "override", "phases", "replicas"),
    [
        ("4.14.20", {"zone-mode": "singlezone"}, FAST, ["FF", "S8", "S9"], 2),
        (
            "4.14.5",
            {"zone-mode": "singlezone", "temporary": "true", "ongoing-upgrade": ""},
            EARLY,
            ["S4", "S5", "S6", "S7", "S8", "S9"],
            3,
        ),
    ],
    ids=["fast forward", "the first phase, up to 4.14.13"],
)
def test_an_administrator_skips_phases(
    bed: RolloutBed, release: str, begun: dict[str, str], override: dict[str, str], phases: list[str], replicas: int
) -> None:
    stuck_in_the_first_phase(bed, release=release)
    path = f"{CONFIG_MAPS}/{CONFIG}"
    assert bed.guest.request("GET", path)[1]["data"] == begun
    bed.kill()
    # the annotations are the webhook's
    who = {"ovnguard.io/overridden-by": "kube:admin", "ovnguard.io/overridden-at": "2026-01-01T00:00:00Z"}
    assert bed.guest.request("PATCH", path, {"metadata": {"annotations": who}, "data": override}, MERGE)[0] == 200
    expected, before = bed.expected(forecast(bed.seen(release)), release), len(bed.written())
    bed.start(release=release)
    wait_until(in_phase(bed, phases[0]), "the override is noticed", 30, bed.processes[-1:])
    note = "kube:admin skipped phases at 2026-01-01T00:00:00Z"
    wait_until(lambda: ("RolloutOverridden", "Warning", note) in bed.events(), "an Event", 30, bed.processes[-1:])
    bed.simulation.broken.clear()
    seen: list[str] = []

    def restarted() -> bool:
        """Each phase in which something is written ends in another process than it begins in."""
        bed.simulation.step()
        report = bed.report()
        if report["phase"] not in seen:
            seen.append(report["phase"])
            if seen[-1] in WRITING:
                bed.kill()
                bed.start(release=release)
        return bool(report["levelReached"])

    wait_until(restarted, "the end of the upgrade", 60)
    assert [each for each in phases if each in seen] == seen
    assert workloads(bed.written()[before:]) == workloads(expected)
    assert bed.guest.request("GET", path)[0] == 404
    deployment = f"/apis/apps/v1/namespaces/{OVN}/deployments/ovnkube-control-plane"
    assert bed.guest.request("GET", deployment)[1]["spec"]["replicas"] == replicas
    assert {kind_of(unit) for unit in bed.simulation.workload("ovnkube-node").values()} == {"multizone"}
    handed_over(bed, release)


def operator_scaled(api: ApiServer, replicas: int) -> None:
    """The cluster network operator runs with ``replicas``."""
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": OPERATOR_SPACE}}
    api.request("POST", NAMESPACES, space)
    pods = {"metadata": {"labels": {"name": "x"}}, "spec": {"containers": [{"name": "x", "image": "x"}]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"name": "x"}}, "template": pods}
    api.request("POST", OPERATOR.rpartition("/")[0], {"metadata": {"name": "network-operator"}, "spec": spec})
    assert api.request("PATCH", OPERATOR, {"spec": {"replicas": replicas}}, MERGE)[0] == 200
    status = {"replicas": replicas, "readyReplicas": replicas}
    assert api.request("PATCH", f"{OPERATOR}/status", {"status": status}, MERGE)[0] == 200


def put_back(bed: RolloutBed, node: dict[str, Any]) -> str:
    """The operator applies the DaemonSet of the nodes as it was; return the time that the API server records."""
    metadata = {key: node["metadata"][key] for key in ("name", "namespace", "annotations")}
    body = {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": metadata, "spec": node["spec"]}
    path = f"{NODE}?fieldManager={MANAGER.replace('/', '%2F')}&force=true"
    status, answer = bed.guest.request("PATCH", path, body, "application/apply-patch+yaml")
    assert status == 200, answer
    return next(str(each["time"]) for each in answer["metadata"]["managedFields"] if each["manager"] == MANAGER)


def test_nothing_is_written_while_a_cluster_network_operator_runs(bed: RolloutBed) -> None:
    bed.install(3)
    before = bed.guest.request("GET", NODE)[1]
    operator_scaled(bed.guest, 1)
    bed.kubeconfig = as_deployed(bed.guest, bed.folder, "ovnguard-rollout", *RIGHTS)
    bed.start("--resync", "1")
    advice = "the cluster network operator would undo what --mode own writes"
    runs = (
        f"Deployment {OPERATOR_SPACE}/network-operator: spec.replicas is 1 and status.replicas is 1: {advice}; "
        "scale it to 0, or use --mode audit"
    )
    wait_until(lambda: bed.events() == [("RolloutNotUnderstood", "Warning", runs)], "a refusal", 30, bed.processes)
    wait_until(lambda: bed.conditions().get("Degraded") == ("True", "NotUnderstood", runs), "it", 30, bed.processes)
    assert bed.written() == []
    operator_scaled(bed.guest, 0)
    rolls_until(bed, lambda: in_phase(bed, "S2")() or in_phase(bed, "S3")(), "nodes roll out")
    # another one runs elsewhere, and puts the DaemonSet of 4.13 back: first during a pass, perhaps, then during none
    put_back(bed, before)
    wait_until(lambda: "wrote it at" in bed.conditions()["Degraded"][2], "a refusal", 30, bed.processes)
    written, time = bed.written(), put_back(bed, before)
    wrote = f"DaemonSet {OVN}/ovnkube-node: {MANAGER} wrote it at {time}: {advice}; "
    stop = f"{wrote}stop the operator, then start this process again"
    wait_until(lambda: bed.conditions()["Degraded"] == ("True", "NotUnderstood", stop), "it", 30, bed.processes)
    assert (bed.written(), "ovnkube-node" in containers(bed)) == (written, True)
    bed.processes[-1].stop()
    bed.start()
    rolls_until(bed, lambda: "ovnkube-controller" in containers(bed), "the DaemonSet is ovnguard's again")
    settle(bed)


def test_a_kill_between_the_nodes_and_a_removal_leads_to_the_same_end(bed: RolloutBed) -> None:
    """Without the right to delete Services, a process is exactly there when it is killed."""
    bed.install(3)
    expected = bed.expected(forecast(bed.seen()))
    bed.kubeconfig = as_deployed(bed.guest, bed.folder, "ovnguard-rollout", *RIGHTS)
    rules = bed.guest.request("GET", ROLE)[1]["rules"]
    fewer = [
        {**each, "verbs": [verb for verb in each["verbs"] if each["resources"] != ["services"] or verb != "delete"]}
        for each in rules
    ]
    assert bed.guest.request("PATCH", ROLE, {"rules": fewer}, MERGE)[0] == 200
    bed.start()
    rolls_until(bed, lambda: bed.conditions().get("Degraded", ("", ""))[1] == "StepFailed", "a failed removal")
    message = bed.conditions()["Degraded"][2]
    assert message.startswith('403 Forbidden: services "ovnkube-db" is forbidden'), message
    assert "nbdb" in containers(bed)
    bed.kill()
    service = f"{NAMESPACES}/{OVN}/services/ovnkube-db"
    assert bed.guest.request("GET", service)[0] == 200
    assert bed.guest.request("PATCH", ROLE, {"rules": rules}, MERGE)[0] == 200
    while bed.simulation.step():
        pass
    bed.start()
    settle(bed)
    assert bed.guest.request("GET", service)[0] == 404
    assert sorted(bed.written()) == sorted(expected)
    handed_over(bed)
