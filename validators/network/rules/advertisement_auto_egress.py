"""An egress address is announced where the cluster's own routers are, and not in the VRF of each network."""

from collections.abc import Iterator

from validators.field import ErrorType, FieldError
from validators.network.parse import group_kind_of
from validators.network.parse_bgp import AUTO, route_advertisement
from validators.network.rules.base import Context, Rule, Severity
from validators.network.view import ROUTE_ADVERTISEMENTS


def applies(ctx: Context) -> bool:
    """RouteAdvertisements."""
    return group_kind_of(ctx.object) == ROUTE_ADVERTISEMENTS


def check(ctx: Context) -> Iterator[FieldError]:
    """One error at the target VRF."""
    advertisement = route_advertisement(ctx.object)
    if advertisement.egress_ip and advertisement.target_vrf == AUTO:
        yield FieldError(ErrorType.INVALID, "spec.targetVRF", AUTO, RULE.message)


RULE = Rule(
    id="OVNG-NET-037",
    severity=Severity.ERROR,
    design="ovn-kubernetes, RouteAdvertisements controller",
    message="advertising EgressIP not supported with TargetVRF set to 'auto'",
    hint="advertise EgressIP in a RouteAdvertisements of its own, with another targetVRF",
    applies=applies,
    check=check,
)
