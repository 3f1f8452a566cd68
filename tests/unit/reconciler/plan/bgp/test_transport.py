"""What is said of networks without an overlay: conditions, and the state of the default network."""

import pytest

from ovnguard.reconciler.plan.bgp.advertisements import ACCEPTED, Result
from ovnguard.reconciler.plan.bgp.transport import default_state, transport_conditions
from ovnguard.reconciler.plan.rows.routing_model import Condition, RoutingInputs
from ovnguard.validators.network.cluster.route_advertisements import RouteAdvertisement, route_advertisement

REFUSED = Condition("Accepted", False, "ConfigurationError", "configuration error: no")


def advertisement(name: str, *, label: str = "", kind: str = "PodNetwork") -> RouteAdvertisement:
    """One of the default network, or of ClusterUserDefinedNetworks with a label."""
    cudns = {"networkSelector": {"matchLabels": {label: ""}}}
    selector = {"networkSelectionType": "ClusterUserDefinedNetworks", "clusterUserDefinedNetworkSelector": cudns}
    selectors = [selector if label else {"networkSelectionType": "DefaultNetwork"}]
    spec = {"networkSelectors": selectors, "advertisements": [kind]}
    return route_advertisement({"metadata": {"name": name}, "spec": spec})


def results(**by_name: bool) -> list[Result]:
    return [Result(name, ACCEPTED if accepted else REFUSED) for name, accepted in by_name.items()]


@pytest.mark.parametrize(
    ("known", "found", "reason", "message"),
    [
        (
            [],
            [],
            "NoOverlayRouteAdvertisementsIsMissing",
            "No RouteAdvertisements CR is advertising the pod networks.",
        ),
        (
            [advertisement("other", label="other"), advertisement("egress", label="blue", kind="EgressIP")],
            results(other=True, egress=True),
            "NoOverlayRouteAdvertisementsIsMissing",
            "No RouteAdvertisements CR is advertising the pod networks.",
        ),
        (
            [advertisement("b", label="blue"), advertisement("a", label="blue")],
            results(a=False, b=False),
            "NoOverlayRouteAdvertisementsNotAccepted",
            "RouteAdvertisements CR a, b advertises the pod subnets, but its status is not accepted.",
        ),
        (
            [advertisement("b", label="blue"), advertisement("a", label="blue")],
            results(a=False, b=True),
            "NoOverlayTransportAccepted",
            "Transport has been configured as 'no-overlay'.",
        ),
    ],
)
def test_condition_of_a_user_network(
    known: list[RouteAdvertisement], found: list[Result], reason: str, message: str
) -> None:
    inputs = RoutingInputs(no_overlay={"blue": False}, labels={"cluster_udn_blue": {"blue": ""}})
    (condition,) = transport_conditions(inputs, known, found).values()
    assert condition == Condition("TransportAccepted", reason == "NoOverlayTransportAccepted", reason, message)


def test_a_managed_network_counts_as_labelled() -> None:
    inputs = RoutingInputs(no_overlay={"blue": True, "red": False})
    managed = [advertisement("ours", label="k8s.ovn.org/managed-bgp")]
    found = transport_conditions(inputs, managed, results(ours=True))
    assert {name: each.status for name, each in found.items()} == {"blue": True, "red": False}


def test_condition_where_the_cluster_advertises_no_routes() -> None:
    inputs = RoutingInputs(enabled=False, no_overlay={"blue": True})
    assert transport_conditions(inputs, [], []) == {
        "blue": Condition(
            "TransportAccepted",
            False,
            "RouteAdvertisementsNotEnabled",
            "RouteAdvertisements feature is not enabled but required for NoOverlay transport.",
        )
    }


@pytest.mark.parametrize(
    ("known", "found", "expected"),
    [
        (
            [advertisement("blue", label="blue"), advertisement("egress", kind="EgressIP")],
            results(blue=True, egress=True),
            (
                "Warning",
                "NoRouteAdvertisements",
                "No RouteAdvertisements CR is advertising the default network. RouteAdvertisements configuration is "
                "required when transport=no-overlay.",
            ),
        ),
        (
            [advertisement("b"), advertisement("a")],
            results(a=False),
            (
                "Warning",
                "RouteAdvertisementsNotAccepted",
                "RouteAdvertisements CR(s) a, b exist for the default network but none have status Accepted=True. When "
                "transport=no-overlay, at least one RouteAdvertisements CR must be accepted to advertise pod networks.",
            ),
        ),
        (
            [advertisement("b"), advertisement("a")],
            results(a=False, b=True),
            (
                "Normal",
                "NoOverlayConfigurationReady",
                "No-overlay transport is properly configured with RouteAdvertisements CR advertising the default "
                "network pod networks with status Accepted=True",
            ),
        ),
    ],
)
def test_state_of_the_default_network(
    known: list[RouteAdvertisement], found: list[Result], expected: tuple[str, str, str]
) -> None:
    assert default_state(known, found) == expected


def test_a_fabric_that_cannot_be_is_an_error() -> None:
    assert default_state([], [], ["no fabric", "more"]) == (
        "Warning",
        "NoOverlayConfigurationError",
        "No-overlay transport configuration error: no fabric",
    )
