"""Reports of zones on a real API server: who may write which, and what the leader makes of them."""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from ovnguard.reconciler.apply.kube_report import KEY, LABEL, ZONE
from ovnguard.reconciler.loop.status.zone_report import Problem, ZoneReport, mark_of, to_json
from tests.support.deployed import running
from tests.support.deployed.deployed import DEPLOY, OURS
from tests.support.deployed.running import (
    ACCOUNTS,
    ID,
    KEYS,
    NODE,
    PROGRAM,
    TRANSIT,
    Zone,
    as_deployed,
    bound_to,
    condition,
    cudn,
)
from tests.support.present import present
from tests.testbed.apiserver import ApiServer
from tests.testbed.process import Child, wait_until

pytestmark = pytest.mark.timing

api, zone = running.api, running.zone
REPORTS = f"/api/v1/namespaces/{OURS}/configmaps"
APPLY = "application/apply-patch+yaml"
POLICIES = "/apis/admissionregistration.k8s.io/v1"
RECORDED = {ID: "7", TRANSIT: "100.88.0.0/16", KEYS: "[16711690,16715780]"}


@pytest.fixture(autouse=True)
def no_reports(zone: Zone) -> None:
    """Take away the reports of earlier tests: nobody collects what belongs to deleted Nodes here."""
    selected = f"{REPORTS}?labelSelector={LABEL}"
    zone.api.request("DELETE", selected)
    assert zone.api.request("GET", selected)[1]["items"] == []


@pytest.fixture
def deployed(zone: Zone, parts) -> Iterator[Callable[..., str]]:
    """The account of zones with its rights and its policy; returns what kubectl says as a Pod on NODE."""
    as_deployed(zone.api, zone.folder, "ovnguard-reconciler", ACCOUNTS[0])
    zone.kubeconfig = bound_to(zone.api, zone.folder, NODE)
    places = []
    for document in yaml.safe_load_all((DEPLOY / "components/reconciler/policy.yaml").read_text(encoding="utf-8")):
        plural = "validatingadmissionpolic" + ("ies" if document["kind"].endswith("Policy") else "ybindings")
        status, answer = zone.api.request("POST", f"{POLICIES}/{plural}", document)
        assert status == 201, answer
        places.append(f"{POLICIES}/{plural}/{document['metadata']['name']}")
    tool = parts.kube_apiserver.tool("kubectl")

    def kubectl(text: str) -> str:
        command = [tool, "--kubeconfig", zone.kubeconfig, *text.split()]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stderr

    refused = "writes only its own report"
    wait_until(lambda: refused in kubectl(f"-n {OURS} create configmap other"), "the policy is in force", 60)
    yield kubectl
    for place in places:
        zone.api.request("DELETE", place)


def document(problems: dict[str, Problem], node: str = NODE, ready: str = "") -> str:
    return to_json(ZoneReport(node, "own", 1, problems, ready=ready), "2026-01-01T00:00:00Z", 300.0)


def put_report(api: ApiServer, node: str, problems: dict[str, Problem], ready: str = "") -> None:
    metadata = {"name": f"ovnguard-zone-{node}", "labels": {LABEL: ZONE}}
    body = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata,
        "data": {KEY: document(problems, node, ready)},
    }
    query = "?fieldManager=test&force=true"
    status, answer = api.request("PATCH", f"{REPORTS}/ovnguard-zone-{node}{query}", body, APPLY)
    assert status in (200, 201), answer


def test_a_zone_writes_its_own_report_and_no_other_config_map(zone: Zone, deployed: Callable[[str], str]) -> None:
    bad = cudn("red", "10.20.0.0/16")
    bad["spec"]["network"]["layer2"]["joinSubnets"] = ["10.20.128.0/17"]
    zone.create(bad)
    zone.create(cudn("blue", "10.30.0.0/16"))
    where = ["--kubeconfig", str(zone.kubeconfig), "--nb-db", zone.ovn.nb, "--report", OURS]
    argv: list[str | Path] = [PROGRAM, "run", "--node", NODE, *where, "--resync", "1", "--log-format", "json"]
    zone.process = Child("audit", argv, zone.folder / "run.log")
    name = f"ovnguard-zone-{NODE}"
    zone.until(lambda: zone.api.request("GET", f"{REPORTS}/{name}")[0] == 200, "the report")
    report = zone.get(name, REPORTS)
    (owner,) = report["metadata"]["ownerReferences"]
    node = zone.get(NODE, running.NODES)
    assert (owner["kind"], owner["name"], owner["uid"]) == ("Node", NODE, node["metadata"]["uid"])
    (manager,) = report["metadata"]["managedFields"]
    assert (manager["manager"], manager["operation"]) == ("ovnguard-zone", "Apply")
    found = json.loads(report["data"][KEY])
    assert (found["node"], found["mode"], found["networks"]["total"]) == (NODE, "audit", 3)
    problems = found["networks"]["problems"]
    assert {each: value["state"] for each, value in problems.items()} == {"cluster_udn_red": "Refused"}
    assert problems["cluster_udn_red"]["generation"] == 1
    # an audit has written nothing else
    assert zone.rows() == 0
    assert zone.complaints("cannot", "orbidden") == []

    # the token of this node writes nothing else: not another node's report, not what clients trust
    apply = f"-n {OURS} apply --server-side --force-conflicts -f "
    for other in ("ovnguard-zone-worker-b", "ovnguard-authority"):
        file = zone.folder / f"{other}.yaml"
        metadata = {"name": other, "labels": {LABEL: ZONE}}
        file.write_text(yaml.safe_dump({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}))
        refusal = deployed(f"{apply}{file}")
        assert f'the zone of node "{NODE}" writes only its own report, not {OURS}/{other}' in refusal, refusal
    # nor a report that the leader would not see
    assert "cannot delete" in deployed(f"-n {OURS} delete configmap {name}")
    for text in (f"-n {OURS} get configmaps", "-n default create configmap x", "annotate node worker-a a=b"):
        assert "orbidden" in deployed(text), text


