"""What the leader learns from the reports of zones: where each network stands, and which zones fell silent."""

import logging
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final

from ovnguard.reconciler.loop.status.network_status import StatusReason
from ovnguard.reconciler.loop.status.report_folding import STALE, Folded, ReportFolder, Standing
from ovnguard.reconciler.loop.status.status_writer import StatusWriter
from ovnguard.reconciler.loop.status.zone_report import mark_of
from ovnguard.validators.base.json_types import JsonObject

ZONE_SILENT: Final = "ZoneSilent"
REPORT_ZONE: Final = "ReportZone"
_log = logging.getLogger(__name__)


class ZoneWatch:
    """Follows reports; a silent zone is an Event of ``reporter``. In an ``audit`` only reported problems count."""

    def __init__(self, reporter: StatusWriter, *, audit: bool, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._reporter = reporter
        self._audit = audit
        self._folder = ReportFolder(monotonic)
        self._folded = Folded()
        self._users: Mapping[str, Collection[str]] | None = {}
        self._refusals: Mapping[str, str] = {}

    def due(self) -> float | None:
        """Return the seconds until reports that came meanwhile are read, None if there is no such time."""
        return self._folder.due()

    def look(
        self,
        reports: Iterable[JsonObject],
        nodes: Mapping[str, JsonObject],
        users: Mapping[str, Collection[str]] | None,
        refusals: Mapping[str, str],
    ) -> None:
        """Take notice of the reports and Nodes.

        ``users`` are the nodes of networks that are not rendered on all, None while they are unknown; ``refusals`` are
        by node why the API server refuses its numbers.
        """
        folded = self._folder.fold(reports, nodes)
        for node in sorted(set(folded.silent) - set(self._folded.silent)):
            status = StatusReason(ZONE_SILENT, f"The zone has not renewed its report for {STALE:g} s; it is ignored.")
            _log.warning("node %s: %s", node, status.message)
            self._reporter.announce_problem(nodes[node], status, REPORT_ZONE)
        for node in sorted(set(folded.gone) - set(self._folded.gone)):
            _log.info("the report of node %s is ignored: there is no such node", node)
        self._folded, self._users, self._refusals = folded, users, refusals

    def states(self) -> Mapping[str, int]:
        """Return how many zones are in each of `report_folding.ZONE_STATES`."""
        return self._folded.states()

    def standing(self, network: str, obj: JsonObject) -> Standing | None:
        """Return where a network stands, None while its nodes are unknown."""
        if self._audit:
            return Standing(0, 0, self._folded.reported(network))
        if self._users is None:
            return None
        return self._folded.standing(network, mark_of(obj), self._users.get(network), self._refusals)
