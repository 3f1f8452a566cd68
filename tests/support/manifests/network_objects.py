"""Short constructors of API objects for tests about networks."""

import json
from ipaddress import ip_network
from typing import Any

from ovnguard.validators.network.model import IPNetwork

JsonObject = dict[str, Any]
OVN = "spec.defaultNetwork.ovnKubernetesConfig"


def nets(text: str) -> tuple[IPNetwork, ...]:
    return tuple(ip_network(part) for part in text.split(",") if part)


def operator(config: JsonObject | None = None, **spec: Any) -> JsonObject:
    default_network: JsonObject = {"type": "OVNKubernetes"}
    if config is not None:
        default_network["ovnKubernetesConfig"] = config
    return {
        "apiVersion": "operator.openshift.io/v1",
        "kind": "Network",
        "metadata": {"name": "cluster"},
        "spec": {
            "clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}],
            "serviceNetwork": ["172.30.0.0/16"],
            "defaultNetwork": default_network,
            **spec,
        },
    }


def cudn(annotations: JsonObject | None = None, **network: Any) -> JsonObject:
    metadata: JsonObject = {"name": "blue"}
    if annotations:
        metadata["annotations"] = annotations
    return {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "ClusterUserDefinedNetwork",
        "metadata": metadata,
        "spec": {"namespaceSelector": {}, "network": network},
    }


def layer2(*subnets: str, transit: str = "", **block: Any) -> JsonObject:
    annotations = {"ovnguard.io/transit-subnets": transit} if transit else None
    block = {"role": "Primary", "subnets": list(subnets), **block}
    return cudn(annotations, topology="Layer2", layer2=block)


def layer3(*subnets: str, role: str = "Primary", **network: Any) -> JsonObject:
    """Subnets as ``cidr`` or ``cidr/share``."""
    listed = []
    for each in subnets:
        cidr, _, share = each.rpartition("/") if each.count("/") == 2 else (each, "", "")
        listed.append({"cidr": cidr, "hostSubnet": int(share)} if share else {"cidr": cidr})
    return cudn(None, topology="Layer3", layer3={"role": role, "subnets": listed}, **network)


def udn(**spec: Any) -> JsonObject:
    return {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "UserDefinedNetwork",
        "metadata": {"name": "blue", "namespace": "red"},
        "spec": spec,
    }


def nad(config: Any = None, **changes: Any) -> JsonObject:
    """A primary Layer2 attachment; ``config`` replaces the configuration, ``changes`` change keys (None removes)."""
    if config is None:
        plain = {
            "cniVersion": "1.1.0",
            "type": "ovn-k8s-cni-overlay",
            "name": "red_blue",
            "netAttachDefName": "red/blue",
            "topology": "layer2",
            "role": "primary",
            "subnets": "10.41.0.0/16",
            **changes,
        }
        config = json.dumps({key: value for key, value in plain.items() if value is not None})
    return {
        "apiVersion": "k8s.cni.cncf.io/v1",
        "kind": "NetworkAttachmentDefinition",
        "metadata": {"name": "blue", "namespace": "red"},
        "spec": {"config": config},
    }


def rendered(owner: JsonObject, namespace: str = "red", **config: Any) -> JsonObject:
    """The attachment that OVN-Kubernetes renders for a (Cluster)UserDefinedNetwork with a uid."""
    metadata = owner["metadata"]
    name, is_cluster = metadata["name"], owner["kind"] == "ClusterUserDefinedNetwork"
    network = f"cluster_udn_{name}" if is_cluster else f"{namespace}_{name}"
    found = nad(name=network, netAttachDefName=f"{namespace}/{name}", **config)
    reference = {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": name, "controller": True}
    owners = [{**reference, "uid": metadata.get("uid", "")}]
    return {**found, "metadata": {"name": name, "namespace": namespace, "ownerReferences": owners}}


def stored(obj: JsonObject, uid: str = "uid-1") -> JsonObject:
    """An object as the API server stores it: with a uid."""
    return {**obj, "metadata": {**obj["metadata"], "uid": uid}}


def node(name: str, node_id: int | None = None, **annotations: str) -> JsonObject:
    found = {f"k8s.ovn.org/{key.replace('_', '-')}": value for key, value in annotations.items()}
    if node_id is not None:
        found["k8s.ovn.org/node-id"] = str(node_id)
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "annotations": found}}


def advertisement(labels: JsonObject, **spec: Any) -> JsonObject:
    """RouteAdvertisements of the pods of ClusterUserDefinedNetworks with ``labels``."""
    selector = {"networkSelector": {"matchLabels": labels}}
    return {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "RouteAdvertisements",
        "metadata": {"name": "ra"},
        "spec": {
            "nodeSelector": {},
            "frrConfigurationSelector": {},
            "networkSelectors": [
                {
                    "networkSelectionType": "ClusterUserDefinedNetworks",
                    "clusterUserDefinedNetworkSelector": selector,
                }
            ],
            "advertisements": ["PodNetwork"],
            **spec,
        },
    }


def frr(*routers: JsonObject, name: str = "site", **bgp: Any) -> JsonObject:
    return {
        "apiVersion": "frrk8s.metallb.io/v1beta1",
        "kind": "FRRConfiguration",
        "metadata": {"name": name, "namespace": "frr"},
        "spec": {"bgp": {"routers": list(routers), **bgp}},
    }
