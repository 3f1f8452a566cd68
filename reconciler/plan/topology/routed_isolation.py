"""Networks with advertised pods are kept apart: the routers outside would connect them.

On the switches of these networks, packets between two advertised subnets are dropped unless both are of one network.
The drop is one ACL on a port group with the switches' ports towards their routers, which counts for whole switches.

Source: ovn-kubernetes ``pkg/ovn/udn_isolation.go``.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from ovnguard.reconciler.plan.rows.names import Names, address_set_hash
from ovnguard.reconciler.plan.rows.northbound import new_row, refs
from ovnguard.reconciler.plan.rows.row import DATABASE_ID, Column, Ref, Row, row_uuid
from ovnguard.reconciler.plan.topology.acls import FROM, Acl
from ovnguard.reconciler.plan.topology.address_sets import ClusterSet
from ovnguard.reconciler.plan.topology.common_rows import match_name, owner_ids
from ovnguard.reconciler.plan.topology.database_ids import NAME, database_ids
from ovnguard.validators.network.model import DEFAULT_NETWORK, IPNetwork, Network

_OWNER_TYPE: Final = "AdvertisedNetwork"
_CONTROLLER: Final = Names(DEFAULT_NETWORK).controller
_NAME: Final = "advertised-network-subnets"
SUBNETS: Final = ClusterSet(_CONTROLLER, _OWNER_TYPE, _NAME)
_INSIDE: Final = 1100
_BETWEEN: Final = 1050


class Routed(NamedTuple):
    """A network in a zone, and the name of its switch's port towards the router there."""

    network: Network
    port: str


def isolation_rows(
    versions: Iterable[int], routed: Iterable[Routed], further: Iterable[IPNetwork] = ()
) -> Iterator[Row]:
    """Iterate over the rows that all advertised networks share.

    Those of ``routed`` are kept apart from each other and from ``further`` subnets.
    """
    members = tuple(routed)
    subnets = [*(subnet.cidr for each in members for subnet in each.network.subnets), *further]
    matches = []
    for version in versions:
        yield SUBNETS.row(version, (each for each in subnets if each.version == version))
        ip, own = match_name(version), SUBNETS.at(version)
        matches.append(f"({ip}.src == ${own} && {ip}.dst == ${own})")
    if not matches:
        return
    ids = database_ids(_CONTROLLER, _OWNER_TYPE, {NAME: _NAME, "network": ""})
    drop = Acl(FROM, _BETWEEN, " || ".join(matches), "drop", after_lb=True).row(ids)
    group = database_ids(_CONTROLLER, _OWNER_TYPE, {NAME: _NAME})
    columns: dict[str, Column] = {
        "name": address_set_hash(group[DATABASE_ID]),
        "ports": tuple(sorted(Ref(row_uuid("Logical_Switch_Port", each.port)) for each in members)),
        "acls": refs([drop]),
        "external_ids": group,
    }
    yield drop
    yield new_row("Port_Group", columns)


def pass_acl(network: Network, network_id: int) -> Row:
    """Return the ACL on the network's switch for packets between its own subnets."""
    found = []
    for version in (4, 6):
        own = [subnet.cidr for subnet in network.subnets if subnet.cidr.version == version]
        ip = match_name(version)
        ends = (" || ".join(f"{ip}.{end} == {each}" for each in own) for end in ("src", "dst"))
        found += [" && ".join(f"({each})" for each in ends)] if own else []
    parts = {NAME: network.name, "network": str(network_id)}
    ids = database_ids(Names(network.name).controller, _OWNER_TYPE, parts)
    match = " || ".join(f"({each})" for each in found)
    return Acl(FROM, _INSIDE, match, "pass", after_lb=True).row(ids | owner_ids(network))
