"""Route reflectors: who peers with whom, and how the role moves from one node to another."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest

from ovnguard.reconciler.plan.bgp.managed import Managed, managed_of
from ovnguard.reconciler.plan.bgp.routing import plan_routing
from ovnguard.reconciler.plan.numbers.network_ids import NetworkIds
from ovnguard.reconciler.plan.rows.routing_model import RoutingInputs
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import ManagedBGP
from tests.support.plan_samples import DUAL_DEFAULT, default_network, node

ROLE = {"k8s.ovn.org/internal-bgp-role": "route-reflector"}
REFLECTED = default_network(managed_bgp=ManagedBGP(64512, "route-reflector"))
DUAL = DUAL_DEFAULT._replace(managed_bgp=ManagedBGP(64512, "route-reflector"))


def members(*reflectors: int, count: int = 4, **changes: Any) -> list[Node]:
    return [node(each, labels=ROLE if each in reflectors else {}, **changes) for each in range(1, count + 1)]


def managed(nodes: Sequence[Node], **inputs: Any) -> Managed:
    return managed_of([REFLECTED], nodes, Settings(routing=RoutingInputs(**inputs)))


def peers(source: JsonObject) -> list[str]:
    (router,) = source["spec"]["bgp"]["routers"]
    return [each["address"] for each in router["neighbors"]]


def names(found: Managed) -> list[str]:
    return [each["metadata"]["name"] for each in found.sources]


def meets(sources: Iterable[JsonObject]) -> Mapping[str, list[str]]:
    return {each["metadata"]["name"]: peers(each) for each in sources}


def test_reflectors_peer_with_all_nodes_and_clients_with_reflectors() -> None:
    found = managed(members(2, 3))
    assert meets(found.sources) == {
        "ovnk-managed-bgp": ["172.18.0.3", "172.18.0.4"],
        "ovnk-managed-bgp-reflector-node2": ["172.18.0.2", "172.18.0.4", "172.18.0.5"],
        "ovnk-managed-bgp-reflector-node3": ["172.18.0.2", "172.18.0.3", "172.18.0.5"],
    }
    assert [each["spec"]["nodeSelector"] for each in found.sources] == [
        {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "NotIn", "values": ["node2", "node3"]}]},
        {"matchLabels": {"kubernetes.io/hostname": "node2"}},
        {"matchLabels": {"kubernetes.io/hostname": "node3"}},
    ]
    assert (found.notes, found.errors) == ((), ())


def test_raw_section_of_a_reflector() -> None:
    found = managed_of([DUAL], members(1, 2, count=3, v6=True), Settings())
    assert found.sources[1]["spec"]["raw"] == {
        "priority": 5,
        "rawConfig": "router bgp 64512\n"
        " bgp cluster-id 172.18.0.2\n"
        " address-family ipv4 unicast\n"
        "  neighbor 172.18.0.4 route-reflector-client\n"
        " exit-address-family\n"
        " address-family ipv6 unicast\n"
        "  neighbor fc00::4 route-reflector-client\n"
        " exit-address-family\n"
        "exit\n!\n"
        "ip prefix-list 172.18.0.3-allowed-ipv4 seq 1000000 permit 10.128.0.0/14 le 23 ge 23\n"
        "ip prefix-list 172.18.0.4-allowed-ipv4 seq 1000000 permit 10.128.0.0/14 le 23 ge 23\n"
        "ipv6 prefix-list fc00::3-allowed-ipv6 seq 1000000 permit fd01::/48 le 64 ge 64\n"
        "ipv6 prefix-list fc00::4-allowed-ipv6 seq 1000000 permit fd01::/48 le 64 ge 64\n",
    }


def test_cluster_id_of_a_reflector_without_ipv4() -> None:
    found = managed_of([DUAL], members(1, 2, count=3, v4=False, v6=True), Settings())
    assert " bgp cluster-id 100.64.0.2\n" in found.sources[1]["spec"]["raw"]["rawConfig"]


def test_one_reflector_is_too_few_and_none_makes_no_fabric() -> None:
    one = managed(members(2))
    assert [str(note) for note in one.notes] == [
        "network default: without its only route reflector, no node learns routes: label a second node with "
        "k8s.ovn.org/internal-bgp-role=route-reflector"
    ]
    assert names(one) == ["ovnk-managed-bgp", "ovnk-managed-bgp-reflector-node2"]
    none = managed(members())
    assert [str(error) for error in none.errors] == [
        "network default: no routes: label at least two nodes with k8s.ovn.org/internal-bgp-role=route-reflector"
    ]
    assert (none.sources, none.objects) == ((), ())


def test_generated_objects_of_clients_come_from_the_clients_source() -> None:
    plan = plan_routing([REFLECTED], {"default": NetworkIds(0, 1)}, members(2, 3), Settings())
    found = [each["metadata"].get("annotations", {}).get("k8s.ovn.org/route-advertisements") for each in plan.documents]
    assert [each for each in found if each and each[0] == "o"] == [
        "ovnk-managed-bgp-default/ovnk-managed-bgp/node1",
        "ovnk-managed-bgp-default/ovnk-managed-bgp-reflector-node2/node2",
        "ovnk-managed-bgp-default/ovnk-managed-bgp-reflector-node3/node3",
        "ovnk-managed-bgp-default/ovnk-managed-bgp/node4",
    ]


def test_a_new_client_changes_no_other_client() -> None:
    one, other = managed(members(2, 3)), managed(members(2, 3, count=5))
    assert one.sources[0] == other.sources[0]
    assert one.sources[1:] != other.sources[1:]


@pytest.mark.parametrize("moved", [(3,), (3, 4)])
def test_a_former_reflector_stays_until_its_successors_are_written(moved: tuple[int, ...]) -> None:
    """Make before break in two steps, as far as nobody reports sessions."""
    before = managed(members(1, 2))
    first = managed(members(*moved), configurations=before.sources)
    reflectors = [f"ovnk-managed-bgp-reflector-node{each}" for each in (1, 2, *moved)]
    assert names(first) == ["ovnk-managed-bgp", *reflectors]
    second = managed(members(*moved), configurations=first.sources)
    assert names(second) == ["ovnk-managed-bgp", *reflectors[2:]]
    assert second == managed(members(*moved), configurations=second.sources)


def test_a_former_reflector_stays_until_sessions_with_its_successors_are_established() -> None:
    before = managed(members(1)).sources
    nodes = members(2, count=3)
    union = ["ovnk-managed-bgp", "ovnk-managed-bgp-reflector-node1", "ovnk-managed-bgp-reflector-node2"]
    first = managed(nodes, configurations=before, sessions={})
    assert names(first) == union
    some = {"node1": frozenset({"172.18.0.3"})}
    assert names(managed(nodes, configurations=first.sources, sessions=some)) == union
    all_of_them = {**some, "node3": frozenset({"172.18.0.3", "172.18.0.2"})}
    assert names(managed(nodes, configurations=first.sources, sessions=all_of_them)) == [union[0], union[2]]


def test_a_former_reflector_that_is_gone_is_forgotten() -> None:
    before = managed(members(1, 2)).sources
    assert names(managed(members(3, 4)[2:], configurations=before, sessions={})) == [
        "ovnk-managed-bgp",
        "ovnk-managed-bgp-reflector-node3",
        "ovnk-managed-bgp-reflector-node4",
    ]


def test_names_of_objects_fit_however_long_the_names_of_nodes_are() -> None:
    long = node(1, labels=ROLE, name="n" * 253)
    found = managed([long, node(2, labels=ROLE)])
    assert all(len(name) <= 253 for name in names(found))
    assert found.sources[1]["spec"]["nodeSelector"] == {"matchLabels": {"kubernetes.io/hostname": "n" * 253}}
