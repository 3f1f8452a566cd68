"""Objects that become candidates: attachments that OVN-Kubernetes rendered do not."""

import pytest

from ovnguard.reconciler.plan.inputs.candidates import Candidate, candidate_of, consider
from ovnguard.validators.admission import Operation, Request, judge
from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster_view import ObjectsView
from tests.support.manifests.network_objects import JsonObject, layer2, rendered, stored

BLUE = stored(layer2("10.41.0.0/16"))


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({}, ["cluster_udn_blue"]),
        ({"uid": "forged"}, ["cluster_udn_blue", "cluster_udn_blue"]),
        ({"controller": False}, ["cluster_udn_blue", "cluster_udn_blue"]),
        ({"kind": "Deployment"}, ["cluster_udn_blue", "cluster_udn_blue"]),
    ],
)
def test_an_attachment_is_no_network_of_its_own_if_its_network_is_stored(change: JsonObject, names: list[str]) -> None:
    attachment = rendered(BLUE)
    attachment["metadata"]["ownerReferences"][0].update(change)
    view = ObjectsView([BLUE, attachment])

    def judged(obj: JsonObject) -> Candidate | None:
        return candidate_of(obj, judge(Request(Operation.CREATE, obj), view))

    found = consider([BLUE, attachment], judged, None, inventory_of(view).is_rendered)
    assert [candidate.name for candidate in found] == names
