"""The schema of a Northbound database (RFC 7047, 3.2), checked against the needs of plans."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ovnguard.reconciler.apply.ovn.ovsdb_json import Kind
from ovnguard.reconciler.apply.store_errors import SchemaTooOldError
from ovnguard.reconciler.plan.rows.northbound import PLANNED

DATABASE: Final = "OVN_Northbound"
# Transit routers came with OVN 25.03 (its NEWS, 2025-03-07); this is the schema version that release ships.
NEEDED: Final = (7, 11, 0)
NEEDED_RELEASE: Final = "OVN 25.03"


@dataclass(frozen=True, slots=True)
class ColumnType:
    """The number of elements of a column, and whether it is a set of references, which several writers may share."""

    kind: Kind
    is_reference_set: bool = False


@dataclass(frozen=True, slots=True)
class Schema:
    """The planned tables and columns with their types, and the schema's version as the server reports it."""

    version: str
    tables: Mapping[str, Mapping[str, ColumnType]]


def parse_schema(value: Any, remote: str) -> Schema:
    """Return the planned tables in a server's answer to ``get_schema``.

    Raises SchemaTooOldError when the schema is older than `NEEDED` or lacks a planned table or column.
    """
    version = str(value.get("version", "0.0.0"))
    if tuple(int(part) for part in version.split(".") if part.isdigit()) < NEEDED:
        raise _too_old(remote, version, "knows no transit routers")
    tables: dict[str, dict[str, ColumnType]] = {}
    for table, planned in PLANNED.items():
        columns = value["tables"].get(table, {}).get("columns")
        if columns is None:
            raise _too_old(remote, version, f"has no table {table}")
        for name in planned:
            if name not in columns:
                raise _too_old(remote, version, f"has no column {name} in table {table}")
            tables.setdefault(table, {})[name] = column_type(columns[name]["type"])
    return Schema(version, tables)


def _too_old(remote: str, version: str, what: str) -> SchemaTooOldError:
    needed = ".".join(map(str, NEEDED))
    return SchemaTooOldError(
        f"{remote}: {DATABASE} of schema {version} {what}; {NEEDED_RELEASE} (schema {needed}) or newer is needed"
    )


def column_type(column: Any) -> ColumnType:
    """Return the type that a schema gives to a column (RFC 7047, 3.2)."""
    if isinstance(column, str):
        return ColumnType(Kind.ONE)
    if "value" in column:
        return ColumnType(Kind.MAP)
    key = column["key"]
    at_most_one = column.get("max", 1) == 1
    exactly_one = at_most_one and column.get("min", 1) == 1
    refers = isinstance(key, dict) and "refTable" in key
    return ColumnType(Kind.ONE if exactly_one else Kind.SET, refers and not at_most_one)
