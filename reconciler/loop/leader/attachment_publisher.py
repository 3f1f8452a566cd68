"""Keeps the attachments of (Cluster)UserDefinedNetworks while this process leads, as OVN-Kubernetes' cluster manager
does.

An attachment that a living pod uses stays, also where its network is deleted or no longer selects the namespace. A
finalizer keeps the network's object until all of its attachments are gone. Attachments of others stay as they are.
"""

import logging
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from ovnguard.reconciler.apply.objects.attachment_writer import AttachmentWriter, is_as_rendered, is_ours
from ovnguard.reconciler.loop.inputs.live_view import LiveView
from ovnguard.reconciler.loop.inputs.plan_inputs import NAMESPACES, PODS, RUNNING
from ovnguard.reconciler.loop.leader.attachment_obstacles import IN_USE, NOT_WRITTEN, in_the_way
from ovnguard.reconciler.loop.process.backoff import Backoff
from ovnguard.reconciler.loop.process.events import Event, EventRecorder, reference_to
from ovnguard.reconciler.loop.process.frozen_view import KINDS, FrozenView
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.reconciler.plan.inputs.candidates import Candidate
from ovnguard.reconciler.plan.pods.rendered_attachments import (
    FINALIZER,
    attachment_places,
    is_numbered,
    rendered_attachment,
)
from ovnguard.reconciler.plan.rows.model import ActiveNodes
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster import trim
from ovnguard.validators.cluster.client_protocol import ClusterError
from ovnguard.validators.cluster.resources import Part, Resource
from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster.ownership import OWNER_KINDS, OwnerKey, claim_of, key_of
from ovnguard.validators.network.cluster.pod_index import pods_by_namespace
from ovnguard.validators.network.cluster_view import CUDN, NAD, NAMESPACE, POD, UDN
from ovnguard.validators.network.list_text import shortlist

ATTACHMENT_RESOURCES: Final[tuple[tuple[Resource, Part], ...]] = (
    (NAMESPACES, Part(trim=trim.selectable)),
    (PODS, Part(trim=trim.pod_with_machine, fields=RUNNING)),
)
"""What to watch in order to keep attachments and the addresses of pods."""
ATTACHMENT_KINDS: Final = (*KINDS, NAMESPACE, POD)
RENDER: Final = "RenderAttachments"
PATIENCE: Final = 10.0
"""Seconds for which an own write counts before the watch shows it."""
_LOSABLE: Final = frozenset((CUDN, UDN, NAD, NAMESPACE, POD))

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AttachmentParts:
    """The dependencies of a publisher; ``adopted`` are networks whose attachments of others are replaced."""

    view: LiveView
    writer: AttachmentWriter
    announcer: EventRecorder
    leading: Callable[[], bool]
    adopted: frozenset[str] = frozenset()
    monotonic: Callable[[], float] = time.monotonic


_Problem = tuple[JsonObject, str, str]


@dataclass(slots=True)
class _Pass:
    """What one pass reads and finds: the existing attachments by place, and problems with the network's object.

    ``networks`` are the objects of networks by UID. ``whole``: no list became empty suddenly, so what is not listed
    does not exist. ``open``: another pass must follow; ``tried``: the keys of all writes.
    """

    ready: frozenset[str]
    existing: Mapping[str, JsonObject]
    networks: dict[object, JsonObject]
    whole: bool
    mtu: int | None
    problems: list[_Problem] = field(default_factory=list)
    tried: set[str] = field(default_factory=set)
    open: bool = False


