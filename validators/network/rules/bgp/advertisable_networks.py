"""The reasons why RouteAdvertisements cannot advertise a network, in the words of OVN-Kubernetes (a helper, not a
rule).

Source: ovn-kubernetes, ``pkg/clustermanager/routeadvertisements``.
"""

from ovnguard.validators.network.cluster.route_advertisements import RouteAdvertisement
from ovnguard.validators.network.cluster.user_networks import UserNetwork
from ovnguard.validators.network.frr.refusals import of_network


def why_not(advertisement: RouteAdvertisement, user: UserNetwork) -> str:
    """Return why OVN-Kubernetes refuses ``advertisement`` when it selects ``user``; empty when it does not."""
    if not advertisement.selects(user.labels):
        return ""
    return of_network(user.network, egress_ip=advertisement.egress_ip)
