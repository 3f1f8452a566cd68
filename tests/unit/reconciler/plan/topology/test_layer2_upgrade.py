"""When a node may change to transit routers, and what is left when no node has the earlier topology."""

import pytest

from ovnguard.reconciler.plan.topology.layer2_upgrade import (
    LEGACY_OFF,
    NO_KEYS,
    Standing,
    legacy_nodes,
    standing_of,
    without_legacy,
)
from ovnguard.validators.network.declared.network_of import network_of
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import Network
from tests.support.fake_cluster import cudn

LEGACY = Node(name="old", router_port_keys={"cluster_udn_blue": 4})
UPGRADED = Node(name="new", topology_version="2.0", router_port_keys={"cluster_udn_blue": 5})
UNKNOWN = Node(name="who")


def network(name: str) -> Network:
    found = network_of(cudn(name)).network
    assert found is not None
    return found


BLUE, RED = network("blue"), network("red")
RUNS = "Network cluster_udn_{}_ovn_layer2_switch has running pods, not switching to transit router topology yet: {}"


@pytest.mark.parametrize(
    ("node", "ready", "pods", "reasons"),
    [
        pytest.param(LEGACY, {"cluster_udn_blue"}, {}, (), id="drained"),
        pytest.param(UNKNOWN, {"cluster_udn_blue"}, {}, (), id="never decided"),
        pytest.param(LEGACY, {"cluster_udn_red"}, {}, (), id="the keys of one network are enough"),
        pytest.param(LEGACY, set(), {}, (NO_KEYS,), id="no keys"),
        pytest.param(
            LEGACY,
            {"cluster_udn_blue"},
            {"cluster_udn_blue": ("a/one", "a/two"), "cluster_udn_red": ("b/x",)},
            (RUNS.format("blue", "a/one, a/two"), RUNS.format("red", "b/x")),
            id="pods of two networks",
        ),
    ],
)
def test_a_node_changes_when_it_runs_no_pod_and_keys_are_there(node, ready, pods, reasons):
    found = standing_of(node, [BLUE, RED], ready, pods)
    assert found == Standing(node.name, False, reasons)
    assert found.is_ready is not bool(reasons)


def test_a_node_without_networks_changes_at_once():
    assert standing_of(UNKNOWN, [], set(), {}).is_ready


def test_an_upgraded_node_stays_so_with_pods():
    assert standing_of(UPGRADED, [BLUE], {BLUE.name}, {BLUE.name: ("a/b",)}) == Standing("new", True)


def test_nodes_that_still_have_the_earlier_topology():
    assert legacy_nodes([UNKNOWN, LEGACY, UPGRADED]) == ("old",)


def test_without_the_earlier_topology_no_node_needs_an_annotation():
    nodes, errors = without_legacy([UNKNOWN, UPGRADED])
    assert {node.name: node.topology_version for node in nodes} == {"who": "2.0", "new": "2.0"}
    assert errors == ()


def test_a_node_that_still_has_it_keeps_it():
    nodes, (error,) = without_legacy([LEGACY, UNKNOWN])
    assert nodes[0] == LEGACY
    assert (error.text, error.node) == (LEGACY_OFF, "old")
