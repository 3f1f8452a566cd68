"""Addresses, MACs and keys: the examples of OKEP-5094 and properties over all ids."""

from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovnguard.validators.network.addresses import addressing
from ovnguard.validators.network.addresses.addressing import AddressError, MasqueradePair, SubnetAddresses, TransitPair

node_ids = st.integers(addressing.MIN_NODE_ID, addressing.MAX_NODE_ID)


@pytest.mark.parametrize(
    ("address", "mac"),
    [
        ("203.203.0.1", "0a:58:cb:cb:00:01"),
        ("100.65.0.2", "0a:58:64:41:00:02"),
        ("2010:100:200::1", "0a:58:d7:eb:90:5e"),
        ("fd99::2", "0a:58:4d:58:9e:f6"),
        ("fd97::4", "0a:58:2b:22:eb:86"),
    ],
)
def test_mac_of_address(address: str, mac: str) -> None:
    assert addressing.mac_of(ip_address(address)) == mac


@pytest.mark.parametrize(
    ("subnet", "node_id", "router", "gateway"),
    [
        ("100.88.0.0/16", 2, "100.88.0.4/31", "100.88.0.5/31"),
        ("100.88.0.0/16", 5, "100.88.0.10/31", "100.88.0.11/31"),
        ("100.88.0.0/16", 32767, "100.88.255.254/31", "100.88.255.255/31"),
        ("fd97::/64", 3, "fd97::6/127", "fd97::7/127"),
        ("fd97::/64", 5, "fd97::a/127", "fd97::b/127"),
    ],
)
def test_transit_pair(subnet: str, node_id: int, router: str, gateway: str) -> None:
    pair = addressing.transit_pair(ip_network(subnet), node_id)
    assert isinstance(pair, TransitPair)
    assert (str(pair.router), str(pair.gateway)) == (router, gateway)


@pytest.mark.parametrize(
    ("subnet", "node_id", "text"),
    [
        ("100.88.0.0/29", 4, "generated ip 100.88.0.8 from the idx 8 is out of range in the network 100.88.0.0/29"),
        ("100.88.0.0/32", 2, "generated ip 100.88.0.4 from the idx 4 is out of range in the network 100.88.0.0/32"),
        ("fd97::/126", 2, "generated ip fd97::4 from the idx 4 is out of range in the network fd97::/126"),
        (
            "255.255.255.252/30",
            2,
            "generated ip beyond the last one from the idx 4 is out of range in the network 255.255.255.252/30",
        ),
    ],
)
def test_transit_pair_out_of_range(subnet: str, node_id: int, text: str) -> None:
    assert addressing.transit_pair(ip_network(subnet), node_id) == AddressError(text)


def test_join_address() -> None:
    assert str(addressing.join_address(ip_network("100.65.0.0/16"), 2)) == "100.65.0.2/16"
    assert str(addressing.join_address(ip_network("fd99::/64"), 5000)) == "fd99::1388/64"
    assert addressing.join_address(ip_network("100.65.0.0/30"), 4) == AddressError(
        "generated ip 100.65.0.4 from the idx 4 is out of range in the network 100.65.0.0/30"
    )


@pytest.mark.parametrize(
    ("network_id", "gateway", "management"), [(1, 11, 12), (2, 13, 14), (6, 21, 22), (4095, 8199, 8200)]
)
def test_masquerade_pair(network_id: int, gateway: int, management: int) -> None:
    subnet = ip_network("169.254.0.0/17")
    pair = addressing.masquerade_pair(subnet, network_id)
    assert isinstance(pair, MasqueradePair)
    assert pair.gateway_router.ip == subnet.network_address + gateway
    assert pair.management_port.ip == subnet.network_address + management
    assert {pair.gateway_router.network, pair.management_port.network} == {subnet}


def test_masquerade_pair_errors() -> None:
    assert addressing.masquerade_pair(ip_network("169.254.0.0/17"), 0) == AddressError(
        "invalid argument: network ID should be bigger that 0"
    )
    assert addressing.masquerade_pair(ip_network("169.254.169.0/29"), 1) == AddressError(
        "generated ip 169.254.169.11 from the idx 11 is out of range in the network 169.254.169.0/29"
    )


