"""Whatever runs out is an error with its numbers about whom it concerns; all others are planned as if nothing were."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from ipaddress import ip_network

import pytest

from ovnguard.reconciler.plan.numbers import network_ids
from ovnguard.reconciler.plan.planner import Plan, make_plan
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import Network, Role, Subnet
from tests.support.plan_samples import SERVICES, V4, V6, layer3, node, nodes, sharing, udn


@dataclass(frozen=True)
class Case:
    """More than fits, what is said of it, and who is planned all the same."""

    networks: tuple[Network, ...]
    nodes: tuple[Node, ...]
    errors: tuple[str, ...]
    planned: frozenset[str]
    settings: Settings = SERVICES
    dynamic_keys: int | None = None


BLUE, RED = udn("cluster_udn_blue", network_id=1), udn("cluster_udn_red", network_id=2)
GREEN = layer3("cluster_udn_green", Subnet(ip_network("10.40.0.0/16"), 24), network_id=3)
FAR = node(2, node_id=200)
FULL_ID = (
    "failed to allocate network ID: failed to allocate the id for the resource cluster_udn_more: all 4095 are in use"
)
FULL_KEYS = (
    "failed to allocate tunnel keys: failed to allocate the id for the resource cluster_udn_red: all 1 are in use"
)


def tight(prefix: str) -> Settings:
    return replace(SERVICES, masquerade_subnets=(ip_network(prefix),))


def every_network_id() -> Case:
    """Secondary networks: each has an id like any other, and one row."""
    many = tuple(
        udn(f"n_{number}", network_id=number, role=Role.SECONDARY, transit_subnets=()) for number in range(1, 4096)
    )
    more = udn("cluster_udn_more", transit_subnets=(ip_network("100.88.0.0/16"),))
    names = frozenset(each.name for each in many)
    return Case((*many, more), nodes(1), (f"network cluster_udn_more: {FULL_ID}",), names)


def dynamic_tunnel_keys() -> Case:
    errors = (f"network cluster_udn_red: {FULL_KEYS}",)
    return Case(
        (BLUE, RED, GREEN), sharing(nodes(1), GREEN), errors, frozenset((BLUE.name, GREEN.name)), dynamic_keys=1
    )


def transit_pairs() -> Case:
    small = BLUE._replace(transit_subnets=(ip_network("100.88.0.0/24"),))
    text = "generated ip 100.88.1.144 from the idx 400 is out of range in the network 100.88.0.0/24"
    errors = (f"network cluster_udn_blue, node node2: {text}",)
    return Case((small, RED), (node(1), FAR), errors, frozenset((BLUE.name, RED.name)))


def transit_pairs_of_ipv6() -> Case:
    small = udn("cluster_udn_blue", V4, V6, network_id=1)
    small = small._replace(transit_subnets=(small.transit_subnets[0], ip_network("fd97::/121")))
    text = "generated ip fd97::190 from the idx 400 is out of range in the network fd97::/121"
    errors = (f"network cluster_udn_blue, node node2: {text}",)
    members = (node(1, v6=True), node(2, v6=True, node_id=200))
    return Case((small,), members, errors, frozenset((BLUE.name,)))


def join_addresses() -> Case:
    small = BLUE._replace(join_subnets=(ip_network("100.70.0.0/25"),))
    text = "generated ip 100.70.0.200 from the idx 200 is out of range in the network 100.70.0.0/25"
    errors = (f"network cluster_udn_blue, node node2: {text}",)
    return Case((small, RED), (node(1), FAR), errors, frozenset((BLUE.name, RED.name)))


def join_addresses_of_layer3() -> Case:
    small = GREEN._replace(join_subnets=(ip_network("100.70.0.0/25"),))
    text = "generated ip 100.70.0.200 from the idx 200 is out of range in the network 100.70.0.0/25"
    errors = (f"network cluster_udn_green, node node2: {text}",)
    return Case((small,), sharing((node(1), FAR), GREEN), errors, frozenset((GREEN.name,)))


def transit_addresses_of_layer3() -> Case:
    settings = replace(SERVICES, transit_subnets=(ip_network("100.88.0.0/25"),))
    text = "generated ip 100.88.0.200 from the idx 200 is out of range in the network 100.88.0.0/25"
    errors = (f"network cluster_udn_green, node node2: {text}",)
    return Case((GREEN,), sharing((node(1), FAR), GREEN), errors, frozenset((GREEN.name,)), settings)


def masquerade_pairs_of_layer2() -> Case:
    far = RED._replace(network_id=200)
    text = "generated ip 169.254.1.153 from the idx 409 is out of range in the network 169.254.0.0/24"
    errors = (f"network cluster_udn_red: {text}",)
    return Case((BLUE, far), nodes(2), errors, frozenset((BLUE.name,)), tight("169.254.0.0/24"))


def masquerade_pairs_of_layer3() -> Case:
    far = GREEN._replace(network_id=200)
    text = "generated ip 169.254.1.153 from the idx 409 is out of range in the network 169.254.0.0/24"
    errors = (f"network cluster_udn_green: {text}",)
    return Case((BLUE, far), sharing(nodes(2), far), errors, frozenset((BLUE.name,)), tight("169.254.0.0/24"))


CASES: tuple[Callable[[], Case], ...] = (
    every_network_id,
    dynamic_tunnel_keys,
    transit_pairs,
    transit_pairs_of_ipv6,
    join_addresses,
    join_addresses_of_layer3,
    transit_addresses_of_layer3,
    masquerade_pairs_of_layer2,
    masquerade_pairs_of_layer3,
)


def planned_networks(plan: Plan, node_name: str) -> frozenset[str]:
    (zone,) = (each for each in plan.zones if each.node == node_name)
    return frozenset(row.network for row in zone.rows) - {""}


@pytest.mark.parametrize("make", CASES, ids=lambda make: make.__name__)
def test_exhaustion_is_an_error_with_its_numbers(make: Callable[[], Case], monkeypatch: pytest.MonkeyPatch) -> None:
    case = make()
    if case.dynamic_keys is not None:
        monkeypatch.setattr(network_ids, "DYNAMIC_KEYS", case.dynamic_keys)
    plan = make_plan(case.networks, case.nodes, case.settings)
    assert tuple(map(str, plan.errors)) == case.errors
    assert planned_networks(plan, "node1") == case.planned


def test_a_subnet_without_two_addresses_of_its_own_is_no_crash() -> None:
    for cidr in ("10.0.0.0/32", "10.0.0.0/31", "fd00::/128", "fd00::/127"):
        network = udn("cluster_udn_tiny", cidr, network_id=1)
        plan = make_plan((network,), nodes(1, v6=True), SERVICES)
        assert len(plan.errors) == 1, cidr
        assert cidr in str(plan.errors[0])
