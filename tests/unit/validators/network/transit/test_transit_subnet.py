from ipaddress import IPv4Network, IPv6Network, ip_address, ip_interface, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovnguard.validators.network.addresses.addressing import DEFAULT_UDN_JOIN_SUBNETS, transit_holds
from ovnguard.validators.network.cluster.cluster_facts import ClusterFacts, host_networks
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import IPNetwork, Network, ObjectRef, Role, Subnet, Topology
from ovnguard.validators.network.parse_values import with_families
from ovnguard.validators.network.transit.transit_subnet import (
    PRIVATE_SPACE,
    NoFreeTransitSubnet,
    Reason,
    Selection,
    is_private,
    select_transit,
    transit_faults,
)
from ovnguard.validators.network.transit.used_subnets import overlap


def nets(text: str) -> tuple[IPNetwork, ...]:
    return tuple(ip_network(part) for part in text.split(",") if part)


def layer2(subnets: str, join: str = "", gateways: str = "") -> Network:
    return Network(
        name="cluster_udn_blue",
        source=ObjectRef("k8s.ovn.org/v1", "ClusterUserDefinedNetwork", "", "blue"),
        topology=Topology.LAYER2,
        role=Role.PRIMARY,
        subnets=tuple(Subnet(net) for net in nets(subnets)),
        join_subnets=with_families(nets(join), DEFAULT_UDN_JOIN_SUBNETS),
        default_gateway_ips=tuple(ip_address(part) for part in gateways.split(",") if part),
    )


def text(selection: object) -> str:
    assert isinstance(selection, Selection)
    return ",".join(str(net) for net in selection.subnets)


@pytest.mark.parametrize(
    ("subnets", "join", "expected", "reason"),
    [
        # the four results that upstream's own algorithm is known for
        ("10.12.0.0/16,fd12:dbba::/64", "", "100.88.0.0/16,fd97::/64", Reason.DEFAULT_SELECTED),
        ("100.88.0.0/15,fd97::/63", "", "100.90.0.0/16,fd97:0:0:2::/64", Reason.ALTERNATIVE_SELECTED),
        (
            "10.12.0.0/16,fd12:dbba::/64",
            "100.88.0.0/17,fd97::/65",
            "100.89.0.0/16,fd97:0:0:1::/64",
            Reason.ALTERNATIVE_SELECTED,
        ),
        (
            "100.88.0.0/15,fd97::/65",
            "100.90.0.0/16,fd97:0:0:1::/64",
            "100.91.0.0/16,fd97:0:0:2::/64",
            Reason.ALTERNATIVE_SELECTED,
        ),
        # families are those of the subnets, IPv4 first
        ("fd12::/64,10.12.0.0/16", "", "100.88.0.0/16,fd97::/64", Reason.DEFAULT_SELECTED),
        ("fd12::/64", "", "fd97::/64", Reason.DEFAULT_SELECTED),
        # beyond the end of the home block the walk starts again at its beginning, past the join subnets
        ("100.80.0.0/12,fd12::/64", "100.96.0.0/11", "100.65.0.0/16,fd97::/64", Reason.ALTERNATIVE_SELECTED),
        # a network that fills the home block: the other private blocks in order
        ("100.64.0.0/10", "172.20.0.0/16", "10.0.0.0/16", Reason.ALTERNATIVE_SELECTED),
    ],
)
def test_what_is_selected(subnets: str, join: str, expected: str, reason: Reason) -> None:
    selection = select_transit(layer2(subnets, join), ClusterFacts())
    assert text(selection) == expected
    assert isinstance(selection, Selection)
    assert selection.reason is reason


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (ClusterFacts(cluster_subnets=nets("100.88.0.0/14")), "100.92.0.0/16"),
        (ClusterFacts(service_subnets=nets("100.88.128.0/24")), "100.89.0.0/16"),
        (ClusterFacts(join_subnets=nets("100.88.0.0/16,fd98::/64")), "100.89.0.0/16"),
        (ClusterFacts(masquerade_subnets=nets("100.88.1.0/24,fd69::/112")), "100.89.0.0/16"),
        (ClusterFacts(nodes=(Node("a", host_cidrs=(ip_interface("100.88.7.9/20"),)),)), "100.89.0.0/16"),
        (ClusterFacts(nodes=(Node("a", primary_addresses=(ip_interface("100.88.7.9/24"),)),)), "100.89.0.0/16"),
        (ClusterFacts(nodes=(Node("a", internal_ips=(ip_address("100.88.255.255"),)),)), "100.89.0.0/16"),
        (ClusterFacts(nodes=(Node("a", encap_ips=(ip_address("100.88.0.0"),)),)), "100.89.0.0/16"),
        # the cluster's own transit subnet is the first candidate, made wider when there are more nodes than fit
        (ClusterFacts(transit_subnets=nets("192.168.4.0/22,fd97::/64")), "192.168.4.0/22"),
        (ClusterFacts(transit_subnets=nets("192.168.4.0/22,fd97::/64"), max_node_id=511), "192.168.4.0/22"),
        (ClusterFacts(transit_subnets=nets("192.168.4.0/22,fd97::/64"), max_node_id=512), "192.168.0.0/21"),
        # one that is public is never followed; one that is very wide is not asked for twice
        (ClusterFacts(transit_subnets=nets("64.0.0.0/2,fd97::/64")), "100.88.0.0/16"),
        (
            ClusterFacts(transit_subnets=nets("10.0.0.0/8,fd97::/64"), cluster_subnets=nets("10.0.0.0/16")),
            "10.1.0.0/16",
        ),
    ],
)
def test_what_the_cluster_blocks(facts: ClusterFacts, expected: str) -> None:
    assert text(select_transit(layer2("203.203.0.0/16"), facts)) == expected


