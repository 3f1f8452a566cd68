"""Network ids and tunnel keys: their number, the demand of a network, and the choices that it records.

Every network has an id, and every datapath that spans zones has a tunnel key that is equal in all zones. Keys come from
OVN's range for interconnection: a preserved block of one key for each id, and the dynamic rest, which Layer2 transit
routers and interconnects of user-defined networks share.

Source: OKEP-5094, "Tunnel keys for the transit switches/routers", option 3; ovn-kubernetes ``pkg/networkmanager`` and
``pkg/allocator/id``.
"""

from functools import lru_cache
from typing import Final, NamedTuple

from ovnguard.validators.network.addresses.addressing import (
    BASE_TUNNEL_KEY,
    FIRST_DYNAMIC_TUNNEL_KEY,
    MAX_NETWORK_ID,
    MAX_NETWORKS,
    MAX_TUNNEL_KEY,
    switch_tunnel_key,
)
from ovnguard.validators.network.model import DEFAULT_NETWORK, Network

DEFAULT_NETWORK_ID: Final = 0
USER_NETWORK_IDS: Final = MAX_NETWORK_ID
"""Ids for networks other than the default one, of any topology."""
DYNAMIC_KEYS: Final = MAX_TUNNEL_KEY - FIRST_DYNAMIC_TUNNEL_KEY + 1


class Demand(NamedTuple):
    """The number of tunnel keys that a network takes from each part of the range."""

    preserved: int
    dynamic: int


@lru_cache(maxsize=64)
def demand(*, transit_router: bool, network_id: int = 1) -> Demand:
    """Return the demand of a network: one key for its switch, and another if it has its own transit router.

    The switch's key is the preserved one of the network's id, or a dynamic one for ids beyond the preserved block,
    which no release allocates yet. Raises ValueError for a negative id.
    """
    if network_id < 0:
        raise ValueError(f"network id {network_id} is negative")
    router = 1 if transit_router else 0
    return Demand(1, router) if network_id < MAX_NETWORKS else Demand(0, 1 + router)


def recorded_id(network: Network) -> int | None:
    """Return the id that the network's object records, or the id of its recorded switch key; None when it records
    neither.

    The default network's id is always 0.
    """
    if network.name == DEFAULT_NETWORK:
        return DEFAULT_NETWORK_ID
    if network.network_id is not None:
        return network.network_id
    if network.tunnel_keys and 1 <= network.tunnel_keys[0] - BASE_TUNNEL_KEY <= MAX_NETWORK_ID:
        return network.tunnel_keys[0] - BASE_TUNNEL_KEY
    return None


def recorded_keys(network: Network) -> tuple[int, ...]:
    """Return the known keys of the network: the recorded ones, else the preserved key of a recorded id.

    Only networks with their own transit router record keys; keys recorded by others are ignored.
    """
    if network.needs_transit_subnet and network.tunnel_keys:
        return network.tunnel_keys
    number = recorded_id(network)
    return () if number is None or not 0 <= number <= MAX_NETWORK_ID else (switch_tunnel_key(number),)


def keys_fault(network: Network) -> str | None:
    """Return the fault of the keys that a network with a transit router records, without comparing networks, or None.

    Source of the text about the number of keys: ovn-kubernetes, Layer2 network controller.
    """
    keys = network.tunnel_keys if network.needs_transit_subnet else ()
    if not keys:
        return None
    if len(keys) != 2:
        shown = " ".join(str(key) for key in keys)
        needs = f"layer2 network {network.name} with transit router enabled requires exactly 2 tunnel keys"
        return f"{needs}, got: [{shown}]"
    for key in keys:
        if not BASE_TUNNEL_KEY <= key <= MAX_TUNNEL_KEY:
            return f"tunnel key {key} is not one of {BASE_TUNNEL_KEY} to {MAX_TUNNEL_KEY}"
    if keys[0] == keys[1]:
        return f"tunnel key {keys[0]} is recorded for both the switch and the transit router"
    return None
