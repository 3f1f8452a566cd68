"""What a controller writes when it executes a plan: what differs from what is there, in the operator's order."""

from collections.abc import Iterator
from typing import Any

from ovnguard.reconciler.rollout.loop.rollout_resources import WORKLOADS, resource_of
from ovnguard.reconciler.rollout.plan.folders import FILES, STEPPED, folders_of
from ovnguard.reconciler.rollout.plan.forecast import Pass
from ovnguard.reconciler.rollout.plan.model import Action, ConfigMapVerb, Flavour, Folder
from ovnguard.reconciler.rollout.plan.operator_changes import removed_objects
from ovnguard.reconciler.rollout.plan.phase_manifests import PhaseManifests, is_control

CONFIG = "configmaps/ovn-interconnect-configuration"
_NOT_SERVED = ("FlowSchema",)


class ExpectedWrites:
    """The objects as they are written, from those of ``before`` on."""

    def __init__(self, flavour: Flavour, before: PhaseManifests, after: PhaseManifests, hosted: str) -> None:
        self._flavour, self._after, self._hosted = flavour, after, hosted
        self._stored = {_key(obj): obj for file, obj in before.of(Folder.LEGACY) if file not in STEPPED}
        self._ours: set[tuple[bool, str]] = set()

    def begun_with(self, obj: dict[str, Any]) -> None:
        """An object that the controller has written already."""
        self._stored[_key(obj)] = obj
        self._ours.add(_key(obj))

    def of(self, each: Pass) -> Iterator[str]:
        """The writes of a pass: verb, plural and name."""
        if each.config_map.verb is not ConfigMapVerb.KEEP:
            yield f"{'delete' if each.config_map.verb is ConfigMapVerb.DELETE else 'write'} {CONFIG}"
        actions = {step.target: step.action for step in each.steps}
        if each.folder is not None:
            yield from self._manifests(each.folder, actions)
        for step in each.steps:
            if step.action is Action.ANNOTATE:
                self._ours.add((False, "daemonsets/ovnkube-node"))
                yield "write daemonsets/ovnkube-node"
            elif step.action is Action.REMOVE:
                for obj in removed_objects(self._flavour, step.file, self._hosted):
                    if self._stored.pop(_key(obj), None):
                        yield f"delete {_name(obj)}"
            elif step.action is Action.RELEASE and each.folder is not None:
                yield from self._released(each.folder, step.target)

    def _manifests(self, folder: Folder, actions: dict[str, Action]) -> Iterator[str]:
        own = folders_of(self._flavour, folder)[-1]
        known = {*STEPPED, *(f"{own}/{file}" for file in FILES[self._flavour][folder])}
        for file, obj in self._after.of(folder):
            applied = actions.get(file) is Action.APPLY or (file not in known and obj["kind"] not in WORKLOADS)
            key = _key(obj)
            if applied and obj["kind"] not in _NOT_SERVED and self._stored.get(key) != obj:
                self._stored[key] = obj
                # a field manager that has no fields is not recorded
                self._ours |= {key} if _has_fields(obj) else set()
                yield f"write {_name(obj)}"

    def _released(self, folder: Folder, place: str) -> Iterator[str]:
        for file, obj in self._after.of(folder):
            if file.rpartition("/")[0] == place and _key(obj) in self._ours & self._stored.keys():
                yield f"write {_name(obj)}"


def _has_fields(obj: dict[str, Any]) -> bool:
    return bool(obj.keys() - {"apiVersion", "kind", "metadata"} or obj["metadata"].keys() - {"name", "namespace"})


def _key(obj: dict[str, Any]) -> tuple[bool, str]:
    """Objects of both clusters may have the same name."""
    return is_control(obj), _name(obj)


def _name(obj: dict[str, Any]) -> str:
    resource = resource_of(obj)
    return f"{resource.plural if resource else '?'}/{obj['metadata']['name']}"
