"""One zone of a cluster that OVN-Kubernetes maintains, next to what is desired there."""

from collections.abc import Iterable
from typing import Final

from reconciler.plan.comparison.audit import ZoneAudit, audit
from reconciler.plan.desired_state import DesiredState
from reconciler.plan.rows.row import Row
from validators.network.model import DEFAULT_NETWORK

NOT_PLANNED: Final = "no zone is planned for this node; the notes and errors say why"


def audit_zone(desired: DesiredState, node: str, observed: Iterable[Row]) -> ZoneAudit:
    """Compare all rows of the zone of ``node`` with its plan.

    Networks that cannot be planned now are not judged, and neither is a default network that no object declares.
    """
    zone = next((each for each in desired.plan.zones if each.node == node), None)
    if zone is None:
        return ZoneAudit(fault=NOT_PLANNED)
    declared = {candidate.name for candidate in desired.candidates}
    unplanned = desired.unplanned_on(node) | ({DEFAULT_NETWORK} - declared)
    left_out = desired.left_out_on(node)
    return audit(observed, zone.rows, unplanned, left_out=left_out, policies=desired.policies)
