"""Notes in ``external_ids`` of ovnguard's rows, besides owner and network; plans do not compare them.

`KEYS` lists ovnguard's keys of each map. `HASH` is the digest of ovnguard's part of the row; with it, a reader can
distinguish a row of an earlier plan from a manually changed one. Tables without ``external_ids`` (Load_Balancer_Group,
Static_MAC_Binding) carry no notes.
"""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Final

from ovnguard.reconciler.apply.ovn.ovsdb_json import atom_text, map_form, plain_set_text, set_text
from ovnguard.reconciler.plan.rows.row import NOTE_KEYS, Column, Row

KEYS, HASH = NOTE_KEYS
IDS: Final = "external_ids"
NOTES: Final = frozenset(NOTE_KEYS)
_NONE: Final[frozenset[str]] = frozenset()
_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, check_circular=False).encode


def digest(columns: Mapping[str, Column]) -> str:
    """Return a digest of ``columns`` as 16 hexadecimal digits; empty columns and notes are ignored."""
    plain: list[str] = []
    for name, value in columns.items():
        if not value:
            continue
        if isinstance(value, (str, int)):
            plain.append(f'"{name}":{atom_text(value)}')
        elif isinstance(value, tuple):
            plain.append(f'"{name}":{plain_set_text(set_text(value))}')
        elif (form := map_form(tuple(value), NOTES if name == IDS else _NONE)).keys:
            plain.append(f'"{name}":{form.plain % form.values(value)}')
    return digest_of(plain, columns)


def digest_of(plain: list[str], columns: Mapping[str, Column]) -> str:
    """Return the digest of ``columns``, of which ``plain`` are the texts in any order: ``"name":value``.

    The digest is made from the JSON text of the columns in their order, with the minimum of escapes.
    """
    # A quotation mark sorts before all characters of column names, so this order is that of the names.
    text = "{" + ",".join(sorted(plain)) + "}"
    if "\\u" in text:
        values = {name: _plain(name, value) for name, value in columns.items()}
        text = _encode({name: value for name, value in values.items() if value})
    return blake2b(text.encode(errors="surrogatepass"), digest_size=8).hexdigest()


def _plain(name: str, value: Column) -> object:
    if isinstance(value, (str, int, tuple)):
        return value
    return _without_notes(value) if name == IDS else dict(value)


def noted(columns: Mapping[str, Column]) -> dict[str, str]:
    """Return the ``external_ids`` of a new row with ``columns``, including its notes."""
    ids = columns.get(IDS)
    own = {} if ids is None or isinstance(ids, (str, int, tuple)) else _without_notes(ids)
    maps = {
        name: sorted(value)
        for name, value in {**columns, IDS: own}.items()
        if value and not isinstance(value, (str, int, tuple))
    }
    return {HASH: digest(columns), KEYS: keys_text(maps), **own}


def _without_notes(ids: Mapping[str, str]) -> dict[str, str]:
    return {key: text for key, text in ids.items() if key not in NOTES}


def keys_text(keys: Mapping[str, Sequence[str]]) -> str:
    """Return the note about keys by column."""
    return _keys_text(tuple([(name, tuple(keys[name])) for name in sorted(keys)]))


@lru_cache(maxsize=1024)
def _keys_text(keys: tuple[tuple[str, tuple[str, ...]], ...]) -> str:
    return json.dumps(dict(keys), separators=(",", ":"))


def written_keys(external_ids: Column | None) -> Mapping[str, Sequence[str]]:
    """ovnguard's keys of each map column; empty when the note is missing or unreadable, which causes its renewal."""
    text = external_ids.get(KEYS, "") if isinstance(external_ids, Mapping) else ""
    return _parsed(text)


@lru_cache(maxsize=1024)
def _parsed(text: str) -> Mapping[str, tuple[str, ...]]:
    try:
        value = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return {}
    if not isinstance(value, dict):
        return {}
    return {
        name: tuple(key for key in keys if isinstance(key, str))
        for name, keys in value.items()
        if isinstance(keys, list)
    }


def is_spoiled(row: Row) -> bool:
    """Whether the row, as a store returns it, differs from the state in its own notes."""
    ids = row.columns.get(IDS)
    return isinstance(ids, Mapping) and HASH in ids
