"""New rows as JSON text; one pass over the columns produces the text for the server and the input of the digest."""

from functools import lru_cache
from typing import Final

from ovnguard.reconciler.apply.ovn.ovsdb_json import atom_text, map_form, plain_set_text, quoted, set_text
from ovnguard.reconciler.apply.ovn.row_notes import HASH, IDS, KEYS, NOTES, digest_of, keys_text
from ovnguard.reconciler.plan.rows.northbound import NUMBER_MAPS
from ovnguard.reconciler.plan.rows.row import Operation

_HASH: Final = quoted(HASH)
_KEYS: Final = quoted(KEYS)
_NONE: Final[frozenset[str]] = frozenset()


def insert_text(operation: Operation, *, noted: bool) -> str:
    """Return the ``insert`` of RFC 7047, 5.2.1, as text; ``noted`` for a table that has external_ids for notes.

    Empty columns are omitted, because the server's default is equal.
    """
    wire: list[str] = []
    plain: list[str] = []
    keys: list[tuple[str, tuple[str, ...]]] = []
    own = ""
    for name, value in operation.row.items():
        if not value:
            continue
        if isinstance(value, (str, int)):
            text = f'"{name}":{atom_text(value)}'
            wire.append(text)
            plain.append(text)
        elif isinstance(value, tuple):
            text = set_text(value)
            wire.append(f'"{name}":{text}')
            plain.append(f'"{name}":{plain_set_text(text)}')
        elif (form := map_form(tuple(value), NOTES if name == IDS else _NONE)).keys:
            values = form.values(value)
            keys.append((name, form.keys))
            plain.append(f'"{name}":{form.plain % values}')
            if name == IDS and noted:
                own = "," + form.pairs % values
            elif (operation.table, name) in NUMBER_MAPS:
                wire.append(f'"{name}":["map",[{form.pairs % form.numbers(value)}]]')
            else:
                wire.append(f'"{name}":["map",[{form.pairs % values}]]')
    if noted:
        found = digest_of(plain, operation.row)
        wire.append(f'"{IDS}":["map",[[{_HASH},"{found}"],[{_KEYS},{_keys(tuple(keys))}]{own}]]')
    row = ",".join(wire)
    return f'{{"op":"insert","table":"{operation.table}","uuid":"{operation.uuid}","row":{{{row}}}}}'


@lru_cache(maxsize=1024)
def _keys(keys: tuple[tuple[str, tuple[str, ...]], ...]) -> str:
    return quoted(keys_text(dict(keys)))
