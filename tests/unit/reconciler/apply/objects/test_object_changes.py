"""Which objects are created, replaced, deleted or left to others."""

import copy
from typing import Any

import pytest

from ovnguard.reconciler.apply.objects.object_changes import DesiredObject, Obstacle, object_changes
from ovnguard.reconciler.apply.objects.object_owners import MANAGER, Maker, identity_of, maker_of, with_managers

KEY = "k8s.ovn.org/route-advertisements"
BGP = "clustermanager-managed-bgp-controller"
ADVERTISER = "clustermanager-routeadvertisements-controller"


def document(name: str = "ovnk-managed-bgp", neighbors: tuple[str, ...] = ("172.18.0.2",), **metadata: Any):
    routers = [{"asn": 64512, "neighbors": [{"address": each, "asn": 64512} for each in neighbors]}]
    return {
        "apiVersion": "frrk8s.metallb.io/v1beta1",
        "kind": "FRRConfiguration",
        "metadata": {"name": name, "namespace": "frr", **metadata},
        "spec": {"nodeSelector": {}, "bgp": {"routers": routers}},
    }


def generated(name: str, node: str = "n1", second: int = 0):
    notes = {KEY: f"ra/base/{node}"}
    time = f"2026-01-01T00:00:{second:02d}Z"
    return document(f"ovnk-generated-{name}", annotations=notes, creationTimestamp=time)


def stored(obj: dict[str, Any], *managers: str, **metadata: Any) -> dict[str, Any]:
    """The object as the API server has it after a write by each of ``managers``."""
    found = copy.deepcopy(obj)
    entries = [{"manager": each, "operation": "Update", "fieldsV1": {}} for each in managers]
    found["metadata"] |= {"uid": f"uid-{obj['metadata']['name']}", "resourceVersion": "7", "managedFields": entries}
    found["metadata"] |= metadata
    return found


def test_the_maker_of_an_object_is_the_one_that_the_api_server_recorded():
    labels = {"app.kubernetes.io/managed-by": "ovnguard"}
    assert maker_of(stored(document(labels=labels), "kubectl-create")) is Maker.OTHER
    assert maker_of(document(labels=labels)) is Maker.OTHER
    assert maker_of(stored(document(), "kubectl-edit", MANAGER)) is Maker.OURS
    assert maker_of(stored(document(), BGP)) is maker_of(stored(document(), ADVERTISER)) is Maker.CLUSTER_MANAGER
    status = {"manager": MANAGER, "subresource": "status", "operation": "Update"}
    assert maker_of(stored(document(), managedFields=[status])) is Maker.OTHER
    assert (
        maker_of(stored(document(), managedFields="x"))
        is maker_of(stored(document(), managedFields=[7]))
        is Maker.OTHER
    )


def test_a_cache_keeps_only_the_names_of_managers():
    trimmed = with_managers(stored(document(), "a", MANAGER))
    assert trimmed["metadata"]["managedFields"] == [{"manager": "a"}, {"manager": MANAGER}]
    assert with_managers(document())["metadata"]["managedFields"] == []


def test_a_generated_object_has_the_identity_in_its_annotation():
    assert identity_of(generated("x")) == ("FRRConfiguration", "frr", "ra/base/n1")
    assert identity_of(document("peers", annotations={KEY: "ra/base/n1"})) == ("FRRConfiguration", "frr", "peers")
    assert identity_of(document("ovnk-generated-x", annotations={KEY: 7})) == (
        "FRRConfiguration",
        "frr",
        "ovnk-generated-x",
    )


def test_what_is_missing_is_created_with_its_owner():
    owner = {"apiVersion": "v1", "kind": "Namespace", "name": "ovnguard-system", "uid": "u"}
    changes = object_changes([DesiredObject(document(), ("default",))], [], owner=owner)
    (new,) = changes.create
    assert new == DesiredObject(document(ownerReferences=[owner]), ("default",))
    assert (changes.replace, changes.delete, changes.obstacles) == ((), (), ())


@pytest.mark.parametrize(
    "stored_spec",
    [
        {"nodeSelector": {}, "raw": {}, "bgp": {"routers": [{"asn": 64512, "neighbors": [
            {"address": "172.18.0.2", "asn": 64512, "passwordSecret": {}, "addressFamilies": ["unicast"],
             "disableMP": False, "dualStackAddressFamily": False, "toReceive": {"allowed": {"mode": "filtered"}}}]}]}},
        {"bgp": {"routers": [{"asn": 64512, "neighbors": [{"address": "172.18.0.2", "asn": 64512}]}]}},
    ],
)  # fmt: skip
def test_what_the_api_server_fills_in_is_no_drift(stored_spec: dict[str, Any]):
    found = stored(document(), MANAGER) | {"spec": stored_spec}
    assert object_changes([DesiredObject(document())], [found]) == object_changes([], [])


