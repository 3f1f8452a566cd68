"""The lanes of a network hold what the planned rows hold."""

from ipaddress import ip_network

import pytest

from ovnguard.reconciler.plan.planner import Plan, make_plan
from ovnguard.reconciler.plan.render.guesses import NO_GUESSES, Guesses
from ovnguard.reconciler.plan.render.overview.model import ROUTER, SWITCH, Lane, Outside
from ovnguard.reconciler.plan.render.overview.network_rows import network_lanes
from ovnguard.reconciler.plan.render.overview.whole_plan import rows_by_network
from ovnguard.reconciler.plan.rows.settings import Settings
from tests.support.plan_samples import V4, V6, default_network, layer3, nodes, sharing, udn
from tests.support.plan_scenarios import BARE_LOCALNET, LAYER2, LAYER3_BOTH, LOCALNET, SCENARIOS, generations

PHYSICAL = (Outside("Physical network", "physnet"),)


def lanes(plan: Plan, network: str, guesses: Guesses = NO_GUESSES) -> tuple[Lane, ...]:
    parts = [(zone.node, rows_by_network(zone.rows).get(network, ())) for zone in plan.zones]
    return network_lanes(network, parts, guesses)


def titles(lane: Lane) -> list[str]:
    return [each.title if each is not None else "" for each in lane.stations]


def test_a_primary_layer2_network() -> None:
    plan = make_plan([udn("a_b", V4, V6)], nodes(3, v6=True), Settings())
    lane = lanes(plan, "a_b")[1]
    assert lane.node == "node2"
    assert titles(lane) == ["Pods", "Layer2 switch", "Transit router", "Gateway router"]
    assert [each.name for each in lane.stations if each] == [
        *("", "a_b_ovn_layer2_switch", "a_b_transit_router", "GR_a_b_node2")
    ]
    assert lane.links == (
        ("203.203.0.0/16", "2010:100:200::/60"),
        ("gateway 203.203.0.1", "gateway 2010:100:200::1"),
        ("transit 100.88.0.6/31", "transit fd97::6/127"),
        ("172.18.0.3/16", "fc00::3/64"),
    )
    assert (lane.outside, lane.tunnels_at) == (PHYSICAL, SWITCH)


def test_a_layer3_network_has_a_subnet_for_each_node_and_a_transit_switch() -> None:
    network = layer3("l3")
    found = lanes(make_plan([network], sharing(nodes(2), network), Settings()), "l3")
    assert titles(found[0]) == ["Pods", "Node switch", "Cluster router", "Gateway router"]
    assert [each.links[:3] for each in found] == [
        (("10.20.2.0/24",), ("gateway 10.20.2.1",), ("join 100.65.0.0/16",)),
        (("10.20.3.0/24",), ("gateway 10.20.3.1",), ("join 100.65.0.0/16",)),
    ]
    assert found[0].tunnels_at == ROUTER


def test_without_tunnels_the_gateway_leads_to_a_routed_fabric() -> None:
    (lane,) = lanes(make_plan([default_network()], nodes(1), Settings()), "default")
    assert (lane.outside, lane.links[3], lane.tunnels_at) == (
        (Outside("Routed fabric"),),
        ("BGP", "172.18.0.2/16"),
        None,
    )


def test_a_localnet_switch_leads_to_the_physical_network() -> None:
    plan = make_plan([LOCALNET, BARE_LOCALNET], nodes(1), Settings())
    (lane,) = lanes(plan, LOCALNET.name)
    assert titles(lane) == ["Pods", "Localnet switch", "", ""]
    assert lane.links == (("192.168.50.0/24",), ("VLAN 204",), (), ())
    assert lane.outside == (Outside("Physical network", "storage"),)
    assert lanes(plan, BARE_LOCALNET.name)[0].links == ((), (), (), ())


def test_before_the_upgrade_the_switch_leads_to_the_gateway() -> None:
    old, new = lanes(make_plan([LAYER2], generations("on"), Settings()), LAYER2.name)
    assert titles(old) == ["Pods", "Layer2 switch", "", "Gateway router"]
    assert old.links[SWITCH] == ("gateway 203.203.0.1", "gateway 2010:100:200::1")
    assert titles(new) == ["Pods", "Layer2 switch", "Transit router", "Gateway router"]


def test_services_are_counted_where_they_are_balanced() -> None:
    lane = lanes(SCENARIOS["layer2-services"].plan(), LAYER2.name)[0]
    assert (lane.links[SWITCH][-1], lane.links[3][-1], lane.vips) == ("16 VIPs", "12 VIPs", 12)


def test_pods_of_the_node_and_all_known_namespaces() -> None:
    plan = SCENARIOS["layer2-pods"].plan()
    here = network_lanes(
        LAYER2.name, [(each.node, rows_by_network(each.rows)[LAYER2.name]) for each in plan.zones], NO_GUESSES, ["a"]
    )[0]
    assert here.stations[0] is not None
    assert (here.stations[0].title, here.stations[0].names) == ("1 pod", ("a", "ns"))


def test_connected_networks_are_outside() -> None:
    plan = SCENARIOS["connected"].plan()
    for name in (LAYER2.name, LAYER3_BOTH.name):
        assert lanes(plan, name)[0].outside == (*PHYSICAL, Outside("Connected networks", "join"))


def test_guessed_numbers_are_marked() -> None:
    network = layer3("l3")
    plan = make_plan([network], sharing(nodes(1), network), Settings())
    (lane,) = lanes(plan, "l3", Guesses({"l3": {"node1": (ip_network("10.20.2.0/24"),)}}))
    assert lane.links[:2] == (("10.20.2.0/24 (guess)",), ("gateway 10.20.2.1 (guess)",))


@pytest.mark.parametrize("name", sorted(SCENARIOS))
def test_every_switch_and_router_of_pods_is_a_station(name: str) -> None:
    plan = SCENARIOS[name].plan()
    for zone in plan.zones:
        for network, rows in rows_by_network(zone.rows).items():
            found = {str(row.columns["name"]) for row in rows if row.table in ("Logical_Switch", "Logical_Router")}
            between = {each for each in found if each.startswith("ext_") or each.endswith(("join", "transit_switch"))}
            shown = [each for each in lanes(plan, network) if each.node == zone.node]
            stations = {station.name for lane in shown for station in lane.stations if station is not None}
            assert stations - {""} == found - between
