"""What is given out: what is recorded stays, nothing is given twice, and running out is told with its numbers."""

from dataclasses import replace
from ipaddress import ip_address, ip_interface, ip_network
from typing import Any

import pytest

from ovnguard.reconciler.plan.numbers.host_subnets import host_subnets
from ovnguard.reconciler.plan.numbers.node_ids import free_key, node_ids, router_port_keys
from ovnguard.reconciler.plan.numbers.pod_addresses import PodAddresses, Pool, layer2_pools, layer3_pools, room
from ovnguard.validators.network.addresses.addressing import AddressError, mac_of
from ovnguard.validators.network.model import Network, Role, Subnet
from tests.support.plan_samples import default_network, layer3, node, nodes, udn
from tests.support.plan_scenarios import LAYER2, LAYER3_BOTH, generations
from tests.support.pod_placing import place_pod


def fresh(count: int) -> tuple:
    return tuple(each._replace(node_id=None, host_subnets={}) for each in nodes(count))


def test_node_ids_follow_the_highest_and_recorded_ones_stay() -> None:
    members = (node(1, node_id=7), node(2, node_id=None), node(3, node_id=7), node(4, node_id=3))
    assert node_ids(members).numbers == {"node1": 7, "node4": 3, "node2": 8, "node3": 9}
    assert node_ids(fresh(2)).numbers == {"node1": 2, "node2": 3}


def test_node_ids_wrap_around_and_run_out() -> None:
    members = (node(1, node_id=5), *fresh(5)[1:])
    given = node_ids(members, last=5)
    assert given.numbers == {"node1": 5, "node2": 2, "node3": 3, "node4": 4}
    assert [str(error) for error in given.errors] == ["node node5: no node id left: all 4 of 2 to 5 are in use"]


def test_router_port_keys_share_the_space_of_pods() -> None:
    old = generations("oon")
    given = router_port_keys(LAYER2, (*old, node(4)._replace(node_id=5)), [102, 200])
    assert given.numbers == {"node2": 103, "node3": 104, "node1": 201, "node4": 202}
    assert router_port_keys(LAYER2, generations("nn"), []).numbers == {}
    assert router_port_keys(LAYER2._replace(role=Role.SECONDARY), old, []).numbers == {}
    full = router_port_keys(LAYER2, (old[0], node(4)), range(10, 32768))
    text = "no port key left: all 32758 of 10 to 32767 are in use"
    assert [str(error) for error in full.errors] == [
        f"network {LAYER2.name}, node node1: {text}",
        f"network {LAYER2.name}, node node4: {text}",
    ]
    assert free_key(range(10, 32767)) == 32767
    assert free_key([32767]) == 10


def test_host_subnets_come_in_order_and_recorded_ones_stay() -> None:
    name = LAYER3_BOTH.name
    taken = (ip_network("10.20.1.0/24"), ip_network("fd20:0:0:1::/64"))
    members = (
        fresh(4)[0]._replace(host_subnets={name: taken}),
        fresh(4)[1]._replace(host_subnets={name: taken[:1]}),
        fresh(4)[2]._replace(host_subnets={name: (ip_network("192.0.2.0/24"),)}),
        fresh(4)[3],
    )
    given = host_subnets(LAYER3_BOTH, members).subnets
    assert {each: [str(net) for net in nets] for each, nets in given.items()} == {
        "node1": ["10.20.1.0/24", "fd20:0:0:1::/64"],
        "node2": ["10.20.0.0/24", "fd20::/64"],
        "node3": ["10.20.2.0/24", "fd20:0:0:2::/64"],
        "node4": ["10.20.3.0/24", "fd20:0:0:3::/64"],
    }


def test_host_subnets_run_out_and_a_further_subnet_helps() -> None:
    small = layer3("a_b", Subnet(ip_network("10.20.0.0/23"), 24))
    given = host_subnets(small, fresh(3))
    text = "no IPv4 subnet left for the node: all 2 of 10.20.0.0/23 (length 24) are in use"
    assert [str(error) for error in given.errors] == [f"network a_b, node node3: {text}"]
    assert list(given.subnets) == ["node1", "node2"]
    wider = small._replace(subnets=(*small.subnets, Subnet(ip_network("10.40.0.0/24"), 24)))
    assert [str(net) for net in host_subnets(wider, fresh(3)).subnets["node3"]] == ["10.40.0.0/24"]
    halves = layer3("a_b", Subnet(ip_network("10.20.0.0/23"), 24), Subnet(ip_network("fd20::/64"), 64))
    assert host_subnets(halves, fresh(2)).subnets.keys() == {"node1"}


def pools(network: Network) -> tuple[Pool, ...]:
    found = layer2_pools(network)
    assert not isinstance(found, AddressError)
    return found


def test_pods_of_a_layer2_network_get_addresses_mac_and_key() -> None:
    first = place_pod(pools(LAYER2), [], keys=[102, 103])
    assert first == PodAddresses(
        (ip_interface("203.203.0.3/16"), ip_interface("2010:100:200::3/60")), "0a:58:cb:cb:00:03", 104
    )
    second = place_pod(pools(LAYER2), [first], keys=[102, 103])
    assert isinstance(second, PodAddresses)
    assert [str(each.ip) for each in second.addresses] == ["203.203.0.4", "2010:100:200::4"]
    assert (second.mac, second.key) == ("0a:58:cb:cb:00:04", 105)
    assert place_pod(pools(LAYER2), []) == replace(first, key=None)


