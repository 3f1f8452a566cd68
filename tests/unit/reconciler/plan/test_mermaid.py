"""Pictures: what golden files do not show."""

from reconciler.plan.mermaid import pictures
from reconciler.plan.plan import make_plan
from reconciler.plan.settings import Settings
from tests.unit.reconciler.plan.samples import default_network, node, nodes, udn
from validators.network.model import Role


def test_only_primary_layer2_networks_have_a_picture() -> None:
    networks = [udn("b_c"), udn("a_b"), udn("s_s", role=Role.SECONDARY), default_network()]
    plan = make_plan(networks, nodes(2), Settings())
    assert [network for network, _ in pictures(plan.zones)] == ["a_b", "b_c"]
    assert pictures(()) == ()


def test_identifiers_of_similar_names_differ() -> None:
    names = ("a-b", "a.b", "a--b", "a")
    members = [node(number, name=name) for number, name in enumerate(names, 1)]
    ((_, text),) = pictures(make_plan([udn("a_b")], members, Settings()).zones)
    subgraphs = [line.split("[")[0].strip() for line in text.splitlines() if "subgraph" in line]
    assert subgraphs == ["subgraph node_a", "subgraph node_a__b", "subgraph node_a_b", "subgraph node_aDb"]
    assert text.count("subgraph") == text.count("\n    end\n") == 4


def test_label_of_many_remote_ports_is_cut() -> None:
    ((_, text),) = pictures(make_plan([udn("a_b")], nodes(12), Settings()).zones)
    assert text.count("<br>and 3 more") == 12
