"""Observed states of an interconnect upgrade, as the tests of its decisions name them."""

from typing import Any

from ovnguard.reconciler.rollout.plan.model import Decision, Observed
from ovnguard.validators.network.cluster.release import release_of
from ovnguard.validators.network.ovnkube_settings.interconnect import NAMESPACE
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import Workload

OLD, EARLY, LATE = "4.13.40", "4.14.13", "4.14.14"
SINGLE = {"zone-mode": "singlezone"}
MULTI = {"zone-mode": "multizone"}
FAST = {"zone-mode": "multizone", "fast-forward-to-multizone": ""}
EARLY_SINGLE = {"zone-mode": "singlezone", "temporary": "true", "ongoing-upgrade": ""}
EARLY_MULTI = {"zone-mode": "multizone", "temporary": "false", "ongoing-upgrade": ""}


def _workload(kind: str, name: str, version: str, desired: int, **fields: Any) -> Workload:
    updated = fields.pop("updated", desired)
    unavailable = fields.pop("unavailable", 0)
    state = {"generation": 1, "observed_generation": 1, **fields}
    return Workload(
        kind,
        NAMESPACE,
        name,
        version,
        desired=desired,
        updated=updated,
        available=desired - unavailable,
        unavailable=unavailable,
        **state,
    )


def node(version: str = OLD, desired: int = 6, **fields: Any) -> Workload:
    """DaemonSet ovnkube-node without interconnect, rolled out."""
    return _workload("DaemonSet", "ovnkube-node", version, desired, **fields)


def single(version: str = LATE, desired: int = 6, **fields: Any) -> Workload:
    """DaemonSet ovnkube-node with interconnect in a single zone, rolled out."""
    return node(version, desired, interconnect=True, **fields)


def multi(version: str = LATE, desired: int = 6, **fields: Any) -> Workload:
    """DaemonSet ovnkube-node with one zone per node, rolled out."""
    return node(version, desired, interconnect=True, zone_mode="multizone", **fields)


def master(version: str = OLD, kind: str = "DaemonSet", **fields: Any) -> Workload:
    """ovnkube-master without interconnect, rolled out."""
    return _workload(kind, "ovnkube-master", version, 3, **fields)


def master_ic(version: str = LATE, kind: str = "DaemonSet", **fields: Any) -> Workload:
    """ovnkube-master with interconnect, rolled out."""
    return master(version, kind, interconnect=True, **fields)


def plane(version: str = LATE, **fields: Any) -> Workload:
    """Deployment ovnkube-control-plane, rolled out."""
    state = {"interconnect": True, "zone_mode": "multizone", **fields}
    return _workload("Deployment", "ovnkube-control-plane", version, 2, **state)


def prepuller(version: str = LATE, **fields: Any) -> Workload:
    """DaemonSet ovnkube-upgrades-prepuller, rolled out."""
    return _workload("DaemonSet", "ovnkube-upgrades-prepuller", version, 6, **fields)


def state(release: str = LATE, **fields: Any) -> Observed:
    """A state with a release."""
    return Observed(release_of(release), **fields)


def workload_steps(decision: Decision) -> list[str]:
    """The steps about workloads and the route, without what only accompanies them: ``apply ovnkube-node``."""
    accompanying = ("alert-", "monitor-", "005-", "common")
    own = (step for step in decision.steps if step.action != "release" and not step.file.startswith(accompanying))
    return [f"{step.action} {step.file.removesuffix('.yaml')}" for step in own]
