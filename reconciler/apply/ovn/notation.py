"""Columns from OVSDB's JSON notation (RFC 7047, 5.1).

`reconciler.plan.render.as_json` spells a set of one as a set, a server as its element; only the column's type tells
them apart from a single value.
"""

from enum import Enum
from sys import intern
from typing import Any

from reconciler.plan.rows import Atom, Column, Ref


class Kind(Enum):
    """How many elements a column has: exactly one, some (an optional one is none or one), or keys and values."""

    ONE = "one"
    SET = "set"
    MAP = "map"


def decode(value: object, kind: Kind | None = None) -> Column:
    """Return the column that ``value`` spells, sets sorted; None takes our own spelling at its word.

    Raises ValueError when ``value`` spells no column.
    """
    if isinstance(value, (str, int)):
        return (value,) if kind is Kind.SET else value
    # Comparisons by hand, for a zone has a quarter of a million of these.
    if isinstance(value, list) and len(value) == 2 and isinstance(value[1], list):
        if value[0] == "map":
            return _map(value[1])
        if value[0] == "set":
            return _sorted([item if isinstance(item, (str, int)) else _reference(item) for item in value[1]])
    atom = _reference(value)
    return (atom,) if kind is Kind.SET else atom


def _reference(value: object) -> Ref:
    if isinstance(value, list) and len(value) == 2 and value[0] == "uuid" and isinstance(value[1], str):
        return Ref(value[1])
    raise ValueError(f"not a value of OVSDB: {value!r:.80}")


def _map(pairs: list[Any]) -> dict[str, str]:
    if set(map(type, pairs)) <= {list}:
        try:
            # A zone has a few keys and values, many thousand times each; only strings can be interned.
            return {intern(key): intern(text) for key, text in pairs}
        except (TypeError, ValueError):
            pass
    wrong = next(pair for pair in pairs if not _is_pair(pair))
    raise ValueError(f"not a pair of strings: {wrong!r:.80}")


def _is_pair(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(text, str) for text in value)


def _sorted(atoms: list[Atom]) -> tuple[Atom, ...]:
    if len(atoms) > 1:
        # Those of one type, which is what a column has, compare by themselves.
        atoms.sort(key=None if len(set(map(type, atoms))) == 1 else _order)
    return tuple(atoms)


def _order(atom: Atom) -> tuple[str, int, str]:
    if isinstance(atom, Ref):
        return ("reference", 0, atom.uuid)
    if isinstance(atom, str):
        return ("string", 0, atom)
    return ("integer", int(atom), "")
