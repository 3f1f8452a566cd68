"""Faults for which ovn-kubernetes refuses an attachment's configuration although each value is valid.

The configuration's own schema judges types and bounds of single keys.

Texts: ovn-kubernetes, ``go-controller/pkg/util/multi_network.go`` and ``pkg/config/cni.go``.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ovnguard.validators.network.model import IPNetwork, Network, Topology
from ovnguard.validators.network.parse_values import dig

_LAYER2_ONLY: Final = ("infrastructureSubnets", "reservedSubnets", "defaultGatewayIPs")


def containment_faults(network: Network) -> Iterator[str]:
    """Iterate over subnets and addresses that are outside the network's subnets."""
    parts_of_subnets = (
        ("excluded", network.excluded_subnets),
        ("reserved", network.reserved_subnets),
        ("infrastructure", network.infrastructure_subnets),
    )
    for kind, parts in parts_of_subnets:
        outside = [str(part) for part in parts if not any(_holds(each.cidr, part) for each in network.subnets)]
        if outside:
            yield f"the provided network subnets do not contain {kind} subnets {','.join(outside)}"
    strangers = [str(ip) for ip in network.default_gateway_ips if not any(ip in each.cidr for each in network.subnets)]
    if strangers:
        rule = "defaultGatewayIPs must belong to one of the subnets specified in the subnets field"
        yield f"{rule}: {','.join(strangers)}"


def topology_faults(config: Mapping[str, Any], topology: Topology | None) -> Iterator[str]:
    """Iterate over keys that do not go with the topology; None is that of the default network."""
    if dig(config, "ipam", "type"):
        yield "IPAM key is not supported. Use OVN-K provided IPAM via the `subnets` attribute"
    if topology is Topology.LAYER3 and config.get("allowPersistentIPs"):
        yield "layer3 topology does not allow persistent IPs"
    if topology is not Topology.LAYER2:
        yield from (f"{key} is only supported for layer2 topology" for key in _LAYER2_ONLY if config.get(key))


def _holds(outer: IPNetwork, inner: IPNetwork) -> bool:
    if outer.version != inner.version or outer.prefixlen > inner.prefixlen:
        return False
    return inner.network_address in outer
