"""What OVN-Kubernetes leaves in a zone after a change: rows as they were planned before it.

The plan of a zone lacks these rows on purpose. A row of the zone is one of them only if it is exactly such a row in its
place.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from ovnguard.reconciler.plan.comparison.identities import IdentifiedRow
from ovnguard.reconciler.plan.comparison.left_out import Reason
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.rows.model import ActiveNodes, PodPort
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.topology.pod_ports import joined, pod_port_rows, pod_switch
from ovnguard.validators.network.model import DEFAULT_NETWORK

_CHASSIS: Final = "requested-chassis"
# What ovnkube-node names a chassis by.
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def rows_left_behind(
    desired: DesiredState, node: str, reason: Reason, found: Mapping[str, IdentifiedRow]
) -> Sequence[Row]:
    """Return all rows of the zone of ``node`` as they were planned before the change that ``reason`` is about.

    ``found`` are the rows of the zone that may be left behind, by identity: of some ports, only they contain the
    network or the chassis.
    """
    match reason:
        case Reason.REFUSED | Reason.STRANDED | Reason.DETACHED:
            return _with_ports(desired, node, found)
        case Reason.UPGRADED:
            earlier = tuple(each._replace(topology_version="") if each.name == node else each for each in desired.nodes)
            return _planned(replace(desired, nodes=earlier), node, desired.settings)
        case _:
            return _planned(desired, node, _earlier_settings(desired, node, reason))


def _earlier_settings(desired: DesiredState, node: str, reason: Reason) -> Settings:
    settings = desired.settings
    if reason is Reason.IDLE:
        return replace(settings, active=tuple(_used_on(node, each) for each in settings.active))
    if reason is Reason.UNSERVED:
        services = (replace(each, network=DEFAULT_NETWORK) for each in settings.egress_services)
        return replace(settings, egress_services=tuple(services))
    subnets = {each.name: tuple(subnet.cidr for subnet in each.subnets) for each in desired.judged.ready}
    return replace(settings, advertised={**subnets, **settings.advertised})


def _used_on(node: str, active: ActiveNodes) -> ActiveNodes:
    return active if active.has_rows(node) else replace(active, grace=active.grace | {node})


def _planned(desired: DesiredState, node: str, settings: Settings) -> Sequence[Row]:
    judged = desired.judged
    held = {**judged.reserved, **desired.held}
    plan = make_plan(judged.ready, desired.nodes, settings, (node,), held, None, desired.pods)
    return [row for zone in plan.zones for row in zone.rows]


def _with_ports(desired: DesiredState, node: str, found: Mapping[str, IdentifiedRow]) -> Sequence[Row]:
    """The rows of the zone with those ports among ``found`` that pods have by their records."""
    rows = next((zone.rows for zone in desired.plan.zones if zone.node == node), ())
    networks = {network.name: network for network in desired.judged.ready}
    chassis = {each.name: each.chassis_id for each in desired.nodes}
    known = frozenset(chassis.values())
    whole = tuple(rows)
    for port in _ports(desired, found):
        network = networks[port.network]
        where = chassis.get(port.node) or _unknown(found[port.name], known)
        made = pod_port_rows(port, network, where, desired.settings, remote=port.node != node)
        whole = joined(whole, pod_switch(network, node), made)
    return whole


def _ports(desired: DesiredState, found: Mapping[str, IdentifiedRow]) -> Iterator[PodPort]:
    for port in (each for ports in desired.pods.values() for each in ports):
        if port.name in found:
            yield port
    networks = {network.name: network for network in desired.judged.ready}
    for port in desired.detached:
        # the attachment is gone, so only the row tells which network it was of
        network = networks.get(found[port.name].network) if port.name in found else None
        subnets = [subnet.cidr for subnet in network.subnets] if network is not None else []
        fits = all(any(each in subnet for subnet in subnets) for each in port.addresses)
        if network is not None and fits and bool(port.addresses) is bool(subnets):
            yield replace(port, network=network.name)


def _unknown(row: IdentifiedRow, known: Collection[str]) -> str:
    """The chassis that a port names, '' if it is that of a node or a name that may be that of a host."""
    named = row.entry("options", _CHASSIS)
    return "" if named in known or _UUID.fullmatch(named) is None else named
