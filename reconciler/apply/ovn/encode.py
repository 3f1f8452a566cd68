"""Columns in OVSDB's JSON notation, for the guards and changes of rows that are there; `inserts` has the new ones.

The same notation as `reconciler.plan.render.as_json`, which is made for people to read: there a set of one is a set,
maps are sorted. Here what a server takes as the same is left as it is.
"""

from collections.abc import Mapping
from typing import Any

from reconciler.plan.rows import Column, Ref


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
