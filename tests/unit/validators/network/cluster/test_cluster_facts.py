import json
from ipaddress import ip_address, ip_network

from ovnguard.validators.network.addresses.addressing import (
    DEFAULT_JOIN_SUBNETS,
    DEFAULT_MASQUERADE_SUBNETS,
    DEFAULT_TRANSIT_SUBNETS,
)
from ovnguard.validators.network.cluster.cluster_facts import ClusterFacts, cluster_facts, host_networks
from ovnguard.validators.network.cluster_view import NODE, EmptyView, ObjectsView
from ovnguard.validators.network.model import ManagedBGP
from tests.support.manifests.network_objects import JsonObject, nets, node, operator


def facts(*objects: JsonObject) -> ClusterFacts:
    return cluster_facts(ObjectsView(objects))


def test_nothing_known_leaves_the_built_in_defaults() -> None:
    assert cluster_facts(EmptyView()) == ClusterFacts(
        nodes=None,
        max_node_id=None,
        operator_known=False,
        cluster_subnets=None,
        service_subnets=None,
        join_subnets=DEFAULT_JOIN_SUBNETS,
        transit_subnets=DEFAULT_TRANSIT_SUBNETS,
        masquerade_subnets=DEFAULT_MASQUERADE_SUBNETS,
        managed_bgp=None,
    )


def test_what_the_operator_network_says() -> None:
    config = {
        "mtu": 8900,
        "ipv4": {"internalJoinSubnet": "100.66.0.0/16", "internalTransitSwitchSubnet": "100.90.0.0/16"},
        "ipv6": {"internalTransitSwitchSubnet": "fd95::/64"},
        "gatewayConfig": {"ipv4": {"internalMasqueradeSubnet": "169.254.0.0/18"}},
        "bgpManagedConfig": {"bgpTopology": "FullMesh"},
    }
    assert facts(operator(config)) == ClusterFacts(
        operator_known=True,
        cluster_subnets=nets("10.128.0.0/14"),
        service_subnets=nets("172.30.0.0/16"),
        join_subnets=nets("100.66.0.0/16,fd98::/64"),
        transit_subnets=nets("100.90.0.0/16,fd95::/64"),
        masquerade_subnets=nets("169.254.0.0/18,fd69::/112"),
        managed_bgp=ManagedBGP(64512, "full-mesh"),
        default_mtu=8900,
    )


def test_an_operator_network_without_managed_bgp_is_known_to_have_none() -> None:
    known = facts(operator({}))
    assert (known.operator_known, known.managed_bgp) == (True, None)


def test_operator_networks_that_disagree_or_cannot_be_read_are_not_known() -> None:
    assert not facts(operator(), operator(serviceNetwork=["172.31.0.0/16"])).operator_known
    assert not facts(operator(serviceNetwork=["172.30.0.0/33"])).operator_known
    assert facts(operator(), operator(serviceNetwork=["172.30.0.0/33"])).operator_known
    assert facts(operator(), operator(logLevel="Debug")).operator_known


def test_the_highest_node_id_counts_nodes_that_have_none_yet() -> None:
    assert facts(node("a", 2), node("b", 3)).max_node_id == 3
    assert facts(node("a", 40), node("b")).max_node_id == 40
    assert facts(node("a"), node("b"), node("c")).max_node_id == 4
    assert facts(node("a", 9000)).max_node_id == 2
    assert facts(operator()).max_node_id is None


def test_nodes_are_in_order_of_their_names_and_unreadable_ones_are_left_out() -> None:
    nodes = facts(node("c"), node("a"), {"apiVersion": "v1", "kind": "Node"}).nodes
    assert nodes is not None
    assert [each.name for each in nodes] == ["a", "c"]


def test_a_node_that_is_given_twice_is_one_node() -> None:
    known = facts(node("a", 2), node("b"), node("a", 7))
    assert known.nodes is not None
    assert [(each.name, each.node_id) for each in known.nodes] == [("a", 7), ("b", None)]


def test_networks_of_hosts() -> None:
    gateway = {
        "default": {
            "mode": "shared",
            "bridge-id": "breth0",
            "mac-address": "0a:58:0a:00:00:01",
            "ip-addresses": ["172.18.0.3/16"],
            "next-hops": ["172.19.0.1"],
        }
    }
    one = node(
        "a", 2, host_cidrs='["10.9.0.3/24"]', l3_gateway_config=json.dumps(gateway), node_encap_ips='["10.8.0.3"]'
    )
    one["status"] = {"addresses": [{"type": "InternalIP", "address": "10.7.0.3"}]}
    found = facts(one).nodes
    assert found is not None
    assert set(host_networks(found)) == {
        ("a", ip_network("10.9.0.0/24")),
        ("a", ip_network("172.18.0.0/16")),
        ("a", ip_network(ip_address("172.19.0.1"))),
        ("a", ip_network(ip_address("10.8.0.3"))),
        ("a", ip_network(ip_address("10.7.0.3"))),
    }


def test_facts_of_a_closed_world_are_looked_for_once_and_of_a_live_one_each_time():
    class Live:
        def __init__(self, *objects):
            self.given = list(objects)

        def objects(self, kind):
            return self.given if kind == NODE else None

    closed, live = ObjectsView([node("a", 7)]), Live(node("a", 7))
    assert cluster_facts(closed) is cluster_facts(closed)
    assert cluster_facts(live).max_node_id == cluster_facts(closed).max_node_id
    live.given.append(node("b", 40))
    assert cluster_facts(live).max_node_id == 40
    assert cluster_facts(ObjectsView([node("b", 40)])).max_node_id == 40