class AttachmentPublisher:
    """Keeps the attachments of all networks that have their numbers."""

    def __init__(self, parts: AttachmentParts) -> None:
        self._parts = parts
        self._view = FrozenView(parts.view, ATTACHMENT_KINDS)
        self._backoff = Backoff(parts.monotonic)
        self._written: dict[str, tuple[JsonObject, float]] = {}
        # Attachments that are as rendered: the object, the candidate, and the default network's MTU.
        self._settled: dict[str, tuple[JsonObject, Candidate, int | None]] = {}
        self._seen: tuple[object, ...] = ()
        self._failed: dict[str, _Problem] = {}
        self._said: frozenset[tuple[str, str, str]] = frozenset()

    def due(self) -> float | None:
        """Return the seconds until failed writes are tried again, None if none failed."""
        return self._backoff.due()

    def publish(self, desired: DesiredState, active: tuple[ActiveNodes, ...]) -> None:
        """Bring the attachments to the plan once. What fails is logged and tried again later."""
        del active  # attachments are in all namespaces, whichever nodes use them
        self._view.take()
        seen = (desired, *(self._view.objects(kind) for kind in (NAD, NAMESPACE)))
        same = len(seen) == len(self._seen) and all(one is two for one, two in zip(seen, self._seen, strict=True))
        if same or any(self._view.objects(kind) is None for kind in (NAMESPACE, NAD)):
            return
        self._seen = ()
        found = self._pass(desired)
        wanted = self._wanted(desired, found.ready)
        for place, candidate in wanted.items():
            self._keep(found, place, candidate)
        self._settled = {place: each for place, each in self._settled.items() if place in wanted}
        for place in sorted(found.existing.keys() - wanted.keys()):
            self._remove(found, place)
        for obj in self._deleted(found):
            self._release(found, obj)
        self._backoff.only(found.tried)
        self._say(found.problems)
        if not found.open:
            self._seen = seen

    def _pass(self, desired: DesiredState) -> _Pass:
        existing = {_place(obj): obj for obj in self._view.objects(NAD) or ()}
        whole = self._view.objects(POD) is not None and not self._parts.view.emptied() & _LOSABLE
        networks = {obj["metadata"].get("uid"): obj for kind in OWNER_KINDS for obj in self._view.objects(kind) or ()}
        numbered = frozenset(each.name for each in desired.candidates if is_numbered(each))
        ready = numbered - desired.unenforced.refused
        return _Pass(ready, existing, networks, whole, desired.settings.default_mtu)

    def _users(self, place: str) -> list[str]:
        """The living pods that use an attachment, by namespace and name."""
        pods = (pod for each in pods_by_namespace(inventory_of(self._view)).values() for pod in each if not pod.done)
        return sorted(
            pod.key for pod in pods if any("/".join(each.split("/")[:2]) == place for each in pod.attachments)
        )

    def _wanted(self, desired: DesiredState, ready: Collection[str]) -> dict[str, Candidate]:
        candidates = (each for each in desired.candidates if each.name in ready)
        places = attachment_places(candidates, inventory_of(self._view))
        return {f"{namespace}/{each.object['metadata']['name']}": each for each, namespace in places}

    def _keep(self, found: _Pass, place: str, candidate: Candidate) -> None:
        """Write one attachment, after the finalizer of its network, unless it is already as rendered."""
        network = found.networks.get(candidate.object["metadata"].get("uid"))
        obj = found.existing.get(place)
        if network is None or network["metadata"].get("deletionTimestamp"):
            return
        if obj is not None and self._is_settled(place, obj, candidate, found.mtu):
            return
        if obj is not None and not is_ours(obj) and candidate.name not in self._parts.adopted:
            found.problems.append((network, *in_the_way(obj, network, place)))
            return
        if obj is not None and obj["metadata"].get("deletionTimestamp"):
            # it is made again as soon as it is gone
            self._remove(found, place)
            return
        document = _rendered(candidate, place, found.mtu)
        if obj is not None and is_ours(obj) and is_as_rendered(obj, document):
            self._settled[place] = (obj, candidate, found.mtu)
            self._written.pop(place, None)
            return
        if self._wrote(place, document):
            return

        def write() -> bool:
            protected = self._parts.writer.protect(network, FINALIZER)
            if protected is None:
                return False
            found.networks[protected["metadata"].get("uid")] = protected
            self._parts.writer.apply(document)
            self._written[place] = (document, self._parts.monotonic() + PATIENCE)
            _log.info("rendered NetworkAttachmentDefinition %s", place)
            return True

        self._try(found, place, network, write)

    def _is_settled(self, place: str, obj: JsonObject, candidate: Candidate, mtu: int | None) -> bool:
        """Whether the attachment was as rendered, and nothing changed since that it is rendered from."""
        if place not in self._settled:
            return False
        before, earlier, default_mtu = self._settled[place]
        same = earlier.object is candidate.object and earlier.network == candidate.network
        return before is obj and same and default_mtu == mtu

    def _remove(self, found: _Pass, place: str) -> None:
        """Remove an attachment of ours that no network needs there, unless a pod uses it."""
        obj = found.existing[place]
        claim = claim_of(obj)
        if not is_ours(obj) or claim is None:
            return
        owner = found.networks.get(claim.uid)
        if owner is not None and not _is_left(owner, obj, found.ready):
            return
        users = self._users(place) if found.whole else []
        if users or not found.whole:
            # a pod's end is no reason for a pass otherwise
            found.open = True
            if users and owner is not None and owner["metadata"].get("deletionTimestamp"):
                text = f"network in use by the following pods: [{shortlist(users)}]"
                found.problems.append(
                    (owner, IN_USE, f"failed to delete NetworkAttachmentDefinition [{place}]: {text}")
                )
            return

        def write() -> bool:
            self._parts.writer.remove(obj, FINALIZER)
            self._written.pop(place, None)
            _log.info("removed NetworkAttachmentDefinition %s", place)
            return True

        self._try(found, place, owner or obj, write)

    def _deleted(self, found: _Pass) -> Iterator[JsonObject]:
        """The objects of networks that are being deleted, and that our finalizer keeps."""
        for obj in found.networks.values():
            if obj["metadata"].get("deletionTimestamp") and FINALIZER in (obj["metadata"].get("finalizers") or ()):
                yield obj

    def _release(self, found: _Pass, network: JsonObject) -> None:
        """Let a network go that has no attachment any more."""
        key = key_of(network)
        left = [place for place, obj in found.existing.items() if _owner_key(obj) == key]
        if left or not found.whole:
            found.open = True
            others = [place for place in left if not is_ours(found.existing[place])]
            if others:
                found.problems.append((network, *in_the_way(found.existing[others[0]], network, others[0])))
            return

        def write() -> bool:
            done = self._parts.writer.release(network, FINALIZER)
            if done:
                _log.info("%s %s has no attachment any more: its finalizer is removed", key.kind.kind, key.title)
            return done

        self._try(found, f"{key.kind.kind} {key.title}", network, write)

    def _try(self, found: _Pass, place: str, network: JsonObject, write: Callable[[], bool]) -> None:
        """Write while leading, except what failed a moment ago."""
        found.open = True
        found.tried.add(place)
        if not self._backoff.waits(place) and self._parts.leading():
            try:
                if write():
                    self._backoff.succeeded(place)
                    self._failed.pop(place, None)
            except ClusterError as error:
                self._backoff.failed(place)
                self._failed[place] = (network, NOT_WRITTEN, f"{place}: {error}")
        found.problems += [self._failed[place]] if place in self._failed else []

    def _wrote(self, place: str, document: JsonObject) -> bool:
        """Whether this was written a moment ago, and the watch may not show it yet."""
        before = self._written.get(place)
        return before is not None and before[0] == document and self._parts.monotonic() < before[1]

    def _say(self, problems: Iterable[_Problem]) -> None:
        """Log and announce problems that are new."""
        said = {(reference_to(obj).uid, reason, text): obj for obj, reason, text in problems}
        for (uid, reason, text), obj in said.items():
            if (uid, reason, text) not in self._said:
                _log.warning("%s %s: %s", obj["kind"], obj["metadata"]["name"], text)
                self._parts.announcer.announce(Event(reference_to(obj), reason, RENDER, text, warning=True))
        self._said = frozenset(said)


def _rendered(candidate: Candidate, place: str, mtu: int | None) -> JsonObject:
    assert candidate.network is not None, "a network that is ready"
    return rendered_attachment(candidate.object, candidate.network, place.partition("/")[0], mtu)


def _is_left(owner: JsonObject, obj: JsonObject, ready: Collection[str]) -> bool:
    """Whether a network does not need the attachment: one that is only not ready keeps it."""
    gone = (each["metadata"].get("deletionTimestamp") for each in (owner, obj))
    return any(gone) or key_of(owner).network_name in ready


def _owner_key(obj: JsonObject) -> OwnerKey | None:
    claim = claim_of(obj)
    return None if claim is None else claim.key


def _place(obj: JsonObject) -> str:
    return f"{obj['metadata']['namespace']}/{obj['metadata']['name']}"
