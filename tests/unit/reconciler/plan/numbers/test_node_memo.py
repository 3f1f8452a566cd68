"""Which networks a change of nodes touches, and that unchanged Nodes are read once."""

from ipaddress import ip_address, ip_network

import pytest

from ovnguard.reconciler.plan.numbers.node_memo import NodeMemo, touched_networks
from tests.support.fake_cluster import node as node_object
from tests.support.plan_samples import nodes

RED = {"red": (ip_network("10.1.0.0/24"),)}
BLUE = {"blue": (ip_network("10.2.0.0/24"),)}


def test_unchanged_objects_are_read_once():
    memo, first, second = NodeMemo(), node_object("n1"), node_object("n2", 3)
    before = memo.read([first, second])
    changed = node_object("n2", 4)
    now = memo.read([changed, first])
    assert now[1] is before[0]
    assert now[0] == NodeMemo().read([changed])[0] != before[1]
    # one that went and came back may be another object at the same place in memory
    assert memo.read([second]) == (before[1],)


@pytest.mark.parametrize(
    ("changes", "touched"),
    [
        ({}, set()),
        ({"host_subnets": RED | BLUE}, {"blue"}),
        ({"host_subnets": {}}, {"red"}),
        ({"host_subnets": {"red": (ip_network("10.1.1.0/24"),)}}, {"red"}),
        ({"management_macs": {"blue": "0a:58:0a:00:00:02"}}, {"blue"}),
        ({"host_subnets": RED | {"default": (ip_network("10.128.0.0/24"),)}}, None),
        ({"labels": {"a": "b"}}, None),
        ({"internal_ips": (ip_address("172.18.0.9"),)}, None),
        ({"router_port_keys": {"red": 5}}, None),
    ],
)
def test_a_change_of_one_node(changes, touched):
    first, second = (each._replace(host_subnets=RED) for each in nodes(2))
    assert touched_networks([first, second], [first, second._replace(**changes)]) == touched


def test_nodes_that_come_and_go_affect_all_networks():
    first, second = nodes(2)
    assert touched_networks([first], [first, second]) is None
    assert touched_networks([first, second], [second]) is None
    assert touched_networks([first, second], [second, first]) is None
