"""Random cluster objects about networks whose names, numbers, labels and selectors meet often, and their changes."""

import json
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from ovnguard.validators.network.cluster_view import (
    CUDN,
    NAD,
    NAMESPACE,
    NODE,
    OPERATOR_NETWORK,
    POD,
    ROUTE_ADVERTISEMENTS,
    UDN,
    GroupKind,
)
from tests.support.manifests.network_objects import JsonObject, operator

KINDS = (CUDN, CUDN, CUDN, UDN, NAD, NAMESPACE, NODE, OPERATOR_NETWORK, ROUTE_ADVERTISEMENTS)
SPACES = ("red", "sky", "far")
NUMBERS: Mapping[str, Sequence[str]] = {
    "ovnguard.io/network-id": ("3", "4", "x"),
    "ovnguard.io/tunnel-keys": ("[16711686,16715780]", "[16711687,16715781]"),
    "k8s.ovn.org/network-id": ("3", "5"),
    "k8s.ovn.org/tunnel-keys": ("[16711686,16715780]", "[]"),
}
OWNERS = ("ClusterUserDefinedNetwork", "UserDefinedNetwork", "Deployment", "")
UIDS = ("u", "u", "v", "")


def any_cudn(name: str, numbers: JsonObject, labels: JsonObject, selector: Any, network: JsonObject) -> JsonObject:
    metadata = {"name": name, "uid": "u", "annotations": numbers, "labels": labels}
    spec = {"namespaceSelector": selector, "network": network}
    return {"apiVersion": "k8s.ovn.org/v1", "kind": "ClusterUserDefinedNetwork", "metadata": metadata, "spec": spec}


def _udn(name: str, space: str, numbers: JsonObject, spec: JsonObject) -> JsonObject:
    metadata = {"name": name, "namespace": space, "uid": "u", "annotations": numbers}
    return {"apiVersion": "k8s.ovn.org/v1", "kind": "UserDefinedNetwork", "metadata": metadata, "spec": spec}


def _nad(name: str, space: str, numbers: JsonObject, owner: str, uid: str, role: str) -> JsonObject:
    metadata: JsonObject = {"name": name, "namespace": space, "annotations": numbers}
    if owner:
        reference = {"apiVersion": "k8s.ovn.org/v1", "kind": owner, "name": name, "uid": uid, "controller": True}
        metadata["ownerReferences"] = [reference]
    config = {
        "cniVersion": "1.1.0",
        "type": "ovn-k8s-cni-overlay",
        "name": f"cluster_udn_{name}" if owner == "ClusterUserDefinedNetwork" else f"{space}_{name}",
        "netAttachDefName": f"{space}/{name}",
        "topology": "layer2",
        "role": role,
        "subnets": "10.43.0.0/16",
    }
    spec = {"config": json.dumps(config)}
    api = "k8s.cni.cncf.io/v1"
    return {"apiVersion": api, "kind": "NetworkAttachmentDefinition", "metadata": metadata, "spec": spec}


def any_namespace(name: str, labels: JsonObject, going: bool) -> JsonObject:
    metadata: JsonObject = {"name": name, "labels": labels}
    if going:
        metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}


def _node(name: str, zone: str, number: str, address: str) -> JsonObject:
    values = {"node-id": number, "zone-name": zone, "host-cidrs": f'["192.168.{address}.1/24"]'}
    annotations = {f"k8s.ovn.org/{key}": value for key, value in values.items()}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "annotations": annotations}}


def any_advertisement(name: str, vrf: str, selector: Any, advertised: list[str]) -> JsonObject:
    choice = {
        "networkSelectionType": "ClusterUserDefinedNetworks",
        "clusterUserDefinedNetworkSelector": {"networkSelector": selector},
    }
    spec = {"targetVRF": vrf, "networkSelectors": [choice], "advertisements": advertised}
    api = "k8s.ovn.org/v1"
    return {"apiVersion": api, "kind": "RouteAdvertisements", "metadata": {"name": name}, "spec": spec}


