"""Gives pods the addresses that their records lack, in the networks where this process allocates.

What is recorded decides, and an own write counts as recorded before the watch shows it: no address is given twice, and
another process computes the same. One pod that cannot be written delays no other.
"""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from ovnguard.reconciler.apply.pod_records import Outcome, PodRecords
from ovnguard.reconciler.loop.process.backoff import Backoff, earliest
from ovnguard.reconciler.loop.process.events import Event, EventRecorder, Reference
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.reconciler.plan.host.host_planner import services_of
from ovnguard.reconciler.plan.pods.missing_entries import (
    BoundPod,
    BoundPods,
    NewEntry,
    missing_entries,
    texts_by_network,
)
from ovnguard.reconciler.plan.pods.pod_entries import EntryFacts
from ovnguard.reconciler.plan.rows.model import PodPort, Remark
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import ClusterError
from ovnguard.validators.network.cluster_view import NAMESPACE, POD, ClusterView
from ovnguard.validators.network.model import Network

ALLOCATE: Final = "AllocateAddresses"
WAITS: Final = "AddressMissing"
FOREIGN: Final = "ForeignRecord"
GRACE: Final = 10.0
"""Seconds for which a pod may wait before anything reports it."""
RECHECK: Final = 5.0
"""Seconds between two looks while the node lacks something."""
KEPT: Final = 60.0
"""Seconds for which an address counts whose pod the watch does not show: of a write of ours, or of a former leader."""
_FOREIGN_TEXT: Final = "another program writes k8s.ovn.org/pod-networks of the pod, so ovnguard gives it no addresses"
# In place of a pod's title: what the whole node lacks.
_NODE: Final = ""
_Key = tuple[str, str]
"""UID and attachment."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AddresserParts:
    """The dependencies: ``concerns`` accepts the networks in which this process allocates, ``reports`` those whose
    waiting pods it reports.
    """

    records: PodRecords
    announcer: EventRecorder
    concerns: Callable[[Network], bool]
    reports: Callable[[Network], bool]
    monotonic: Callable[[], float] = time.monotonic


@dataclass(slots=True)
class _Waiting:
    """The pods that wait, by title, since when; and what was said about them."""

    since: dict[str, float] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)


class PodAddresser:
    """Writes the entries that records of pods lack."""

    def __init__(self, parts: AddresserParts) -> None:
        self._parts = parts
        self._bound = BoundPods()
        self._backoff = Backoff(parts.monotonic)
        # Ports that are recorded, though the watch does not show it yet, by network, and until when.
        self._unseen: dict[_Key, tuple[PodPort, float]] = {}
        self._foreign: set[str] = set()
        self._waiting = _Waiting()

    def due(self) -> float | None:
        """Return the seconds until failed writes are tried again or a pod has waited too long; None for neither."""
        now = self._parts.monotonic()
        ends = [since + GRACE - now for since in self._waiting.since.values()]
        # no watch shows what a node lacks on its own disk
        again = RECHECK if _NODE in self._waiting.since else None
        return earliest(self._backoff.due(), again, *(each for each in ends if each > 0))

    def remember(self, ports: Mapping[str, Sequence[PodPort]]) -> None:
        """Count ``ports`` as recorded, whatever the watch shows: what a former leader wrote last."""
        until = self._parts.monotonic() + KEPT
        self._unseen |= {(port.uid, port.attachment): (port, until) for each in ports.values() for port in each}

    def keep(
        self,
        view: ClusterView,
        objects: Iterable[JsonObject],
        recorded: Mapping[str, Sequence[PodPort]],
        desired: DesiredState,
        lacking: Mapping[str, str] = MappingProxyType({}),
    ) -> Mapping[str, str]:
        """Write what the pods ``objects`` lack; return what waits for more than `GRACE` seconds, by network.

        ``recorded`` are the ports of all pods, as the watch shows them; ``lacking`` says what networks wait for before
        any pod can have an address.
        """
        known = view.objects(POD) is not None and view.objects(NAMESPACE) is not None
        if not known or not any(map(self._parts.concerns, desired.judged.ready)):
            return self._report((), (), lacking)
        bound = self._bound.read(objects)
        return self._report(self._allocate(view, bound, recorded, desired), bound, lacking)

    def _allocate(
        self,
        view: ClusterView,
        bound: Sequence[BoundPod],
        recorded: Mapping[str, Sequence[PodPort]],
        desired: DesiredState,
    ) -> Sequence[Remark]:
        """Write what pods lack; return why others wait."""
        networks = desired.judged.ready
        self._forget_seen(recorded, bound)
        accepted = tuple(each.network for each in desired.candidates if each.network is not None)
        facts = EntryFacts(desired.settings, services_of(accepted))
        pods = [each for each in self._with_unseen(bound) if each.pod.uid not in self._foreign]
        ports = self._with_unseen_ports(recorded)
        found = missing_entries(view, pods, ports, networks, desired.nodes, facts, self._parts.concerns)
        waiting = (*found.waiting, *self._write(found.entries))
        reported = {network.name for network in networks if self._parts.reports(network)} | {""}
        return [each for each in waiting if each.network in reported]

    def _forget_seen(self, recorded: Mapping[str, Sequence[PodPort]], bound: Sequence[BoundPod]) -> None:
        if not self._unseen:
            return
        seen = {(port.uid, port.attachment) for ports in recorded.values() for port in ports}
        now = self._parts.monotonic()
        here = {each.pod.uid for each in bound}
        self._unseen = {
            key: each for key, each in self._unseen.items() if key not in seen and (key[0] in here or now < each[1])
        }

    def _with_unseen(self, bound: Iterable[BoundPod]) -> Iterator[BoundPod]:
        unseen: dict[str, set[str]] = {}
        for uid, attachment in self._unseen:
            unseen.setdefault(uid, set()).add(attachment)
        for each in bound:
            added = unseen.get(each.pod.uid)
            yield each if added is None else BoundPod(each.pod, each.recorded | added)

    def _with_unseen_ports(self, recorded: Mapping[str, Sequence[PodPort]]) -> Mapping[str, Sequence[PodPort]]:
        if not self._unseen:
            return recorded
        ports = {network: [*each] for network, each in recorded.items()}
        for port, _ in self._unseen.values():
            ports.setdefault(port.network, []).append(port)
        return ports

    def _write(self, entries: Sequence[NewEntry]) -> list[Remark]:
        """Write each pod's entries at once; return the failures."""
        by_pod: dict[str, list[NewEntry]] = {}
        for each in entries:
            by_pod.setdefault(each.port.uid, []).append(each)
        self._backoff.only(by_pod)
        return [failure for found in by_pod.values() if (failure := self._write_one(found)) is not None]

    def _write_one(self, entries: Sequence[NewEntry]) -> Remark | None:
        port = entries[0].port
        if self._backoff.waits(port.uid):
            return Remark("its addresses are not written yet", port.network, port.node, port.title)
        by_attachment = {each.port.attachment: each.entry for each in entries}
        try:
            outcome = self._parts.records.write(port.namespace, port.pod, port.uid, by_attachment)
        except ClusterError as error:
            self._backoff.failed(port.uid)
            return Remark(f"its addresses cannot be written: {error}", port.network, port.node, port.title)
        if outcome is Outcome.WRITTEN:
            self._backoff.succeeded(port.uid)
            until = self._parts.monotonic() + KEPT
            self._unseen |= {(each.port.uid, each.port.attachment): (each.port, until) for each in entries}
            _log.info("pod %s: recorded addresses in %s", port.title, ", ".join(sorted(by_attachment)))
        elif outcome is Outcome.FOREIGN:
            self._foreign.add(port.uid)
            self._announce(port.title, port.uid, FOREIGN, _FOREIGN_TEXT)
        else:
            # the watch shows the change, or the pod's end, in a moment
            self._backoff.failed(port.uid)
        return None

    def _report(
        self, waiting: Sequence[Remark], bound: Sequence[BoundPod], lacking: Mapping[str, str]
    ) -> Mapping[str, str]:
        """Return the pods that wait for long, by network, and announce each once; and ``lacking`` after as long."""
        uids = {each.pod.title: each.pod.uid for each in bound}
        self._foreign &= {*uids.values()}
        now, since = self._parts.monotonic(), self._waiting.since
        titles = [*(each.pod for each in waiting), *([_NODE] if lacking else [])]
        self._waiting.since = {title: since.get(title, now) for title in titles}
        late = [each for each in waiting if now - self._waiting.since[each.pod] >= GRACE]
        for each in late:
            if self._waiting.said.get(each.pod) != each.text:
                about = f"network {each.network}: " if each.network else ""
                self._announce(each.pod, uids.get(each.pod, ""), WAITS, f"{about}{each.text}")
        self._waiting.said = {each.pod: each.text for each in late}
        lacks = bool(lacking) and now - self._waiting.since[_NODE] >= GRACE
        return {**texts_by_network(late), **(lacking if lacks else {})}

    def _announce(self, title: str, uid: str, reason: str, text: str) -> None:
        namespace, _, name = title.partition("/")
        _log.warning("pod %s: %s", title, text)
        about = Reference("v1", POD.kind, namespace, name, uid)
        self._parts.announcer.announce(Event(about, reason, ALLOCATE, text, warning=True))
