"""The managed fabric must use the AS number that the nodes' default VRF already has.

frr-k8s merges other FRRConfigurations, such as MetalLB's, with the one that the cluster writes for all nodes. If the AS
numbers of the default VRF differ, it configures nothing.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.cluster_facts import operator_facts
from ovnguard.validators.network.cluster.no_overlay import managed_cudns, options_path
from ovnguard.validators.network.cluster.route_advertisements import written_by_ovn
from ovnguard.validators.network.cluster_view import CUDN, OPERATOR_NETWORK
from ovnguard.validators.network.declared.parse_operator import CONFIG
from ovnguard.validators.network.model import Routing
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def creates_fabric(ctx: RuleContext) -> bool:
    """Objects that create the fabric: networks with routing Managed, and the operator Network that describes it."""
    return ctx.routing is Routing.MANAGED or (ctx.kind == OPERATOR_NETWORK and bool(managed_cudns(ctx.inventory)))


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error, naming the first object that differs."""
    ours = ctx.kind == OPERATOR_NETWORK
    bgp = operator_facts(ctx.object).choice.managed_bgp if ours else ctx.facts.managed_bgp
    if bgp is None:
        return
    # imported here, because the rule is loaded for every network and FRR adds 4 ms to a command's start
    from ovnguard.validators.network.frr.frr_merge import frr_index

    field = f"{CONFIG}.bgpManagedConfig.asNumber" if ours else f"{options_path(ctx.object)}.routing"
    value: object = bgp.asn if ours else "Managed"
    for part in sorted(frr_index(ctx.inventory).parts(), key=lambda each: each.origin):
        asn = next((router.asn for router in part.routers if not router.vrf), bgp.asn)
        if asn != bgp.asn and not written_by_ovn(part.labels):
            detail = (
                f"different asns ({asn} != {bgp.asn}) specified for the default VRF: "
                f"FRRConfiguration {part.origin} uses {asn}"
            )
            yield FieldError(ErrorType.INVALID, field, value, detail)
            return


RULE = Rule(
    id="OVNG-NET-035",
    kinds=(OPERATOR_NETWORK, CUDN),
    severity=Severity.ERROR,
    design="OpenShift enhancement no-overlay-mode, managed BGP; frr-k8s, merge of FRRConfigurations",
    message="managed BGP must use the AS number that other FRRConfigurations set for the default VRF",
    hint="set bgpManagedConfig.asNumber to that number, or change the FRRConfigurations",
    applies=creates_fabric,
    check=check,
    needs=(Need.FRR_CONFIGURATIONS,),
)
