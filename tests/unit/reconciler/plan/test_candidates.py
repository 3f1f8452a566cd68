"""Objects that become candidates: rendered attachments do not, by the same predicate as in verdicts."""

import pytest

from reconciler.plan.candidates import declares_network
from tests.support.fake_cluster import nad
from validators.network.cluster.inventory import is_rendered


def owned(**owner):
    obj = nad("n")
    obj["metadata"]["ownerReferences"] = [{"name": "owner", **owner}]
    return obj


@pytest.mark.parametrize(
    ("owner", "rendered"),
    [
        ({"kind": "ClusterUserDefinedNetwork", "controller": True}, True),
        ({"kind": "Deployment", "controller": True}, True),
        ({"kind": "UserDefinedNetwork"}, False),
        ({"kind": "UserDefinedNetwork", "controller": False}, False),
    ],
)
def test_an_attachment_with_a_controller_is_rendered(owner, rendered):
    obj = owned(**owner)
    assert is_rendered(obj) is rendered
    assert declares_network(obj) is not rendered
