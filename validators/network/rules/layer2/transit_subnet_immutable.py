"""Selected transit subnets do not change while they are valid: to change them, create the network again."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS
from ovnguard.validators.network.declared.parse_paths import transit_path
from ovnguard.validators.network.model import Role, Topology
from ovnguard.validators.network.parse_values import network_text
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity
from ovnguard.validators.network.rules.layer2.transit_subnet_valid import applies as has_transit
from ovnguard.validators.network.transit.transit_subnet import transit_faults


def applies(ctx: RuleContext) -> bool:
    """Updates of primary Layer2 networks with previously recorded transit subnets."""
    old = ctx.old_network
    return ctx.is_update and has_transit(ctx) and old is not None and bool(old.transit_subnets)


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error when the update replaces a valid subnet."""
    network, old = ctx.network, ctx.old_network
    if network is None or old is None:
        return
    invalid = {fault.subnet for fault in transit_faults(network, ctx.facts, old.transit_subnets)}
    families = {subnet.cidr.version for subnet in network.subnets}
    valid = [net for net in old.transit_subnets if net not in invalid and net.version in families]
    replaced = [net for net in valid if net not in network.transit_subnets]
    if replaced:
        detail = f"transit subnets are immutable while they are valid: {network_text(replaced)} was selected before"
        shown = network_text(network.transit_subnets)
        yield FieldError(ErrorType.INVALID, transit_path(network), shown, detail)


RULE = Rule(
    id="OVNG-L2-002",
    kinds=NETWORK_KINDS,
    topologies=(Topology.LAYER2,),
    role=Role.PRIMARY,
    severity=Severity.ERROR,
    design="OKEP-5094, 'Transit subnet conflict'",
    message="valid transit subnets are immutable",
    hint="keep them; to change them, delete the network and create it again",
    applies=applies,
    check=check,
    ratchets=False,
)
