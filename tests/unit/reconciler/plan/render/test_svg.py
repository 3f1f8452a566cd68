"""The picture holds what the rows hold, and is XML."""

import xml.etree.ElementTree as ET

import pytest

from reconciler.plan.planner import make_plan
from reconciler.plan.render.svg import drawing
from reconciler.plan.rows import ZonePlan
from tests.support.plan_samples import SERVICES, V4, V6, nodes, udn

SPACE = {"s": "http://www.w3.org/2000/svg"}


def plan(count: int = 3, **changes):
    return make_plan([udn("a_b", V4, V6, **changes)], nodes(count, v6=True), SERVICES).zones


def test_every_router_switch_and_edge_port_is_a_box():
    root = ET.fromstring(drawing(plan()[:1]))
    titles = {title.text or "" for title in root.findall(".//s:title", SPACE)}
    assert {title.split()[0] for title in titles} == {
        "GR_a_b_node1",
        "a_b_ovn_layer2_switch",
        "a_b_transit_router",
        "breth0_a_b_node1",
        "ext_a_b_node1",
        "k8s-a_b_node1",
    }
    texts = [text.text or "" for text in root.findall(".//s:text", SPACE)]
    assert texts[0] == "node node1, network a_b"
    assert "100.88.0.4/31" in texts
    assert any(text.startswith("trtor-GR_a_b_node2 100.88.0.6/31") for text in texts)


def test_many_remote_ports_are_counted():
    assert "and 6 more" in drawing(plan(10)[:1])


def test_every_zone_is_drawn_below_the_one_before():
    root = ET.fromstring(drawing(plan()))
    heads = [int(text.attrib["y"]) for text in root.findall("s:text[@class='title']", SPACE)]
    assert len(heads) == 3
    assert heads == sorted(heads)
    assert int(root.attrib["height"]) > heads[-1]


@pytest.mark.parametrize("zones", [(), (ZonePlan("n", (), ""),)], ids=["no zone", "no row"])
def test_nothing_is_no_picture(zones):
    assert drawing(zones) == ""
