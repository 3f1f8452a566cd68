"""Without zones the cluster writes no records to the cloud's DNS. Without user-managed DNS, no one else does.

Clusters on user-provisioned infrastructure have no zones on purpose.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.platform import platform
from ovnguard.validators.network.cluster_view import CONFIG_DNS
from ovnguard.validators.network.ovnkube_settings.cluster_dns import zones
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """DNS configurations without a zone."""
    return not zones(ctx.object)


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the spec."""
    found = platform(ctx.inventory)
    if found is not None and found.is_cloud and found.custom_dns is None:
        yield FieldError(ErrorType.INVALID, "spec", detail=f"{RULE.message} on {found.type}")


RULE = Rule(
    id="OVNG-DNS-017",
    kinds=(CONFIG_DNS,),
    severity=Severity.WARNING,
    design="OpenShift enhancement custom-dns, 'Workflow Description'",
    message="without publicZone and privateZone, no operator writes the DNS records of routes",
    hint="set the zones, or maintain the records yourself as on user-provisioned infrastructure",
    applies=applies,
    check=check,
    needs=(Need.INFRASTRUCTURE,),
)
