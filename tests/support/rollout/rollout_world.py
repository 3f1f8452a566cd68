"""A cluster of 4.13 in memory, and the controller that upgrades it."""

import json
from dataclasses import replace
from datetime import UTC, datetime

from ovnguard.reconciler.apply.objects.server_side_apply import Applier
from ovnguard.reconciler.loop.process.events import EventRecorder
from ovnguard.reconciler.loop.process.metrics import Metrics
from ovnguard.reconciler.rollout.loop.rollout_controller import RolloutController, RolloutParts
from ovnguard.reconciler.rollout.loop.rollout_metrics import RolloutMetrics
from ovnguard.reconciler.rollout.loop.rollout_reader import RolloutTarget
from ovnguard.reconciler.rollout.loop.rollout_report import RolloutReport
from ovnguard.reconciler.rollout.loop.rollout_resources import PODS
from ovnguard.reconciler.rollout.loop.step_executor import Appliers, StepExecutor
from ovnguard.reconciler.rollout.plan.model import Folder
from ovnguard.validators.network.cluster_view import NODE
from tests.support.fake_api import FakeApi
from tests.support.rollout.small_manifests import small_manifests, workload

OVN = "openshift-ovn-kubernetes"
APPS = f"/apis/apps/v1/namespaces/{OVN}"
CONFIG_MAP = f"/api/v1/namespaces/{OVN}/configmaps/ovn-interconnect-configuration"
REPORT = "/api/v1/namespaces/ovnguard-system/configmaps/ovnguard-rollout"
HUNG = "networkoperator.openshift.io/rollout-hung"
MASTER = {
    "metadata": {"name": "m", "labels": {"node-role.kubernetes.io/control-plane": ""}},
    "status": {"addresses": [{"type": "Hostname", "address": "m"}, {"type": "InternalIP", "address": "10.0.0.1"}]},
}


def rolled_out(obj, done=3, of=3):
    counts = {"desiredNumberScheduled": of, "updatedNumberScheduled": done, "numberAvailable": done}
    replicas = {"updatedReplicas": done, "availableReplicas": done}
    seen = {"observedGeneration": obj["metadata"].get("generation", 1), "numberUnavailable": of - done}
    return {**obj, "status": {**counts, **replicas, **seen}}


class View:
    def __init__(self) -> None:
        self.listed = {NODE: [MASTER], PODS.group_kind: []}
        self.waits: tuple[str, ...] = ()

    def objects(self, kind):
        return self.listed.get(kind)

    def waiting_for(self):
        return self.waits


class Memory:
    def __init__(self) -> None:
        self.text = ""

    def recall(self) -> str:
        return self.text

    def remember(self, text: str) -> None:
        self.text = text


class World:
    """A cluster of 4.13, and a controller that leads."""

    def __init__(self, release: str = "4.14.20") -> None:
        self.release = release
        self.api, self.view, self.memory = FakeApi(), View(), Memory()
        self.now, self.leads = 1000.0, True
        for file in ("ovnkube-node", "ovnkube-master"):
            document = workload(file, Folder.LEGACY, "4.13.9")
            self.api.put(f"{APPS}/daemonsets/{file}", rolled_out(document))
        self.manifests = small_manifests(release)
        self.controller = self.restarted()

    def restarted(self, *, audit: bool = False) -> RolloutController:
        def clock() -> datetime:
            return datetime.fromtimestamp(self.now, UTC)

        self.metrics = Metrics()

        applier = Applier(self.api, "ovnguard-rollout", lambda: self.leads)
        announcer = EventRecorder(self.api, "me", clock, lambda: self.now)
        target = RolloutTarget(self.release)
        parts = RolloutParts(
            target, applier, applier, self.view, self.view, announcer, lambda: self.leads,
            metrics=RolloutMetrics(self.metrics.registry), clock=lambda: self.now,
        )  # fmt: skip
        if not audit:
            report = RolloutReport(self.api, "ovnguard-system", clock)
            executor = StepExecutor(Appliers(applier, applier), self.manifests, "")
            parts = replace(parts, executor=executor, report=report, memory=self.memory)
        return RolloutController(parts)

    def roll(self, done=3, of=3) -> None:
        """Let all workloads have rolled out as far as that."""
        for path, obj in self.api.objects.items():
            if path.startswith(APPS):
                self.api.objects[path] = rolled_out(obj, done, of)

    def override(self, **data: str) -> None:
        """What an administrator writes into the ConfigMap."""
        self.api.objects[CONFIG_MAP]["data"] = {key.replace("_", "-"): value for key, value in data.items()}

    def containers(self, name: str) -> list[str]:
        found = self.api.objects[f"{APPS}/daemonsets/{name}"]["spec"]["template"]["spec"]["containers"]
        return [each["name"] for each in found]

    def report(self):
        return json.loads(self.api.objects[REPORT]["data"]["report.json"])

    def notes(self):
        found = [(path, obj) for path, obj in self.api.objects.items() if "/events/" in path]
        return [(obj["reason"], obj["type"], obj["note"]) for _, obj in found]

    def written(self) -> list[str]:
        """Names of written objects except Events and the report, each once in a row; forgotten afterwards."""
        names = [path.rpartition("/")[2] for _, path in self.api.writes if "/events" not in path and path != REPORT]
        self.api.writes.clear()
        return [name for index, name in enumerate(names) if name != names[index - 1] or index == 0]
