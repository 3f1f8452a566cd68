"""One node's zone, kept at the plan: one `tick` looks at the cluster and does whatever is to be done."""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Protocol

from reconciler.apply.ovn.converge import Converger
from reconciler.apply.ovn.repairs import Repair
from reconciler.apply.retention import without_deletes_of
from reconciler.apply.store_errors import StoreError
from reconciler.apply.zone_store import ZoneStore
from reconciler.loop.frozen_view import KINDS, FrozenView, fingerprint
from reconciler.loop.host_loop import OwnHost
from reconciler.loop.plan_inputs import Around, Surroundings
from reconciler.loop.propagation import Following, Lag
from reconciler.loop.status_writer import Reporter, uid_of
from reconciler.loop.zone_watches import AROUND_KINDS
from reconciler.plan.candidates import NETWORK_KINDS
from reconciler.plan.desired_state import DesiredState, JudgeInView, desired_state
from reconciler.plan.memo import Memo
from reconciler.plan.rows import Operation, ZonePlan
from reconciler.plan.settings import ImportedRoute, Settings, settings_of
from validators.base.json_types import JsonObject
from validators.network.cluster.cluster_facts import cluster_facts
from validators.network.cluster_view import NODE, OPERATOR_NETWORK, ClusterView
from validators.network.model import DEFAULT_NETWORK

_log = logging.getLogger(__name__)
# How many repaired rows are named one by one.
_FEW: Final = 20


class LiveView(ClusterView, Protocol):
    """A view that fills up while the process runs."""

    def waiting_for(self) -> tuple[str, ...]:
        """Return the resources that are not listed yet."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a zone works with. ``frr`` takes the node's configuration and says whether it was another one.
    ``settings`` hold for what the operator Network does not configure. ``lag`` tells how far the zone has followed;
    ``read_only`` writes nothing, neither to the API server nor rows nor FRR's configuration, and says what would
    change. ``host`` is the node itself, where this process runs on it.
    """

    view: LiveView
    judge: JudgeInView
    store: ZoneStore
    frr: Callable[[str], bool]
    reporter: Reporter
    settings: Settings
    lag: Callable[[], Lag | None] = lambda: None
    read_only: bool = False
    host: OwnHost | None = None


