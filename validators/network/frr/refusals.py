"""What OVN-Kubernetes refuses in a RouteAdvertisements, and what it waits for, in its own words.

The webhook's rules and the plan ask these functions, so that an accepted object is one that can be planned.

Source: ovn-kubernetes, ``pkg/clustermanager/routeadvertisements``.
"""

from typing import Final

from ovnguard.validators.network.model import Network, Role, Topology

AUTO_EGRESS: Final = "advertising EgressIP not supported with TargetVRF set to 'auto'"
NO_NETWORKS: Final = "no networks selected"
NO_NODES: Final = "no nodes selected"
NO_CONFIGURATIONS: Final = "no FRRConfigurations selected"
NOT_ALL_NODES: Final = "node selector has to select all nodes if pod network is advertised"


def of_network(network: Network, *, egress_ip: bool) -> str:
    """Return why a RouteAdvertisements that selects ``network`` is refused; empty when it is not.

    ``egress_ip``: it advertises egress addresses.
    """
    if network.role is not Role.PRIMARY:
        return f'selected network "{network.name}" is not the default nor a primary network'
    if network.topology not in (Topology.LAYER2, Topology.LAYER3):
        return f'selected network "{network.name}" has unsupported topology "{network.topology}"'
    if egress_ip and network.topology is Topology.LAYER2:
        return f"EgressIP advertisement is currently not supported for Layer2 networks, network: {network.name}"
    return ""


def no_matching_vrf(configuration: str, node: str) -> str:
    """Return the text about the FRRConfiguration of this name, whose routers are all in other VRFs."""
    return (
        f'FRRConfiguration "{configuration}" selected for node "{node}" has no VRF matching '
        "the RouteAdvertisements target VRF or any selected network"
    )


def unmatched_networks(node: str) -> str:
    """Return the text about a node without routers in the VRFs of all selected networks."""
    return f"selected FRRConfigurations for node \"{node}\" don't match all selected networks with target VRF 'auto'"


def dual_stack(origin: str, neighbor: str) -> str:
    """Return the text about a session of both address families; ``origin``: its object's ``namespace/name``."""
    return f"DualStackAddressFamily==true not supported, seen on FRRConfiguration {origin} neighbor {neighbor}"
