"""Pods with another primary network: on the default network only their node reaches them, for probes.

They keep a port there, because kubelet knows no other address of theirs. A port group holds these ports, and its ACLs
drop everything but traffic of the node's management port. A pod may open ports to all.

Source: ovn-kubernetes ``pkg/ovn/udn_isolation.go``.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from ovnguard.reconciler.plan.rows.model import OpenPort, PodPort
from ovnguard.reconciler.plan.rows.names import Names, address_set_hash
from ovnguard.reconciler.plan.rows.northbound import new_row, of_table
from ovnguard.reconciler.plan.rows.row import DATABASE_ID, Column, Ref, Row, row_uuid
from ovnguard.reconciler.plan.topology.acls import DIRECTIONS, FROM, PORTS, TO, Acl
from ovnguard.reconciler.plan.topology.common_rows import match_name, owner_ids
from ovnguard.reconciler.plan.topology.database_ids import NAME, database_ids
from ovnguard.validators.network.model import DEFAULT_NETWORK, IPAddress, Network

_OWNER_TYPE: Final = "UDNIsolation"
_CONTROLLER: Final = Names(DEFAULT_NETWORK).controller
# The name is from a time when these networks were called secondary.
_GROUP_IDS: Final = database_ids(_CONTROLLER, _OWNER_TYPE, {NAME: "SecondaryPods"})
ISOLATED_PODS: Final = address_set_hash(_GROUP_IDS[DATABASE_ID])
_ALLOW: Final = 1001
_DENY: Final = 1000


def isolation_rows(network: Network, node: Sequence[IPAddress]) -> tuple[Row, ...]:
    """Return the port group, still without pods, and its ACLs; ``node`` are the addresses of the management port."""
    group = {direction: f"{port} == @{ISOLATED_PODS}" for direction, port in PORTS.items()}
    sources = " || ".join(f"{match_name(each.version)}.src=={each}" for each in node)
    acls = [_acl(network, "AllowHostPrimaryUDN", Acl(TO, _ALLOW, f"{group[TO]} && ({sources})", "allow-related"))]
    for direction, ports in group.items():
        resolution = " || ".join(_resolution(each, direction) for each in node)
        acls += (
            _acl(network, "AllowHostARPPrimaryUDN", Acl(direction, _ALLOW, f"{ports} && ({resolution})", "allow")),
            _acl(network, "DenyPrimaryUDN", Acl(direction, _DENY, ports, "drop")),
        )
    columns: dict[str, Column] = {
        "name": ISOLATED_PODS,
        "acls": of_table("ACL", acls),
        "external_ids": _GROUP_IDS | owner_ids(network),
    }
    return (*acls, new_row("Port_Group", columns))


def with_isolated_pods(rows: Iterable[Row], network: Network, pods: Iterable[PodPort]) -> tuple[Row, ...]:
    """Return the default network's ``rows`` with the isolated ones of ``pods`` in the port group."""
    isolated = [pod for pod in pods if pod.isolated]
    acls = [acl for pod in isolated if pod.open_ports for acl in _open_port_acls(network, pod)]
    ports = tuple(sorted(Ref(row_uuid("Logical_Switch_Port", pod.name)) for pod in isolated))
    whole = (_joined(row, ports, acls) if row.columns.get("name") == ISOLATED_PODS else row for row in rows)
    return (*acls, *whole) if isolated else tuple(rows)


def _joined(group: Row, ports: tuple[Ref, ...], acls: Sequence[Row]) -> Row:
    own = group.columns["acls"]
    whole = tuple(sorted((*(own if isinstance(own, tuple) else ()), *of_table("ACL", acls))))
    return replace(group, columns=MappingProxyType({**group.columns, "ports": ports, "acls": whole}))


def _resolution(address: IPAddress, direction: str) -> str:
    """Address resolution by and for the management port."""
    if address.version == 6:
        return f"( nd && nd.target == {address} )"
    return f"( arp && arp.{'s' if direction == TO else 't'}pa == {address} )"


def _open_port_acls(network: Network, pod: PodPort) -> tuple[Row, Row]:
    opened = " || ".join(map(_opened, pod.open_ports))
    matches = {
        TO: f'outport == "{pod.name}" && (arp || nd || ({opened}))',
        FROM: f'inport == "{pod.name}" && (arp || nd)',
    }
    actions = {TO: "allow-related", FROM: "allow"}
    first, second = (
        _acl(network, f"OpenPort-{pod.title}", Acl(direction, _ALLOW, match, actions[direction]))
        for direction, match in matches.items()
    )
    return first, second


def _opened(port: OpenPort) -> str:
    return port.protocol if port.port is None else f"{port.protocol}.dst == {port.port}"


def _acl(network: Network, name: str, acl: Acl) -> Row:
    ids = database_ids(_CONTROLLER, _OWNER_TYPE, {NAME: name, "direction": DIRECTIONS[acl.direction]})
    return acl.row(ids | owner_ids(network))
