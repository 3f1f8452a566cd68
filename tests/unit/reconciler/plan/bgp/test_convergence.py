"""What is missing is named, with the first broken link: session, prefix, next hop, zebra."""

from dataclasses import replace
from ipaddress import ip_address, ip_network

import pytest

from ovnguard.reconciler.plan.bgp.convergence import compare
from ovnguard.reconciler.plan.bgp.observed_bgp import ObservedBgp, Peer, PeerDetail
from ovnguard.reconciler.plan.bgp.wanted_routes import Session, WantedRoute

TWO, THREE = Session("10.0.0.2"), Session("10.0.0.3")
A, B = ip_network("10.128.4.0/23"), ip_network("10.128.6.0/23")
ROUTES = (
    WantedRoute("default", A, "node2", (ip_address("10.0.0.2"),)),
    WantedRoute("default", B, "node3", (ip_address("10.0.0.3"),)),
)
UP = Peer("Established", 60.0, 1)
COMPLETE = ObservedBgp({TWO: UP, THREE: UP}, valid=frozenset((A, B)), kernel=frozenset((A, B)))
ONE = replace(COMPLETE, valid=frozenset((A,)), kernel=frozenset((A,)))


def texts(observed: ObservedBgp, sessions=(TWO, THREE), **rest) -> list[str]:
    found = compare(sessions, ROUTES, observed, **rest)
    return [str(each) for each in (*found.missing_sessions, *found.missing_routes)]


def test_nothing_is_missing():
    found = compare((TWO, THREE), ROUTES, COMPLETE)
    assert (found.is_complete, found.sessions, found.established, found.routes) == (True, 2, 2, 2)


def test_more_than_wanted_is_no_matter():
    assert texts(replace(COMPLETE, peers={**COMPLETE.peers, Session("9.9.9.9"): Peer("Idle")})) == []


def test_a_session_that_is_not_established():
    observed = replace(ONE, peers={TWO: UP, THREE: Peer("Active")}, details={THREE: PeerDetail("No route to host")})
    since = "session with 10.0.0.3 is Active for 40 s: No route to host"
    assert texts(observed, down={THREE: 40.2}) == [since, f"10.128.6.0/23 of node node3: {since}"]
    found = compare((TWO, THREE), ROUTES, observed)
    assert (found.is_complete, found.established) == (False, 1)
    assert list(found.by_network()) == ["default"]


def test_a_session_that_bgpd_does_not_know():
    text = "session with 10.0.0.3 is missing: bgpd has no such neighbour"
    assert texts(replace(ONE, peers={TWO: UP})) == [text, f"10.128.6.0/23 of node node3: {text}"]


@pytest.mark.parametrize(
    ("observed", "cause"),
    [
        (ONE, "10.0.0.3 does not advertise it"),
        (
            replace(ONE, details={THREE: PeerDetail("", 3, "10.0.0.3-in")}),
            "10.0.0.3 does not advertise it, or route map 10.0.0.3-in refuses it: 3 prefixes were refused",
        ),
        (replace(ONE, unusable={B: "10.0.0.3"}), "bgpd has it, but cannot reach its next hop 10.0.0.3"),
        (replace(COMPLETE, kernel=ONE.kernel), "bgpd has it, but the kernel does not: zebra has not installed it"),
        (
            replace(COMPLETE, kernel=ONE.kernel, has_zebra=False),
            "bgpd has it, but the kernel does not: zebra does not run",
        ),
    ],
)
def test_the_first_broken_link_is_the_cause(observed: ObservedBgp, cause: str):
    assert texts(observed) == [f"10.128.6.0/23 of node node3: {cause}"]


def test_without_a_session_of_its_own_a_prefix_comes_through_any_other():
    reflectors = Session("10.0.0.8"), Session("10.0.0.9")
    empty = ObservedBgp({reflectors[0]: UP, reflectors[1]: UP})
    assert texts(empty, reflectors)[0] == ("10.128.4.0/23 of node node2: 10.0.0.8 and 1 more peers do not advertise it")
    down = ObservedBgp({reflectors[0]: Peer("Idle"), reflectors[1]: Peer("Active")})
    assert texts(down, reflectors)[2] == "10.128.4.0/23 of node node2: none of the 2 sessions is Established"
    assert texts(empty, ())[0] == "10.128.4.0/23 of node node2: this node has no session at all"
