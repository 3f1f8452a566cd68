"""The fields of an object that contain the parts of its network, as errors about networks name them."""

from typing import Final

from ovnguard.validators.network.declared.parse_nad import CONFIG_FIELD
from ovnguard.validators.network.declared.parse_operator import CONFIG
from ovnguard.validators.network.model import TRANSIT_ANNOTATION, Network, Topology

_INTERNAL: Final = {4: "ipv4", 6: "ipv6"}


def block_path(network: Network) -> str:
    """Return the field of the object that describes the network's topology."""
    match network.source.kind:
        case "ClusterUserDefinedNetwork":
            return f"spec.network.{network.topology}"
        case "UserDefinedNetwork":
            return f"spec.{network.topology}"
        case "Network":
            return CONFIG
    return CONFIG_FIELD


def subnets_path(network: Network) -> str:
    """Return the field of the network's subnets."""
    match network.source.kind:
        case "Network":
            return "spec.clusterNetwork"
        case "ClusterUserDefinedNetwork" | "UserDefinedNetwork":
            return f"{block_path(network)}.subnets"
    return CONFIG_FIELD


def subnet_path(network: Network, index: int) -> str:
    """Return the field of one of ``network.subnets``."""
    path = subnets_path(network)
    if path == CONFIG_FIELD:
        return path
    with_share = network.topology is Topology.LAYER3
    return f"{path}[{index}].cidr" if with_share else f"{path}[{index}]"


def join_path(network: Network, version: int) -> str:
    """Return the field of the network's join subnet of an IP family."""
    match network.source.kind:
        case "Network":
            return f"{CONFIG}.{_INTERNAL[version]}.internalJoinSubnet"
        case "ClusterUserDefinedNetwork" | "UserDefinedNetwork":
            return f"{block_path(network)}.joinSubnets"
    return CONFIG_FIELD


def transit_path(network: Network) -> str:
    """Return the field that records the network's transit subnets."""
    if network.source.kind == "NetworkAttachmentDefinition":
        return CONFIG_FIELD
    return f"metadata.annotations[{TRANSIT_ANNOTATION}]"
