"""With user-managed DNS the cluster never writes to a zone of the cloud."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster_view import INSTALL_CONFIG
from ovnguard.validators.network.ovnkube_settings.install_dns import user_keeps_names
from ovnguard.validators.network.parse_values import dig
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the zone."""
    zone = dig(ctx.object, "platform", "aws", "hostedZone")
    if zone and user_keeps_names(ctx.object):
        yield FieldError(ErrorType.INVALID, "platform.aws.hostedZone", zone, RULE.message)


RULE = Rule(
    id="OVNG-DNS-007",
    kinds=(INSTALL_CONFIG,),
    severity=Severity.WARNING,
    design="OpenShift enhancement custom-dns, 'Proposal'",
    message="the installer does not write to the hosted zone when userDNS is Enabled",
    hint="remove hostedZone",
    check=check,
)
