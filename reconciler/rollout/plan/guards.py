"""The conditions that hold back a step until it disturbs no traffic. Admission asks the same predicates.

Source: OpenShift enhancement "upgrades from 4.13 to 4.14 with OVN interconnect", 'Design Details'.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from ovnguard.reconciler.rollout.plan.model import Observed
from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import (
    Workload,
    first_phase_left,
    second_phase_left,
)

Guard: TypeAlias = Callable[[Observed], bool]


def first_phase_done(seen: Observed) -> bool:
    """Whether every node and every master runs interconnect, and both rollouts are finished."""
    return seen.node is not None and seen.master is not None and not any(first_phase_left(seen))


def interconnect_everywhere(seen: Observed) -> bool:
    """Whether every node and every master has been replaced by one with interconnect, ready or not."""
    return _replaced(seen.node) and _replaced(seen.master)


def _replaced(workload: Workload | None) -> bool:
    if workload is None or not workload.interconnect or not workload.observed:
        return False
    return workload.updated >= workload.desired or workload.hangs


def nodes_rolled_out(seen: Observed) -> bool:
    """Whether the rollout of the nodes is finished."""
    return seen.node is not None and not seen.node.progressing


def nodes_multizone(seen: Observed) -> bool:
    """Whether every node has a zone of its own."""
    return seen.node is not None and seen.node.interconnect and seen.node.multizone and not seen.node.progressing


def masters_needed(seen: Observed) -> bool:
    """Whether the central databases or the only cluster manager still run in ovnkube-master."""
    return any(second_phase_left(seen))


def control_plane_up(seen: Observed) -> bool:
    """Whether the cluster manager of the control plane runs."""
    return seen.control_plane is not None and not seen.control_plane.progressing


def central_rolled_out(seen: Observed) -> bool:
    """Whether the workload that a downgrade replaces first runs: the masters, otherwise the control plane."""
    central = seen.master or seen.control_plane
    return central is not None and not central.progressing


def configuration_gone(seen: Observed) -> bool:
    """Whether no upgrade is recorded in the ConfigMap."""
    return seen.config_map is None


@dataclass(frozen=True, slots=True)
class Guards:
    """All guards. Each has a run that breaks an invariant without it."""

    first_phase_done: Guard = first_phase_done
    interconnect_everywhere: Guard = interconnect_everywhere
    nodes_rolled_out: Guard = nodes_rolled_out
    nodes_multizone: Guard = nodes_multizone
    masters_needed: Guard = masters_needed
    control_plane_up: Guard = control_plane_up
    central_rolled_out: Guard = central_rolled_out
    configuration_gone: Guard = configuration_gone
