"""Propagation of written rows: first to northd, then to the chassis."""

import time
from collections.abc import Callable
from typing import Final

# nb_cfg of the last write, sb_cfg, hv_cfg: `reconciler.apply.ovn.ovn_nb.NorthboundStore.lag`.
Lag = tuple[int, int, int]
# Seconds after which a northd that has not followed deserves a warning: a thousand networks take about ten seconds.
LATE: Final = 60.0


class PropagationReport:
    """Turns the progress of a zone into log texts, each once per write."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._asked = 0
        self._since = 0.0
        self._reported: set[str] = set()

    def news(self, lag: Lag | None) -> tuple[str, ...]:
        """Return the sentences that are new."""
        if lag is None:
            return ()
        asked, northd, chassis = lag
        if asked != self._asked:
            self._asked, self._since, self._reported = asked, self._clock(), set()
        passed = self._clock() - self._since
        true = {
            f"northd has followed to nb_cfg {asked}": northd >= asked,
            f"all chassis have followed to nb_cfg {asked}": chassis >= asked,
            f"northd is still at sb_cfg {northd} and has not followed to nb_cfg {asked}": northd < asked
            and passed >= LATE,
        }
        new = [text for text, holds in true.items() if holds and text not in self._reported]
        self._reported.update(new)
        return tuple(f"{text} ({passed:.1f} s after the write was noticed)" for text in new)