class Zone:
    """Keeps the rows and the FRR configuration of ``node`` at the plan."""

    def __init__(self, node: str, parts: Parts) -> None:
        self._node = node
        self._parts = parts
        self._settings = parts.settings
        self._world = FrozenView(parts.view, (*KINDS, *AROUND_KINDS))
        # Networks are judged by what declares networks and nodes alone: what pods do must not judge them again.
        self._judged = FrozenView(self._world)
        self._around = Around()
        self._surroundings = Surroundings()
        self._routes: tuple[ImportedRoute, ...] = ()
        self._fingerprint = b""
        self._desired: DesiredState | None = None
        self._said: dict[tuple[str, str], str] = {}
        self._memo = Memo()
        self._converger = Converger(parts.store, read_only=parts.read_only)
        self._following = Following()
        self.repairs: tuple[Repair, ...] = ()

    def tick(self) -> tuple[str, ...]:
        """Do whatever is to be done now; return what failed and should be tried again.

        One failure never keeps the other parts from being done.
        """
        waiting = self._parts.view.waiting_for()
        if waiting:
            self._say(logging.INFO, {("waiting", ""): f"waiting for the first list of {', '.join(waiting)}"})
            return ()
        self.repairs = ()
        self._world.take()
        self._judged.take()
        desired = self._look(self._around.look(self._world))
        self._say(logging.WARNING, dict(_texts(desired, self._surroundings, self._node)))
        if self._parts.read_only:
            return (*self._apply(desired), *self._keep_host(desired))
        newest, reporter = dict(_by_uid(self._judged)), self._parts.reporter
        transit = cluster_facts(self._judged).transit_subnets
        failures = (
            *reporter.record(desired, newest, transit),
            *self._apply(desired),
            *self._keep_host(desired),
            *reporter.report(desired, newest, transit),
        )
        reporter.repaired(self.repairs, self._own_node())
        reporter.flush()
        return failures

    def _look(self, around: Surroundings) -> DesiredState:
        """Judging and planning are the expensive part, so they wait for something that matters to change."""
        now = fingerprint(self._judged)
        routes = self._parts.settings.imported_routes if self._parts.host is None else self._parts.host.routes()
        same = now == self._fingerprint and around == self._surroundings and routes == self._routes
        if self._desired is None or not same:
            self._settings = replace(around.added_to(self._configured(self._judged)), imported_routes=routes)
            self._routes = routes
            self._surroundings = around
            self._desired = desired_state(
                self._judged, self._parts.judge, self._settings, self._node, self._memo, around.pods
            )
            self._fingerprint = now
        return self._desired

    def _keep_host(self, desired: DesiredState) -> list[str]:
        return [] if self._parts.host is None else self._parts.host.keep(desired)

    def _own_node(self) -> JsonObject | None:
        nodes = self._judged.objects(NODE) or ()
        return next((obj for obj in nodes if obj["metadata"]["name"] == self._node), None)

    def _configured(self, view: ClusterView) -> Settings:
        """What the operator Network configures now; in doubt what it did before, so that no live row changes."""
        facts = cluster_facts(view)
        known_absent = view.objects(OPERATOR_NETWORK) is not None and not view.objects(OPERATOR_NETWORK)
        return settings_of(facts, self._parts.settings) if facts.operator_known or known_absent else self._settings

    def _apply(self, desired: DesiredState) -> list[str]:
        zone = next((zone for zone in desired.plan.zones if zone.node == self._node), None)
        if zone is None:
            return []
        failures = []
        operations: tuple[Operation, ...] = ()
        changed = False
        try:
            doubtful = desired.unplanned_on(self._node)
            choose = without_deletes_of(doubtful, desired.unserved)
            done = self._converger.run(zone.rows, choose, (doubtful, desired.unserved))
            operations = done.operations
            self._tell_repairs(done.repairs)
        except StoreError as error:
            failures.append(str(error))
        try:
            changed = not (self._parts.read_only or _frr_in_doubt(desired, zone)) and self._parts.frr(zone.frr)
        except StoreError as error:
            failures.append(str(error))
        if operations or changed:
            self._tell(zone, operations, changed=changed)
        for text in self._following.news(self._parts.lag()):
            _log.info("zone %s: %s", zone.node, text)
        return failures

    def _tell_repairs(self, repairs: tuple[Repair, ...]) -> None:
        """``repairs`` of the last tick stay readable as values; in the log each is a warning."""
        self.repairs = repairs
        for repair in repairs[:_FEW]:
            _log.warning("zone %s: %s", self._node, repair)
        if len(repairs) > _FEW:
            _log.warning("zone %s: and %d rows more that were changed by hand", self._node, len(repairs) - _FEW)

    def _tell(self, zone: ZonePlan, operations: Iterable[Operation], *, changed: bool) -> None:
        counts = Counter(operation.op for operation in operations)
        _log.info(
            "zone %s: %s%d inserted, %d updated, %d deleted, %d rows planned, FRR %s",
            zone.node,
            "read only, not done: " if self._parts.read_only else "",
            counts["insert"],
            counts["update"],
            counts["delete"],
            len(zone.rows),
            "changed" if changed else "unchanged",
        )

    def _say(self, level: int, texts: dict[tuple[str, str], str]) -> None:
        """Log what was not said before. What is no longer true may be said again when it comes back."""
        for key, text in texts.items():
            if self._said.get(key) != text:
                _log.log(logging.INFO if key[0] == "note" else level, "%s", text)
        self._said = texts


def _frr_in_doubt(desired: DesiredState, zone: ZonePlan) -> bool:
    """Whether the default network's routes must stay as they are, as rows in doubt do."""
    return DEFAULT_NETWORK in desired.frozen or (not zone.frr and OPERATOR_NETWORK in desired.unserved)


def _by_uid(view: ClusterView) -> Iterator[tuple[str, JsonObject]]:
    """The objects as they are known now, for their resourceVersion and status."""
    return ((uid_of(obj), obj) for kind in NETWORK_KINDS for obj in view.objects(kind) or ())


def _texts(desired: DesiredState, around: Surroundings, node: str) -> Iterable[tuple[tuple[str, str], str]]:
    """What is to be said, by what it is about."""
    for candidate in desired.candidates:
        if candidate.refusal:
            first, more = candidate.refusal[0], len(candidate.refusal) - 1
            text = f"{candidate.title} is refused and not planned: {first.field}: {first.body}"
            yield ("refused", candidate.title), f"{text} (and {more} more)" if more else text
    for error in (*around.errors, *desired.errors):
        yield ("error", str(error)), str(error)
    for note in (*around.notes, *desired.plan.notes):
        yield ("note", str(note)), str(note)
    about = {remark.node for remark in (*desired.plan.notes, *desired.plan.errors)}
    if node not in about and all(zone.node != node for zone in desired.plan.zones):
        yield ("note", node), f"node {node}: the cluster has no such node yet; its zone stays as it is"
