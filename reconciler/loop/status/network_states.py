"""The state of a network in one word, for metrics: the reason of its condition that is not true."""

from typing import Final

from ovnguard.reconciler.loop.status.network_status import (
    CONFLICT,
    EXHAUSTED,
    NOT_PLANNED,
    REFUSED,
    StatusReason,
    objection_to,
)
from ovnguard.reconciler.loop.status.report_folding import REASONS, Standing
from ovnguard.reconciler.loop.status.unenforced_status import UNENFORCED
from ovnguard.reconciler.loop.status.zones_ready import READY
from ovnguard.reconciler.plan.inputs.candidates import Candidate

UNKNOWN: Final = "Unknown"
"""The network is being deleted, or the nodes that use it are not known yet."""
NETWORK_STATES: Final = (READY, *sorted({CONFLICT, EXHAUSTED, NOT_PLANNED, REFUSED, UNENFORCED, *REASONS}), UNKNOWN)


def state_of(candidate: Candidate, error: StatusReason | None, standing: Standing | None) -> str:
    """Return the state: one of `NETWORK_STATES`.

    ``error`` is why the network cannot be planned; ``standing`` is where it stands in its zones, None if unknown.
    """
    objection = objection_to(candidate, error)
    if objection is not None:
        return objection.reason
    if standing is None:
        return UNKNOWN
    return READY if standing.trouble is None else standing.trouble.reason
