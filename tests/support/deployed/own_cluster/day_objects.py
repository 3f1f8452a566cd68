"""The networks, pods and services of a day: every kind of network, of tenants and of the administrator."""

from typing import Any, Final

from tests.support.deployed.first_pod import network
from tests.support.deployed.own_cluster.cluster import CUDNS, OwnCluster, Placed
from tests.support.deployed.own_cluster.machines import PORT
from tests.support.deployed.running import NAMESPACES
from tests.support.service_objects import HTTP, service

OPERATOR: Final = {
    "apiVersion": "operator.openshift.io/v1",
    "kind": "Network",
    "metadata": {"name": "cluster"},
    "spec": {
        "clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}],
        "serviceNetwork": ["10.96.0.0/16"],
        "additionalRoutingCapabilities": {"providers": ["FRR"]},
        "defaultNetwork": {
            "type": "OVNKubernetes",
            "ovnKubernetesConfig": {
                "mtu": 1400,
                "routeAdvertisements": "Enabled",
                "transport": "NoOverlay",
                "noOverlayConfig": {"outboundSNAT": "Enabled", "routing": "Managed"},
                "bgpManagedConfig": {"asNumber": 64600, "bgpTopology": "FullMesh"},
            },
        },
    },
}
"""The default network has no overlay, so that FRR of all nodes works for it."""

PRIMARY: Final = ("wide", "flat", "red", "green")
"""Namespaces with a primary network of their own."""
PLAIN: Final = "plain"
SPACES: Final = (*PRIMARY, PLAIN)


def _cudn(name: str, topology: str, block: dict[str, Any]) -> dict[str, Any]:
    """A secondary network of the administrator for the namespace `PLAIN`."""
    spec = {"topology": topology, topology.lower(): {"role": "Secondary"} | block}
    selector = {"matchLabels": {"kubernetes.io/metadata.name": PLAIN}}
    kind = {"apiVersion": "k8s.ovn.org/v1", "kind": "ClusterUserDefinedNetwork", "metadata": {"name": name}}
    return {**kind, "spec": {"namespaceSelector": selector, "network": spec}}


CLUSTER_NETWORKS: Final = {
    "wide": network("wide", "10.40.0.0/16", 24),
    "flat": network("flat", "10.41.0.0/16"),
    "lan": _cudn("lan", "Layer2", {"subnets": ["10.42.0.0/16"]}),
    "deep": _cudn("deep", "Layer3", {"subnets": [{"cidr": "10.43.0.0/16", "hostSubnet": 24}]}),
    "wire": _cudn("wire", "Localnet", {"physicalNetworkName": "physnet", "subnets": ["10.44.0.0/24"]}),
}


def _udn(namespace: str, name: str, topology: str, block: dict[str, Any]) -> dict[str, Any]:
    spec = {"topology": topology, topology.lower(): block}
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "k8s.ovn.org/v1", "kind": "UserDefinedNetwork", "metadata": metadata, "spec": spec}


# red and green have the same subnet
TENANT_NETWORKS: Final = (
    _udn("red", "net", "Layer2", {"role": "Primary", "subnets": ["10.50.0.0/16"]}),
    _udn("green", "net", "Layer3", {"role": "Primary", "subnets": [{"cidr": "10.50.0.0/16", "hostSubnet": 24}]}),
    _udn("red", "side", "Layer2", {"role": "Secondary", "subnets": ["10.51.0.0/16"]}),
)
_CONFIG: Final = (
    '{"cniVersion":"1.1.0","name":"hand","netAttachDefName":"plain/hand","subnets":"10.52.0.0/16","topology":"layer2",'
    '"type":"ovn-k8s-cni-overlay"}'
)
BY_HAND: Final = "hand"
"""The attachment that a tenant writes without a network's object."""
ATTACHMENT: Final = {
    "apiVersion": "k8s.cni.cncf.io/v1",
    "kind": "NetworkAttachmentDefinition",
    "metadata": {"name": BY_HAND, "namespace": PLAIN},
    "spec": {"config": _CONFIG},
}

