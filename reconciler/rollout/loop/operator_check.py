"""Looks for a cluster network operator that writes the same objects, before every pass that would write."""

from collections.abc import Mapping
from dataclasses import replace

from ovnguard.reconciler.rollout.loop.rollout_reader import Reading, Source
from ovnguard.reconciler.rollout.loop.rollout_resources import DEPLOYMENTS
from ovnguard.reconciler.rollout.plan.other_writers import (
    new_writes,
    operator_deployment,
    operator_writes,
    running_operator,
)


class OperatorCheck:
    """``control`` is the cluster of the operator, ``hosted`` the namespace of a hosted control plane.

    What the operator wrote before the first pass is the past; its writes since then stay problems of this process.
    """

    def __init__(self, control: Source, hosted: str) -> None:
        self._control, self._hosted = control, hosted
        self._before: Mapping[str, str] | None = None

    def forget(self) -> None:
        """Take what is written at the next pass for the past."""
        self._before = None

    def checked(self, reading: Reading) -> Reading:
        """Return what was read, with problems while the operator writes. Raises ClusterError."""
        deployment = self._control.get(DEPLOYMENTS, *operator_deployment(self._hosted))
        objects = (*reading.workloads.values(), reading.config_map)
        running, written = running_operator(deployment), operator_writes(objects)
        if self._before is None or running is not None:
            self._before = written
        problems = (*([] if running is None else [running]), *new_writes(self._before, written))
        seen = reading.seen
        return replace(reading, seen=replace(seen, not_understood=(*seen.not_understood, *problems)))
