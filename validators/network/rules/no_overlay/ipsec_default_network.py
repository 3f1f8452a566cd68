"""Encryption of pod traffic and no-overlay mode exclude each other.

Mode Full encrypts the tunnels between nodes. A network in no-overlay mode has no tunnels: its packets would be
unencrypted although the configuration promises encryption. No definition refuses the combination.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.cluster_facts import operator_facts
from ovnguard.validators.network.cluster_view import OPERATOR_NETWORK
from ovnguard.validators.network.declared.parse_operator import CONFIG
from ovnguard.validators.network.model import Transport
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the mode."""
    if operator_facts(ctx.object).ipsec_full:
        yield FieldError(ErrorType.INVALID, f"{CONFIG}.ipsecConfig.mode", "Full", RULE.message)


RULE = Rule(
    id="OVNG-NET-013",
    kinds=(OPERATOR_NETWORK,),
    transport=Transport.NO_OVERLAY,
    severity=Severity.ERROR,
    design="OpenShift enhancement no-overlay-mode, 'Test Plan' (IPsec is not supported)",
    message="IPsec mode Full encrypts tunnels, which a default network in no-overlay mode does not have",
    hint="set ipsecConfig.mode to Disabled or External, or keep transport Geneve",
    check=check,
)
