"""Publishes the objects of fabrics while this process leads: FRRConfigurations and RouteAdvertisements.

One pass compares everything; it is repeated when an input changed, a write failed or is not shown yet. In an audit it
writes nothing, and Events say what it would change.
"""

import logging
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ovnguard.reconciler.apply.kube import Recorder
from ovnguard.reconciler.apply.objects.object_changes import ObjectChanges, object_changes
from ovnguard.reconciler.apply.objects.object_owners import MANAGER, Maker, maker_of, title_of
from ovnguard.reconciler.apply.objects.object_writer import ObjectWriter
from ovnguard.reconciler.apply.objects.same_specs import SameSpecs
from ovnguard.reconciler.loop.fabric.fabric_holds import Unproven, refused_kinds, why_held
from ovnguard.reconciler.loop.fabric.fabric_inputs import FABRIC_KINDS, OBJECTS, objects_of
from ovnguard.reconciler.loop.fabric.fabric_signs import (
    FabricSigns,
    default_attachment,
    signs_of,
    transport_event,
)
from ovnguard.reconciler.loop.fabric.fabric_status import (
    CONFLICT,
    NO_FRR_K8S,
    NOT_SERVED,
    FabricReport,
    Problems,
    add_drift,
    add_incomplete,
    add_obstacles,
    add_refusals,
)
from ovnguard.reconciler.loop.fabric.frr_presence import (
    can_be_written,
    nodes_with_frr,
    routed_networks,
    without_claims,
    without_frr_k8s,
)
from ovnguard.reconciler.loop.fabric.wanted_objects import WantedObjects, wanted_objects
from ovnguard.reconciler.loop.inputs.live_view import LiveView
from ovnguard.reconciler.loop.inputs.plan_inputs import NAMESPACES
from ovnguard.reconciler.loop.process.backoff import earliest
from ovnguard.reconciler.loop.process.events import EventRecorder
from ovnguard.reconciler.loop.process.frozen_view import FrozenView
from ovnguard.reconciler.loop.status.lasting_events import LastingEvents
from ovnguard.reconciler.plan.bgp.routing_objects import routing_of
from ovnguard.reconciler.plan.bgp.user_conflicts import user_conflicts
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.reconciler.plan.rows.model import ActiveNodes
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import ApiStatusError, Client, ClusterError
from ovnguard.validators.cluster.resources import NADS
from ovnguard.validators.network.cluster_view import (
    CUDN,
    FRR_CONFIGURATION,
    NAMESPACE,
    NODE,
    OPERATOR_NETWORK,
    ROUTE_ADVERTISEMENTS,
    GroupKind,
)
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.model import DEFAULT_NETWORK

_THERE: Final = 409
FIRST_PAUSE: Final = 0.5
LONGEST_PAUSE: Final = 30.0
"""Seconds after a failed pass, and after many."""
_log = logging.getLogger(__name__)
_NO_ADVERTISEMENTS: Final = "the API server serves no RouteAdvertisements of k8s.ovn.org/v1: apply its definition"


@dataclass(frozen=True, slots=True)
class FabricParts:
    """The dependencies of a publisher; in an audit there is no ``recorder``.

    ``adopted`` are the networks whose objects of OVN-Kubernetes' cluster manager are replaced, ``namespace`` is the one
    with which our objects go.
    """

    view: LiveView
    client: Client
    recorder: Recorder | None
    announcer: EventRecorder
    leading: Callable[[], bool]
    namespace: str = ""
    adopted: frozenset[str] = frozenset()
    monotonic: Callable[[], float] = time.monotonic


