"""With a zone in the DNS configuration, the cluster writes its records to the cloud's DNS although the user manages
them.

The ingress operator checks only the zones: with one, it creates records for *.apps besides the user's.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.platform import platform
from ovnguard.validators.network.cluster_view import CONFIG_DNS
from ovnguard.validators.network.ovnkube_settings.cluster_dns import zones
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """DNS configurations with a zone."""
    return bool(zones(ctx.object))


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at each zone."""
    found = platform(ctx.inventory)
    choice = found.custom_dns if found is not None else None
    if choice is None:
        return
    for field in zones(ctx.object):
        yield FieldError(ErrorType.FORBIDDEN, field, detail=f"{RULE.message} ({choice.path[-1]} {choice.value})")


RULE = Rule(
    id="OVNG-DNS-016",
    kinds=(CONFIG_DNS,),
    severity=Severity.ERROR,
    design="OpenShift enhancement custom-dns, 'Workflow Description'",
    message="a cluster with userDNS Enabled has no DNS zones",
    hint="remove publicZone and privateZone",
    applies=applies,
    check=check,
    needs=(Need.INFRASTRUCTURE,),
)
