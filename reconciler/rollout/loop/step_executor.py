"""Executes a decision: the ConfigMap first, then the manifests in the operator's order, then the other steps.

What is already as decided is not written again, so an interrupted pass is simply repeated. The first failure ends it.
"""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from ovnguard.reconciler.apply.objects.object_owners import title_of
from ovnguard.reconciler.apply.objects.server_side_apply import Applier
from ovnguard.reconciler.rollout.loop.rollout_resources import MAY_BE_ABSENT, WORKLOADS, resource_of
from ovnguard.reconciler.rollout.plan.folders import FILES, STEPPED, folders_of
from ovnguard.reconciler.rollout.plan.model import (
    Action,
    ConfigMapAction,
    ConfigMapVerb,
    Decision,
    Flavour,
    Folder,
    Observed,
    Step,
)
from ovnguard.reconciler.rollout.plan.operator_changes import removed_objects
from ovnguard.reconciler.rollout.plan.phase_manifests import PhaseManifests, is_control
from ovnguard.reconciler.rollout.plan.refusals import refusals
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import MERGE_PATCH, ApiStatusError
from ovnguard.validators.cluster.resources import CONFIG_MAPS
from ovnguard.validators.network.ovnkube_settings.interconnect import NAME, NAMESPACE
from ovnguard.validators.network.parse_values import text_of

_GONE: Final = 404
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Appliers:
    """Who writes in the cluster of the nodes, and in that of the control plane, which is often the same one."""

    guest: Applier
    control: Applier


class StepExecutor:
    """Executes decisions with the operator's ``manifests``, and logs every write.

    ``hosted`` is the namespace of a hosted control plane, empty for a cluster with its own.
    """

    def __init__(self, appliers: Appliers, manifests: PhaseManifests, hosted: str) -> None:
        self._appliers, self._manifests, self._hosted = appliers, manifests, hosted
        self._flavour = Flavour.MANAGED if hosted else Flavour.SELF_HOSTED
        self._not_served: set[str] = set()

    def refused(self, seen: Observed, live: Mapping[str, JsonObject]) -> tuple[str, ...]:
        """Return why nothing may be written: what pods of the ``live`` workloads would lose on the way."""
        return refusals(seen, live, self._manifests)

    def execute(self, decision: Decision, config_map: JsonObject | None) -> None:
        """Make one pass. ``config_map`` is the one that the decision is based on. Raises ClusterError."""
        self._config_map(decision.config_map, config_map)
        if decision.folder is None:
            return
        for document, action in self._manifests_of(decision, decision.folder):
            if self._write(document, action):
                _log.info("%s %s", action, title_of(document))
        for step in decision.steps:
            if step.action is Action.REMOVE:
                self._remove(step)
            elif step.action is Action.ANNOTATE:
                self._annotate(step)
            elif step.action is Action.RELEASE:
                self._release(step, decision.folder)

    def _manifests_of(self, decision: Decision, folder: Folder) -> Iterator[tuple[JsonObject, Action]]:
        """The objects of a phase, each with what to do. Only workloads wait; a file without a step is not written."""
        actions = {step.target: step.action for step in decision.steps}
        own = folders_of(self._flavour, folder)[-1]
        known = {*STEPPED, *(f"{own}/{file}" for file in FILES[self._flavour][folder])}
        for file, document in self._manifests.of(folder):
            action = actions.get(file, None if file in known else Action.APPLY)
            if action is not None and action is not Action.REMOVE:
                yield document, action if document["kind"] in WORKLOADS else Action.APPLY

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

    def _applier(self, document: JsonObject) -> Applier:
        return self._appliers.control if is_control(document) else self._appliers.guest

    def _write(self, document: JsonObject, action: Action) -> bool:
        resource, place = resource_of(document), document["metadata"]
        if resource is None or action is Action.CREATE_WAIT:
            return False
        applier, namespace = self._applier(document), text_of(place.get("namespace"))
        if action is Action.CREATE_ONLY and applier.get(resource, namespace, place["name"]) is not None:
            return False
        try:
            return applier.apply(resource, document)
        except ApiStatusError as error:
            if error.code != _GONE or resource.group not in MAY_BE_ABSENT:
                raise
            if resource.kind not in self._not_served:
                _log.info("%s is not served: its manifests are left out", resource.kind)
            self._not_served.add(resource.kind)
            return False

    def _remove(self, step: Step) -> None:
        for document in removed_objects(self._flavour, step.file, self._hosted):
            resource, place = resource_of(document), document["metadata"]
            if resource is not None and self._applier(document).delete(
                resource, text_of(place.get("namespace")), place["name"]
            ):
                _log.info("remove %s of %s", title_of(document), step.target)

    def _release(self, step: Step, folder: Folder) -> None:
        for file, document in self._manifests.of(folder):
            resource, place = resource_of(document), document["metadata"]
            if resource is None or file.rpartition("/")[0] != step.target:
                continue
            if self._applier(document).release(resource, text_of(place.get("namespace")), place["name"]):
                _log.info("release %s", title_of(document))

    def _annotate(self, step: Step) -> None:
        kind, _, place = step.target.partition(" ")
        namespace, _, name = place.partition("/")
        found = self._appliers.guest.get(WORKLOADS[kind], namespace, name)
        if found is not None and self._appliers.guest.annotate(WORKLOADS[kind], found, dict(step.annotations)):
            _log.info("annotate %s %s", step.target, dict(step.annotations))
