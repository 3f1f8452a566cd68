"""The upgrade from 4.13 to 4.14 with OVN interconnect: its ConfigMap, and the progress of the workloads.

Sources: OpenShift enhancement "upgrades from 4.13 to 4.14 with OVN interconnect", 'CNO implementation details';
cluster-network-operator, release 4.14, ``pkg/network/ovn_kubernetes.go``. With HyperShift, ovnkube-master runs in
another cluster, so its absence proves nothing.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any, Final

from validators.base.json_types import JsonObject
from validators.network.cluster.inventory import Inventory
from validators.network.cluster.release import Release
from validators.network.cluster.workloads import container_named, named, rolling, texts
from validators.network.cluster_view import DAEMON_SET, DEPLOYMENT, STATEFUL_SET, GroupKind
from validators.network.parse_values import mapping, text_of

NAME: Final = "ovn-interconnect-configuration"
NAMESPACE: Final = "openshift-ovn-kubernetes"
ZONE_MODE: Final = "zone-mode"
TEMPORARY: Final = "temporary"
ONGOING: Final = "ongoing-upgrade"
FAST_FORWARD: Final = "fast-forward-to-multizone"
RELEASE_LINE: Final = (4, 14)
# The first z-stream of 4.14 with fast-forward-to-multizone, and without temporary and ongoing-upgrade.
_FIRST_LATE: Final = 14
_FLAG: Final = "--enable-interconnect"
_SCRIPT: Final = "ovnkube-lib.sh"


class Mode(StrEnum):
    """The request in the ConfigMap."""

    ABSENT = "absent"
    SINGLE = "singlezone"
    MULTI = "multizone"
    SKIP = "multizone, first phase skipped"
    FAST = "multizone, both phases skipped"
    UNREADABLE = "unreadable"


class Stream(Enum):
    """The keys that a release of 4.14 knows. HIDDEN: a build without a z-stream number."""

    EARLY = "up to 4.14.13"
    LATE = "from 4.14.14"
    HIDDEN = "any"


def stream(release: Release | None) -> Stream | None:
    """Return the keys that ``release`` knows; None for a release other than 4.14."""
    if release is None or release.line != RELEASE_LINE:
        return None
    if release.patch is None:
        return Stream.HIDDEN
    return Stream.EARLY if release.patch < _FIRST_LATE else Stream.LATE


def is_configuration(obj: JsonObject) -> bool:
    """Whether a ConfigMap is the upgrade's; the operator ignores other names and namespaces."""
    metadata = mapping(obj, "metadata")
    return metadata.get("name") == NAME and metadata.get("namespace") == NAMESPACE


def mode_of(config_map: JsonObject | None) -> Mode:
    """Return the request in ``config_map``, where None means absent. The value of zone-mode is case-insensitive."""
    if config_map is None:
        return Mode.ABSENT
    data = mapping(config_map, "data")
    zone_mode = text_of(data.get(ZONE_MODE)).lower()
    if FAST_FORWARD in data:
        return Mode.FAST
    if zone_mode == "multizone":
        return Mode.SKIP if ONGOING in data and data.get(TEMPORARY) == "false" else Mode.MULTI
    return Mode.SINGLE if zone_mode == "singlezone" else Mode.UNREADABLE


@dataclass(frozen=True, slots=True)
class Workload:
    """One workload; ``rolling`` says why its rollout is not finished, empty when it is."""

    kind: str
    name: str
    interconnect: bool
    multizone: bool
    rolling: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


@dataclass(frozen=True, slots=True)
class Observed:
    """The workloads in the view; None for an absent or unknown one."""

    node: Workload | None = None
    master: Workload | None = None
    control_plane: Workload | None = None


def observed(inventory: Inventory) -> Observed:
    """Return the state of the workloads."""
    return inventory.derived(_observed, DAEMON_SET, DEPLOYMENT, STATEFUL_SET)


def ovnkube_node(inventory: Inventory) -> Workload | None:
    """Return DaemonSet ovnkube-node, or None when it is unknown."""
    return observed(inventory).node


def _observed(inventory: Inventory) -> Observed:
    return Observed(
        _workload(inventory, DAEMON_SET, "ovnkube-node"),
        _workload(inventory, DAEMON_SET, "ovnkube-master") or _workload(inventory, STATEFUL_SET, "ovnkube-master"),
        _workload(inventory, DEPLOYMENT, "ovnkube-control-plane"),
    )


def _workload(inventory: Inventory, kind: GroupKind, name: str) -> Workload | None:
    obj = named(inventory, kind, NAMESPACE, name)
    if obj is None:
        return None
    is_node = name == "ovnkube-node"
    multizone = kind == DEPLOYMENT or (is_node and any(container_named(obj, "nbdb")))
    return Workload(
        kind.kind,
        name,
        kind == DEPLOYMENT or _runs_interconnect(obj, kind),
        multizone,
        rolling(obj, kind.kind, hung_counts=is_node),
    )


def _runs_interconnect(obj: Mapping[str, Any], kind: GroupKind) -> bool:
    """Whether a container starts the binary with the flag, or through the script that adds it (except in a
    StatefulSet).
    """
    signs = (_FLAG,) if kind == STATEFUL_SET else (_FLAG, _SCRIPT)
    ovnkube = container_named(obj, "ovnkube-node", "ovnkube-controller", "ovnkube-master")
    return any(sign in text for container in ovnkube for _, text in texts(container) for sign in signs)


def first_phase_left(seen: Observed) -> Iterator[str]:
    """Iterate over the pending steps of the first phase: every node and master must run interconnect."""
    for each in filter(None, (seen.node, seen.master)):
        if not each.interconnect:
            yield f"{each} does not run with {_FLAG} yet"
        elif each.rolling:
            yield f"{each} is rolling out ({each.rolling})"


def second_phase_left(seen: Observed) -> Iterator[str]:
    """Iterate over the pending steps of the second phase: multizone nodes, then the control plane."""
    if seen.node is not None and not (seen.node.interconnect and seen.node.multizone):
        yield f"{seen.node} is not multizone yet"
    elif seen.node is not None and seen.node.rolling:
        yield f"{seen.node} is rolling out ({seen.node.rolling})"
    if seen.control_plane is None:
        yield "Deployment ovnkube-control-plane does not exist yet"
    elif seen.control_plane.rolling:
        yield f"{seen.control_plane} is rolling out ({seen.control_plane.rolling})"
    if seen.master is not None and not seen.master.interconnect:
        yield f"{seen.master} does not run with {_FLAG} yet"
    elif seen.master is not None and seen.master.rolling:
        yield f"{seen.master} is rolling out ({seen.master.rolling})"
