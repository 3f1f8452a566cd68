"""Differences of hosts: order, words, networks in doubt."""

from dataclasses import replace
from ipaddress import ip_address, ip_interface, ip_network

import pytest

from ovnguard.reconciler.plan.host.command_lines import commands_of, plan_as_text
from ovnguard.reconciler.plan.host.host_diff import HostOperation, host_as_text, host_diff
from ovnguard.reconciler.plan.host.host_plan import HostPlan, keeping
from ovnguard.reconciler.plan.host.items import Address, Flow, Item, Link, Neighbour, Port, Route, Rule, Sysctl, Vrf
from ovnguard.reconciler.plan.host.nft import Hook, Match, NftChain, NftRule, NftSet, elements_of, ruleset
from tests.support.host_samples import plans

PLANS = plans()
NET = ip_network("10.0.0.0/8")
HOP = ip_address("192.0.2.1")
ITEMS: dict[str, tuple[Item, Item, list[str], list[str], list[str]]] = {
    "port": (
        Port("p", "i", "02:00:00:00:00:01", 1400, "a"),
        Port("p", "i", "02:00:00:00:00:01", 1300, "a"),
        [
            "ovs-vsctl --may-exist add-port br-int p -- set Interface p type=internal 'mac=\"02:00:00:00:00:01\"' "
            "mtu_request=1400 external_ids:iface-id=i external_ids:k8s.ovn.org/network=a "
            "external_ids:ovnguard.io/owner=ovnguard"
        ],
        [
            "ovs-vsctl --may-exist add-port br-int p -- set Interface p type=internal 'mac=\"02:00:00:00:00:01\"' "
            "mtu_request=1300 external_ids:iface-id=i external_ids:k8s.ovn.org/network=a "
            "external_ids:ovnguard.io/owner=ovnguard"
        ],
        ["ovs-vsctl --if-exists del-port br-int p"],
    ),
    "vrf": (
        Vrf("v", 1001, "a_b"),
        Vrf("v", 1002, "a_b"),
        ["ip link add dev v type vrf table 1001", "ip link set dev v alias 'ovnguard a_b' up"],
        [
            "ip link del dev v",
            "ip link add dev v type vrf table 1002",
            "ip link set dev v alias 'ovnguard a_b' up",
        ],
        ["ip link del dev v"],
    ),
    "link": (
        Link("p", "v"),
        Link("p"),
        ["ip link set dev p master v up"],
        ["ip link set dev p nomaster up"],
        [],
    ),
    "sysctl": (
        Sysctl("net/ipv4/conf/p/rp_filter", "2"),
        Sysctl("net/ipv4/conf/p/rp_filter", "1"),
        ["sysctl -w net/ipv4/conf/p/rp_filter=2"],
        ["sysctl -w net/ipv4/conf/p/rp_filter=1"],
        [],
    ),
    "address": (
        Address("p", ip_interface("fd00::1/64"), bare=True),
        Address("p", ip_interface("fd00::1/64")),
        ["ip address replace fd00::1/64 dev p nodad noprefixroute"],
        ["ip address replace fd00::1/64 dev p nodad"],
        ["ip address del fd00::1/64 dev p"],
    ),
    "neighbour": (
        Neighbour("p", HOP, "02:00:00:00:00:01"),
        Neighbour("p", HOP, "02:00:00:00:00:02"),
        ["ip neighbour replace 192.0.2.1 lladdr 02:00:00:00:00:01 dev p nud permanent"],
        ["ip neighbour replace 192.0.2.1 lladdr 02:00:00:00:00:02 dev p nud permanent"],
        ["ip neighbour del 192.0.2.1 lladdr 02:00:00:00:00:01 dev p nud permanent"],
    ),
    "flow": (
        Flow("b", 1, 100, "ip,in_port={uplink}", "drop"),
        Flow("b", 1, 100, "ip,in_port={uplink}", "LOCAL"),
        [
            "ovs-ofctl -O OpenFlow15 --bundle add-flows b - <<< "
            "'add cookie=0x6f766e67,table=1,priority=100,ip,in_port={uplink},actions=drop'"
        ],
        [
            "ovs-ofctl -O OpenFlow15 --bundle add-flows b - <<< "
            "'add cookie=0x6f766e67,table=1,priority=100,ip,in_port={uplink},actions=LOCAL'"
        ],
        [
            "ovs-ofctl -O OpenFlow15 --bundle add-flows b - <<< "
            "'delete_strict cookie=0x6f766e67/-1,table=1,priority=100,ip,in_port={uplink}'"
        ],
    ),
    "marked address": (
        Address("p", ip_interface("192.0.2.9/32"), marked=True),
        Address("p", ip_interface("192.0.2.9/32")),
        ["ip address replace 192.0.2.9/32 dev p metric 7118"],
        ["ip address replace 192.0.2.9/32 dev p"],
        ["ip address del 192.0.2.9/32 dev p"],
    ),
    "route": (
        Route(7, NET, "p", HOP, 1400),
        Route(7, NET, "p"),
        ["ip -4 route add 10.0.0.0/8 via 192.0.2.1 dev p mtu 1400 table 7 proto 118"],
        ["ip -4 route replace 10.0.0.0/8 dev p scope link table 7 proto 118"],
        ["ip -4 route del 10.0.0.0/8 via 192.0.2.1 dev p mtu 1400 table 7 proto 118"],
    ),
}


