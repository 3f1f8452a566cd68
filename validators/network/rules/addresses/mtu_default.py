"""Gateways of every network send what is larger than the default network's MTU back to be fragmented.

A larger MTU of a network's own promises its pods packets that no tunnel carries.
"""

from collections.abc import Iterator

from validators.base.field import ErrorType, FieldError
from validators.network.cluster.inventory import NETWORK_KINDS
from validators.network.declared.parse_nad import CONFIG_FIELD
from validators.network.declared.parse_paths import block_path
from validators.network.model import GENEVE, LOCALNET
from validators.network.rules.base import Context, Need, Rule, Severity
from validators.network.rules.network_subject import subject


def applies(ctx: Context) -> bool:
    """Overlay networks with an MTU of their own."""
    network = subject(ctx)
    overlay = network is not None and network.transport is GENEVE
    return overlay and network is not None and network.topology is not LOCALNET and network.mtu is not None


def check(ctx: Context) -> Iterator[FieldError]:
    """One warning when it is above the default network's, where the operator Network states that."""
    network, default = subject(ctx), ctx.facts.default_mtu
    if network is None or network.mtu is None or default is None or network.mtu <= default:
        return
    block = block_path(network)
    field = block if block == CONFIG_FIELD else f"{block}.mtu"
    yield FieldError(ErrorType.INVALID, field, network.mtu, f"is above the default network's MTU of {default}")


RULE = Rule(
    id="OVNG-L2-030",
    kinds=NETWORK_KINDS,
    severity=Severity.WARNING,
    design="OKEP-5094, options of router ports (gateway_mtu)",
    message="the MTU of an overlay network should not exceed the default network's MTU",
    hint="remove the MTU: the network then uses that of the default network",
    applies=applies,
    check=check,
    needs=(Need.OPERATOR_NETWORK,),
)
