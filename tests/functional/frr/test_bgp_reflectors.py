"""The generated fabric with route reflectors in real FRR, dual stack; the role moves without a lost packet."""

import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from ovnguard.reconciler.plan.planner import Plan, make_plan
from ovnguard.reconciler.plan.rows.routing_model import RoutingInputs
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import ROUTE_REFLECTOR, ManagedBGP
from tests.support.frr_nodes import file_of
from tests.support.lab.bgp_fabric import Fabric, lab_nodes, pod_address
from tests.support.plan_samples import DUAL_DEFAULT, nodes
from tests.testbed.fixtures import need
from tests.testbed.frr import FrrLab, FrrNode
from tests.testbed.parts import Parts
from tests.testbed.pinging import pinging

LabFactory = Callable[[Sequence[FrrNode]], FrrLab]
NETWORK = DUAL_DEFAULT._replace(managed_bgp=ManagedBGP(64512, ROUTE_REFLECTOR))
LABELS = {"k8s.ovn.org/internal-bgp-role": "route-reflector"}


def members(*reflectors: str) -> tuple[Node, ...]:
    """Five nodes, some of which are labelled."""
    return tuple(each._replace(labels=LABELS) if each.name in reflectors else each for each in nodes(5, v6=True))


def planned(made: Sequence[Node], **declared: Any) -> Plan:
    plan = make_plan([NETWORK], made, Settings(routing=RoutingInputs(**declared)))
    assert plan.errors == ()
    return plan


def confs(plan: Plan) -> dict[str, str]:
    return {zone.node: zone.frr for zone in plan.zones}


def addresses(made: Sequence[Node], names: Collection[str]) -> set[str]:
    return {str(address) for each in made if each.name in names for address in each.internal_ips}


def test_packets_do_not_go_through_a_reflector(frr_lab: LabFactory) -> None:
    made = members("node1", "node2")
    lab = frr_lab(lab_nodes(confs(planned(made)), made))
    Fabric(lab, made).wait_learnt(100)
    own = {name: held(node) for name, node in lab.nodes.items()}
    for source, target in ((one, other) for one in made for other in made if one is not other):
        for family, share in zip(("-4", "-6"), target.host_subnets["default"], strict=True):
            found = hops(lab[source.name], family, str(share))
            assert found, (source.name, target.name)
            assert found <= own[target.name], (source.name, target.name)


def hops(node: FrrNode, family: str, destination: str) -> set[str]:
    """Where a route leads: by IPv6 a reflector learns of both addresses of a node, and uses both."""
    (route,) = node.namespace.ip_json(family, "route", "show", destination, "proto", "bgp")
    return {each["gateway"] for each in (route, *route.get("nexthops", ())) if "gateway" in each}


def held(node: FrrNode) -> set[str]:
    """The addresses of a node's link, link-local ones included."""
    (link,) = node.namespace.ip_json("address", "show", "dev", "eth0")
    return {address["local"] for address in link["addr_info"]}


def test_the_role_moves_without_a_lost_packet(frr_lab: LabFactory, parts: Parts, tmp_path: Path) -> None:
    need(parts, "tools")
    before, after = members("node1", "node2"), members("node2", "node3")
    first, wanted = planned(before), confs(planned(after))
    lab = frr_lab(lab_nodes(confs(first), before))
    Fabric(lab, before).wait_learnt(100)
    source, target = (pod_address(each, 4) for each in before[3:])
    steps, documents, deadline = [confs(first)], tuple(first.routing.configurations), time.monotonic() + 150
    with pinging(lab["node4"].namespace, parts.tools, source, target, tmp_path / "ping.out") as ping:
        while steps[-1] != wanted:
            assert time.monotonic() < deadline, f"after {len(steps)} steps"
            plan = planned(after, configurations=documents, sessions=established(lab))
            documents = tuple(plan.routing.configurations)
            if confs(plan) != steps[-1]:
                steps.append(confs(plan))
                lab.each(lambda node: file_of(node).write(steps[-1][node.name]))
            time.sleep(0.2)
        Fabric(lab, after).wait_learnt(100)
        ping.wait_more(100)
        assert ping.loss.lost == 0
    # both roles first, and only then without the former one
    assert len(steps) == 3
    assert set(lab["node4"].peers()) == addresses(after, ("node2", "node3"))


def established(lab: FrrLab) -> dict[str, frozenset[str]]:
    """The addresses with which each node has established sessions."""
    return {
        name: frozenset(peer for peer, state in node.peers().items() if state == "Established")
        for name, node in lab.nodes.items()
    }
