"""Why RouteAdvertisements cannot advertise a network, in the words of OVN-Kubernetes (no rule of its own).

Source: ovn-kubernetes, ``pkg/clustermanager/routeadvertisements``.
"""

from validators.network.cluster.route_advertisements import RouteAdvertisement
from validators.network.cluster.user_networks import UserNetwork
from validators.network.model import Role, Topology


def why_not(advertisement: RouteAdvertisement, user: UserNetwork) -> str:
    """Return why ``advertisement`` is not accepted when it selects ``user``; empty when that is no reason."""
    if not advertisement.selects(user.labels):
        return ""
    network = user.network
    if network.role is not Role.PRIMARY:
        return f'selected network "{network.name}" is not the default nor a primary network'
    if advertisement.egress_ip and network.topology is Topology.LAYER2:
        return f"EgressIP advertisement is currently not supported for Layer2 networks, network: {network.name}"
    return ""
