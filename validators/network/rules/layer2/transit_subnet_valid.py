"""Recorded transit subnets of a primary Layer2 network must be free, private, and of the network's IP families."""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS
from ovnguard.validators.network.declared.parse_paths import transit_path
from ovnguard.validators.network.model import Role, Topology
from ovnguard.validators.network.parse_values import network_text
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity
from ovnguard.validators.network.transit.transit_subnet import transit_faults
from ovnguard.validators.network.transit.used_subnets import without_hosts


def applies(ctx: RuleContext) -> bool:
    """Primary Layer2 networks with recorded transit subnets."""
    return ctx.network is not None and bool(ctx.network.transit_subnets)


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One error for wrong families, and one for each subnet that is in use, public or without room for any node."""
    network = ctx.network
    if network is None:
        return
    path, transit = transit_path(network), network.transit_subnets
    families = sorted({subnet.cidr.version for subnet in network.subnets})
    if [net.version for net in transit] != families:
        wanted = " and ".join(f"IPv{version}" for version in families)
        detail = f"must have one subnet of each IP family of the network's subnets: {wanted}"
        yield FieldError(ErrorType.INVALID, path, network_text(transit), detail)
    # another rule checks the room for the known nodes, and notes when it cannot; this one checks the room for the first
    # node
    without_room = ctx.facts._replace(max_node_id=None)
    for fault in transit_faults(network, without_room, transit):
        yield FieldError(ErrorType.INVALID, path, str(fault.subnet), fault.text, public=without_hosts(fault.text))


RULE = Rule(
    id="OVNG-L2-001",
    kinds=NETWORK_KINDS,
    topologies=(Topology.LAYER2,),
    role=Role.PRIMARY,
    severity=Severity.ERROR,
    design="OKEP-5094, 'Transit subnet conflict'",
    message="transit subnets must be free, private and of the network's IP families",
    hint="remove the annotation: ovnguard selects free transit subnets",
    applies=applies,
    check=check,
)
