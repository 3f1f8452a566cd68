"""Compares every object of an upgrade with Go's rendering of the operator's template of its release and phase."""

from collections.abc import Iterator
from typing import Any

from ovnguard.reconciler.apply.objects.server_side_apply import contains, parted
from ovnguard.reconciler.rollout.commands.manifest_options import phases_of
from ovnguard.reconciler.rollout.loop.manifest_folder import ManifestFolder
from ovnguard.reconciler.rollout.loop.rollout_resources import resource_of
from ovnguard.reconciler.rollout.plan.folders import STEPPED
from ovnguard.reconciler.rollout.plan.model import Folder
from ovnguard.reconciler.rollout.plan.other_writers import is_operator_manager
from ovnguard.validators.manifest.yaml_reader import load_all
from tests.support.deployed.rollout_bed import RolloutBed, place_of
from tests.support.rendered_manifests import rendered_templates
from tests.support.rollout.operator_templates import BEFORE, RELEASE, branch, values
from tests.testbed.parts import Part

_API_SERVER = ("deprecated.daemonset.template.generation", "kubernetes.io/metadata.name")
# the operator's own marks of a rollout, which it writes by code
_MARKS = ("interconnect-upgrade", "networkoperator.openshift.io/rollout-hung")
_WRITERS = ("ovnguard-rollout",)


class GoRenderings:
    """Go's renderings of both releases; `look` finds which of them each object of the cluster is now."""

    def __init__(self, bed: RolloutBed, program: Part) -> None:
        self._bed = bed
        self._of: dict[str, list[tuple[Folder, dict[str, Any]]]] = {}
        for release in (BEFORE, RELEASE):
            folder = ManifestFolder(branch(release), None)
            given = values(release, bed.flavour)
            for phase in phases_of(release):
                files = [branch(release) / each for each in folder.files(bed.flavour, phase) if each not in STEPPED]
                for text in rendered_templates(program, given, *files).values():
                    for document in load_all(text.encode(), warn=lambda *_: None):
                        self._of.setdefault(place_of(document.value), []).append((phase, document.value))
        self.seen: dict[str, set[Folder]] = {}

    def look(self) -> None:
        """Every object that is there is exactly what one template of the operator says."""
        for place, renderings in self._of.items():
            found = self._bed.stored(renderings[0][1])
            if not found:
                continue
            differing = {phase: [*differences(found, document)] for phase, document in renderings}
            same = {phase for phase, each in differing.items() if not each}
            assert same, (place, differing)
            self.seen.setdefault(place, set()).update(same)

    def phases_of(self, name: str) -> set[Folder]:
        """The phases whose template a workload has had."""
        return next(phases for place, phases in self.seen.items() if place.endswith(f"s/{name}") and "/apps/" in place)


def differences(found: dict[str, Any], document: dict[str, Any]) -> Iterator[str]:
    """How an object differs from a rendering, apart from what the API server sets."""
    stored_otherwise = resource_of(document) and document["kind"] in ("CustomResourceDefinition", "ResourceQuota")
    if not stored_otherwise and not contains(found, document):
        yield "values"
    for path in (("metadata", "labels"), ("metadata", "annotations"), ("data",)):
        ours, theirs = _keys(found, path), _keys(document, path)
        yield from sorted(ours - theirs - {*_API_SERVER, *_MARKS})
    for entry in found["metadata"].get("managedFields", ()):
        manager = entry["manager"]
        if "subresource" not in entry and (manager in _WRITERS or is_operator_manager(manager)):
            moved = parted(entry["fieldsV1"], document)[1]
            yield from (f"{manager}: {moved}" for _ in range(bool(moved)))


def _keys(obj: dict[str, Any], path: tuple[str, ...]) -> set[str]:
    inner: Any = obj
    for key in path:
        inner = inner.get(key) or {}
    return set(inner)
