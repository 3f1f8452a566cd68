"""Which deletions wait because nobody saw the reason go."""

from typing import Any

import pytest

from ovnguard.reconciler.loop.fabric.fabric_holds import why_held
from ovnguard.reconciler.plan.bgp.advertisements import ACCEPTED, Result
from ovnguard.reconciler.plan.rows.routing_model import Condition
from ovnguard.validators.network.cluster_view import CUDN, OPERATOR_NETWORK, ROUTE_ADVERTISEMENTS, GroupKind

KEY = "k8s.ovn.org/route-advertisements"
NOTHING = Condition("Accepted", False, "ConfigurationPending", "configuration pending: no networks selected")
ADVERTISED = ("ovnk-managed-bgp-default", "ovnk-managed-bgp-cudn", "good")
RESULTS = {"good": Result("good", ACCEPTED), "empty": Result("empty", NOTHING)}


def generated(advertisement: str) -> dict[str, Any]:
    metadata = {"name": "ovnk-generated-x", "labels": {KEY: advertisement}}
    return {"apiVersion": "frrk8s.metallb.io/v1beta1", "kind": "FRRConfiguration", "metadata": metadata}


BASE = {"apiVersion": "frrk8s.metallb.io/v1beta1", "kind": "FRRConfiguration", "metadata": {"name": "ovnk-managed-bgp"}}
ROUTES = {"apiVersion": "k8s.ovn.org/v1", "kind": "RouteAdvertisements", "metadata": {"name": "ovnk-managed-bgp-cudn"}}


@pytest.mark.parametrize(
    ("obj", "unproven", "refused", "why"),
    [
        (generated("good"), {CUDN, OPERATOR_NETWORK, ROUTE_ADVERTISEMENTS}, {CUDN}, ""),
        (generated("empty"), {CUDN}, set(), "no ClusterUserDefinedNetwork is listed"),
        (generated("gone"), {CUDN, OPERATOR_NETWORK}, set(), ""),
        (generated("gone"), {ROUTE_ADVERTISEMENTS}, set(), "no RouteAdvertisements is listed"),
        (generated("ovnk-managed-bgp-default"), {CUDN}, set(), ""),
        (generated("ovnk-managed-bgp-default"), {OPERATOR_NETWORK}, set(), "no Network is listed"),
        (ROUTES, {OPERATOR_NETWORK}, {OPERATOR_NETWORK}, ""),
        (ROUTES, set(), {CUDN}, "a ClusterUserDefinedNetwork with managed routes is refused"),
        (BASE, {CUDN, OPERATOR_NETWORK}, set(), "no ClusterUserDefinedNetwork and no Network is listed"),
        (BASE, set(), {OPERATOR_NETWORK}, "a Network with managed routes is refused"),
        (BASE, set(), set(), ""),
    ],
)
def test_an_object_waits_for_the_proof_of_its_own_reason(
    obj: dict[str, Any], unproven: set[GroupKind], refused: set[GroupKind], why: str
) -> None:
    assert why_held(obj, RESULTS, ADVERTISED, unproven, refused) == why


def test_the_fabric_of_no_network_waits_for_none() -> None:
    assert why_held(BASE, {}, (), {CUDN, OPERATOR_NETWORK}, ()) == ""
    assert why_held(BASE, {}, ("ovnk-managed-bgp-cudn",), {OPERATOR_NETWORK}, ()) == ""
