"""Rows of the OVN Northbound database as immutable values, and the operations between two sets of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias
from uuid import UUID, uuid5

# Every UUID that ovnguard gives to a row lies in this namespace; see `row_uuid`.
NAMESPACE = UUID("6f766e67-7561-5264-8000-6e6f72746862")
OWNER_KEY = "ovnguard.io/owner"
OWNER = "ovnguard"
NETWORK_KEY = "k8s.ovn.org/network"


class Ref(NamedTuple):
    """A reference to another row, by its UUID."""

    uuid: str


Atom: TypeAlias = str | int | bool | Ref
# A column is one atom, a set of atoms, or a map. Sets are sorted tuples, so that equal rows compare equal.
Column: TypeAlias = Atom | tuple[Atom, ...] | Mapping[str, str]


def row_uuid(table: str, *identity: str) -> str:
    """UUID of a row from its table and natural identity: the same row has the same UUID in every plan, for ever.

    Because it can be computed again from a row's own columns, the UUID also proves that a row is ours.
    """
    return str(uuid5(NAMESPACE, "\x1f".join((table, *identity))))


@dataclass(frozen=True, slots=True)
class Row:
    """One desired or observed row of ``table``."""

    table: str
    uuid: str
    columns: Mapping[str, Column] = field(hash=False)


@dataclass(frozen=True, slots=True)
class Operation:
    """One step from observed to desired rows.

    ``insert``: ``row`` holds every planned column. ``update``: only the columns that differ, with their new values.
    ``delete``: ``row`` is empty.
    """

    op: Literal["insert", "update", "delete"]
    table: str
    uuid: str
    row: Mapping[str, Column] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class ZonePlan:
    """What one node's zone must hold: Northbound rows in creation order, and its FRR configuration ('' for none)."""

    node: str
    rows: tuple[Row, ...]
    frr: str
