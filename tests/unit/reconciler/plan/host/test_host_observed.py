"""What ip, nft and ovs-vsctl print, read back: ours alone, and nothing that breaks on other shapes."""

import json
from ipaddress import ip_address, ip_interface, ip_network
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovnguard.reconciler.plan.host import flow_text, ip_json
from ovnguard.reconciler.plan.host.imported_routes import imported
from ovnguard.reconciler.plan.host.ip_json import Owned
from ovnguard.reconciler.plan.host.items import Address, Flow, Link, Neighbour, Port, Route, Rule, Vrf
from ovnguard.reconciler.plan.host.nft import Match, NftChain, NftRule, NftSet
from ovnguard.reconciler.plan.host.nft_json import observed, replacing
from ovnguard.reconciler.plan.rows.settings import ImportedRoute
from ovnguard.validators.network.addresses.addressing import DEFAULT_MASQUERADE_SUBNETS
from tests.support.host_samples import plans

PLANS = plans()
OWNED = Owned({"ovn-k8s-mp0": "default", "ovn-k8s-mp3": "blue"}, {1003: "blue"}, DEFAULT_MASQUERADE_SUBNETS)


def listing(commands: Any) -> Any:
    """What the kernel lists after these commands: their objects, with handles."""
    return {"nftables": [{"metainfo": {}}, *(each["add"] for each in commands["nftables"] if "add" in each)]}


@pytest.mark.parametrize("name", sorted(PLANS))
def test_a_planned_table_is_read_back_as_it_was(name: str) -> None:
    plan = PLANS[name]
    assert observed(listing(replacing(plan.sets, plan.chains))) == (plan.sets, plan.chains)


def test_the_table_is_replaced_whole() -> None:
    table = {"table": {"family": "inet", "name": "ovnguard"}}
    assert replacing((), ()) == {"nftables": [{"add": table}, {"delete": table}]}
    commands = replacing((NftSet("s", 4),), (NftChain("c"),))["nftables"]
    assert commands[:3] == [{"add": table}, {"delete": table}, {"add": table}]


OTHER_EXPRESSIONS: list[Any] = [
    [],
    "masquerade",
    [{"mangle": {"key": {"meta": {"key": "mark"}}, "value": 7}}],
    [{"counter": {"packets": 0, "bytes": 0}}, {"return": None}],
    [{"match": {"op": "==", "left": {"meta": {"key": "iifname"}}, "right": "x"}}, {"return": None}],
    [{"match": {"op": "in", "left": {"meta": {"key": "oifname"}}, "right": "x"}}, {"return": None}],
    [{"match": {"op": "==", "left": {"ct": {"key": "state"}}, "right": "new"}}, {"drop": None}],
    [{"match": {"op": "in", "left": {"ct": {"key": "state"}}, "right": ["new", "related"]}}, {"masquerade": 1}],
    [{"match": "in"}, {"drop": None}],
    [{"snat": {"family": "ip", "addr": "1.1.1.1", "port": 7}}],
    [{"masquerade": {"flags": "random"}}],
]


@pytest.mark.parametrize("expressions", OTHER_EXPRESSIONS)
def test_a_rule_that_no_plan_has_is_its_own_text(expressions: Any) -> None:
    own = {"family": "inet", "table": "ovnguard", "chain": "c"}
    objects = [{"chain": {**own, "name": "c"}}, {"rule": {**own, "expr": expressions}}]
    [chain] = observed({"nftables": objects})[1]
    assert chain.rules == (NftRule((), json.dumps(expressions, sort_keys=True)),)


def test_sets_that_no_plan_has() -> None:
    own = {"family": "inet", "table": "ovnguard"}
    objects = [
        {"set": {**own, "name": "ports", "type": "inet_service", "flags": ["interval"]}},
        {"set": {**own, "name": "timed", "type": "ipv4_addr", "flags": ["timeout"]}},
        {"set": {**own, "name": "odd", "type": "ipv4_addr", "flags": "interval", "elem": [{"range": ["a", "b"]}]}},
        {"map": {**own, "name": "m"}},
        {"set": {"family": "inet", "table": "theirs", "name": "s", "type": "ipv4_addr"}},
    ]
    sets, _ = observed({"nftables": objects})
    assert [(each.name, each.version) for each in sets] == [("m", 0), ("odd", 0), ("ports", 0), ("timed", 0)]


