import pytest

from ovnguard.reconciler.plan.comparison.identities import IdentifiedRow
from ovnguard.reconciler.plan.comparison.policies import POLICY_KINDS, UNKNOWN_POLICIES, PolicyObjects, policies_of
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import NAMESPACE, GroupKind, ObjectsView


def row(table: str, owner_type: str, name: str = "") -> IdentifiedRow:
    ids = {"k8s.ovn.org/owner-type": owner_type, "k8s.ovn.org/name": name}
    return IdentifiedRow(table, "x", "default", {"external_ids": ids})


def route() -> IdentifiedRow:
    return IdentifiedRow("Logical_Router_Static_Route", "x", "default", {"options": {"ecmp_symmetric_reply": "true"}})


def policies(*objects: JsonObject) -> PolicyObjects:
    return policies_of(ObjectsView(objects, (*POLICY_KINDS, NAMESPACE)))


def obj(kind: GroupKind | str, name: str, namespace: str = "", **annotations: str) -> JsonObject:
    found = next((each for each in (*POLICY_KINDS, NAMESPACE) if each.kind == kind), kind)
    assert isinstance(found, GroupKind)
    space = {"namespace": namespace} if namespace else {}
    keys = {f"k8s.ovn.org/{key.replace('_', '-')}": value for key, value in annotations.items()}
    return {
        "apiVersion": f"{found.group}/v1".removeprefix("/"),
        "kind": found.kind,
        "metadata": {"name": name, **space, "annotations": keys},
    }


OWNED = [
    ("ACL", "AdminNetworkPolicy", "low", obj("AdminNetworkPolicy", "low")),
    ("Port_Group", "BaselineAdminNetworkPolicy", "default", obj("BaselineAdminNetworkPolicy", "default")),
    ("ACL", "EgressFirewall", "blue", obj("EgressFirewall", "default", "blue")),
    ("Address_Set", "EgressFirewallDNS", "example.org.", obj("EgressFirewall", "default", "blue")),
    ("QoS", "EgressQoS", "blue", obj("EgressQoS", "default", "blue")),
    ("Port_Group", "Namespace", "blue", obj("Namespace", "blue")),
    ("ACL", "NetpolNamespace", "blue", obj("NetworkPolicy", "deny", "blue")),
    ("ACL", "NetworkPolicy", "blue:deny", obj("NetworkPolicy", "deny", "blue")),
    ("ACL", "NetworkPolicy", "blue:deny", obj("MultiNetworkPolicy", "deny", "blue")),
    ("QoS", "NetworkQoS", "blue:fast", obj("NetworkQoS", "fast", "blue")),
    ("Address_Set", "PodSelector", "LS{} in blue", obj("AdminNetworkPolicy", "low")),
    ("ACL", "MulticastNS", "blue", obj("Namespace", "blue", multicast_enabled="true")),
]


@pytest.mark.parametrize(("table", "owner_type", "name", "owner"), OWNED, ids=lambda each: str(each)[:30])
def test_a_row_is_of_an_object_that_exists(table: str, owner_type: str, name: str, owner: JsonObject) -> None:
    found = row(table, owner_type, name)
    assert UNKNOWN_POLICIES.owner_of(found) == owner_type
    assert policies(owner).owner_of(found) == owner_type
    # nobody reads these kinds
    assert policies_of(ObjectsView(())).owner_of(found) == owner_type
    assert policies().owner_of(found) == ""


@pytest.mark.parametrize(
    ("table", "owner_type", "name"),
    [
        ("ACL", "AdminNetworkPolicy", "high"),
        ("ACL", "EgressFirewall", "red"),
        ("QoS", "EgressQoS", "red"),
        ("ACL", "NetpolNamespace", "red"),
        ("ACL", "NetworkPolicy", "blue:allow"),
        ("ACL", "NetworkPolicy", "deny"),
        ("QoS", "NetworkQoS", "fast"),
        ("ACL", "MulticastNS", "red"),
        ("Port_Group", "Namespace", "green"),
    ],
)
def test_a_row_of_another_name_is_not_theirs(table: str, owner_type: str, name: str) -> None:
    known = policies(*(each for *_, each in OWNED), obj("Namespace", "red"))
    assert known.owner_of(row(table, owner_type, name)) == ""


@pytest.mark.parametrize("owner_type", [*{each[1] for each in OWNED}, "HybridNodeRoute", "EgressIP", ""])
@pytest.mark.parametrize("table", ["Logical_Router_Policy", "Logical_Router_Static_Route", "NAT", "Load_Balancer"])
def test_policies_have_no_routes(table: str, owner_type: str) -> None:
    assert UNKNOWN_POLICIES.owner_of(row(table, owner_type)) == ""


def test_routes_are_of_external_gateways_where_there_are_any() -> None:
    assert UNKNOWN_POLICIES.owner_of(route()) == "AdminPolicyBasedExternalRoute"
    assert policies(obj("AdminPolicyBasedExternalRoute", "gateways")).owner_of(route()) != ""
    assert policies(obj("Namespace", "blue", routing_external_gws="192.0.2.1")).owner_of(route()) != ""
    assert policies(obj("Namespace", "blue")).owner_of(route()) == ""
    assert policies_of(ObjectsView((), POLICY_KINDS)).owner_of(route()) != ""


def test_samples_and_templates_are_never_planned() -> None:
    assert policies().owner_of(IdentifiedRow("Sample", "x", "default", {"metadata": ("5",)})) == "Sample"
