"""The leader of the cluster: it records allocations of networks and nodes for all zones, and writes conditions.

In an audit it writes no object, and Events report what conditions would.

Every write names the version that it is based on, so a former leader's late write fails.
The leader remembers only its own last writes, until the watch shows them.
"""

import logging
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from ovnguard.reconciler.apply.kube import Recorder
from ovnguard.reconciler.loop.activity.activity_status import ActivityStatus
from ovnguard.reconciler.loop.activity.leader_activity import LeaderActivity
from ovnguard.reconciler.loop.inputs.live_view import LiveView
from ovnguard.reconciler.loop.inputs.takeover import Takeover
from ovnguard.reconciler.loop.inputs.verdicts import Verdicts
from ovnguard.reconciler.loop.layer2.layer2_progress import counts_of, ending
from ovnguard.reconciler.loop.leader.leader_metrics import LeaderMetrics
from ovnguard.reconciler.loop.leader.node_allocation import NodeAllocation, allocate_nodes
from ovnguard.reconciler.loop.leader.node_writer import NodeWriter
from ovnguard.reconciler.loop.leader.owned_networks import OwnedNetworks
from ovnguard.reconciler.loop.leader.publisher import Publisher
from ovnguard.reconciler.loop.leader.resting_ids import RestingIds
from ovnguard.reconciler.loop.leader.zone_watch import ZoneWatch
from ovnguard.reconciler.loop.process.backoff import earliest
from ovnguard.reconciler.loop.process.frozen_view import KINDS, Fingerprint, FrozenView
from ovnguard.reconciler.loop.process.lease import Memory
from ovnguard.reconciler.loop.status.network_status import StatusReason
from ovnguard.reconciler.loop.status.status_writer import StatusWriter, uid_of
from ovnguard.reconciler.plan.desired_state import DesiredState, JudgeInView, plan_cluster
from ovnguard.reconciler.plan.inputs.candidates import NETWORK_KINDS
from ovnguard.reconciler.plan.inputs.seniority import by_age
from ovnguard.reconciler.plan.inputs.unenforced import NOTHING_UNENFORCED, Unenforced
from ovnguard.reconciler.plan.numbers.memo import Memo
from ovnguard.reconciler.plan.numbers.node_memo import NodeMemo
from ovnguard.reconciler.plan.rows.model import ActiveNodes, Remark
from ovnguard.reconciler.plan.rows.settings import Settings, settings_of
from ovnguard.reconciler.plan.topology.layer2_upgrade import legacy_nodes
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.cluster_facts import cluster_facts
from ovnguard.validators.network.cluster_view import CONFIG_MAP, NODE
from ovnguard.validators.network.list_text import shortlist

