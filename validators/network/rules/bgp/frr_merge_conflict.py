"""FRRConfigurations that select the same node must agree about a common router or neighbour.

frr-k8s merges routers of one VRF, and neighbours with one address. They may add settings, but must not contradict: one
AS number, router id and EVPN configuration for a VRF; one AS number, port, source address, password, timers, address
family, local AS number and BFD profile for a neighbour. On a contradiction, frr-k8s keeps the node's previous
configuration for all of them, including those that the cluster manages.

Stored passwords are secret. They are compared by their presence: all declarations of a neighbour have a password, or
none has one.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.route_advertisements import is_generated
from ovnguard.validators.network.cluster_view import FRR_CONFIGURATION
from ovnguard.validators.network.frr.frr_merge import frr_index, merged
from ovnguard.validators.network.frr.frr_model import Fault
from ovnguard.validators.network.frr.frr_parse import frr_part
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity
from ovnguard.validators.network.selectors import matches


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for each different contradiction, with the first node that has it."""
    mine, index = frr_part(ctx.object), frr_index(ctx.inventory)
    if isinstance(merged([mine]), Fault):
        return
    judged: set[tuple[object, ...]] = set()
    reported: set[tuple[str, str]] = set()
    for node in ctx.facts.nodes or ():
        if not matches(mine.node_selector, node.labels):
            continue
        others = [part for part in index.on_node(node.labels) if part.origin != mine.origin]
        # Most nodes have the same objects, or copies of them; each combination is merged once.
        combination = tuple(part.routers if is_generated(part.labels) else part.origin for part in others)
        if combination in judged:
            continue
        judged.add(combination)
        fault = merged([*others, mine])
        if isinstance(fault, Fault) and (fault.origin, fault.text) not in reported:
            reported.add((fault.origin, fault.text))
            own = fault.origin == mine.origin
            where = "" if own else f" (FRRConfiguration {fault.origin})"
            elsewhere = _namespace(fault.origin) != _namespace(mine.origin)
            where_in_public = " (1 FRRConfiguration elsewhere)" if elsewhere else where
            yield FieldError(
                ErrorType.INVALID,
                fault.field if own else "spec",
                detail=f"{fault.text}{where}; resource is invalid for node {node.name}",
                public=f"{fault.text}{where_in_public}; resource is invalid for 1 node",
            )


def _namespace(origin: str) -> str:
    return origin.rpartition("/")[0]


RULE = Rule(
    id="OVNG-NET-033",
    kinds=(FRR_CONFIGURATION,),
    severity=Severity.ERROR,
    design="frr-k8s, merge of FRRConfigurations; OpenShift enhancement no-overlay-mode, 'Proposal'",
    message="FRRConfigurations that select the same node must not contradict each other",
    hint="use the values of the other FRRConfigurations of the node, or select other nodes",
    check=check,
    needs=(Need.NODES, Need.FRR_CONFIGURATIONS),
)
