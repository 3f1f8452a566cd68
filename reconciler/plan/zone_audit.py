"""One zone of a cluster that OVN-Kubernetes maintains, next to what is desired there."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from ovnguard.reconciler.plan.comparison.audit import ZoneAudit, audit
from ovnguard.reconciler.plan.comparison.coverage import EVERYTHING, Coverage
from ovnguard.reconciler.plan.comparison.left_out import LeftOut
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.reconciler.plan.left_behind import rows_left_behind
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.validators.network.model import DEFAULT_NETWORK, IPNetwork
from ovnguard.validators.network.ovnkube_settings.dynamic_allocation import selected_since

NOT_PLANNED: Final = "no zone is planned for this node; the notes and errors say why"


MARGIN: Final = 60.0
"""How many seconds after the grace period of a network OVN-Kubernetes may still delete its rows."""


def audit_zone(
    desired: DesiredState,
    node: str,
    observed: Iterable[Row],
    expired: frozenset[str] = frozenset(),
    coverage: Coverage = EVERYTHING,
) -> ZoneAudit:
    """Compare all rows of the zone of ``node`` with its plan.

    Networks that cannot be planned now are not judged, and neither is a default network that no object declares. The
    node has not used the networks ``expired`` for longer than their grace period. ``coverage`` says which objects are
    known.
    """
    zone = next((each for each in desired.plan.zones if each.node == node), None)
    if zone is None:
        return ZoneAudit(fault=NOT_PLANNED)
    declared = {candidate.name for candidate in desired.candidates}
    unplanned = desired.unplanned_on(node) | ({DEFAULT_NETWORK} - declared)
    left_out = replace(left_out_of(desired, node), expired=expired)
    return audit(observed, zone.rows, unplanned, left_out=left_out, policies=desired.policies, coverage=coverage)


def left_out_of(desired: DesiredState, node: str) -> LeftOut:
    """Return what the plan of ``node`` lacks on purpose, with the rows that may be left behind."""
    earlier = partial(rows_left_behind, desired, node)
    return replace(desired.left_out_on(node), used=frozenset(_used(desired)), earlier=earlier)


def _used(desired: DesiredState) -> Iterator[IPNetwork]:
    """The subnets of networks, of what connects them, and of the hosts."""
    settings = desired.settings
    yield from (subnet.cidr for network in desired.judged.ready for subnet in network.subnets)
    yield from (*settings.default_join_subnets, *settings.udn_join_subnets)
    yield from (*settings.transit_subnets, *settings.masquerade_subnets)
    yield from (each.network for node in desired.nodes for each in node.host_cidrs)


def expired_networks(desired: DesiredState, node: str, now: datetime) -> frozenset[str]:
    """Return the networks that ``node`` has not used since their condition changed, longer ago than a grace period."""
    before = now - timedelta(seconds=desired.settings.grace_period + MARGIN)
    idle = desired.left_out_on(node).idle
    changes = ((each.name, selected_since(each.object)) for each in desired.candidates if each.name in idle)
    return frozenset(name for name, moment in changes if moment is not None and moment < before)
