"""Columns in OVSDB's JSON notation and back, exactly (RFC 7047, 5.1).

Writing always spells a tuple as ``["set", [...]]``, of one element too, so that reading gives back the very same
column without a schema. A server spells a set of one as the bare element; `decode` then needs the column's `Kind`.
"""

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

from reconciler.plan.rows import Atom, Column, Ref


class Kind(Enum):
    """How many elements a column may have: exactly one, or a set of some; ``AS_WRITTEN`` believes the spelling."""

    AS_WRITTEN = "as written"
    ONE = "one"
    SET = "set"
    MAP = "map"


def encode(column: Column) -> Any:
    """Return the JSON for ``column``."""
    if isinstance(column, Ref):
        return ["uuid", column.uuid]
    if isinstance(column, tuple):
        return ["set", [encode(atom) for atom in column]]
    if isinstance(column, Mapping):
        return ["map", [[key, column[key]] for key in sorted(column)]]
    return column


def decode(value: Any, kind: Kind = Kind.AS_WRITTEN) -> Column:
    """Return the column that ``value`` spells; sets come sorted, an optional column is a set of none or one.

    Raises ValueError when ``value`` is no column at all.
    """
    if isinstance(value, list) and len(value) == 2 and value[0] == "map":
        return _map(value[1])
    if isinstance(value, list) and len(value) == 2 and value[0] == "set":
        elements = _set(value[1])
        return elements[0] if kind is Kind.ONE and len(elements) == 1 else elements
    atom = _atom(value)
    return (atom,) if kind is Kind.SET else atom


def sorted_set(atoms: Iterable[Atom]) -> tuple[Atom, ...]:
    """Return the atoms of one set in the one order that makes equal sets equal."""
    return tuple(sorted(atoms, key=_order))


def _order(atom: Atom) -> tuple[str, int, str]:
    if isinstance(atom, Ref):
        return ("ref", 0, atom.uuid)
    if isinstance(atom, str):
        return ("string", 0, atom)
    return ("integer", int(atom), "")


def _atom(value: Any) -> Atom:
    if isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, list) and len(value) == 2 and value[0] == "uuid" and isinstance(value[1], str):
        return Ref(value[1])
    raise ValueError(f"{str(value)[:80]!r} is no value of a column")


def _set(values: Any) -> tuple[Atom, ...]:
    if not isinstance(values, list):
        raise ValueError("a set needs a list of elements")
    return sorted_set(_atom(value) for value in values)


def _map(pairs: Any) -> dict[str, str]:
    if not isinstance(pairs, list):
        raise ValueError("a map needs a list of pairs")
    result = {}
    for pair in pairs:
        if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) for part in pair)):
            raise ValueError("a map needs pairs of strings")
        result[pair[0]] = pair[1]
    return result
