"""OVN-Kubernetes supports BGP, and thus no-overlay mode, only on bare metal.

On most other platforms, the network between the nodes drops packets with addresses that it did not assign.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.no_overlay import transport_path
from ovnguard.validators.network.cluster.platform import known_platform
from ovnguard.validators.network.cluster_view import CUDN, OPERATOR_NETWORK
from ovnguard.validators.network.model import Transport
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the transport; platform None is bare metal without platform integration."""
    platform = known_platform(ctx.inventory)
    if platform not in ("", "BareMetal", "None"):
        detail = f"no-overlay mode is supported on bare metal only, and this platform is {platform}"
        yield FieldError(ErrorType.INVALID, transport_path(ctx.object), "NoOverlay", detail)


RULE = Rule(
    id="OVNG-NET-024",
    kinds=(OPERATOR_NETWORK, CUDN),
    transport=Transport.NO_OVERLAY,
    severity=Severity.WARNING,
    design="OpenShift enhancement no-overlay-mode, 'Goals'",
    message="no-overlay mode is supported on bare metal only",
    hint="keep the overlay, or make sure that the platform routes pod addresses between nodes",
    check=check,
    needs=(Need.INFRASTRUCTURE,),
)
