"""Audits of one zone, again and again: what OVN-Kubernetes wrote next to what it should have written.

The controllers of OVN-Kubernetes need time for each change of an object. So a difference is drift only when two looks
at the zone, `PAUSE` apart, find it.
"""

import logging
import time
from collections.abc import Callable, Mapping
from typing import Final

from ovnguard.reconciler.apply.store_errors import StoreError
from ovnguard.reconciler.apply.zone_store import WholeStore
from ovnguard.reconciler.plan.comparison.audit import EMPTY, ZoneAudit
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.reconciler.plan.zone_audit import MARGIN, audit_zone

# The least number of seconds between two looks: one reads the whole database.
PAUSE: Final = 60.0
# The maximum number of differences of a network that the log names individually.
_FEW: Final = 20
_log = logging.getLogger(__name__)
Drift = Mapping[str, frozenset[str]]
"""The differences of each network, as texts."""


class ZoneAuditor:
    """Looks at the zone of ``node`` in ``store`` and remembers what it found."""

    def __init__(self, store: WholeStore, node: str, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._node = node
        self._monotonic = monotonic
        self._not_before = monotonic()
        self._seen: Drift = {}
        # The networks that the node does not use, and since when.
        self._idle: dict[str, float] = {}
        self._summary = ""
        self._fault: tuple[str, ...] = ()
        self.drift: Drift = {}

    def count(self) -> int:
        """Return the number of differences that are drift."""
        return sum(map(len, self.drift.values()))

    def look(self, desired: DesiredState) -> tuple[str, ...]:
        """Compare the zone with what is desired, if it is time; return the failures. ``drift`` then has the result."""
        now = self._monotonic()
        if now < self._not_before:
            return self._fault
        try:
            found = audit_zone(desired, self._node, self._store.read_everything(), self._expired(desired, now))
        except StoreError as error:
            return (f"zone {self._node}: {error}",)
        self._not_before = now + PAUSE
        self._fault = (f"zone {self._node}: {found.fault}",) if found.fault == EMPTY else ()
        if found.fault:
            # Nothing was compared, so no drift has ended.
            self._log_summary(found.fault)
            return self._fault
        seen = _texts(found)
        steady = {name: texts & self._seen.get(name, frozenset()) for name, texts in seen.items()}
        self._seen = seen
        self._log(found, {name: texts for name, texts in steady.items() if texts})
        return self._fault

    def _expired(self, desired: DesiredState, now: float) -> frozenset[str]:
        """The networks that the node has not used for longer than their grace period, as far as this process saw."""
        self._idle = {name: self._idle.get(name, now) for name in desired.left_out_on(self._node).idle}
        period = desired.settings.grace_period + MARGIN
        return frozenset(name for name, since in self._idle.items() if now - since >= period)

    def _log(self, found: ZoneAudit, drift: Drift) -> None:
        for name, texts in sorted(drift.items()):
            new = sorted(texts - self.drift.get(name, frozenset()))
            for text in new[:_FEW]:
                _log.warning("zone %s: network %s: %s", self._node, name, text)
            if len(new) > _FEW:
                _log.warning("zone %s: network %s: and %d more differences", self._node, name, len(new) - _FEW)
        self.drift = drift
        self._log_summary(f"{found.equal} rows as planned, {self.count()} differences are drift")

    def _log_summary(self, summary: str) -> None:
        if summary != self._summary:
            _log.info("zone %s: audit: %s", self._node, summary)
        self._summary = summary


def _texts(found: ZoneAudit) -> Drift:
    return {each.network: frozenset(drift.brief for drift in each.drift) for each in found.networks if each.drift}
