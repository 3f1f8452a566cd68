"""Egress addresses are advertised by the cluster's own routers, not in the VRF of each network."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.route_advertisements import AUTO, route_advertisement
from ovnguard.validators.network.cluster_view import ROUTE_ADVERTISEMENTS
from ovnguard.validators.network.frr.refusals import AUTO_EGRESS
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the target VRF."""
    advertisement = route_advertisement(ctx.object)
    if advertisement.egress_ip and advertisement.target_vrf == AUTO:
        yield FieldError(ErrorType.INVALID, "spec.targetVRF", AUTO, RULE.message)


RULE = Rule(
    id="OVNG-NET-037",
    kinds=(ROUTE_ADVERTISEMENTS,),
    severity=Severity.ERROR,
    design="ovn-kubernetes, RouteAdvertisements controller",
    message=AUTO_EGRESS,
    hint="advertise EgressIP in a separate RouteAdvertisements with another targetVRF",
    check=check,
)
