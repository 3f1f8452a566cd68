"""The gateways of every network answer packets above the default network's MTU with "fragmentation needed".

A network with a larger MTU lets its pods send packets that no tunnel carries.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS
from ovnguard.validators.network.declared.parse_nad import CONFIG_FIELD
from ovnguard.validators.network.declared.parse_paths import block_path
from ovnguard.validators.network.model import Topology, Transport
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """Overlay networks that set their own MTU."""
    return ctx.network is not None and ctx.network.mtu is not None


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning when it exceeds the default network's MTU, where the operator Network specifies one."""
    network, default = ctx.own_network, ctx.facts.default_mtu
    if network is None or network.mtu is None or default is None or network.mtu <= default:
        return
    block = block_path(network)
    field = block if block == CONFIG_FIELD else f"{block}.mtu"
    yield FieldError(ErrorType.INVALID, field, network.mtu, f"is above the default network's MTU of {default}")


RULE = Rule(
    id="OVNG-L2-030",
    kinds=NETWORK_KINDS,
    transport=Transport.GENEVE,
    topologies=(Topology.LAYER2, Topology.LAYER3),
    own_network=True,
    severity=Severity.WARNING,
    design="OKEP-5094, options of router ports (gateway_mtu)",
    message="the MTU of an overlay network should not exceed the default network's MTU",
    hint="remove the MTU: the network then uses that of the default network",
    applies=applies,
    check=check,
    needs=(Need.OPERATOR_NETWORK,),
)
