"""Changes of a zone's rows that somebody makes by hand: random ones, and look-alikes of what OVN-Kubernetes leaves."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from ovnguard.reconciler.plan.comparison.row_differences import Difference
from ovnguard.reconciler.plan.rows.row import Column, Ref, Row

Rows: TypeAlias = dict[str, Row]
# What a text may become, besides another one of the zone.
_TEXTS: Final = ("", "192.0.2.7", "192.0.2.0/24", "0a:58:c0:00:02:07", "ip4", "drop", "remote", "router", "false", "0")
_CLAIMS: Final = "external_ids"
_COPIED: Final = "c0c0c0c0-0000-4000-8000-000000000000"


def changed(rows: Sequence[Row], subjects: Sequence[Row], dice: random.Random) -> tuple[list[Row], str]:
    """Return ``rows`` with one change of one of ``subjects``, and what it is."""
    zone = {row.uuid: row for row in rows}
    row = dice.choice(subjects)
    kind = dice.choice((_drop, _copy, _move, _column, _column, _column, _claim))
    return list(kind(zone, row, dice).values()), f"{kind.__name__} {row.table} {' '.join(row.identity or (row.uuid,))}"


def _with(row: Row, name: str, value: Column) -> Row:
    return replace(row, columns={**row.columns, name: value})


def _refs(value: Column) -> list[Ref]:
    return [each for each in value if isinstance(each, Ref)] if isinstance(value, tuple) else []


def _holders(zone: Rows, row: Row) -> list[tuple[Row, str]]:
    """The rows that refer to a row, with the column."""
    ref = Ref(row.uuid)
    return [(each, name) for each in zone.values() for name, value in each.columns.items() if ref in _refs(value)]


def _drop(zone: Rows, row: Row, dice: random.Random) -> Rows:
    del zone[row.uuid]
    for holder, name in _holders(zone, row):
        zone[holder.uuid] = _with(zone[holder.uuid], name, _less(zone[holder.uuid].columns[name], row))
    return zone


def _less(value: Column, row: Row) -> Column:
    return tuple(each for each in value if each != Ref(row.uuid)) if isinstance(value, tuple) else value


def _place(zone: Rows, row: Row, dice: random.Random) -> None:
    """Let a row of the kind that refers to such rows refer to this one."""
    kinds = {
        (each.table, name)
        for each in zone.values()
        for name, value in each.columns.items()
        if any(zone[ref.uuid].table == row.table for ref in _refs(value) if ref.uuid in zone)
    }
    if kinds:
        table, name = dice.choice(sorted(kinds))
        holder = dice.choice([each for each in zone.values() if each.table == table])
        value = holder.columns.get(name, ())
        zone[holder.uuid] = _with(holder, name, tuple(sorted({*_refs(value), Ref(row.uuid)})))


def _copy(zone: Rows, row: Row, dice: random.Random) -> Rows:
    """Another such row, elsewhere and with a column that differs."""
    made = Row(row.table, _COPIED, dict(row.columns))
    if "name" in made.columns:
        made = _with(made, "name", f"{made.columns['name']}-2")
    zone[made.uuid] = made
    _place(zone, made, dice)
    return _column(zone, made, dice)


def _move(zone: Rows, row: Row, dice: random.Random) -> Rows:
    for holder, name in _holders(zone, row):
        zone[holder.uuid] = _with(zone[holder.uuid], name, _less(zone[holder.uuid].columns[name], row))
    _place(zone, row, dice)
    return zone


def _claim(zone: Rows, row: Row, dice: random.Random) -> Rows:
    """The same row says that it is of another network or owner."""
    owners = [each.columns[_CLAIMS] for each in zone.values() if each.columns.get(_CLAIMS)]
    claims = dice.choice(owners)
    other = {"k8s.ovn.org/owner-type": "NetworkPolicy", "k8s.ovn.org/name": "blue:deny"}
    zone[row.uuid] = _with(row, _CLAIMS, dice.choice((claims, other)))
    return _column(zone, zone[row.uuid], dice)


def _column(zone: Rows, row: Row, dice: random.Random) -> Rows:
    name = dice.choice(sorted(row.columns))
    others = [each.columns[name] for each in zone.values() if each.table == row.table and name in each.columns]
    zone[row.uuid] = _with(row, name, _other(row.columns[name], others, dice))
    return zone


def _other(value: Column, others: Iterable[Column], dice: random.Random) -> Column:
    choices = [each for each in others if each != value]
    if choices and dice.random() < 0.5:
        return dice.choice(choices)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + dice.choice((-1, 1, 1000))
    if isinstance(value, str):
        return dice.choice(_TEXTS)
    if isinstance(value, tuple):
        left = list(value)
        if left and dice.random() < 0.5:
            left.remove(dice.choice(left))
        elif not _refs(value):
            left.append(dice.choice(_TEXTS[1:]))
        return tuple(left)
    whole = dict(value)
    key = dice.choice([*sorted(whole), "somebody"])
    if key in whole and dice.random() < 0.5:
        del whole[key]
    else:
        whole[key] = dice.choice(_TEXTS)
    return whole


def looking_like(rows: Sequence[Row], differences: Sequence[Difference]) -> list[Row]:
    """The rows that differ from the plan; of rows without a name, those of their table and network."""
    named = {(each.table, each.identity) for each in differences}
    kinds = {(each.table, each.network) for each in differences}
    found = []
    for row in rows:
        name = row.entry("external_ids", "k8s.ovn.org/id") or str(row.columns.get("name", ""))
        if (row.table, name) in named or (not name and (row.table, row.network) in kinds):
            found.append(row)
    return found
