"""What lookups make of the answers of a real DNS server."""

import socket
import time
from ipaddress import ip_address

import pytest
from dns.rcode import Rcode

from ovnguard.reconciler.dns.apply.lookup import Answer, Question, look_up, served_addresses
from tests.support.dns.authority import Authority, Name

pytestmark = pytest.mark.timing
LB = "lb.example.com"
V4, V6 = Question(LB, 4), Question(LB, 6)


@pytest.fixture(scope="module")
def running():
    with Authority() as authority:
        yield authority


@pytest.fixture
def authority(running):
    running.names.clear()
    running.asked.clear()
    return running


def at(*authorities):
    return [(ip_address(each.host), each.port) for each in authorities]


def ips(*texts):
    return tuple(map(ip_address, texts))


def test_both_families_in_order_with_their_ttl(authority):
    authority.names[LB] = Name(a=["10.0.0.9", "10.0.0.10"], aaaa=["2001:db8::2", "2001:db8::1"], ttl=20)
    assert look_up([V4, V6], at(authority)) == {
        V4: Answer(ips("10.0.0.9", "10.0.0.10"), 20),
        V6: Answer(ips("2001:db8::1", "2001:db8::2"), 20),
    }


def test_alias_with_the_shortest_ttl_of_the_way(authority):
    authority.names |= {LB: Name(alias="b.example.net", ttl=7), "b.example.net": Name(a=["10.0.0.1"], ttl=300)}
    assert look_up([V4], at(authority)) == {V4: Answer(ips("10.0.0.1"), 7)}


def test_name_without_addresses_of_a_family_is_no_failure(authority):
    authority.names[LB] = Name(aaaa=["2001:db8::1"])
    assert look_up([V4, V6], at(authority)) == {V4: Answer(), V6: Answer(ips("2001:db8::1"), 60)}


def test_failure_of_one_family_leaves_the_other(authority):
    authority.names[LB] = Name(a=["10.0.0.1"], rcodes={"AAAA": Rcode.SERVFAIL})
    assert look_up([V4, V6], at(authority)) == {
        V4: Answer(ips("10.0.0.1"), 60),
        V6: Answer(problem=f"127.0.0.1@{authority.port}: SERVFAIL"),
    }


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        (None, "NXDOMAIN"),
        (Name(rcode=Rcode.NXDOMAIN), "NXDOMAIN"),
        (Name(rcode=Rcode.SERVFAIL), "127.0.0.1@{port}: SERVFAIL"),
        (Name(rcode=Rcode.REFUSED), "127.0.0.1@{port}: REFUSED"),
    ],
)
def test_names_without_an_answer(authority, name, problem):
    if name is not None:
        authority.names[LB] = name
    assert look_up([V4], at(authority)) == {V4: Answer(problem=problem.format(port=authority.port))}


def test_thousand_addresses_come_over_tcp(authority):
    many = [f"10.1.{index // 250}.{index % 250 + 1}" for index in range(1000)]
    authority.names[LB] = Name(a=many)
    found = look_up([V4], at(authority))[V4]
    assert len(found.addresses) == 1000
    assert [transport for _, _, transport in authority.asked] == ["udp", "tcp"]


def test_answer_with_more_addresses_than_a_load_balancer_has_is_not_read(authority):
    many = [f"10.1.{index // 250}.{index % 250 + 1}" for index in range(1001)]
    authority.names[LB] = Name(a=many, aaaa=["2001:db8::1"])
    assert look_up([V4, V6], at(authority)) == {
        V4: Answer(problem="1001 addresses, more than 1000"),
        V6: Answer(ips("2001:db8::1"), 60),
    }


def test_slow_server_ends_every_question_at_the_same_time(authority):
    names = [f"lb{index}.example.com" for index in range(16)]
    authority.names |= {name: Name(a=["10.0.0.1"], delay=30) for name in names}
    started = time.monotonic()
    found = look_up([Question(name, version) for name in names for version in (4, 6)], at(authority), lifetime=0.3)
    assert set(found.values()) == {Answer(problem="no answer within 0.3 s")}
    assert len(found) == 32
    assert time.monotonic() - started < 5


def test_next_server_is_asked_when_one_fails(authority):
    with Authority("127.0.0.2") as other:
        authority.names[LB], other.names[LB] = Name(rcode=Rcode.SERVFAIL), Name(a=["10.0.0.2"])
        assert look_up([V4], at(authority, other))[V4].addresses == ips("10.0.0.2")


def test_two_servers_that_refuse_are_both_named(authority):
    with Authority("127.0.0.2") as other:
        authority.names[LB], other.names[LB] = Name(rcode=Rcode.SERVFAIL), Name(rcode=Rcode.REFUSED)
        problem = look_up([V4], at(authority, other))[V4].problem
        assert problem == f"127.0.0.1@{authority.port}: SERVFAIL; 127.0.0.2@{other.port}: REFUSED"


def test_port_that_nobody_serves():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        found = look_up([V4], [(ip_address("127.0.0.1"), taken.getsockname()[1])], lifetime=0.3)
    assert found == {V4: Answer(problem="no answer within 0.3 s")}


def test_loop_of_aliases_ends(authority):
    authority.names |= {LB: Name(alias="b.example.net"), "b.example.net": Name(alias=LB)}
    assert look_up([V4], at(authority))[V4].addresses == ()


@pytest.mark.parametrize("name", ["a" * 64 + ".example.com", "a..b", "."])
def test_text_that_is_no_name(authority, name):
    found = look_up([Question(name, 4)], at(authority))[Question(name, 4)]
    assert found.addresses == ()
    assert authority.asked == [] or name == "."


def test_without_servers_or_questions(authority):
    assert look_up([V4], []) == {V4: Answer(problem="no DNS server to ask")}
    assert look_up([], at(authority)) == {}


def test_addresses_that_a_server_answers_with(authority):
    authority.names["ovnguard-check.apps.c1.example.com"] = Name(a=["10.0.0.5"], aaaa=["2001:db8::5"])
    (server,) = at(authority)
    assert served_addresses(server, "c1.example.com") == {"10.0.0.5", "2001:db8::5"}
    assert served_addresses(server, "c2.example.com") == frozenset()
