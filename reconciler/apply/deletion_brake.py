"""The brake: a pass that would delete unusually much deletes nothing until somebody says that it may.

Rows of pods, services, EgressIPs and ClusterNetworkConnects do not count: they come and go by the hundred when a node
is drained, or a namespace or one object deleted. Rows that new ones of the same network and table replace do not count
either, and neither do those of networks that the node stopped using under dynamic allocation: a drained node stops
using all of its networks at once.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from ovnguard.reconciler.apply.ovn.ownership import SHARED, Networks
from ovnguard.reconciler.apply.retention import with_former_members
from ovnguard.reconciler.plan.rows.names import CONNECT
from ovnguard.reconciler.plan.rows.row import OWNER_TYPE, Operation, Row

LEAST: Final = 20
"""What a limit in percent permits at least."""
_NAME: Final = "k8s.ovn.org/name"
_FLEETING_TABLES: Final = frozenset(("DHCP_Options", "Load_Balancer"))
_FLEETING_OWNERS: Final = frozenset((CONNECT, "EgressIP", "EgressService"))
# ACLs of one pod in the group of isolated pods.
_OPEN_PORT: Final = "OpenPort-"
# The maximum number of networks that a text names.
_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class Limit:
    """How many of all networks, and of all rows, one pass may delete: a number, or percent and at least `LEAST`."""

    number: int = 10
    percent: bool = True

    def of(self, total: int) -> int:
        """Return the number for ``total`` networks or rows."""
        return max(LEAST, total * self.number // 100) if self.percent else self.number

    def __str__(self) -> str:
        return f"{self.number}%" if self.percent else str(self.number)


@dataclass(frozen=True, slots=True)
class HeldDeletions:
    """Deletions that wait: of whole ``networks``, and of ``rows`` of networks that stay."""

    networks: tuple[str, ...]
    rows: int
    why: str

    def __str__(self) -> str:
        named = ", ".join(self.networks[:_NAMED])
        more = f" and {len(self.networks) - _NAMED} more" if len(self.networks) > _NAMED else ""
        whose = f" ({named}{more})" if named else ""
        return f"deletions of {len(self.networks)} networks{whose} and {self.rows} other rows wait: {self.why}"


def deletions_above_limit(
    operations: Sequence[Operation],
    observed: Sequence[Row],
    planned: Collection[str],
    present: tuple[int, int],
    limit: Limit,
    idle: Collection[str] = (),
) -> HeldDeletions | None:
    """Return the deletions among ``operations`` if they are above ``limit``, else None; ``idle`` networks do not count.

    ``observed`` has every row that is deleted, ``planned`` the networks of the desired rows; ``present`` are the
    numbers of networks and rows before.
    """
    why = f"more than --max-deletions {limit} of {present[0]} networks or {present[1]} rows"
    found = held_deletions(_without(operations, observed, idle) if idle else operations, observed, planned, why)
    few = len(found.networks) <= limit.of(present[0]) and found.rows <= limit.of(present[1])
    return None if few else found


def _without(
    operations: Sequence[Operation], observed: Sequence[Row], networks: Collection[str]
) -> Sequence[Operation]:
    """The operations without the deletions of rows of ``networks``."""
    rows, whose = {row.uuid: row for row in observed}, _Owners(observed)
    return [each for each in operations if each.op != "delete" or whose.of(rows[each.uuid]) not in networks]


def held_deletions(
    operations: Sequence[Operation], observed: Sequence[Row], planned: Collection[str], why: str
) -> HeldDeletions:
    """Return the deletions among ``operations``, and ``why`` they wait; parameters as in `deletions_above_limit`."""
    rows = {row.uuid: row for row in observed}
    gone = [rows[operation.uuid] for operation in operations if operation.op == "delete"]
    new = [Row(operation.table, operation.uuid, operation.row) for operation in operations if operation.op == "insert"]
    whose = _Owners(observed)
    networks = {whose.of(row) for row in gone} - {SHARED} - set(planned)
    # What the same transaction replaces, as another version of ovnguard may, is not lost.
    lost = Counter((whose.of(row), row.table) for row in gone if not _fleeting(row))
    lost.subtract((whose.of(row), row.table) for row in new)
    # Shared rows go with the last network.
    stay = {network for network, _ in lost} - networks - {SHARED}
    others = sum(count for (network, _), count in lost.items() if count > 0 and network in stay)
    return HeldDeletions(tuple(sorted(networks)), others, why)


def without_deletions(operations: Sequence[Operation], observed: Sequence[Row]) -> Sequence[Operation]:
    """Return the operations without those of networks that lose a row.

    A row goes when the last reference to it does, so such a network is not changed at all, and its ports stay in the
    port groups that networks share.
    """
    rows = {row.uuid: row for row in observed}
    whose = _Owners(observed)
    losing = {whose.of(rows[each.uuid]) for each in operations if each.op == "delete"}
    kept = []
    for each in operations:
        row = rows.get(each.uuid) or Row(each.table, each.uuid, each.row)
        if each.op != "delete" and whose.of(row) not in losing - {SHARED}:
            kept.append(each)
    return with_former_members(kept, rows)


class _Owners:
    """The network of each row; two tables have no external_ids, and their rows are named after the network."""

    def __init__(self, observed: Sequence[Row]) -> None:
        self._networks = Networks({row.network for row in observed})

    def of(self, row: Row) -> str:
        return self._networks.of(row.table, row.columns)


def _fleeting(row: Row) -> bool:
    """Whether it is about one pod, service, virtual machine, EgressIP or ClusterNetworkConnect."""
    if row.table in _FLEETING_TABLES or row.entry("external_ids", "pod") == "true":
        return True
    owner, name = (row.entry("external_ids", key) for key in (OWNER_TYPE, _NAME))
    return owner in _FLEETING_OWNERS or name.startswith(_OPEN_PORT)


def counted(rows: Sequence[Row]) -> tuple[int, int]:
    """Return the numbers of networks and of rows among ``rows``."""
    return len({row.network for row in rows} - {""}), len(rows)
