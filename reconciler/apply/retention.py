"""Retention: rows of networks that cannot be planned now stay unchanged, so that a doubt never takes a network down.

In doubt are networks whose object exists but is refused or cannot be planned, and every network of a kind that the API
server does not serve at the moment. A network's rows are removed only after its object is known to be deleted.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from reconciler.apply.ovn.converge import Choose
from reconciler.plan.rows.names import Names
from reconciler.plan.rows.row import KIND_KEY, Column, Operation, Ref, Row
from validators.network.cluster_view import CUDN, NAD, OPERATOR_NETWORK, UDN, GroupKind
from validators.network.declared.parse_udn import CUDN_PREFIX
from validators.network.model import DEFAULT_NETWORK


def without_deletes_of(
    networks: Iterable[str], unserved: Collection[GroupKind] = (), only: Collection[str] | None = None
) -> Choose:
    """Return a choice that drops deletions of rows in doubt, and of rows that they share with others.

    In doubt are the rows of ``networks`` and of every network of an ``unserved`` kind; rows of networks outside of
    ``only`` stay, too. A shared port group then keeps all its ports: the server takes away those that are deleted.
    """
    named = frozenset(networks)
    doubt = bool(named or unserved or only is not None)

    def choose(operations: Sequence[Operation], observed: Sequence[Row]) -> Sequence[Operation]:
        present = {row.network for row in observed} - {""}
        attached = {row.network for row in observed if row.entry("external_ids", KIND_KEY) == NAD.kind}
        frozen = frozenset(
            name
            for name in present
            if name in named or kind_of(name, attached) in unserved or (only is not None and name not in only)
        )
        rows = {row.uuid: row for row in observed}
        prefixes = frozenset(Names(name).prefix for name in frozen)
        kept = operations
        if frozen:
            kept = [each for each in kept if each.op != "delete" or not _stays(rows[each.uuid], frozen, prefixes)]
        return with_former_ports(kept, rows) if doubt else kept

    return choose


def with_former_ports(operations: Iterable[Operation], rows: Mapping[str, Row]) -> list[Operation]:
    """Return the operations; those on shared port groups keep the ports whose rows stay. ``rows`` are by UUID."""
    changes = tuple(operations)
    gone = {each.uuid for each in changes if each.op == "delete"}
    whole = (_with_former_ports(each, rows, gone) for each in changes)
    return [each for each in whole if each.op != "update" or each.row]


def _with_former_ports(operation: Operation, rows: Mapping[str, Row], gone: Collection[str]) -> Operation:
    """The change of a shared port group, which takes away only ports that are ``gone``."""
    row = rows.get(operation.uuid)
    ports = operation.row.get("ports")
    if operation.op != "update" or operation.table != "Port_Group" or row is None or row.network or ports is None:
        return operation
    former = row.columns.get("ports")
    whole = tuple(sorted({*(ref for ref in _refs(former) if ref.uuid not in gone), *_refs(ports)}))
    rest = {name: value for name, value in operation.row.items() if name != "ports"}
    return replace(operation, row=rest if whole == former else {**rest, "ports": whole})


def _refs(value: Column | None) -> Iterable[Ref]:
    return (each for each in value if isinstance(each, Ref)) if isinstance(value, tuple) else ()


class DoubtfulNetworks:
    """A container of the networks in doubt: by name, or because the API server does not currently serve their kind.

    Networks outside of ``only`` count as such; ``attached`` are known to be declared by attachments. It contains '' as
    soon as any network is in doubt: a row of no known network may belong to that one.
    """

    def __init__(
        self,
        networks: frozenset[str],
        unserved: frozenset[GroupKind] = frozenset(),
        only: frozenset[str] | None = None,
        attached: frozenset[str] = frozenset(),
    ) -> None:
        self._networks, self._unserved, self._only, self._attached = networks, unserved, only, attached

    def __contains__(self, name: object) -> bool:
        if not name:
            return bool(self._networks or self._unserved) or self._only is not None
        if name in self._networks or (self._only is not None and name not in self._only):
            return True
        return isinstance(name, str) and kind_of(name, self._attached) in self._unserved


def kind_of(network: str, attached: Collection[str] = ()) -> GroupKind:
    """Return the kind of object that declares a network of this name (in ovn-kubernetes' naming).

    ``attached`` are the names of networks that attachments declare, whatever their names look like.
    """
    if network in attached:
        return NAD
    if network == DEFAULT_NETWORK:
        return OPERATOR_NETWORK
    if network.startswith(CUDN_PREFIX):
        return CUDN
    return UDN if network.count("_") == 1 else NAD


def _stays(row: Row, frozen: frozenset[str], prefixes: frozenset[str]) -> bool:
    network = row.network
    if network:
        return network in frozen
    if row.table == "Static_MAC_Binding":
        # It has no external_ids; its port is named after the gateway router.
        return _prefix_of(str(row.columns.get("logical_port", "")).removeprefix("rtoe-GR_")) in prefixes
    if row.table == "Load_Balancer_Group":
        return _prefix_of(str(row.columns.get("name", ""))) in prefixes
    # Control plane protection, which the routers of all networks share.
    return True


def _prefix_of(name: str) -> str:
    """The text up to the last '_': node names contain none, and the prefix of every network except the default one ends
    with it.
    """
    head, mark, _ = name.rpartition("_")
    return head + mark