def test_a_single_flag_may_be_a_text() -> None:
    value = {"family": "inet", "table": "ovnguard", "name": "s", "type": "ipv4_addr", "flags": "interval"}
    assert observed({"nftables": [{"set": {**value, "elem": ["9.9.9.9", "1.1.1.1"]}}]}) == (
        (NftSet("s", 4, ("1.1.1.1", "9.9.9.9")),),
        (),
    )


def test_a_hook_with_a_policy_is_another_hook() -> None:
    base = {"family": "inet", "table": "ovnguard", "name": "c", "type": "filter", "hook": "output", "prio": 0}
    [open_], [shut] = (
        observed({"nftables": [{"chain": {**base, "policy": policy}}]})[1] for policy in ("accept", "drop")
    )
    assert open_ != shut


@pytest.mark.parametrize("value", [{}, {"nftables": 1}, {"nftables": [1]}])
def test_an_invalid_listing_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="not a list of nftables objects"):
        observed(value)


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=8),
        lambda each: (
            st.lists(each)
            | st.dictionaries(
                st.sampled_from(["match", "op", "left", "right", "payload", "prefix", "snat", "jump", "drop"]), each
            )
        ),
        max_leaves=12,
    )
)
def test_any_expression_is_read(value: Any) -> None:
    own = {"family": "inet", "table": "ovnguard", "chain": "c"}
    objects = [{"chain": {**own, "name": "c"}}, {"rule": {**own, "expr": value}}]
    assert len(observed({"nftables": objects})[1][0].rules) == 1


def test_match_as_text() -> None:
    assert str(Match("ip saddr", "10.0.0.0/8", negated=True)) == "ip saddr != 10.0.0.0/8"
    assert str(Match("oifname", "p")) == 'oifname "p"'


def test_ports() -> None:
    ids = ["map", [["iface-id", "k8s-n"], ["k8s.ovn.org/network", "blue"], ["ovnguard.io/owner", "ovnguard"]]]
    table = {
        "headings": ["name", "mac", "mtu_request", "external_ids"],
        "data": [
            ["ovn-k8s-mp3", "02:00:00:00:00:01", 1400, ids],
            ["bare", ["set", []], ["set", []], ["map", []]],
        ],
    }
    assert [each.network for each in ip_json.ports(table)] == ["blue", ""]
    assert ip_json.ports(table) == (
        Port("ovn-k8s-mp3", "k8s-n", "02:00:00:00:00:01", 1400),
        Port("bare", "", "", 0),
    )


def test_links() -> None:
    links: Any = [
        {"ifname": "blue", "ifalias": "ovnguard blue", "linkinfo": {"info_kind": "vrf", "info_data": {"table": 1003}}},
        {"ifname": "red", "ifalias": "theirs", "linkinfo": {"info_kind": "vrf", "info_data": {"table": 9}}},
        {"ifname": "x", "ifalias": "ovnguard x", "linkinfo": {"info_kind": "dummy"}},
        {"ifname": "ovn-k8s-mp3", "flags": ["UP"], "master": "blue"},
        {"ifname": "ovn-k8s-mp0", "flags": []},
        {"ifname": "eth0", "flags": ["UP"]},
    ]
    assert ip_json.vrfs(links) == (Vrf("blue", 1003),)
    assert ip_json.vrfs(links)[0].network == "blue"
    assert ip_json.port_links(links, OWNED) == (Link("ovn-k8s-mp3", "blue"), Link("ovn-k8s-mp0", up=False))


def info(text: str, **more: Any) -> dict[str, Any]:
    own = ip_interface(text)
    return {"local": str(own.ip), "prefixlen": own.network.prefixlen, **more}


def test_addresses() -> None:
    links: Any = [
        {"ifname": "ovn-k8s-mp3", "addr_info": [info("10.20.2.2/24", noprefixroute=True), info("fe80::1/64")]},
        {"ifname": "br-ex", "addr_info": [info("172.18.0.2/16"), info("169.254.0.2/17"), info("fe80::2/64")]},
        {"ifname": "br-ex", "addr_info": [info("fd69::2/112", deprecated=True)]},
    ]
    assert ip_json.addresses(links, OWNED) == (
        Address("ovn-k8s-mp3", ip_interface("10.20.2.2/24"), bare=True),
        Address("br-ex", ip_interface("169.254.0.2/17")),
        Address("br-ex", ip_interface("fd69::2/112"), deprecated=True),
    )
    assert [each.network for each in ip_json.addresses(links, OWNED)] == ["blue", "default", "default"]


