"""Objects that a cluster stored are judged with every feature gate on, also those that are off everywhere else."""

import copy

import pytest

from ovnguard.validators.admission import Operation, Request, judge
from ovnguard.validators.bundled.catalog import Catalog
from ovnguard.validators.bundled.whole_catalog import whole_catalog
from ovnguard.validators.network.cluster_view import EmptyView
from tests.support.manifests.network_objects import operator

REFLECTED = operator(
    {
        "routeAdvertisements": "Enabled",
        "defaultNetworkTransport": "NoOverlay",
        "defaultNetworkNoOverlayOptions": {"outboundSNAT": "Enable", "routing": "Managed"},
        "bgpManagedConfig": {"asNumber": 64600, "bgpTopology": "routeReflector"},
    },
    additionalRoutingCapabilities={"providers": ["FRR"]},
)
REFUSED = (
    "spec.defaultNetwork.ovnKubernetesConfig.bgpManagedConfig.bgpTopology: Unsupported value: "
    '"%s": supported values: "fullMesh"'
)


@pytest.mark.parametrize(
    ("topology", "catalog", "expected"),
    [
        ("routeReflector", whole_catalog(), ""),
        ("routeReflector", Catalog(), REFUSED % "routeReflector"),
        ("ring", whole_catalog(), REFUSED % "ring" + ', "routeReflector"'),
    ],
    ids=["stored", "sent", "unknown everywhere"],
)
def test_a_stored_network_may_have_route_reflectors(topology: str, catalog: Catalog, expected: str) -> None:
    obj = copy.deepcopy(REFLECTED)
    obj["spec"]["defaultNetwork"]["ovnKubernetesConfig"]["bgpManagedConfig"]["bgpTopology"] = topology
    judgement = judge(Request(Operation.CREATE, obj), EmptyView(), catalog)
    assert [str(each) for each in judgement.errors][:1] == ([expected] if expected else [])
    assert judgement.schema_set == "enhancement"
