"""When a zone reports what: a network that only waits for the leader or for a neighbour is not worth a report yet.

The numbers of a new network follow within a second or two. If the zone reported it at once as waiting, the next report,
that its rows are written, would come only after the pause between two.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from typing import Final

from ovnguard.reconciler.apply.kube_report import ReportPublisher
from ovnguard.reconciler.loop.process.backoff import earliest
from ovnguard.reconciler.loop.status.zone_report import ROUTES_MISSING, WAITING, Problem, report_of, to_json
from ovnguard.reconciler.loop.status.zone_state import PassResult
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.validators.base.json_types import JsonObject

SETTLING: Final = 3.0
"""Seconds that a network may wait before the zone reports it."""
_PASSING: Final = frozenset((WAITING, ROUTES_MISSING))


class ZoneReporter:
    """Reports about the zone of ``node`` through ``publisher``, by its clock."""

    def __init__(self, publisher: ReportPublisher, node: str, mode: str) -> None:
        self._publisher = publisher
        self._node = node
        self._mode = mode
        self._release = version("ovnguard")
        self._monotonic = publisher.monotonic
        self._since: dict[str, float] = {}
        self._ready = ""

    def publish(self, owner: JsonObject, desired: DesiredState, result: PassResult) -> None:
        """Report the result of a pass; ``owner`` is the Node."""
        found = report_of(desired, self._node, self._mode, result, self._settled, self._ready)
        report = replace(found, release=self._release)
        self._ready = report.ready
        self._publisher.publish(report, partial(to_json, report), owner)

    def due(self) -> float | None:
        """Return the seconds until a report is due without an event, None for no such time."""
        now = self._monotonic()
        ends = (since + SETTLING - now for since in self._since.values())
        return earliest(self._publisher.due(), *(end for end in ends if end > 0))

    def _settled(self, found: Mapping[str, Problem]) -> Mapping[str, Problem]:
        """The problems that last, and those that do not pass by themselves."""
        now = self._monotonic()
        passing = [name for name, each in found.items() if each.state in _PASSING]
        self._since = {name: self._since.get(name, now) for name in passing}
        return {name: each for name, each in found.items() if now - self._since.get(name, now - SETTLING) >= SETTLING}