@pytest.mark.parametrize(
    ("subnet", "gateways", "infrastructure", "expected"),
    [
        ("203.203.0.0/16", [], [], ("203.203.0.1/16", "203.203.0.2/16")),
        ("2010:100:200::/60", [], [], ("2010:100:200::1/60", "2010:100:200::2/60")),
        ("203.203.0.0/16", ["203.203.0.2"], [], ("203.203.0.2/16", "203.203.0.1/16")),
        ("203.203.0.0/16", ["203.203.0.100"], [], ("203.203.0.100/16", "203.203.0.2/16")),
        ("203.203.0.0/16", ["fd00::9", "203.203.0.100"], [], ("203.203.0.100/16", "203.203.0.2/16")),
        ("203.203.0.0/16", [], ["203.203.9.0/30"], ("203.203.9.0/16", "203.203.9.1/16")),
        ("203.203.0.0/16", [], ["203.203.0.0/30", "fd00::/64"], ("203.203.0.1/16", "203.203.0.2/16")),
        ("203.203.0.0/16", ["203.203.9.1"], ["203.203.9.0/30"], ("203.203.9.1/16", "203.203.9.0/16")),
        ("203.203.0.0/16", [], ["203.203.9.7/32", "203.203.9.9/32"], ("203.203.9.7/16", "203.203.9.9/16")),
        ("192.0.2.0/30", [], [], ("192.0.2.1/30", "192.0.2.2/30")),
        ("fd00::/127", ["fd00::"], [], ("fd00::/127", "fd00::1/127")),
    ],
)
def test_gateway_and_management_address(
    subnet: str, gateways: list[str], infrastructure: list[str], expected: tuple[str, str]
) -> None:
    found = addressing.subnet_addresses(
        ip_network(subnet), [ip_address(ip) for ip in gateways], [ip_network(net) for net in infrastructure]
    )
    assert isinstance(found, SubnetAddresses)
    assert (str(found.gateway), str(found.management)) == expected


@pytest.mark.parametrize(
    ("subnet", "infrastructure", "where"),
    [
        ("192.0.2.0/31", [], "192.0.2.0/31"),
        ("192.0.2.7/32", [], "192.0.2.7/32"),
        ("fd00::/127", [], "fd00::/127"),
        ("203.203.0.0/16", ["203.203.9.7/32"], "203.203.9.7/32"),
    ],
)
def test_no_room_for_gateway_and_management(subnet: str, infrastructure: list[str], where: str) -> None:
    found = addressing.subnet_addresses(ip_network(subnet), (), [ip_network(net) for net in infrastructure])
    assert found == AddressError(f"no free address for the gateway and the management port of {subnet} in {where}")


@pytest.mark.parametrize(
    ("subnet", "max_node_id", "holds"),
    [("100.88.0.0/18", 5000, True), ("100.88.0.0/19", 5000, False), ("fd97::/114", 5000, True)],
)
def test_transit_capacity(subnet: str, max_node_id: int, holds: bool) -> None:
    assert addressing.transit_holds(ip_network(subnet), max_node_id) is holds


@given(prefix=st.integers(8, 32), node_id=st.integers(0, 5000))
def test_subnet_holds_exactly_the_nodes_that_get_an_address(prefix: int, node_id: int) -> None:
    subnet = ip_network(("10.0.0.0", prefix))
    fits = {
        addressing.transit_holds(subnet, node_id): addressing.transit_pair(subnet, node_id),
        addressing.join_holds(subnet, node_id): addressing.join_address(subnet, node_id),
    }
    for holds, answer in fits.items():
        assert holds is not isinstance(answer, AddressError)
    if node_id:
        pair = addressing.masquerade_pair(subnet, node_id)
        assert addressing.masquerade_holds(subnet, node_id) is not isinstance(pair, AddressError)
        assert (node_id <= addressing.last_masquerade_id(subnet)) is addressing.masquerade_holds(subnet, node_id)


@given(first=node_ids, second=node_ids)
def test_pairs_of_different_nodes_share_nothing(first: int, second: int) -> None:
    one = addressing.transit_pair(ip_network("100.88.0.0/16"), first)
    other = addressing.transit_pair(ip_network("100.88.0.0/16"), second)
    assert isinstance(one, TransitPair)
    assert isinstance(other, TransitPair)
    assert one.router.network == one.gateway.network
    assert (one.router.network == other.router.network) is (first == second)


def test_tunnel_keys() -> None:
    assert addressing.switch_tunnel_key(0) == 16711683
    assert addressing.switch_tunnel_key(4095) == 16715778
    assert addressing.FIRST_DYNAMIC_TUNNEL_KEY == 16715779
    assert addressing.MAX_TUNNEL_KEY == 16777215
    assert addressing.MAX_TUNNEL_KEY - addressing.FIRST_DYNAMIC_TUNNEL_KEY + 1 == 61437
    assert addressing.gateway_port_key(2) == 12


@pytest.mark.parametrize("network_id", [-1, 4096])
def test_tunnel_key_of_no_network(network_id: int) -> None:
    with pytest.raises(ValueError, match=f"network id {network_id} is not one of 0 to 4095"):
        addressing.switch_tunnel_key(network_id)


def test_negative_index_is_a_broken_call() -> None:
    with pytest.raises(ValueError, match="negative index -1"):
        addressing.nth_address(ip_network("10.0.0.0/8"), -1)
