"""The loop of the node that this process runs on: its host part of the plan, and the BGP routes in its kernel."""

import logging
from collections.abc import Container
from dataclasses import replace
from typing import Final, Protocol

from ovnguard.reconciler.apply.host.host import HostApplied
from ovnguard.reconciler.apply.retention import DoubtfulNetworks
from ovnguard.reconciler.apply.store_errors import StoreError
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.reconciler.plan.host.host_diff import HostOperation
from ovnguard.reconciler.plan.host.host_plan import Abilities, HostPlan
from ovnguard.reconciler.plan.host.host_planner import host_plan
from ovnguard.reconciler.plan.rows.settings import ImportedRoute
from ovnguard.validators.network.cluster_view import NAD

_log = logging.getLogger(__name__)
# The maximum number of differences that the log names individually.
_FEW: Final = 20


class Machine(Protocol):
    """This machine, a `reconciler.apply.host.host.Host`."""

    @property
    def node(self) -> str:
        """Return the name of its node."""

    def abilities(self) -> Abilities:
        """Return the abilities of its kernel."""

    def compare(self, desired: HostPlan, doubtful: Container[str] = ()) -> tuple[HostOperation, ...]:
        """Return the differences."""

    def apply(self, desired: HostPlan, doubtful: Container[str] = ()) -> HostApplied:
        """Bring it to the plan."""

    def routes(self) -> tuple[ImportedRoute, ...]:
        """Return its BGP routes."""


class HostLoop:
    """Keeps a machine as planned. With ``audit`` it only logs what would change.

    Networks outside of ``only`` keep what they have.
    """

    def __init__(self, machine: Machine, *, audit: bool = False, only: frozenset[str] | None = None) -> None:
        self._machine = machine
        self._audit = audit
        self._only = only
        # Networks of attachments, whose names may be like those of other kinds.
        self._attached: frozenset[str] = frozenset()
        self._routes: tuple[ImportedRoute, ...] = ()
        self._planned: DesiredState | None = None
        self._plan = HostPlan(machine.node)
        self._settled = False
        self._unread = ""

    def routes(self) -> tuple[ImportedRoute, ...]:
        """Return the BGP routes of the kernel; the last known ones while they cannot be read."""
        try:
            self._routes = self._machine.routes()
            self._unread = ""
        except StoreError as error:
            if str(error) != self._unread:
                _log.warning("host %s: cannot read BGP routes, keeping the last ones: %s", self._machine.node, error)
            self._unread = str(error)
        return self._routes

    def keep(self, desired: DesiredState) -> list[str]:
        """Bring the machine to the host part of ``desired``; return the failures, which the next tick retries."""
        node = self._machine.node
        if all(zone.node != node for zone in desired.plan.zones):
            return []
        self._attached |= {each.name for each in desired.candidates if each.kind == NAD}
        doubtful = DoubtfulNetworks(desired.unplanned_on(node), desired.unserved, self._only, self._attached)
        try:
            self._make_plan(desired)
            if self._audit:
                return self._log_differences(self._machine.compare(self._plan, doubtful))
            done = self._machine.apply(self._plan, doubtful)
        except StoreError as error:
            return [f"host {node}: {error}"]
        self._log_changes(done)
        self._settled = not done.failures and not done.left
        left = [f"host {node}: still not as planned: {each}" for each in done.left[:_FEW]]
        return [f"host {node}: {text}" for text in done.failures] or left

    def _make_plan(self, desired: DesiredState) -> None:
        """Plan the host again when the desired state changes."""
        if self._planned is desired:
            return
        inputs = desired.host_inputs(self._machine.node)
        if self._only is not None:
            others = frozenset(each.name for each in inputs.networks) - self._only
            inputs = replace(inputs, doubtful=inputs.doubtful | others)
        plan = host_plan(self._machine.node, inputs, self._machine.abilities())
        for note in plan.notes:
            if note not in self._plan.notes:
                _log.info("%s", note)
        self._settled = self._settled and plan == self._plan
        self._planned, self._plan = desired, plan

    def _log_differences(self, operations: tuple[HostOperation, ...]) -> list[str]:
        if operations and not self._settled:
            _log.info("host %s: audit, not applied: %d items differ", self._machine.node, len(operations))
            self._log_each(logging.INFO, operations)
        self._settled = True
        return []

    def _log_changes(self, done: HostApplied) -> None:
        if not done.operations:
            return
        if self._settled:
            _log.warning("host %s: %d manual changes repaired", self._machine.node, len(done.operations))
            self._log_each(logging.WARNING, done.operations)
        else:
            _log.info("host %s: %d items changed", self._machine.node, len(done.operations))
            self._log_each(logging.DEBUG, done.operations)

    def _log_each(self, level: int, operations: tuple[HostOperation, ...]) -> None:
        for each in operations[:_FEW]:
            _log.log(level, "host %s: %s", self._machine.node, each)
        if len(operations) > _FEW:
            _log.log(level, "host %s: and %d more", self._machine.node, len(operations) - _FEW)
