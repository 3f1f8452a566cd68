"""The manifests of each phase in the operator's order, and what each is for.

Source: OpenShift enhancement "upgrades from 4.13 to 4.14 with OVN interconnect", 'CNO implementation details' and
'Notes for hypershift'; cluster-network-operator, release 4.14, ``renderOVNKubernetes``. The temporary folder links to
the two others, except for its own alerts.
"""

from collections.abc import Mapping
from typing import Final

from ovnguard.reconciler.rollout.plan.model import Flavour, Folder

NODE_FILE: Final = "ovnkube-node.yaml"
MASTER_FILE: Final = "ovnkube-master.yaml"
CONTROL_PLANE_FILE: Final = "ovnkube-control-plane.yaml"
SERVICE_FILE: Final = "005-service.yaml"
ROUTE_FILE: Final = "008-route.yaml"
ALERTS_FILE: Final = "alert-rules-control-plane.yaml"
MASTER_MONITOR_FILE: Final = "monitor-master.yaml"
CONTROL_PLANE_MONITOR_FILE: Final = "monitor-control-plane.yaml"
COMMON: Final = "common"
OLD_COMMON: Final = "4.13/common"
"""What the common folder of 4.13 has, and that of 4.14 has not."""
PREPULLER_PATH: Final = "common/pre-puller.yaml"
IPSEC_LEGACY_PATH: Final = "common/ipsec.yaml"
IPSEC_PATHS: Final = ("common/ipsec-host.yaml", "common/ipsec-containerized.yaml")
STEPPED: Final = (PREPULLER_PATH, IPSEC_LEGACY_PATH, *IPSEC_PATHS)
"""The files of the common folder that have steps of their own."""

PURPOSES: Final[Mapping[str, str]] = {
    COMMON: "namespaces, definitions, rights, settings and alerts of all phases",
    NODE_FILE: "DaemonSet ovnkube-node, on every node",
    MASTER_FILE: "ovnkube-master with the central databases: a DaemonSet, or a StatefulSet of a hosted cluster",
    CONTROL_PLANE_FILE: "Deployment ovnkube-control-plane with the cluster manager",
    SERVICE_FILE: "the Service of the central databases",
    ROUTE_FILE: "the route from hosted nodes to the central southbound database",
    ALERTS_FILE: "alerts about the central workloads of the phase",
    MASTER_MONITOR_FILE: "metrics of ovnkube-master",
    CONTROL_PLANE_MONITOR_FILE: "metrics of ovnkube-control-plane",
}

_CENTRAL: Final = (SERVICE_FILE, ALERTS_FILE, MASTER_MONITOR_FILE, MASTER_FILE, NODE_FILE)
_CENTRAL_HOSTED: Final = (SERVICE_FILE, ROUTE_FILE, ALERTS_FILE, MASTER_MONITOR_FILE, MASTER_FILE, NODE_FILE)
_FINAL: Final = (ALERTS_FILE, CONTROL_PLANE_MONITOR_FILE, CONTROL_PLANE_FILE, NODE_FILE)
_BOTH: Final = (
    ALERTS_FILE,
    CONTROL_PLANE_MONITOR_FILE,
    MASTER_MONITOR_FILE,
    CONTROL_PLANE_FILE,
    MASTER_FILE,
    NODE_FILE,
)
FILES: Final[Mapping[Flavour, Mapping[Folder, tuple[str, ...]]]] = {
    Flavour.SELF_HOSTED: {
        Folder.LEGACY: _CENTRAL,
        Folder.SINGLE: _CENTRAL,
        Folder.TEMPORARY: _BOTH,
        Folder.FINAL: _FINAL,
    },
    Flavour.MANAGED: {
        Folder.LEGACY: _CENTRAL_HOSTED,
        Folder.SINGLE: _CENTRAL_HOSTED,
        Folder.TEMPORARY: (SERVICE_FILE, ROUTE_FILE, *_BOTH),
        Folder.FINAL: _FINAL,
    },
}
"""The files that each phase has to have, in the order of their names, which is that of their application."""


def folders_of(flavour: Flavour, folder: Folder) -> tuple[str, ...]:
    """Return the folders of a phase in the order of their application; 4.13 has no phases."""
    if folder is Folder.LEGACY:
        return COMMON, str(flavour)
    return COMMON, f"{flavour}/{COMMON}", f"{flavour}/{folder}"


def path(flavour: Flavour, folder: Folder, file: str) -> str:
    """Return the path of a manifest."""
    return f"{folders_of(flavour, folder)[-1]}/{file}"


def folder_of(target: str) -> Folder:
    """Return the phase that a manifest belongs to, LEGACY for one of 4.13."""
    return next((each for each in Folder if each is not Folder.LEGACY and f"/{each}/" in target), Folder.LEGACY)


def link_of(folder: Folder, file: str) -> str | None:
    """Return where a file of the temporary folder links to; None for a file of its own."""
    if folder is not Folder.TEMPORARY or file == ALERTS_FILE:
        return None
    source = Folder.FINAL if file in _FINAL else Folder.SINGLE
    return f"../{source}/{file}"
