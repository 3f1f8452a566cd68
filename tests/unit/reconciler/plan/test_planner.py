"""Whole plans: golden rows and files, and what is said beside them."""

import itertools
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from ipaddress import ip_address, ip_network

import pytest

from ovnguard.reconciler.plan.planner import Plan, make_plan
from ovnguard.reconciler.plan.render.as_json import columns_to_json
from ovnguard.reconciler.plan.rows.row import NETWORK_KEY, OWNER, OWNER_KEY, Ref, Row
from ovnguard.reconciler.plan.rows.row_diff import diff
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.topology.address_sets import NODE_IPS, SERVICE_PODS
from ovnguard.reconciler.plan.topology.address_sets import SERVICES as DEFAULT_SERVICES
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import Network, NoOverlay, Role, Routing, Subnet, Topology, Transport
from tests.support.plan_samples import DUAL_DEFAULT, SERVICES, V4, V6, default_network, node, nodes, udn
from tests.support.plan_scenarios import SCENARIOS as TOPOLOGIES

OKEP = udn(network_id=1, tunnel_keys=(16711684, 16715780))
OKEP_DUAL = udn("test12_namespace-scoped", V4, V6, network_id=1, tunnel_keys=(16711684, 16715780), mtu=1300)
SECONDARY = udn("blue_side", role=Role.SECONDARY, transit_subnets=(), network_id=2)


def local_node(number: int) -> Node:
    """A node with everything that a gateway can have: VLAN, node ports, two next hops, no MTU check in its kernel."""
    base = node(number, v6=True, mode="local", gateway_mtu_support=False)
    assert base.gateway is not None
    hops = (*base.gateway.next_hops, ip_address("172.18.0.254"))
    return base._replace(gateway=base.gateway._replace(vlan_id=7, node_port=True, next_hops=hops))


SCENARIOS: dict[str, tuple[list[Network], Iterable[Node], Settings]] = {
    "layer2-ipv4-shared": ([OKEP], nodes(3), SERVICES),
    "layer2-dual-shared": ([OKEP_DUAL], nodes(2, v6=True), SERVICES),
    "layer2-dual-local": ([OKEP_DUAL], [local_node(1), local_node(2)], SERVICES),
    "layer2-ipv6-shared": ([udn("a_b", V6, network_id=6, tunnel_keys=())], nodes(2, v4=False, v6=True), SERVICES),
    "layer2-custom-addresses": (
        [
            OKEP._replace(
                default_gateway_ips=(ip_address("203.203.0.2"),),
                join_subnets=(ip_network("100.70.0.0/24"),),
                transit_subnets=(ip_network("100.71.0.0/24"),),
            )
        ],
        nodes(2),
        Settings(default_mtu=8900),
    ),
    "layer2-secondary": ([SECONDARY], nodes(1), Settings()),
}


def line_of(row: Row) -> str:
    """A row of a golden file."""
    columns = columns_to_json(row.table, row.columns)
    return json.dumps({"table": row.table, "uuid": row.uuid, "row": columns}, sort_keys=True) + "\n"


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_golden_rows(scenario: str, golden: Callable[[str, str], None]) -> None:
    networks, members, parameters = SCENARIOS[scenario]
    plan = make_plan(networks, tuple(members), parameters)
    assert plan.errors == ()
    zone = plan.zones[0]
    lines = "".join(map(line_of, zone.rows))
    golden(f"plan/{scenario}/{zone.node}.jsonl", lines)


@pytest.mark.parametrize(
    ("name", "network", "members"),
    [
        ("mesh-ipv4", default_network(), nodes(3)),
        ("mesh-dual", DUAL_DEFAULT, nodes(3, v6=True)),
        ("mesh-ipv6", default_network(Subnet(ip_network("fd01::/48"), 64)), nodes(2, v4=False, v6=True)),
    ],
)
def test_golden_mesh(
    name: str, network: Network, members: tuple[Node, ...], golden: Callable[[str, str], None]
) -> None:
    plan = make_plan([network], members, Settings())
    assert plan.errors == ()
    golden(f"plan/{name}/documents.json", json.dumps(plan.routing.documents, indent=2) + "\n")
    for zone in plan.zones:
        golden(f"plan/{name}/{zone.node}.conf", zone.frr)


@pytest.mark.parametrize("name", TOPOLOGIES)
def test_golden_topologies(name: str, golden: Callable[[str, str], None]) -> None:
    zone = TOPOLOGIES[name].plan().zones[0]
    lines = "".join(map(line_of, zone.rows))
    golden(f"plan/{name}/{zone.node}.jsonl", lines)


def texts(plan: Plan) -> tuple[list[str], list[str]]:
    return [str(note) for note in plan.notes], [str(error) for error in plan.errors]