@pytest.mark.parametrize(
    "drift",
    [
        {"spec": document(neighbors=())["spec"]},
        {"spec": document()["spec"] | {"raw": {"rawConfig": "x"}}},
        {"metadata": {"labels": {"mine": "1"}}},
        {"metadata": {"labels": {"k8s.ovn.org/managed-bgp": "other", "theirs": "1"}}},
    ],
)
def test_drift_is_replaced_and_the_rest_of_the_metadata_stays(drift: dict[str, Any]):
    label = {"k8s.ovn.org/managed-bgp": ""}
    wanted = DesiredObject(document(labels=label))
    found = stored(document(labels=label), MANAGER, "kubectl-edit", finalizers=["keep"])
    found = found | {
        "spec": drift.get("spec", found["spec"]),
        "metadata": found["metadata"] | drift.get("metadata", {}),
    }
    (change,) = object_changes([wanted], [found]).replace
    assert change.observed is found
    assert change.body["spec"] == document()["spec"]
    assert change.body["metadata"]["labels"] == found["metadata"]["labels"] | label
    assert change.body["metadata"]["resourceVersion"] == "7"
    assert change.body["metadata"]["finalizers"] == ["keep"]
    assert "managedFields" not in change.body["metadata"]


def test_what_somebody_else_made_is_an_obstacle_and_stays():
    found = stored(document(neighbors=()), "kubectl-create", labels={"app.kubernetes.io/managed-by": "ovnguard"})
    wanted = DesiredObject(document(), ("default",))
    changes = object_changes([wanted], [found], adopted=("default",))
    assert changes.obstacles == (Obstacle(wanted, found, Maker.OTHER),)
    assert (changes.create, changes.replace, changes.delete) == ((), (), ())
    assert object_changes([], [found]) == object_changes([], [])


def test_a_strangers_claim_to_an_identity_prevents_nothing():
    found = stored(generated("strange"), "kubectl-create")
    changes = object_changes([DesiredObject(generated("mine"))], [found])
    assert [new.document["metadata"]["name"] for new in changes.create] == ["ovnk-generated-mine"]
    assert changes.obstacles == changes.delete == ()


def test_an_object_of_the_cluster_manager_is_replaced_only_where_its_network_is_adopted():
    found = stored(generated("lbrz6") | {"spec": {}}, ADVERTISER)
    wanted = DesiredObject(generated("mine"), ("default",))
    assert object_changes([wanted], [found], ["other"]).obstacles == (Obstacle(wanted, found, Maker.CLUSTER_MANAGER),)
    (change,) = object_changes([wanted], [found], ["default"]).replace
    assert change.body["metadata"]["name"] == "ovnk-generated-lbrz6"
    assert change.body["spec"] == document()["spec"]
    # one that nobody wants is the cluster manager's to delete
    assert object_changes([], [found], ["default"]).delete == ()


def test_duplicates_and_what_nobody_wants_are_deleted():
    first, second = stored(generated("b", second=1), MANAGER), stored(generated("a", second=2), MANAGER)
    other = stored(generated("c", node="n2"), MANAGER)
    changes = object_changes([DesiredObject(generated("x"))], [second, other, first])
    assert changes.delete == (second, other)
    assert changes.create == changes.replace == ()
    going = stored(generated("c", node="n2"), MANAGER, deletionTimestamp="2026-01-01T00:01:00Z")
    assert object_changes([], [going]).delete == ()


def test_an_object_that_lost_its_identity_is_recognised_by_its_name():
    found = stored(generated("x"), MANAGER, annotations={})
    (change,) = object_changes([DesiredObject(generated("x"))], [found]).replace
    assert change.body["metadata"]["annotations"] == {KEY: "ra/base/n1"}


def test_a_document_that_the_plan_read_and_keeps_stays_as_it_is():
    mine, strange = stored(generated("mine"), MANAGER), stored(generated("strange"), "kubectl-create")
    assert object_changes([DesiredObject(mine), DesiredObject(strange)], [mine, strange]) == object_changes([], [])