def test_gateway_addresses_block() -> None:
    network = layer2("203.203.0.0/16", gateways="100.88.3.1")
    assert text(select_transit(network, ClusterFacts())) == "100.89.0.0/16"


def test_a_selection_lists_the_candidates_that_it_tried() -> None:
    selection = select_transit(layer2("100.88.0.0/15", "100.90.0.0/16"), ClusterFacts())
    assert isinstance(selection, Selection)
    assert [(str(each.candidate), str(each.obstacle)) for each in selection.tried] == [
        ("100.88.0.0/16", 'user defined subnet "100.88.0.0/15"'),
        ("100.90.0.0/16", 'user defined join subnet "100.90.0.0/16"'),
    ]


@pytest.mark.parametrize(
    ("recorded", "expected", "reason"),
    [
        # an alternative stays although the default would be free
        ("100.93.0.0/16,fd97:5::/64", "100.93.0.0/16,fd97:5::/64", Reason.KEPT),
        ("100.88.0.0/16,fd97::/64", "100.88.0.0/16,fd97::/64", Reason.KEPT),
        # each family on its own
        ("10.12.0.0/18,fd97:5::/64", "100.88.0.0/16,fd97:5::/64", Reason.ALTERNATIVE_SELECTED),
        ("100.93.0.0/16", "100.93.0.0/16,fd97::/64", Reason.ALTERNATIVE_SELECTED),
        # public, too small
        ("203.0.113.0/24,fd97:5::/64", "100.88.0.0/16,fd97:5::/64", Reason.ALTERNATIVE_SELECTED),
        ("100.93.0.0/30,fd97:5::/126", "100.88.0.0/16,fd97::/64", Reason.DEFAULT_SELECTED),
        ("", "100.88.0.0/16,fd97::/64", Reason.DEFAULT_SELECTED),
    ],
)
def test_an_earlier_choice_stays_while_it_is_valid(recorded: str, expected: str, reason: Reason) -> None:
    selection = select_transit(layer2("10.12.0.0/16,fd12::/64"), ClusterFacts(max_node_id=4), nets(recorded))
    assert isinstance(selection, Selection)
    assert (text(selection), selection.reason) == (expected, reason)


def test_nothing_free_names_what_blocks() -> None:
    facts = ClusterFacts(
        cluster_subnets=nets("100.64.0.0/10,172.16.0.0/12"),
        service_subnets=nets("192.168.0.0/16"),
        nodes=(Node("worker-a", host_cidrs=(ip_interface("10.0.0.3/8"),)),),
    )
    assert select_transit(layer2("203.203.0.0/16"), facts) == NoFreeTransitSubnet(
        "can't generate transit subnets: no free /16 in 10.0.0.0/8, 100.64.0.0/10, 172.16.0.0/12, 192.168.0.0/16; "
        'in use: host network of node worker-a "10.0.0.0/8", cluster subnet "100.64.0.0/10", '
        'cluster subnet "172.16.0.0/12", service subnet "192.168.0.0/16"'
    )


def test_faults_of_given_subnets() -> None:
    facts = ClusterFacts(service_subnets=nets("172.30.0.0/16"), max_node_id=4)
    given_subnets = nets("172.30.0.0/24,203.0.113.0/24,100.93.0.0/29,100.94.0.0/28")
    assert [tuple(fault) for fault in transit_faults(layer2("10.12.0.0/16"), facts, given_subnets)] == [
        (
            ip_network("172.30.0.0/24"),
            (
                "pod or join subnet overlaps with already configured internal subnets: "
                'transit switch subnet "172.30.0.0/24" overlaps service subnet "172.30.0.0/16"'
            ),
        ),
        (
            ip_network("203.0.113.0/24"),
            (
                'transit switch subnet "203.0.113.0/24" must lie in 10.0.0.0/8 or 100.64.0.0/10 or 172.16.0.0/12 or '
                "192.168.0.0/16"
            ),
        ),
        (
            ip_network("100.93.0.0/29"),
            'transit switch subnet "100.93.0.0/29" has 8 addresses, node ids up to 4 need 10',
        ),
    ]