OUT_OF_RANGE = (
    "network a_b, node {node}: generated ip {address} from the idx {index} is out of range in the network 100.88.0.0/29"
)
NO_OVERLAY_UDN = udn(
    "blue_l3", topology=Topology.LAYER3, transport=Transport.NO_OVERLAY, no_overlay=NoOverlay(True, Routing.MANAGED)
)


@pytest.mark.parametrize(
    ("networks", "members", "notes", "errors"),
    [
        ([], nodes(1), [], []),
        ([default_network()], nodes(2), [], []),
        (
            [default_network(routing=Routing.UNMANAGED)],
            nodes(1),
            [],
            [],
        ),
        (
            [default_network(managed_bgp=None)],
            nodes(1),
            [],
            ["network default: routing is Managed, but there is no bgpManagedConfig"],
        ),
        (
            [udn("a_b", topology=Topology.LOCALNET, role=Role.SECONDARY)],
            nodes(1),
            [],
            [],
        ),
        (
            [udn("a_b", transport=Transport.EVPN)],
            nodes(1),
            [],
            ["network a_b: networks with transport EVPN cannot be planned"],
        ),
        (
            [NO_OVERLAY_UDN],
            nodes(1),
            [
                "network blue_l3, node node1: waiting for k8s.ovn.org/node-subnets",
            ],
            [],
        ),
        (
            [udn("a_b", transit_subnets=())],
            nodes(1),
            [],
            [
                "network a_b: no IPv4 transit subnet is recorded, waiting for ovnguard.io/transit-subnets",
            ],
        ),
        (
            [udn("a_b", subnets=())],
            nodes(1),
            [],
            ["network a_b: the subnet attribute must be defined for layer2 primary user defined networks"],
        ),
        (
            [udn("a_b", V4, "10.0.0.0/8")],
            nodes(1),
            [],
            ["network a_b: a Layer2 network has at most one subnet of each IP family"],
        ),
        (
            [udn("a_b", "192.0.2.0/31")],
            nodes(1),
            [],
            ["network a_b: no free address for the gateway and the management port of 192.0.2.0/31 in 192.0.2.0/31"],
        ),
        (
            [udn("a_b", transit_subnets=(ip_network("100.88.0.0/29"),))],
            nodes(3),
            [],
            [OUT_OF_RANGE.format(node="node3", address="100.88.0.8", index=8)],
        ),
        (
            [udn("a_b", transit_subnets=(ip_network("100.88.0.0/29"),))],
            nodes(4),
            [],
            [
                OUT_OF_RANGE.format(node="node3", address="100.88.0.8", index=8) + " (and 1 more)",
            ],
        ),
        (
            [udn("a-b_c"), udn("a.b_c"), udn('a"b_c')],
            nodes(1),
            [],
            [
                'network a.b_c: its OVN names are those of network "a-b_c"',
                'network a"b_c: the name has characters that OVN names cannot have',
            ],
        ),
        (
            [udn("a_b", network_id=7), udn("c_d", network_id=7)],
            nodes(1),
            [],
            ['network c_d: network id 7 is already held by network "a_b"'],
        ),
        (
            [udn("a_b")],
            [node(1, node_id=None), node(2, chassis_id=""), node(3, gateway=None)],
            [
                "node node1: waiting for k8s.ovn.org/node-id",
                "node node2: waiting for k8s.ovn.org/node-chassis-id",
                "node node3: waiting for k8s.ovn.org/l3-gateway-config",
            ],
            [],
        ),
        (
            [],
            [node(1), node(2, node_id=2), node(3, chassis_id="chassis-1"), node(1, node_id=9, chassis_id="x")],
            [],
            [
                "node node2: k8s.ovn.org/node-id 2 is already held by node node1",
                "node node3: k8s.ovn.org/node-chassis-id chassis-1 is already held by node node1",
                "node node1: there are two nodes of this name",
            ],
        ),
    ],
)
def test_notes_and_errors_of_a_plan(
    networks: list[Network], members: list[Node], notes: list[str], errors: list[str]
) -> None:
    assert texts(make_plan(networks, members, Settings())) == (notes, errors)


def test_network_with_an_error_leaves_the_others_alone() -> None:
    broken = udn("c_d", transit_subnets=())
    assert make_plan([OKEP, broken], nodes(2), Settings()).zones == make_plan([OKEP], nodes(2), Settings()).zones


def test_zone_that_waits_is_not_planned_but_others_link_to_it() -> None:
    plan = make_plan([OKEP], [node(1), node(2, gateway=None)], Settings())
    assert [zone.node for zone in plan.zones] == ["node1"]
    ports = {row.columns["name"] for row in plan.zones[0].rows if row.table == "Logical_Router_Port"}
    assert "trtor-GR_test12_namespace.scoped_node2" in ports


