"""OVN-Kubernetes allocates only the first 65,536 addresses of an IPv6 subnet, whatever its length.

It reserves addresses one by one. With a reservation beyond these addresses the network never starts on any node, and
all its conditions are True.
"""

from collections.abc import Iterator
from typing import Final

from validators.base.field import ErrorType, FieldError
from validators.network.cluster.inventory import NETWORK_KINDS
from validators.network.declared.parse_paths import block_path
from validators.network.model import IPNetwork, Network, Topology
from validators.network.rules.base import Context, Rule, Severity

_USABLE: Final = 1 << 16


def check(ctx: Context) -> Iterator[FieldError]:
    """One warning for each reservation that ends beyond the usable addresses. Text: ovn-kubernetes."""
    network = ctx.own_network
    if network is None:
        return
    kept = (
        ("reservedSubnets", network.reserved_subnets),
        ("infrastructureSubnets", network.infrastructure_subnets),
        ("excludeSubnets", network.excluded_subnets),
    )
    for key, parts in kept:
        for part in parts:
            around = _around(network, part)
            if around is not None:
                first = max(part[0], around[_USABLE])
                detail = f"{key} {part}: failed to reserve IP {first}: provided IP is not in the valid range"
                yield FieldError(ErrorType.INVALID, block_path(network), str(part), detail)


def _around(network: Network, part: IPNetwork) -> IPNetwork | None:
    """The subnet that holds an IPv6 ``part`` which ends beyond the usable addresses."""
    if part.version == 4:
        return None
    for subnet in network.subnets:
        whole = subnet.cidr
        if whole.version == 6 and part[0] in whole and int(part[-1]) - int(whole[0]) >= _USABLE:
            return whole
    return None


RULE = Rule(
    id="OVNG-L2-040",
    kinds=NETWORK_KINDS,
    topologies=(Topology.LAYER2, Topology.LOCALNET),
    own_network=True,
    severity=Severity.WARNING,
    design="ovn-kubernetes, pkg/allocator/ip",
    message="reservations should be in the first 65,536 addresses of an IPv6 subnet",
    hint="choose other reserved, infrastructure or excluded subnets; OVN-Kubernetes does not allocate later addresses",
    check=check,
)
