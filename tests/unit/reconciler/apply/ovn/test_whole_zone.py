from typing import Any, cast

import pytest

from ovnguard.reconciler.apply.ovn.session import Session
from ovnguard.reconciler.apply.ovn.whole_zone import whole_zone
from ovnguard.reconciler.apply.store_errors import StoreError
from ovnguard.reconciler.plan.rows.row import Ref, Row

DATABASE = {
    "tables": {
        "QoS": {"columns": {"action": {"type": {"key": "string", "value": "integer", "min": 0, "max": "unlimited"}}}},
        "Port": {
            "columns": {
                "name": {"type": "string"},
                "enabled": {"type": {"key": "boolean", "min": 0, "max": 1}},
                "peers": {"type": {"key": {"type": "uuid", "refTable": "Port"}, "min": 0, "max": "unlimited"}},
            }
        },
    }
}


class Server:
    """A session that answers with these rows."""

    remote = "unix:x"

    def __init__(self, *rows: list[dict[str, Any]]) -> None:
        self._rows = rows
        self.asked: list[Any] = []

    def call(self, method, params):
        assert (method, params) == ("get_schema", ["OVN_Northbound"])
        return DATABASE

    def transact(self, operations):
        self.asked += operations
        return [{"rows": rows} for rows in self._rows]


def test_every_row_is_read_with_the_columns_of_the_schema():
    port = {"_uuid": ["uuid", "p"], "_version": ["uuid", "v"], "name": "x", "enabled": False, "peers": ["uuid", "q"]}
    server = Server([{"_uuid": ["uuid", "q"], "action": ["map", [["mark", 42]]]}], [port])
    assert whole_zone(cast(Session, server)) == (
        Row("QoS", "q", {"action": {"mark": "42"}}),
        Row("Port", "p", {"name": "x", "enabled": (False,), "peers": (Ref("q"),)}),
    )
    assert server.asked == [
        {"op": "select", "table": "QoS", "where": []},
        {"op": "select", "table": "Port", "where": []},
    ]


def test_a_value_outside_the_ovsdb_notation_is_an_error():
    server = Server([], [{"_uuid": ["uuid", "p"], "name": ["x"]}])
    with pytest.raises(StoreError, match=r"^unix:x: not a value of OVSDB: \['x'\]$"):
        whole_zone(cast(Session, server))
