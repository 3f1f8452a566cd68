"""Services and EndpointSlices as the API server has them."""

from typing import Any

LABEL = "k8s.ovn.org/primary-user-defined-network"
HTTP = {"name": "http", "protocol": "TCP", "port": 80}
READY = {"ready": True, "serving": True, "terminating": False}


def service(title: str, *ports: dict[str, Any], addresses: tuple[str, ...] = ("10.96.0.7",), **spec: Any) -> Any:
    """A Service ``namespace/name``; further arguments are fields of its spec, ``ingress`` is in its status."""
    namespace, name = title.split("/")
    ingress = spec.pop("ingress", ())
    own = {"type": "ClusterIP", "clusterIP": addresses[0], "clusterIPs": list(addresses), "ports": list(ports)}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"namespace": namespace, "name": name},
        "spec": own | spec,
        "status": {"loadBalancer": {"ingress": [{"ip": each} for each in ingress]}},
    }


def endpoint_slice(title: str, *servers: Any, network: str = "", **fields: Any) -> Any:
    """An EndpointSlice of the Service ``title`` with one port http, 8080; ``network``: it is mirrored for it.

    A server is ``ADDRESS@NODE``, or an endpoint of the API.
    """
    namespace, name = title.split("/")
    key = "k8s.ovn.org/service-name" if network else "kubernetes.io/service-name"
    metadata: dict[str, Any] = {"namespace": namespace, "name": f"{name}-{network}-x", "labels": {key: name}}
    if network:
        metadata["annotations"] = {"k8s.ovn.org/endpointslice-network": network}
    listed = [endpoint(*each.split("@")) if isinstance(each, str) else each for each in servers]
    found = {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": metadata,
        "addressType": "IPv4",
        "endpoints": listed,
        "ports": [{"name": "http", "protocol": "TCP", "port": 8080}],
    }
    return found | fields


def endpoint(address: str, node: str = "node1", **conditions: bool) -> dict[str, Any]:
    """A ready server, unless ``conditions`` say otherwise."""
    return {"addresses": [address], "conditions": READY | conditions, "nodeName": node}


def namespace(name: str, *, primary: bool = False) -> Any:
    """A Namespace; with ``primary`` it may have a primary user-defined network."""
    labels = {LABEL: ""} if primary else {}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}
