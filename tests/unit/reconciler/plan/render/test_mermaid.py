"""Mermaid pictures of planned networks: their nodes, and what each edge is labelled with."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import pytest

from reconciler.plan.names import Names
from reconciler.plan.planner import make_plan
from reconciler.plan.render.mermaid import picture
from reconciler.plan.rows import Row
from reconciler.plan.settings import Settings
from tests.support.plan_samples import V4, V6, default_network, node, nodes, udn
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


def drawn(text: str) -> tuple[dict[str, str], dict[tuple[str, str], str]]:
    """Labels of the nodes of a picture, and of its edges by their two ends."""
    nodes_found = dict(re.findall(r'^ *(\w+)(?:\["|\(\["|\{\{")(.*?)"(?:\]|\]\)|\}\}):::\w+$', text, re.MULTILINE))
    edges = re.findall(r'^ *(\w+) (?:---|-\.-)(?:\|"(.*)"\|)? (\w+)$', text, re.MULTILINE)
    return nodes_found, {(one, other): label for one, label, other in edges}


def columns(plan_rows: Sequence[Row], table: str, name: str) -> Mapping[str, Any]:
    (found,) = [row.columns for row in plan_rows if row.table == table and row.columns["name"] == name]
    return found


@pytest.mark.parametrize("subnets", [(V4,), (V4, V6)], ids=["ipv4", "dual"])
def test_picture_shows_the_planned_routers_ports_and_keys(subnets: tuple[Any, ...]) -> None:
    plan = make_plan([udn("a_b", *subnets)], nodes(3, v6=len(subnets) == 2), Settings())
    labels, edges = drawn(picture(plan.zones))
    prefix, kinds = Names("a_b").prefix, ("mp", "sw", "tr", "gr", "br")
    assert set(labels) == {"geneve", *(f"{kind}_{zone.node}" for zone in plan.zones for kind in kinds)}
    for zone in plan.zones:
        node_name = zone.node
        router = columns(zone.rows, "Logical_Router", f"{prefix}transit_router")
        switch = columns(zone.rows, "Logical_Switch", f"{prefix}ovn_layer2_switch")
        assert labels[f"tr_{node_name}"] == f"{prefix}transit_router<br>(key {router['options']['requested-tnl-key']})"
        assert labels[f"sw_{node_name}"] == (
            f"{prefix}ovn_layer2_switch<br>(key {switch['other_config']['requested-tnl-key']})"
        )
        assert labels[f"gr_{node_name}"] == f"GR_{prefix}{node_name}"
        chain = [f"{kind}_{node_name}" for kind in kinds]
        assert {pair for pair in edges if set(pair) <= set(chain)} == set(pairwise(chain))
        for pair, ports in (
            ((f"sw_{node_name}", f"tr_{node_name}"), (f"trtos-{prefix}ovn_layer2_switch",)),
            (
                (f"tr_{node_name}", f"gr_{node_name}"),
                (f"trtor-GR_{prefix}{node_name}", f"rtotr-GR_{prefix}{node_name}"),
            ),
            ((f"gr_{node_name}", f"br_{node_name}"), (f"rtoe-GR_{prefix}{node_name}",)),
        ):
            for port in ports:
                planned = columns(zone.rows, "Logical_Router_Port", port)
                for value in (*planned["networks"], planned["mac"]):
                    assert str(value) in edges[pair]
        tunnels = edges[f"tr_{node_name}", "geneve"]
        assert {zone.node for zone in plan.zones if f"trtor to {zone.node} " in tunnels} == {
            zone.node for zone in plan.zones if zone.node != node_name
        }
        assert (f"sw_{node_name}", "geneve") in edges