PODS: Final = (
    Placed("wide", "w1", "node1", "wide/wide"),
    Placed("wide", "w2", "node2", "wide/wide"),
    Placed("wide", "w3", "node3", "wide/wide"),
    Placed("flat", "f1", "node1", "flat/flat"),
    Placed("flat", "f2", "node2", "flat/flat"),
    Placed("red", "r1", "node1", "red/net"),
    Placed("red", "r2", "node3", "red/net"),
    Placed("red", "s1", "node2", "red/side", is_requested=True),
    Placed("red", "s2", "node3", "red/side", is_requested=True),
    Placed("green", "g1", "node1", "green/net"),
    Placed("green", "g2", "node2", "green/net"),
    Placed(PLAIN, "p1", "node1", "default"),
    Placed(PLAIN, "p2", "node2", "default"),
    Placed(PLAIN, "l1", "node1", "plain/lan", is_requested=True),
    Placed(PLAIN, "l2", "node3", "plain/lan", is_requested=True),
    Placed(PLAIN, "d1", "node2", "plain/deep", is_requested=True),
    Placed(PLAIN, "d2", "node3", "plain/deep", is_requested=True),
    Placed(PLAIN, "x1", "node1", "plain/wire", is_requested=True),
    Placed(PLAIN, "x2", "node2", "plain/wire", is_requested=True),
    Placed(PLAIN, "h1", "node2", "plain/hand", is_requested=True),
    Placed(PLAIN, "h2", "node3", "plain/hand", is_requested=True),
)
SERVICE: Final = "10.96.0.50"


def collection(kind: str, namespace: str) -> str:
    """The path of a tenant's resource."""
    roots = {
        "userdefinednetworks": "/apis/k8s.ovn.org/v1",
        "network-attachment-definitions": "/apis/k8s.cni.cncf.io/v1",
        "services": "/api/v1",
        "endpointslices": "/apis/discovery.k8s.io/v1",
        "daemonsets": "/apis/apps/v1",
    }
    return f"{roots[kind]}/namespaces/{namespace}/{kind}"


UDN, NAD = "userdefinednetworks", "network-attachment-definitions"


def declare_networks(cluster: OwnCluster) -> None:
    """The namespaces and all networks."""
    for name in SPACES:
        cluster.space(name, primary=name in PRIMARY)
    for obj in CLUSTER_NETWORKS.values():
        cluster.write("administrator", "POST", CUDNS, obj)
    for obj in TENANT_NETWORKS:
        cluster.write("tenant", "POST", collection(UDN, obj["metadata"]["namespace"]), obj)
    cluster.write("tenant", "POST", collection(NAD, PLAIN), ATTACHMENT)


def serve(cluster: OwnCluster) -> None:
    """A service of the default network, whose only server is on another node than its client."""
    web = service(f"{PLAIN}/web", HTTP | {"targetPort": PORT}, addresses=(SERVICE,), selector={"app": "p2"})
    cluster.write("tenant", "POST", collection("services", PLAIN), {key: web[key] for key in web if key != "status"})
    address = cluster.pods[PLAIN, "p2"][1].ip(4)
    cluster.until(lambda: served(cluster, PLAIN) == [address], "the controller's EndpointSlice")
    cluster.services[SERVICE] = ((PLAIN, "p1"), (PLAIN, "p2"))


def served(cluster: OwnCluster, namespace: str) -> list[str]:
    """The addresses of ready servers in the EndpointSlices of a namespace."""
    slices = cluster.get(collection("endpointslices", namespace))["items"]
    servers = [each for item in slices for each in item["endpoints"] or () if each["conditions"]["ready"]]
    return [address for each in servers for address in each["addresses"]]


def remove_everything(cluster: OwnCluster) -> None:
    """People delete what they made, in the order in which a tenant leaves: services, pods, networks, namespaces."""
    if SERVICE in cluster.services:
        cluster.write("tenant", "DELETE", f"{collection('services', PLAIN)}/web")
        cluster.until(lambda: served(cluster, PLAIN) == [], "the EndpointSlice is collected")
    cluster.services.clear()
    for namespace, name in list(cluster.pods):
        cluster.end_pod(namespace, name)
    cluster.write("tenant", "DELETE", f"{collection(NAD, PLAIN)}/hand")
    for obj in TENANT_NETWORKS:
        metadata = obj["metadata"]
        cluster.write("tenant", "DELETE", f"{collection(UDN, metadata['namespace'])}/{metadata['name']}")
    for name in CLUSTER_NETWORKS:
        cluster.write("administrator", "DELETE", f"{CUDNS}/{name}")
    for obj in TENANT_NETWORKS:
        metadata = obj["metadata"]
        cluster.until_gone(f"{collection(UDN, metadata['namespace'])}/{metadata['name']}")
    for name in CLUSTER_NETWORKS:
        cluster.until_gone(f"{CUDNS}/{name}")
    for name in SPACES:
        cluster.write("administrator", "DELETE", f"{NAMESPACES}/{name}")
    for name in SPACES:
        cluster.until_gone(f"{NAMESPACES}/{name}")
