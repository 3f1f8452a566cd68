"""The objects of routing Managed: who is whose neighbour, and what is said where there can be no fabric."""

from ipaddress import ip_address
from typing import Any

import pytest

from ovnguard.reconciler.plan.bgp.managed import Managed, managed_of
from ovnguard.reconciler.plan.rows.routing_model import RoutingInputs
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.model import ManagedBGP, Network, NoOverlay, Routing, Transport
from tests.support.plan_samples import default_network, layer3, node, nodes, udn

MANAGED = NoOverlay(outbound_snat=True, routing=Routing.MANAGED)
CUDN = layer3("cluster_udn_blue", transport=Transport.NO_OVERLAY, no_overlay=MANAGED)
FABRIC = Settings(routing=RoutingInputs(bgp=ManagedBGP(64513, "full-mesh"), frr_namespace="frr-k8s-system"))


def addresses(managed: Managed) -> list[str]:
    (router,) = managed.sources[0]["spec"]["bgp"]["routers"]
    return [each["address"] for each in router["neighbors"]]


@pytest.mark.parametrize(
    "networks",
    [
        [],
        [udn()],
        [layer3()],
        [default_network(transport=Transport.GENEVE)],
        [default_network(no_overlay=None)],
        [default_network(routing=Routing.UNMANAGED)],
        [CUDN._replace(no_overlay=NoOverlay(outbound_snat=True, routing=Routing.UNMANAGED))],
    ],
)
def test_no_managed_network_needs_no_objects(networks: list[Network]) -> None:
    assert managed_of(networks, nodes(2), FABRIC) == Managed()


def test_base_lists_every_address_sorted_as_text() -> None:
    members = [node(99), node(9), node(1, v6=True), node(98)]
    managed = managed_of([default_network()], members, Settings())
    assert addresses(managed) == ["172.18.0.10", "172.18.0.100", "172.18.0.2", "172.18.0.99", "fc00::2"]
    assert managed.sources[0]["metadata"] == {
        "name": "ovnk-managed-bgp",
        "namespace": "openshift-frr-k8s",
        "labels": {"k8s.ovn.org/managed-bgp": ""},
    }
    assert managed.sources[0]["spec"]["nodeSelector"] == {}


@pytest.mark.parametrize(
    ("networks", "names"),
    [
        ([default_network()], ["ovnk-managed-bgp-default"]),
        ([layer3(), CUDN], ["ovnk-managed-bgp-cudn"]),
        ([default_network(routing=Routing.UNMANAGED), CUDN], ["ovnk-managed-bgp-cudn"]),
        (
            [default_network(), CUDN, CUDN._replace(name="cluster_udn_green")],
            ["ovnk-managed-bgp-default", "ovnk-managed-bgp-cudn"],
        ),
    ],
)
def test_one_advertisement_for_the_default_network_and_one_for_all_others(
    networks: list[Network], names: list[str]
) -> None:
    managed = managed_of(networks, nodes(2), FABRIC)
    assert [each["metadata"]["name"] for each in managed.objects] == names
    assert [each.name for each in managed.advertisements] == names
    assert all("targetVRF" not in each["spec"] for each in managed.objects)


def test_networks_without_a_default_network_use_the_operators_fabric() -> None:
    (source,) = managed_of([CUDN], nodes(1), FABRIC).sources
    assert source["spec"]["bgp"]["routers"][0]["asn"] == 64513
    assert source["metadata"]["namespace"] == "frr-k8s-system"


@pytest.mark.parametrize(
    ("bgp", "text"),
    [
        (None, "routing is Managed, but there is no bgpManagedConfig"),
        (
            ManagedBGP(64512, "ring"),
            'unsupported managed BGP topology "ring", only "full-mesh" and "route-reflector" are supported',
        ),
    ],
)
def test_without_a_fabric_there_are_no_objects(bgp: ManagedBGP | None, text: str) -> None:
    managed = managed_of([CUDN], nodes(2), Settings(routing=RoutingInputs(bgp=bgp)))
    assert [str(error) for error in managed.errors] == [f"network cluster_udn_blue: {text}"]
    assert (managed.sources, managed.objects, managed.advertisements) == ((), (), ())


def test_two_nodes_with_one_address() -> None:
    managed = managed_of([default_network()], [node(1), node(2, internal_ips=node(1).internal_ips)], Settings())
    assert [str(error) for error in managed.errors] == [
        "network default, node node2: InternalIP 172.18.0.2 is also node node1's"
    ]
    assert addresses(managed) == ["172.18.0.2"]


def test_node_without_address() -> None:
    managed = managed_of([default_network()], [node(1, internal_ips=()), node(2)], Settings())
    assert [str(note) for note in managed.notes] == [
        "network default, node node1: waiting for an InternalIP in status.addresses"
    ]
    assert addresses(managed) == ["172.18.0.3"]


@pytest.mark.parametrize(
    ("changes", "router_id"),
    [
        ({}, "100.64.0.2"),
        ({"node_id": None}, ""),
        ({"node_id": 1 << 20}, ""),
        ({"internal_ips": (ip_address("172.18.0.2"), ip_address("fc00::2"))}, None),
    ],
)
def test_router_id_of_a_node_without_ipv4(changes: dict[str, Any], router_id: str | None) -> None:
    managed = managed_of([default_network()], [node(1, v4=False, v6=True, **changes)], Settings())
    assert managed.router_ids == ({"node1": router_id} if router_id else {})
    text = "a node without IPv4 address has a BGP router id only with k8s.ovn.org/node-id in the join subnet"
    assert [note.text for note in managed.notes] == ([text] if router_id == "" else [])
