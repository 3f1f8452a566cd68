"""Packets larger than the hosts' MTU never arrive.

In no-overlay mode, pods may use the hosts' full MTU; the network operator refuses more and becomes Degraded. In an
overlay, Geneve takes 58 octets over IPv4 and 78 over IPv6; with less room, ovnkube does not start on a node.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.cluster_facts import GENEVE_HEADERS, host_mtu
from ovnguard.validators.network.cluster_view import CUDN, NAD, OPERATOR_NETWORK, UDN
from ovnguard.validators.network.declared.parse_nad import CONFIG_FIELD
from ovnguard.validators.network.declared.parse_paths import block_path
from ovnguard.validators.network.model import NO_OVERLAY, Topology
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """Networks that set their own MTU and carry packets between nodes."""
    return ctx.network is not None and ctx.network.mtu is not None


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the MTU."""
    network, host = ctx.network, host_mtu(ctx.inventory)
    if network is None or network.mtu is None or host is None:
        return
    path = block_path(network)
    field = path if path == CONFIG_FIELD else f"{path}.mtu"
    if network.transport is NO_OVERLAY:
        if network.mtu > host:
            detail = f"invalid MTU {network.mtu} for no-overlay mode: cannot exceed host MTU {host}"
            yield FieldError(ErrorType.INVALID, field, network.mtu, detail)
    elif network.mtu + GENEVE_HEADERS[4] > host:
        detail = f"MTU {network.mtu} and {GENEVE_HEADERS[4]} octets of Geneve do not fit into host MTU {host}"
        yield FieldError(ErrorType.INVALID, field, network.mtu, detail)


RULE = Rule(
    id="OVNG-NET-017",
    kinds=(OPERATOR_NETWORK, CUDN, UDN, NAD),
    topologies=(Topology.LAYER2, Topology.LAYER3),
    severity=Severity.ERROR,
    design="cluster-network-operator, no-overlay MTU check; ovn-kubernetes, MTU check of the encap interface",
    message="the MTU must not exceed that of the hosts",
    hint="use at most the hosts' MTU without overlay, and 100 less (146 with IPsec Full) with it, or remove the MTU",
    applies=applies,
    check=check,
    needs=(Need.HOST_MTU,),
)
