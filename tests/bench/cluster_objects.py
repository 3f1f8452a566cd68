"""The objects of a large cluster; kwok gives nodes and pods their state, and there is nothing behind them."""

import json
from typing import Any, Final

NODES, NAMESPACES, PODS = "/api/v1/nodes", "/api/v1/namespaces", "/api/v1/namespaces/{}/pods"
ALL_PODS, POD_LABELS = "/api/v1/pods", {"app": "kwok"}
CUDNS: Final = "/apis/k8s.ovn.org/v1/clusteruserdefinednetworks"
OPERATOR: Final = "/apis/operator.openshift.io/v1/networks"
PRIMARY: Final = "k8s.ovn.org/primary-user-defined-network"


def operator() -> dict[str, Any]:
    """A default network with room for 1,022 nodes."""
    default = {"type": "OVNKubernetes", "ovnKubernetesConfig": {}}
    spec = {
        "clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 24}],
        "serviceNetwork": ["172.30.0.0/16"],
        "defaultNetwork": default,
    }
    return {
        "apiVersion": "operator.openshift.io/v1",
        "kind": "Network",
        "metadata": {"name": "cluster"},
        "spec": spec,
    }


def node_name(number: int) -> str:
    return f"node{number}"


def node(number: int) -> dict[str, Any]:
    """What a node reports about itself; its id and subnets come from the leader."""
    name, address = node_name(number), f"172.18.{(number + 1) >> 8}.{(number + 1) & 255}"
    gateway = {
        "mode": "shared",
        "bridge-id": "br-ex",
        "interface-id": f"br-ex_{name}",
        "mac-address": f"02:00:00:00:{number >> 8:02x}:{number & 255:02x}",
        "ip-addresses": [f"{address}/16"],
        "ip-address": f"{address}/16",
        "next-hops": ["172.18.255.254"],
        "next-hop": "172.18.255.254",
        "node-port-enable": "true",
        "vlan-id": "0",
    }
    annotations = {
        "k8s.ovn.org/node-chassis-id": f"8f3c0d6e-1b7a-4c52-9e4d-{number:012x}",
        "k8s.ovn.org/node-primary-ifaddr": json.dumps({"ipv4": f"{address}/16"}),
        "k8s.ovn.org/host-cidrs": json.dumps([f"{address}/16"]),
        "k8s.ovn.org/node-encap-ips": json.dumps([address]),
        "k8s.ovn.org/l3-gateway-config": json.dumps({"default": gateway}),
    }
    addresses = [{"type": "InternalIP", "address": address}, {"type": "Hostname", "address": name}]
    status = {"addresses": addresses}
    metadata = {"name": name, "labels": {"kubernetes.io/hostname": name, "type": "kwok"}, "annotations": annotations}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": status}


def network_name(index: int) -> str:
    return f"cluster_udn_n{index}"


def namespace(index: int) -> dict[str, Any]:
    """The namespace of one network."""
    metadata = {"name": f"n{index}", "labels": {"t": f"n{index}", PRIMARY: ""}}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}


def network(index: int) -> dict[str, Any]:
    """A primary network: half of them of each topology."""
    if index % 2:
        subnets = [{"cidr": "10.0.0.0/12", "hostSubnet": 24}]
        declared: dict[str, Any] = {"topology": "Layer3", "layer3": {"role": "Primary", "subnets": subnets}}
    else:
        declared = {"topology": "Layer2", "layer2": {"role": "Primary", "subnets": ["10.30.0.0/16"]}}
    spec = {"namespaceSelector": {"matchLabels": {"t": f"n{index}"}}, "network": declared}
    metadata = {"name": f"n{index}"}
    return {"apiVersion": "k8s.ovn.org/v1", "kind": "ClusterUserDefinedNetwork", "metadata": metadata, "spec": spec}


def pod(index: int, number: int) -> dict[str, Any]:
    """A pod of a network on a node."""
    spec = {"nodeName": node_name(number), "containers": [{"name": "c", "image": "example.invalid/none"}]}
    metadata = {"name": f"on-{node_name(number)}", "labels": POD_LABELS}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
