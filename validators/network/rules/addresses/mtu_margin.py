"""An overlay network should leave the same room below the hosts' MTU as the network operator: 100 octets, 146 with
IPsec mode Full.

Less room may suffice until packets grow, for example by a VLAN tag, IPv6 between the nodes, or encryption.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.cluster_facts import (
    GENEVE_HEADERS,
    IPSEC_MARGIN,
    OVERLAY_MARGIN,
    host_mtu,
    operator_facts,
)
from ovnguard.validators.network.cluster_view import OPERATOR_NETWORK
from ovnguard.validators.network.declared.parse_operator import CONFIG
from ovnguard.validators.network.model import Transport
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """Operator Networks that set an MTU for the overlay."""
    return ctx.network is not None and ctx.network.mtu is not None


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning at the MTU, unless another rule refuses it."""
    mtu, host = ctx.network.mtu if ctx.network else None, host_mtu(ctx.inventory)
    if mtu is None or host is None or mtu + GENEVE_HEADERS[4] > host:
        return
    encrypted = operator_facts(ctx.object).ipsec_full
    margin = IPSEC_MARGIN if encrypted else OVERLAY_MARGIN
    if mtu > host - margin:
        why = " and IPsec" if encrypted else ""
        detail = f"MTU {mtu} leaves less than the {margin} octets for Geneve{why} below host MTU {host}"
        yield FieldError(ErrorType.INVALID, f"{CONFIG}.mtu", mtu, detail)


RULE = Rule(
    id="OVNG-NET-018",
    kinds=(OPERATOR_NETWORK,),
    transport=Transport.GENEVE,
    severity=Severity.WARNING,
    design="cluster-network-operator, default MTU of an overlay network",
    message="an overlay MTU should be 100 octets below that of the hosts, 146 with IPsec mode Full",
    hint="remove mtu, or set it to the hosts' MTU less 100 (less 146 with IPsec Full)",
    applies=applies,
    check=check,
    needs=(Need.HOST_MTU,),
)
