"""What the operator changes between 4.13 and the phases of 4.14, in the form of operator_changes.json."""

from collections.abc import Iterable, Iterator
from itertools import permutations
from typing import Any

from ovnguard.reconciler.rollout.plan import folders
from ovnguard.reconciler.rollout.plan.model import Flavour, Folder
from ovnguard.reconciler.rollout.plan.operator_changes import HOSTED as PLACE
from ovnguard.reconciler.rollout.plan.phase_manifests import WORKLOADS, PhaseManifests
from ovnguard.reconciler.rollout.plan.refusals import lost, parts
from tests.support.rollout.operator_templates import BEFORE, FLIPPED, HOSTED, RELEASE, manifests

NAMES = ("ovnkube-node", "ovnkube-master", "ovnkube-control-plane")
SETTINGS: tuple[dict[str, Any], ...] = ({}, {"masters": 1}, dict(FLIPPED))
_REMOVED = (
    folders.MASTER_MONITOR_FILE,
    folders.SERVICE_FILE,
    folders.ROUTE_FILE,
    folders.MASTER_FILE,
    folders.CONTROL_PLANE_MONITOR_FILE,
    folders.CONTROL_PLANE_FILE,
    "pre-puller.yaml",
    "ipsec.yaml",
)


def phases(flavour: Flavour) -> list[PhaseManifests]:
    """The manifests of both releases, for each setting."""
    found = []
    for setting in SETTINGS:
        old, new = (manifests(release, flavour, **setting) for release in (BEFORE, RELEASE))
        found.append(PhaseManifests({**old.files, **new.files}, _both(old, new)))
    return found


def _both(old: PhaseManifests, new: PhaseManifests) -> dict[str, Any]:
    """The objects of all files; those of 4.13 have names of their own."""
    return {**{f"4.13/{file}": objects for file, objects in old.objects.items()}, **old.objects, **new.objects}


def changes() -> dict[str, Any]:
    """The whole comparison."""
    every = {flavour: phases(flavour) for flavour in Flavour}
    return {
        "removed": {str(flavour): _removed(settings) for flavour, settings in every.items()},
        "dropped": {str(flavour): dict(_dropped(settings)) for flavour, settings in every.items()},
        "unprobed": {str(flavour): _unprobed(settings) for flavour, settings in every.items()},
    }


def template(phase: PhaseManifests, folder: Folder, name: str) -> Any:
    """The workload of a phase: 4.13 has files of the same names as 4.14."""
    if folder is not Folder.LEGACY:
        return phase.workload(folder, name)
    objects = (obj for file, found in phase.objects.items() if file.startswith("4.13/") for obj in found)
    return next((obj for obj in objects if obj["metadata"]["name"] == name and obj["kind"] in WORKLOADS), None)


def _dropped(settings: list[PhaseManifests]) -> Iterator[tuple[str, list[str]]]:
    for name in NAMES:
        for before, after in permutations((Folder.LEGACY, Folder.SINGLE, Folder.FINAL), 2):
            pairs = [[template(each, folder, name) for folder in (before, after)] for each in settings]
            found = {part for old, new in pairs if old and new for part in lost(old, new)}
            if found:
                yield f"{name}: {before} to {after}", sorted(found)


def _unprobed(settings: list[PhaseManifests]) -> list[str]:
    found = [template(each, folder, name) for each in settings for folder in Folder for name in NAMES]
    return sorted({each["metadata"]["name"] for each in found if each and not _is_probed(each)})


def _is_probed(workload: Any) -> bool:
    return any(part == "readinessProbe" for _, part in parts(workload))


def _removed(settings: list[PhaseManifests]) -> dict[str, list[str]]:
    found: dict[str, dict[str, None]] = {}
    for each in settings:
        later = {_identity(obj) for folder in Folder if folder is not Folder.LEGACY for _, obj in each.of(folder)}
        for file, objects in each.objects.items():
            name = file.rpartition("/")[2]
            if name in _REMOVED:
                found.setdefault(name, {}).update(dict.fromkeys(map(_identity, objects)))
            elif file.startswith(f"{folders.OLD_COMMON}/"):
                gone = (identity for identity in map(_identity, objects) if identity not in later)
                found.setdefault(folders.COMMON, {}).update(dict.fromkeys(gone))
    return {file: _sorted(objects) for file, objects in sorted(found.items()) if objects}


def _sorted(identities: Iterable[str]) -> list[str]:
    """The workload last: what goes with it is found by it."""
    return sorted(identities, key=lambda each: each.split()[1] in WORKLOADS)


def _identity(obj: Any) -> str:
    metadata = obj["metadata"]
    namespace = metadata.get("namespace", "")
    place = PLACE if namespace == HOSTED else namespace
    return f"{obj['apiVersion']} {obj['kind']} {place}/{metadata['name']}"
