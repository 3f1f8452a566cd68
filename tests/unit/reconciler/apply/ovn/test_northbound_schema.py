"""Only databases that know transit routers will do."""

import copy
from typing import Any

import pytest

from ovnguard.reconciler.apply.ovn.northbound_schema import ColumnType, parse_schema
from ovnguard.reconciler.apply.ovn.ovsdb_json import Kind
from ovnguard.reconciler.apply.store_errors import SchemaTooOldError
from ovnguard.reconciler.plan.rows.northbound import PLANNED


def schema(version: str = "7.11.0"):
    columns: dict[str, dict[str, Any]] = {
        table: {name: {"type": "string"} for name in planned} for table, planned in PLANNED.items()
    }
    reference = {"key": {"type": "uuid", "refTable": "Logical_Switch_Port"}, "min": 0, "max": "unlimited"}
    columns["Logical_Switch"]["ports"] = {"type": reference}
    columns["Logical_Switch"]["other_config"] = {
        "type": {"key": "string", "value": "string", "min": 0, "max": "unlimited"}
    }
    columns["Logical_Router_Port"]["peer"] = {"type": {"key": "string", "min": 0, "max": 1}}
    columns["Gateway_Chassis"]["priority"] = {"type": {"key": {"type": "integer", "minInteger": 0}}}
    columns["Logical_Switch"]["somebody_elses"] = {"type": "real"}
    return {"version": version, "tables": {table: {"columns": each} for table, each in columns.items()}}


def test_types_of_planned_columns():
    tables = parse_schema(schema(), "unix:nb").tables
    assert tables.keys() == PLANNED.keys()
    assert tables["Logical_Switch"]["ports"] == ColumnType(Kind.SET, is_reference_set=True)
    assert tables["Logical_Switch"]["other_config"] == ColumnType(Kind.MAP)
    assert tables["Logical_Router_Port"]["peer"] == ColumnType(Kind.SET)
    assert tables["Gateway_Chassis"]["priority"] == ColumnType(Kind.ONE)
    assert "somebody_elses" not in tables["Logical_Switch"]


def without(table: str, column: str | None = None):
    value = copy.deepcopy(schema())
    if column is None:
        del value["tables"][table]
    else:
        del value["tables"][table]["columns"][column]
    return value


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (schema("7.3.1"), "schema 7.3.1 knows no transit routers"),
        (without("Static_MAC_Binding"), "schema 7.11.0 has no table Static_MAC_Binding"),
        (without("ACL", "tier"), "schema 7.11.0 has no column tier in table ACL"),
    ],
)
def test_too_old(value, what):
    with pytest.raises(SchemaTooOldError) as raised:
        parse_schema(value, "unix:nb")
    assert str(raised.value) == (f"unix:nb: OVN_Northbound of {what}; OVN 25.03 (schema 7.11.0) or newer is needed")


@pytest.mark.parametrize("version", ["7.11.0", "7.12.0", "8.0.0"])
def test_newer_schema_is_accepted(version):
    assert parse_schema(schema(version), "unix:nb").version == version
