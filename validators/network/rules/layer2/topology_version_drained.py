"""A node may change to the Layer2 topology with transit router only while it runs no pod of a primary Layer2 network.

The change removes the node's gateway router and the port through which its pods send traffic.
"""

from collections.abc import Iterator

from validators.base.field import ErrorType, FieldError
from validators.network.cluster.layer2_pods import layer2_pods, why_kept
from validators.network.cluster_view import NODE
from validators.network.declared.node import TOPOLOGY_VERSION
from validators.network.declared.parse_operator import ref_of
from validators.network.parse_values import annotation
from validators.network.rules.base import Need, Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """Updates of Nodes that add the version."""
    if not ctx.is_update or ctx.old is None:
        return False
    return annotation(ctx.object, TOPOLOGY_VERSION)[1] is not None and annotation(ctx.old, TOPOLOGY_VERSION)[1] is None


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for each network whose pods run on the node."""
    path, value = annotation(ctx.object, TOPOLOGY_VERSION)
    for network, pods in layer2_pods(ctx.inventory, ref_of(ctx.object).name).items():
        yield FieldError(ErrorType.INVALID, path, value, why_kept(network, pods))


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
