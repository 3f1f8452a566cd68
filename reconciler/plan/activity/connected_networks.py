"""Networks that ClusterNetworkConnects connect: a node that uses one of them uses the others, too.

The connection is not passed on: of A connected with B, and B with C, a node with a pod of A uses A and B.

OVN-Kubernetes' cluster manager records the connected networks by their ids; a connection that it has not recorded yet
connects nothing. One record that cannot be read connects nothing either.

Source: ovn-kubernetes ``pkg/networkmanager/nad_controller.go``.
"""

from collections.abc import Mapping, Set

from ovnguard.reconciler.plan.connections.recorded_connections import records
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS, Inventory
from ovnguard.validators.network.cluster.network_index import census
from ovnguard.validators.network.cluster_view import CLUSTER_NETWORK_CONNECT
from ovnguard.validators.network.declared.node_values import BadValueError
from ovnguard.validators.network.model import DEFAULT_NETWORK


def with_connected(inventory: Inventory, direct: Mapping[str, Set[str] | None]) -> Mapping[str, Set[str] | None]:
    """Return the nodes of every network, those by its connections included; None stands for all nodes.

    ``direct`` are the nodes with pods or EgressIPs of each network.
    """
    found = dict(direct)
    for connected in inventory.derived(_connections, CLUSTER_NETWORK_CONNECT, *NETWORK_KINDS):
        names = [name for name in connected if name in direct]
        users = [direct[name] for name in names]
        known = [each for each in users if each is not None]
        nodes = set[str]().union(*known) if len(known) == len(users) else None
        for name in names:
            before = found[name]
            found[name] = None if nodes is None or before is None else before | nodes
    return found


def _connections(inventory: Inventory) -> tuple[frozenset[str], ...]:
    """The names of the networks of each connection."""
    objects = inventory.objects(CLUSTER_NETWORK_CONNECT)
    if not objects:
        return ()
    ids = census(inventory).ids
    return tuple(
        frozenset(name for number in _numbers(obj) for name in ids.get(number, ()) if name != DEFAULT_NETWORK)
        for obj in objects
    )


def _numbers(obj: JsonObject) -> list[int]:
    try:
        return [number for _, number, _ in records(obj)]
    except BadValueError:
        return []
