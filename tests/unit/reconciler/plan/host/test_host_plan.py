"""What a node itself must hold: golden rulesets and commands, names, and what is left out."""

import re
from collections.abc import Callable
from dataclasses import replace
from ipaddress import ip_address, ip_network

import pytest

from ovnguard.reconciler.plan.host.command_lines import plan_as_text
from ovnguard.reconciler.plan.host.host_plan import HostPlan
from ovnguard.reconciler.plan.host.host_planner import NO_VRF, host_plan
from ovnguard.reconciler.plan.host.items import Address, Flow, Neighbour, Port, Route, Rule, Vrf
from ovnguard.reconciler.plan.host.nft import ruleset
from ovnguard.reconciler.plan.host.user_network import port_name
from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.rows.model import EgressAssignment, EgressHop, Remark
from ovnguard.reconciler.plan.rows.names import vrf_name
from ovnguard.reconciler.plan.rows.settings import AllowedService, Settings
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import Network, Role, Topology
from tests.support.host_samples import L2, L3, ROUTED_L3, inputs, members, overlay, plans, routed
from tests.support.plan_samples import layer3, udn

PLANS = plans()
named = pytest.mark.parametrize("name", sorted(PLANS))


@named
def test_golden(name: str, golden: Callable[[str, str], None]) -> None:
    plan = PLANS[name]
    golden(f"host/{name}.nft", ruleset(plan.sets, plan.chains))
    golden(f"host/{name}.sh", plan_as_text(replace(plan, sets=(), chains=())))


@named
def test_identities_are_unique_and_sorted(name: str) -> None:
    plan = PLANS[name]
    keys = [(item.kind, item.key) for item in plan.items]
    assert len(set(keys)) == len(keys)
    for named_ in (plan.sets, plan.chains):
        names = [each.name for each in named_]
        assert names == sorted(set(names))


@named
def test_chains_that_are_jumped_to_and_sets_that_are_looked_at_exist(name: str) -> None:
    plan = PLANS[name]
    rules = [rule for chain in plan.chains for rule in chain.rules]
    jumps = {rule.verdict.removeprefix("jump ") for rule in rules if rule.verdict.startswith("jump ")}
    looked = {match.right[1:] for rule in rules for match in rule.matches if match.right.startswith("@")}
    assert jumps <= {chain.name for chain in plan.chains}
    assert looked == {each.name for each in plan.sets}


@named
def test_every_table_that_a_rule_leads_to_ends(name: str) -> None:
    """No packet that a rule sends to a network's table falls through to the node's own routes."""
    plan = PLANS[name]
    routes = [item for item in plan.items if isinstance(item, Route)]
    for rule in (item for item in plan.items if isinstance(item, Rule) and item.table > 1000):
        last = ip_network("0.0.0.0/0" if rule.version == 4 else "::/0")
        assert any((each.table, each.prefix, each.device) == (rule.table, last, "") for each in routes)


def test_a_missing_vrf_is_noted_and_replaced_by_rules() -> None:
    with_vrf, without = PLANS["layer3-routed-local"], PLANS["layer3-routed-local-without-vrf"]
    assert [each for each in without.items if isinstance(each, Vrf)] == []
    assert without.notes == (Remark(NO_VRF, node="node1"),)
    assert with_vrf.notes == ()
    extra = {str(each) for each in without.items} - {str(each) for each in with_vrf.items}
    assert extra == {
        "ovn-k8s-mp3 up",
        "2000: iif ovn-k8s-mp3 lookup 1003",
        "-6 2000: iif ovn-k8s-mp3 lookup 1003",
    }


@pytest.mark.parametrize(
    ("network", "number", "name"),
    [
        (layer3("cluster_udn_blue"), 7, "blue"),
        (layer3("cluster_udn_fifteen-letters"), 7, "fifteen-letters"),
        (layer3("cluster_udn_sixteen-letters-"), 7, "mp7-udn-vrf"),
        (layer3("cluster_udn_default"), 7, "mp7-udn-vrf"),
        (udn("blue_red"), 4095, "mp4095-udn-vrf"),
    ],
)
def test_names_of_vrfs(network: Network, number: int, name: str) -> None:
    assert vrf_name(network, number) == name


