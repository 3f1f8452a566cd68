"""Both definitions accept reserved AS numbers, but the control plane does not start with them.

The definitions accept 1 to 4294967295, but ovn-kubernetes exits with an error on 23456 (AS_TRANS), 65535 and
4294967295. It runs the released API, so OVNG-NET-007 refuses these numbers. The proposal declares the whole range valid
and does not name the code that runs it, so OVNG-NET-008 warns about them.

The proposed API accepts every number from 1, so the rule only warns.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster_view import OPERATOR_NETWORK
from ovnguard.validators.network.declared.parse_operator import CONFIG, no_overlay_choice
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity

# RFC 7607 (0), RFC 6793 (23456), RFC 7300 (65535, 4294967295); texts: ovn-kubernetes, config.ManagedBGP.
_RESERVED = {
    0: "is reserved",
    23456: "is reserved (AS_TRANS for 16-bit to 32-bit AS translation)",
    65535: "is reserved",
    4294967295: "is reserved",
}


def applies(ctx: RuleContext) -> bool:
    """Operator Networks with managed BGP that are not in the proposed spelling."""
    choice = no_overlay_choice(ctx.object)
    return choice.bgp is not None and choice.spelling != "enhancement"


def applies_proposed(ctx: RuleContext) -> bool:
    """Operator Networks with managed BGP in the proposed spelling."""
    choice = no_overlay_choice(ctx.object)
    return choice.bgp is not None and choice.spelling == "enhancement"


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the AS number."""
    bgp = no_overlay_choice(ctx.object).bgp
    asn = bgp[0] if bgp else None
    if asn in _RESERVED:
        detail = f"invalid as-number: {asn} {_RESERVED[asn]}"
        yield FieldError(ErrorType.INVALID, f"{CONFIG}.bgpManagedConfig.asNumber", asn, detail)


_RULE = Rule(
    id="OVNG-NET-007",
    kinds=(OPERATOR_NETWORK,),
    severity=Severity.ERROR,
    design="ovn-kubernetes, validation of [bgp-managed] as-number",
    message="the AS number of managed BGP must not be a reserved one",
    hint="use a private AS number: 64512 to 65534, or 4200000000 to 4294967294",
    applies=applies,
    check=check,
)


_RULE_PROPOSED = _RULE._replace(
    id="OVNG-NET-008",
    kinds=(OPERATOR_NETWORK,),
    severity=Severity.WARNING,
    design="OpenShift enhancement no-overlay-mode, bgpManagedConfig.asNumber",
    message="the AS number of managed BGP should not be a reserved one",
    applies=applies_proposed,
)


RULES = (_RULE, _RULE_PROPOSED)
