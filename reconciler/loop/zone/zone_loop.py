"""The loop of one node's zone: each `tick` compares the cluster with the zone and brings the zone to the plan."""

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Final

from ovnguard.reconciler.apply.deletion_brake import HeldDeletions
from ovnguard.reconciler.apply.foreign_rows import ForeignRowsError
from ovnguard.reconciler.apply.kube_report import ReportPublisher
from ovnguard.reconciler.apply.ovn.quarantine import Refusal
from ovnguard.reconciler.apply.ovn.repairs import Repair
from ovnguard.reconciler.apply.zone_store import ZoneStore
from ovnguard.reconciler.loop.activity.zone_activity import ZoneActivity
from ovnguard.reconciler.loop.inputs.live_view import LiveView
from ovnguard.reconciler.loop.inputs.plan_inputs import INPUT_KINDS, PlanInputReader, PlanInputs
from ovnguard.reconciler.loop.inputs.verdicts import ContentView, Verdicts
from ovnguard.reconciler.loop.layer2.layer2_switch import Layer2Switch, layer2_networks
from ovnguard.reconciler.loop.pods.pod_addresser import PodAddresser
from ovnguard.reconciler.loop.process.backoff import earliest
from ovnguard.reconciler.loop.process.frozen_view import KINDS, Fingerprint, FrozenView
from ovnguard.reconciler.loop.process.silence import LOSABLE, Silence
from ovnguard.reconciler.loop.status.status_writer import StatusWriter, uid_of
from ovnguard.reconciler.loop.status.zone_reporter import ZoneReporter
from ovnguard.reconciler.loop.status.zone_state import NO_BGP, BgpStatus, PassResult, WriteOptions, Written
from ovnguard.reconciler.loop.status.zone_texts import log_texts
from ovnguard.reconciler.loop.zone.bgp_loop import BgpLoop
from ovnguard.reconciler.loop.zone.deletion_permit import deletions_allowed
from ovnguard.reconciler.loop.zone.host_loop import HostLoop
from ovnguard.reconciler.loop.zone.propagation import Lag, PropagationReport
from ovnguard.reconciler.loop.zone.unprepared_node import unprepared_node
from ovnguard.reconciler.loop.zone.zone_auditor import ZoneAuditor
from ovnguard.reconciler.loop.zone.zone_policies import ZonePolicies
from ovnguard.reconciler.loop.zone.zone_writer import ZoneWriter
from ovnguard.reconciler.plan.desired_state import DesiredState, JudgeInView, plan_cluster
from ovnguard.reconciler.plan.inputs.candidates import NETWORK_KINDS
from ovnguard.reconciler.plan.numbers.memo import Memo
from ovnguard.reconciler.plan.rows.row import ZonePlan
from ovnguard.reconciler.plan.rows.row_groups import groups_of
from ovnguard.reconciler.plan.rows.settings import ImportedRoute, Settings, settings_of
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.cluster_facts import cluster_facts
from ovnguard.validators.network.cluster_view import NODE, OPERATOR_NETWORK, POD, SECRET, ClusterView, GroupKind

_log = logging.getLogger(__name__)
# The maximum number of repaired rows that the log names individually.
_FEW: Final = 20


