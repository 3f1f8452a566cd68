"""The addresses of an IPv6 subnet that OVN-Kubernetes allocates: the first 65,536, whatever the subnet's length.

It reserves addresses one by one. With a reservation beyond these addresses a network never starts on any node, and all
its conditions are True.

Source: ovn-kubernetes ``pkg/allocator/ip``.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from ovnguard.validators.network.model import IPAddress, IPNetwork, Network

_USABLE: Final = 1 << 16


class Unreachable(NamedTuple):
    """A reservation, the field that has it, and its first address beyond the usable ones."""

    key: str
    part: IPNetwork
    first: IPAddress

    @property
    def detail(self) -> str:
        """What OVN-Kubernetes says of it."""
        return f"{self.key} {self.part}: failed to reserve IP {self.first}: provided IP is not in the valid range"


def unreachable_reservations(network: Network) -> Iterator[Unreachable]:
    """Iterate over the reservations that end beyond the usable addresses of their IPv6 subnet."""
    kept = (
        ("reservedSubnets", network.reserved_subnets),
        ("infrastructureSubnets", network.infrastructure_subnets),
        ("excludeSubnets", network.excluded_subnets),
    )
    for key, parts in kept:
        for part in parts:
            around = _around(network, part)
            if around is not None:
                yield Unreachable(key, part, max(part[0], around[_USABLE]))


def _around(network: Network, part: IPNetwork) -> IPNetwork | None:
    """The subnet that holds an IPv6 ``part`` which ends beyond the usable addresses."""
    if part.version == 4:
        return None
    for subnet in network.subnets:
        whole = subnet.cidr
        if whole.version == 6 and part[0] in whole and int(part[-1]) - int(whole[0]) >= _USABLE:
            return whole
    return None
