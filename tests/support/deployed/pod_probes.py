"""Plays the part of kubelets that asks readiness probes: kwok's pods become ready when what their probes ask for holds.

A probe is followed where the bed has what it asks for: a file of the node, or the databases of the node's zone.
"""

import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ovnguard.validators.network.cluster.workloads import containers
from tests.support.deployed.simulated_workloads import MERGE
from tests.testbed.apiserver import ApiServer
from tests.testbed.ovn import OvnZone

HOLDS = "probes.ovnguard.test/hold"
"""The annotation by which the stage `ready` of kwok knows that every probe of a pod holds."""
_DATABASE = re.compile(r'ovndb-readiness-probe "(nb|sb)"')
_NAMES = {"nb": "OVN_Northbound", "sb": "OVN_Southbound"}
_STARTED = """
phase: Running
startTime: {{ Now | Quote }}
conditions:
- {type: Initialized, status: "True", lastTransitionTime: {{ Now | Quote }}}
- {type: Ready, status: "False", reason: ContainersNotReady, lastTransitionTime: {{ Now | Quote }}}
"""
_READY = """
conditions:
- {type: Initialized, status: "True", lastTransitionTime: {{ Now | Quote }}}
- {type: Ready, status: "True", lastTransitionTime: {{ Now | Quote }}}
"""


def stages() -> list[dict[str, Any]]:
    """Stages of pods: one that starts is not ready, and becomes ready when its probes hold."""
    phase = {"key": ".status.phase", "operator": "NotIn", "values": ["Running"]}
    unready = {
        "key": '.status.conditions.[] | select( .type == "Ready" ) | .status',
        "operator": "In",
        "values": ["False"],
    }
    return [
        _stage("starts", {"matchExpressions": [phase]}, _STARTED),
        _stage("ready", {"matchAnnotations": {HOLDS: "true"}, "matchExpressions": [unready]}, _READY),
    ]


def _stage(name: str, selector: dict[str, Any], template: str) -> dict[str, Any]:
    spec = {
        "resourceRef": {"apiGroup": "v1", "kind": "Pod"},
        "selector": selector,
        "next": {"statusTemplate": template},
    }
    return {"apiVersion": "kwok.x-k8s.io/v1alpha1", "kind": "Stage", "metadata": {"name": name}, "spec": spec}


def probes(workload: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """The readiness probes of a workload's containers, or of a pod's: name and command."""
    for _, container in containers(workload):
        if "readinessProbe" in container:
            yield container["name"], container["readinessProbe"].get("exec", {}).get("command", [])


def asks_for(command: list[str]) -> str:
    """What a probe asks for: ``file PATH``, ``database nb``; empty for one that cannot be followed."""
    if command[:2] == ["test", "-f"] and len(command) == 3:
        return f"file {command[2]}"
    found = _DATABASE.search(command[-1]) if command else None
    return f"database {found[1]}" if found else ""


@dataclass
class Probes:
    """What the nodes of a bed have: files below ``folder``/NODE, and zones."""

    api: ApiServer
    namespace: str
    folder: Path
    client: Path
    zones: dict[str, OvnZone] = field(default_factory=dict)

    def ask(self) -> None:
        """Ask every probe of every pod once, and tell kwok of the pods whose probes all hold."""
        place = f"/api/v1/namespaces/{self.namespace}/pods"
        for pod in self.api.request("GET", place)[1]["items"]:
            asked = [asks_for(command) for _, command in probes({"spec": {"template": pod}})]
            node = pod["spec"]["nodeName"]
            # without a probe nothing shows that the pod works
            if asked and all(self._holds(node, each) for each in asked):
                mark = {"metadata": {"annotations": {HOLDS: "true"}}}
                self.api.request("PATCH", f"{place}/{pod['metadata']['name']}", mark, MERGE)

    def ready(self) -> dict[str, bool]:
        """Whether each pod is ready."""
        pods = self.api.request("GET", f"/api/v1/namespaces/{self.namespace}/pods")[1]["items"]
        return {each["metadata"]["name"]: _is_ready(each) for each in pods}

    def _holds(self, node: str, asked: str) -> bool:
        kind, _, what = asked.partition(" ")
        asks: dict[str, Callable[[str, str], bool]] = {"file": self._has_file, "database": self._serves}
        return kind in asks and asks[kind](node, what)

    def _has_file(self, node: str, path: str) -> bool:
        return (self.folder / node / path.lstrip("/")).is_file()

    def _serves(self, node: str, database: str) -> bool:
        zone = self.zones.get(node)
        if zone is None:
            return False
        remote = zone.nb if database == "nb" else zone.sb
        done = subprocess.run(
            [self.client, "list-dbs", remote], capture_output=True, text=True, check=False, timeout=20
        )
        return _NAMES[database] in done.stdout.split()


def _is_ready(pod: dict[str, Any]) -> bool:
    conditions = pod.get("status", {}).get("conditions", ())
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)