@dataclass(frozen=True, slots=True)
class ZoneLoopParts:
    """The dependencies of a zone loop.

    ``frr`` writes the node's configuration and returns whether it changed. ``settings`` apply where the operator
    Network configures nothing. ``lag`` returns how far northd and the chassis have followed. ``host`` is the loop of
    the node itself, if this process runs on it. An ``auditor`` looks at the zone instead of bringing it to the plan.
    Only with ``records`` it writes on networks: what the leader of the cluster writes otherwise. ``publisher`` writes
    the report of the zone. ``activity`` follows what the node uses, if this process allocates dynamically. ``layer2``
    changes the node's Layer2 topology, if this process may. ``bgp`` looks at the sessions and routes of the node's FRR,
    if it runs here. ``addresser`` gives the node's pods their addresses in networks with subnets of the node.
    ``overrides`` are options of ovnkube that count before those of the cluster. ``lacking`` returns what the networks
    of a node wait for that other programs provide, by network.
    """

    view: LiveView
    judge: JudgeInView
    store: ZoneStore
    frr: Callable[[str], bool]
    reporter: StatusWriter
    settings: Settings
    lag: Callable[[], Lag | None] = lambda: None
    options: WriteOptions = field(default_factory=WriteOptions)
    host: HostLoop | None = None
    auditor: ZoneAuditor | None = None
    records: bool = True
    publisher: ReportPublisher | None = None
    activity: ZoneActivity | None = None
    layer2: Layer2Switch | None = None
    bgp: BgpLoop | None = None
    addresser: PodAddresser | None = None
    overrides: Mapping[str, str] = field(default_factory=dict)
    lacking: Callable[[DesiredState, str], Mapping[str, str]] = unprepared_node
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)


