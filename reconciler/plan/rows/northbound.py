"""The part of the OVN Northbound schema that plans use: tables, planned columns, references between them.

Source: OVN 25.03, ``ovn-nb.ovsschema`` 7.11.0. A column of at most one value is a tuple of none or one, a set is a
sorted tuple, a map is a mapping, everything else is one atom, so an observed and a planned row compare equal.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from ovnguard.reconciler.plan.rows.row import (
    DATABASE_ID_TABLES,
    ID_KEY,
    OWNER,
    OWNER_KEY,
    Column,
    Ref,
    Row,
    identity_of,
    row_uuid,
)

_MAP: Final[Mapping[str, str]] = MappingProxyType({})
_SET: Final[tuple[str, ...]] = ()

# Every planned row has exactly these columns, with these empty values as defaults; other columns belong to northd or
# other writers, and no plan changes them. The order of tables is the order of creation.
PLANNED: Final[Mapping[str, Mapping[str, Column]]] = MappingProxyType(
    {
        "Meter_Band": {"action": "drop", "rate": 0, "burst_size": 0, "external_ids": _MAP},
        "Meter": {"name": "", "unit": "pktps", "fair": _SET, "bands": _SET, "external_ids": _MAP},
        "Copp": {"name": "", "meters": _MAP, "external_ids": _MAP},
        "Load_Balancer": {
            "name": "",
            "protocol": _SET,
            "vips": _MAP,
            "selection_fields": _SET,
            "options": _MAP,
            "external_ids": _MAP,
        },
        "Load_Balancer_Group": {"name": "", "load_balancer": _SET},
        "Address_Set": {"name": "", "addresses": _SET, "external_ids": _MAP},
        "Gateway_Chassis": {"name": "", "chassis_name": "", "priority": 0, "options": _MAP, "external_ids": _MAP},
        "Logical_Router_Port": {
            "name": "",
            "mac": "",
            "networks": _SET,
            "peer": _SET,
            "options": _MAP,
            "gateway_chassis": _SET,
            "ipv6_ra_configs": _MAP,
            "external_ids": _MAP,
        },
        "Logical_Router_Static_Route": {
            "route_table": "",
            "ip_prefix": "",
            "policy": _SET,
            "nexthop": "",
            "output_port": _SET,
            "options": _MAP,
            "external_ids": _MAP,
        },
        "Logical_Router_Policy": {
            "priority": 0,
            "match": "",
            "action": "",
            "nexthops": _SET,
            "options": _MAP,
            "external_ids": _MAP,
        },
        "NAT": {
            "type": "snat",
            "external_ip": "",
            "logical_ip": "",
            "logical_port": _SET,
            "match": "",
            "external_port_range": "",
            "allowed_ext_ips": _SET,
            "exempted_ext_ips": _SET,
            "options": _MAP,
            "external_ids": _MAP,
        },
        "Logical_Router": {
            "name": "",
            "ports": _SET,
            "static_routes": _SET,
            "policies": _SET,
            "nat": _SET,
            "load_balancer": _SET,
            "load_balancer_group": _SET,
            "copp": _SET,
            "options": _MAP,
            "external_ids": _MAP,
        },
        "ACL": {
            "direction": "",
            "priority": 0,
            "match": "",
            "action": "",
            "meter": _SET,
            "tier": 0,
            "options": _MAP,
            "external_ids": _MAP,
        },
        "DHCP_Options": {"cidr": "", "options": _MAP, "external_ids": _MAP},
        "Logical_Switch_Port": {
            "name": "",
            "type": "",
            "addresses": _SET,
            "port_security": _SET,
            "enabled": _SET,
            "dhcpv4_options": _SET,
            "dhcpv6_options": _SET,
            "tag_request": _SET,
            "options": _MAP,
            "external_ids": _MAP,
        },
        "QoS": {"direction": "", "priority": 0, "match": "", "action": _MAP, "external_ids": _MAP},
        "Port_Group": {"name": "", "ports": _SET, "acls": _SET, "external_ids": _MAP},
        "Logical_Switch": {
            "name": "",
            "ports": _SET,
            "acls": _SET,
            "qos_rules": _SET,
            "load_balancer": _SET,
            "load_balancer_group": _SET,
            "other_config": _MAP,
            "external_ids": _MAP,
        },
        # refers to its router port by name, so only ovnguard removes it: created last, deleted first
        "Static_MAC_Binding": {"logical_port": "", "ip": "", "mac": "", "override_dynamic_mac": False},
    }
)

# Columns that refer to at most one row: unlike a set of references, such a column has one writer.
OPTIONAL_REFERENCES: Final = frozenset(
    (
        ("Logical_Router", "copp"),
        ("Logical_Switch_Port", "dhcpv4_options"),
        ("Logical_Switch_Port", "dhcpv6_options"),
        ("NAT", "allowed_ext_ips"),
        ("NAT", "exempted_ext_ips"),
    )
)

# Maps with numbers as values. Plans hold these as text, like the values of all other maps.
NUMBER_MAPS: Final = frozenset((("QoS", "action"),))


def tables() -> tuple[str, ...]:
    """Every table that a plan may have rows in, children before the tables that refer to them."""
    return tuple(PLANNED)


def new_row(table: str, columns: Mapping[str, Column], identity: str = "") -> Row:
    """Return a row of ``table`` with ovnguard's owner key, all planned columns and the UUID of its identity.

    ``identity`` goes into external_ids where the table has no identifying column; rows of some tables have
    OVN-Kubernetes' id instead, and then the same external_ids. Raises ValueError for a column that
    is not planned, or a row without identity.
    """
    planned = PLANNED[table]
    if unknown := columns.keys() - planned.keys():
        raise ValueError(f"{table} has no planned column {sorted(unknown)[0]!r}")
    filled = {**planned, **columns}
    if "external_ids" in planned:
        external_ids = columns.get("external_ids", _MAP)
        ours = {} if table in DATABASE_ID_TABLES else {OWNER_KEY: OWNER} | ({ID_KEY: identity} if identity else {})
        filled["external_ids"] = {**(external_ids if isinstance(external_ids, Mapping) else {}), **ours}
    found = identity_of(table, filled)
    if found is None:
        raise ValueError(f"a row of {table} without identity")
    frozen = {key: v if isinstance(v, str | int | tuple) else MappingProxyType(dict(v)) for key, v in filled.items()}
    return Row(table, row_uuid(table, *found), MappingProxyType(frozen))


def refs(rows: Iterable[Row]) -> tuple[Ref, ...]:
    """Return references to ``rows`` as the value of a set column."""
    return tuple(sorted(Ref(row.uuid) for row in rows))


def of_table(table: str, rows: Iterable[Row]) -> tuple[Ref, ...]:
    """Return references to those of ``rows`` that are in ``table``."""
    return refs(row for row in rows if row.table == table)