IDS_EXHAUSTED: Final = "NodeIDsExhausted"
GIVE_ID: Final = "GiveNodeID"
_State: TypeAlias = tuple[bytes, tuple[ActiveNodes, ...] | None, Unenforced]
"""What a tick depends on."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DynamicAllocation:
    """What follows the nodes of networks, and what reports them.

    Without ``activity``, all nodes render all networks, and ``status`` removes what an earlier leader reported.
    """

    activity: LeaderActivity | None
    status: ActivityStatus

    def look(self) -> tuple[ActiveNodes, ...] | None:
        """Return the nodes of each network that is not rendered on all, None while that is unknown."""
        return () if self.activity is None else self.activity.look()

    def due(self) -> float | None:
        """Return the seconds until a report is due or the nodes change with time, None for never."""
        return earliest(None if self.activity is None else self.activity.due(), self.status.due())

    def forget(self) -> None:
        """Begin again, as a new leader does."""
        if self.activity is not None:
            self.activity.forget()
        self.status.forget()


@dataclass(frozen=True, slots=True)
class LeaderParts:
    """The dependencies of a leader; ``leading`` returns whether it may write now, ``nodes`` is whether on Nodes too.

    In an audit there is no ``recorder``; without ``dynamic``, all nodes render all networks. Without
    ``layer2_legacy``, no zone supports the Layer2 topology before transit routers. ``fabric`` publishes the objects of
    BGP fabrics, where this process does. ``unenforced``: networks with policies that nobody enforces are owned, too.
    """

    view: LiveView
    judge: JudgeInView
    recorder: Recorder | None
    reporter: StatusWriter
    leading: Callable[[], bool]
    nodes: bool = True
    memory: Memory | None = None
    dynamic: DynamicAllocation | None = None
    layer2_legacy: bool = True
    metrics: LeaderMetrics = field(default_factory=LeaderMetrics)
    monotonic: Callable[[], float] = time.monotonic
    publishers: Sequence[Publisher] = ()
    unenforced: bool = False


class Leader:
    """Records network ids, tunnel keys, transit subnets, node ids and host subnets while it leads."""

    def __init__(self, parts: LeaderParts) -> None:
        self._parts = parts
        self._view = FrozenView(parts.view, KINDS)
        self._verdicts = Verdicts(self._view, parts.judge)
        self._memo, self._read = Memo(), NodeMemo()
        self._fingerprint = Fingerprint()
        # The nodes of networks that are not rendered on all; None while they are unknown.
        self._active: tuple[ActiveNodes, ...] | None = ()
        self._desired: tuple[_State, DesiredState] | None = None
        # A finished state: nothing is pending until it changes.
        self._done: _State | None = None
        self._writer = (
            NodeWriter(parts.recorder, parts.reporter, parts.leading, parts.monotonic)
            if parts.recorder is not None and parts.nodes
            else None
        )
        self._announced: dict[str, StatusReason] = {}
        self._logged: frozenset[str] = frozenset()
        self._resting = RestingIds(parts.monotonic)
        # Whether a node waits until an id has rested, or what was just recorded may already be undone.
        self._unsettled = False
        self._zones = ZoneWatch(parts.reporter, audit=parts.recorder is None, monotonic=parts.monotonic)
        self._owned = OwnedNetworks(self._zones)
        self._takeover = Takeover(parts.view, self._owned_among, permitted=parts.unenforced)
        self._unenforced = NOTHING_UNENFORCED
        self._legacy = False
        self._needed_by: tuple[str, ...] = ()

    def tick(self) -> tuple[str, ...]:
        """Record missing values; return the failures, which the next tick retries."""
        if not self._parts.leading():
            self._done, self._announced, self._desired = None, {}, None
            self._parts.metrics.stand_by()
            if self._parts.dynamic is not None:
                self._parts.dynamic.forget()
            return ()
        if self._parts.view.waiting_for():
            return ()
        self._view.take()
        self._active = () if self._parts.dynamic is None else self._parts.dynamic.look()
        if self._parts.recorder is not None:
            self._unenforced = self._takeover.look()
        failures: tuple[str, ...] = ()
        state = (self._fingerprint.of(self._view), self._active, self._unenforced)
        if state != self._done or self._unsettled:
            failures = tuple(self._record_missing(state))
            self._done = None if failures else state
        elif self._writer is not None:
            # how long ids still rest changes all the time
            self._resting_ids(self._nodes())
        failures += tuple(self._end_legacy())
        # Conditions are written one at a time, and their own change does not change the fingerprint.
        failures += tuple(self._report_conditions())
        self._publish()
        self._parts.reporter.flush()
        return failures

    def due(self) -> float | None:
        """Return the seconds after which a tick is due without an event, None for no such time."""
        dynamic = self._parts.dynamic
        parts = (
            self._parts.reporter,
            self._zones,
            *(() if self._writer is None else (self._writer,)),
            *(() if dynamic is None else (dynamic,)),
            *self._parts.publishers,
        )
        return earliest(*(each.due() for each in parts))

    def _publish(self) -> None:
        """Publish what follows from the networks while leading."""
        desired, active = self._desired, self._active
        for each in self._parts.publishers:
            if desired is not None and active is not None and self._parts.leading():
                each.publish(desired[1], active)

    def _record_missing(self, state: _State) -> Iterator[str]:
        if self._desired is None or self._desired[0] != state:
            self._desired = (state, self._planned())
            nodes = self._desired[1].nodes
            self._parts.metrics.layer2_nodes(counts_of(nodes))
            self._legacy = bool(legacy_nodes(nodes))
        judged = self._desired[1].judged
        # a state that comes back before the next look is not finished
        self._unsettled = bool(judged.records)
        transit, leading = cluster_facts(self._view).transit_subnets, self._parts.leading
        yield from self._parts.reporter.record(judged, self._newest(), transit, leading)
        if self._writer is None or self._active is None:
            return
        objects = self._nodes()
        resting = self._resting_ids(objects)
        active = {each.network: each for each in self._active}
        legacy = self._parts.layer2_legacy
        parsed = self._read.read(objects)
        found = allocate_nodes(objects, parsed, judged.ready, resting, active, self._declared(), layer2_legacy=legacy)
        self._unsettled |= bool(found.patches) or bool(resting and found.shortages)
        self._log_new(found)
        yield from self._writer.write(objects, found.patches)
        self._report(objects, found.shortages)

    def _declared(self) -> Collection[str] | None:
        """The names of all networks, None while one may exist that is not seen or cannot be read."""
        assert self._desired is not None
        names = {candidate.name for candidate in self._desired[1].candidates}
        unseen = self._desired[1].unserved or self._parts.view.emptied() & {*NETWORK_KINDS}
        return None if unseen or "" in names else names

    def _end_legacy(self) -> Iterator[str]:
        """Remove the annotations of the earlier Layer2 topology once no zone needs them."""
        if self._writer is None or self._parts.layer2_legacy:
            return
        objects = self._nodes()
        found = ending(objects, self._parts.view.objects(CONFIG_MAP) or ())
        if found.needed_by and found.needed_by != self._needed_by:
            _log.info("the annotation of Layer2 topologies stays: %s still need it", shortlist(found.needed_by))
        self._needed_by = found.needed_by
        yield from self._writer.write(objects, {index: (patch,) for index, patch in found.patches.items()})

    def _resting_ids(self, nodes: Sequence[JsonObject]) -> frozenset[int]:
        """Ids of nodes that are gone, for a while."""
        memory = self._parts.memory
        if memory is not None:
            self._resting.recall(memory.recall())
        parsed = (each.node for each in self._read.read(nodes))
        held = {node.name: node.node_id for node in parsed if node is not None and node.node_id is not None}
        found = self._resting.seen(held)
        if memory is not None:
            memory.remember(self._resting.text)
        return found

    def _planned(self) -> DesiredState:
        """The state of all networks, without the rows of any zone: zones report what they cannot plan."""
        base = Settings(layer2_legacy=self._parts.layer2_legacy, active=self._active or ())
        known = self._verdicts.now()
        known = replace(known, networks=known.networks.without_refused(self._unenforced))
        return plan_cluster(known, settings_of(cluster_facts(self._view), base), "", self._memo)

    def _owned_among(self, names: Collection[str]) -> Collection[str]:
        self._look_at_zones()
        return self._owned.among(names, self._verdicts.now().networks.candidates, self._newest())

    def _report_conditions(self) -> list[str]:
        """Write the conditions of the networks while leading."""
        if self._desired is None or not self._parts.leading():
            return []
        transit = cluster_facts(self._view).transit_subnets
        desired, newest, dynamic = self._desired[1], self._newest(), self._parts.dynamic
        self._look_at_zones()
        failures = self._parts.reporter.report(desired, newest, transit, self._owned.standing, self._legacy)
        self._parts.metrics.networks(self._parts.reporter.states)
        self._parts.metrics.zones(self._zones.states())
        if dynamic is not None and self._active is not None:
            failures += dynamic.status.report(self._active, desired.candidates, newest, self._parts.leading)
        return failures

    def _look_at_zones(self) -> None:
        nodes = {str(obj["metadata"]["name"]): obj for obj in self._view.objects(NODE) or ()}
        users = None if self._active is None else {each.network: each.nodes for each in self._active}
        refusals = {} if self._writer is None else self._writer.refusals(nodes.values())
        self._zones.look(self._parts.view.objects(CONFIG_MAP) or (), nodes, users, refusals)

    def _newest(self) -> dict[str, JsonObject]:
        return {uid_of(obj): obj for kind in NETWORK_KINDS for obj in self._view.objects(kind) or ()}

    def _nodes(self) -> Sequence[JsonObject]:
        """Nodes in order of creation; including own writes that the watch has not delivered yet."""
        objects = by_age(self._view.objects(NODE) or ())
        return objects if self._writer is None else self._writer.newest(objects)

    def _report(self, nodes: Sequence[JsonObject], shortages: Sequence[Remark]) -> None:
        """Report nodes without an id. A network without free subnets is refused, which other code reports."""
        announced: dict[str, StatusReason] = {}
        by_name = {obj["metadata"]["name"]: obj for obj in nodes}
        for each in shortages:
            if not each.network and each.node in by_name:
                self._announce(by_name[each.node], StatusReason(IDS_EXHAUSTED, each.text), announced)
        self._announced = announced

    def _announce(self, obj: JsonObject, status: StatusReason, announced: dict[str, StatusReason]) -> None:
        announced[uid_of(obj)] = status
        if self._announced.get(uid_of(obj)) != status:
            self._parts.reporter.announce_problem(obj, status, GIVE_ID)

    def _log_new(self, allocation: NodeAllocation) -> None:
        """Log texts that were not logged before."""
        texts = frozenset(map(str, (*allocation.shortages, *allocation.doubts)))
        for text in sorted(texts - self._logged):
            _log.warning("%s", text)
        self._logged = texts
