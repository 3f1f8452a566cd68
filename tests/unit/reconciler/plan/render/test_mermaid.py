"""Pictures: what golden files do not show."""

import re

from reconciler.plan.planner import make_plan
from reconciler.plan.render.mermaid import picture
from reconciler.plan.settings import Settings
from tests.support.plan_samples import default_network, node, nodes, udn
from validators.network.model import Role


def test_only_primary_layer2_networks_are_drawn() -> None:
    networks = [udn("b_c"), udn("a_b"), udn("s_s", role=Role.SECONDARY), default_network()]
    text = picture(make_plan(networks, nodes(2), Settings()).zones)
    assert text.startswith("---\ntitle: 2 networks\n---\nflowchart LR\n")
    assert re.findall(r"subgraph network_.*", text) == ['subgraph network_1["a_b"]', 'subgraph network_2["b_c"]']
    assert picture(()) == ""


def test_several_networks_are_one_document_without_shared_identifiers() -> None:
    text = picture(make_plan([udn("b_c"), udn("a_b")], nodes(3), Settings()).zones)
    assert text.count("flowchart") == text.count("title:") == 1
    assert text.count("---\n") == 2
    declared = re.findall(r"^ *(?:subgraph )?(\w+)[\[{(]", text, re.MULTILINE)
    assert len(set(declared)) == len(declared) == 2 * (1 + 1 + 3 * 6)
    ends = re.findall(r"^ *(\w+) -(?:--|.-).* (\w+)$", text, re.MULTILINE)
    assert len(ends) == 2 * 3 * 6
    assert {end for edge in ends for end in edge} <= set(declared)
    assert text.count("subgraph") == len(re.findall(r"^ *end$", text, re.MULTILINE)) == 2 * (1 + 3)


def test_identifiers_of_similar_names_differ() -> None:
    names = ("a-b", "a.b", "a--b", "a")
    members = [node(number, name=name) for number, name in enumerate(names, 1)]
    text = picture(make_plan([udn("a_b")], members, Settings()).zones)
    subgraphs = [line.split("[")[0].strip() for line in text.splitlines() if "subgraph" in line]
    assert subgraphs == ["subgraph node_a", "subgraph node_a__b", "subgraph node_a_b", "subgraph node_aDb"]
    assert text.count("subgraph") == text.count("\n    end\n") == 4


def test_label_of_many_remote_ports_is_cut() -> None:
    text = picture(make_plan([udn("a_b")], nodes(12), Settings()).zones)
    assert text.count("<br>and 3 more") == 12
