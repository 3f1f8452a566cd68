"""What a server's spelling of a column means (RFC 7047, 5.1).

`reconciler.plan.as_json` spells a set of one as a set, a server as its element; only the column's type tells them
apart from a single value.
"""

from enum import Enum
from typing import Any

from reconciler.plan.as_json import column_from_json
from reconciler.plan.rows import Column, Ref


class Kind(Enum):
    """How many elements a column has: exactly one, some (an optional one is none or one), or keys and values."""

    ONE = "one"
    SET = "set"
    MAP = "map"


def decode(value: Any, kind: Kind) -> Column:
    """Return the column of this kind that ``value`` spells; raise ValueError when it spells none."""
    column = column_from_json(value)
    if kind is Kind.SET and isinstance(column, (str, int, Ref)):
        return (column,)
    return column
