"""The addresses of load balancers that an Infrastructure lists for CoreDNS on the nodes (released API).

Source: openshift/api, config/v1 ``CloudLoadBalancerIPs``.
"""

from typing import Final, NamedTuple

from ovnguard.validators.network.cluster.platform import STATUS, platform_of
from ovnguard.validators.network.parse_values import dig, mapping

API_INT_IPS: Final = "apiIntLoadBalancerIPs"
API_IPS: Final = "apiLoadBalancerIPs"
INGRESS_IPS: Final = "ingressLoadBalancerIPs"


class HostedAddresses(NamedTuple):
    """The lists as they are written, and the field that contains them."""

    field: str
    api_int: object
    api: object
    ingress: object


def hosted_addresses(infrastructure: object) -> HostedAddresses | None:
    """Return the lists of an Infrastructure with DNS type ClusterHosted; None with any other type."""
    choice = platform_of(infrastructure).custom_dns
    if choice is None or choice.value != "ClusterHosted":
        return None
    path = (*STATUS.split("."), *choice.path[:-1], "clusterHosted")
    lists = mapping(infrastructure, *path)
    return HostedAddresses(".".join(path), *(dig(lists, key) for key in (API_INT_IPS, API_IPS, INGRESS_IPS)))