@pytest.mark.parametrize(("before", "after", "made", "changed", "gone"), ITEMS.values(), ids=ITEMS.keys())
def test_commands(before: Item, after: Item, made: list[str], changed: list[str], gone: list[str]) -> None:
    one, two, none = HostPlan("n", (before,)), HostPlan("n", (after,)), HostPlan("n")
    assert [str(each) for each in commands_of(host_diff(none, one))] == made
    assert [str(each) for each in commands_of(host_diff(one, two))] == changed
    assert [str(each) for each in commands_of(host_diff(one, none))] == gone
    assert host_diff(one, one) == ()


def test_a_rule_is_another_one_when_anything_of_it_changes() -> None:
    before, after = Rule(31, 4, 7, NET, "lo"), Rule(31, 4, 8, NET, "lo")
    changes = host_as_text(host_diff(HostPlan("n", (before,)), HostPlan("n", (after,))))
    assert changes == "  - rule 31: iif lo to 10.0.0.0/8 lookup 7\n  + rule 31: iif lo to 10.0.0.0/8 lookup 8\n"


@pytest.mark.parametrize("name", sorted(PLANS))
def test_what_depends_goes_first_and_comes_last(name: str) -> None:
    plan, none = PLANS[name], HostPlan("node1")
    made, gone = host_diff(none, plan), host_diff(plan, none)
    items = [each.subject for each in made if not isinstance(each.subject, (NftSet, NftChain))]
    assert items == list(plan.items)
    kinds = list(dict.fromkeys(item.kind for item in items))
    taken = [each.subject.kind for each in gone if not isinstance(each.subject, (NftSet, NftChain))]
    assert list(dict.fromkeys(taken)) == [kind for kind in reversed(kinds) if kind not in ("link", "sysctl")]
    assert host_diff(plan, plan) == ()


def test_order_of_operations() -> None:
    old = HostPlan("n", (Route(7, NET, "p", HOP), Rule(31, 4, 7)), (NftSet("s", 4),), ())
    new = HostPlan("n", (Port("q", "i", "m", 1), Rule(30, 6, 7)), (), (NftChain("c"),))
    assert host_as_text(host_diff(old, new)) == (
        "  - rule 31: lookup 7\n"
        "  - route 10.0.0.0/8 via 192.0.2.1 dev p table 7\n"
        "  + port q of br-int: iface-id i mac m mtu 1\n"
        "  + rule -6 30: lookup 7\n"
        "  - nft set s\n"
        "  + nft chain c\n"
    )


def test_networks_are_no_difference() -> None:
    assert host_diff(HostPlan("n", (Vrf("v", 1, "a"),)), HostPlan("n", (Vrf("v", 1, "b"),))) == ()


