"""The pure pieces of the lab of OVN nodes: flows of a shared bridge, and what the relay adds."""

import socket
import threading

import pytest

from tests.testbed import relay
from tests.testbed.bridge import Uplink, bridge_flows

HOST = "priority=50,in_port=LOCAL,ip,actions=ct(commit,zone=64000,exec(set_field:2->ct_mark)),output:1"
MINE = "ct(commit,zone=64000,nat(src=172.18.0.2),exec(set_field:3->ct_mark)),output:1"


def test_without_networks_all_is_the_hosts() -> None:
    flows = bridge_flows(1, ["172.18.0.2", "fc00::2"], [])
    assert HOST in flows
    assert "priority=200,in_port=1,arp,actions=LOCAL" in flows
    assert "table=1,priority=10,ip,actions=LOCAL" in flows
    assert not any("in_port=2" in flow for flow in flows)


def test_networks_get_the_address_of_the_node_and_their_answers() -> None:
    uplinks = [Uplink(2, ("169.254.0.11", "fd69::b"), ((50000, "172.18.0.201"),)), Uplink(3)]
    flows = bridge_flows(1, ["172.18.0.2", "fc00::2"], uplinks)
    assert f"priority=100,in_port=2,ip,nw_src=169.254.0.11,actions={MINE}" in flows
    marked = MINE.replace("172.18.0.2", "172.18.0.201")
    assert f"priority=110,in_port=2,ip,nw_src=169.254.0.11,pkt_mark=50000,actions={marked}" in flows
    assert "priority=210,in_port=2,arp,arp_spa=169.254.0.11,actions=drop" in flows
    assert "table=1,priority=100,ct_state=+trk+est,ct_mark=3,ip,actions=output:2" in flows
    assert "table=1,priority=100,ct_state=+trk+rel,ct_mark=4,ipv6,actions=output:3" in flows
    assert "priority=200,in_port=1,arp,actions=LOCAL,output:2,output:3" in flows


def test_routed_prefixes_pass_as_they_are() -> None:
    flows = bridge_flows(1, ["172.18.0.2"], [Uplink(2, routed=("10.20.2.0/24", "fd20:0:0:2::/64"))])
    assert "priority=150,in_port=1,ip,nw_dst=10.20.2.0/24,actions=output:2" in flows
    assert "priority=150,in_port=2,ipv6,ipv6_src=fd20:0:0:2::/64,actions=output:1" in flows


WHOLE = b'["map",[["key","flow"],["local_ip","172.18.0.2"],["remote_ip","172.18.0.3"]]]'
AMENDED = b'["map",[["key","flow"],["egress_pkt_mark","0"],["local_ip","172.18.0.2"],["remote_ip","172.18.0.3"]]]'


@pytest.mark.parametrize("cut", range(0, len(WHOLE), 3))
@pytest.mark.timing
def test_tunnels_get_their_option_however_the_text_is_cut(cut: int) -> None:
    into, source = socket.socketpair()
    target, out = socket.socketpair()
    with into, source, target, out:
        worker = threading.Thread(target=relay._amend, args=(source, target))
        worker.start()
        into.sendall(WHOLE[:cut])
        into.sendall(WHOLE[cut:] + WHOLE)
        into.shutdown(socket.SHUT_WR)
        worker.join(60)
        got = b"".join(iter(lambda: out.recv(65536), b""))
    assert got == AMENDED * 2