@pytest.fixture
def leader(zone: Zone) -> Iterator[Child]:
    (zone.folder / "leader").mkdir()
    kubeconfig = as_deployed(zone.api, zone.folder / "leader", "ovnguard-reconciler-cluster", *ACCOUNTS[1:])
    argv: list[str | Path] = [PROGRAM, "cluster", "--mode", "own", "--networks-only", "--kubeconfig", kubeconfig]
    child = Child("leader", [*argv, "--resync", "1", "--log-format", "json"], zone.folder / "run.log")
    zone.process = child
    yield child
    child.stop()


@pytest.mark.usefixtures("leader")
def test_the_leader_folds_reports_into_conditions_and_logs_it_once(zone: Zone) -> None:
    zone.create(cudn("blue", "10.30.0.0/16", **RECORDED))
    zone.until(lambda: condition(zone.get("blue")) is not None, "the first condition")
    zone.delete(NODE, running.NODES)
    for node in ("worker-b", "worker-c"):
        put_report(zone.api, node, {"cluster_udn_blue": Problem("Waiting", "no chassis yet", 1)})
    put_report(zone.api, "nobody", {"cluster_udn_blue": Problem("Quarantined", "not to be believed", 1)})
    zone.until(lambda: condition(zone.get("blue"), "ZonesReady") is not None, "the zones' condition")
    text = "0 of 2 zones are ready; on 2 nodes: no chassis yet, e.g. worker-b"
    zone.until(lambda: present(condition(zone.get("blue"), "ZonesReady"))["message"] == text, "both nodes")
    found = present(condition(zone.get("blue"), "ZonesReady"))
    assert (found["status"], found["reason"]) == ("False", "Waiting")
    assert "the report of node nobody is ignored: there is no such node" in zone.log_lines()
    # other conditions stay
    assert present(condition(zone.get("blue")))["status"] == "True"

    zone.until(lambda: any(each["type"] == "Warning" for each in zone.events("blue")), "it has lasted")
    mark = mark_of(zone.get("blue"))
    put_report(zone.api, "worker-b", {}, mark)
    text = "1 of 2 zones are ready; on 1 node: no chassis yet, e.g. worker-c"
    zone.until(lambda: present(condition(zone.get("blue"), "ZonesReady"))["message"] == text, "one node")
    put_report(zone.api, "worker-c", {}, mark)
    zone.until(lambda: present(condition(zone.get("blue"), "ZonesReady"))["status"] == "True", "all is well")
    events = [each for each in zone.events("blue") if each["action"] == "PlanNetwork"]
    assert [(each["type"], each["reason"]) for each in events] == [("Warning", "Waiting"), ("Normal", "Ready")]
    assert zone.complaints("orbidden") == []


def test_an_audit_of_the_leader_writes_only_events_and_needs_no_other_right(zone: Zone) -> None:
    leases = f"/apis/coordination.k8s.io/v1/namespaces/{OURS}/leases"
    before = zone.api.request("GET", leases)[1]["items"]
    (zone.folder / "auditor").mkdir()
    kubeconfig = as_deployed(zone.api, zone.folder / "auditor", "ovnguard-reconciler-cluster", ACCOUNTS[1])
    argv: list[str | Path] = [PROGRAM, "cluster", "--kubeconfig", kubeconfig, "--resync", "1", "--log-format", "json"]
    zone.process = Child("auditor", argv, zone.folder / "run.log")
    made = zone.create(cudn("blue", "10.30.0.0/16"))
    put_report(zone.api, "worker-b", {"cluster_udn_blue": Problem("Drift", "one row differs", 1)})
    zone.until(lambda: bool(zone.events("blue")), "the event")
    (event,) = zone.events("blue")
    assert (event["type"], event["reason"]) == ("Warning", "Drift")
    assert event["note"] == "on 1 node: one row differs, e.g. worker-b"
    assert zone.get("blue") == made
    assert zone.api.request("GET", leases)[1]["items"] == before
    assert zone.complaints("cannot", "orbidden") == []
