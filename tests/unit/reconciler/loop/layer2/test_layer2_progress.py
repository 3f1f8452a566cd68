"""When the annotations of the earlier Layer2 topology go, and how far the nodes have come."""

from typing import Any

import pytest

from ovnguard.reconciler.apply.kube_report import KEY
from ovnguard.reconciler.loop.layer2.layer2_progress import Ending, counts_of, ending
from ovnguard.reconciler.loop.status.zone_report import ZoneReport, to_json
from ovnguard.validators.network.declared.node import ROUTER_PORT_KEYS, TOPOLOGY_VERSION, Node, node_of

KEYS = {ROUTER_PORT_KEYS: '{"cluster_udn_blue":"4"}'}
UPGRADED = {TOPOLOGY_VERSION: "2.0"}


def node(name: str, annotations: dict[str, str]) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "annotations": annotations}}


def report(name: str, *, legacy: bool) -> dict[str, Any]:
    text = to_json(ZoneReport(name, "own", layer2_legacy=legacy), "now", 300.0)
    return {"metadata": {"name": f"ovnguard-zone-{name}"}, "data": {KEY: text}}


def parsed(obj: dict[str, Any]) -> Node:
    found = node_of(obj).node
    assert found is not None
    return found


@pytest.mark.parametrize("names", [("a",), ("b",), ("a", "b")])
def test_all_annotations_stay_while_a_node_has_the_earlier_topology_though_no_zone_supports_it(names):
    """Without them, no zone would know that the node still has it."""
    nodes = [node(name, KEYS if name in names else UPGRADED) for name in ("a", "b")]
    reports = [report(name, legacy=False) for name in ("a", "b")]
    assert ending(nodes, reports) == Ending({}, names)


def test_they_go_with_the_last_node_and_the_last_zone_that_need_them():
    nodes = [node("a", UPGRADED), node("b", {**UPGRADED, **KEYS})]
    assert ending(nodes, [report("a", legacy=False), report("b", legacy=True)]) == Ending({}, ("b",))
    gone = {
        0: {"metadata": {"annotations": {TOPOLOGY_VERSION: None}}},
        1: {"metadata": {"annotations": {TOPOLOGY_VERSION: None, ROUTER_PORT_KEYS: None}}},
    }
    assert ending(nodes, [report("a", legacy=False), report("b", legacy=False)]) == Ending(gone)


def test_all_annotations_stay_while_a_node_cannot_be_read():
    nodes = [node("a", UPGRADED), node("not a name", {})]
    assert ending(nodes, [report("a", legacy=False)]) == Ending({})


def test_nodes_are_counted_by_topology():
    nodes = [parsed(node(*each)) for each in (("a", UPGRADED), ("b", KEYS), ("c", {}))]
    assert counts_of(nodes) == {"transit-router": 1, "legacy": 1, "unknown": 1}
