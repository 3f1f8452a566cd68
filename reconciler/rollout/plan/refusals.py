"""Whether the pods of a new template would lose what those of the old one have, so that ``own`` refuses to roll them.

Images, hashes and annotations of the release do not count, and neither does what the operator's own templates lose in
the same phase.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ovnguard.reconciler.rollout.plan.model import Flavour, Folder, Observed
from ovnguard.reconciler.rollout.plan.operator_changes import dropped, unprobed
from ovnguard.reconciler.rollout.plan.phase_manifests import PhaseManifests
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.workloads import containers
from ovnguard.validators.network.ovnkube_settings.interconnect import RELEASE_LINE
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import (
    CONTROL_PLANE,
    MASTER,
    NODE,
    Workload,
    workload_of,
)
from ovnguard.validators.network.parse_values import MAX_ITEMS, dig, mapping, text_of

_PROBES: Final = ("readinessProbe", "livenessProbe", "startupProbe")
_READINESS: Final = "readinessProbe"
_ALL: Final = (Folder.LEGACY, Folder.SINGLE, Folder.FINAL)
_OF_WORKLOAD: Final = {NODE: _ALL, MASTER: (Folder.LEGACY, Folder.SINGLE), CONTROL_PLANE: (Folder.FINAL,)}
"""The folders with a template of their own; the temporary one has links to them."""


def refusals(seen: Observed, live: Mapping[str, JsonObject], manifests: PhaseManifests) -> tuple[str, ...]:
    """Return why the way from here to the release is refused: the templates that are still to come, in their order.

    ``live`` are the workloads of the cluster by kind and name.
    """
    found: list[str] = []
    for name, workload in ((NODE, seen.node), (MASTER, seen.master), (CONTROL_PLANE, seen.control_plane)):
        before = None if workload is None else live.get(str(workload))
        for folder in ahead(seen, workload, _OF_WORKLOAD[name]):
            after = manifests.workload(folder, name)
            if after is not None:
                found += _refused(seen.flavour, before, after)
                before = after
    return tuple(dict.fromkeys(found))


def ahead(seen: Observed, workload: Workload | None, folders: Sequence[Folder]) -> list[Folder]:
    """Return the folders whose template a workload still gets."""
    node = seen.node
    if seen.release is not None and seen.release.line < RELEASE_LINE:
        return [each for each in folders if each is Folder.LEGACY]
    passed = node is None or node.multizone
    at_final = passed if workload is None or workload.name == NODE else workload.multizone
    return [each for each in folders if each is Folder.FINAL or (each is Folder.SINGLE and not at_final and not passed)]


def architecture(workload: Workload) -> Folder:
    """Return the folder that has such a workload."""
    if workload.multizone:
        return Folder.FINAL
    return Folder.SINGLE if workload.interconnect else Folder.LEGACY


def _refused(flavour: Flavour, before: JsonObject | None, after: JsonObject) -> Iterator[str]:
    new = workload_of(after, after["kind"])
    subject = f"{new.kind} {new.namespace}/{new.name}"
    if before is not None:
        folders = architecture(workload_of(before, before["kind"])), architecture(new)
        excused = dropped(flavour, new.name, *folders)
        yield from (f"{subject}: the new template drops {each}" for each in lost(before, after) if each not in excused)
    if new.name not in unprobed(flavour) and not any(_READINESS in each for _, each in containers(after)):
        yield f"{subject}: no container has a readiness probe, so nothing shows that it works"


def lost(before: object, after: object) -> list[str]:
    """Return what the pods of ``before`` have and those of ``after`` lack; of a lost container only its name."""
    kept = {*parts(after)}
    gone = {name for name, part in parts(before) if not part and (name, part) not in kept}
    found = (each for each in dict.fromkeys(parts(before)) if each not in kept)
    listed = ((name, part) for name, part in found if not part or name not in gone)
    return [f"{part} of {name}" if part and name else part or name for name, part in listed]


def parts(workload: object) -> Iterator[tuple[str, str]]:
    """Iterate over the containers of a pod template (with an empty part), and over their parts."""
    for path, container in containers(workload):
        kind = "init container" if ".initContainers[" in path else "container"
        name = f"{kind} {text_of(container.get('name'))}"
        yield name, ""
        yield from ((name, part) for part in _parts_of(container))
    yield from (("", f"secret {each}") for each in _secrets(workload))


def _parts_of(container: Mapping[str, Any]) -> Iterator[str]:
    for each in _listed(container, "volumeMounts"):
        yield f"mount {text_of(dig(each, 'mountPath'))}"
    for each in _listed(container, "env"):
        yield f"variable {text_of(dig(each, 'name'))}"
    for each in _listed(container, "ports"):
        yield f"port {dig(each, 'containerPort')}/{text_of(dig(each, 'protocol')) or 'TCP'}"
    yield from (each for each in _PROBES if container.get(each) is not None)


def _secrets(workload: object) -> Iterator[str]:
    spec = mapping(workload, "spec", "template", "spec")
    found = [dig(each, "secret", "secretName") for each in _listed(spec, "volumes")]
    for volume in _listed(spec, "volumes"):
        found += [dig(each, "secret", "name") for each in _listed(mapping(volume, "projected"), "sources")]
    for _, container in containers(workload):
        found += [dig(each, "valueFrom", "secretKeyRef", "name") for each in _listed(container, "env")]
        found += [dig(each, "secretRef", "name") for each in _listed(container, "envFrom")]
    found += [dig(each, "name") for each in _listed(spec, "imagePullSecrets")]
    return filter(None, map(text_of, found))


def _listed(obj: Mapping[str, Any], key: str) -> list[Any]:
    found = obj.get(key)
    return found[:MAX_ITEMS] if isinstance(found, list) else []
