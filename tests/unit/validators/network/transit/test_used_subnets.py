"""Subnets in use: the sorted answer is the one of asking each of them."""

from ipaddress import IPv4Interface, IPv4Network, ip_network
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ovnguard.validators.network.cluster.cluster_facts import ClusterFacts, host_networks
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import IPNetwork, Network, ObjectRef, Role, Subnet, Topology
from ovnguard.validators.network.transit.used_subnets import (
    HOST,
    USER,
    NetworkObstacles,
    Obstacle,
    Taken,
    first_of,
    last_of,
    overlap,
)

# Few addresses, so that subnets meet.
STARTS, PREFIXES = st.integers(10 << 24, (10 << 24) + 255), st.integers(24, 32)
SUBNETS = st.builds(lambda start, prefix: IPv4Network((start, prefix), strict=False), STARTS, PREFIXES)
NODE = st.builds(lambda name, net: Node(name, host_cidrs=(IPv4Interface(net),)), st.sampled_from("abc"), SUBNETS)
NODES = st.lists(NODE, max_size=6).map(tuple)


def network(subnets: list[IPv4Network]) -> Network:
    ref = ObjectRef("k8s.ovn.org/v1", "ClusterUserDefinedNetwork", "", "blue")
    listed = tuple(Subnet(net) for net in subnets)
    return Network("cluster_udn_blue", ref, Topology.LAYER2, Role.PRIMARY, subnets=listed)


@given(SUBNETS, st.lists(SUBNETS, max_size=4), NODES, NODES)
def test_the_sorted_answer_is_that_of_asking_each(
    asked: IPNetwork, subnets: list[IPv4Network], nodes: tuple[Node, ...], others: tuple[Node, ...]
) -> None:
    # other nodes in between: what was kept of them is not taken for these
    for found in (nodes, others, nodes):
        facts, own = ClusterFacts(nodes=found), network(subnets)
        around = NetworkObstacles(own, facts, 4)
        hosts = (Obstacle(f"{HOST} {name}", net) for name, net in host_networks(found))
        listed = [*(Obstacle(USER, net) for net in subnets), *hosts]
        near = [each for each in listed if overlap(asked, each.subnet)]
        assert around.first(asked) == (near[0] if near else None)
        first = around.meets(asked)
        starts = [(first_of(each.subnet), each.subnet.prefixlen) for each in near]
        assert (first and (first_of(first.subnet), first.subnet.prefixlen)) == min(starts, default=None)
        assert around.end_around(asked) == (last_of(first.subnet) if first else -1)


@given(st.lists(SUBNETS, max_size=8))
def test_what_is_apart_covers_everything_once(subnets: list[IPv4Network]) -> None:
    around = NetworkObstacles(network(subnets), ClusterFacts(), 4)
    apart = [each.subnet for each in around.apart()]
    assert all(any(overlap(net, each) and each.prefixlen <= net.prefixlen for each in apart) for net in subnets)
    assert all(last_of(one) < first_of(other) for one, other in pairwise(apart))


def test_families_are_apart() -> None:
    assert Taken([Obstacle("six", ip_network("fd00::/8"))]).meets(ip_network("fd01::/64")) is not None
    assert not overlap(ip_network("0.0.0.0/0"), ip_network("::/0"))