DROP = NftChain("udn-bgp-drop", (NftRule((Match("ip daddr", "@advertised-udn-subnets-v4"),), "drop"),))
OURS = HostPlan(
    "n",
    (Rule(1, 4, 7, network="default"), Rule(2, 4, 1001, network="a"), Rule(3, 4, 1002, network="b")),
    (NftSet("advertised-udn-subnets-v4", 4, ("10.1.0.0/16", "10.4.0.0/16")), NftSet("exempt", 4, ("1.1.1.1",))),
    (NftChain("main"), DROP),
)
NEW = HostPlan("n", (Rule(2, 4, 1001, network="a"),), (NftSet("advertised-udn-subnets-v4", 4, ("10.0.0.0/16",)),))
DOUBTS = {
    "nobody": (frozenset[str](), ["2"], {"advertised-udn-subnets-v4": ("10.0.0.0/16",)}, []),
    "a user's": (
        frozenset({"b"}),
        ["2", "3"],
        {"advertised-udn-subnets-v4": ("10.0.0.0/15", "10.4.0.0/16")},
        ["udn-bgp-drop"],
    ),
    "the default": (
        frozenset({"default"}),
        ["2", "1"],
        {"advertised-udn-subnets-v4": ("10.0.0.0/15", "10.4.0.0/16"), "exempt": ("1.1.1.1",)},
        ["main", "udn-bgp-drop"],
    ),
}


@pytest.mark.parametrize(("doubtful", "rules", "sets", "chains"), DOUBTS.values(), ids=DOUBTS.keys())
def test_networks_in_doubt_stay(
    doubtful: frozenset[str], rules: list[str], sets: dict[str, tuple[str, ...]], chains: list[str]
) -> None:
    kept = keeping(NEW, OURS, doubtful)
    assert [str(item.priority) for item in kept.items if isinstance(item, Rule)] == rules
    assert {each.name: each.elements for each in kept.sets} == sets
    assert [each.name for each in kept.chains] == chains


def test_a_planned_chain_is_not_the_observed_one() -> None:
    planned = NftChain("main", (NftRule((), "return"),))
    kept = keeping(replace(NEW, chains=(planned,)), OURS, {"default"})
    assert planned in kept.chains


def test_elements_are_disjoint_and_sorted() -> None:
    texts = ["10.0.1.0/24", "10.0.0.0/24", "10.0.0.7/32", "192.0.2.1/32"]
    assert elements_of(ip_network(text) for text in texts) == ("10.0.0.0/23", "192.0.2.1")
    assert elements_of([ip_network("fd00::1/128"), ip_network("fd00::2/128")]) == ("fd00::1", "fd00::2")


def test_nothing_has_no_table() -> None:
    assert ruleset((), ()) == ""
    assert plan_as_text(HostPlan("n")) == "# ---- node n\n"


def test_a_ruleset_as_text() -> None:
    chain = NftChain("c", (NftRule((Match("oifname", "p", True),), "return"),), Hook("nat", "postrouting", 100))
    assert ruleset((NftSet("s", 6),), (chain,)) == (
        "table inet ovnguard {\n"
        "\tset s {\n\t\ttype ipv6_addr\n\t\tflags interval\n\t}\n\n"
        "\tchain c {\n\t\ttype nat hook postrouting priority 100; policy accept;\n"
        '\t\toifname != "p" return\n\t}\n}\n'
    )


def test_an_operation_knows_what_it_is_about() -> None:
    rule = Rule(1, 4, 2)
    assert HostOperation(rule, None).subject is rule
    assert (HostOperation(None, rule).op, HostOperation(rule, rule).op) == ("insert", "update")


def test_what_nobody_can_tell_the_network_of_stays_with_those_in_doubt() -> None:
    lost = HostPlan("n", (Rule(9, 4, 1009),))
    assert keeping(HostPlan("n"), lost, {"b"}).items == ()
    assert keeping(HostPlan("n"), lost, {"b", ""}).items == lost.items


def test_no_doubt_keeps_nothing_of_isolation() -> None:
    assert keeping(HostPlan("n"), OURS, {"gone"}) == HostPlan("n")


def test_what_everything_takes_still_leads_to_networks_in_doubt() -> None:
    def shared(*ports: str) -> Flow:
        return Flow("b", 0, 10, "dl_dst=m", "".join(f"output:{{{port}}}," for port in ports) + "NORMAL", "default")

    theirs = Flow("b", 0, 9, "in_port={patch-x}", "drop", "x")
    observed = HostPlan("n", (shared("patch-x", "patch-y"), theirs))
    kept = keeping(HostPlan("n", (shared("patch-y"),)), observed, {"x"})
    assert kept.items == (shared("patch-y", "patch-x"), theirs)
    assert keeping(HostPlan("n", (shared("patch-y"),)), observed, ()).items == (shared("patch-y"),)
