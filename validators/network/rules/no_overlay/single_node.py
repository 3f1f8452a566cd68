"""A single-node cluster encapsulates nothing, so no-overlay mode has no benefit there but still requires BGP."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.no_overlay import transport_path
from ovnguard.validators.network.cluster_view import CUDN, OPERATOR_NETWORK
from ovnguard.validators.network.model import Transport
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the transport."""
    if ctx.facts.nodes is not None and len(ctx.facts.nodes) == 1:
        yield FieldError(ErrorType.INVALID, transport_path(ctx.object), "NoOverlay", RULE.message)


RULE = Rule(
    id="OVNG-NET-025",
    kinds=(OPERATOR_NETWORK, CUDN),
    transport=Transport.NO_OVERLAY,
    severity=Severity.WARNING,
    design="OpenShift enhancement no-overlay-mode, 'Single-node Deployments or MicroShift'",
    message="no-overlay mode has no benefit in a cluster with a single node",
    hint="keep transport Geneve unless more nodes will join",
    check=check,
    needs=(Need.NODES,),
)
