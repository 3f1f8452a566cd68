"""Values of columns in OVSDB's JSON notation (RFC 7047, 5.1): decoded, as JSON values, and as JSON text.

The text form serves tens of thousands of rows at a time: making it directly takes a fraction of the time that building
values for `json` takes. It also makes a plain notation, in which a map is an object with sorted keys, a set an array
and a reference an array of its UUID. All text is ASCII.

`reconciler.plan.render.as_json` writes the same notation for people: there a set of one element is a set and maps are
sorted. A server writes a set of one as its element, so only the type of a column tells the two apart.
"""

import json
from collections.abc import Mapping
from enum import Enum
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from sys import intern
from typing import Any, Final, NamedTuple

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


def value_json(column: Column) -> Any:
    """Return a column's value as ``json`` writes it."""
    # Exact types, for an isinstance of an abstract class costs more than all the rest.
    kind = type(column)
    if kind is str or kind is int or kind is bool:
        return column
    if isinstance(column, Ref):
        return ["uuid", column.uuid]
    if isinstance(column, tuple):
        return ["set", [["uuid", item.uuid] if isinstance(item, Ref) else item for item in column]]
    assert not isinstance(column, (str, int))
    return ["map", [[key, text] for key, text in column.items()]]


def row_json(columns: Mapping[str, Column]) -> dict[str, Any]:
    """Return all ``columns``, the empty ones too."""
    return {name: value_json(value) for name, value in columns.items()}


# A string with its quotation marks.
quoted: Final = encode_basestring_ascii


def atom_text(value: str | int) -> str:
    """Return a single value, the same in both notations."""
    return quoted(value) if isinstance(value, str) else json.dumps(value)


def set_text(items: tuple[Atom, ...]) -> str:
    """Return a set, or a single reference, in OVSDB's notation."""
    if isinstance(items, Ref):
        return f'["uuid",{quoted(items.uuid)}]'
    return '["set",[' + ",".join([_item_text(item) for item in items]) + "]]"


def plain_set_text(text: str) -> str:
    """Return the plain notation of what `set_text` returned."""
    # Within an element quotation marks are escaped, so only references and the set itself have these.
    return (text[7:-1] if text.startswith('["set",') else text).replace('["uuid",', "[")


def _item_text(item: Atom) -> str:
    return f'["uuid",{quoted(item.uuid)}]' if isinstance(item, Ref) else atom_text(item)


class MapForm(NamedTuple):
    """The texts of all maps with the same keys, values left out: the pairs in OVSDB's notation, and the plain one."""

    keys: tuple[str, ...]
    pairs: str
    plain: str

    def values(self, value: Mapping[str, str]) -> tuple[str, ...]:
        """Return what goes into both."""
        return tuple(map(quoted, map(value.__getitem__, self.keys)))


@lru_cache(maxsize=4096)
def map_form(keys: tuple[str, ...], without: frozenset[str] = frozenset()) -> MapForm:
    """Return the form of maps with ``keys``, those of ``without`` left out."""
    ours = tuple(sorted(key for key in keys if key not in without))
    names = [quoted(key).replace("%", "%%") for key in ours]
    pairs = ",".join([f"[{name},%s]" for name in names])
    return MapForm(ours, pairs, "{" + ",".join([f"{name}:%s" for name in names]) + "}")
