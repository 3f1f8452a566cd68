"""Manifests of pods and of the networks they attach to."""

import json
from typing import Any

from ovnguard.validators.base.json_types import JsonObject

RECORD = "k8s.ovn.org/pod-networks"

REQUESTS = "k8s.v1.cni.cncf.io/networks"


CHOSEN = "v1.multus-cni.io/default-network"


def pod(
    name: str = "a", record: Any = None, *, requests: Any = None, chosen: Any = None, created: str = "", **spec: Any
) -> JsonObject:
    by_key = {RECORD: record, REQUESTS: requests, CHOSEN: chosen}
    annotations = {
        key: value if isinstance(value, str) else json.dumps(value)
        for key, value in by_key.items()
        if value is not None
    }
    metadata = {"name": name, "namespace": "blue", "uid": f"u-{name}", "annotations": annotations}
    if created:
        metadata["creationTimestamp"] = created
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"nodeName": "node1", **spec}}


def cudn(name: str) -> JsonObject:
    spec = {"namespaceSelector": {}, "network": {"topology": "Layer2", "layer2": {"role": "Primary"}}}
    metadata = {"name": name}
    return {"apiVersion": "k8s.ovn.org/v1", "kind": "ClusterUserDefinedNetwork", "metadata": metadata, "spec": spec}


def nad(namespace: str, name: str, network: str) -> JsonObject:
    config = {"type": "ovn-k8s-cni-overlay", "name": network, "netAttachDefName": f"{namespace}/{name}"}
    return {
        "apiVersion": "k8s.cni.cncf.io/v1",
        "kind": "NetworkAttachmentDefinition",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"config": json.dumps({**config, "topology": "layer2"})},
    }
