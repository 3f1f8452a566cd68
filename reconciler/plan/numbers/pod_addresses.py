"""Addresses, MACs and port keys of pods.

Source: ovn-kubernetes ``pkg/allocator/ip``, ``pkg/clustermanager/pod``; OKEP-5094, "Tunnel keys".
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from ovnguard.reconciler.plan.numbers.families import FAMILY
from ovnguard.reconciler.plan.numbers.node_ids import PortKeys
from ovnguard.validators.network.addresses.addressing import (
    AddressError,
    IPInterface,
    interface,
    mac_of,
    subnet_addresses,
)
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import IPAddress, IPNetwork, Network, Role

# The gateway to nodes outside of OVN, where hybrid overlay has recorded no other.
_HYBRID = 3


@dataclass(frozen=True, slots=True)
class Span:
    """Addresses that pods may not use, from ``first`` to ``last`` as integers."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Pool:
    """One subnet of a switch. Pods never get ``spans`` and ``macs``, and get ``reserved`` only on request."""

    subnet: IPNetwork
    spans: tuple[Span, ...] = ()
    macs: frozenset[str] = frozenset()
    reserved: tuple[IPNetwork, ...] = ()


@dataclass(frozen=True, slots=True)
class PodAddresses:
    """A pod's addresses on one network; ``key`` is None where the switch ends at the node."""

    addresses: tuple[IPInterface, ...]
    mac: str
    key: int | None = None


def layer2_pools(network: Network) -> tuple[Pool, ...] | AddressError:
    """Return the pools of a Layer2 network, one for each subnet.

    Excluded subnets are never used; a primary network reserves its gateway, management port and infrastructure
    subnets.
    """
    pools = []
    for subnet in network.subnets:
        spans, macs = _ends(subnet.cidr), frozenset[str]()
        spans += [_span(each) for each in network.excluded_subnets if each.version == subnet.cidr.version]
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


def layer3_pools(network: Network, node: Node) -> tuple[Pool, ...] | AddressError:
    """Return the pools of a node's subnets in a Layer3 network."""
    pools = []
    for share in node.host_subnets.get(network.name, ()):
        own = subnet_addresses(share)
        if isinstance(own, AddressError):
            return own
        spans = [*_ends(share), _single(own.gateway.ip), _single(own.management.ip)]
        spans += map(_single, _hybrid_gateways(network, node, share))
        pools.append(Pool(share, tuple(spans), frozenset((mac_of(own.gateway.ip), mac_of(own.management.ip)))))
    return tuple(pools)


def _hybrid_gateways(network: Network, node: Node, share: IPNetwork) -> Iterable[IPAddress]:
    """The addresses of hybrid overlay in a node's subnet. Source: ovn-kubernetes ``pkg/ovn/hybrid.go``."""
    if not network.is_default or not (network.has_hybrid_overlay or node.is_in_hybrid_overlay):
        return ()
    recorded = [each for each in node.hybrid_gateways if each in share]
    return recorded or ([share.network_address + _HYBRID] if share.num_addresses > _HYBRID else [])


class SwitchAddresses:
    """The addresses of pods on one switch during allocation: an address in use is not allocated again.

    ``keys`` are the switch's port keys in use by ports other than pods'; None for a switch without keys.
    """

    def __init__(self, pools: Iterable[Pool], keys: Collection[int] | None = None) -> None:
        self._pools = tuple(pools)
        self._free = [_Free(pool) for pool in self._pools]
        self._addresses: set[IPAddress] = set()
        self._macs = {mac for pool in self._pools for mac in pool.macs}
        self._keys = None if keys is None else PortKeys(keys)

    def hold(self, pod: PodAddresses) -> None:
        """Mark recorded addresses as used."""
        self._addresses.update(each.ip for each in pod.addresses)
        self._macs.add(pod.mac)
        if self._keys is not None and pod.key is not None:
            self._keys.hold(pod.key)

    def fits(self, pod: PodAddresses) -> bool:
        """Whether addresses allocated earlier are still in this switch's pools, if it has any, and unused."""
        inside = not self._pools or all(
            any(each.ip in pool.subnet and not is_platforms([pool], each.ip) for pool in self._pools)
            for each in pod.addresses
        )
        versions = {pool.subnet.version for pool in self._pools}
        families = not versions or {each.version for each in pod.addresses} == versions
        free = pod.mac not in self._macs and not any(each.ip in self._addresses for each in pod.addresses)
        keyed = self._keys is None or (pod.key is not None and self._keys.is_free(pod.key))
        return inside and families and free and keyed

    def give(self, wanted: Iterable[IPAddress] = (), mac: str = "") -> PodAddresses | AddressError:
        """Allocate and return the addresses, MAC and key of one more pod.

        ``wanted`` are the addresses that the pod requests, at most one per pool; without pools it gets those. The first
        address gives the MAC, which is ``mac`` for a pod without addresses.
        """
        asked = tuple(wanted)
        addresses = [] if self._pools else [interface(each, each.max_prefixlen) for each in asked]
        for pool, free in zip(self._pools, self._free, strict=True):
            request = next((each for each in asked if each in pool.subnet), None)
            macs = frozenset[str]() if addresses else self._macs
            if request is None:
                address = free.first(self._addresses, macs)
            else:
                address = _requested(pool, request, self._addresses, macs)
            if isinstance(address, AddressError):
                return address
            addresses.append(interface(address, pool.subnet.prefixlen))
        if not addresses and not mac:
            return AddressError("the network has no subnets: its pods must record their own addresses")
        key = None if self._keys is None else self._keys.free()
        if isinstance(key, AddressError):
            return key
        pod = PodAddresses(tuple(addresses), mac_of(addresses[0].ip) if addresses else mac, key)
        self.hold(pod)
        return pod


def is_platforms(pools: Iterable[Pool], address: IPAddress) -> bool:
    """Whether an address is in one of ``pools`` and reserved for the platform there."""
    number = int(address)
    return any(
        address in pool.subnet and any(span.first <= number <= span.last for span in pool.spans) for pool in pools
    )


def room(pool: Pool) -> int:
    """Return the number of addresses in a pool for pods that request none."""
    spans = _merged([*pool.spans, *map(_span, pool.reserved)], pool.subnet)
    return pool.subnet.num_addresses - sum(span.last - span.first + 1 for span in spans)


class _Free:
    """Addresses of one pool in order; a used address does not become free again during allocation."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._base = int(pool.subnet.network_address)
        self._end = self._base + pool.subnet.num_addresses
        self._spans = _merged([*pool.spans, *map(_span, pool.reserved)], pool.subnet)
        self._number = self._base

    def first(self, taken: Collection[IPAddress], macs: Collection[str]) -> IPAddress | AddressError:
        """The first unused address whose MAC is not in ``macs``: MACs of IPv6 addresses are hashes."""
        for span in [*self._spans, Span(self._end, self._end)]:
            while self._number < span.first:
                address = self._pool.subnet.network_address + (self._number - self._base)
                if address not in taken and mac_of(address) not in macs:
                    return address
                self._number += 1
            self._number = max(self._number, span.last + 1)
        subnet = self._pool.subnet
        text = f"all {room(self._pool)} of {subnet} for pods are in use"
        return AddressError(f"no {FAMILY[subnet.version]} address left: {text}")


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
