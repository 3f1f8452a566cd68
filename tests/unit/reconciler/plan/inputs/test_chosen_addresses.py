"""The addresses that a network chooses hold only where OVN-Kubernetes uses them."""

from collections.abc import Sequence
from ipaddress import ip_address, ip_network

from ovnguard.reconciler.plan.desired_state import judge_networks
from ovnguard.reconciler.plan.inputs.candidates import Candidate
from ovnguard.validators.admission import Operation, Request, judge
from ovnguard.validators.network.cluster_view import ObjectsView
from tests.support.manifests.network_objects import JsonObject, layer2, nad, rendered, stored

SUBNET, PARTS, GATEWAY = "10.41.0.0/16", ["10.41.200.0/29"], ["10.41.200.3"]
KEPT = ((ip_network(PARTS[0]),), (ip_address(GATEWAY[0]),))
LOST = ((), ())
IN_CONFIG = {"infrastructureSubnets": PARTS[0], "defaultGatewayIPs": GATEWAY[0]}
UNKNOWN = "without effect: ovnkube is not known to run with --enable-preconfigured-udn-addresses"


def choosing(name: str = "blue") -> JsonObject:
    found = stored(layer2(SUBNET, infrastructureSubnets=PARTS, defaultGatewayIPs=GATEWAY), uid=f"uid-{name}")
    found["metadata"]["name"] = name
    return found


def attachment(network: JsonObject, **config: str) -> JsonObject:
    return rendered(network, topology="layer2", role="primary", subnets=SUBNET, **config)


def manager(*flags: str) -> JsonObject:
    container = {"name": "ovnkube-cluster-manager", "args": ["--enable-multi-network", *flags]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "ovnkube-control-plane", "namespace": "ovn-kubernetes"},
        "spec": {"template": {"spec": {"containers": [container]}}},
    }


def judged(objects: Sequence[JsonObject]) -> Candidate:
    """The first network of the objects; overlaps of the others do not matter."""
    view = ObjectsView(objects)
    found = judge_networks(
        objects, view, lambda obj, _: judge(Request(Operation.CREATE, obj), ObjectsView([obj])), recorded=False
    )
    first = found.candidates[0]
    assert first.refusal == ()
    return first


def used(*objects: JsonObject) -> tuple[object, list[str]]:
    """The chosen addresses of the first network that are in effect, and the notes about others."""
    found = judged(objects)
    assert found.network is not None
    notes = [note for note in found.notes if "without effect" in note]
    return (found.network.infrastructure_subnets, found.network.default_gateway_ips), notes


def test_the_rendered_attachment_decides() -> None:
    network = choosing()
    lost = "infrastructureSubnets, defaultGatewayIPs without effect: its attachment does not contain it"
    assert used(network, attachment(network, **IN_CONFIG)) == (KEPT, [])
    assert used(network, attachment(network)) == (LOST, [lost])
    # the attachment is from before the flag, and is rendered again later
    assert used(network, attachment(network), manager("--enable-preconfigured-udn-addresses")) == (LOST, [lost])


def test_a_foreign_attachment_decides_nothing() -> None:
    network, forged = choosing(), attachment(choosing(), **IN_CONFIG)
    forged["metadata"]["ownerReferences"][0]["uid"] = "forged"
    assert used(network, forged)[0] == LOST


def test_without_an_attachment_the_settings_of_ovnkube_decide() -> None:
    assert used(choosing(), manager("--enable-preconfigured-udn-addresses")) == (KEPT, [])
    assert used(choosing(), manager()) == (LOST, [f"infrastructureSubnets, defaultGatewayIPs {UNKNOWN}"])
    assert used(choosing()) == (LOST, [f"infrastructureSubnets, defaultGatewayIPs {UNKNOWN}"])


def test_another_rendered_attachment_shows_that_the_feature_is_on() -> None:
    other = choosing("red")
    assert used(choosing(), other, attachment(other, **IN_CONFIG)) == (KEPT, [])
    assert used(choosing(), other, attachment(other))[0] == LOST


def test_a_user_written_attachment_needs_the_feature_too() -> None:
    own = nad(**IN_CONFIG)
    assert used(own)[0] == LOST
    assert used(own, manager("--enable-preconfigured-udn-addresses"))[0] == KEPT
