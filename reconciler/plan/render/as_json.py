"""Rows, operations and plans as JSON, columns in the notation of OVSDB (RFC 7047, 5.1).

A reference is ``["uuid", U]``, a set ``["set", [...]]``, a map ``["map", [[key, value], ...]]`` sorted by key.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from ovnguard.reconciler.plan.bgp.advertisements import Result
from ovnguard.reconciler.plan.bgp.config_lines import without_secrets
from ovnguard.reconciler.plan.bgp.routing import Routing
from ovnguard.reconciler.plan.render.changes import NetworkChanges, RowChange, ZoneChange
from ovnguard.reconciler.plan.render.folding import FoldedText
from ovnguard.reconciler.plan.render.guesses import GUESS, NO_GUESSES, Guesses
from ovnguard.reconciler.plan.rows.northbound import NUMBER_MAPS
from ovnguard.reconciler.plan.rows.routing_model import Condition
from ovnguard.reconciler.plan.rows.row import Column, Operation, Ref, ZonePlan
from ovnguard.validators.base.json_types import Json, JsonObject
from ovnguard.validators.network.frr.frr_secrets import HIDDEN, with_passwords
from ovnguard.validators.network.parse_values import dig


def column_to_json(column: Column) -> Json:
    """Return a column's value in OVSDB notation."""
    if isinstance(column, str | int):
        return column
    if isinstance(column, Ref):
        return ["uuid", column.uuid]
    if isinstance(column, tuple):
        return ["set", [column_to_json(item) for item in column]]
    return ["map", [[key, column[key]] for key in sorted(column)]]


def operation_to_json(operation: Operation) -> JsonObject:
    """Return ``{"op", "table", "uuid", "row"}``."""
    row = columns_to_json(operation.table, operation.row)
    return {"op": operation.op, "table": operation.table, "uuid": operation.uuid, "row": row}


def zones_to_json(
    zones: Iterable[ZonePlan],
    operations: Mapping[str, Sequence[Operation]],
    hosts: Mapping[str, JsonObject] = MappingProxyType({}),
) -> JsonObject:
    """Return ``{"nodes": {NODE: {"operations": [...], "frr": TEXT, "host": {...}}}}``.

    ``operations`` and ``hosts``, the nodes' own network state, are by node name; a node without a host part has no key
    ``host``.
    """
    nodes = {
        zone.node: {
            "operations": [operation_to_json(operation) for operation in operations.get(zone.node, ())],
            "frr": zone.frr,
            **({"host": hosts[zone.node]} if zone.node in hosts else {}),
        }
        for zone in zones
    }
    return {"nodes": nodes}


def routing_to_json(routing: Routing) -> JsonObject:
    """Return ``{"documents": [...], "patches": [...], "statuses": [...], "default_network": {...}}``.

    Documents are whole objects, without passwords; patches the parts of other objects that should be so; statuses the
    conditions of objects, without their times. The state of a default network with an overlay is None.
    """
    statuses = [_status(result) for result in routing.results]
    statuses += [_transport(name, condition) for name, condition in sorted(routing.transports.items())]
    state = routing.default_state
    return {
        "documents": list(map(shown_configuration, routing.documents)),
        "patches": list(routing.patches),
        "statuses": statuses,
        "default_network": None if state is None else state._asdict(),
    }


def changes_to_json(networks: Iterable[NetworkChanges], frr: Iterable[FoldedText]) -> JsonObject:
    """Return ``{"networks": {NAME: [{"nodes": [...], "rows": [...]}]}, "frr": [{"nodes": [...], "diff": TEXT}]}``.

    A row is ``{"op", "table", "name", "columns": {COLUMN: {"old", "new"}}}``, its values as texts for people.
    """
    return {
        "networks": {
            each.network: [{"nodes": list(nodes), "rows": list(map(_row, rows))} for nodes, rows in each.folded]
            for each in networks
        },
        "frr": [{"nodes": list(nodes), "diff": "".join(f"{line}\n" for line in lines)} for nodes, lines in frr],
    }


def _row(row: RowChange) -> JsonObject:
    columns = {each.column: {"old": each.before, "new": each.after} for each in row.columns}
    return {"op": row.op, "table": row.table, "name": row.subject, "columns": columns}


def guesses_to_json(guesses: Guesses) -> JsonObject:
    """Return ``{NETWORK: {NODE: [SUBNET]}}``."""
    return {
        network: {node: list(map(str, subnets)) for node, subnets in nodes.items()}
        for network, nodes in guesses.subnets.items()
    }


def mark_guesses(value: JsonObject, zones: Iterable[ZoneChange]) -> None:
    """Add ``guessed``, the names of columns with guessed numbers, to operations of `zones_to_json`."""
    for zone in zones:
        networks = {each.uuid: name for name, own in zone.networks.items() for each in own}
        for operation in value["nodes"][zone.node]["operations"] if zone.guesses.subnets else ():
            network = networks.get(operation["uuid"], "")
            columns = operation["row"].items()
            guessed = [name for name, column in columns if zone.guesses.is_in(json.dumps(column), network)]
            operation.update({"guessed": guessed} if guessed else {})


def objects_as_yaml(routing: Routing, guesses: Guesses = NO_GUESSES) -> str:
    """Return the `shown_objects`, one document each; JSON is YAML. Comments mark lines with guessed numbers."""
    texts = (f"---\n{json.dumps(each, indent=2)}\n" for each in shown_objects(routing))
    lines = (line for text in texts for line in text.splitlines())
    return "".join(f"{line}  # {GUESS}\n" if guesses.is_in(line) else f"{line}\n" for line in lines)


def shown_objects(routing: Routing) -> tuple[JsonObject, ...]:
    """Return the objects that make routes, without passwords, and the parts of other objects that should be so."""
    return *map(shown_configuration, routing.documents), *routing.patches


def _transport(name: str, condition: Condition) -> JsonObject:
    return {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "ClusterUserDefinedNetwork",
        "metadata": {"name": name},
        "status": {"conditions": [_entry(condition)]},
    }


def _entry(condition: Condition) -> JsonObject:
    return {
        "type": condition.type,
        "status": str(condition.status),
        "reason": condition.reason,
        "message": condition.message,
    }


def _status(result: Result) -> JsonObject:
    return {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "RouteAdvertisements",
        "metadata": {"name": result.name},
        "status": {"status": result.status, "conditions": [_entry(result.condition)]},
    }


def columns_to_json(table: str, columns: Mapping[str, Column]) -> JsonObject:
    """Return columns of ``table`` in OVSDB notation, in the order of their names."""
    return {
        key: _numbers(columns[key]) if (table, key) in NUMBER_MAPS else column_to_json(columns[key])
        for key in sorted(columns)
    }


def _numbers(column: Column) -> Json:
    assert isinstance(column, Mapping), "a map of numbers"
    return ["map", [[key, int(text) if text.isdecimal() else text] for key, text in sorted(column.items())]]


def shown_configuration(obj: JsonObject) -> JsonObject:
    """Return an FRRConfiguration without passwords, also in raw configuration; another object is returned as it is."""
    if obj.get("kind") != "FRRConfiguration":
        return obj
    shown = with_passwords(obj, HIDDEN)
    text = dig(shown, "spec", "raw", "rawConfig")
    if not isinstance(text, str):
        return shown
    spec = shown["spec"]
    return {**shown, "spec": {**spec, "raw": {**spec["raw"], "rawConfig": without_secrets(text)}}}
