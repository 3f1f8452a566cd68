"""A node has one router in the default VRF: every FRRConfiguration that adds to it must use the managed fabric's AS
number.

Once a network has routing Managed, the cluster writes an FRRConfiguration for all nodes. An FRRConfiguration with a
different AS number in the default VRF, such as MetalLB's, conflicts with it, and frr-k8s then configures nothing.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.cluster_facts import known_operator
from ovnguard.validators.network.cluster.no_overlay import managed_cudns
from ovnguard.validators.network.cluster.route_advertisements import MANAGED_LABEL
from ovnguard.validators.network.cluster_view import FRR_CONFIGURATION
from ovnguard.validators.network.frr.frr_merge import frr_index
from ovnguard.validators.network.frr.frr_parse import frr_part
from ovnguard.validators.network.model import Routing
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """FRRConfigurations that the cluster manager does not write."""
    return not ctx.by_cluster_manager


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at each different AS number of the default VRF, as long as the fabric's own object does not exist."""
    bgp, operator = ctx.facts.managed_bgp, known_operator(ctx.inventory)
    if bgp is None or operator is None:
        return
    options = operator.choice.options if operator.no_overlay else None
    managed = options is not None and options.routing is Routing.MANAGED
    if not managed and not managed_cudns(ctx.inventory):
        return
    if ctx.facts.nodes and any(MANAGED_LABEL in part.labels for part in frr_index(ctx.inventory).others):
        return  # the rule about merge conflicts reports the contradiction
    for router in frr_part(ctx.object).routers:
        if not router.vrf and router.asn != bgp.asn:
            detail = (
                f"different asns ({router.asn} != {bgp.asn}) specified for the default VRF: managed BGP uses {bgp.asn}"
            )
            yield FieldError(ErrorType.INVALID, f"{router.field}.asn", router.asn, detail)


RULE = Rule(
    id="OVNG-NET-034",
    kinds=(FRR_CONFIGURATION,),
    severity=Severity.ERROR,
    design="OpenShift enhancement no-overlay-mode, managed BGP; frr-k8s, merge of FRRConfigurations",
    message="routers of the default VRF must use the AS number of the managed BGP fabric",
    hint=(
        "use bgpManagedConfig.asNumber of the operator Network, with localASN for neighbors that expect "
        "another AS number"
    ),
    applies=applies,
    check=check,
    needs=(Need.OPERATOR_NETWORK,),
)
