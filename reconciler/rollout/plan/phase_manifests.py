"""The objects of the operator's manifests, by file and phase."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from ovnguard.reconciler.rollout.plan.model import Folder
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.parse_values import mapping

CLUSTER: Final = "network.operator.openshift.io/cluster-name"
"""The annotation of what belongs into the management cluster of a hosted one."""
WORKLOADS: Final = ("DaemonSet", "StatefulSet", "Deployment")


@dataclass(frozen=True, slots=True)
class PhaseManifests:
    """The files of each phase in the operator's order, and the objects of each file."""

    files: Mapping[Folder, tuple[str, ...]]
    objects: Mapping[str, tuple[JsonObject, ...]]

    def workload(self, folder: Folder, name: str) -> JsonObject | None:
        """Return the workload ``name`` of a phase."""
        found = (obj for _, obj in self.of(folder) if obj["kind"] in WORKLOADS and obj["metadata"]["name"] == name)
        return next(found, None)

    def of(self, folder: Folder) -> Iterator[tuple[str, JsonObject]]:
        """Iterate over all objects of a phase, each with its file."""
        for file in self.files.get(folder, ()):
            yield from ((file, obj) for obj in self.objects[file])


def is_control(obj: JsonObject) -> bool:
    """Whether an object belongs into the cluster of the control plane."""
    return CLUSTER in mapping(obj, "metadata", "annotations")
