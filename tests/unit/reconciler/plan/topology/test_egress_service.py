"""EgressServices: next hops of pods by zone, and who is served."""

from dataclasses import replace
from ipaddress import ip_address
from typing import Any

from ovnguard.reconciler.plan.numbers.memo import Memo
from ovnguard.reconciler.plan.planner import Plan, make_plan
from ovnguard.reconciler.plan.rows.model import EgressService, ServedEndpoint
from ovnguard.reconciler.plan.rows.row_groups import groups_of
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.topology.address_sets import SERVICE_PODS
from ovnguard.validators.network.model import Network
from tests.support.plan_samples import nodes, sharing, udn
from tests.support.plan_scenarios import DUAL_OVERLAY_DEFAULT, OVERLAY_DEFAULT, without_overlay

RED = udn("red_net")


def service(node: str, *endpoints: str, name: str = "red/web") -> EgressService:
    """A service whose endpoints are ``node=address``."""
    found = (text.partition("=") for text in endpoints)
    return EgressService(name, node, tuple(ServedEndpoint(each, ip_address(text)) for each, _, text in found))


def planned(*services: EgressService, network: Network = OVERLAY_DEFAULT) -> Plan:
    members = sharing(nodes(3, v6=True), network)
    return make_plan([network, RED], members, Settings(egress_services=services))


def policies(plan: Plan, zone: int) -> list[tuple[Any, ...]]:
    rows = [row for row in plan.zones[zone].rows if row.columns.get("priority") == 101]
    found = [
        (row.columns["match"], row.columns["nexthops"], row.entry("external_ids", "EgressSVC"), row.columns["options"])
        for row in rows
    ]
    return sorted(found)


def served(plan: Plan, zone: int, version: int = 4) -> object:
    (row,) = (row for row in plan.zones[zone].rows if row.columns.get("name") == SERVICE_PODS.at(version))
    return row.columns["addresses"]


def test_pods_go_to_the_management_port_of_the_egress_node() -> None:
    plan = planned(service("node2", "node1=10.128.4.9", "node2=10.128.6.9", "node2=172.18.0.3"))
    assert policies(plan, 0) == [("ip4.src == 10.128.4.9", ("100.88.0.3",), "red/web", {})]
    assert policies(plan, 1) == [
        ("ip4.src == 10.128.4.9", ("10.128.6.2",), "red/web:ic", {}),
        ("ip4.src == 10.128.6.9", ("10.128.6.2",), "red/web", {}),
    ]
    assert policies(plan, 2) == []
    assert [served(plan, zone) for zone in range(3)] == [("10.128.4.9",), ("10.128.6.9",), ()]


def test_each_family_has_its_own_next_hop() -> None:
    plan = planned(service("node2", "node1=fd01:0:0:2::9"), network=DUAL_OVERLAY_DEFAULT)
    assert policies(plan, 0) == [("ip6.src == fd01:0:0:2::9", ("fd97::3",), "red/web", {})]
    assert (served(plan, 0), served(plan, 0, 6)) == ((), ("fd01:0:0:2::9",))


def test_an_unknown_node_reroutes_nothing() -> None:
    plan = planned(service("node9", "node1=10.128.4.9"))
    assert (policies(plan, 0), served(plan, 0)) == ([], ())


def test_a_service_of_another_network_reroutes_nothing() -> None:
    other = replace(service("node2", "node1=10.128.4.9"), network="red_net")
    plan = planned(other)
    assert [policies(plan, zone) for zone in range(3)] == [[], [], []]
    assert [served(plan, zone) for zone in range(3)] == [(), (), ()]


def test_of_two_services_with_the_same_pod_the_first_counts() -> None:
    plan = planned(service("node2", "node1=10.128.4.9"), service("node3", "node1=10.128.4.9", name="red/zoo"))
    assert policies(plan, 0) == [("ip4.src == 10.128.4.9", ("100.88.0.3",), "red/web", {})]


def test_without_tunnels_only_pods_of_the_egress_node_have_a_next_hop() -> None:
    routed = without_overlay(OVERLAY_DEFAULT, snat=True)
    plan = planned(service("node2", "node1=10.128.4.9", "node2=10.128.6.9"), network=routed)
    assert policies(plan, 0) == []
    assert policies(plan, 1) == [("ip4.src == 10.128.6.9", ("10.128.6.2",), "red/web", {})]
    text = "network default: no EgressService: without tunnels, pods leave only through their own node"
    assert text in map(str, plan.notes)


def test_other_networks_keep_their_rows() -> None:
    memo = Memo()
    members = sharing(nodes(2, v6=True), OVERLAY_DEFAULT)

    def rows(settings: Settings) -> tuple[object, ...]:
        zone = make_plan([OVERLAY_DEFAULT, RED], members, settings, memo=memo).zones[0]
        groups = groups_of(zone.rows)
        return groups["red_net"], groups["default"]

    before = rows(Settings())
    after = rows(replace(Settings(), egress_services=(service("node2", "node1=10.128.4.9"),)))
    assert after[0] is before[0]
    assert after[1] is not before[1]