def _pod(name: str, space: str, node: str) -> JsonObject:
    spec = {"nodeName": node, "containers": [{"name": "c", "image": "example.invalid/none"}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": space}, "spec": spec}


class Maker:
    """Makes objects whose names, numbers, labels and selectors meet often."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def object(self, kind: GroupKind, name: str) -> JsonObject:
        pick = self.random.choice
        numbers = {key: pick(values) for key, values in NUMBERS.items() if self.random.random() < 0.3}
        if kind == CUDN:
            routing = pick(("Managed", "Unmanaged", "", ""))
            transport = (
                {"transport": "NoOverlay", "noOverlay": {"routing": routing, "outboundSNAT": "Enabled"}}
                if routing
                else {}
            )
            return any_cudn(name, numbers, self.labels(), self.selector(), {**self.spec(), **transport})
        if kind == UDN:
            return _udn(name, pick(SPACES), numbers, self.spec())
        if kind == NAD:
            return _nad(name, pick(SPACES), numbers, pick(OWNERS), pick(UIDS), pick(("primary", "secondary")))
        if kind == NODE:
            return _node(name, pick("xyz"), pick("2345"), pick("6789"))
        if kind == ROUTE_ADVERTISEMENTS:
            return any_advertisement(name, pick(("", "auto", "far", "a")), self.selector(), pick((["PodNetwork"], [])))
        if kind == OPERATOR_NETWORK:
            return operator({"mtu": self.random.choice((1400, 1300))})
        if kind == POD:
            return _pod(name, pick(SPACES), pick(("", "a", "b")))
        return any_namespace(name if name in SPACES else pick(SPACES), self.labels(), self.random.random() < 0.2)

    def name(self) -> str:
        return self.random.choice(["a-b", "a.b", *list("abcdefghijkl")])

    def labels(self) -> JsonObject:
        return {key: self.random.choice("xy") for key in ("team", "zone") if self.random.random() < 0.6}

    def selector(self) -> Any:
        pick = self.random.choice
        if self.random.random() < 0.1:
            return None
        if self.random.random() < 0.5:
            return {"matchLabels": {key: value for key, value in self.labels().items() if self.random.random() < 0.7}}
        operator = pick(("In", "NotIn", "Exists", "DoesNotExist"))
        values = [pick(("x", "y", *SPACES)) for _ in range(2)] if operator in ("In", "NotIn") else []
        key = pick(("team", "zone", "kubernetes.io/metadata.name"))
        return {"matchExpressions": [{"key": key, "operator": operator, "values": values}]}

    def spec(self) -> JsonObject:
        role = self.random.choice(("Primary", "Primary", "Secondary"))
        subnet = self.random.choice(("10.41.0.0/16", "10.42.0.0/24", "10.41.0.1/16"))
        if self.random.random() < 0.5:
            return {"topology": "Layer2", "layer2": {"role": role, "subnets": [subnet]}}
        return {"topology": "Layer3", "layer3": {"role": role, "subnets": [{"cidr": subnet, "hostSubnet": 26}]}}

    def world(self) -> dict[GroupKind, tuple[JsonObject, ...]]:
        cudns = tuple(self.object(CUDN, name) for name in ("a-b", "a.b", "a", "c", "e"))
        spaces = tuple(
            {**self.object(NAMESPACE, ""), "metadata": {"name": name, "labels": self.labels()}} for name in SPACES
        )
        others = {
            kind: tuple(self.object(kind, self.name()) for _ in range(4))
            for kind in (UDN, NAD, NODE, ROUTE_ADVERTISEMENTS)
        }
        return {CUDN: cudns, NAMESPACE: spaces, **others}

    def change(self, held: tuple[JsonObject, ...], kind: GroupKind) -> tuple[JsonObject, ...] | None:
        """One step; what changes is another object, as caches have it."""
        what = self.random.choices(("add", "change", "remove", "turn", "twice", "unknown"), (6, 9, 5, 1, 1, 1))[0]
        at = self.random.randint(0, len(held))
        if what == "turn":
            return (*held[at:], *held[:at])
        if what == "twice":
            return (*held, *held[at : at + 1])
        if what == "unknown":
            return None
        name = held[at]["metadata"]["name"] if what == "change" and at < len(held) else self.name()
        put = () if what == "remove" else (self.object(kind, name),)
        return (*held[:at], *put, *held[at if what == "add" else at + 1 :])


class Live:
    """A view as a cache is one: a new tuple for every change."""

    def __init__(self, held: Mapping[GroupKind, Sequence[JsonObject]]) -> None:
        self.held = dict(held)

    def objects(self, kind: GroupKind) -> Sequence[JsonObject] | None:
        return self.held.get(kind)
