"""A node may change to the Layer2 topology with transit router only while it runs no pod of a primary Layer2 network.

The change removes the node's gateway router and the port through which its pods send traffic. A Node that joins or
returns has neither: it records no id, no subnets and no keys of router ports, and begins with the version. What counts
is the stored object; the policy ``node-id-removed.ovnguard.io`` prevents that a Node with an id becomes one without.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.layer2_pods import layer2_pods, why_kept
from ovnguard.validators.network.cluster_view import NODE
from ovnguard.validators.network.declared.node import NODE_ID, NODE_SUBNETS, ROUTER_PORT_KEYS, TOPOLOGY_VERSION
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.parse_values import annotation
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity

_RECORDED = (NODE_ID, NODE_SUBNETS, ROUTER_PORT_KEYS)


def applies(ctx: RuleContext) -> bool:
    """Updates that add the version to a Node which has ever had networks."""
    old = ctx.old
    if not ctx.is_update or old is None or all(annotation(old, key)[1] is None for key in _RECORDED):
        return False
    return annotation(ctx.object, TOPOLOGY_VERSION)[1] is not None and annotation(old, TOPOLOGY_VERSION)[1] is None


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