class FabricPublisher:
    """Keeps the objects of all fabrics as planned, and reports on their networks what prevents it."""

    def __init__(self, parts: FabricParts) -> None:
        self._parts = parts
        self._view = FrozenView(parts.view, FABRIC_KINDS)
        self._unproven = Unproven(self._view, parts.view)
        self._writer = ObjectWriter(parts.client, OBJECTS, parts.leading, parts.monotonic)
        self._report = FabricReport(parts.recorder, LastingEvents(parts.announcer, parts.monotonic))
        self._events = LastingEvents(parts.announcer, parts.monotonic)
        self._signs = None if parts.recorder is None else FabricSigns(parts.recorder, parts.adopted)
        self._seen: tuple[object, ...] = ()
        self._failures: frozenset[str] = frozenset()
        self._failed = 0
        self._not_before: float | None = None
        self._active: tuple[ActiveNodes, ...] = ()
        # Nodes that need no frr-k8s.
        self._own: frozenset[str] = frozenset()
        self._specs = SameSpecs()
        self._owner: JsonObject | None = None
        self._logged: frozenset[str] = frozenset()

    def due(self) -> float | None:
        """Return the seconds until failed writes are retried, or an Event is due; None if neither."""
        events = earliest(self._events.due(), self._report.events.due())
        return events if self._not_before is None else self._pause()

    def _pause(self) -> float:
        """Seconds until failed writes are retried."""
        return 0.0 if self._not_before is None else max(0.0, self._not_before - self._parts.monotonic())

    def publish(self, desired: DesiredState, active: tuple[ActiveNodes, ...]) -> None:
        """Bring the objects to the plan once. What fails is logged and tried again later; nothing else waits for it.

        ``active`` are the nodes of networks that are not rendered on all.
        """
        if self._pause():
            return
        self._view.take()
        # neither a node's heartbeat nor an equal count is a reason: what matters of nodes is in ``desired``
        self._active = self._active if self._active == active else active
        own = nodes_with_frr(self._parts.view)
        self._own = self._own if self._own == own else own
        seen = (desired, self._active, self._own, *(self._view.objects(kind) for kind in FABRIC_KINDS if kind != NODE))
        same = len(seen) == len(self._seen) and all(one is two for one, two in zip(seen, self._seen, strict=True))
        if same:
            self._report.events.flush()
            self._events.flush()
            return
        self._seen = ()
        failures = self._publish(desired, active)
        self._note(failures)
        if not failures and not self._writer.pending:
            self._seen = seen

    def _note(self, failures: Sequence[str]) -> None:
        """Log new failures, and wait longer after each failed pass."""
        for text in failures:
            if text not in self._failures:
                _log.warning("%s", text)
        self._failures = frozenset(failures)
        self._failed = self._failed + 1 if failures else 0
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(self._failed, 16))
        self._not_before = self._parts.monotonic() + pause if failures else None

    def _publish(self, desired: DesiredState, active: tuple[ActiveNodes, ...]) -> list[str]:
        unproven = self._unproven.kinds()
        if NODE in unproven:
            return []
        wanted = wanted_objects(desired, active, routing_of(self._view))
        problems = Problems()
        self._note_missing(desired, wanted, problems)
        changes = self._changes(wanted)
        changes = self._without_held(changes, wanted, unproven, refused_kinds(desired, wanted.planned))
        add_obstacles(problems, changes)
        self._note_conflicts(desired, wanted, problems)
        routing = wanted.routing
        # a note about a whole network is advice
        add_incomplete(problems, (*routing.errors, *(each for each in routing.notes if each.node)))
        failures: list[str] = []
        if self._signs is None:
            add_drift(problems, changes)
            self._say(f"would delete {title_of(obj)}" for obj in changes.delete)
        else:
            refusals = self._writer.write(changes)
            add_refusals(problems, refusals)
            failures += [each.text for each in refusals]
            failures += self._attach(wanted)
            claimed = without_claims(wanted, problems.by_network())
            failures += self._signs.write(signs_of(claimed, self._view))
            state = transport_event(claimed.routing.default_state, default_attachment(self._view))
            self._events.tell(DEFAULT_NETWORK, state)
        return failures + self._report.report(self._networks(desired), problems.by_network())

    def _attach(self, wanted: WantedObjects) -> Iterator[str]:
        """Create attachments that are missing, in namespaces that are known to exist."""
        known = {obj["metadata"]["name"] for obj in self._view.objects(NAMESPACE) or ()}
        for document in wanted.attachments:
            namespace = document["metadata"]["namespace"]
            if namespace in known and self._parts.leading():
                try:
                    self._parts.client.request(
                        "POST", NADS.in_namespace(namespace), {"fieldManager": MANAGER}, document
                    )
                except ClusterError as error:
                    # the watch may be late
                    if not (isinstance(error, ApiStatusError) and error.code == _THERE):
                        yield f"{title_of(document)}: cannot create: {error}"

    def _note_missing(self, desired: DesiredState, wanted: WantedObjects, problems: Problems) -> None:
        """Note what the objects of networks need and the cluster lacks: frr-k8s, and the kind RouteAdvertisements."""
        nodes = [node.name for node in desired.nodes]
        if text := without_frr_k8s(wanted, self._view, nodes, self._own):
            problems.add(routed_networks(wanted), NO_FRR_K8S, text)
        if self._view.objects(ROUTE_ADVERTISEMENTS) is None:
            needed = (each for each in wanted.objects if group_kind_of(each.document) == ROUTE_ADVERTISEMENTS)
            problems.add((network for each in needed for network in each.networks), NOT_SERVED, _NO_ADVERTISEMENTS)

    def _note_conflicts(self, desired: DesiredState, wanted: WantedObjects, problems: Problems) -> None:
        """Note FRRConfigurations of users that keep frr-k8s from configuring the managed fabric on a node."""
        base = wanted.base
        if base is None:
            return
        others = [obj for obj in self._view.objects(FRR_CONFIGURATION) or () if maker_of(obj) is Maker.OTHER]
        for text in user_conflicts(base, others, desired.nodes):
            problems.add(wanted.managed, CONFLICT, text)

    def _changes(self, wanted: WantedObjects) -> ObjectChanges:
        served = [each for each in wanted.objects if can_be_written(each.document, self._view)]
        # what the cluster manager keeps in an audited cluster is what ovnguard would keep
        adopted = self._parts.adopted if self._signs else {network for each in served for network in each.networks}
        observed = self._writer.shown(objects_of(self._view))
        return object_changes(served, observed, adopted, self._owner_reference(), self._specs)

    def _owner_reference(self) -> JsonObject | None:
        """The reference to our namespace: when that is deleted, the garbage collector deletes what we published."""
        if self._owner is None and self._signs is not None and self._parts.namespace:
            path = NAMESPACES.object_path("", self._parts.namespace)
            try:
                uid = self._parts.client.request("GET", path)["metadata"]["uid"]
            except ClusterError as error:
                self._say([f"namespace {self._parts.namespace} cannot own what is published: {error}"])
                return None
            self._owner = {"apiVersion": "v1", "kind": "Namespace", "name": self._parts.namespace, "uid": uid}
        return self._owner

    def _without_held(
        self,
        changes: ObjectChanges,
        wanted: WantedObjects,
        unproven: Collection[GroupKind],
        refused: Collection[GroupKind],
    ) -> ObjectChanges:
        results = {result.name: result for result in wanted.routing.results}
        known = {str(obj["metadata"]["name"]) for obj in self._view.objects(ROUTE_ADVERTISEMENTS) or ()}
        held = [(obj, why_held(obj, results, known, unproven, refused)) for obj in changes.delete]
        self._say(f"{title_of(obj)} would be deleted, but stays: {why}" for obj, why in held if why)
        return replace(changes, delete=tuple(obj for obj, why in held if not why))

    def _networks(self, desired: DesiredState) -> Mapping[str, JsonObject]:
        """The newest objects of networks, by name of the network."""
        newest = {
            obj["metadata"].get("uid"): obj
            for kind in (CUDN, OPERATOR_NETWORK)
            for obj in self._view.objects(kind) or ()
        }
        found = ((each.name, newest.get(each.object["metadata"].get("uid"))) for each in desired.candidates)
        return {name: obj for name, obj in found if obj is not None}

    def _say(self, texts: Iterable[str]) -> None:
        """Log texts that were not logged before."""
        for text in texts:
            if text not in self._logged:
                _log.warning("%s", text)
            self._logged |= {text}
