import pytest

from reconciler.apply.ovn.whole_zone import decoded_row, select_tables, selected_rows, whole_schema
from reconciler.plan.rows import Ref, Row

SCHEMA = whole_schema(
    {
        "tables": {
            "QoS": {
                "columns": {"action": {"type": {"key": "string", "value": "integer", "min": 0, "max": "unlimited"}}}
            },
            "Port": {
                "columns": {
                    "name": {"type": "string"},
                    "enabled": {"type": {"key": "boolean", "min": 0, "max": 1}},
                    "peers": {"type": {"key": {"type": "uuid", "refTable": "Port"}, "min": 0, "max": "unlimited"}},
                }
            },
        }
    }
)


def test_every_row_is_read_with_the_columns_of_the_schema():
    assert select_tables(SCHEMA) == [
        {"op": "select", "table": "QoS", "where": []},
        {"op": "select", "table": "Port", "where": []},
    ]
    port = {"_uuid": ["uuid", "p"], "_version": ["uuid", "v"], "name": "x", "enabled": False, "peers": ["uuid", "q"]}
    qos = {"_uuid": ["uuid", "q"], "action": ["map", [["mark", 42]]]}
    assert selected_rows(SCHEMA, [{"rows": [qos]}, {"rows": [port]}]) == (
        Row("QoS", "q", {"action": {"mark": "42"}}),
        Row("Port", "p", {"name": "x", "enabled": (False,), "peers": (Ref("q"),)}),
    )


def test_a_value_that_is_none_of_ovsdb_is_refused():
    with pytest.raises(ValueError, match="not a value of OVSDB"):
        decoded_row(SCHEMA, "Port", "p", {"name": ["x"]})
