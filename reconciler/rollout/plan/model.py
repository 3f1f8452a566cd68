"""What the interconnect upgrade observes, and what it decides.

Sources: OpenShift enhancement "upgrades from 4.13 to 4.14 with OVN interconnect"; cluster-network-operator, release
4.14, ``pkg/network/ovn_kubernetes.go`` and ``pkg/controller/statusmanager``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from ovnguard.validators.network.cluster.release import Release
from ovnguard.validators.network.ovnkube_settings.interconnect import NAMESPACE
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import Workload

DONE_ANNOTATION: Final = "interconnect-upgrade"
DONE: Final = "done"


class Flavour(StrEnum):
    """Where masters and control plane run: in the cluster, or in a management cluster (HyperShift)."""

    SELF_HOSTED = "self-hosted"
    MANAGED = "managed"


class Folder(StrEnum):
    """A folder of manifests below the flavour's. LEGACY is the architecture of 4.13, the target of a downgrade."""

    LEGACY = "4.13"
    SINGLE = "single-zone-interconnect"
    TEMPORARY = "multi-zone-interconnect-tmp"
    FINAL = "multi-zone-interconnect"


class Phase(StrEnum):
    """Where the upgrade is; NOT_UNDERSTOOD: no step is taken."""

    INSTALL = "S0"
    FIRST_STARTS = "S1"
    FIRST_NODES = "S2"
    FIRST_MASTERS = "S3"
    SECOND_STARTS = "S4"
    SECOND_NODES = "S5"
    SECOND_CONTROL_PLANE = "S6"
    SECOND_SETTLES = "S7"
    SECOND_ENDS = "S8"
    STEADY = "S9"
    FAST_FORWARD = "FF"
    DOWNGRADE = "downgrade"
    NOT_UNDERSTOOD = "not-understood"


@dataclass(frozen=True, slots=True)
class Problem:
    """An object, with the part of it that is not understood."""

    subject: str
    detail: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.detail}"


@dataclass(frozen=True, slots=True)
class Route:
    """The route to the southbound databases of a hosted cluster. ``rendered``: False where nodes use node ports."""

    exists: bool = False
    host: str = ""
    rendered: bool = True


@dataclass(frozen=True, slots=True)
class IPFamilies:
    """IP family modes (``single-stack``, ``dual-stack``): of the configuration, and of the workloads' annotations."""

    wanted: str
    node: str
    central: str

    @property
    def changes(self) -> bool:
        """Whether a workload still has another mode; one without annotation has never had another."""
        return any(mode not in ("", self.wanted) for mode in (self.node, self.central))


@dataclass(frozen=True, slots=True)
class IPsec:
    """Whether IPsec is on, and whether DaemonSet ovn-ipsec of 4.13 still exists."""

    enabled: bool = False
    legacy: bool = False


@dataclass(frozen=True, slots=True)
class Override:
    """Who skipped a phase, and when, as the mutating webhook recorded it on the ConfigMap."""

    by: str
    at: str


@dataclass(frozen=True, slots=True)
class Observed:
    """Everything that a decision depends on; None for an absent object.

    ``central_namespace`` is the namespace of masters and control plane, in the management cluster of a hosted one.
    ``not_understood``: with any entry, no step is taken.
    """

    release: Release | None
    flavour: Flavour = Flavour.SELF_HOSTED
    central_namespace: str = NAMESPACE
    node: Workload | None = None
    master: Workload | None = None
    control_plane: Workload | None = None
    prepuller: Workload | None = None
    config_map: Mapping[str, str] | None = None
    override: Override | None = None
    route: Route = field(default_factory=Route)
    master_addresses: int = 3
    ip_families: IPFamilies | None = None
    ipsec: IPsec = field(default_factory=IPsec)
    not_understood: tuple[Problem, ...] = ()


class ConfigMapVerb(StrEnum):
    """What to do with the ConfigMap, before any step. A deleted ConfigMap may be gone already."""

    KEEP = "keep"
    CREATE = "create"
    PATCH = "patch"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class ConfigMapAction:
    """The write of the ConfigMap. ``data``: all data to create, or the keys that a patch replaces."""

    verb: ConfigMapVerb = ConfigMapVerb.KEEP
    data: Mapping[str, str] = field(default_factory=dict)


class Action(StrEnum):
    """The kind of a step. CREATE_ONLY leaves an existing object alone; CREATE_WAIT writes nothing, but keeps the object
    from being removed as no longer rendered. RELEASE hands the objects of a folder over to the operator.
    """

    APPLY = "apply"
    CREATE_ONLY = "create-only"
    CREATE_WAIT = "create-wait"
    REMOVE = "remove"
    RELEASE = "release"
    ANNOTATE = "annotate"
    WAIT = "wait"


@dataclass(frozen=True, slots=True)
class Step:
    """One step. ``target`` is a manifest (``self-hosted/single-zone-interconnect/ovnkube-node.yaml``) or a folder
    (``common``); for ANNOTATE and WAIT it is an object (``DaemonSet openshift-ovn-kubernetes/ovnkube-node``).
    """

    action: Action
    target: str
    reason: str = ""
    annotations: tuple[tuple[str, str], ...] = ()

    @property
    def file(self) -> str:
        """The name of the manifest without its folder."""
        return self.target.rpartition("/")[2]

    def __str__(self) -> str:
        text = f"{self.action} {self.target}"
        return f"{text} ({self.reason})" if self.reason else text


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition of ClusterOperator ``network``."""

    type: str
    status: bool
    reason: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Status:
    """What to report. ``level_reached``: the operator may report the version of the release."""

    phase: Phase
    waiting_for: tuple[str, ...] = ()
    level_reached: bool = False
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """One pass: the ConfigMap first, then the steps in order. A WAIT is the last step of a pass, and writes nothing.

    ``folder`` is None when no step is taken.
    """

    config_map: ConfigMapAction
    folder: Folder | None
    steps: tuple[Step, ...]
    status: Status
    warnings: tuple[str, ...] = ()
