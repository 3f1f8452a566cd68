"""The DNS servers of a machine, read from its files."""

from ipaddress import ip_address

import pytest

from ovnguard.reconciler.dns.apply.upstream_servers import UpstreamServers, is_own
from ovnguard.reconciler.dns.plan.upstreams import Upstream

SERVER = Upstream(ip_address("192.0.2.53"))


def test_file_is_read_every_time(tmp_path):
    path = tmp_path / "resolv.conf"
    servers = UpstreamServers(path)
    assert servers.read() == ()
    path.write_text("search example.com\nnameserver 127.0.0.53\nnameserver ::1\nnameserver 192.0.2.53\n")
    assert servers.read() == (SERVER,)
    path.write_text("nameserver 192.0.2.54\n")
    assert servers.read() == (Upstream(ip_address("192.0.2.54")),)


def test_given_servers_come_first(tmp_path):
    given = (Upstream(ip_address("127.0.0.1"), 5353),)
    assert UpstreamServers(tmp_path / "resolv.conf", given).read() == given


@pytest.mark.parametrize(
    ("address", "own"), [("127.0.0.1", True), ("127.8.9.10", True), ("192.0.2.53", False), ("2001:db8::1", False)]
)
def test_addresses_of_the_machine(address, own):
    assert is_own(ip_address(address)) is own
