"""Manifests of namespaces, networks, nodes and EgressIPs."""

from ovnguard.validators.base.json_types import JsonObject


def namespace(name: str, **labels: str) -> JsonObject:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {"team": "a", **labels}}}


UDN = {
    "apiVersion": "k8s.ovn.org/v1",
    "kind": "UserDefinedNetwork",
    "metadata": {"name": "net", "namespace": "blue"},
    "spec": {"topology": "Layer2", "layer2": {"role": "Primary", "subnets": ["203.203.0.0/16"]}},
}

BLUE = namespace("blue", **{"k8s.ovn.org/primary-user-defined-network": ""})