def test_zone_alone_is_the_zone_among_all() -> None:
    networks = [OKEP_DUAL, SECONDARY, DUAL_DEFAULT]
    everything = make_plan(networks, nodes(3, v6=True), SERVICES)
    alone = make_plan(networks, nodes(3, v6=True), SERVICES, zones=["node2"])
    assert alone.zones == (everything.zones[1],)
    assert alone.notes == everything.notes
    hosts = [each["spec"].get("nodeSelector", {}).get("matchLabels") for each in everything.routing.documents]
    wanted = [each in (None, {"kubernetes.io/hostname": "node2"}) for each in hosts]
    assert alone.routing.documents == tuple(itertools.compress(everything.routing.documents, wanted))


def test_zone_without_primary_networks_needs_no_gateway() -> None:
    plan = make_plan([default_network(), SECONDARY], [node(1, gateway=None, chassis_id="")], Settings())
    (zone,) = plan.zones
    assert [row.table for row in zone.rows] == [*["Load_Balancer_Group"] * 3, "Logical_Switch"]
    assert zone.frr.startswith("log stdout informational\n")


def test_next_hop_of_a_family_that_the_gateway_has_not_is_left_out() -> None:
    member = node(1)
    assert member.gateway is not None
    gateway = member.gateway._replace(next_hops=(ip_address("fc00::1"),))
    (zone,) = make_plan([OKEP], [member._replace(gateway=gateway)], Settings()).zones
    assert not [row for row in zone.rows if row.columns.get("ip_prefix") in ("0.0.0.0/0", "::/0")]


def test_the_last_of_several_next_hops_is_the_gateways() -> None:
    member = node(1, v6=True)
    assert member.gateway is not None
    hops = tuple(map(ip_address, ("172.18.0.254", "fc00::fe", "172.18.0.1", "fc00::1")))
    gateway = member.gateway._replace(next_hops=hops)
    (zone,) = make_plan([OKEP], [member._replace(gateway=gateway)], Settings()).zones
    routes = {row.columns["ip_prefix"]: row.columns["nexthop"] for row in zone.rows if row.columns.get("output_port")}
    assert (routes["0.0.0.0/0"], routes["::/0"]) == ("172.18.0.1", "fc00::1")


def test_removing_a_node_leaves_a_small_difference() -> None:
    three = make_plan([OKEP_DUAL], nodes(3, v6=True), Settings())
    two = make_plan([OKEP_DUAL], nodes(2, v6=True), Settings())
    subjects = [f"{each.op} {each.subject}" for each in diff(three.zones[0].rows, two.zones[0].rows)]
    router = "test12_namespace.scoped_transit_router"
    assert subjects == [
        *(f"update {NODE_IPS.at(version)}" for version in (6, 4)),
        f"update {router}",
        f"delete {router} route 100.65.0.4 dst-ip",
        f"delete {router} route fd99::4 dst-ip",
        "delete trtor-GR_test12_namespace.scoped_node3",
    ]


def test_every_row_is_ours_and_names_its_network() -> None:
    (zone, _) = make_plan([OKEP_DUAL, SECONDARY], nodes(2, v6=True), SERVICES).zones
    shared = {each.at(version) for each in (NODE_IPS, SERVICE_PODS, DEFAULT_SERVICES) for version in (4, 6)}
    for row in zone.rows:
        assert row.is_ours
        external_ids = row.columns.get("external_ids")
        if isinstance(external_ids, Mapping):
            assert external_ids[OWNER_KEY] == OWNER
            common = row.table in ("Meter", "Meter_Band", "Copp") or row.columns.get("name") in shared
            assert (NETWORK_KEY in external_ids) is not common
            assert bool(row.network) is not common


@pytest.mark.parametrize(("rate", "bands"), [(20, [20, 25]), (7, [7, 25]), (25, [25])])
def test_logged_packets_have_the_rate_of_ovnkube(rate: int, bands: list[int]) -> None:
    """OVN-Kubernetes looks up bands by their rate, so meters with the same rate share one."""
    rows = make_plan([OKEP], nodes(1), replace(SERVICES, acl_logging_rate=rate)).zones[0].rows
    found = {Ref(row.uuid): row.columns["rate"] for row in rows if row.table == "Meter_Band"}
    assert sorted(found.values(), key=str) == sorted(bands, key=str)
    meters = {str(row.columns["name"]): row.columns["bands"] for row in rows if row.table == "Meter"}
    assert len(meters) == 10
    for name, band in meters.items():
        assert isinstance(band, tuple)
        assert [found[each] for each in band if isinstance(each, Ref)] == [rate if name == "acl-logging" else 25]
