"""Executes a decision: the ConfigMap first, then the steps in their order. The first failure ends a pass.

What is already as decided is not written again, so an interrupted pass is simply repeated.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from reconciler.apply.objects.object_owners import title_of
from reconciler.apply.objects.server_side_apply import Applier
from reconciler.rollout.loop.rollout_resources import BY_KIND, MONITORING
from reconciler.rollout.plan.manifests.render import Manifest, manifests_of
from reconciler.rollout.plan.manifests.values import ManifestValues
from reconciler.rollout.plan.model import Action, ConfigMapAction, ConfigMapVerb, Decision, Step
from validators.base.json_types import JsonObject
from validators.cluster.client_protocol import MERGE_PATCH, ApiStatusError
from validators.cluster.resources import CONFIG_MAPS
from validators.network.ovnkube_settings.interconnect import NAME, NAMESPACE

_GONE: Final = 404
_WRITES: Final = (Action.APPLY, Action.CREATE_ONLY, Action.REMOVE)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Appliers:
    """Who writes in the cluster of the nodes, and in that of the control plane, which is often the same one."""

    guest: Applier
    control: Applier


class StepExecutor:
    """Executes decisions, and logs every write."""

    def __init__(self, appliers: Appliers) -> None:
        self._appliers = appliers
        self._not_served: set[str] = set()

    def execute(self, decision: Decision, values: ManifestValues, config_map: JsonObject | None) -> None:
        """Make one pass. ``config_map`` is the one that the decision is based on. Raises ClusterError."""
        self._config_map(decision.config_map, config_map)
        for step in decision.steps:
            if step.action in _WRITES:
                self._objects(step, manifests_of(step.target, values))
            elif step.action is Action.ANNOTATE:
                self._annotate(step)

    def _config_map(self, action: ConfigMapAction, found: JsonObject | None) -> None:
        path = CONFIG_MAPS.object_path(NAMESPACE, NAME)
        send = self._appliers.guest.send
        if action.verb is ConfigMapVerb.CREATE:
            metadata = {"name": NAME, "namespace": NAMESPACE}
            body: JsonObject = {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": metadata,
                "data": dict(action.data),
            }
            send("POST", CONFIG_MAPS.in_namespace(NAMESPACE), body)
        elif action.verb is ConfigMapVerb.PATCH and found is not None:
            version = {"resourceVersion": found["metadata"]["resourceVersion"]}
            send("PATCH", path, {"metadata": version, "data": dict(action.data)}, MERGE_PATCH)
        elif action.verb is ConfigMapVerb.DELETE and found is not None:
            only = {key: found["metadata"][key] for key in ("uid", "resourceVersion")}
            try:
                send("DELETE", path, {"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": only})
            except ApiStatusError as error:
                if error.code != _GONE:
                    raise
        else:
            return
        _log.info("%s ConfigMap %s/%s %s", action.verb, NAMESPACE, NAME, dict(action.data))

    def _objects(self, step: Step, manifests: Sequence[Manifest]) -> None:
        # the first object of a manifest is its workload, which goes last: what is removed is found by it
        for each in reversed(manifests) if step.action is Action.REMOVE else manifests:
            if self._write(step, each):
                _log.info("%s %s of %s", step.action, title_of(each.document), step.target)

    def _write(self, step: Step, manifest: Manifest) -> bool:
        document = manifest.document
        resource, place = BY_KIND[document["kind"]], document["metadata"]
        applier = self._appliers.control if manifest.control else self._appliers.guest
        if step.action is Action.REMOVE:
            return applier.delete(resource, place["namespace"], place["name"])
        if step.action is Action.CREATE_ONLY and applier.get(resource, place["namespace"], place["name"]) is not None:
            return False
        try:
            return applier.apply(resource, document)
        except ApiStatusError as error:
            if error.code != _GONE or resource.group != MONITORING:
                raise
            if resource.kind not in self._not_served:
                _log.info("%s is not served: its manifests are left out", resource.kind)
            self._not_served.add(resource.kind)
            return False

    def _annotate(self, step: Step) -> None:
        kind, _, place = step.target.partition(" ")
        namespace, _, name = place.partition("/")
        found = self._appliers.guest.get(BY_KIND[kind], namespace, name)
        if found is not None and self._appliers.guest.annotate(BY_KIND[kind], found, dict(step.annotations)):
            _log.info("annotate %s %s", step.target, dict(step.annotations))
