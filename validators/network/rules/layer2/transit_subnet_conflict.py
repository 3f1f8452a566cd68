"""A primary Layer2 network needs a transit subnet, and one can only be selected where one is free.

The transit router joins the nodes' parts of the network; its subnet must overlap nothing that the network or the
cluster uses. The default is tried first, then the private ranges. Where nothing is left the network could never be
made, and upstream would find out on every node.
"""

from collections.abc import Iterator

from validators.base.field import ErrorType, FieldError
from validators.network.cluster.inventory import NETWORK_KINDS
from validators.network.declared.parse_paths import subnets_path
from validators.network.model import Topology
from validators.network.rules.base import Context, Rule, Severity
from validators.network.transit.selected_values import is_ours
from validators.network.transit.transit_subnet import NoFreeTransitSubnet, select_transit


def applies(ctx: Context) -> bool:
    """Primary Layer2 networks for which nothing was selected."""
    network = ctx.network
    if network is None or not network.needs_transit_subnet or network.transit_subnets:
        return False
    return bool(network.subnets) and is_ours(ctx.object)


def check(ctx: Context) -> Iterator[FieldError]:
    """One error at the subnets, naming what is in the way."""
    network = ctx.network
    if network is None:
        return
    answer = select_transit(network, ctx.facts, ())
    if isinstance(answer, NoFreeTransitSubnet):
        shown = ",".join(str(subnet.cidr) for subnet in network.subnets)
        yield FieldError(ErrorType.INVALID, subnets_path(network), shown, answer.text)


RULE = Rule(
    id="OVNG-L2-005",
    kinds=NETWORK_KINDS,
    topology=Topology.LAYER2,
    severity=Severity.ERROR,
    design="OKEP-5094, 'Transit subnet conflict'",
    message="the network requires a free transit subnet",
    hint="use smaller subnets in the network or in the cluster, so that private address space remains free",
    applies=applies,
    check=check,
)
