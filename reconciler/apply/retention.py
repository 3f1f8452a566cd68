"""Retention: rows of networks that cannot be planned now stay unchanged, so that a doubt never takes a network down.

In doubt are networks whose object exists but is refused or cannot be planned, and every network of a kind that the API
server does not serve at the moment. A network's rows are removed only after its object is known to be deleted.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from ovnguard.reconciler.apply.ovn.converge import Choose
from ovnguard.reconciler.plan.rows.names import CONNECT, Names, is_service_group
from ovnguard.reconciler.plan.rows.row import KIND_KEY, OWNER_TYPE, Column, Operation, Ref, Row
from ovnguard.validators.network.cluster_view import CUDN, NAD, OPERATOR_NETWORK, UDN, GroupKind
from ovnguard.validators.network.declared.parse_udn import CUDN_PREFIX
from ovnguard.validators.network.model import DEFAULT_NETWORK

# What shared rows have of several networks: ports of isolated pods, and what a connection connects.
_MEMBERS: Final[Mapping[str, tuple[str, ...]]] = {
    "Port_Group": ("ports",),
    "Load_Balancer_Group": ("load_balancer",),
    "Logical_Router": ("ports", "static_routes"),
}


def without_deletes_of(
    networks: Iterable[str],
    unserved: Collection[GroupKind] = (),
    only: Collection[str] | None = None,
    ports: Collection[str] = (),
) -> Choose:
    """Return a choice that drops deletions of rows in doubt, and of rows that they share with others.

    In doubt are the rows of ``networks`` and of every network of an ``unserved`` kind; rows of networks outside of
    ``only`` stay, too. A shared port group then keeps all its ports: the server takes away those that are deleted. The
    group of a connection keeps the load balancers of networks in doubt. While a kind is unserved, connections lose
    nothing. ``ports`` are the names of pods' ports that stay on a switch that stays.
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
        operations = _with_ports(operations, rows, ports) if ports else operations
        doubtful = _Doubtful(frozen, frozenset(Names(name).prefix for name in frozen), bool(unserved))
        kept = operations
        if frozen:
            kept = [each for each in kept if each.op != "delete" or not doubtful.has(rows[each.uuid])]
        return with_former_members(kept, rows, doubtful) if doubt else kept

    return choose


class _Doubtful(NamedTuple):
    """The networks in doubt, their prefixes, and whether a whole kind is: then it is unknown what is connected."""

    networks: frozenset[str]
    prefixes: frozenset[str]
    whole_kind: bool

    def has(self, row: Row) -> bool:
        """Whether a row is in doubt, or shared with a network in doubt."""
        if row.network:
            return row.network in self.networks
        if row.table == "Static_MAC_Binding":
            # It has no external_ids; its port is named after the gateway router.
            return _prefix_of(str(row.columns.get("logical_port", "")).removeprefix("rtoe-GR_")) in self.prefixes
        if row.table == "Load_Balancer_Group":
            name = str(row.columns.get("name", ""))
            # the switches of networks in doubt refer to that of a connection
            return is_service_group(name) or _prefix_of(name) in self.prefixes
        # Control plane protection, which the routers of all networks share.
        return row.entry("external_ids", OWNER_TYPE) != CONNECT or self.whole_kind


def _with_ports(
    operations: Sequence[Operation], rows: Mapping[str, Row], ports: Collection[str]
) -> Sequence[Operation]:
    """The operations; the ``ports`` stay on their switches, with the rows that they refer to."""
    named = [row for row in rows.values() if row.table == "Logical_Switch_Port" and row.columns.get("name") in ports]
    stay = {row.uuid for row in named}
    kept = stay | {ref.uuid for row in named for value in row.columns.values() for ref in _refs(value)}
    left = (each for each in operations if each.op != "delete" or each.uuid not in kept)
    whole = (_with_ports_of(each, rows.get(each.uuid), stay) for each in left)
    return [each for each in whole if each.op != "update" or each.row]


def _with_ports_of(operation: Operation, row: Row | None, stay: Collection[str]) -> Operation:
    ports = operation.row.get("ports")
    if operation.op != "update" or operation.table != "Logical_Switch" or row is None or ports is None:
        return operation
    former = row.columns.get("ports")
    whole = tuple(sorted({*_refs(ports), *(ref for ref in _refs(former) if ref.uuid in stay)}))
    rest = {name: value for name, value in operation.row.items() if name != "ports"}
    return replace(operation, row=rest if whole == former else {**rest, "ports": whole})


def with_former_members(
    operations: Iterable[Operation], rows: Mapping[str, Row], doubtful: _Doubtful | None = None
) -> list[Operation]:
    """Return the operations; those on shared rows keep the members whose rows stay. ``rows`` are by UUID.

    Without ``doubtful`` networks, everything is in doubt.
    """
    changes = tuple(operations)
    gone = {each.uuid for each in changes if each.op == "delete"}
    whole = (_with_former_members(each, rows, gone, doubtful) for each in changes)
    return [each for each in whole if each.op != "update" or each.row]


def _with_former_members(
    operation: Operation, rows: Mapping[str, Row], gone: Collection[str], doubtful: _Doubtful | None
) -> Operation:
    """The change of a shared row, which takes away only members that are ``gone``."""
    row = rows.get(operation.uuid)
    if operation.op != "update" or row is None or row.network:
        return operation
    found = dict(operation.row)
    for column in _MEMBERS.get(operation.table, ()):
        if column in found:
            former = row.columns.get(column)
            left = (ref for ref in _refs(former) if ref.uuid not in gone and _stays(row, rows.get(ref.uuid), doubtful))
            whole = tuple(sorted({*left, *_refs(found[column])}))
            found = {name: value for name, value in found.items() if name != column}
            found |= {} if whole == former else {column: whole}
    return (
        replace(operation, row=found) if found.keys() != operation.row.keys() or found != operation.row else operation
    )


def _stays(row: Row, member: Row | None, doubtful: _Doubtful | None) -> bool:
    """Whether a shared row keeps a former member that is not planned there any more."""
    if doubtful is None or doubtful.whole_kind or row.table == "Port_Group":
        return row.table != "Load_Balancer_Group" or is_service_group(str(row.columns.get("name", "")))
    return row.table == "Load_Balancer_Group" and member is not None and member.network in doubtful.networks


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


def _prefix_of(name: str) -> str:
    """The text up to the last '_': node names contain none, and the prefix of every network except the default one ends
    with it.
    """
    head, mark, _ = name.rpartition("_")
    return head + mark
