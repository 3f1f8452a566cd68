"""OVN-Kubernetes assigns none of an EgressIP's addresses when one of them is invalid; the API accepts any text."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.go.netip import AddressError, parse_addr
from ovnguard.validators.network.cluster_view import EGRESS_IP
from ovnguard.validators.network.parse_values import dig
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for each text that is not an address."""
    listed = dig(ctx.object, "spec", "egressIPs")
    for index, text in enumerate(listed if isinstance(listed, list) else ()):
        if not _is_address(text):
            # Text: ovn-kubernetes, clustermanager/egressip_controller.go, validateEgressIPSpec
            detail = f"unable to parse provided EgressIP: {text}, invalid"
            yield FieldError(ErrorType.INVALID, f"spec.egressIPs[{index}]", text, detail)


def _is_address(text: object) -> bool:
    """Whether Go's ``net.ParseIP`` reads it: an address without a zone."""
    if not isinstance(text, str) or "%" in text:
        return False
    try:
        parse_addr(text)
    except AddressError:
        return False
    return True


RULE = Rule(
    id="OVNG-NET-061",
    kinds=(EGRESS_IP,),
    severity=Severity.ERROR,
    design="ovn-kubernetes, clustermanager, EgressIP controller",
    message="the addresses of an EgressIP must be IP addresses",
    hint="write addresses such as 192.0.2.10 or 2001:db8::10, without a prefix length",
    check=check,
)
