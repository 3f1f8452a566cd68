"""Load balancers in the rows of a zone: where they stand, and what a changed service changes."""

from dataclasses import replace
from ipaddress import ip_address

import pytest

from ovnguard.reconciler.plan.numbers.memo import Memo
from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.rows.row_groups import groups_of
from ovnguard.reconciler.plan.rows.service_model import Backend, Service, ServicePort
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.model import Network, Role
from tests.support.plan_samples import SERVICES, V4, nodes, pod, sharing, udn
from tests.support.plan_scenarios import DUAL_OVERLAY_DEFAULT, LAYER2, LAYER3_BOTH, SECONDARY3

BLUE = udn("blue_net", V4, network_id=2)
MEMBERS = sharing(nodes(2, v6=True), LAYER3_BOTH, SECONDARY3)


def service(network: Network, number: int, address: str = "") -> Service:
    """A service with one server, of which pods' switch and router need to know different things on every node."""
    inside = next(each.cidr for each in network.subnets if each.cidr.version == 4)
    server = Backend(ip_address(address or int(inside.network_address) + 300), 8080)
    port = ServicePort("TCP", 80, backends=(server,), on_nodes={"node2": (server,)})
    return Service(f"a/web-{number}", (ip_address(f"10.96.0.{number}"),), (port,))


def balancing(network: Network, *services: Service) -> Settings:
    return replace(SERVICES, balanced_services={network.name: services})


def names(rows: tuple[Row, ...], table: str, name: str) -> list[str]:
    """The load balancers on a row."""
    (row,) = (row for row in rows if (row.table, row.columns.get("name")) == (table, name))
    known = {each.uuid: str(each.columns["name"]) for each in rows if each.table == "Load_Balancer"}
    return sorted(known[text.removeprefix("Ref(uuid='").removesuffix("')")] for text in row.texts("load_balancer"))


@pytest.mark.parametrize(
    ("network", "prefix", "switch"),
    [
        (LAYER2, "test12_namespace.scoped_", "test12_namespace.scoped_ovn_layer2_switch"),
        (LAYER3_BOTH, "cluster_udn_l3.dual_", "cluster_udn_l3.dual_node1"),
        (DUAL_OVERLAY_DEFAULT, "", "node1"),
    ],
    ids=["layer2", "layer3", "default"],
)
def test_where_load_balancers_stand(network: Network, prefix: str, switch: str) -> None:
    common = service(network, 1)
    local = replace(service(network, 2), internal_local=True)
    on_host = service(network, 3, "172.18.0.9")
    zone = make_plan([network], MEMBERS, balancing(network, common, local, on_host), ("node1",)).zones[0]
    rows = groups_of(zone.rows)[network.name]
    own = f"{prefix}Service_a/web-"
    both = f"{own}3_TCP_node_router+switch_node1"
    assert names(rows, "Load_Balancer_Group", f"{prefix}clusterLBGroup") == [f"{own}1_TCP_cluster"]
    assert names(rows, "Logical_Switch", switch) == [f"{own}2_TCP_node_switch_node1", both]
    assert names(rows, "Logical_Router", f"GR_{prefix}node1") == [f"{own}2_TCP_node_router_node1", both]
    assert len([row for row in rows if row.table == "Load_Balancer"]) == 4


def test_other_networks_have_no_services() -> None:
    side = BLUE._replace(role=Role.SECONDARY, transit_subnets=())
    for networks in ([side], [SECONDARY3], []):
        settings = replace(SERVICES, balanced_services={"blue_net": (service(BLUE, 1),), "gone": (service(BLUE, 2),)})
        plan = make_plan(networks, MEMBERS, settings)
        assert [row for zone in plan.zones for row in zone.rows if row.table == "Load_Balancer"] == []


def test_a_changed_service_changes_its_own_rows_alone() -> None:
    memo, networks = Memo(), [LAYER2, BLUE]
    pods = {LAYER2.name: (pod(LAYER2, "here", "node1", "203.203.0.11", key=11),)}
    services = tuple(service(LAYER2, number) for number in range(1, 5))
    first = make_plan(networks, MEMBERS, balancing(LAYER2, *services), memo=memo, pods=pods).zones[0]
    changed = (service(LAYER2, 1, "203.203.0.77"), *services[1:])
    second = make_plan(networks, MEMBERS, balancing(LAYER2, *changed), memo=memo, pods=pods).zones[0]
    assert second == make_plan(networks, MEMBERS, balancing(LAYER2, *changed), pods=pods).zones[0]
    old, new = groups_of(first.rows), groups_of(second.rows)
    assert old[BLUE.name] is new[BLUE.name]
    same = {id(row) for row in old[LAYER2.name]}
    assert sorted(str(row.columns.get("name")) for row in new[LAYER2.name] if id(row) not in same) == [
        # the row that lists them all is made again, with equal columns
        "test12_namespace.scoped_Service_a/web-1_TCP_cluster",
        "test12_namespace.scoped_clusterLBGroup",
    ]
    third = make_plan(networks, MEMBERS, balancing(LAYER2, *changed), memo=memo, pods=pods).zones[0]
    assert groups_of(third.rows)[LAYER2.name] is new[LAYER2.name]
    without = make_plan(networks, MEMBERS, SERVICES, memo=memo, pods=pods).zones[0]
    assert without == make_plan(networks, MEMBERS, SERVICES, pods=pods).zones[0]
