"""What bgpd and ip print becomes values; other shapes are refused, and texts of peers stay short and in one line."""

from ipaddress import ip_network

import pytest

from ovnguard.reconciler.plan.bgp import observed_bgp
from ovnguard.reconciler.plan.bgp.observed_bgp import Peer, PeerDetail, details_of, kernel_prefixes, paths_of, peers_of
from ovnguard.reconciler.plan.bgp.wanted_routes import Session
from ovnguard.validators.base.json_types import JsonObject

UP = {"state": "Established", "peerUptimeMsec": 4000, "connectionsEstablished": 1, "connectionsDropped": 0}
DOWN = {"state": "Active", "peerUptimeMsec": 0, "connectionsEstablished": 0, "connectionsDropped": 0}


def summary(**peers):
    return {"default": {"ipv4Unicast": {"as": 1, "peers": peers}, "ipv6Unicast": {"peers": {}}}, "red": {}}


def test_peers_have_state_and_age():
    found = peers_of(summary(a=UP, b=DOWN))
    assert found == {Session("a"): Peer("Established", 4.0, 1, 0), Session("b"): Peer("Active")}


def test_a_peer_of_two_families_is_as_good_as_the_worse():
    both = {"default": {"ipv4Unicast": {"peers": {"a": UP}}, "ipv6Unicast": {"peers": {"a": DOWN}}}}
    turned = {"default": {"ipv4Unicast": {"peers": {"a": DOWN}}, "ipv6Unicast": {"peers": {"a": UP}}}}
    assert peers_of(both) == peers_of(turned) == {Session("a"): Peer("Active")}


def test_a_peer_belongs_to_its_vrf():
    assert peers_of({"red": {"ipv4Unicast": {"peers": {"a": UP}}}}) == {Session("a", "red"): Peer("Established", 4, 1)}


def test_strange_values_of_a_peer_count_for_nothing():
    strange = {"state": ["Established"], "peerUptimeMsec": -5, "connectionsEstablished": True}
    assert peers_of(summary(a=strange)) == {Session("a"): Peer("")}


def test_texts_of_peers_are_short_and_in_one_line():
    value = {"default": {"a": {"lastResetDueTo": f"{'x' * 200}", "prefixStats": {"inboundFiltered": "9"}}}}
    assert details_of(value) == {Session("a"): PeerDetail("x" * 120)}
    value = {"default": {"a": {"lastNotificationReason": "OPEN\n\x1b[31mError", "lastResetDueTo": "other"}}}
    assert details_of(value) == {Session("a"): PeerDetail("OPEN  [31mError")}


def test_details_name_the_filter():
    family = {"ipv4Unicast": {"routeMapForIncomingAdvertisements": "a-in"}}
    value = {"default": {"vrfId": 0, "a": {"prefixStats": {"inboundFiltered": 2}, "addressFamilyInfo": family}}}
    assert details_of(value) == {Session("a"): PeerDetail("", 2, "a-in")}


def test_paths_are_usable_or_have_a_next_hop_that_is_not():
    routes = {
        "10.1.0.0/24": [{"valid": False}, {"valid": True}],
        "10.2.0.0/24": [{"nexthops": [{"ip": "10.0.0.3"}]}],
        "10.3.0.0/24": [],
    }
    valid, unusable = paths_of({"default": {"routes": routes}, "red": {"routes": {}}})
    assert valid == {ip_network("10.1.0.0/24")}
    assert unusable == {ip_network("10.2.0.0/24"): "10.0.0.3", ip_network("10.3.0.0/24"): ""}


def test_the_kernel_has_destinations():
    assert kernel_prefixes([{"dst": "10.1.0.0/24"}, {"dst": "default"}, {}]) == {ip_network("10.1.0.0/24")}
    assert kernel_prefixes(None) == frozenset()


@pytest.mark.parametrize(
    ("parse", "value"),
    [
        (peers_of, []),
        (peers_of, {"default": {"ipv4Unicast": {"peers": 5}}}),
        (details_of, "text"),
        (paths_of, {"default": {"routes": []}}),
        (paths_of, {"default": {"routes": {"no prefix": []}}}),
        (kernel_prefixes, {"dst": "10.1.0.0/24"}),
        (kernel_prefixes, [5]),
    ],
)
def test_another_shape_is_refused(parse, value):
    with pytest.raises((ValueError, TypeError)):
        parse(value)


def test_numbers_are_bounded(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(observed_bgp, "MAX_PEERS", 1)
    monkeypatch.setattr(observed_bgp, "MAX_PREFIXES", 1)
    routes: JsonObject = {"default": {"routes": {"10.1.0.0/24": [], "10.2.0.0/24": []}}}
    for parse, value in (
        (peers_of, summary(a=UP, b=UP)),
        (details_of, {"default": {"a": {}, "b": {}}}),
        (paths_of, routes),
        (kernel_prefixes, [{}, {}]),
    ):
        with pytest.raises(ValueError, match="more than 1"):
            parse(value)
