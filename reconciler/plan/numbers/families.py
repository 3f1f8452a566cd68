"""The IP families of a network's addresses.

Pods have the families of the network's subnets. Gateway routers, and everything that leads to them, have those of the
cluster, too.

Source: ovn-kubernetes ``pkg/generator/udn`` and ``zone_interconnect``.
"""

from collections.abc import Iterable
from typing import Final

from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.addresses.addressing import AddressError, IPInterface, join_address
from ovnguard.validators.network.model import IPNetwork, Network

FAMILY: Final = {4: "IPv4", 6: "IPv6"}


def of_version(subnets: tuple[IPNetwork, ...], version: int) -> IPNetwork | None:
    """Return the first subnet of an IP version, or None."""
    return next((subnet for subnet in subnets if subnet.version == version), None)


def of_versions(subnets: tuple[IPNetwork, ...], versions: Iterable[int]) -> tuple[IPNetwork, ...]:
    """Return the first subnet of each IP version that has one."""
    found = (of_version(subnets, version) for version in versions)
    return tuple(each for each in found if each is not None)


def cluster_versions(network: Network, settings: Settings) -> tuple[int, ...]:
    """Return the IP versions of a network and of the cluster: gateway routers and what leads to them have all."""
    return tuple(sorted({*(subnet.cidr.version for subnet in network.subnets), *settings.ip_versions}))


def join_subnets(network: Network, settings: Settings) -> tuple[IPNetwork, ...]:
    """Return the join subnets of a network, of those `cluster_versions` that have one."""
    defaults = settings.default_join_subnets if network.is_default else settings.udn_join_subnets
    subnets = (*network.join_subnets, *defaults)
    return of_versions(subnets, cluster_versions(network, settings))


def numbered(number: int, subnets: Iterable[IPNetwork]) -> tuple[IPInterface, ...] | AddressError:
    """Return the address of this number in each subnet."""
    found = []
    for subnet in subnets:
        address = join_address(subnet, number)
        if isinstance(address, AddressError):
            return address
        found.append(address)
    return tuple(found)
