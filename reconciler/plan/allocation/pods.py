"""Addresses, MACs and port keys of pods.

Source: ovn-kubernetes ``pkg/allocator/ip``, ``pkg/clustermanager/pod``; OKEP-5094, "Tunnel keys".
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from reconciler.plan.allocation.numbers import free_key
from reconciler.plan.topology.addresses import FAMILY
from validators.network.addressing import AddressError, IPInterface, interface, mac_of, subnet_addresses
from validators.network.model import IPAddress, IPNetwork, Network, Role

# The default network keeps the third address of a node's subnet for hybrid overlay.
_HYBRID = 3


@dataclass(frozen=True, slots=True)
class Span:
    """Addresses that pods may not have, from ``first`` to ``last`` as numbers."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Pool:
    """One subnet of one switch. ``spans`` and ``macs`` are not for pods; ``reserved`` only for who asks by name."""

    subnet: IPNetwork
    spans: tuple[Span, ...] = ()
    macs: frozenset[str] = frozenset()
    reserved: tuple[IPNetwork, ...] = ()


@dataclass(frozen=True, slots=True)
class PodPlace:
    """What a pod has on one network; ``key`` is None where the switch ends at the node."""

    addresses: tuple[IPInterface, ...]
    mac: str
    key: int | None = None


def layer2_pools(network: Network) -> tuple[Pool, ...] | AddressError:
    """Return the pools of a Layer2 network, one for each subnet.

    A primary network keeps gateway, management port and infrastructure subnets to itself.
    """
    pools = []
    for subnet in network.subnets:
        spans, macs = _ends(subnet.cidr), frozenset[str]()
        if network.role is Role.PRIMARY:
            own = subnet_addresses(subnet.cidr, network.default_gateway_ips, network.infrastructure_subnets)
            if isinstance(own, AddressError):
                return own
            spans += [_single(own.gateway.ip), _single(own.management.ip)]
            macs = frozenset((mac_of(own.gateway.ip), mac_of(own.management.ip)))
            spans += [_span(each) for each in network.infrastructure_subnets if each.version == subnet.cidr.version]
        reserved = tuple(each for each in network.reserved_subnets if each.version == subnet.cidr.version)
        pools.append(Pool(subnet.cidr, tuple(spans), macs, reserved))
    return tuple(pools)


def layer3_pools(network: Network, shares: Iterable[IPNetwork]) -> tuple[Pool, ...] | AddressError:
    """Return the pools of a node's subnets in a Layer3 network."""
    pools = []
    for share in shares:
        own = subnet_addresses(share)
        if isinstance(own, AddressError):
            return own
        spans = [*_ends(share), _single(own.gateway.ip), _single(own.management.ip)]
        if network.is_default and share.version == 4 and share.num_addresses > _HYBRID:
            spans.append(_single(share.network_address + _HYBRID))
        pools.append(Pool(share, tuple(spans), frozenset((mac_of(own.gateway.ip), mac_of(own.management.ip)))))
    return tuple(pools)


def place_pod(
    pools: Iterable[Pool],
    held: Collection[PodPlace],
    *,
    wanted: Iterable[IPAddress] = (),
    keys: Collection[int] | None = None,
) -> PodPlace | AddressError:
    """Return addresses, MAC and key of one more pod, beside pods that hold ``held``.

    ``wanted`` are addresses that it asks for, at most one in each pool. ``keys`` are port keys that others than pods
    have on the switch; None for a switch that needs no keys. The MAC follows from the first address.
    """
    taken = {each.ip for place in held for each in place.addresses}
    asked = tuple(wanted)
    addresses: list[IPInterface] = []
    for pool in pools:
        request = next((each for each in asked if each in pool.subnet), None)
        macs = frozenset() if addresses else pool.macs | {place.mac for place in held}
        address = _first_free(pool, taken, macs) if request is None else _requested(pool, request, taken, macs)
        if isinstance(address, AddressError):
            return address
        addresses.append(interface(address, pool.subnet.prefixlen))
    if not addresses:
        return AddressError("the network has no subnets: its pods bring their addresses themselves")
    key = None
    if keys is not None:
        key_or_error = free_key([*keys, *(place.key for place in held if place.key is not None)])
        if isinstance(key_or_error, AddressError):
            return key_or_error
        key = key_or_error
    return PodPlace(tuple(addresses), mac_of(addresses[0].ip), key)


def is_platforms(pools: Iterable[Pool], address: IPAddress) -> bool:
    """Whether an address lies in one of ``pools`` and is not for pods there."""
    number = int(address)
    return any(
        address in pool.subnet and any(span.first <= number <= span.last for span in pool.spans) for pool in pools
    )


def room(pool: Pool) -> int:
    """Return how many addresses a pool has for pods that do not ask for one."""
    spans = _merged([*pool.spans, *map(_span, pool.reserved)], pool.subnet)
    return pool.subnet.num_addresses - sum(span.last - span.first + 1 for span in spans)


def _first_free(pool: Pool, taken: Collection[IPAddress], macs: Collection[str]) -> IPAddress | AddressError:
    """The first address that nobody has and whose MAC is not in ``macs``: MACs of IPv6 addresses are hashes."""
    base = int(pool.subnet.network_address)
    spans = _merged([*pool.spans, *map(_span, pool.reserved)], pool.subnet)
    number, end = base, base + pool.subnet.num_addresses
    for span in [*spans, Span(end, end)]:
        while number < span.first:
            address = pool.subnet.network_address + (number - base)
            if address not in taken and mac_of(address) not in macs:
                return address
            number += 1
        number = max(number, span.last + 1)
    version = FAMILY[pool.subnet.version]
    return AddressError(f"no {version} address left: all {room(pool)} of {pool.subnet} that pods may have are held")


def _requested(
    pool: Pool, address: IPAddress, taken: Collection[IPAddress], macs: Collection[str]
) -> IPAddress | AddressError:
    if any(span.first <= int(address) <= span.last for span in pool.spans):
        return AddressError(f"{address} is not for pods")
    if address not in taken and mac_of(address) in macs:
        return AddressError(f"the MAC of {address}, {mac_of(address)}, is already held")
    return AddressError(f"{address} is already held") if address in taken else address


def _ends(subnet: IPNetwork) -> list[Span]:
    """The network's own address, and the broadcast address of IPv4."""
    ends = [_single(subnet.network_address)]
    return [*ends, _single(subnet.broadcast_address)] if subnet.version == 4 else ends


def _single(address: IPAddress) -> Span:
    return Span(int(address), int(address))


def _span(subnet: IPNetwork) -> Span:
    return Span(int(subnet.network_address), int(subnet.broadcast_address))


def _merged(spans: Iterable[Span], within: IPNetwork) -> list[Span]:
    """The spans inside a subnet, in order and without overlaps."""
    whole = _span(within)
    merged: list[Span] = []
    for span in sorted(spans, key=lambda each: each.first):
        first, last = max(span.first, whole.first), min(span.last, whole.last)
        if first > last:
            continue
        if merged and first <= merged[-1].last + 1:
            merged[-1] = Span(merged[-1].first, max(last, merged[-1].last))
        else:
            merged.append(Span(first, last))
    return merged
