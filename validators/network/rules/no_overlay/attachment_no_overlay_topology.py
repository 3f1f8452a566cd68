"""Only a primary Layer3 network can work without an overlay, whichever object declares it.

Nodes route between their own subnets, which only Layer3 networks have. The API requires this of
ClusterUserDefinedNetworks; a NetworkAttachmentDefinition passes upstream's checks with any topology and then works only
within each node. The rule also applies to attachments that a controller rendered.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster_view import NAD
from ovnguard.validators.network.declared.parse_nad import CONFIG_FIELD
from ovnguard.validators.network.model import Role, Topology, Transport
from ovnguard.validators.network.parse_values import dig
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the configuration."""
    network = ctx.network
    if network is not None and (network.topology, network.role) != (Topology.LAYER3, Role.PRIMARY):
        yield FieldError(ErrorType.INVALID, CONFIG_FIELD, dig(ctx.object, "spec", "config"), RULE.message)


RULE = Rule(
    id="OVNG-NET-049",
    kinds=(NAD,),
    transport=Transport.NO_OVERLAY,
    severity=Severity.ERROR,
    design="ovn-kubernetes, definition of ClusterUserDefinedNetworks, the same rule about their transport",
    message="transport 'no-overlay' is only supported for Layer3 primary networks",
    hint="remove transport and outboundSNAT, or declare a primary Layer3 ClusterUserDefinedNetwork",
    check=check,
)
