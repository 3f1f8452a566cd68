"""The configuration of CoreDNS on the nodes."""

from dataclasses import replace
from ipaddress import ip_address

import pytest

from ovnguard.reconciler.dns.plan.corefile import (
    Corefile,
    CorefileInput,
    NodeAddress,
    addresses_in,
    corefile,
    node_addresses,
)
from ovnguard.reconciler.dns.plan.problems import Problem, Reason
from ovnguard.reconciler.dns.plan.served_names import Dialect
from ovnguard.reconciler.dns.plan.upstreams import Upstream
from ovnguard.validators.network.declared.node import Node

DOMAIN = "c1.example.com"
BASE = CorefileInput(DOMAIN, Dialect.PROPOSED, (Upstream(ip_address("10.0.0.2")), Upstream(ip_address("fd00::2"))))

WHOLE = """\
. {
    errors
    bufsize 512
    health :18080
    forward . 10.0.0.2 fd00::2 {
        policy sequential
    }
    cache 30
    reload
    template IN A c1.example.com {
        match ^.*[.]apps[.]c1[.]example[.]com[.]$
        answer "{{ .Name }} 60 in {{ .Type }} 10.0.0.5"
        fallthrough
    }
    template IN AAAA c1.example.com {
        match ^.*[.]apps[.]c1[.]example[.]com[.]$
        fallthrough
    }
    hosts {
        10.0.1.1 worker-a worker-a.c1.example.com
        fd01::1 worker-a worker-a.c1.example.com
        fallthrough
    }
}
"""


def ips(*texts):
    return tuple(map(ip_address, texts))


def blocks(wanted):
    """(record type, pattern, answered addresses) of every template block, in order."""
    found: list[tuple[str, str, list[str]]] = []
    for line in corefile(wanted).text.splitlines():
        words = line.split()
        if words[0] == "template":
            found.append((words[2], "", []))
        elif words[0] == "match":
            found[-1] = (found[-1][0], words[1], found[-1][2])
        elif words[0] == "answer":
            found[-1][2].append(words[-1].rstrip('"'))
    return found


APPS = "^.*[.]apps[.]c1[.]example[.]com[.]$"
API = "^api[.]c1[.]example[.]com[.]$"
API_INT = "^api-int[.]c1[.]example[.]com[.]$"


def test_the_whole_file():
    nodes = (NodeAddress("worker-a", ip_address("fd01::1")), NodeAddress("worker-a", ip_address("10.0.1.1")))
    assert corefile(replace(BASE, ingress=ips("10.0.0.5"), nodes=nodes)) == Corefile(WHOLE)


def test_the_proposed_api_answers_with_every_address_in_an_order_of_its_own():
    one = replace(BASE, ingress=ips("fd00::6", "10.0.0.10", "10.0.0.9", "10.0.0.9"))
    other = replace(BASE, ingress=ips("10.0.0.9", "fd00::6", "10.0.0.10"))
    assert blocks(one) == [("A", APPS, ["10.0.0.9", "10.0.0.10"]), ("AAAA", APPS, ["fd00::6"])]
    assert corefile(one) == corefile(other)


def test_the_proposed_api_leaves_the_api_server_to_the_user():
    wanted = replace(BASE, ingress=ips("10.0.0.5"), api=ips("10.0.0.6"), api_int=ips("10.0.0.7"))
    assert blocks(wanted) == [("A", APPS, ["10.0.0.5"]), ("AAAA", APPS, [])]


def test_the_released_api_answers_with_the_first_address_of_each_family():
    wanted = replace(
        BASE,
        dialect=Dialect.RELEASED,
        ingress=ips("10.0.0.6", "10.0.0.5", "fd00::5"),
        api=ips("10.0.0.7"),
        api_int=ips("10.0.0.8"),
    )
    assert blocks(wanted) == [
        ("A", APPS, ["10.0.0.6"]),
        ("AAAA", APPS, ["fd00::5"]),
        ("A", API, ["10.0.0.7"]),
        ("AAAA", API, []),
        ("A", API_INT, ["10.0.0.8"]),
        ("AAAA", API_INT, []),
    ]


def test_the_family_of_api_int_comes_first_in_the_released_api():
    wanted = replace(BASE, dialect=Dialect.RELEASED, ingress=ips("10.0.0.5", "fd00::5"), api_int=ips("fd00::8"))
    assert [(kind, pattern) for kind, pattern, _ in blocks(wanted)] == [
        ("AAAA", APPS),
        ("A", APPS),
        ("AAAA", API_INT),
        ("A", API_INT),
    ]


@pytest.mark.parametrize("dialect", Dialect)
def test_a_name_without_address_is_forwarded(dialect):
    assert blocks(replace(BASE, dialect=dialect)) == []


@pytest.mark.parametrize(
    "domain", ["", "c1..example.com", "C1.example.com", 'a" 60 in A 6.6.6.6', "c1.example.com }\n", "a." * 124 + "b"]
)
def test_an_invalid_domain_yields_no_text(domain):
    problem = Problem(Reason.INVALID_NAME, "spec.baseDomain", "is not a DNS name in lower case")
    assert corefile(replace(BASE, base_domain=domain)) == Corefile("", (problem,))


def test_without_upstream_there_is_no_text():
    problem = Problem(Reason.NO_UPSTREAM, "resolv.conf", "No upstream DNS servers found")
    assert corefile(replace(BASE, upstreams=())) == Corefile("", (problem,))


def test_coredns_takes_at_most_15_upstreams():
    many = tuple(Upstream(ip_address(f"10.0.0.{number}")) for number in range(1, 21))
    forward = next(line for line in corefile(replace(BASE, upstreams=many)).text.splitlines() if "forward" in line)
    assert forward.split()[2:-1] == [f"10.0.0.{number}" for number in range(1, 16)]


def test_nodes_by_name_with_both_families():
    nodes = [Node("b", internal_ips=ips("10.0.1.2", "fd01::2")), Node("a", internal_ips=ips("10.0.1.1")), Node("c")]
    assert node_addresses(nodes) == (
        NodeAddress("a", ip_address("10.0.1.1")),
        NodeAddress("b", ip_address("10.0.1.2")),
        NodeAddress("b", ip_address("fd01::2")),
    )


@pytest.mark.parametrize("dialect", Dialect)
def test_addresses_are_read_back(dialect):
    wanted = replace(
        BASE,
        dialect=dialect,
        ingress=ips("10.0.0.6", "10.0.0.5", "fd00::5"),
        api=ips("10.0.0.7"),
        api_int=ips("fd00::8", "10.0.0.8"),
        nodes=(NodeAddress("worker-a", ip_address("10.0.1.1")),),
    )
    expected = {
        Dialect.PROPOSED: {"*.apps": ("10.0.0.5", "10.0.0.6", "fd00::5")},
        Dialect.RELEASED: {"*.apps": ("fd00::5", "10.0.0.6"), "api": ("10.0.0.7",), "api-int": ("fd00::8", "10.0.0.8")},
    }
    assert addresses_in(corefile(wanted).text, DOMAIN) == expected[dialect]


@pytest.mark.parametrize("text", ["", "answer", 'match x\nanswer "a b"', "\x00{{", WHOLE.replace("c1", "c2")])
def test_nothing_is_read_out_of_other_texts(text):
    assert addresses_in(text, DOMAIN) == {}
