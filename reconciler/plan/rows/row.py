"""Rows of the OVN Northbound database as immutable values, and the operations between two sets of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha1
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias
from uuid import UUID

# Every UUID that ovnguard gives to a row is in this namespace; see `row_uuid`.
NAMESPACE = UUID("6f766e67-7561-5264-8000-6e6f72746862")
_NAMESPACE_BYTES: Final = NAMESPACE.bytes
OWNER_KEY = "ovnguard.io/owner"
OWNER = "ovnguard"
# The network that a row belongs to. OVN-Kubernetes has a key of its own for that, but not on the rows of the default
# network, and not in every table.
NETWORK_KEY = "ovnguard.io/network"
UPSTREAM_NETWORK_KEY = "k8s.ovn.org/network"
# The kind of object that declares a network whose name could be another kind's.
KIND_KEY = "ovnguard.io/declared-by"
# The identity of a row in a table without a name column; see `identity_of`.
ID_KEY = "ovnguard.io/id"
# OVN-Kubernetes' id of a row, which already identifies rows of some tables.
DATABASE_ID = "k8s.ovn.org/id"
DATABASE_ID_TABLES: Final = frozenset({"DHCP_Options"})
# Notes of the writer about the row itself; plans do not contain them. The first lists ovnguard's keys of each map, the
# second is a digest.
NOTE_KEYS: Final = ("ovnguard.io/keys", "ovnguard.io/hash")
CONTROLLER_KEY = "k8s.ovn.org/owner-controller"
OWNER_TYPE: Final = "k8s.ovn.org/owner-type"
_CONTROLLER: Final = "-network-controller"


class Ref(NamedTuple):
    """A reference to another row, by its UUID."""

    uuid: str


Atom: TypeAlias = str | int | bool | Ref
# A column is one atom, a set of atoms, or a map. Sets are sorted tuples, so that equal rows compare equal.
Column: TypeAlias = Atom | tuple[Atom, ...] | Mapping[str, str]


def row_uuid(table: str, *identity: str) -> str:
    """UUID of a row from its table and natural identity: the same row has the same UUID in every plan.

    Because it can be computed again from a row's own columns, the UUID also proves that a row is ovnguard's.
    """
    # uuid.uuid5 in a fourth of its time: plans make tens of thousands (RFC 9562, 5.5)
    digest = bytearray(
        sha1(_NAMESPACE_BYTES + "\x1f".join((table, *identity)).encode(), usedforsecurity=False).digest()
    )
    digest[6] = digest[6] & 0x0F | 0x50
    digest[8] = digest[8] & 0x3F | 0x80
    text = digest.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:32]}"


# Columns that identify a row, per table; other tables identify a row by external_ids:ID_KEY.
IDENTITY_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "Address_Set": ("name",),
        "Copp": ("name",),
        "Gateway_Chassis": ("name",),
        "Load_Balancer": ("name",),
        "Load_Balancer_Group": ("name",),
        "Logical_Router": ("name",),
        "Logical_Router_Port": ("name",),
        "Logical_Switch": ("name",),
        "Logical_Switch_Port": ("name",),
        "Meter": ("name",),
        "Port_Group": ("name",),
        "Static_MAC_Binding": ("logical_port", "ip"),
    }
)


def identity_of(table: str, columns: Mapping[str, Column]) -> tuple[str, ...] | None:
    """Return the natural identity in a row's own columns, or None when they contain none.

    A row is ovnguard's exactly when its UUID is ``row_uuid(table, *identity)``.
    """
    keys = IDENTITY_COLUMNS.get(table)
    if keys is None:
        external_ids = columns.get("external_ids")
        if external_ids is None or isinstance(external_ids, (str, int, tuple)):
            return None
        identifier = external_ids.get(DATABASE_ID if table in DATABASE_ID_TABLES else ID_KEY)
        return (identifier,) if identifier else None
    identity = []
    for key in keys:
        value = columns.get(key)
        if not isinstance(value, str) or not value:
            return None
        identity.append(value)
    return tuple(identity)


def network_of(columns: Mapping[str, Column]) -> str:
    """Return the network that external_ids name, or the one whose controller they name; '' for none.

    OVN-Kubernetes' key counts where ours is missing: on its own rows, and on those of an earlier version of ovnguard.
    Our rows without either are shared by all networks, whoever's controller writes them upstream.
    """
    ids = columns.get("external_ids")
    if ids is None or isinstance(ids, (str, int, tuple)):
        return ""
    named = ids.get(NETWORK_KEY) or ids.get(UPSTREAM_NETWORK_KEY)
    if named:
        return named
    controller = "" if OWNER_KEY in ids else ids.get(CONTROLLER_KEY, "")
    return controller.removesuffix(_CONTROLLER) if controller.endswith(_CONTROLLER) else ""


@dataclass(frozen=True, slots=True)
class Row:
    """One desired or observed row of ``table``."""

    table: str
    uuid: str
    columns: Mapping[str, Column] = field(hash=False)

    @property
    def identity(self) -> tuple[str, ...] | None:
        """The natural identity in the columns, or None."""
        return identity_of(self.table, self.columns)

    @property
    def is_ours(self) -> bool:
        """Whether ovnguard gave this row its UUID."""
        identity = self.identity
        return identity is not None and self.uuid == row_uuid(self.table, *identity)

    @property
    def network(self) -> str:
        """The network that the row belongs to, '' for none; see `network_of`."""
        return network_of(self.columns)

    def entry(self, column: str, key: str) -> str:
        """Return the value of ``key`` in a map column, '' when there is none."""
        value = self.columns.get(column)
        return value.get(key, "") if isinstance(value, Mapping) else ""

    def texts(self, column: str) -> list[str]:
        """Return the elements of a set column as texts."""
        value = self.columns.get(column)
        return [str(each) for each in value] if isinstance(value, tuple) else []


@dataclass(frozen=True, slots=True)
class Operation:
    """One step from observed to desired rows.

    ``insert``: ``row`` contains every planned column. ``update``: only the columns that differ, with their new values.
    ``delete``: ``row`` is empty. ``subject`` names the row for people and takes no part in comparisons.
    """

    op: Literal["insert", "update", "delete"]
    table: str
    uuid: str
    row: Mapping[str, Column] = field(default_factory=dict, hash=False)
    subject: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class ZonePlan:
    """The desired content of one node's zone: Northbound rows in creation order, and its FRR configuration (or '').

    ``frr`` hides passwords, which only ``frr_file`` contains, for the file that FRR reads. An ``frr_file`` of None is
    unknown: the node keeps the file that it has.
    """

    node: str
    rows: Sequence[Row]
    frr: str
    frr_file: str | None = field(default="", repr=False)
