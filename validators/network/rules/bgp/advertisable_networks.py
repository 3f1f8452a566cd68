"""The reasons why RouteAdvertisements cannot advertise a network, in the words of OVN-Kubernetes (a helper, not a
rule).

Source: ovn-kubernetes, ``pkg/clustermanager/routeadvertisements``.
"""

from validators.network.cluster.route_advertisements import RouteAdvertisement
from validators.network.cluster.user_networks import UserNetwork
from validators.network.model import Role, Topology


def why_not(advertisement: RouteAdvertisement, user: UserNetwork) -> str:
    """Return why OVN-Kubernetes refuses ``advertisement`` when it selects ``user``; empty when it does not."""
    if not advertisement.selects(user.labels):
        return ""
    network = user.network
    if network.role is not Role.PRIMARY:
        return f'selected network "{network.name}" is not the default nor a primary network'
    if advertisement.egress_ip and network.topology is Topology.LAYER2:
        return f"EgressIP advertisement is currently not supported for Layer2 networks, network: {network.name}"
    return ""
