"""The pictures of a page: both arrangements, the names in them, and every port in words."""

from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.render.pictures import Facts, inserted_rows, pictures, whole_picture
from ovnguard.reconciler.plan.rows.row import Operation
from ovnguard.reconciler.plan.rows.settings import Settings
from tests.support.plan_samples import nodes, udn

BLUE, GREEN = udn("a_blue"), udn("a_green")


def test_a_page_has_a_picture_of_the_plan_and_of_each_network() -> None:
    zones = make_plan([BLUE, GREEN], nodes(2), Settings()).zones
    found = pictures(zones, Facts(namespaces={"a_blue": ("shop",)}))
    assert list(found.networks) == ["a_blue", "a_green"]
    assert found.whole.names == ("a_blue", "a_green", "node1", "node2", "physnet")
    assert found.whole.words == ()
    blue = found.networks["a_blue"]
    assert blue.names == ("a_blue", "node1", "node2", "shop", "physnet")
    assert [each[: each.index(" role=")] for each in blue.svgs] == [
        '<svg class="overview wide" viewBox="0 0 1140 308"',
        '<svg class="overview narrow" viewBox="0 0 336 688"',
    ]
    assert all('aria-label="Network a_blue"' in each and ">shop</text>" in each for each in blue.svgs)
    assert "node1: link between Geneve tunnels and a_blue_ovn_layer2_switch" in blue.words


def test_new_rows_are_those_that_operations_insert() -> None:
    operations = (Operation("insert", "NAT", "a"), Operation("update", "NAT", "b"), Operation("delete", "NAT", "c"))
    assert inserted_rows([("n1", operations), ("n2", operations[1:])]) == {("n1", "a")}


def test_a_file_has_the_picture_of_the_plan_or_of_its_only_network() -> None:
    for networks, title in (
        ((BLUE, GREEN), "The whole plan: 2 networks on 1 node"),
        ((BLUE,), "Network a_blue"),
        ((), "The whole plan: no network on 1 node"),
    ):
        text = whole_picture(make_plan(networks, nodes(1), Settings()).zones)
        assert f'aria-label="{title}" xmlns="http://www.w3.org/2000/svg" width="1140"' in text
        assert "<style>.overview{--ink:" in text
