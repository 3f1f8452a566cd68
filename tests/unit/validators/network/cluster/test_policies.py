"""Which policies are about which network."""

from typing import Any

import pytest

from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster.namespace_index import PRIMARY_LABEL
from ovnguard.validators.network.cluster.policies import MULTICAST, policies_by_network
from ovnguard.validators.network.cluster_view import ObjectsView
from tests.support.manifests.network_objects import JsonObject, layer2, udn

POLICY = "policy.networking.k8s.io/v1alpha1"
PRIMARY = {PRIMARY_LABEL: ""}


def namespace(name: str, labels: JsonObject = PRIMARY, **metadata: Any) -> JsonObject:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels} | metadata}


def policy(kind: str = "NetworkPolicy", name: str = "deny", namespace: str = "red", created: str = "") -> JsonObject:
    groups = {
        "NetworkPolicy": "networking.k8s.io/v1",
        "EgressFirewall": "k8s.ovn.org/v1",
        "EgressQoS": "k8s.ovn.org/v1",
    }
    metadata = {"name": name, "namespace": namespace, **({"creationTimestamp": created} if created else {})}
    return {"apiVersion": groups[kind], "kind": kind, "metadata": metadata, "spec": {}}


def admin(subject: Any, kind: str = "AdminNetworkPolicy") -> JsonObject:
    return {"apiVersion": POLICY, "kind": kind, "metadata": {"name": "all"}, "spec": {"subject": subject}}


def blue() -> JsonObject:
    """A network of the namespaces red and pink."""
    network = layer2("10.41.0.0/16")
    selector = {
        "matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["red", "pink"]}]
    }
    return {**network, "spec": {**network["spec"], "namespaceSelector": selector}}


SPACES = (namespace("red"), namespace("pink"), namespace("gray", {}), namespace("waits"))


def found(*objects: JsonObject) -> dict[str, list[str]]:
    view = ObjectsView(objects)
    known = policies_by_network(inventory_of(view))
    return {network: [str(each) for each in policies] for network, policies in known.items()}


@pytest.mark.parametrize("kind", ["NetworkPolicy", "EgressFirewall", "EgressQoS"])
def test_a_policy_is_about_the_primary_network_of_its_namespace(kind: str) -> None:
    policies = [policy(kind, namespace=each) for each in ("red", "gray", "waits", "gone")]
    assert found(blue(), *SPACES, *policies) == {
        "cluster_udn_blue": [f"{kind} red/deny"],
        "default": [f"{kind} gray/deny"],
    }


def test_a_network_of_one_namespace_has_the_policies_of_that_namespace() -> None:
    network = udn(topology="Layer2", layer2={"role": "Primary", "subnets": ["10.41.0.0/16"]})
    assert found(network, *SPACES, policy()) == {"red_blue": ["NetworkPolicy red/deny"]}


def test_a_terminating_namespace_has_no_policy() -> None:
    going = namespace("red", deletionTimestamp="2026-01-01T00:00:00Z")
    assert found(blue(), going, policy()) == {}


@pytest.mark.parametrize("kind", ["AdminNetworkPolicy", "BaselineAdminNetworkPolicy"])
@pytest.mark.parametrize(
    ("subject", "networks"),
    [
        ({"namespaces": {}}, {"cluster_udn_blue", "default"}),
        ({"namespaces": {"matchLabels": {"kubernetes.io/metadata.name": "pink"}}}, {"cluster_udn_blue"}),
        ({"namespaces": {"matchLabels": {"kubernetes.io/metadata.name": "gray"}}}, {"default"}),
        ({"namespaces": {"matchLabels": {"kubernetes.io/metadata.name": "gone"}}}, set()),
        (
            {"pods": {"namespaceSelector": {}, "podSelector": {"matchLabels": {"a": "b"}}}},
            {"cluster_udn_blue", "default"},
        ),
        ({"pods": {"podSelector": {}}}, set()),
        ({}, set()),
        (None, set()),
    ],
)
def test_a_policy_of_the_cluster_is_about_the_namespaces_of_its_subject(
    kind: str, subject: Any, networks: set[str]
) -> None:
    assert found(blue(), *SPACES, admin(subject, kind)) == {each: [f"{kind} all"] for each in networks}


def test_multicast_is_an_annotation() -> None:
    loud = namespace("red", annotations={MULTICAST: "true"})
    quiet = namespace("pink", annotations={MULTICAST: "false"})
    assert found(blue(), loud, quiet) == {"cluster_udn_blue": [f"annotation {MULTICAST} of Namespace red"]}


def test_the_newest_comes_first_so_that_messages_name_it() -> None:
    loud = namespace("red", annotations={MULTICAST: "true"})
    ages = {"b": "2026-01-01T00:00:00Z", "a": "2026-01-02T00:00:00Z", "c": "2026-01-02T00:00:00Z"}
    policies = [policy(name=name, created=created) for name, created in ages.items()]
    named = [f"NetworkPolicy red/{name}" for name in "acb"]
    assert found(blue(), loud, *policies) == {"cluster_udn_blue": [f"annotation {MULTICAST} of Namespace red", *named]}


def test_manifests_without_namespaces() -> None:
    network = udn(topology="Layer2", layer2={"role": "Primary", "subnets": ["10.41.0.0/16"]})
    policies = [policy(), policy(namespace="gray")]
    wanted = {"red_blue": ["NetworkPolicy red/deny"], "default": ["NetworkPolicy gray/deny"]}
    assert found(network, *policies) == wanted