def test_the_names_of_ports_fit() -> None:
    assert port_name(6) == "ovn-k8s-mp6"
    assert len(port_name(4095)) <= 15


NOTHING = {
    "a node that is not there": ("node9", members(), [overlay()]),
    "a node without gateway": ("node1", tuple(each._replace(gateway=None) for each in members()), [overlay()]),
    "no networks": ("node1", members(), []),
    "secondary": ("node1", members(), [L3._replace(role=Role.SECONDARY), L2._replace(role=Role.SECONDARY)]),
    "localnet": ("node1", members(), [L2._replace(topology=Topology.LOCALNET, role=Role.SECONDARY)]),
}


@pytest.mark.parametrize(("name", "nodes", "networks"), NOTHING.values(), ids=NOTHING.keys())
def test_plan_is_empty_without_networks_on_the_node(
    name: str, nodes: tuple[Node, ...], networks: list[Network]
) -> None:
    kept = inputs(members(), *networks)
    assert host_plan(name, replace(kept, nodes=nodes)) == HostPlan(name)


def networks_of(plan: HostPlan) -> set[str]:
    """Of what is not common to all networks, as some flows are."""
    return {item.network for item in plan.items if not isinstance(item, Flow)}


def test_networks_in_doubt_are_not_planned() -> None:
    all_of = inputs(members(), overlay(), L2, ROUTED_L3)
    doubtful = replace(all_of, doubtful=frozenset({"default", "cluster_udn_blue"}))
    assert networks_of(host_plan("node1", doubtful)) == {"test12_net"}


def test_a_node_whose_subnets_are_not_recorded_waits() -> None:
    bare = tuple(each._replace(host_subnets={}) for each in members())
    plan = host_plan("node1", replace(inputs(members(), overlay(), L2), nodes=bare))
    assert networks_of(plan) == {"test12_net"}


def test_the_mtu_of_a_network_is_its_ports() -> None:
    small = L2._replace(mtu=1300)
    items = host_plan("node1", inputs(members(), overlay(), small)).items
    ports = {each.network: each.mtu for each in items if isinstance(each, Port)}
    assert ports == {"default": 1400, "test12_net": 1300}


@pytest.mark.parametrize(
    ("version", "mac"), [("", "0a:58:64:41:00:02"), ("2.0", "0a:58:cb:cb:00:01")], ids=["before", "transit-router"]
)
def test_answers_to_pods_go_to_the_router_that_the_topology_of_the_node_has(version: str, mac: str) -> None:
    keyed = tuple(
        each._replace(router_port_keys={L2.name: each.node_id or 0}, topology_version=version) for each in members()
    )
    items = host_plan("node1", inputs(keyed, overlay(), L2)).items
    found = {(str(each.address), each.mac) for each in items if isinstance(each, Neighbour) and each.network == L2.name}
    assert found == {("169.254.0.22", mac), ("fd69::16", mac)}
    (router,) = (
        row.columns["mac"]
        for row in make_plan([overlay(), L2], keyed, Settings()).zones[0].rows
        if row.columns.get("name") in {f"{prefix}-test12_net_ovn_layer2_switch" for prefix in ("rtos", "trtos")}
    )
    assert router == mac


def test_missing_service_subnets_have_a_note() -> None:
    plan = host_plan("node1", inputs(members(), L2))
    text = "no routes to services: no object defines the cluster's service subnets"
    assert plan.notes == (Remark(text, node="node1"),)


def test_exempted_are_the_cluster_and_the_own_node_alone() -> None:
    plan = host_plan("node1", inputs(members("local", v6=False), routed(snat=True)))
    assert {each.name: each.elements for each in plan.sets} == {
        "no-overlay-snat-exempt-v4": ("10.128.0.0/14", "172.18.0.2"),
    }


