"""Which networks count as advertised: as the cluster manager names RouteAdvertisements on attachments, else as they
select.
"""

from typing import Any

import pytest

from ovnguard.validators.network.cluster.advertised_networks import advertised_networks
from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster_view import EmptyView, ObjectsView
from tests.support.manifests.network_objects import JsonObject, advertisement, layer3, nad, rendered, stored

LABELS = {"advertise": "yes"}
BLUE = stored(layer3("10.101.0.0/16"))
BLUE["metadata"]["labels"] = LABELS
DEFAULT = [{"networkSelectionType": "DefaultNetwork"}]


def advertising(status: str | None = "True", name: str = "ra", **spec: Any) -> JsonObject:
    found = advertisement(LABELS, **spec)
    found["metadata"] = {"name": name}
    if status is not None:
        found["status"] = {"conditions": [{"type": "Accepted", "status": status}]}
    return found


def attachment(names: Any, obj: JsonObject | None = None) -> JsonObject:
    found = rendered(BLUE) if obj is None else obj
    notes = {"k8s.ovn.org/route-advertisements": names}
    return {**found, "metadata": {**found["metadata"], "annotations": notes}}


def default_attachment(names: str, namespace: str = "ovn-kubernetes") -> JsonObject:
    return attachment(names, {**nad(name="ovn-kubernetes"), "metadata": {"name": "default", "namespace": namespace}})


def advertised(*objects: JsonObject) -> set[str]:
    view = ObjectsView(objects)
    return set(advertised_networks(inventory_of(view)))


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        ([BLUE, advertising()], {"cluster_udn_blue"}),
        ([BLUE, advertising("False")], set()),
        ([BLUE, advertising(None)], set()),
        ([BLUE, advertising(advertisements=["EgressIP"])], set()),
        ([layer3("10.101.0.0/16"), advertising()], set()),
        ([advertising(networkSelectors=DEFAULT)], {"default"}),
        ([advertising("False", networkSelectors=DEFAULT)], set()),
        ([BLUE], set()),
    ],
)
def test_without_attachments_accepted_ones_that_select_the_network_count(objects, expected):
    assert advertised(*objects) == expected


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        ([attachment('["ra"]'), advertising()], {"cluster_udn_blue"}),
        ([attachment('["other","ra"]'), advertising()], {"cluster_udn_blue"}),
        # the cluster manager has not named it yet
        ([rendered(BLUE), advertising()], set()),
        ([attachment('["other"]'), advertising()], set()),
        # one of several namespaces is enough
        ([rendered(BLUE, "sky"), attachment('["ra"]'), advertising()], {"cluster_udn_blue"}),
        # accepted once, refused after a change: the network keeps its routes
        ([attachment('["ra"]'), advertising("False")], {"cluster_udn_blue"}),
        ([attachment('["ra"]'), advertising(None)], set()),
        ([attachment('["ra"]'), advertising(advertisements=["EgressIP"])], set()),
    ],
)
def test_attachments_decide_where_they_are_known(objects, expected):
    assert advertised(BLUE, *objects) == expected


@pytest.mark.parametrize("text", ["", "[", "{}", '"ra"', "[1]", 7, None, ["ra"], "[" * 5000, '["ra"]' + " " * 70_000])
def test_an_annotation_that_cannot_be_read_names_nothing(text):
    assert advertised(BLUE, attachment(text), advertising()) == set()


def test_the_default_attachment_is_in_the_namespace_of_ovnkube():
    advertises = advertising(networkSelectors=DEFAULT)
    assert advertised(default_attachment('["ra"]'), advertises) == {"default"}
    assert advertised(default_attachment('["ra"]', "openshift-ovn-kubernetes"), advertises) == {"default"}
    assert advertised(default_attachment("[]"), advertises) == set()
    # that of a tenant says nothing, so the selection counts
    assert advertised(default_attachment("[]", "red"), advertises) == {"default"}
    assert advertised(default_attachment('["ra"]', "red"), advertising("False", networkSelectors=DEFAULT)) == set()


def test_an_attachment_without_proof_says_nothing():
    forged = attachment('["ra"]', rendered(stored(layer3("10.101.0.0/16"), "uid-2")))
    plain = layer3("10.101.0.0/16")
    assert advertised(stored(plain), forged, advertising()) == set()


def test_nothing_is_advertised_in_an_unknown_cluster():
    view = EmptyView()
    assert advertised_networks(inventory_of(view)) == frozenset()
