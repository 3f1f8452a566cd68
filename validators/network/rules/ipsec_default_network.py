"""Encrypting pod traffic and not encapsulating it exclude each other.

Mode Full encrypts the tunnels between nodes. A network in no-overlay mode has no tunnels: its packets would travel
in the clear while the configuration says otherwise. No definition refuses the combination.
"""

from collections.abc import Iterator

from validators.field import ErrorType, FieldError
from validators.network.no_overlay import declared
from validators.network.operator_facts import operator_facts
from validators.network.parse import group_kind_of
from validators.network.parse_operator import CONFIG
from validators.network.rules.base import Context, Rule, Severity
from validators.network.view import OPERATOR_NETWORK


def applies(ctx: Context) -> bool:
    """Operator Networks with a default network in no-overlay mode."""
    return group_kind_of(ctx.object) == OPERATOR_NETWORK and declared(ctx.object).no_overlay


def check(ctx: Context) -> Iterator[FieldError]:
    """One error at the mode."""
    if operator_facts(ctx.object).ipsec_full:
        yield FieldError(ErrorType.INVALID, f"{CONFIG}.ipsecConfig.mode", "Full", RULE.message)


RULE = Rule(
    id="OVNG-NET-013",
    severity=Severity.ERROR,
    design="OpenShift enhancement no-overlay-mode, 'Test Plan' (IPsec is not supported)",
    message="IPsec mode Full encrypts tunnels, which a default network in no-overlay mode does not have",
    hint="set ipsecConfig.mode to Disabled or External, or keep transport Geneve",
    applies=applies,
    check=check,
)
