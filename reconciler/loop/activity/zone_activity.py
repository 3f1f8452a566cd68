"""The networks that one node renders under dynamic allocation: those in use, and for a while those that were.

The rows of a network in its grace period are planned as before. A process that begins does not know which networks its
zone rendered, so for one period it leaves the rows of unused networks as they are: it neither removes nor creates them.
"""

import time
from collections.abc import Callable, Container
from dataclasses import dataclass, replace

from ovnguard.reconciler.loop.activity.activity_metrics import FirstPodMetric
from ovnguard.reconciler.plan.activity.grace import Grace
from ovnguard.reconciler.plan.rows.model import ActiveNodes
from ovnguard.validators.network.ovnkube_settings.dynamic_allocation import GRACE_PERIOD


@dataclass(frozen=True, slots=True)
class Rendered:
    """``active`` are the nodes of each network, the node in grace included; rows of the networks ``kept`` stay as they
    are.
    """

    active: tuple[ActiveNodes, ...] = ()
    kept: frozenset[str] = frozenset()


class ZoneActivity:
    """Follows which networks ``node`` uses; they stay for ``period`` seconds afterwards."""

    def __init__(
        self,
        node: str,
        period: float = GRACE_PERIOD,
        monotonic: Callable[[], float] = time.monotonic,
        heard: Callable[[], float | None] = lambda: None,
        metrics: FirstPodMetric | None = None,
    ) -> None:
        """``heard`` returns when the first event came that no look has seen yet, None for just now."""
        self._node = node
        self._period = period
        self._monotonic = monotonic
        self._heard = heard
        self._metrics = metrics or FirstPodMetric()
        # When the node began to use a network whose rows are not written yet.
        self._begun: dict[str, float] = {}
        self._began: float | None = None
        self._grace: Grace = Grace()
        self._now = 0.0

    def rendered(self, active: tuple[ActiveNodes, ...]) -> Rendered:
        """Return what the node renders now; ``active`` are the nodes that use each network.

        A network that is not in ``active`` is deleted, or rendered on all nodes.
        """
        now = self._now = self._monotonic()
        earlier = None if self._began is None else self._grace
        began = self._began = now if self._began is None else self._began
        names = frozenset(each.network for each in active)
        used = {(each.network, self._node) for each in active if self._node in each.nodes}
        if earlier is not None:
            heard = self._heard()
            new = used - earlier.active - earlier.since.keys()
            self._begun |= {network: now if heard is None else heard for network, _ in new}
        self._begun = {network: at for network, at in self._begun.items() if (network, self._node) in used}
        self._grace = self._grace.of(names).at(now, self._period, used)
        stays = {network for network, _ in self._grace.in_grace(now, self._period)}
        own = frozenset((self._node,))
        whole = tuple(replace(each, grace=each.grace | own) if each.network in stays else each for each in active)
        unused = (each.network for each in whole if not each.has_rows(self._node))
        return Rendered(whole, frozenset(unused) if now - began < self._period else frozenset())

    def written(self, networks: Container[str]) -> None:
        """Take notice that the zone now has the planned rows of ``networks``."""
        now = self._monotonic()
        for network in [each for each in self._begun if each in networks]:
            self._metrics.observe(now - self._begun.pop(network))

    def due(self) -> float | None:
        """Return the seconds from the last call of `rendered` until its result changes with time, None for never."""
        left = None if self._began is None else self._period - (self._now - self._began)
        ends = (self._grace.due(self._now, self._period), left)
        return min((each for each in ends if each is not None and each > 0), default=None)
