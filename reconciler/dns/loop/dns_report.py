"""Reports on the load balancer: in the log and as Events about its Service, when something begins or ends."""

import logging
from collections.abc import Sequence
from typing import Final

from ovnguard.reconciler.dns.plan.load_balancer import SERVICE
from ovnguard.reconciler.dns.plan.observed import Observed
from ovnguard.reconciler.loop.process.events import Event, EventRecorder, reference_to
from ovnguard.validators.base.json_types import JsonObject

PROBLEM: Final = "LoadBalancerProblem"
FOLLOWED: Final = "LoadBalancerFollowed"
ACTION: Final = "FollowLoadBalancer"

_log = logging.getLogger(__name__)


class DnsReporter:
    """Remembers what was reported."""

    def __init__(self, announcer: EventRecorder) -> None:
        self._announcer = announcer
        self._problems: tuple[str, ...] = ()

    def report(self, observed: Observed, problems: Sequence[str], consequence: str) -> None:
        """Report the ``problems`` that are new, with their ``consequence`` if there is one, and the end of all."""
        before, self._problems = self._problems, tuple(problems)
        new = [problem for problem in problems if problem not in before]
        for problem in new:
            _log.warning("%s", "; ".join(filter(None, (problem, consequence))))
        about = _service(observed)
        if new:
            self._announce(about, PROBLEM, "; ".join(filter(None, (*new, consequence))), warning=True)
        elif before and not problems:
            _log.info("the load balancer of *.apps is followed again")
            self._announce(about, FOLLOWED, "The load balancer of *.apps is followed again.", warning=False)
        self._announcer.flush()

    def _announce(self, about: JsonObject | None, reason: str, note: str, *, warning: bool) -> None:
        if about is not None:
            self._announcer.announce(Event(reference_to(about), reason, ACTION, note, warning, recurs=True))


def _service(observed: Observed) -> JsonObject | None:
    for each in observed.services:
        if f"{each['metadata'].get('namespace')}/{each['metadata'].get('name')}" == SERVICE:
            return each
    return observed.infrastructure
