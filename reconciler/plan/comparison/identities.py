"""What identifies a row in OVN, in place of its UUID: two writers never give a row the same UUID.

A row with a name is identified by the name; an address set or port group by the ``k8s.ovn.org/id`` whose hash is its
name (ovn-kubernetes, ``pkg/libovsdb/ops/db_object_ids.go``); a row without a name by the row that refers to it and by
the columns that OVN matches with.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from ovnguard.reconciler.plan.rows.names import Names
from ovnguard.reconciler.plan.rows.row import Atom, Column, Ref, Row
from ovnguard.validators.network.model import DEFAULT_NETWORK

ID: Final = "k8s.ovn.org/id"
_CONTROLLER: Final = "k8s.ovn.org/owner-controller"
_OF_NETWORK: Final = "-network-controller"
# Keys of external_ids that only ovnguard writes and reads.
_OURS: Final = "ovnguard.io/"
_HASHED: Final = frozenset({"Address_Set", "Port_Group"})
_HASH: Final = re.compile(r"\ba\d{8,20}\b")
# Columns that identify a row without a name, together with the row that refers to it.
_KEYS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "ACL": ("direction", "priority", "match"),
        "BFD": ("logical_port", "dst_ip"),
        "DHCP_Options": ("external_ids", "cidr"),
        "DNS": ("external_ids", "records"),
        "HA_Chassis": ("chassis_name",),
        "Load_Balancer_Health_Check": ("vip",),
        "Logical_Router_Policy": ("priority", "match"),
        "Logical_Router_Static_Route": ("route_table", "ip_prefix", "policy", "nexthop", "output_port"),
        "Meter_Band": ("action", "rate", "burst_size"),
        "NAT": ("type", "logical_ip", "external_ip", "logical_port", "match", "allowed_ext_ips", "exempted_ext_ips"),
        "QoS": ("direction", "priority", "match"),
        "Static_MAC_Binding": ("logical_port", "ip"),
    }
)
# What belongs to the database itself and not to a network.
_ADMINISTRATION: Final = frozenset({"NB_Global", "Connection", "SSL"})
# What northd and the chassis write; a tag only where one is requested.
_STATE: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "BFD": frozenset({"status"}),
        "Gateway_Chassis": frozenset({"status"}),
        "Logical_Router_Port": frozenset({"ipv6_prefix", "status"}),
        "Logical_Switch_Port": frozenset({"up", "dynamic_addresses"}),
    }
)
# Between a row's owner and its own columns.
_OF: Final = " | "
# At most so many owners lead from a row to its network.
_DEPTH: Final = 4


@dataclass(frozen=True, slots=True)
class IdentifiedRow:
    """A row whose references are identities: ``columns`` are those with a value, single values as tuples of one."""

    table: str
    identity: str
    network: str
    columns: Mapping[str, Mapping[str, str] | tuple[str, ...]]
    references: frozenset[str] = frozenset()

    def entry(self, column: str, key: str) -> str:
        """Return the value of ``key`` in a map column, '' when there is none."""
        value = self.columns.get(column)
        return value.get(key, "") if isinstance(value, Mapping) else ""


def identified(rows: Iterable[Row]) -> Mapping[tuple[str, str], IdentifiedRow]:
    """Return ``rows`` by table and identity. Rows of one identity are numbered in the order of their content."""
    zone = _Zone({row.uuid: row for row in rows if row.table not in _ADMINISTRATION})
    groups: dict[tuple[str, str], list[IdentifiedRow]] = {}
    for each in map(zone.row, zone.rows.values()):
        groups.setdefault((each.table, each.identity), []).append(each)
    found = {}
    for (table, identity), same in groups.items():
        for number, each in enumerate(sorted(same, key=_content), 1):
            found[table, identity if number == 1 else f"{identity} #{number}"] = each
    return found


def _content(row: IdentifiedRow) -> str:
    return str([(name, _sorted_text(value)) for name, value in sorted(row.columns.items())])


def _sorted_text(value: Mapping[str, str] | tuple[str, ...]) -> str:
    return str(sorted(value.items())) if isinstance(value, Mapping) else str(value)


def owner_of(row: IdentifiedRow) -> str:
    """Return the identity of the row that refers to ``row`` and names it, '' for none."""
    return row.identity.rpartition(_OF)[0] if row.table in _KEYS else ""


def common_identity(one: IdentifiedRow, other: IdentifiedRow) -> str:
    """Return the part of their identities that two rows of the same table and owner have in common."""
    equal = (
        one.columns[key]
        for key in _KEYS[one.table]
        if key in one.columns.keys() & other.columns.keys() and one.columns[key] == other.columns[key]
    )
    return _OF.join(filter(None, (owner_of(one), " ".join(word for value in equal for word in _words(value)))))


class _Zone:
    """The rows of one database, the row that refers to each of them, and what the hashes in names stand for."""

    def __init__(self, rows: Mapping[str, Row]) -> None:
        self.rows = rows
        self._hashes = {str(row.columns.get("name")): row.entry("external_ids", ID) for row in self._hashed()}
        ports = (row for row in rows.values() if row.table == "Logical_Router_Port")
        self._router_ports: dict[object, Row] = {row.columns.get("name"): row for row in ports}
        # a group that no router has yet names its network only so
        networks = {row.network for row in rows.values()} - {""}
        self._groups = {Names(network).router_load_balancer_group: network for network in networks}
        self._owners: dict[str, str] = {}
        for row in sorted(rows.values(), key=lambda row: (row.table, str(row.columns.get("name", "")))):
            for value in row.columns.values():
                for other in _refs(value):
                    self._owners.setdefault(other.uuid, row.uuid)
        self._identities: dict[str, str] = {}

    def _hashed(self) -> Iterable[Row]:
        return (row for row in self.rows.values() if row.table in _HASHED and row.entry("external_ids", ID))

    def row(self, row: Row) -> IdentifiedRow:
        """Return ``row`` with identities in place of references and hashes."""
        left_out = _STATE.get(row.table, frozenset())
        if row.table == "Logical_Switch_Port" and row.columns.get("tag_request"):
            left_out |= {"tag"}
        columns = {
            name: text for name, value in row.columns.items() if name not in left_out and (text := self._value(value))
        }
        if row.table in _HASHED and "name" in columns:
            columns["name"] = (str(row.columns["name"]),)
        references = frozenset(name for name, value in row.columns.items() if _refs(value))
        return IdentifiedRow(row.table, self._identity(row), self._network(row), columns, references)

    def _identity(self, row: Row) -> str:
        if (known := self._identities.get(row.uuid)) is not None:
            return known
        # ends a circle of rows
        self._identities[row.uuid] = "itself"
        self._identities[row.uuid] = found = self._make_identity(row)
        return found

    def _make_identity(self, row: Row) -> str:
        if row.table in _HASHED and (made_for := row.entry("external_ids", ID)):
            return made_for
        keys = _KEYS.get(row.table)
        if keys is None:
            name = row.columns.get("name")
            return str(name) if name else "without a name"
        values = [value for key in keys if key in row.columns and (value := self._value(row.columns[key]))]
        text = " ".join(" ".join(_words(value)) for value in values)
        owner = self.rows.get(self._owners.get(row.uuid, ""))
        return f"{self._identity(owner)}{_OF}{text}" if owner is not None else text

    def _value(self, value: Column) -> Mapping[str, str] | tuple[str, ...]:
        """A column in one form for all writers; an empty one is false."""
        if isinstance(value, str | int | Ref):
            return (self._text(value),) if value else ()
        if isinstance(value, tuple):
            return tuple(sorted(map(self._text, value)))
        return {key: self._text(text) for key, text in value.items() if not key.startswith(_OURS)}

    def _text(self, value: Atom) -> str:
        if isinstance(value, Ref):
            other = self.rows.get(value.uuid)
            return "a row that is gone" if other is None else self._identity(other)
        if isinstance(value, bool):
            return "true" if value else "false"
        return _HASH.sub(lambda found: self._hashes.get(found[0], found[0]), str(value))

    def _network(self, row: Row, depth: int = _DEPTH) -> str:
        # of rows that the default network's controller makes for others
        named = row.entry("external_ids", "network") or row.network
        if named:
            return named
        bound = self._router_ports.get(row.columns.get("logical_port")) if row.table == "Static_MAC_Binding" else None
        owner = bound or self.rows.get(self._owners.get(row.uuid, ""))
        if owner is not None and depth:
            return self._network(owner, depth - 1)
        if row.table == "Load_Balancer_Group":
            return self._groups.get(str(row.columns.get("name")), DEFAULT_NETWORK)
        controller = row.entry("external_ids", _CONTROLLER)
        return controller.removesuffix(_OF_NETWORK) if controller.endswith(_OF_NETWORK) else DEFAULT_NETWORK


def _words(value: Mapping[str, str] | tuple[str, ...]) -> Iterable[str]:
    return (f"{key}={text}" for key, text in sorted(value.items())) if isinstance(value, Mapping) else value


def _refs(value: Column) -> tuple[Ref, ...]:
    if isinstance(value, Ref):
        return (value,)
    return tuple(each for each in value if isinstance(each, Ref)) if isinstance(value, tuple) else ()