def test_secondary_networks_keep_nothing() -> None:
    side = udn("a_b", role=Role.SECONDARY)
    first = place_pod(pools(side), [])
    assert isinstance(first, PodAddresses)
    assert str(first.addresses[0]) == "203.203.0.1/16"


GATEWAYS = (ip_address("10.128.2.5"), ip_address("10.9.9.9"))


@pytest.mark.parametrize(
    ("network", "changes", "address"),
    [
        (default_network(), {}, "10.128.2.3/23"),
        (default_network(has_hybrid_overlay=True), {}, "10.128.2.4/23"),
        (default_network(), {"is_in_hybrid_overlay": True}, "10.128.2.4/23"),
        (default_network(), {"is_in_hybrid_overlay": True, "hybrid_gateways": GATEWAYS[:1]}, "10.128.2.3/23"),
        (default_network(), {"is_in_hybrid_overlay": True, "hybrid_gateways": GATEWAYS[1:]}, "10.128.2.4/23"),
        (layer3(), {"is_in_hybrid_overlay": True}, "10.128.2.3/23"),
    ],
)
def test_the_fourth_address_is_hybrid_overlays_only_where_there_is_one(
    network: Network, changes: dict[str, Any], address: str
) -> None:
    shares = {network.name: (ip_network("10.128.2.0/23"),)}
    found = layer3_pools(network, node(1, host_subnets=shares, **changes))
    assert not isinstance(found, AddressError)
    place = place_pod(found, [])
    assert isinstance(place, PodAddresses)
    assert str(place.addresses[0]) == address


def test_a_recorded_gateway_of_hybrid_overlay_is_not_for_pods() -> None:
    network = default_network()
    shares = {network.name: (ip_network("10.128.2.0/23"),)}
    found = layer3_pools(network, node(1, host_subnets=shares, is_in_hybrid_overlay=True, hybrid_gateways=GATEWAYS[:1]))
    assert not isinstance(found, AddressError)
    text = "10.128.2.5 is not for pods"
    assert place_pod(found, [], wanted=[ip_address("10.128.2.5")]) == AddressError(text)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ("203.203.0.1", "203.203.0.1 is not for pods"),
        ("203.203.255.255", "203.203.255.255 is not for pods"),
        ("203.203.4.9", "203.203.4.9 is not for pods"),
        ("203.203.0.77", "203.203.0.77 is already held"),
        ("203.203.8.1", None),
    ],
)
def test_pods_may_ask_for_an_address(wanted: str, text: str | None) -> None:
    network = udn(
        "a_b", infrastructure_subnets=(ip_network("203.203.4.0/24"),), reserved_subnets=(ip_network("203.203.8.0/24"),)
    )
    held = PodAddresses((ip_interface("203.203.0.77/16"),), "0a:58:cb:cb:00:4d", 10)
    # with infrastructure subnets gateway and management port have their addresses there
    free = wanted == "203.203.0.1"
    place = place_pod(pools(network), [held], wanted=[ip_address(wanted)], keys=[])
    if free or text is None:
        assert isinstance(place, PodAddresses)
        assert str(place.addresses[0].ip) == wanted
    else:
        assert place == AddressError(text)


def test_addresses_run_out() -> None:
    small = udn("a_b", "192.0.2.0/29", reserved_subnets=(ip_network("192.0.2.6/32"),))
    held: list[PodAddresses] = []
    for _ in range(room(pools(small)[0])):
        place = place_pod(pools(small), held, keys=[])
        assert isinstance(place, PodAddresses)
        held.append(place)
    assert [str(place.addresses[0].ip) for place in held] == ["192.0.2.3", "192.0.2.4", "192.0.2.5"]
    text = "no IPv4 address left: all 3 of 192.0.2.0/29 for pods are in use"
    assert place_pod(pools(small), held, keys=[]) == AddressError(text)
    assert isinstance(place_pod(pools(small), held, wanted=[ip_address("192.0.2.6")], keys=[]), PodAddresses)
    bare = udn("a_b", subnets=(), role=Role.SECONDARY)
    text = "the network has no subnets: its pods must record their own addresses"
    assert place_pod(pools(bare), []) == AddressError(text)
    full = place_pod(pools(LAYER2), [], keys=range(10, 32768))
    assert full == AddressError("no port key left: all 32758 of 10 to 32767 are in use")
    tiny = udn("a_b", "192.0.2.0/31")
    text = "no free address for the gateway and the management port of 192.0.2.0/31 in 192.0.2.0/31"
    home = node(1, host_subnets={"a_b": (ip_network("192.0.2.0/31"),)})
    assert layer2_pools(tiny) == layer3_pools(tiny, home) == AddressError(text)


def test_a_mac_is_never_given_twice() -> None:
    pool = pools(udn("a_b", "2010:100:200::/60"))
    other = PodAddresses((ip_interface("2010:100:200::99/60"),), mac_of(ip_address("2010:100:200::3")), 10)
    place = place_pod(pool, [other], keys=[])
    assert isinstance(place, PodAddresses)
    assert str(place.addresses[0].ip) == "2010:100:200::4"
    wanted = ip_address("2010:100:200::3")
    text = f"the MAC of {wanted}, {mac_of(wanted)}, is already held"
    assert place_pod(pool, [other], wanted=[wanted], keys=[]) == AddressError(text)
