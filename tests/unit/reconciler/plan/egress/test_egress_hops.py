"""Egress addresses on a node's bridge, and on its other interfaces."""

from dataclasses import replace
from ipaddress import ip_interface

from ovnguard.reconciler.plan.desired_state import JudgedNetworks, plan_networks
from ovnguard.reconciler.plan.egress.egress_hops import on_bridges
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.declared.node import Node, ParsedNode
from tests.support.plan_samples import node, sharing
from tests.support.plan_scenarios import OVERLAY_DEFAULT, leaving

PODS = {"node1": ("10.128.2.11",)}


def with_storage(number: int) -> Node:
    """A node with a second interface."""
    (member,) = sharing((node(number),), OVERLAY_DEFAULT)
    return member._replace(host_cidrs=(*member.host_cidrs, ip_interface(f"10.9.0.{number}/24")))


def note(address: str) -> str:
    text = "is on another interface than the bridge, so the node itself has to route and translate"
    return f"node node2: EgressIP out: {address} {text}"


def test_an_address_on_another_interface_is_left_out_and_reported() -> None:
    egress = leaving(OVERLAY_DEFAULT, "node2=10.9.0.77", "node1=172.18.0.201", pods=PODS)
    (kept,), notes = on_bridges((egress, egress)[:1], [with_storage(1), with_storage(2)])
    assert (kept, list(map(str, notes))) == (replace(egress, hops=egress.hops[1:]), [note("10.9.0.77")])
    _, notes = on_bridges((egress, replace(egress, network="a_b")), [with_storage(2)])
    assert list(map(str, notes)) == [note("10.9.0.77")]


def test_any_other_address_is_on_the_bridge() -> None:
    egress = leaving(OVERLAY_DEFAULT, *("node2=172.18.0.202", "node2=203.0.113.7", "node9=10.9.0.77"), pods=PODS)
    assert on_bridges((egress,), [with_storage(1), with_storage(2)]) == ((egress,), ())
    wide = with_storage(2)._replace(host_cidrs=(ip_interface("172.18.0.3/8"),))
    assert on_bridges((egress,), [wide]) == ((egress,), ())
    bare = Node("node2", host_cidrs=(ip_interface("172.18.0.3/16"),))
    (kept,), _ = on_bridges((egress,), [bare._replace(primary_addresses=(ip_interface("172.18.0.3/16"),))])
    assert kept == egress


def test_neither_rows_nor_the_host_part_have_it() -> None:
    egress = leaving(OVERLAY_DEFAULT, "node2=10.9.0.77", pods=PODS)
    members = [ParsedNode(with_storage(number)) for number in (1, 2)]
    judged = JudgedNetworks((), (OVERLAY_DEFAULT,))
    state = plan_networks(judged, members, Settings(egress=(egress,)))
    assert note("10.9.0.77") in map(str, state.plan.notes)
    without = plan_networks(judged, members, Settings())
    assert [tuple(zone.rows) for zone in state.plan.zones] == [tuple(zone.rows) for zone in without.plan.zones]
    assert [each.hops for each in state.host_inputs("node2").settings.egress] == [()]
    beside = leaving(OVERLAY_DEFAULT, "node2=172.18.0.202", pods=PODS)
    planned = plan_networks(judged, members, Settings(egress=(beside,)))
    assert planned.plan.zones[1].rows != without.plan.zones[1].rows
