"""A cluster that is not published externally has no external API server that could use a reserved address."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster_view import INSTALL_CONFIG
from ovnguard.validators.network.ovnkube_settings.install_dns import is_external, static_addresses
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at each address for api."""
    for name, path, address in static_addresses(ctx.object):
        if name == "api" and not is_external(ctx.object):
            yield FieldError(ErrorType.INVALID, path, address, RULE.message)


RULE = Rule(
    id="OVNG-DNS-009",
    kinds=(INSTALL_CONFIG,),
    severity=Severity.WARNING,
    design="OpenShift enhancement custom-dns, 'API and API-Int'",
    message="the address has no effect when the API server is not published",
    hint="remove staticIPs.api, or set publish: External",
    check=check,
)
