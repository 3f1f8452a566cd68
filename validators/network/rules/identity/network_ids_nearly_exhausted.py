"""Who plans the next hundred networks wants to know before the last network id or tunnel key is gone."""

from collections.abc import Iterator
from typing import Final

from validators.base.field import ErrorType, FieldError
from validators.network.addresses.network_keys import DYNAMIC_KEYS, USER_NETWORK_IDS, demand
from validators.network.cluster.inventory import NETWORK_KINDS
from validators.network.cluster.network_index import census, interconnects
from validators.network.list_text import counted
from validators.network.model import Network
from validators.network.rules.base import Context, Need, Rule, Severity
from validators.network.rules.network_subject import name_path, subject

# A sixteenth of each.
_FEW_IDS: Final = USER_NETWORK_IDS // 16
_FEW_KEYS: Final = DYNAMIC_KEYS // 16


def applies(ctx: Context) -> bool:
    """Networks beside the default one."""
    return subject(ctx) is not None


def check(ctx: Context) -> Iterator[FieldError]:
    """One warning for ids, one for keys, with how many are left after this network."""
    network = subject(ctx)
    if network is None:
        return
    known = census(ctx.inventory)
    ids = USER_NETWORK_IDS - known.others(network.name) - 1
    if 0 <= ids < _FEW_IDS:
        yield _warning(network, f"{counted(ids, 'network id')} of {USER_NETWORK_IDS} left after this network")
    wanted = demand(transit_router=network.needs_transit_subnet).dynamic
    others = known.dynamic_keys_of_others(network.name)
    keys = DYNAMIC_KEYS - interconnects(ctx.inventory) - others - wanted
    if wanted and 0 <= keys < _FEW_KEYS:
        yield _warning(network, f"{counted(keys, 'dynamic tunnel key')} of {DYNAMIC_KEYS} left after this network")


def _warning(network: Network, detail: str) -> FieldError:
    return FieldError(ErrorType.INVALID, name_path(network), network.source.name, detail)


RULE = Rule(
    id="OVNG-L2-008",
    kinds=NETWORK_KINDS,
    severity=Severity.WARNING,
    design="OKEP-5094, 'Tunnel keys for the transit switches/routers'",
    message="few network ids or tunnel keys remain",
    hint="see docs/limits.md for what uses ids and keys",
    applies=applies,
    check=check,
    needs=(Need.NETWORKS,),
)
