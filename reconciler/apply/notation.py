"""Columns from OVSDB's JSON notation (RFC 7047, 5.1).

`reconciler.plan.as_json` spells a set of one as a set, a server as its element; only the column's type tells them
apart from a single value.
"""

from enum import Enum
from sys import intern

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
    if not isinstance(value, list):
        atom = _atom(value)
        return (atom,) if kind is Kind.SET else atom
    match value:
        case ["set", list(items)]:
            atoms = [_atom(item) for item in items]
            return tuple(sorted(atoms, key=_order) if len(atoms) > 1 else atoms)
        case ["map", list(pairs)]:
            return dict(map(_pair, pairs))
        case _:
            atom = _atom(value)
            return (atom,) if kind is Kind.SET else atom


def _atom(value: object) -> Atom:
    if isinstance(value, (str, int)):
        return value
    match value:
        case ["uuid", str(uuid)]:
            return Ref(uuid)
        case _:
            raise ValueError(f"not a value of OVSDB: {value!r:.80}")


def _pair(value: object) -> tuple[str, str]:
    if isinstance(value, list) and len(value) == 2:
        key, text = value
        if isinstance(key, str) and isinstance(text, str):
            # A zone has a few keys and values, many thousand times each.
            return intern(key), intern(text)
    raise ValueError(f"not a pair of strings: {value!r:.80}")


def _order(atom: Atom) -> tuple[str, int, str]:
    if isinstance(atom, Ref):
        return ("reference", 0, atom.uuid)
    if isinstance(atom, str):
        return ("string", 0, atom)
    return ("integer", int(atom), "")
