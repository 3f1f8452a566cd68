"""Nodes by what must be theirs alone, and what room networks have for one more."""

from ipaddress import ip_network

from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster.node_index import Room, highest_id, node_index, node_subnets, numbers_of, rooms
from ovnguard.validators.network.cluster_view import EmptyView, ObjectsView
from ovnguard.validators.network.declared.network_of import network_of
from ovnguard.validators.network.declared.node import CHASSIS_ID, NODE_ID, Node
from ovnguard.validators.network.model import Network
from tests.support.manifests.network_objects import layer2, layer3, node, operator


def network(*subnets: str) -> Network:
    found = network_of(layer3(*subnets)).network
    assert found is not None
    return found


def test_numbers_zones_and_subnets() -> None:
    view = ObjectsView(
        [
            node("a", 2, zone_name="z", node_chassis_id="ca", host_cidrs='["192.0.2.3/24"]'),
            node("b", 2, zone_name="z"),
            node("c"),
        ]
    )
    found = node_index(inventory_of(view))
    assert found.numbers == {(NODE_ID, 2): ("a", "b"), (CHASSIS_ID, "ca"): ("a",)}
    assert found.zones == {"z": ("a", "b")}
    assert list(found.hosts.overlapping(ip_network("192.0.0.0/16"))) == [(ip_network("192.0.2.0/24"), "a")]


def test_an_empty_view_has_no_nodes() -> None:
    view = EmptyView()
    found = node_index(inventory_of(view))
    assert (found.numbers, found.zones) == ({}, {})
    assert rooms(inventory_of(view)).shares.below(10**6) == []


def test_numbers_of_a_node() -> None:
    assert list(numbers_of(Node("a"))) == []
    assert list(numbers_of(Node("a", node_id=2, chassis_id="ca"))) == [(NODE_ID, 2), (CHASSIS_ID, "ca")]
    assert highest_id(Node("a", node_id=7), 3) == 7
    assert highest_id(Node("a"), 3) == 4


def test_node_subnets_of_the_tighter_family() -> None:
    assert node_subnets(network("10.40.0.0/16/24")) == 256
    assert node_subnets(network("10.40.0.0/16/24", "10.50.0.0/17/24")) == 384
    assert node_subnets(network("10.40.0.0/16/24", "fd40::/62/64")) == 4
    assert node_subnets(network()) is None


def test_what_is_below_a_number() -> None:
    room = Room([(5, "b"), (3, "c"), (5, "a")])
    assert room.below(3) == []
    assert room.below(4) == ["c"]
    assert room.below(6) == ["c", "a", "b"]


def test_rooms_of_networks() -> None:
    small = layer2("10.41.0.0/16", transit="100.88.0.0/28", joinSubnets=["100.70.0.0/29"])
    view = ObjectsView([operator({}), layer3("10.40.0.0/22/24"), small])
    found = rooms(inventory_of(view))
    assert found.shares.below(5) == ["cluster_udn_blue"]
    assert found.shares.below(513) == ["cluster_udn_blue", "default"]
    assert found.joins.below(7) == []
    assert found.joins.below(8) == ["cluster_udn_blue"]
    assert found.transits.below(7) == []
    assert found.transits.below(8) == ["cluster_udn_blue"]
