"""The manifests of each folder, and what each is for.

Source: OpenShift enhancement "upgrades from 4.13 to 4.14 with OVN interconnect", 'CNO implementation details' and
'Notes for hypershift'. The temporary folder links to the two others, except for its own alerts.
"""

from collections.abc import Mapping
from typing import Final

from reconciler.rollout.plan.model import Flavour, Folder

NODE_FILE: Final = "ovnkube-node.yaml"
MASTER_FILE: Final = "ovnkube-master.yaml"
CONTROL_PLANE_FILE: Final = "ovnkube-control-plane.yaml"
SERVICE_FILE: Final = "005-service.yaml"
ROUTE_FILE: Final = "008-route.yaml"
ALERTS_FILE: Final = "alert-rules-control-plane.yaml"
MASTER_MONITOR_FILE: Final = "monitor-master.yaml"
CONTROL_PLANE_MONITOR_FILE: Final = "monitor-control-plane.yaml"
PREPULLER_PATH: Final = "common/ovnkube-upgrades-prepuller.yaml"
IPSEC_LEGACY_PATH: Final = "common/ovn-ipsec.yaml"
IPSEC_PATHS: Final = ("common/ovn-ipsec-host.yaml", "common/ovn-ipsec-containerized.yaml")

PURPOSES: Final[Mapping[str, str]] = {
    NODE_FILE: "DaemonSet ovnkube-node, on every node",
    MASTER_FILE: "ovnkube-master with the central databases: a DaemonSet, or a StatefulSet of a hosted cluster",
    CONTROL_PLANE_FILE: "Deployment ovnkube-control-plane with the cluster manager",
    SERVICE_FILE: "the Service of the central databases",
    ROUTE_FILE: "the route from hosted nodes to the central southbound database",
    ALERTS_FILE: "alerts about the central workloads of the phase",
    MASTER_MONITOR_FILE: "metrics of ovnkube-master",
    CONTROL_PLANE_MONITOR_FILE: "metrics of ovnkube-control-plane",
}

_CENTRAL: Final = (SERVICE_FILE, ALERTS_FILE, MASTER_MONITOR_FILE, NODE_FILE, MASTER_FILE)
_FINAL: Final = (ALERTS_FILE, CONTROL_PLANE_MONITOR_FILE, NODE_FILE, CONTROL_PLANE_FILE)
_BOTH: Final = (
    ALERTS_FILE,
    CONTROL_PLANE_MONITOR_FILE,
    MASTER_MONITOR_FILE,
    NODE_FILE,
    MASTER_FILE,
    CONTROL_PLANE_FILE,
)
FILES: Final[Mapping[Flavour, Mapping[Folder, tuple[str, ...]]]] = {
    Flavour.SELF_HOSTED: {
        Folder.LEGACY: _CENTRAL,
        Folder.SINGLE: _CENTRAL,
        Folder.TEMPORARY: _BOTH,
        Folder.FINAL: _FINAL,
    },
    Flavour.MANAGED: {
        Folder.LEGACY: (ROUTE_FILE, *_CENTRAL),
        Folder.SINGLE: (ROUTE_FILE, *_CENTRAL),
        Folder.TEMPORARY: (SERVICE_FILE, ROUTE_FILE, *_BOTH),
        Folder.FINAL: _FINAL,
    },
}
"""Every file in the order of its application: what others need first, then nodes, then central workloads."""


def path(flavour: Flavour, folder: Folder, file: str) -> str:
    """Return the path of a manifest."""
    return f"{flavour}/{folder}/{file}"


def link_of(folder: Folder, file: str) -> str | None:
    """Return where a file of the temporary folder links to; None for a file of its own."""
    if folder is not Folder.TEMPORARY or file == ALERTS_FILE:
        return None
    source = Folder.FINAL if file in _FINAL else Folder.SINGLE
    return f"../{source}/{file}"
