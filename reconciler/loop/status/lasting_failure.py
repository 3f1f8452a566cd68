"""Failures of a whole zone that last: databases restart, so only what fails for a minute is worth an Event."""

from collections.abc import Callable, Sequence
from typing import Final

from ovnguard.reconciler.loop.status.network_status import StatusReason

LASTING: Final = 60.0
"""Seconds."""
FAILS: Final = "ZoneFails"
RECOVERED: Final = "ZoneRecovered"


class LastingFailure:
    """Whether the zone fails, and whether that was reported. ``monotonic`` returns seconds."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._since: float | None = None
        self._reported = False

    def news(self, failures: Sequence[str]) -> StatusReason | None:
        """Return what to report after a pass with these ``failures``: the first one when it lasts, and its end."""
        if not failures:
            ended, self._since, self._reported = self._reported, None, False
            return StatusReason(RECOVERED, "The failure has ended.") if ended else None
        now = self._monotonic()
        self._since = now if self._since is None else self._since
        if self._reported or now - self._since < LASTING:
            return None
        self._reported = True
        return StatusReason(FAILS, failures[0])
