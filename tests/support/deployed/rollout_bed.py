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

from reconciler.rollout.commands.rollout_state import LiveObjects
from reconciler.rollout.loop.rollout_reader import RolloutReader, RolloutTarget
from reconciler.rollout.plan.folders import FILES, path
from reconciler.rollout.plan.forecast import Pass
from reconciler.rollout.plan.manifests.render import manifests_of
from reconciler.rollout.plan.manifests.values import ManifestValues
from reconciler.rollout.plan.model import Action, ConfigMapVerb, Flavour, Folder, Observed
from tests.support.deployed.audit_log import log_of, recorded
from tests.support.deployed.simulated_workloads import APPS_PLURALS, MERGE, Simulation
from tests.testbed.apiserver import ApiServer
from tests.testbed.process import Child
from validators.cluster.client_protocol import ClusterOptions
from validators.cluster.kubernetes_client import connect
from validators.cluster.resources import NODES as RESOURCE

PROGRAM = Path(sys.executable).parent / "ovnguard-reconciler"
OVN, SYSTEM = "openshift-ovn-kubernetes", "ovnguard-system"
BEFORE, RELEASE, IMAGE = "4.13.9", "4.14.20", "ovn:4.14.20"
NODES, NAMESPACES = "/api/v1/nodes", "/api/v1/namespaces"
CONFIG = "ovn-interconnect-configuration"
CONFIG_MAPS = f"{NAMESPACES}/{OVN}/configmaps"
LEASE = f"/apis/coordination.k8s.io/v1/namespaces/{SYSTEM}/leases/ovnguard-rollout"
OPERATOR_SPACE = "openshift-network-operator"
OPERATOR = f"/apis/apps/v1/namespaces/{OPERATOR_SPACE}/deployments/network-operator"
MASTERS = ("10.0.0.1", "10.0.0.2", "10.0.0.3")
MASTER = {"node-role.kubernetes.io/master": ""}
FOREIGN = {
    "Route": ("route.openshift.io", "routes"),
    "ServiceMonitor": ("monitoring.coreos.com", "servicemonitors"),
    "PrometheusRule": ("monitoring.coreos.com", "prometheusrules"),
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
        for api, namespace in ((self.guest, OVN), (self.guest, SYSTEM), (self.control, self.hosted or OVN)):
            api.request("POST", NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
        made = {}
        for number in range(nodes):
            labels = {"kubernetes.io/os": "linux", **(MASTER if number < 3 else {})}
            address = {"type": "InternalIP", "address": f"10.0.0.{number + 1}"}
            made[f"n{number:03}"] = labels
            node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"n{number:03}", "labels": labels}}
            assert self.guest.request("POST", NODES, node)[0] == 201
            status = {"status": {"addresses": [address], "conditions": [{"type": "Ready", "status": "True"}]}}
            assert self.guest.request("PATCH", f"{NODES}/n{number:03}/status", status, MERGE)[0] == 200
        places = [(self.guest, OVN), *([(self.control, self.hosted)] if self.hosted else [])]
        self.simulation = Simulation(places, made)
        before = ManifestValues(BEFORE, "ovn:4.13.9", MASTERS, hosted=self.hosted, route_host="sbdb.example.org")
        for file in () if empty else FILES[self.flavour][Folder.LEGACY]:
            for each in manifests_of(path(self.flavour, Folder.LEGACY, file), before):
                self._create(self.control if each.control else self.guest, _as_of_4_13(each.document))
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
        self.guest.request("DELETE", NODES)
        for place in (LEASE, OPERATOR, f"{NAMESPACES}/{SYSTEM}/configmaps/{REPORT}"):
            self.guest.request("DELETE", place)

    def admit_route(self) -> None:
        """Give the route a host, as a router does."""
        status = {"status": {"ingress": [{"host": "sbdb.example.org"}]}}
        path = f"/apis/route.openshift.io/v1/namespaces/{self.hosted}/routes/ovnkube-sbdb"
        self.control.request("PATCH", path, status, MERGE)

    def start(self, *options: str, release: str = RELEASE) -> Child:
        """Start the controller."""
        hosted = ["--hosted-namespace", self.hosted, "--management-kubeconfig", str(self.management_kubeconfig)]
        argv: list[str | Path] = [
            PROGRAM, "rollout", "run", "--release", release, "--image", IMAGE, "--mode", "own",
            "--kubeconfig", self.kubeconfig, "--log-format", "json", *(hosted if self.hosted else []), *options,
        ]  # fmt: skip
        self.processes.append(Child("rollout", argv, self.folder / f"run-{len(self.processes)}.log"))
        return self.processes[-1]

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
        ours = (each for each in writes if each.get("userAgent", "").startswith("ovnguard-reconciler"))
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
        return (
            RolloutReader(guest, control, RolloutTarget(release, IMAGE, hosted=self.hosted))
            .read(guest.listed(RESOURCE))
            .seen
        )

    def expected(self, passes: Sequence[Pass]) -> list[str]:
        """What `written` returns when the plan ``passes`` is executed."""
        values = ManifestValues(RELEASE, IMAGE, MASTERS, hosted=self.hosted)
        return [name for name, _ in groupby(name for each in passes for name in _names(each, values))]

    def _create(self, api: ApiServer, document: dict[str, Any]) -> None:
        group, kind = document["apiVersion"], document["kind"]
        root = f"/apis/{group}" if "/" in group else "/api/v1"
        namespace = document["metadata"]["namespace"]
        place = f"{root}/namespaces/{namespace}/{kind.lower()}s?fieldManager=cluster-network-operator"
        status, answer = api.request("POST", place, document)
        assert status == 201, answer


def _names(each: Pass, values: ManifestValues) -> Iterator[str]:
    if each.config_map.verb is not ConfigMapVerb.KEEP:
        yield f"{_verb(each.config_map.verb)} configmaps/{CONFIG}"
    for step in each.steps:
        if step.action is Action.ANNOTATE:
            yield "write daemonsets/ovnkube-node"
            continue
        removed = step.action is Action.REMOVE
        objects = [manifest.document for manifest in manifests_of(step.target, values)]
        for obj in reversed(objects) if removed else objects:
            yield f"{'delete' if removed else 'write'} {obj['kind'].lower()}s/{obj['metadata']['name']}"


def _as_of_4_13(document: dict[str, Any]) -> dict[str, Any]:
    """The nodes of 4.13 have a container that those of 4.14 do not have."""
    if document["metadata"]["name"] == "ovnkube-node":
        containers = document["spec"]["template"]["spec"]["containers"]
        containers.append({"name": "of-4-13", "image": "ovn:4.13.9", "command": ["sleep", "infinity"]})
    return document


def _verb(verb: str) -> str:
    return "delete" if verb == "delete" else "write"
