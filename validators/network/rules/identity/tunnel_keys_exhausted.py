"""The transit router of a primary Layer2 network needs a tunnel key of the dynamic range.

These 61437 keys are also what interconnects of user-defined networks take, one each.
"""

from collections.abc import Iterator

from validators.base.field import ErrorType, FieldError
from validators.network.addresses.network_keys import DYNAMIC_KEYS, demand
from validators.network.cluster.inventory import NETWORK_KINDS
from validators.network.cluster.network_index import census, interconnects
from validators.network.list_text import counted
from validators.network.model import Topology
from validators.network.rules.base import Context, Need, Rule, Severity
from validators.network.rules.network_subject import name_path, subject


def applies(ctx: Context) -> bool:
    """Primary Layer2 networks that record no keys."""
    network = subject(ctx)
    return network is not None and network.needs_transit_subnet and not network.tunnel_keys


def check(ctx: Context) -> Iterator[FieldError]:
    """One error when other networks and interconnects leave too few keys."""
    network = subject(ctx)
    if network is None:
        return
    wanted = demand(transit_router=True).dynamic
    left = DYNAMIC_KEYS - interconnects(ctx.inventory) - census(ctx.inventory).dynamic_keys_of_others(network.name)
    if left < wanted:
        detail = (
            f"failed to allocate tunnel keys: failed to allocate the id for the resource {network.name}: "
            f"it needs {counted(wanted, 'dynamic key')}, {max(left, 0)} of {DYNAMIC_KEYS} are left"
        )
        yield FieldError(ErrorType.INVALID, name_path(network), network.source.name, detail)


RULE = Rule(
    id="OVNG-L2-007",
    kinds=NETWORK_KINDS,
    topology=Topology.LAYER2,
    severity=Severity.ERROR,
    design="OKEP-5094, 'Tunnel keys for the transit switches/routers'",
    message="a primary Layer2 network requires free tunnel keys",
    hint="delete unused primary Layer2 networks or ClusterNetworkConnects, or use Layer3: see docs/limits.md",
    applies=applies,
    check=check,
    needs=(Need.NETWORKS,),
)
