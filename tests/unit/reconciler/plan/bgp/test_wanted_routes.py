"""A node must have the sessions of its frr.conf, and learn the pod subnets of all other nodes."""

from ipaddress import ip_address, ip_network

from ovnguard.reconciler.plan.bgp.wanted_routes import Session, WantedRoute, wanted_routes, wanted_sessions
from ovnguard.validators.network.model import NoOverlay, Routing, Transport
from tests.support.plan_samples import DUAL_DEFAULT, default_network, layer3, nodes, sharing

CONF = """\
router bgp 64512
  neighbor RR peer-group
  neighbor RR remote-as 64512
  neighbor 10.0.0.3 remote-as 64512
  neighbor 10.0.0.3 timers 3 9
  neighbor 10.0.0.4 peer-group RR
  neighbor eth1 interface remote-as external
  address-family ipv4 unicast
    neighbor 10.0.0.3 activate
  exit-address-family
router bgp 64512 vrf red
  neighbor fd00::3 remote-as internal
"""


def test_sessions_are_the_neighbours_of_every_router():
    assert wanted_sessions(CONF) == (
        Session("10.0.0.3"),
        Session("10.0.0.4"),
        Session("eth1"),
        Session("fd00::3", "red"),
    )
    assert str(Session("fd00::3", "red")) == "fd00::3 in VRF red"
    assert wanted_sessions("") == ()


def test_routes_are_the_subnets_of_the_other_nodes():
    assert wanted_routes([default_network()], nodes(3), "node1") == (
        WantedRoute("default", ip_network("10.128.4.0/23"), "node2", (ip_address("172.18.0.3"),)),
        WantedRoute("default", ip_network("10.128.6.0/23"), "node3", (ip_address("172.18.0.4"),)),
    )


def test_both_families_of_a_node_come_by_sessions_of_their_own():
    routes = wanted_routes([DUAL_DEFAULT], nodes(2, v6=True), "node1")
    assert [(str(each.prefix), str(each.addresses[0])) for each in routes] == [
        ("10.128.4.0/23", "172.18.0.3"),
        ("fd01:0:0:2::/64", "fc00::3"),
    ]


def test_networks_with_an_overlay_have_no_routes():
    blue = layer3("cluster_udn_blue")
    bare = layer3(
        "cluster_udn_bare", transport=Transport.NO_OVERLAY, no_overlay=NoOverlay(True, routing=Routing.UNMANAGED)
    )
    routes = wanted_routes([blue, bare], sharing(nodes(2), blue, bare), "node1")
    assert [(each.network, str(each.prefix)) for each in routes] == [("cluster_udn_bare", "10.20.3.0/24")]


def test_a_subnet_that_is_not_the_networks_is_not_wanted():
    stranger = default_network()
    other = [each._replace(host_subnets={"default": (ip_network("10.1.0.0/23"),)}) for each in nodes(2)]
    assert wanted_routes([stranger], other, "node1") == ()
    assert wanted_routes([stranger], nodes(2), "node1") != ()
