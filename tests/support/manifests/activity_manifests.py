"""Manifests of what makes a node use a network: labelled namespaces, pods and EgressIPs."""

from typing import Any

from ovnguard.validators.base.json_types import JsonObject

PRIMARY = "k8s.ovn.org/primary-user-defined-network"


def tenant(name: str, *, labelled: bool = True) -> JsonObject:
    """A namespace that the network of `tests.support.fake_cluster.cudn` of this name selects."""
    labels = {"t": name, **({PRIMARY: ""} if labelled else {})}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def pod_on(node: str, namespace: str, name: str = "", phase: str = "Running", **spec: Any) -> JsonObject:
    """A pod without records; ``node`` '' is not scheduled."""
    metadata = {"name": name or f"{namespace}-{node}", "namespace": namespace}
    placed = {"nodeName": node} if node else {}
    status = {"phase": phase}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {**placed, **spec}, "status": status}


def egress_on(namespace: str, *nodes: str, name: str = "out") -> JsonObject:
    """An EgressIP of a tenant's namespace that ``nodes`` serve."""
    return {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "EgressIP",
        "metadata": {"name": name},
        "spec": {"egressIPs": ["172.18.0.9"], "namespaceSelector": {"matchLabels": {"t": namespace}}},
        "status": {"items": [{"node": each, "egressIP": "172.18.0.9"} for each in nodes]},
    }
