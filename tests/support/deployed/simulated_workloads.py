"""What kube-controller-manager and kubelets do with DaemonSets, StatefulSets and Deployments on a number of nodes.

Pods are only counted: a workload has one unit for each of its nodes or replicas. A step replaces as many units as the
strategy lets be unavailable, and what was replaced in the step before is ready. Nodes in ``broken`` never get ready.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.testbed.apiserver import ApiServer

APPS = "/apis/apps/v1/namespaces/{}/{}"
PLURALS = {"DaemonSet": "daemonsets", "StatefulSet": "statefulsets", "Deployment": "deployments"}
APPS_PLURALS = tuple(PLURALS.values())
UNPROBED = ("ovnkube-control-plane", "ovnkube-upgrades-prepuller")
"""Workloads to which the operator's templates give no readiness probe."""
MERGE = "application/merge-patch+json"


@dataclass
class Unit:
    """One pod: the template that it runs."""

    template: dict[str, Any]
    revision: str
    ready: bool = False

    @property
    def containers(self) -> dict[str, str]:
        """The command lines by container."""
        found = self.template["spec"]["containers"]
        return {each["name"]: " ".join([*each.get("command", ()), *each.get("args", ())]) for each in found}

    @property
    def probed(self) -> bool:
        """Whether a readiness probe asks when it is ready; without one, nothing shows that it works."""
        return any("readinessProbe" in each for each in self.template["spec"]["containers"])

    @property
    def interconnect(self) -> bool:
        return any("--enable-interconnect" in line for line in self.containers.values())

    @property
    def multizone(self) -> bool:
        return "nbdb" in self.containers


@dataclass
class Simulation:
    """The workloads of some namespaces, each of an API server; ``nodes`` are those of all DaemonSets, with labels."""

    places: list[tuple[ApiServer, str]]
    nodes: dict[str, dict[str, str]]
    broken: set[str] = field(default_factory=set)
    units: dict[tuple[str, str, str], dict[str, Unit]] = field(default_factory=dict)

    def step(self) -> bool:
        """Let each workload go on by a step; return whether anything changed."""
        found = {key: (api, obj) for api, namespace in self.places for key, obj in _workloads(api, namespace)}
        changed = bool(self.units.keys() - found.keys())
        self.units = {key: units for key, units in self.units.items() if key in found}
        for key, (api, obj) in found.items():
            changed |= self._step(key, api, obj)
        return changed

    def workload(self, name: str) -> dict[str, Unit]:
        """The units of a workload, by node or number."""
        return next((units for (_, _, each), units in self.units.items() if each == name), {})

    def _step(self, key: tuple[str, str, str], api: ApiServer, obj: dict[str, Any]) -> bool:
        kind, namespace, name = key
        template, spec = obj["spec"]["template"], obj["spec"]
        revision = hashlib.sha256(json.dumps(template, sort_keys=True).encode()).hexdigest()[:10]
        wanted = self._places(kind, spec)
        units = self.units.setdefault(key, {})
        for place in units.keys() - set(wanted):
            del units[place]
        for place, unit in units.items():
            unit.ready = place not in self.broken and (unit.probed or name in UNPROBED)
        away = sum(not unit.ready for unit in units.values())
        for place in wanted:
            if place not in units:
                units[place] = Unit(template, revision)
        for place in wanted:
            if away < _at_once(kind, spec, len(wanted)) and units[place].revision != revision:
                units[place] = Unit(template, revision)
                away += 1
        status = _status(kind, obj, list(units.values()), revision)
        if {key: obj.get("status", {}).get(key, 0) for key in status} == status:
            return False
        path = f"{APPS.format(namespace, PLURALS[kind])}/{name}/status"
        assert api.request("PATCH", path, {"status": status}, MERGE)[0] in (200, 404)
        return True

    def _places(self, kind: str, spec: dict[str, Any]) -> list[str]:
        if kind != "DaemonSet":
            return [str(number) for number in range(spec["replicas"])]
        selector = spec["template"]["spec"].get("nodeSelector", {}).items()
        return [name for name, labels in self.nodes.items() if selector <= labels.items()]


def _workloads(api: ApiServer, namespace: str) -> Iterator[tuple[tuple[str, str, str], dict[str, Any]]]:
    for kind, plural in PLURALS.items():
        for obj in api.request("GET", APPS.format(namespace, plural))[1]["items"]:
            yield (kind, namespace, obj["metadata"]["name"]), obj


def _at_once(kind: str, spec: dict[str, Any], count: int) -> int:
    if kind != "DaemonSet":
        return 1
    most = str(spec["updateStrategy"]["rollingUpdate"]["maxUnavailable"])
    return max(1, -(-count * int(most[:-1]) // 100)) if most.endswith("%") else int(most)


def _status(kind: str, obj: dict[str, Any], units: list[Unit], revision: str) -> dict[str, int]:
    updated = sum(unit.revision == revision for unit in units)
    ready = sum(unit.ready for unit in units)
    seen = {"observedGeneration": obj["metadata"]["generation"]}
    if kind == "DaemonSet":
        scheduled = {
            "desiredNumberScheduled": len(units),
            "currentNumberScheduled": len(units),
            "numberMisscheduled": 0,
        }
        counts = {"updatedNumberScheduled": updated, "numberReady": ready, "numberAvailable": ready}
        return {**seen, **scheduled, **counts, "numberUnavailable": len(units) - ready}
    counts = {"replicas": len(units), "updatedReplicas": updated, "readyReplicas": ready, "availableReplicas": ready}
    return {**seen, **counts}
