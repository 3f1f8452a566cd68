"""OVN-Kubernetes allocates only the first 65,536 addresses of an IPv6 subnet, whatever its length.

It reserves addresses one by one. With a reservation beyond these addresses the network never starts on any node, and
all its conditions are True.
"""

from collections.abc import Iterator

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.network.addresses.ipv6_range import unreachable_reservations
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS
from ovnguard.validators.network.declared.parse_paths import block_path
from ovnguard.validators.network.model import Topology
from ovnguard.validators.network.rules.base import Rule, RuleContext, Severity


def check(ctx: RuleContext) -> Iterator[FieldError]:
    """One warning for each reservation that ends beyond the usable addresses. Text: ovn-kubernetes."""
    network = ctx.own_network
    if network is not None:
        for each in unreachable_reservations(network):
            yield FieldError(ErrorType.INVALID, block_path(network), str(each.part), each.detail)


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
