"""The nodes that use a network under dynamic allocation: only those have rows of it, and ports on other nodes.

A node uses a network while one of its pods is scheduled there, or while the node serves an EgressIP of one of its
namespaces, and while it so uses a network that a ClusterNetworkConnect connects with it. The default network, and
networks with an attachment that no (Cluster)UserDefinedNetwork rendered, are used by all nodes.

Source: OKEP-5552, "Implementation Details"; ovn-kubernetes ``pkg/networkmanager``, "filterNADsOnNode".
"""

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from types import MappingProxyType
from typing import Final

from ovnguard.reconciler.plan.activity.connected_networks import with_connected
from ovnguard.reconciler.plan.activity.requested_networks import nodes_by_request
from ovnguard.reconciler.plan.rows.model import ActiveNodes, PodPort, Remark
from ovnguard.validators.network.cluster.inventory import Inventory, inventory_of
from ovnguard.validators.network.cluster.network_namespaces import namespaces, primaries
from ovnguard.validators.network.cluster_view import CUDN, NAMESPACE, UDN, ClusterView
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import Network, Topology
from ovnguard.validators.network.ovnkube_settings.active_nodes import active_nodes
from ovnguard.validators.network.ovnkube_settings.dynamic_allocation import is_dynamic, selected_networks

_RENDERED: Final = (CUDN.kind, UDN.kind)
_NAMED: Final = 3


def active_nodes_of(
    view: ClusterView,
    dynamic: bool | None,
    networks: Sequence[Network],
    nodes: Sequence[Node],
    ports: Mapping[str, Iterable[PodPort]],
    grace: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> tuple[ActiveNodes, ...]:
    """Return the nodes of each network that is not used by all; ``ports`` are those of all pods by network.

    ``dynamic`` says whether the cluster allocates dynamically, None for what ``view`` says. ``grace`` are, by network,
    nodes that used it until a moment ago and keep its rows. Where the cluster manager selects the nodes of a Layer3
    network, a node has its subnets as long as it may keep the rows.
    """
    inventory = inventory_of(view)
    if not (is_dynamic(inventory) if dynamic is None else dynamic):
        return ()
    everywhere = {network.name for network in networks if network.source.kind not in _RENDERED}
    selected, primary = selected_networks(inventory), _nodes_of_primaries(inventory)
    requested = nodes_by_request(inventory)
    direct: dict[str, Set[str] | None] = {}
    for network in networks:
        name = network.name
        by_pods = {port.node for port in ports.get(name, ())} | primary.get(name, set()) | requested.get(name, set())
        direct[name] = None if name in everywhere else by_pods
    users = with_connected(inventory, direct)
    found = []
    for network in networks:
        name, active = network.name, users[network.name]
        if active is None:
            continue
        kept = set(grace.get(name, ()))
        if name in selected and network.topology is Topology.LAYER3:
            kept |= {node.name for node in nodes if node.host_subnets.get(name)}
        found.append(ActiveNodes(name, frozenset(active), frozenset(kept - active)))
    return tuple(found)


def idle_notes(active: Iterable[ActiveNodes]) -> list[Remark]:
    """Return the note about networks that no node uses, at most one."""
    idle = [each.network for each in active if not each.nodes and not each.grace]
    more = f" and {len(idle) - _NAMED} more" if len(idle) > _NAMED else ""
    text = f"dynamic allocation: no node uses {', '.join(idle[:_NAMED])}{more}"
    return [Remark(text)] if idle else []


def _nodes_of_primaries(inventory: Inventory) -> Mapping[str, set[str]]:
    """Nodes by network with pods or EgressIPs of a namespace whose primary network it is."""
    found: dict[str, set[str]] = {}
    known = namespaces(inventory).by_name
    for namespace, networks in primaries(inventory).items():
        labelled = known.get(namespace)
        if not inventory.knows(NAMESPACE) or (labelled is not None and labelled.has_primary_label):
            found.setdefault(networks[0].name, set()).update(active_nodes(inventory, namespace))
    return found
