"""The pods of primary Layer2 networks on a node: while one runs, the node keeps its Layer2 topology.

Source: ovn-kubernetes, the layer2 topology decision of a node's controller.
"""

from collections.abc import Mapping
from typing import Final

from ovnguard.validators.network.cluster.inventory import Inventory
from ovnguard.validators.network.cluster.network_index import mangled
from ovnguard.validators.network.cluster.network_namespaces import namespaces, primaries
from ovnguard.validators.network.cluster.pod_index import Pod, pods_of_node
from ovnguard.validators.network.list_text import shortlist

_TEXT: Final = "Network {}ovn_layer2_switch has running pods, not switching to transit router topology yet: {}"


def layer2_pods(inventory: Inventory, node: str) -> Mapping[str, tuple[str, ...]]:
    """Return the running pods of ``node``, as namespace and name, by primary Layer2 network; both are sorted."""
    running: dict[str, list[str]] = {}
    for pod in pods_of_node(inventory, node):
        if network := _layer2_network(inventory, pod):
            running.setdefault(network, []).append(pod.key)
    return {network: tuple(pods) for network, pods in sorted(running.items())}


def why_kept(network: str, pods: tuple[str, ...]) -> str:
    """Return why a node keeps its topology because of the ``pods`` of a network."""
    return _TEXT.format(mangled(network), shortlist(pods))


def _layer2_network(inventory: Inventory, pod: Pod) -> str:
    """Name of the primary Layer2 network that a pod is on, or the empty string."""
    namespace = namespaces(inventory).by_name.get(pod.namespace)
    # pods of a terminating namespace keep running
    if pod.host_network or (namespace is not None and not namespace.has_primary_label):
        return ""
    for network in primaries(inventory).get(pod.namespace, ()):
        if network.needs_transit_subnet:
            return network.name
    return ""
