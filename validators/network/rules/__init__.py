"""Rules about networks that no schema can express: one rule per file, listed here in the order in which they speak."""

from collections.abc import Iterator
from typing import Final

from validators.field import FieldError
from validators.network.rules.base import Context, Need, Rule, Severity
from validators.network.rules.cluster_subnets import RULE as CLUSTER_SUBNETS
from validators.network.rules.default_network_fixed import RULE as DEFAULT_NETWORK_FIXED
from validators.network.rules.default_network_subnets import RULE as DEFAULT_NETWORK_SUBNETS
from validators.network.rules.gateway_addresses import RULE as GATEWAY_ADDRESSES
from validators.network.rules.internal_subnets import RULE as INTERNAL_SUBNETS
from validators.network.rules.join_room import RULE as JOIN_ROOM
from validators.network.rules.managed_bgp import RULE as MANAGED_BGP
from validators.network.rules.masquerade_room import RULE as MASQUERADE_ROOM
from validators.network.rules.node_shares import RULE as NODE_SHARES
from validators.network.rules.reserved_asn import RULE as RESERVED_ASN
from validators.network.rules.reserved_asn_proposed import RULE as RESERVED_ASN_PROPOSED
from validators.network.rules.routes_advertised import RULE as ROUTES_ADVERTISED
from validators.network.rules.transit_fixed import RULE as TRANSIT_FIXED
from validators.network.rules.transit_room import RULE as TRANSIT_ROOM
from validators.network.rules.transit_valid import RULE as TRANSIT_VALID
from validators.network.rules.transport_fixed import RULE as TRANSPORT_FIXED
from validators.records import replace

__all__ = ["RULES", "Context", "Need", "Rule", "Severity", "run"]

RULES: Final[tuple[Rule, ...]] = (
    INTERNAL_SUBNETS,
    CLUSTER_SUBNETS,
    DEFAULT_NETWORK_SUBNETS,
    DEFAULT_NETWORK_FIXED,
    TRANSPORT_FIXED,
    MANAGED_BGP,
    RESERVED_ASN,
    RESERVED_ASN_PROPOSED,
    ROUTES_ADVERTISED,
    JOIN_ROOM,
    NODE_SHARES,
    MASQUERADE_ROOM,
    TRANSIT_VALID,
    TRANSIT_FIXED,
    TRANSIT_ROOM,
    GATEWAY_ADDRESSES,
)


def run(ctx: Context) -> tuple[tuple[FieldError, ...], tuple[FieldError, ...], tuple[str, ...]]:
    """Return errors, warnings and notes about an object that its schema accepted.

    A rule whose facts are not known adds one note and says nothing else.
    """
    found: dict[Severity, list[FieldError]] = {Severity.ERROR: [], Severity.WARNING: []}
    notes = []
    for rule in RULES:
        if not rule.applies(ctx):
            continue
        missing = [need for need in rule.needs if not need.known(ctx.facts)]
        if missing:
            notes.append(f"not checked: needs {' and '.join(missing)} ({rule.id})")
            continue
        found[rule.severity] += [replace(error, rule=rule.id) for error in _findings(rule, ctx)]
    return tuple(found[Severity.ERROR]), tuple(found[Severity.WARNING]), tuple(notes)


def _findings(rule: Rule, ctx: Context) -> Iterator[FieldError]:
    """What the rule says, less what it would have said about the old object."""
    findings = list(rule.check(ctx))
    before = ctx.before() if findings and rule.ratchets and ctx.is_update else None
    known = set()
    if before is not None and rule.applies(before):
        known = {(error.field, error.detail) for error in rule.check(before)}
    return (error for error in findings if (error.field, error.detail) not in known)
