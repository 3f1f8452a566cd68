"""Fields that people write, from public manifests, and the fields that exist.

The names come from other APIs for the same thing (NetworkAttachmentDefinitions, MetalLB, FRR, the cluster operator) and
from earlier versions of these. Paths are as ``kubectl explain`` takes them.
"""

from collections.abc import Mapping
from typing import Final

_NETWORK: Final[Mapping[str, str]] = {
    "layer2.ipamLifecycle": "layer2.ipam.lifecycle",
    "layer2.IPAMLifecycle": "layer2.ipam.lifecycle",
    "layer2.allowPersistentIPs": "layer2.ipam.lifecycle",
    "layer2.persistentIPs": "layer2.ipam.lifecycle",
    "layer2.ipamMode": "layer2.ipam.mode",
    "layer2.cidr": "layer2.subnets",
    "layer2.cidrs": "layer2.subnets",
    "layer2.excludeSubnets": "layer2.reservedSubnets",
    "layer2.gateway": "layer2.defaultGatewayIPs",
    "layer2.gatewayIP": "layer2.defaultGatewayIPs",
    "layer2.gateways": "layer2.defaultGatewayIPs",
    "layer3.cidr": "layer3.subnets.cidr",
    "layer3.cidrs": "layer3.subnets",
    "layer3.hostPrefix": "layer3.subnets.hostSubnet",
    "layer3.subnets.hostPrefix": "layer3.subnets.hostSubnet",
    "layer3.subnets.hostSubnetLength": "layer3.subnets.hostSubnet",
    "layer3.subnets.prefixLength": "layer3.subnets.hostSubnet",
    "layer3.subnets.subnet": "layer3.subnets.cidr",
}
_LOCALNET: Final[Mapping[str, str]] = {
    "localnetConfig": "localnet",
    "physicalNetwork": "localnet.physicalNetworkName",
    "localnet.bridge": "localnet.physicalNetworkName",
    "localnet.bridgeName": "localnet.physicalNetworkName",
    "localnet.physicalNetwork": "localnet.physicalNetworkName",
    "localnet.physnet": "localnet.physicalNetworkName",
    "localnet.networkName": "localnet.physicalNetworkName",
    "localnet.ipamLifecycle": "localnet.ipam.lifecycle",
    "localnet.allowPersistentIPs": "localnet.ipam.lifecycle",
    "localnet.ipamMode": "localnet.ipam.mode",
    "localnet.cidr": "localnet.subnets",
    "localnet.reservedSubnets": "localnet.excludeSubnets",
    "localnet.vlanID": "localnet.vlan.access.id",
    "localnet.vlanId": "localnet.vlan.access.id",
    "localnet.vlan.id": "localnet.vlan.access.id",
    "localnet.vlan.tag": "localnet.vlan.access.id",
    "localnet.vlan.vlanID": "localnet.vlan.access.id",
}
_SELECTOR: Final = {
    "spec.selector": "spec.namespaceSelector",
    "spec.namespaces": "spec.namespaceSelector",
    "spec.namespaceLabels": "spec.namespaceSelector.matchLabels",
}
_CONFIG: Final = "spec.defaultNetwork.ovnKubernetesConfig"
_NEIGHBOR: Final = "spec.bgp.routers.neighbors"
WRITTEN_FIELDS: Final[Mapping[str, Mapping[str, str]]] = {
    "ClusterUserDefinedNetwork": {
        **{f"spec.network.{key}": f"spec.network.{value}" for key, value in {**_NETWORK, **_LOCALNET}.items()},
        **_SELECTOR,
    },
    "UserDefinedNetwork": {f"spec.{key}": f"spec.{value}" for key, value in _NETWORK.items()},
    "RouteAdvertisements": {
        "spec.networkSelector": "spec.networkSelectors.clusterUserDefinedNetworkSelector.networkSelector",
        "spec.networkSelectors.matchLabels": (
            "spec.networkSelectors.clusterUserDefinedNetworkSelector.networkSelector.matchLabels"
        ),
        "spec.networkSelectors.clusterUserDefinedNetworkSelector.matchLabels": (
            "spec.networkSelectors.clusterUserDefinedNetworkSelector.networkSelector.matchLabels"
        ),
        "spec.networkSelectors.type": "spec.networkSelectors.networkSelectionType",
        "spec.vrf": "spec.targetVRF",
        "spec.advertise": "spec.advertisements",
    },
    "EgressIP": {"spec.ips": "spec.egressIPs", "spec.addresses": "spec.egressIPs", **_SELECTOR},
    "EgressService": {"spec.vrf": "spec.network", "spec.nodes": "spec.nodeSelector"},
    "EgressFirewall": {
        "spec.rules": "spec.egress",
        "spec.egress.action": "spec.egress.type",
        "spec.egress.to.cidr": "spec.egress.to.cidrSelector",
        "spec.egress.to.ipBlock": "spec.egress.to.cidrSelector",
        "spec.egress.to.dns": "spec.egress.to.dnsName",
    },
    "EgressQoS": {"spec.egress.cidr": "spec.egress.dstCIDR", "spec.egress.to": "spec.egress.dstCIDR"},
    "VTEP": {"spec.subnets": "spec.cidrs"},
    "FRRConfiguration": {
        "spec.nodeSelectors": "spec.nodeSelector",
        "spec.bgp.routers.peers": "spec.bgp.routers.neighbors",
        "spec.bgp.routers.myASN": "spec.bgp.routers.asn",
        "spec.bgp.routers.routerID": "spec.bgp.routers.id",
        "spec.bgp.routers.routerId": "spec.bgp.routers.id",
        f"{_NEIGHBOR}.ip": f"{_NEIGHBOR}.address",
        f"{_NEIGHBOR}.peerAddress": f"{_NEIGHBOR}.address",
        f"{_NEIGHBOR}.peerASN": f"{_NEIGHBOR}.asn",
        f"{_NEIGHBOR}.remoteASN": f"{_NEIGHBOR}.asn",
        f"{_NEIGHBOR}.remoteAS": f"{_NEIGHBOR}.asn",
        f"{_NEIGHBOR}.peerPort": f"{_NEIGHBOR}.port",
        f"{_NEIGHBOR}.bfd": f"{_NEIGHBOR}.bfdProfile",
        f"{_NEIGHBOR}.advertise": f"{_NEIGHBOR}.toAdvertise",
        f"{_NEIGHBOR}.receive": f"{_NEIGHBOR}.toReceive",
        f"{_NEIGHBOR}.toAdvertise.mode": f"{_NEIGHBOR}.toAdvertise.allowed.mode",
        f"{_NEIGHBOR}.toReceive.mode": f"{_NEIGHBOR}.toReceive.allowed.mode",
    },
    "Network": {
        "spec.networkType": "spec.defaultNetwork.type",
        "spec.serviceCIDR": "spec.serviceNetwork",
        "spec.clusterNetwork.hostSubnet": "spec.clusterNetwork.hostPrefix",
        "spec.clusterNetwork.hostSubnetLength": "spec.clusterNetwork.hostPrefix",
        f"{_CONFIG}.bgpManagedConfig.asn": f"{_CONFIG}.bgpManagedConfig.asNumber",
        f"{_CONFIG}.bgpManagedConfig.topology": f"{_CONFIG}.bgpManagedConfig.bgpTopology",
        f"{_CONFIG}.joinSubnet": f"{_CONFIG}.ipv4.internalJoinSubnet",
        f"{_CONFIG}.internalJoinSubnet": f"{_CONFIG}.ipv4.internalJoinSubnet",
    },
}
"""By kind: the path that people write and the path that exists."""
OTHER_KINDS: Final[Mapping[tuple[str, str], str]] = {
    ("UserDefinedNetwork", "spec.localnet"): "spec.network.localnet of a ClusterUserDefinedNetwork",
    ("UserDefinedNetwork", "spec.transport"): "spec.network.transport of a ClusterUserDefinedNetwork",
    ("UserDefinedNetwork", "spec.noOverlay"): "spec.network.noOverlay of a ClusterUserDefinedNetwork",
    ("UserDefinedNetwork", "spec.evpn"): "spec.network.evpn of a ClusterUserDefinedNetwork",
    ("UserDefinedNetwork", "spec.namespaceSelector"): "spec.namespaceSelector of a ClusterUserDefinedNetwork",
}
"""By kind and path: the place in another kind that has the field."""
OTHER_KINDS_VALUES: Final[Mapping[tuple[str, str, str], str]] = {
    ("UserDefinedNetwork", "spec.topology", "Localnet"): "spec.network.topology of a ClusterUserDefinedNetwork",
}
"""By kind, path and value: the place in another kind that may have the value."""
METADATA: Final = (
    "annotations",
    "finalizers",
    "generateName",
    "labels",
    "name",
    "namespace",
    "ownerReferences",
)
"""The fields of metadata that people write."""