def test_the_first_candidate_has_room_for_a_node_although_none_is_known() -> None:
    facts = ClusterFacts(transit_subnets=nets("100.88.0.0/31,fd97::/127"))
    selection = select_transit(layer2("10.41.0.0/16,fd41::/64"), facts)
    assert isinstance(selection, Selection)
    assert selection.subnets == nets("100.88.0.0/29,fd97::/125")


def test_many_obstacles_take_no_long_walk() -> None:
    """Every second /24 of 10.0.0.0/8 is taken: the jumps are bounded by the obstacles, not by the addresses."""
    taken = tuple(IPv4Network((0x0A000000 + (index << 9), 24)) for index in range(1 << 12))
    facts = ClusterFacts(
        cluster_subnets=(*taken, *nets("100.64.0.0/10,172.16.0.0/12,192.168.0.0/16")),
        transit_subnets=nets("10.0.0.0/16,fd97::/64"),
    )
    assert text(select_transit(layer2("203.203.0.0/16"), facts)) == "10.32.0.0/16"


# Subnets that often meet: few bits decide where they lie in a block and how wide they are.
_V4 = st.builds(
    lambda block, length, bits: IPv4Network(
        (int(block.network_address) + (bits % (1 << (32 - block.prefixlen))) & ~((1 << (32 - length)) - 1), length)
    ),
    st.sampled_from([net for net in PRIVATE_SPACE if isinstance(net, IPv4Network)]),
    st.integers(16, 20),
    st.integers(0, (1 << 24) - 1),
)
_WIDE = st.sampled_from(nets("10.0.0.0/8,100.64.0.0/10,172.16.0.0/12,192.168.0.0/16,100.96.0.0/11,100.80.0.0/12"))
_V6 = st.builds(
    lambda high, length: IPv6Network(((0xFD97 << 112) + (high << 64) & ~((1 << (128 - length)) - 1), length)),
    st.integers(0, 40),
    st.integers(60, 66),
)
_FACTS = st.builds(
    ClusterFacts,
    cluster_subnets=st.lists(st.one_of(_V4, _WIDE, _V6), max_size=12).map(tuple),
    service_subnets=st.lists(st.one_of(_V4, _WIDE), max_size=3).map(tuple),
    transit_subnets=st.tuples(_V4, _V6),
    max_node_id=st.one_of(st.none(), st.integers(2, 5000)),
)
_NETWORKS = st.builds(
    lambda v4, v6: layer2(",".join(str(net) for net in (*v4, *v6))),
    st.lists(st.one_of(_V4, _WIDE), min_size=0, max_size=1),
    st.lists(_V6, min_size=1, max_size=1),
)


def _in_use(network: Network, facts: ClusterFacts) -> list[IPNetwork]:
    """Every subnet that a transit subnet of the network must not overlap."""
    return [
        *(facts.cluster_subnets or ()),
        *(facts.service_subnets or ()),
        *(facts.hybrid_subnets + facts.join_subnets + facts.masquerade_subnets + network.join_subnets),
        *(subnet.cidr for subnet in network.subnets),
        *(net for _, net in host_networks(facts.nodes or ())),
    ]


def _brute_force(size: int, in_use: list[IPNetwork]) -> bool:
    """Whether any aligned block of the size is free, found block by block."""
    blocks = [net for net in PRIVATE_SPACE if net.version == 4 and net.prefixlen <= size]
    busy = [net for net in in_use if net.version == 4]
    return any(
        not any(overlap(candidate, net) for net in busy)
        for block in blocks
        for candidate in block.subnets(new_prefix=size)
    )


@given(_NETWORKS, _FACTS)
def test_a_selection_is_sound_and_stays(network: Network, facts: ClusterFacts) -> None:
    selection = select_transit(network, facts)
    if isinstance(selection, NoFreeTransitSubnet):
        return
    assert [net.version for net in selection.subnets] == sorted({each.cidr.version for each in network.subnets})
    for net in selection.subnets:
        assert is_private(net)
        assert not any(overlap(net, each) for each in _in_use(network, facts))
        assert facts.max_node_id is None or transit_holds(net, facts.max_node_id)
    assert list(transit_faults(network, facts, selection.subnets)) == []
    again = select_transit(network, facts, selection.subnets)
    assert isinstance(again, Selection)
    assert (again.subnets, again.reason) == (selection.subnets, Reason.KEPT)
    assert select_transit(network, facts) == selection


@given(st.lists(st.one_of(_V4, _WIDE), min_size=1, max_size=10), st.integers(12, 18))
def test_what_brute_force_finds_is_found(busy: list[IPNetwork], size: int) -> None:
    facts = ClusterFacts(
        cluster_subnets=tuple(busy), transit_subnets=(IPv4Network(f"100.64.0.0/{size}"), *nets("fd97::/64"))
    )
    network = layer2(str(busy[0]))
    found = select_transit(network, facts)
    free = _brute_force(max(size, 16), _in_use(network, facts))
    assert isinstance(found, Selection) == free
