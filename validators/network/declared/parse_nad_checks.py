"""Faults for which ovn-kubernetes refuses an attachment's configuration although each value is valid.

The configuration's own schema judges types and bounds of single keys.

Texts: ovn-kubernetes, ``go-controller/pkg/util/multi_network.go`` and ``pkg/config/cni.go``.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from validators.network.model import IPNetwork, Network, Topology
from validators.network.parse_values import dig

_LAYER2_ONLY: Final = ("infrastructureSubnets", "reservedSubnets", "defaultGatewayIPs")


def config_faults(config: Mapping[str, Any], network: Network, excluded: Sequence[IPNetwork]) -> Iterator[str]:
    """Iterate over values that contradict each other; ``excluded`` are the configuration's excludeSubnets."""
    if not isinstance(config.get("ipam"), Mapping | None):
        yield "ipam: must be an object"
    if dig(config, "ipam", "type"):
        yield "IPAM key is not supported. Use OVN-K provided IPAM via the `subnets` attribute"
    if network.topology is Topology.LAYER3 and config.get("allowPersistentIPs") is True:
        yield "layer3 topology does not allow persistent IPs"
    if network.topology is not Topology.LAYER2:
        yield from (f"{key} is only supported for layer2 topology" for key in _LAYER2_ONLY if config.get(key))
        reserved: Sequence[IPNetwork] = ()
        infrastructure: Sequence[IPNetwork] = ()
    else:
        reserved, infrastructure = network.reserved_subnets, network.infrastructure_subnets
    for kind, parts in (("excluded", excluded), ("reserved", reserved), ("infrastructure", infrastructure)):
        outside = [str(part) for part in parts if not any(_holds(each.cidr, part) for each in network.subnets)]
        if outside:
            yield f"the provided network subnets do not contain {kind} subnets {','.join(outside)}"
    strangers = [str(ip) for ip in network.default_gateway_ips if not any(ip in each.cidr for each in network.subnets)]
    if strangers and network.topology is Topology.LAYER2:
        rule = "defaultGatewayIPs must belong to one of the subnets specified in the subnets field"
        yield f"{rule}: {','.join(strangers)}"


def _holds(outer: IPNetwork, inner: IPNetwork) -> bool:
    if outer.version != inner.version or outer.prefixlen > inner.prefixlen:
        return False
    return inner.network_address in outer