def test_neighbours() -> None:
    entries: Any = [
        {"dst": "10.128.2.1", "dev": "ovn-k8s-mp0", "lladdr": "02:00:00:00:00:01"},
        {"dst": "169.254.0.4", "dev": "br-ex", "lladdr": "02:00:00:00:00:02"},
        {"dst": "172.18.0.9", "dev": "br-ex", "lladdr": "02:00:00:00:00:03"},
    ]
    assert [each.device for each in ip_json.neighbours(entries, OWNED)] == ["ovn-k8s-mp0", "br-ex"]
    assert ip_json.neighbours(entries, OWNED)[0] == Neighbour(
        "ovn-k8s-mp0", ip_address("10.128.2.1"), "02:00:00:00:00:01"
    )


def test_routes() -> None:
    entries: Any = [
        {"dst": "default", "gateway": "172.18.0.1", "dev": "br-ex", "table": "1003", "metrics": [{"mtu": 1400}]},
        {"type": "7", "dst": "default", "dev": "lo", "table": "1003", "metric": 4278198272},
        {"dst": "169.254.0.1", "dev": "br-ex", "prefsrc": "172.18.0.2"},
        {"dst": "10.0.0.0/8", "dev": "br-ex", "table": "1004"},
    ]
    found = ip_json.routes(entries, 4, OWNED)
    assert found == (
        Route(1003, ip_network("0.0.0.0/0"), "br-ex", ip_address("172.18.0.1"), 1400),
        Route(1003, ip_network("0.0.0.0/0"), metric=4278198272),
        Route(254, ip_network("169.254.0.1/32"), "br-ex", source=ip_address("172.18.0.2")),
        Route(1004, ip_network("10.0.0.0/8"), "br-ex"),
    )
    # whose table 1004 is nobody knows any more
    assert [each.network for each in found] == ["blue", "blue", "default", ""]


def test_rules() -> None:
    entries: Any = [
        {"priority": 0, "src": "all", "table": "255"},
        {"priority": 31, "dst": "10.0.0.0", "dstlen": 8, "iif": "lo", "table": "7", "protocol": "118"},
        {"priority": 2000, "fwmark": "0x1003", "table": "1003", "protocol": "118"},
        {"priority": 2000, "dst": "169.254.0.16", "table": "1003", "protocol": "118"},
        {"priority": 9, "table": "9", "protocol": "2"},
    ]
    assert ip_json.rules(entries, 4, OWNED) == (
        Rule(31, 4, 7, ip_network("10.0.0.0/8"), "lo"),
        Rule(2000, 4, 1003, mark=0x1003),
        Rule(2000, 4, 1003, ip_network("169.254.0.16/32")),
    )


def test_tables_and_devices_belong_to_the_network_in_their_name() -> None:
    named = [Port("ovn-k8s-mp7", "", "", 0, "red"), Port("ovn-k8s-mp0", "", "", 0, "default"), Port("odd", "", "", 0)]
    owned = ip_json.owned_by(named, [Vrf("blue", 1003, "blue")], ())
    assert owned.tables == {1003: "blue", 1007: "red"}
    assert (owned.network("", 1007), owned.network("ovn-k8s-mp7"), owned.network("eth0")) == ("red", "red", "default")


@pytest.mark.parametrize("value", [None, {}, [1], "x"])
def test_no_list_of_objects(value: object) -> None:
    with pytest.raises(ValueError, match="not a list of objects"):
        ip_json.listed(value)


def test_what_a_filter_leaves_is_nothing() -> None:
    assert ip_json.listed([{}, {"ifname": "x"}]) == [{"ifname": "x"}]


