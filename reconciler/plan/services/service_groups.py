"""Services in the rows of their networks: load balancers, and where they stand.

A load balancer of the whole cluster is in the network's group of load balancers, one of a node stands on the node's
switch and gateway router. Rows of unchanged services stay the same objects.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType

from ovnguard.reconciler.plan.numbers.memo import Memo
from ovnguard.reconciler.plan.numbers.network_ids import NetworkIds
from ovnguard.reconciler.plan.rows.names import Names
from ovnguard.reconciler.plan.rows.northbound import refs
from ovnguard.reconciler.plan.rows.row import Column, Ref, Row, row_uuid
from ovnguard.reconciler.plan.rows.service_model import Service
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.services.load_balancers import LoadBalancers, load_balancers, place_of
from ovnguard.reconciler.plan.topology.pod_ports import pod_switch
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import Network, Role

_Made = dict[str, tuple[Service, LoadBalancers]]


@dataclass(frozen=True, slots=True)
class _Standing:
    """Load balancers of one network on one node, by the UUIDs of the rows that they stand on, with references."""

    rows: Mapping[str, Sequence[Row]]
    references: Mapping[str, tuple[Ref, ...]]


def with_services(
    groups: Mapping[str, tuple[Row, ...]],
    node: Node,
    networks: Sequence[Network],
    ids: Mapping[str, NetworkIds],
    settings: Settings,
    memo: Memo,
) -> Mapping[str, tuple[Row, ...]]:
    """Return the row groups of a node's zone, with the load balancers of the services in ``settings``."""
    services = settings.balanced_services
    whole = dict(groups)
    for network in networks if services else ():
        rows, found = groups.get(network.name), services.get(network.name)
        if rows is None or not found or node.gateway is None or network.role is not Role.PRIMARY:
            continue
        numbers = ids[network.name]
        made: _Made = memo.of(f"load balancers on {node.name}", network, numbers, dict)
        make = partial(_standing, network, node, found, settings, made)
        standing = memo.of(f"services on {node.name}", network, numbers, make, found)
        join = partial(_joined, rows, standing)
        whole[network.name] = memo.of(f"services among rows of {node.name}", network, numbers, join, (rows, standing))
    return whole


def _standing(network: Network, node: Node, services: Sequence[Service], settings: Settings, made: _Made) -> _Standing:
    """``made`` are earlier load balancers of the same services; it contains the current ones afterwards."""
    place = place_of(network, node, settings)
    now: _Made = {}
    for service in services:
        known = made.get(service.name)
        is_same = known is not None and (known[0] is service or known[0] == service)
        now[service.name] = known if known is not None and is_same else (service, load_balancers(service, place))
    made.clear()
    made.update(now)
    found = [each for _, each in now.values()]
    names = Names(network.name)
    rows = {
        row_uuid("Load_Balancer_Group", names.load_balancer_group): [row for each in found for row in each.everywhere],
        row_uuid("Logical_Switch", pod_switch(network, node.name)): [row for each in found for row in each.on_switch],
        row_uuid("Logical_Router", names.gateway_router(node.name)): [row for each in found for row in each.on_router],
    }
    return _Standing(rows, {holder: refs(each) for holder, each in rows.items()})


def _joined(rows: Sequence[Row], standing: _Standing) -> tuple[Row, ...]:
    """``rows`` with the load balancers that stand on any of them; a network may have no gateway router on a node."""
    holders = standing.references.keys() & {row.uuid for row in rows}
    balancers = {row.uuid: row for holder in holders for row in standing.rows[holder]}
    return (*balancers.values(), *(_with(row, standing.references.get(row.uuid, ())) for row in rows))


def _with(row: Row, references: tuple[Ref, ...]) -> Row:
    if not references:
        return row
    columns: dict[str, Column] = {**row.columns, "load_balancer": references}
    return replace(row, columns=MappingProxyType(columns))
