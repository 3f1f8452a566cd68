"""The internal load balancer is in the machine network and gets its address from there."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster_view import INSTALL_CONFIG
from ovnguard.validators.network.ovnkube_settings.install_dns import static_addresses
from ovnguard.validators.network.parse_values import MAX_ITEMS, Reader, dig
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at each address for api-int outside the machine network."""
    reader = Reader()
    listed = dig(ctx.object, "networking", "machineNetwork")
    cidrs = [dig(each, "cidr") for each in listed[:MAX_ITEMS]] if isinstance(listed, list) else []
    networks = [reader.cidr("", cidr) for cidr in cidrs]
    if not listed or reader.errors:
        return
    for name, path, text in static_addresses(ctx.object):
        address = reader.address("", text) if name == "apiInt" else None
        if address is not None and not any(net is not None and address in net for net in networks):
            yield FieldError(ErrorType.INVALID, path, text, RULE.message)


RULE = Rule(
    id="OVNG-DNS-010",
    kinds=(INSTALL_CONFIG,),
    severity=Severity.WARNING,
    design="OpenShift enhancement custom-dns, 'API and API-Int'",
    message="the address for api-int is not in networking.machineNetwork",
    hint="reserve an address in the subnets of the nodes",
    check=check,
)
