"""A no-overlay network silently bypasses the cluster's encryption of pod traffic.

IPsec mode Full encrypts tunnels between nodes; packets of a no-overlay network use none, whether a
ClusterUserDefinedNetwork or an attachment declares it.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.cluster_facts import known_operator
from ovnguard.validators.network.cluster.no_overlay import transport_path
from ovnguard.validators.network.cluster_view import CUDN, NAD
from ovnguard.validators.network.declared.parse_nad import CONFIG_FIELD
from ovnguard.validators.network.model import Transport
from ovnguard.validators.network.parse_values import dig
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """ClusterUserDefinedNetworks in no-overlay mode, and attachments that no controller rendered."""
    return ctx.kind == CUDN or ctx.own_network is not None


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the transport."""
    operator = known_operator(ctx.inventory)
    if operator is None or not operator.ipsec_full:
        return
    if ctx.kind == NAD:
        yield FieldError(ErrorType.INVALID, CONFIG_FIELD, dig(ctx.object, "spec", "config"), RULE.message)
    else:
        yield FieldError(ErrorType.INVALID, transport_path(ctx.object), "NoOverlay", RULE.message)


RULE = Rule(
    id="OVNG-NET-014",
    kinds=(CUDN, NAD),
    transport=Transport.NO_OVERLAY,
    severity=Severity.ERROR,
    design="OpenShift enhancement no-overlay-mode, 'Test Plan' (IPsec is not supported)",
    message="the cluster encrypts pod traffic (IPsec mode Full), but a no-overlay network cannot be encrypted",
    hint="keep the overlay for this network, or set ipsecConfig.mode of the operator Network to Disabled",
    applies=applies,
    check=check,
    needs=(Need.OPERATOR_NETWORK,),
)
