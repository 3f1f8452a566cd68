"""The transit router of a primary Layer2 network joins zones, which exist only with OVN interconnect.

Where no node records its zone, the settings of ovnkube may show whether interconnect is on; the rule about zones
reports that the zones are unknown.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS
from ovnguard.validators.network.declared.parse_paths import block_path
from ovnguard.validators.network.model import Role, Topology
from ovnguard.validators.network.ovnkube_settings.allocation import interconnect_is_off
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def applies(ctx: RuleContext) -> bool:
    """Primary Layer2 networks while no node records its zone."""
    return not any(node.zone for node in ctx.facts.nodes or ())


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error at the topology's block."""
    network = ctx.own_network
    if network is not None and interconnect_is_off(ctx.inventory):
        yield FieldError(ErrorType.INVALID, block_path(network), detail=RULE.message)


RULE = Rule(
    id="OVNG-L2-036",
    kinds=NETWORK_KINDS,
    topologies=(Topology.LAYER2,),
    role=Role.PRIMARY,
    own_network=True,
    severity=Severity.ERROR,
    design="OKEP-5094, 'Non-Goals' and 'Transit router'",
    message="a primary Layer2 network requires OVN interconnect, and ovnkube runs without it",
    hint="use a Layer3 network, or start ovnkube with --enable-interconnect and a zone for every node",
    applies=applies,
    check=check,
)
