"""Values of columns in OVSDB's JSON notation (RFC 7047, 5.1): decoded, as JSON values, and as JSON text.

The text form serves tens of thousands of rows at a time: writing it directly takes a fraction of the time of building
values for `json`. It also writes a plain notation, in which a map is an object with sorted keys, a set an array and a
reference an array of its UUID. All text is ASCII.

`reconciler.plan.render.as_json` writes the same notation for people: there a set of one element is a set and maps are
sorted. A server writes a set of one as its element, so only the type of a column distinguishes the two.
"""

import json
from collections.abc import Mapping
from enum import Enum
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from sys import intern
from typing import Any, Final, NamedTuple

from ovnguard.reconciler.plan.rows.row import Atom, Column, Ref


class Kind(Enum):
    """The shape of a column: exactly one element, several (zero or one if optional), or keys and values."""

    ONE = "one"
    SET = "set"
    MAP = "map"


def decode(value: object, kind: Kind | None = None) -> Column:
    """Decode ``value``, with sorted sets. A kind of None trusts ovnguard's own notation.

    Raises ValueError for an invalid ``value``.
    """
    if isinstance(value, (str, int)):
        return (value,) if kind is Kind.SET else value
    # Inline comparisons, because a zone has a quarter of a million of these.
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
    wrong = next((pair for pair in pairs if not _is_pair(pair)), None)
    if wrong is not None:
        raise ValueError(f"not a pair of strings: {wrong!r:.80}")
    return {key: str(value) for key, value in pairs}


def _is_pair(value: object) -> bool:
    """Whether ``value`` is a key and a value; a number is one too, see `NUMBER_MAPS`."""
    return (
        isinstance(value, list)
        and len(value) == 2
        and isinstance(value[0], str)
        and (isinstance(value[1], str) or type(value[1]) is int)
    )


def _sorted(atoms: list[Atom]) -> tuple[Atom, ...]:
    if len(atoms) > 1:
        # The elements of a column have one type, so they are comparable.
        atoms.sort(key=None if len(set(map(type, atoms))) == 1 else _order)
    return tuple(atoms)


def _order(atom: Atom) -> tuple[str, int, str]:
    if isinstance(atom, Ref):
        return ("reference", 0, atom.uuid)
    if isinstance(atom, str):
        return ("string", 0, atom)
    return ("integer", int(atom), "")


def value_json(column: Column, *, numbers: bool = False) -> Any:
    """Return a column's value as ``json`` writes it; ``numbers`` for a map with numbers as values."""
    # Exact types, because isinstance with an abstract class costs more than everything else here.
    kind = type(column)
    if kind is str or kind is int or kind is bool:
        return column
    if isinstance(column, Ref):
        return ["uuid", column.uuid]
    if isinstance(column, tuple):
        return ["set", [["uuid", item.uuid] if isinstance(item, Ref) else item for item in column]]
    assert not isinstance(column, (str, int))
    return ["map", [[key, int(text) if numbers else text] for key, text in column.items()]]


def row_json(columns: Mapping[str, Column]) -> dict[str, Any]:
    """Return all ``columns``, including empty ones."""
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
    # Quotation marks inside an element are escaped, so these patterns match only references and the set itself.
    return (text[7:-1] if text.startswith('["set",') else text).replace('["uuid",', "[")


def _item_text(item: Atom) -> str:
    return f'["uuid",{quoted(item.uuid)}]' if isinstance(item, Ref) else atom_text(item)


class MapForm(NamedTuple):
    """Templates for all maps with the same keys, without values: one in OVSDB's notation, one in the plain notation."""

    keys: tuple[str, ...]
    pairs: str
    plain: str

    def values(self, value: Mapping[str, str]) -> tuple[str, ...]:
        """Return the values for both templates."""
        return tuple(map(quoted, map(value.__getitem__, self.keys)))

    def numbers(self, value: Mapping[str, str]) -> tuple[str, ...]:
        """Return the values for the notation of OVSDB where they are numbers."""
        return tuple(str(int(value[key])) for key in self.keys)


@lru_cache(maxsize=4096)
def map_form(keys: tuple[str, ...], without: frozenset[str] = frozenset()) -> MapForm:
    """Return the form of maps with ``keys``, except those in ``without``."""
    ours = tuple(sorted(key for key in keys if key not in without))
    names = [quoted(key).replace("%", "%%") for key in ours]
    pairs = ",".join([f"[{name},%s]" for name in names])
    return MapForm(ours, pairs, "{" + ",".join([f"{name}:%s" for name in names]) + "}")