def test_masquerade_addresses_of_the_bridge_are_not_chosen_as_sources() -> None:
    items = PLANS["default-overlay-shared"].items
    addresses = [each for each in items if isinstance(each, Address) and each.device == "breth0"]
    assert [(str(each.address), each.deprecated) for each in addresses] == [
        ("169.254.0.2/17", False),
        ("fd69::2/112", True),
    ]


def test_egress_addresses_of_user_networks_are_the_bridges_and_translated_by_mark() -> None:
    leaving = tuple(
        EgressAssignment(f"out-{network}", network, 50000, (EgressHop(node, ip_address(address)),), ())
        for network, node, address in (
            ("test12_net", "node1", "172.18.0.200"),
            ("test12_net", "node2", "172.18.0.201"),
            ("default", "node1", "172.18.0.202"),
        )
    )
    given = inputs(members(), overlay(), L2)
    plan = host_plan("node1", replace(given, settings=replace(given.settings, egress=leaving)))
    marked = [str(each) for each in plan.items if isinstance(each, Address) and each.marked]
    assert marked == ["172.18.0.200/32 dev breth0"]
    translated = [each for each in plan.items if isinstance(each, Flow) and "pkt_mark=0xc350" in each.match]
    assert [each.match for each in translated] == [
        "pkt_mark=0xc350,ip,in_port={patch-breth0_test12_net_node1-to-br-int},dl_src=02:42:ac:12:00:02"
    ]
    action = "ct(commit,zone=64000,nat(src=172.18.0.200),exec(set_field:0x9->ct_mark)),output:{uplink}"
    assert translated[0].actions == action


def test_of_the_services_of_the_default_network_user_networks_reach_those_that_are_allowed() -> None:
    allowed = AllowedService("openshift-dns/dns-default", (ip_address("10.96.0.10"), ip_address("fd00:10:96::a")))
    given = inputs(members(), overlay(), L2)
    plan = host_plan("node1", replace(given, settings=replace(given.settings, services=(allowed,))))
    flows = [each for each in plan.items if isinstance(each, Flow) and each.table == 2]
    to_ovn = "set_field:02:42:ac:12:00:02->eth_dst,output:{patch-breth0_node1-to-br-int}"
    assert {(each.priority, each.match): each.actions for each in flows} == {
        (300, "ip,nw_src=169.254.0.0/17,nw_dst=10.96.0.10"): to_ovn,
        (300, "ipv6,ipv6_src=fd69::/112,ipv6_dst=fd00:10:96::a"): to_ovn,
        (200, "ip,nw_src=169.254.0.22"): "drop",
        (200, "ipv6,ipv6_src=fd69::16"): "drop",
        (100, "ip,nw_src=169.254.0.2"): to_ovn,
        (100, "ipv6,ipv6_src=fd69::2"): to_ovn,
    }


def test_a_vlan_has_no_flows_but_a_note() -> None:
    nodes = tuple(each._replace(gateway=each.gateway._replace(vlan_id=7)) for each in members() if each.gateway)
    plan = host_plan("node1", inputs(nodes, overlay()))
    assert [item for item in plan.items if isinstance(item, Flow)] == []
    assert plan.notes == (Remark("no flows of the external bridge, because its gateway is in a VLAN", node="node1"),)


def test_a_network_with_an_uplink_has_a_note_in_place_of_a_host_part() -> None:
    plan = host_plan("node1", inputs(members(), overlay(), L2._replace(uplink="blue")))
    assert plan.notes == (Remark("no host part, because it has an uplink", "test12_net", "node1"),)
    assert {item.network for item in plan.items} == {"default"}


@named
def test_flows_of_a_table_have_one_match_each_and_lead_to_ports_of_the_plan(name: str) -> None:
    flows = [item for item in PLANS[name].items if isinstance(item, Flow)]
    assert flows
    assert len({each.key for each in flows}) == len(flows)
    ports = {word for each in flows for word in re.findall(r"\{([^}]*)\}", f"{each.match} {each.actions}")}
    patches = {f"patch-breth0_{prefix}node1-to-br-int" for prefix in ("", "test12_net_", "cluster_udn_blue_")}
    assert ports <= {"uplink", *patches}
