"""Values of columns as JSON texts, for tens of thousands of rows at a time: OVSDB's notation, and a plain one.

The plain notation is what `json` makes of the values: a map is an object with sorted keys, a set an array, a reference
an array of its UUID. To make values for `json` takes several times as long as to make the text. Everything is ASCII.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from typing import Final, NamedTuple

from reconciler.plan.rows import Atom, Ref

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
