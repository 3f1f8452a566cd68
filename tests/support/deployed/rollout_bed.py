"""A cluster of 4.13 on a real API server, for upgrades: its objects, its simulated workloads, and what was written.

A hosted cluster has its masters and its control plane on a second API server.
"""

import json
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from ovnguard.reconciler.apply.objects.server_side_apply import contains
from ovnguard.reconciler.rollout.commands.rollout_state import LiveObjects
from ovnguard.reconciler.rollout.loop.rollout_reader import RolloutReader, RolloutTarget
from ovnguard.reconciler.rollout.loop.rollout_resources import resource_of
from ovnguard.reconciler.rollout.plan.folders import STEPPED
from ovnguard.reconciler.rollout.plan.forecast import Pass
from ovnguard.reconciler.rollout.plan.model import Flavour, Folder, Observed
from ovnguard.reconciler.rollout.plan.phase_manifests import PhaseManifests, is_control
from ovnguard.validators.cluster.client_protocol import APPLY_PATCH, ClusterOptions
from ovnguard.validators.cluster.kubernetes_client import connect
from ovnguard.validators.cluster.resources import NODES as RESOURCE
from tests.support.deployed.audit_log import log_of, recorded
from tests.support.deployed.expected_writes import ExpectedWrites
from tests.support.deployed.simulated_workloads import APPS_PLURALS, MERGE, Simulation
from tests.support.rollout.operator_templates import BEFORE, RELEASE, branch, manifests, values
from tests.testbed.apiserver import ApiServer
from tests.testbed.process import Child, wait_until

PROGRAM = Path(sys.executable).parent / "ovnguard-reconciler"
OVN, SYSTEM = "openshift-ovn-kubernetes", "ovnguard-system"
NODES, NAMESPACES = "/api/v1/nodes", "/api/v1/namespaces"
CONFIG = "ovn-interconnect-configuration"
CONFIG_MAPS = f"{NAMESPACES}/{OVN}/configmaps"
LEASE = f"/apis/coordination.k8s.io/v1/namespaces/{SYSTEM}/leases/ovnguard-rollout"
OPERATOR_SPACE = "openshift-network-operator"
OPERATOR = f"/apis/apps/v1/namespaces/{OPERATOR_SPACE}/deployments/network-operator"
MANAGER = "cluster-network-operator/operconfig"
MASTER = {"node-role.kubernetes.io/master": ""}
FOREIGN = {
    "Route": ("route.openshift.io", "routes"),
    "ServiceMonitor": ("monitoring.coreos.com", "servicemonitors"),
    "PrometheusRule": ("monitoring.coreos.com", "prometheusrules"),
    "OperatorPKI": ("network.operator.openshift.io", "operatorpkis"),
}
OBJECTS = (
    *(f"/apis/apps/v1/{plural}" for plural in APPS_PLURALS),
    *(f"/apis/{group}/v1/{plural}" for group, plural in FOREIGN.values()),
    "/apis/policy/v1/poddisruptionbudgets",
    "/api/v1/services",
    "/api/v1/configmaps",
    "/apis/events.k8s.io/v1/events",
)
WRITES = ("create", "update", "patch", "delete")
KEPT = ("egressfirewalls.k8s.ovn.org", "egressips.k8s.ovn.org", "egressqoses.k8s.ovn.org")
REPORT, OTHERS = "ovnguard-rollout", ("leases", "events")


def definition(kind: str, group: str, plural: str, scope: str = "Namespaced") -> dict[str, Any]:
    """A CRD that accepts everything."""
    names = {"plural": plural, "singular": kind.lower(), "kind": kind}
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {"group": group, "names": names, "scope": scope, "versions": [version]},
    }


