"""Which network a row belongs to."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from ovnguard.reconciler.plan.rows.names import CONNECT, Names, is_service_group
from ovnguard.reconciler.plan.rows.row import OWNER_TYPE, Column, Operation, network_of

# Rows of no single network: control plane protection, which the routers of all networks share, and connections.
SHARED: Final = ""


class Networks:
    """Determines the network of a row. Two tables have no external_ids; their rows are named after the network."""

    def __init__(self, names: Iterable[str]) -> None:
        self._by_prefix = {Names(name).prefix: name for name in names if name}

    def of(self, table: str, columns: Mapping[str, Column]) -> str:
        """Return the network that a row with ``columns`` belongs to, `SHARED` for none."""
        if named := network_of(columns):
            return named
        if table == "Static_MAC_Binding":
            return self._starting(str(columns.get("logical_port", "")).removeprefix("rtoe-GR_"))
        if table == "Load_Balancer_Group":
            name = str(columns.get("name", ""))
            return SHARED if is_service_group(name) else self._starting(name)
        return SHARED

    def _starting(self, text: str) -> str:
        """Prefixes end at the first or second '_' of a name from OVN-Kubernetes; raw prefixes may end anywhere.

        The default network's names have none.
        """
        end = text.rfind("_")
        while end >= 0:
            if (found := self._by_prefix.get(text[: end + 1])) is not None:
                return found
            end = text.rfind("_", 0, end)
        return self._by_prefix.get("", SHARED)


def is_connection_acl(table: str, columns: Mapping[str, Column]) -> bool:
    """Whether a row is an ACL of a connection, which the switches of its networks share; no other row refers to it."""
    ids = columns.get("external_ids")
    shared = table == "ACL" and isinstance(ids, Mapping) and ids.get(OWNER_TYPE) == CONNECT
    return shared and not network_of(columns)


def by_network(
    operations: Sequence[Operation], before: Callable[[Operation], Mapping[str, Column]]
) -> dict[str, list[Operation]]:
    """Return the operations of each network in their order; ``before`` returns the row that an operation changes."""
    wholes = [each.row if each.op == "insert" else {**before(each), **each.row} for each in operations]
    named = [network_of(columns) for columns in wholes]
    networks = Networks(set(named))
    found: dict[str, list[Operation]] = {}
    for operation, columns, name in zip(operations, wholes, named, strict=True):
        found.setdefault(name or networks.of(operation.table, columns), []).append(operation)
    return found
