"""The DNS servers that CoreDNS asks."""

from ipaddress import ip_address

import pytest

from ovnguard.reconciler.dns.plan.upstreams import Upstream, upstream_of, upstreams_of


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("10.0.0.2", "10.0.0.2"),
        ("10.0.0.2:53", "10.0.0.2"),
        ("10.0.0.2:5353", "10.0.0.2:5353"),
        ("fd00::2", "fd00::2"),
        ("[fd00::2]:5353", "[fd00::2]:5353"),
        ("fe80::1%eth0", "fe80::1%eth0"),
    ],
)
def test_a_server_with_and_without_port(text, shown):
    assert str(upstream_of(text)) == shown


@pytest.mark.parametrize(
    "text",
    ["", "dns.example.com", "10.0.0.2:0", "10.0.0.2:65536", "10.0.0.256", "fe80::1%a b", "[fd00::2", "fe80::1%{"],
)
def test_no_server(text):
    assert upstream_of(text) is None


def test_the_servers_of_a_resolv_conf_in_order_without_the_node_itself():
    text = (
        "search example.com\n# nameserver 10.0.0.1\nnameserver 10.0.1.1\nnameserver 127.0.0.1\nnameserver ::1\n"
        "nameserver 10.0.0.3\nnameserver\nnameserver dns\nnameserver 10.0.0.2\nnameserver 10.0.0.3\n"
    )
    own = (ip_address("10.0.1.1"),)
    assert upstreams_of(text, own) == (Upstream(ip_address("10.0.0.3")), Upstream(ip_address("10.0.0.2")))


def test_only_the_node_itself():
    assert upstreams_of("nameserver 127.0.0.53\nnameserver 10.0.1.1\n", (ip_address("10.0.1.1"),)) == ()


def test_at_most_15_servers():
    text = "".join(f"nameserver 10.0.0.{number}\n" for number in range(1, 255))
    assert len(upstreams_of(text)) == 15
