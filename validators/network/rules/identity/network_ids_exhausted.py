"""Every network needs its own id, whatever its topology; 4095 exist besides that of the default network.

Without a free id, upstream accepts the network and retries forever; no pod ever attaches to it.

The transit router of a primary Layer2 network needs a tunnel key of the dynamic range.

Each interconnect of user-defined networks takes one of these 61437 keys as well.

The rule warns before the last network id or tunnel key is allocated, while there is time to plan.
"""

from collections.abc import Iterator
from typing import Final

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.addresses.network_keys import DYNAMIC_KEYS, USER_NETWORK_IDS, demand, recorded_id
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS
from ovnguard.validators.network.cluster.network_index import (
    census,
    dynamic_keys_of_others,
    interconnects,
    others,
    requested_later,
)
from ovnguard.validators.network.list_text import counted
from ovnguard.validators.network.model import Network, Role, Topology
from ovnguard.validators.network.rules.base import Need, Rule, RuleContext, Severity
from ovnguard.validators.network.rules.network_subject import name_path


def applies_ids(ctx: RuleContext) -> bool:
    """Networks without a recorded id."""
    return ctx.network is not None and recorded_id(ctx.network) is None


def check_ids(ctx: RuleContext) -> Iterator[FieldError]:
    """One error when other networks leave no free id. Of several requested ones the first get the free ids."""
    network = ctx.own_network
    if network is None:
        return
    known = others(census(ctx.inventory), network.name, USER_NETWORK_IDS)
    if known - requested_later(ctx.inventory, network.name) >= USER_NETWORK_IDS:
        detail = (
            f"failed to allocate network ID: failed to allocate the id for the resource {network.name}: "
            f"0 of {USER_NETWORK_IDS:,} network ids are left, {known:,} other networks are known"
        )
        yield FieldError(ErrorType.INVALID, name_path(network), network.source.name, detail)


_RULE_IDS = Rule(
    id="OVNG-L2-006",
    kinds=NETWORK_KINDS,
    own_network=True,
    severity=Severity.ERROR,
    design="OKEP-5094, 'Tunnel keys for the transit switches/routers'; ovn-kubernetes, networkmanager.MaxNetworks",
    message="the network requires a free network id",
    hint="delete unused networks; Localnet networks use ids too",
    applies=applies_ids,
    check=check_ids,
    needs=(Need.NETWORKS,),
)


def applies_keys(ctx: RuleContext) -> bool:
    """Primary Layer2 networks without recorded keys."""
    return ctx.network is not None and not ctx.network.tunnel_keys


def check_keys(ctx: RuleContext) -> Iterator[FieldError]:
    """One error when other networks and interconnects leave too few keys."""
    network = ctx.own_network
    if network is None:
        return
    wanted = demand(transit_router=True).dynamic
    room = DYNAMIC_KEYS - interconnects(ctx.inventory)
    held = dynamic_keys_of_others(census(ctx.inventory), network.name, room - wanted + 1)
    if held > room - wanted:
        detail = (
            f"failed to allocate tunnel keys: failed to allocate the id for the resource {network.name}: "
            f"it needs {counted(wanted, 'dynamic key')}, {max(room - held, 0):,} of {DYNAMIC_KEYS:,} are left"
        )
        yield FieldError(ErrorType.INVALID, name_path(network), network.source.name, detail)


_RULE_KEYS = Rule(
    id="OVNG-L2-007",
    kinds=NETWORK_KINDS,
    own_network=True,
    role=Role.PRIMARY,
    topologies=(Topology.LAYER2,),
    severity=Severity.ERROR,
    design="OKEP-5094, 'Tunnel keys for the transit switches/routers'",
    message="a primary Layer2 network requires free tunnel keys",
    hint="delete unused primary Layer2 networks or ClusterNetworkConnects, or use Layer3: see docs/limits.md",
    applies=applies_keys,
    check=check_keys,
    needs=(Need.NETWORKS,),
)


# A sixteenth of each.
_FEW_IDS: Final = USER_NETWORK_IDS // 16
_FEW_KEYS: Final = DYNAMIC_KEYS // 16


def check_nearly(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning for ids and one for keys, with the number left after this network."""
    network = ctx.own_network
    if network is None:
        return
    known = census(ctx.inventory)
    number = others(known, network.name, USER_NETWORK_IDS - _FEW_IDS)
    if USER_NETWORK_IDS - _FEW_IDS <= number < USER_NETWORK_IDS:
        ids = counted(USER_NETWORK_IDS - number - 1, "network id")
        yield _warning(network, f"{ids} of {USER_NETWORK_IDS:,} left after this network")
    wanted = demand(transit_router=network.needs_transit_subnet).dynamic
    room = DYNAMIC_KEYS - interconnects(ctx.inventory) - wanted
    held = dynamic_keys_of_others(known, network.name, room - _FEW_KEYS + 1)
    if wanted and room - _FEW_KEYS < held <= room:
        keys = counted(room - held, "dynamic tunnel key")
        yield _warning(network, f"{keys} of {DYNAMIC_KEYS:,} left after this network")


def _warning(network: Network, detail: str) -> FieldError:
    return FieldError(ErrorType.INVALID, name_path(network), network.source.name, detail)


_RULE_NEARLY = Rule(
    id="OVNG-L2-008",
    kinds=NETWORK_KINDS,
    own_network=True,
    severity=Severity.WARNING,
    design="OKEP-5094, 'Tunnel keys for the transit switches/routers'",
    message="few network ids or tunnel keys remain",
    hint="see docs/limits.md for what uses ids and keys",
    check=check_nearly,
    needs=(Need.NETWORKS,),
)


RULES = (_RULE_IDS, _RULE_KEYS, _RULE_NEARLY)