class ZoneLoop:
    """Keeps the rows and the FRR configuration of ``node`` as planned."""

    def __init__(self, node: str, parts: ZoneLoopParts) -> None:
        self._node, self._parts, self._settings = node, parts, parts.settings
        self._view = FrozenView(parts.view, (*KINDS, *INPUT_KINDS, SECRET))
        # Conditions of networks decide nothing, and changes of pods cause no judgement.
        self._content = ContentView(self._view, NETWORK_KINDS)
        self._judged = FrozenView(self._content)
        dynamic = parts.activity is not None if parts.auditor is None else parts.settings.dynamic
        self._reader = PlanInputReader(parts.overrides, dynamic, managed=parts.auditor is not None)
        self._routes: tuple[ImportedRoute, ...] = ()
        self._fingerprints, self._fingerprint, self._inputs = Fingerprint(), object(), PlanInputs()
        self._verdicts = Verdicts(self._judged, parts.judge, recorded=not parts.options.audit)
        self._desired: DesiredState | None = None
        self._logged: dict[tuple[str, str], str] = {}
        self._memo, self._writer = Memo(), ZoneWriter(parts.store, parts.frr, parts.options)
        self._policies = ZonePolicies(parts.view, self._writer, parts.options)
        self._silence, self._following = Silence(self._view, parts.view), PropagationReport()
        self._report = None if parts.publisher is None else ZoneReporter(parts.publisher, node, parts.options.mode)
        self.repairs: tuple[Repair, ...] = ()
        self.refusals: tuple[Refusal, ...] = ()
        self.held_deletions: HeldDeletions | None = None

    def tick(self) -> tuple[str, ...]:
        """Bring the zone to the plan once; return the failures, which stop no other part and are retried."""
        waiting = self._parts.view.waiting_for()
        if waiting:
            self._log_new(logging.INFO, {("waiting", ""): f"waiting for the first list of {', '.join(waiting)}"})
            return ()
        self.repairs = ()
        self._view.take()
        self._judged.take()
        allowed = deletions_allowed(self._own_node(), self._parts.clock())
        if not allowed:
            self._view.forget(LOSABLE & self._parts.view.emptied())
        desired = self._desired_state(self._read())
        silent = frozenset() if allowed else self._silence.kinds()
        records, reports = self._writes(desired)
        # A writer that must not join this zone must not record for it either.
        joined = self._writer.joined
        failures = list(records()) if joined else []
        try:
            done = self._audit(desired) if self._parts.auditor else self._apply(desired, silent, allowed=allowed)
        except ForeignRowsError as error:
            # This process ends; its report stays.
            self._publish(desired, Written(), [str(error)], None)
            raise
        if not joined and self._writer.joined:
            failures += records()
        failures += [*done.failures, *self._keep_host(desired, silent, done.held_deletions), *reports()]
        failures += self._switch(desired, done)
        done = replace(done, waiting=self._address_pods(desired))
        bgp = NO_BGP if self._parts.bgp is None else self._parts.bgp.look(desired)
        texts = log_texts(desired, self._inputs, self._node, done, self._parts.options, bgp)
        self._log_new(logging.WARNING, dict(texts))
        if not self._parts.options.audit:
            self._parts.reporter.report_written(done, self.repairs, self._own_node())
        self._parts.reporter.failed((*done.failures, *bgp.failures), self._own_node())
        self.held_deletions = done.held_deletions
        self._parts.reporter.flush()
        self._publish(desired, done, failures, None if self._parts.bgp is None else bgp)
        return tuple(failures)

    def due(self) -> float | None:
        """Return the seconds after which a tick is due without an event, None for no such time."""
        parts = self._parts
        timed = (parts.activity, parts.bgp, parts.addresser, parts.layer2, parts.reporter, self._report)
        return earliest(*(each.due() for each in timed if each is not None))

    def _replaced(self) -> frozenset[str]:
        """The networks whose topology is being replaced."""
        switching = self._parts.layer2 is not None and self._parts.layer2.replacing
        return layer2_networks(self._judged) if switching else frozenset()

    def _read(self) -> PlanInputs:
        inputs = self._reader.read(self._content)
        if self._replaced():
            # pods follow as soon as the topology is replaced
            pods = {network: pods for network, pods in inputs.pods.items() if network not in self._replaced()}
            inputs = replace(inputs, pods=pods)
        if self._parts.activity is None:
            return inputs
        rendered = self._parts.activity.rendered(inputs.active)
        return replace(inputs, active=rendered.active, kept=rendered.kept)

    def _switch(self, desired: DesiredState, done: Written) -> tuple[str, ...]:
        """Change the Layer2 topology of the node when it is due; return why the zone is not ready, if so."""
        switch = self._parts.layer2
        written = self._writer.joined and not done.failures and done.held_deletions is None
        return switch.step(self._own_node(), self._view, desired) if switch is not None and written else ()

    def _address_pods(self, desired: DesiredState) -> Mapping[str, str]:
        """Give the node's pods the addresses that they lack; return what waits, by network."""
        addresser, joined = self._parts.addresser, self._writer.joined
        if addresser is None:
            return {}
        own = [o for o in self._view.objects(POD) or () if joined and o["spec"].get("nodeName") == self._node]
        return addresser.keep(self._view, own, self._inputs.pods, desired, self._parts.lacking(desired, self._node))

    def _publish(self, desired: DesiredState, done: Written, failures: Sequence[str], bgp: BgpStatus | None) -> None:
        owner = self._own_node()
        if self._report is not None and owner is not None:
            drift = {} if self._parts.auditor is None else self._parts.auditor.drift
            self._report.publish(owner, desired, PassResult(done, failures, drift, bgp))

    def _writes(self, desired: DesiredState) -> tuple[Callable[[], list[str]], Callable[[], list[str]]]:
        """The writes on networks before and after the zone's; none where the leader makes them."""
        if self._parts.options.audit or not self._parts.records:
            return list, list
        options, reporter = self._parts.options, self._parts.reporter
        others = {uid_of(each.object) for each in desired.candidates if not options.permits(each.name)}
        objects = (obj for kind in NETWORK_KINDS for obj in self._view.objects(kind) or ())
        newest = {uid_of(obj): obj for obj in objects if uid_of(obj) not in others}
        transit = cluster_facts(self._judged).transit_subnets
        return partial(reporter.record, desired, newest, transit), partial(reporter.report, desired, newest, transit)

    def _desired_state(self, inputs: PlanInputs) -> DesiredState:
        """Judging and planning are expensive, so each runs only after a change of what it reads."""
        now = self._fingerprints.of(self._judged), self._policies.look()
        routes = self._parts.settings.imported_routes if self._parts.host is None else self._parts.host.routes()
        same = now == self._fingerprint and inputs == self._inputs and routes == self._routes
        if self._desired is None or not same:
            self._settings = replace(inputs.added_to(self._configured(self._judged)), imported_routes=routes)
            self._routes, self._inputs = routes, inputs
            known = self._policies.applied_to(self._verdicts.now())
            desired = plan_cluster(known, self._settings, self._node, self._memo, inputs.pods)
            self._desired = desired.with_used(inputs.detached).with_kept(inputs.kept)
            self._fingerprint = now
        return self._desired

    def _keep_host(
        self, desired: DesiredState, silent: frozenset[GroupKind], held_deletions: HeldDeletions | None
    ) -> list[str]:
        """Keep the machine; what waits in the database waits there, too."""
        if self._parts.host is None or not self._writer.joined:
            return []
        if held_deletions is not None:
            desired = replace(desired, frozen=desired.frozen.union(held_deletions.networks))
        return self._parts.host.keep(replace(desired, unserved=desired.unserved | silent) if silent else desired)

    def _own_node(self) -> JsonObject | None:
        return next((obj for obj in self._judged.objects(NODE) or () if obj["metadata"]["name"] == self._node), None)

    def _configured(self, view: ClusterView) -> Settings:
        """The settings of the operator Network; the last ones while it is unknown, so that no live row changes."""
        facts = cluster_facts(view)
        known = facts.operator_known or view.objects(OPERATOR_NETWORK) in ((), [])
        return settings_of(facts, self._parts.settings) if known else self._settings

    def _audit(self, desired: DesiredState) -> Written:
        assert self._parts.auditor is not None
        failures = self._parts.auditor.look(desired)
        self._parts.reporter.drifted(self._parts.auditor.drift, self._own_node())
        return Written(failures=failures)

    def _apply(self, desired: DesiredState, silent: frozenset[GroupKind], *, allowed: bool) -> Written:
        zone = next((zone for zone in desired.plan.zones if zone.node == self._node), None)
        if zone is None:
            return Written()
        done = self._writer.write(desired, zone, silent, allowed=allowed, replaced=self._replaced())
        if self._parts.activity is not None and not done.failures and done.held_deletions is None:
            refused = {each.network for each in done.refusals}
            self._parts.activity.written(frozenset(groups_of(zone.rows).keys() - refused))
        self._log_repairs(done.repairs, len(zone.rows))
        self._log_refusals(done.refusals)
        if done.operations or done.frr_changed:
            self._log_changes(zone, done)
        for text in self._following.news(self._parts.lag()):
            _log.info("zone %s: %s", zone.node, text)
        return done

    def _log_repairs(self, repairs: tuple[Repair, ...], planned: int) -> None:
        """Log a warning per repair; the repairs of the last tick also stay readable as values."""
        self.repairs = repairs
        if len(repairs) == planned > 0:
            _log.warning("zone %s: the database was emptied; all %d rows are written again", self._node, planned)
            return
        for repair in repairs[:_FEW]:
            _log.warning("zone %s: %s", self._node, repair)
        if len(repairs) > _FEW:
            _log.warning("zone %s: and %d more rows that were changed by hand", self._node, len(repairs) - _FEW)

    def _log_refusals(self, refusals: tuple[Refusal, ...]) -> None:
        """Log new errors of the database; the refused networks of the last tick also stay readable as values."""
        known = {(each.network, each.text) for each in self.refusals}
        self.refusals = refusals
        for each in refusals:
            if (each.network, each.text) not in known:
                _log.warning("zone %s: %s; the other networks are written", self._node, each)

    def _log_changes(self, zone: ZonePlan, done: Written) -> None:
        counts = Counter(operation.op for operation in done.operations)
        _log.info(
            "zone %s: %s%d inserted, %d updated, %d deleted, %d rows planned, FRR %s",
            zone.node,
            "audit, not applied: " if self._parts.options.audit else "",
            counts["insert"],
            counts["update"],
            counts["delete"],
            len(zone.rows),
            "changed" if done.frr_changed else "unchanged",
        )

    def _log_new(self, level: int, texts: dict[tuple[str, str], str]) -> None:
        """Log texts that were not logged before; a text that disappears and returns is logged again."""
        for key, text in texts.items():
            if self._logged.get(key) != text:
                _log.log(logging.INFO if key[0] == "note" else level, "%s", text)
        self._logged = texts
