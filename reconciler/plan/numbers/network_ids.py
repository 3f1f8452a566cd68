"""Network ids and tunnel keys: recorded numbers take precedence, and every zone computes the same for the rest.

Upstream's cluster manager allocates ids in sequence and records them. A plan has no such authority, so a network
without a recorded id gets the first free id at or after a hash of its name. Later networks never displace earlier ones
as long as the caller passes networks in order of creation, and the cluster records the choice at once.

Source: ovn-kubernetes ``pkg/allocator/id`` and OKEP-5094, "Tunnel keys for the transit switches/routers", option 3.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from ovnguard.reconciler.plan.numbers.live_allocations import LiveAllocation, with_numbers
from ovnguard.validators.network.addresses.addressing import FIRST_DYNAMIC_TUNNEL_KEY, MAX_NETWORK_ID, switch_tunnel_key
from ovnguard.validators.network.addresses.network_keys import DEFAULT_NETWORK_ID, DYNAMIC_KEYS, keys_fault, recorded_id
from ovnguard.validators.network.model import Network

_NOTHING_HELD: Final[Mapping[str, LiveAllocation]] = MappingProxyType({})


class NetworkIds(NamedTuple):
    """The numbers of one network; ``router_key`` is None unless it has its own transit router."""

    network_id: int
    switch_key: int
    router_key: int | None = None


@dataclass(frozen=True, slots=True)
class IdError:
    """The reason why ``network`` gets no numbers; ``exhausted`` means that all numbers are in use."""

    network: str
    text: str
    exhausted: bool = False


@dataclass(frozen=True, slots=True)
class Allocation:
    """Numbers per network name; a network with an error has none."""

    ids: Mapping[str, NetworkIds] = field(hash=False)
    errors: tuple[IdError, ...] = ()


@dataclass(slots=True)
class _Pool:
    """The numbers in use and their owners, during one allocation."""

    ids: dict[int, str] = field(default_factory=dict)
    keys: dict[int, str] = field(default_factory=dict)
    failed: dict[str, IdError] = field(default_factory=dict)

    def fail(self, network: str, text: str) -> None:
        self.failed.setdefault(network, IdError(network, text))

    def run_out(self, network: str, what: str, count: int) -> None:
        """Note that others hold all ``count`` numbers of a kind."""
        text = (
            f"failed to allocate {what}: failed to allocate the id for the resource {network}: all {count} are in use"
        )
        self.failed.setdefault(network, IdError(network, text, exhausted=True))


def allocate(networks: Iterable[Network], held: Mapping[str, LiveAllocation] = _NOTHING_HELD) -> Allocation:
    """Return ids and keys of ``networks``, given in order of creation and with different names.

    ``held`` are the numbers in live rows, by network name, including networks that are not in ``networks``: a network
    that records nothing keeps its numbers, and no other network gets them. Recorded numbers are kept. When two networks
    record the same number, the later one is an error: a live network never changes its keys, because all zones would
    have to change at the same instant.
    """
    ordered = tuple(with_numbers(each, held.get(each.name)) for each in networks) if held else tuple(networks)
    pool = _pool(held)
    ids: dict[str, int] = {}
    for network in ordered:
        if (recorded := recorded_id(network)) is not None:
            _claim_id(network, recorded, pool, ids)
    for network in ordered if len(ids) < len(ordered) else ():
        if network.name not in ids and network.name not in pool.failed:
            _find_id(network, pool, ids)
    keys: dict[str, tuple[int, ...]] = {}
    keyless: list[Network] = []
    for network in ordered:
        if network.name in ids and network.name not in pool.failed:
            _claim_keys(network, ids[network.name], pool, keys)
            if not network.tunnel_keys:
                keyless.append(network)
    for network in keyless:
        if network.needs_transit_subnet and len(keys.get(network.name, ())) == 1:
            _find_router_key(network, pool, keys)
    found = {name: _numbers(ids[name], *held) for name, held in keys.items() if name not in pool.failed}
    failed = pool.failed
    errors = tuple(failed[network.name] for network in ordered if network.name in failed) if failed else ()
    return Allocation(MappingProxyType(found), errors)


# Every plan numbers all networks, and compares the numbers with those of the plan before.
@lru_cache(maxsize=1 << 13)
def _numbers(network_id: int, switch_key: int, router_key: int | None = None) -> NetworkIds:
    return NetworkIds(network_id, switch_key, router_key)


def _pool(held: Mapping[str, LiveAllocation]) -> _Pool:
    pool = _Pool()
    for name, each in held.items():
        if each.network_id is not None:
            pool.ids.setdefault(each.network_id, name)
        for key in each.keys:
            pool.keys.setdefault(key, name)
    return pool


def _claim_id(network: Network, recorded: int, pool: _Pool, ids: dict[str, int]) -> None:
    name, owners = network.name, pool.ids
    is_known = 1 <= recorded <= MAX_NETWORK_ID or (recorded == DEFAULT_NETWORK_ID and network.is_default)
    if not is_known:
        pool.fail(name, f"network id {recorded} is not one of 1 to {MAX_NETWORK_ID}")
    elif owners.setdefault(recorded, name) != name:
        pool.fail(name, f'network id {recorded} is already held by network "{owners[recorded]}"')
    else:
        ids[name] = recorded


def _find_id(network: Network, pool: _Pool, ids: dict[str, int]) -> None:
    start = _hash("network-id", network.name) % MAX_NETWORK_ID
    for step in range(MAX_NETWORK_ID):
        candidate = (start + step) % MAX_NETWORK_ID + 1
        if candidate not in pool.ids:
            pool.ids[candidate] = network.name
            ids[network.name] = candidate
            return
    pool.run_out(network.name, "network ID", MAX_NETWORK_ID)


def _claim_keys(network: Network, network_id: int, pool: _Pool, keys: dict[str, tuple[int, ...]]) -> None:
    """Take the keys that the network records, else the preserved key of its id."""
    name, owners = network.name, pool.keys
    held = network.tunnel_keys if network.tunnel_keys and network.needs_transit_subnet else ()
    fault = keys_fault(network) if held else None
    if fault is not None:
        pool.fail(name, fault)
        return
    wanted = held or (switch_tunnel_key(network_id),)
    for key in wanted:
        if owners.get(key, name) != name:
            pool.fail(name, f'tunnel key {key} is already held by network "{owners[key]}"')
            return
    for key in wanted:
        owners[key] = name
    keys[name] = wanted


def _find_router_key(network: Network, pool: _Pool, keys: dict[str, tuple[int, ...]]) -> None:
    start = _hash("tunnel-key", network.name) % DYNAMIC_KEYS
    for step in range(DYNAMIC_KEYS):
        candidate = FIRST_DYNAMIC_TUNNEL_KEY + (start + step) % DYNAMIC_KEYS
        if candidate not in pool.keys:
            pool.keys[candidate] = network.name
            keys[network.name] = (*keys[network.name], candidate)
            return
    pool.run_out(network.name, "tunnel keys", DYNAMIC_KEYS)


def _hash(purpose: str, name: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{purpose}\x1f{name}".encode()).digest()[:8])