class RolloutBed:
    """One cluster. A hosted one has its control plane on the API server ``control``, in the namespace ``hosted``."""

    def __init__(self, guest: ApiServer, folder: Path, control: ApiServer | None = None, hosted: str = "") -> None:
        self.guest, self.folder, self.hosted = guest, folder, hosted
        self.control = control or guest
        self.kubeconfig, self.management_kubeconfig = guest.kubeconfig, self.control.kubeconfig
        self.flavour = Flavour.MANAGED if hosted else Flavour.SELF_HOSTED
        self.audits = dict.fromkeys(log_of(api.directory.parent) for api in (guest, self.control))
        self.processes: list[Child] = []

    def install(self, nodes: int, *, empty: bool = False) -> None:
        """Make a cluster of 4.13 with three masters and ``nodes`` nodes in all, or one without any workload."""
        self.clear()
        here = ((self.guest, each) for each in (OVN, SYSTEM, "openshift-config-managed", "openshift-host-network"))
        for api, namespace in (*here, (self.control, self.hosted or OVN)):
            api.request("POST", NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
        made = {}
        for number in range(nodes):
            labels = {"kubernetes.io/os": "linux", "beta.kubernetes.io/os": "linux", **(MASTER if number < 3 else {})}
            address = {"type": "InternalIP", "address": f"10.0.0.{number + 1}"}
            made[f"n{number:03}"] = labels
            node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"n{number:03}", "labels": labels}}
            assert self.guest.request("POST", NODES, node)[0] == 201
            status = {"status": {"addresses": [address], "conditions": [{"type": "Ready", "status": "True"}]}}
            assert self.guest.request("PATCH", f"{NODES}/n{number:03}/status", status, MERGE)[0] == 200
        places = [(self.guest, OVN), *([(self.control, self.hosted)] if self.hosted else [])]
        self.simulation = Simulation(places, made)
        self.before = PhaseManifests({}, {}) if empty else manifests(BEFORE, self.flavour)
        for file, each in self.before.of(Folder.LEGACY):
            if file not in STEPPED:
                self.operate(each)
        if self.hosted:
            self.admit_route()
        while self.simulation.step():
            pass
        self.audits = {log: log.stat().st_size for log in self.audits}

    def clear(self) -> None:
        """Remove everything that this or an earlier cluster had."""
        for api, namespace in ((self.guest, OVN), (self.control, self.hosted or OVN)):
            for place in OBJECTS:
                root, _, plural = place.rpartition("/")
                api.request("DELETE", f"{root}/namespaces/{namespace}/{plural}?propagationPolicy=Background")
        # definitions that 4.13 has, and namespaces, take time to go, and nothing of them differs
        gone = [obj for obj in self.everything() if obj["kind"] != "Namespace" and obj["metadata"]["name"] not in KEPT]
        for obj in gone:
            self._delete(obj)
        # a controller that still finds a definition of an earlier upgrade has nothing to write there
        definitions = [obj for obj in gone if obj["kind"] == "CustomResourceDefinition"]
        wait_until(lambda: all(self._delete(obj) == 404 for obj in definitions), "no definition is left", 60)
        self.guest.request("DELETE", NODES)
        for place in (LEASE, OPERATOR, f"{NAMESPACES}/{SYSTEM}/configmaps/{REPORT}"):
            self.guest.request("DELETE", place)

    def _delete(self, obj: dict[str, Any]) -> int:
        api = self.control if is_control(obj) else self.guest
        return api.request("DELETE", place_of(obj))[0]

    def everything(self) -> list[dict[str, Any]]:
        """Every object of the manifests of both releases."""
        both = [manifests(release, self.flavour) for release in (BEFORE, RELEASE)]
        found = {place_of(obj): obj for each in both for folder in each.files for _, obj in each.of(folder)}
        return [*found.values()]

    def admit_route(self) -> None:
        """Give the route a host, as a router does."""
        status = {"status": {"ingress": [{"host": "sbdb.example.org"}]}}
        path = f"/apis/route.openshift.io/v1/namespaces/{self.hosted}/routes/ovnkube-sbdb"
        self.control.request("PATCH", path, status, MERGE)

    def start(self, *options: str, release: str = RELEASE) -> Child:
        """Start the controller with the operator's manifests of a release."""
        hosted = ["--hosted-namespace", self.hosted, "--management-kubeconfig", str(self.management_kubeconfig)]
        argv: list[str | Path] = [
            PROGRAM, "rollout", "run", "--mode", "own", *self.release_options(release),
            "--kubeconfig", self.kubeconfig, "--log-format", "json", *(hosted if self.hosted else []), *options,
        ]  # fmt: skip
        self.processes.append(Child("rollout", argv, self.folder / f"run-{len(self.processes)}.log"))
        return self.processes[-1]

    def release_options(self, release: str = RELEASE) -> list[str | Path]:
        """The options that name a release and its manifests."""
        file = self.folder / f"values-{release}.json"
        file.write_text(json.dumps(values(release, self.flavour)), encoding="utf-8")
        return ["--release", release, "--manifests", branch(release), "--values", file]

    def kill(self) -> None:
        """Kill the controller. Its Lease is free at once, as if its time had passed, and keeps what it remembers."""
        os.kill(self.processes[-1].pid, signal.SIGKILL)
        self.processes[-1].process.wait()
        self.guest.request("PATCH", LEASE, {"spec": {"holderIdentity": ""}}, MERGE)

    def events(self) -> list[tuple[str, str, str]]:
        """Reason, type and note of every Event."""
        found = self.guest.request("GET", f"/apis/events.k8s.io/v1/namespaces/{OVN}/events")[1]["items"]
        return [(each["reason"], each["type"], each["note"]) for each in found]

    def conditions(self) -> dict[str, tuple[str, str, str]]:
        """Status, reason and message of each condition of the report."""
        found = self.report().get("conditions", ())
        return {each["type"]: (each["status"], each["reason"], each["message"]) for each in found}

    def written(self) -> list[str]:
        """The objects that the controller wrote since the start, in order; successive writes of one object are one."""
        events = sorted(self._events(), key=lambda each: str(each["requestReceivedTimestamp"]))
        writes = (each for each in events if each["verb"] in WRITES)
        real = (each for each in writes if "dryRun=" not in each["requestURI"])
        ours = (each for each in real if each.get("userAgent", "").startswith("ovnguard-reconciler"))
        done = (each for each in ours if each["responseStatus"]["code"] < 300)
        named = ((_verb(each["verb"]), each["objectRef"]["resource"], each["objectRef"].get("name")) for each in done)
        names = (f"{verb} {plural}/{name}" for verb, plural, name in named if plural not in OTHERS and name != REPORT)
        return [name for name, _ in groupby(names)]

    def _events(self) -> Iterator[dict[str, Any]]:
        for file, began in self.audits.items():
            yield from recorded(file, began or 0)

    def report(self) -> dict[str, Any]:
        """What the controller reports, empty before it does."""
        status, answer = self.guest.request("GET", f"{NAMESPACES}/{SYSTEM}/configmaps/{REPORT}")
        found: dict[str, Any] = json.loads(answer["data"]["report.json"]) if status == 200 else {}
        return found

    def seen(self, release: str = RELEASE) -> Observed:
        """What a controller observes now."""
        guest, control = (
            LiveObjects(connect(ClusterOptions(str(api.kubeconfig)))) for api in (self.guest, self.control)
        )
        return RolloutReader(guest, control, RolloutTarget(release, self.hosted)).read(guest.listed(RESOURCE)).seen

    def expected(self, passes: Sequence[Pass], release: str = RELEASE) -> list[str]:
        """What `written` returns when the plan ``passes`` is executed from now on."""
        after = manifests(release, self.flavour)
        writes = ExpectedWrites(self.flavour, self.before, after, self.hosted)
        for obj in (obj for folder in after.files for _, obj in after.of(folder)):
            found = self.stored(obj)
            managers = {each["manager"] for each in found.get("metadata", {}).get("managedFields", ())}
            if REPORT in managers and contains(found, obj):
                writes.begun_with(obj)
        return [name for name, _ in groupby(name for each in passes for name in writes.of(each))]

    def stored(self, document: dict[str, Any]) -> dict[str, Any]:
        """The object of a manifest as the API server has it, empty where it has none."""
        api = self.control if is_control(document) else self.guest
        status, found = api.request("GET", place_of(document))
        return found if status == 200 else {}

    def operate(self, document: dict[str, Any], *, dry: bool = False) -> dict[str, Any]:
        """Apply an object as the operator does; return the answer, nothing if its kind is not served."""
        query = f"?fieldManager={MANAGER}&force=true{'&dryRun=All' if dry else ''}"
        api = self.control if is_control(document) else self.guest
        status, answer = api.request("PATCH", place_of(document) + query, document, APPLY_PATCH)
        assert status in (200, 201) or (status == 404 and document["kind"] == "FlowSchema"), answer
        return answer if status != 404 else {}


def place_of(document: dict[str, Any]) -> str:
    """The path of the object of a manifest."""
    resource, metadata = resource_of(document), document["metadata"]
    assert resource is not None
    return resource.object_path(metadata.get("namespace", ""), metadata["name"])


def _verb(verb: str) -> str:
    return "delete" if verb == "delete" else "write"