def test_imported() -> None:
    entries: Any = [
        {"dst": "10.2.0.0/16", "gateway": "172.18.0.3", "dev": "x"},
        {"dst": "10.1.0.0/16", "nexthops": [{"gateway": "172.18.0.4"}, {"gateway": "172.18.0.3"}, {"dev": "x"}]},
        {"dst": "10.3.0.0/16", "dev": "x"},
        {"dst": "10.4.0.0/16", "via": {"family": "inet6", "host": "fe80::1"}, "dev": "x"},
        {"type": "7", "dst": "10.5.0.0/16"},
        {"dst": "default", "gateway": "172.18.0.1", "table": "1003"},
        {"dst": "10.6.0.0/16", "gateway": "172.18.0.3", "table": "77"},
    ]
    found = imported(entries, 4, "n", {254: "default", 1003: "blue"})
    assert [(each.network, str(each.prefix), str(each.nexthop)) for each in found] == [
        ("blue", "0.0.0.0/0", "172.18.0.1"),
        ("default", "10.1.0.0/16", "172.18.0.3"),
        ("default", "10.1.0.0/16", "172.18.0.4"),
        ("default", "10.2.0.0/16", "172.18.0.3"),
    ]
    assert found[0] == ImportedRoute("blue", "n", ip_network("0.0.0.0/0"), ip_address("172.18.0.1"))


NUMBERS = {"uplink": 1, "patch-br-ex_n-to-br-int": 2, "patch-br-ex_cluster_udn_b.c_n-to-br-int": 3}
FLOW_OWNED = Owned({"ovn-k8s-mp3": "cluster_udn_b-c"}, {1003: "cluster_udn_b-c"}, ())
FLOW_LINES = {
    " cookie=0x6f766e67, priority=100,ip,in_port=3,nw_src=1.1.1.1 actions=drop": (
        Flow("br-ex", 0, 100, "ip,in_port={patch-br-ex_cluster_udn_b.c_n-to-br-int},nw_src=1.1.1.1", "drop"),
        "cluster_udn_b-c",
    ),
    " cookie=0x6f766e67, table=1, priority=100,ct_mark=0x6,ip actions=output:3": (
        Flow("br-ex", 1, 100, "ct_mark=0x6,ip", "output:{patch-br-ex_cluster_udn_b.c_n-to-br-int}"),
        "cluster_udn_b-c",
    ),
    " cookie=0x6f766e67, table=1, priority=100,ct_mark=0x2,ip actions=LOCAL": (
        Flow("br-ex", 1, 100, "ct_mark=0x2,ip", "LOCAL"),
        "default",
    ),
    " cookie=0x6f766e67, priority=9,in_port=2 actions=drop": (
        Flow("br-ex", 0, 9, "in_port={patch-br-ex_n-to-br-int}", "drop"),
        "default",
    ),
    " cookie=0x6f766e67, table=1, priority=0 actions=NORMAL": (Flow("br-ex", 1, 0, "", "NORMAL"), "default"),
    " cookie=0x6f766e67, priority=300,ip,in_port=1,nw_dst=10.0.0.0/8 actions=LOCAL": (
        Flow("br-ex", 0, 300, "ip,in_port={uplink},nw_dst=10.0.0.0/8", "LOCAL"),
        "",
    ),
    " cookie=0x6f766e67, ip,in_port=9 actions=output:9": (
        Flow("br-ex", 0, 32768, "ip,in_port={9}", "output:{9}"),
        "default",
    ),
    " cookie=0x6f766e67, priority=1,ct_mark=0x77 actions=drop": (Flow("br-ex", 0, 1, "ct_mark=0x77", "drop"), ""),
}


@pytest.mark.parametrize(("line", "flow", "network"), [(line, *each) for line, each in FLOW_LINES.items()])
def test_flows(line: str, flow: Flow, network: str) -> None:
    [found] = flow_text.flows("br-ex", "n", [line], NUMBERS, FLOW_OWNED)
    assert found == flow
    assert found.network == network


def test_a_line_that_is_no_flow() -> None:
    with pytest.raises(ValueError, match="not a flow: 'NXST_FLOW reply'"):
        flow_text.flows("br-ex", "n", ["NXST_FLOW reply"], NUMBERS, FLOW_OWNED)


def test_ports_of_flows_have_numbers() -> None:
    assert flow_text.resolved("in_port={uplink},x actions=output:{uplink},LOCAL", NUMBERS) == (
        "in_port=1,x actions=output:1,LOCAL"
    )
    with pytest.raises(LookupError, match="patch-z"):
        flow_text.resolved("in_port={patch-z}", NUMBERS)


def test_an_address_with_our_metric_is_ours_wherever_it_is() -> None:
    links: Any = [{"ifname": "br-ex", "addr_info": [info("172.18.0.9/32", metric=7118), info("172.18.0.8/32")]}]
    assert ip_json.addresses(links, OWNED) == (Address("br-ex", ip_interface("172.18.0.9/32"), marked=True),)
