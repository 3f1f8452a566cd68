"""An address belongs to one load balancer: two load balancers with the same address cannot both be created."""

from collections.abc import Iterator
from ipaddress import ip_address

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster_view import INSTALL_CONFIG
from ovnguard.validators.network.ovnkube_settings.install_dns import static_addresses
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at each address that another load balancer already has."""
    owners: dict[str, str] = {}
    for name, path, address in static_addresses(ctx.object):
        owner = owners.setdefault(_canonical(address), name)
        if owner != name:
            yield FieldError(ErrorType.DUPLICATE, path, address, f"{RULE.message}: {owner} has it already")


def _canonical(address: str) -> str:
    try:
        return str(ip_address(address))
    except ValueError:
        return address


RULE = Rule(
    id="OVNG-DNS-008",
    kinds=(INSTALL_CONFIG,),
    severity=Severity.ERROR,
    design="OpenShift enhancement custom-dns, 'API and API-Int'",
    message="two load balancers cannot share an address",
    hint="reserve an address for each load balancer",
    check=check,
)
