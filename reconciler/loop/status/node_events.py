"""Events about Nodes: what a zone repairs, holds back, fails at or finds in an audit."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from ovnguard.reconciler.apply.deletion_brake import HeldDeletions
from ovnguard.reconciler.apply.foreign_rows import ForeignRow, as_text
from ovnguard.reconciler.apply.ovn.repairs import Repair
from ovnguard.reconciler.loop.process.events import Event, EventRecorder, reference_to
from ovnguard.reconciler.loop.status.lasting_failure import LastingFailure
from ovnguard.reconciler.loop.status.network_status import StatusReason
from ovnguard.reconciler.loop.status.pending_repairs import NAMED, PendingRepairs
from ovnguard.reconciler.loop.status.zone_state import Written
from ovnguard.validators.base.json_types import JsonObject

REPAIR: Final = "RepairRows"
REPAIRED: Final = "RowsRepaired"
DELETE: Final = "DeleteRows"
HELD: Final = "DeletionsHeld"
RESUMED: Final = "DeletionsResumed"
KEEP: Final = "KeepZone"
OTHER_WRITER: Final = "OtherWriter"
AUDIT: Final = "AuditZone"
DRIFT: Final = "ZoneDrift"
DRIFT_ENDED: Final = "ZoneDriftEnded"


class NodeEvents:
    """Reports through ``announcer``; ``monotonic`` returns seconds."""

    def __init__(self, announcer: EventRecorder, monotonic: Callable[[], float]) -> None:
        self._announcer = announcer
        self._repairs = PendingRepairs(monotonic)
        self._failure = LastingFailure(monotonic)
        self._held_deletions: HeldDeletions | None = None
        self._drift: Mapping[str, frozenset[str]] = {}

    def announce_problem(self, obj: JsonObject, status: StatusReason, action: str) -> None:
        """Report a problem of an object without conditions as an Event."""
        self._announcer.announce(Event(reference_to(obj), status.reason, action, status.message, warning=True))

    def announce_change(self, obj: JsonObject, status: StatusReason, action: str) -> None:
        """Report a change of an object without conditions, other than a problem, as an Event."""
        self._announcer.announce(Event(reference_to(obj), status.reason, action, status.message))

    def repaired(self, repairs: Iterable[Repair], node: JsonObject | None) -> None:
        """Report repaired rows as an Event about the ``node`` of the zone."""
        self._repairs.add(repairs)
        note = self._repairs.due() if node is not None else ""
        if note and node is not None:
            self._announcer.announce(Event(reference_to(node), REPAIRED, REPAIR, note, warning=True, recurs=True))

    def report_held_deletions(self, held_deletions: HeldDeletions | None, node: JsonObject | None) -> None:
        """Report that deletions wait, or no longer do, as an Event about the ``node`` of the zone."""
        if node is None or (held_deletions is None) is (self._held_deletions is None):
            return
        self._held_deletions = held_deletions
        waits = held_deletions is not None
        status = (
            StatusReason(HELD, str(held_deletions)) if waits else StatusReason(RESUMED, "Deletions no longer wait.")
        )
        event = Event(reference_to(node), status.reason, DELETE, status.message, warning=waits, recurs=True)
        self._announcer.announce(event)

    def report_written(self, done: Written, repairs: Iterable[Repair], node: JsonObject | None) -> None:
        """Report what one pass repaired, which deletions wait, and rows of another writer."""
        self.repaired(repairs, node)
        self.report_held_deletions(done.held_deletions, node)
        self.report_other_writer(done.appeared, node)

    def report_other_writer(self, appeared: Sequence[ForeignRow], node: JsonObject | None) -> None:
        """Report rows that another writer has added since the start, as an Event about the ``node`` of the zone."""
        if appeared and node is not None:
            note = f"another writer is alive: {as_text(appeared)}"
            self._announcer.announce(Event(reference_to(node), OTHER_WRITER, KEEP, note, warning=True, recurs=True))

    def failed(self, failures: Sequence[str], node: JsonObject | None) -> None:
        """Report failures of the whole zone that last, and their end, as an Event about its ``node``."""
        status = self._failure.news(failures) if node is not None else None
        if status is not None and node is not None:
            event = Event(reference_to(node), status.reason, KEEP, status.message, warning=bool(failures), recurs=True)
            self._announcer.announce(event)

    def drifted(self, drift: Mapping[str, frozenset[str]], node: JsonObject | None) -> None:
        """Report differences that no rule explains, by network, as Events about the ``node`` of the zone."""
        if node is None:
            return
        for network in sorted(drift.keys() | self._drift.keys()):
            texts = sorted(drift.get(network, ()))
            if texts != sorted(self._drift.get(network, ())):
                rest = [f"and {len(texts) - NAMED} more"] if len(texts) > NAMED else []
                note = "; ".join([*texts[:NAMED], *rest]) or "as planned again"
                reason = DRIFT if texts else DRIFT_ENDED
                event = Event(reference_to(node), reason, AUDIT, f"network {network}: {note}", bool(texts), recurs=True)
                self._announcer.announce(event)
        self._drift = dict(drift)

    def flush(self) -> None:
        """Write the Events that the rate limit allows."""
        self._announcer.flush()
