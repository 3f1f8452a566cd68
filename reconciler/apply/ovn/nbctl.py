"""Operations as ovn-nbctl commands, to read, keep or run by hand.

One ovn-nbctl call per network is one transaction, as ovn-nbctl(8) has it. The database commands ``create``, ``set``,
``add``, ``remove`` and ``destroy`` accept every table and column, and ``--id=UUID`` sets the identity that marks a row
as ovnguard's.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from shlex import quote

from ovnguard.reconciler.apply.ovn.ownership import SHARED, Networks, is_connection_acl
from ovnguard.reconciler.apply.ovn.row_notes import IDS, noted
from ovnguard.reconciler.plan.rows.northbound import NUMBER_MAPS, PLANNED
from ovnguard.reconciler.plan.rows.row import Column, Operation, Ref, Row, network_of

# Text that ovn-nbctl reads as a string without quotes (ovsdb_atom_from_string); other text is quoted.
_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_WORDS = frozenset(("true", "false"))
# Rows that NAT refers to. ovn-nbctl leaves the deletion of a removed router's NAT to the server, which checks
# references first, so these rows need a separate transaction (ovsdb/transaction.c, update_ref_counts).
_LAST = frozenset(("Address_Set",))


def nbctl_script(operations: Sequence[Operation], observed: Iterable[Row] = (), command: str = "ovn-nbctl") -> str:
    """Return a shell script that applies ``operations``, the difference to ``observed``; '' without operations."""
    before = {row.uuid: row for row in observed}
    wholes = [{**_columns(before, operation), **operation.row} for operation in operations]
    networks = Networks({network_of(columns) for columns in wholes})
    calls: dict[tuple[int, str], list[list[str]]] = {}
    for operation, columns in zip(operations, wholes, strict=True):
        network = networks.of(operation.table, columns)
        if is_connection_acl(operation.table, columns):
            if operation.op == "delete":
                # goes with the last switch that refers to it, and comes with the first
                continue
            pairs = zip(operations, wholes, strict=True)
            holders = (pair for pair in pairs if Ref(operation.uuid) in _items(pair[0].row.get("acls")))
            network = min((networks.of(each.table, whole) for each, whole in holders), default=SHARED)
        for place, commands in _placed(operation, network, _columns(before, operation)):
            calls.setdefault((place, network), []).extend(commands)
    return "".join(_call(command, network, found) for (_, network), found in sorted(calls.items()) if found)


def _placed(operation: Operation, network: str, was: Mapping[str, Column]) -> Iterator[tuple[int, Iterable[list[str]]]]:
    """The commands of an operation by the order of their call; members of a shared group come after their networks."""
    members = operation.row.get("load_balancer")
    if network != SHARED or operation.table != "Load_Balancer_Group" or members is None:
        yield _place(operation, network), _commands(operation, was)
        return
    rest = {name: value for name, value in operation.row.items() if name != "load_balancer"}
    yield _place(operation, network), _commands(replace(operation, row=rest), was)
    yield 2, _references(operation.table, operation.uuid, "load_balancer", members, was.get("load_balancer", ()))


def _place(operation: Operation, network: str) -> int:
    """The order of a call: shared rows are created before and destroyed after those of networks."""
    if operation.op == "delete" and operation.table in _LAST:
        return 2
    if network != SHARED:
        return 1
    return 3 if operation.op == "delete" else 0


def _columns(before: Mapping[str, Row], operation: Operation) -> Mapping[str, Column]:
    row = before.get(operation.uuid)
    return {} if row is None else row.columns


def _call(command: str, network: str, commands: Iterable[Sequence[str]]) -> str:
    head = f"# network {network}\n" if network else "# shared by all networks\n"
    lines = (f" \\\n  -- {' '.join(map(quote, words))}" for words in commands)
    return f"{head}{command}{''.join(lines)}\n"


def _commands(operation: Operation, was: Mapping[str, Column]) -> Iterator[list[str]]:
    table, uuid = operation.table, operation.uuid
    if operation.op == "delete":
        yield ["destroy", table, uuid]
    elif operation.op == "insert":
        columns = dict(operation.row)
        if IDS in PLANNED[table]:
            columns[IDS] = noted(operation.row)
        yield [
            f"--id={uuid}",
            "create",
            table,
            *(_setting(table, name, columns[name]) for name in sorted(columns) if columns[name]),
        ]
    else:
        yield from _update(table, uuid, was, operation.row)


def _update(table: str, uuid: str, was: Mapping[str, Column], row: Mapping[str, Column]) -> Iterator[list[str]]:
    """Change references one by one and maps key by key, as `reconciler.apply.ovn.shared_rows` does."""
    whole = {**was, **row}
    changed: dict[str, Column] = dict(row)
    if IDS in PLANNED[table]:
        changed[IDS] = noted(whole)
    for name in sorted(changed):
        value, before = changed[name], was.get(name, ())
        if isinstance(value, Mapping):
            yield from _map(table, uuid, name, value, before if isinstance(before, Mapping) else {})
        elif _refers(value) or _refers(before):
            yield from _references(table, uuid, name, value, before)
        elif value == ():
            yield ["clear", table, uuid, name]
        else:
            yield ["set", table, uuid, _setting(table, name, value)]


def _map(table: str, uuid: str, name: str, value: Mapping[str, str], before: Mapping[str, str]) -> Iterator[list[str]]:
    if gone := sorted(before.keys() - value.keys()):
        yield ["remove", table, uuid, name, *map(_text, gone)]
    for key in sorted(value):
        yield ["set", table, uuid, f"{name}:{_pair(table, name, key, value[key])}"]


def _references(table: str, uuid: str, name: str, value: Column, before: Column) -> Iterator[list[str]]:
    old, new = _uuids(before), _uuids(value)
    if gone := sorted(old - new):
        yield ["remove", table, uuid, name, *gone]
    if more := sorted(new - old):
        yield ["add", table, uuid, name, *more]


def _items(value: Column | None) -> Sequence[Column]:
    return value if isinstance(value, tuple) else ()


def _refers(value: Column) -> bool:
    return isinstance(value, Ref) or (isinstance(value, tuple) and any(isinstance(item, Ref) for item in value))


def _uuids(value: Column) -> set[str]:
    items = (value,) if isinstance(value, Ref) or not isinstance(value, tuple) else value
    return {item.uuid for item in items if isinstance(item, Ref)}


def _pair(table: str, name: str, key: str, value: str) -> str:
    return f"{_text(key)}={value if (table, name) in NUMBER_MAPS else _text(value)}"


def _setting(table: str, name: str, value: Column) -> str:
    if isinstance(value, Mapping):
        pairs = ",".join(_pair(table, name, key, value[key]) for key in sorted(value))
        return f"{name}={{{pairs}}}"
    if isinstance(value, tuple) and not isinstance(value, Ref):
        return f"{name}=[{','.join(map(_atom, value))}]"
    return f"{name}={_atom(value)}"


def _atom(value: object) -> str:
    if isinstance(value, Ref):
        return value.uuid
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else _text(str(value))


def _text(value: str) -> str:
    """A string for ovn-nbctl: quoted as JSON, unless it is unambiguous."""
    if _BARE.fullmatch(value) and value not in _WORDS:
        return value
    return json.dumps(value, ensure_ascii=False)
