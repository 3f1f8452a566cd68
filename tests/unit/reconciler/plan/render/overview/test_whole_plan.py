"""One picture of a whole plan, and one of each network, from the same rows."""

from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.render.overview.model import Entry, Mark, Outside, Overview
from ovnguard.reconciler.plan.render.overview.whole_plan import overviews
from ovnguard.reconciler.plan.rows.row import ZonePlan
from ovnguard.reconciler.plan.rows.settings import Settings
from tests.support.plan_samples import default_network, layer3, nodes, sharing, udn
from tests.support.plan_scenarios import LOCALNET, SCENARIOS

GREEN = layer3("green")
NETWORKS = (GREEN, LOCALNET, default_network())


def zones(count: int) -> tuple[ZonePlan, ...]:
    return make_plan(NETWORKS, sharing(nodes(count), *NETWORKS), Settings()).zones


def test_five_nodes_have_lanes_and_the_others_are_counted() -> None:
    found = overviews(zones(12))
    for each in (found.whole, *found.networks.values()):
        assert [lane.node for lane in each.lanes] == ["node1", "node10", "node11", "node12", "node2"]
        assert each.more_nodes == tuple(f"node{number}" for number in range(3, 10))


def test_the_whole_plan_has_a_mark_of_each_network_where_it_is() -> None:
    whole = overviews(zones(2)).whole
    assert whole.title == "The whole plan: 3 networks on 2 nodes"
    stations = [station for station in whole.lanes[0].stations if station is not None]
    assert [(each.title, [mark.network for mark in each.marks]) for each in stations] == [
        ("3 networks", [0, 1, 2]),
        ("3 switches", [0, 1, 2]),
        ("2 routers", [1, 2]),
        ("2 gateways", [1, 2]),
    ]
    assert whole.lanes[0].links == (("3 subnets",), (), (), ("BGP",))
    assert whole.outside == (
        Outside("Physical network", "storage"),
        Outside("Routed fabric"),
        Outside("Physical network", "physnet"),
    )
    assert whole.key == (
        Entry("cluster_udn_wire", "wire", "Localnet, 192.168.50.0/24"),
        Entry("default", "default", "Layer3, BGP, 10.128.4.0/23 and others"),
        Entry("green", "green", "Layer3, Geneve tunnels, 10.20.2.0/24 and others"),
    )


def test_what_a_plan_adds_is_new() -> None:
    planned = zones(2)
    new = {(zone.node, row.uuid) for zone in planned for row in zone.rows if row.network == "green"}
    found = overviews(planned, inserted=new)
    assert [each.is_new for each in found.whole.key] == [False, False, True]
    gateway = found.whole.lanes[0].stations[3]
    assert gateway is not None
    assert gateway.marks == (Mark(1, is_new=False), Mark(2, is_new=True))
    # a new node of an old network
    found = overviews(planned, inserted={each for each in new if each[0] == "node2"})
    switches = [station.marks[2].is_new for lane in found.whole.lanes if (station := lane.stations[1]) is not None]
    assert (switches, found.whole.key[2].is_new) == ([False, True], False)


def test_namespaces_of_people_are_below_the_pods() -> None:
    found = overviews(zones(1), namespaces={"green": ("shop", "billing")})
    pods = found.networks["green"].lanes[0].stations[0]
    assert pods is not None
    assert pods.names == ("billing", "shop")
    assert found.networks["green"].names == ("green", "node1", "billing", "shop", "physnet")


def test_services_are_counted_over_all_networks() -> None:
    assert overviews(SCENARIOS["layer2-services"].plan().zones).whole.lanes[0].links[3] == ("12 VIPs",)


def test_nothing_is_a_picture_without_lanes() -> None:
    found = overviews([ZonePlan("node1", (), "")])
    title = "The whole plan: no network on 1 node"
    assert found.whole == Overview(title, title, (), ("node1",))
    assert found.networks == {}


def test_a_network_has_the_number_of_its_colour() -> None:
    found = overviews(make_plan([udn("a_b"), udn("a_c")], nodes(1), Settings()).zones)
    assert [(name, each.colour) for name, each in found.networks.items()] == [("a_b", 0), ("a_c", 1)]


def test_labels_have_no_prefix_where_they_stay_different() -> None:
    networks = [udn(name) for name in ("cluster_udn_a", "cluster_udn_b_c", "b_c")]
    found = overviews(make_plan(networks, nodes(1), Settings()).zones)
    assert [(each.network, each.label) for each in found.whole.key] == [
        ("b_c", "b_c"),
        ("cluster_udn_a", "a"),
        ("cluster_udn_b_c", "cluster_udn_b_c"),
    ]
    picture = found.networks["cluster_udn_a"]
    assert (picture.title, picture.heading) == ("Network cluster_udn_a", "Network a")
