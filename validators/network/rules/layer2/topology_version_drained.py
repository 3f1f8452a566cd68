"""A node may change to the Layer2 topology with transit router only while it runs no pod of a primary Layer2 network.

The change removes the node's gateway router and the port through which its pods send traffic.
"""

from collections.abc import Iterator

from validators.base.field import ErrorType, FieldError
from validators.network.cluster.network_index import mangled
from validators.network.cluster.network_namespaces import namespaces, primaries
from validators.network.cluster.pod_index import Pod, pods_of_node
from validators.network.cluster_view import NODE
from validators.network.declared.node import TOPOLOGY_VERSION
from validators.network.declared.parse_operator import ref_of
from validators.network.list_text import shortlist
from validators.network.parse_values import annotation
from validators.network.rules.base import Context, Need, Rule, Severity


def applies(ctx: Context) -> bool:
    """Updates of Nodes that add the version."""
    if not ctx.is_update or ctx.old is None:
        return False
    return annotation(ctx.object, TOPOLOGY_VERSION)[1] is not None and annotation(ctx.old, TOPOLOGY_VERSION)[1] is None


def check(ctx: Context) -> Iterator[FieldError]:
    """One error for each network whose pods run on the node."""
    path, value = annotation(ctx.object, TOPOLOGY_VERSION)
    running: dict[str, list[str]] = {}
    for pod in pods_of_node(ctx.inventory, ref_of(ctx.object).name):
        if network := _layer2_network(ctx, pod):
            running.setdefault(network, []).append(pod.key)
    for network, pods in sorted(running.items()):
        # Text: ovn-kubernetes, the layer2 topology decision of a node's controller
        detail = (
            f"Network {mangled(network)}ovn_layer2_switch has running pods, not switching to transit router topology "
            f"yet: {shortlist(pods)}"
        )
        yield FieldError(ErrorType.INVALID, path, value, detail)


def _layer2_network(ctx: Context, pod: Pod) -> str:
    """Name of the primary Layer2 network that a pod is on, or the empty string."""
    namespace = namespaces(ctx.inventory).by_name.get(pod.namespace)
    # pods of a terminating namespace keep running
    if pod.host_network or (namespace is not None and not namespace.has_primary_label):
        return ""
    for network in primaries(ctx.inventory).get(pod.namespace, ()):
        if network.needs_transit_subnet:
            return network.name
    return ""


RULE = Rule(
    id="OVNG-L2-024",
    kinds=(NODE,),
    severity=Severity.ERROR,
    design="OKEP-5094, 'Upgrade details'",
    message="k8s.ovn.org/layer2-topology-version may be added only to a node without pods of primary Layer2 networks",
    hint="drain the node first",
    applies=applies,
    check=check,
    needs=(Need.PODS, Need.NETWORKS, Need.NAMESPACES),
    ratchets=False,
    subresources=frozenset({"", "status"}),
)
