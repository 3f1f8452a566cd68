"""The archive of docs/support.md: our own manifests as a must-gather, with rows that are not as planned.

``python -m tests.support.example_archive`` writes it again.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final

from ovnguard.reconciler.apply.ovn.ovsdb_json import row_json
from ovnguard.reconciler.commands.manifests import manifests_of
from ovnguard.reconciler.commands.planned_manifests import plan_manifests
from ovnguard.reconciler.plan.rows.northbound import PLANNED
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.validators.manifest.sources import read_sources
from tests.support.gathered_archive import Tables, cluster_version, packed, place_of, record, removed, row_of, zone_pod
from tests.support.paths import ROOT

PATH: Final = ROOT / "docs" / "examples" / "must-gather.tar.gz"
STORE: Final = "network_logs/ovnk_database_store"
_EXAMPLES: Final = ROOT / "deploy" / "examples"
_SOURCES: Final = ("valid/blue-layer2.yaml", "valid/default-network.yaml", "nodes")
_TYPES: Final = {str: "string", int: "integer", bool: "boolean"}


def contents() -> dict[str, bytes]:
    """The files of the archive, by name."""
    documents = read_sources([str(_EXAMPLES / each) for each in _SOURCES]).documents
    zones = plan_manifests(manifests_of(documents), {}).plan.zones
    objects = [*(each.value for each in documents), *(zone_pod(zone.node) for zone in zones), cluster_version()]
    files = {place_of(each): json.dumps(each, indent=1).encode() for each in objects}
    for zone in zones:
        files[f"{STORE}/ovnkube-node-{zone.node}_nbdb"] = database(zone.node, zone.rows, partial(_damage, zone.node))
    return files


def database(node: str, rows: Iterable[Row], change: Callable[[Tables], None] = lambda _: None) -> bytes:
    """The database of a node with planned rows, after a ``change``."""
    tables: Tables = {table: {} for table in PLANNED} | {"NB_Global": {_GLOBAL: {"name": node}}}
    for row in rows:
        tables[row.table][row.uuid] = row_json(row.columns)
    change(tables)
    return record(_schema()) + record(tables)


_GLOBAL: Final = "00000000-0000-4000-8000-000000000001"


def _damage(node: str, tables: Tables) -> None:
    """What hands changed: on one node a port is gone, on another a router answers with another MAC address."""
    if node == "worker-b":
        removed("Logical_Switch_Port", name="k8s-cluster_udn_blue_worker-b")(tables)
    elif node == "worker-c":
        port = row_of(tables, "Logical_Router_Port", name="trtos-cluster_udn_blue_ovn_layer2_switch")
        tables["Logical_Router_Port"][port]["mac"] = "0a:58:00:00:00:01"


def _schema() -> dict[str, Any]:
    """The part of the schema of OVN 25.03 that plans use."""
    tables: Mapping[str, Mapping[str, Any]] = {**PLANNED, "NB_Global": {"name": ""}}
    columns = {
        table: {name: {"type": _type(default)} for name, default in each.items()} for table, each in tables.items()
    }
    return {
        "name": "OVN_Northbound",
        "version": "7.11.0",
        "tables": {name: {"columns": each} for name, each in columns.items()},
    }


def _type(default: object) -> Any:
    if isinstance(default, (str, int)):
        return _TYPES[type(default)]
    is_map = isinstance(default, Mapping)
    return {"key": "string", "min": 0, "max": "unlimited", **({"value": "string"} if is_map else {})}


if __name__ == "__main__":
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_bytes(packed(contents()))
