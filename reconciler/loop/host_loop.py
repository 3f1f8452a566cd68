"""The node that this process runs on, kept at the host part of its plan; and what BGP brought to its kernel."""

import logging
from collections.abc import Container, Iterable
from typing import Final, Protocol

from reconciler.apply.host.host import HostApplied
from reconciler.apply.retention import kind_of
from reconciler.apply.store_errors import StoreError
from reconciler.loop.desired_state import Desired
from reconciler.plan.host.host_diff import HostOperation
from reconciler.plan.host.host_plan import Abilities, HostPlan
from reconciler.plan.host.host_planner import HostInputs, host_plan
from reconciler.plan.settings import ImportedRoute, Settings
from validators.network.cluster_view import NODE, ClusterView, GroupKind
from validators.network.declared.node import Node, node_of

_log = logging.getLogger(__name__)
# How many things are named one by one.
_FEW: Final = 20


class Machine(Protocol):
    """This machine, a `reconciler.apply.host.host.Host`."""

    @property
    def node(self) -> str:
        """Return the name of the node that it is."""

    def abilities(self) -> Abilities:
        """Return what its kernel can do."""

    def compare(self, desired: HostPlan, doubtful: Container[str] = ()) -> tuple[HostOperation, ...]:
        """Return what differs."""

    def apply(self, desired: HostPlan, doubtful: Container[str] = ()) -> HostApplied:
        """Bring it to the plan."""

    def routes(self) -> tuple[ImportedRoute, ...]:
        """Return what BGP brought to it."""


class OwnHost:
    """Keeps a machine at its plan. With ``read_only`` it says what would change."""

    def __init__(self, machine: Machine, *, read_only: bool = False) -> None:
        self._machine = machine
        self._read_only = read_only
        self._routes: tuple[ImportedRoute, ...] = ()
        self._seen: tuple[Desired, Settings] | None = None
        self._plan = HostPlan(machine.node)
        self._settled = False
        self._unread = ""

    def routes(self) -> tuple[ImportedRoute, ...]:
        """Return what BGP brought to the kernel; what was known before while it cannot be read."""
        try:
            self._routes = self._machine.routes()
            self._unread = ""
        except StoreError as error:
            if str(error) != self._unread:
                _log.warning("host %s: BGP routes cannot be read, those of before stay: %s", self._machine.node, error)
            self._unread = str(error)
        return self._routes

    def keep(self, desired: Desired, view: ClusterView, settings: Settings) -> list[str]:
        """Bring the machine to what ``desired`` wants of it; return what failed and should be tried again."""
        node = self._machine.node
        if all(zone.node != node for zone in desired.plan.zones):
            return []
        unplanned = desired.frozen | desired.plan.waiting.get(node, frozenset())
        doubtful = _Doubt(unplanned, desired.unserved)
        try:
            self._look(desired, view, settings, unplanned)
            if self._read_only:
                return self._only_say(self._machine.compare(self._plan, doubtful))
            done = self._machine.apply(self._plan, doubtful)
        except StoreError as error:
            return [f"host {node}: {error}"]
        self._tell(done)
        self._settled = not done.failures and not done.left
        left = [f"host {node}: still not as planned: {each}" for each in done.left[:_FEW]]
        return [f"host {node}: {text}" for text in done.failures] or left

    def _look(self, desired: Desired, view: ClusterView, settings: Settings, unplanned: frozenset[str]) -> None:
        """A plan is made again when something that it is made of changed."""
        if self._seen is not None and self._seen[0] is desired and self._seen[1] == settings:
            return
        networks = tuple(each.network for each in desired.candidates if each.network is not None)
        inputs = HostInputs(networks, tuple(_nodes(view)), desired.plan.ids, settings, unplanned)
        plan = host_plan(self._machine.node, inputs, self._machine.abilities())
        for note in plan.notes:
            if note not in self._plan.notes:
                _log.info("%s", note)
        self._settled = self._settled and plan == self._plan
        self._seen, self._plan = (desired, settings), plan

    def _only_say(self, operations: tuple[HostOperation, ...]) -> list[str]:
        if operations and not self._settled:
            _log.info("host %s: read only, not done: %d things differ", self._machine.node, len(operations))
            self._name(logging.INFO, operations)
        self._settled = True
        return []

    def _tell(self, done: HostApplied) -> None:
        if not done.operations:
            return
        if self._settled:
            _log.warning("host %s: %d things were changed by hand, repaired", self._machine.node, len(done.operations))
            self._name(logging.WARNING, done.operations)
        else:
            _log.info("host %s: %d things changed", self._machine.node, len(done.operations))
            self._name(logging.DEBUG, done.operations)

    def _name(self, level: int, operations: tuple[HostOperation, ...]) -> None:
        for each in operations[:_FEW]:
            _log.log(level, "host %s: %s", self._machine.node, each)
        if len(operations) > _FEW:
            _log.log(level, "host %s: and %d more", self._machine.node, len(operations) - _FEW)


def _nodes(view: ClusterView) -> Iterable[Node]:
    parsed = (node_of(obj).node for obj in view.objects(NODE) or ())
    return (node for node in parsed if node is not None)


class _Doubt:
    """Networks of which everything stays: by name, or because their kind of object is not served at the moment.

    What belongs to nobody that is known may belong to one of them.
    """

    def __init__(self, networks: frozenset[str], unserved: frozenset[GroupKind]) -> None:
        self._networks, self._unserved = networks, unserved

    def __contains__(self, name: object) -> bool:
        if not name:
            return bool(self._networks or self._unserved)
        return name in self._networks or (isinstance(name, str) and kind_of(name) in self._unserved)
