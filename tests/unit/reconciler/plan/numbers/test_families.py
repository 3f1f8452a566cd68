"""A network of one IP family in a cluster of two: its routers have both, its pods one."""

from collections.abc import Sequence
from ipaddress import ip_network

import pytest

from ovnguard.reconciler.plan.numbers.families import cluster_versions, join_subnets
from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.rows.names import Names
from ovnguard.reconciler.plan.rows.row import Ref, Row
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.topology.address_sets import NODE_IPS, SERVICE_PODS, SERVICES, served_pods_name
from ovnguard.validators.network.model import Network, Role, Transport
from tests.support.plan_samples import LAYER3_DUAL, layer3, nodes, sharing, udn

CLUSTER = Settings(ip_versions=(4, 6))
KEYS = (16711684, 16715780)
SIX = layer3("a_six", LAYER3_DUAL[1])
FOUR = udn("a_four", network_id=1, tunnel_keys=KEYS)


def zone(network: Network, settings: Settings = CLUSTER, legacy: str = "") -> Sequence[Row]:
    """The rows of node1, next to node2; ``legacy`` are the numbers of nodes before transit routers."""
    members = [
        member._replace(
            topology_version="1.0" if member.name[-1] in legacy else "2.0",
            router_port_keys={network.name: 3 + number} if legacy else {},
        )
        for number, member in enumerate(sharing(nodes(2, v6=True), network))
    ]
    return make_plan([network], members, settings).zones[0].rows


def port(rows: Sequence[Row], name: str) -> tuple[str, list[str]]:
    """MAC and networks of a router port."""
    (row,) = (each for each in rows if each.table == "Logical_Router_Port" and each.columns["name"] == name)
    return str(row.columns["mac"]), row.texts("networks")


def children(rows: Sequence[Row], router: str, table: str) -> list[Row]:
    (owner,) = (each for each in rows if each.table == "Logical_Router" and each.columns["name"] == router)
    held = {*owner.texts("static_routes"), *owner.texts("nat")}
    return [each for each in rows if each.table == table and str(Ref(each.uuid)) in held]


def routes(rows: Sequence[Row], router: str) -> set[str]:
    found = children(rows, router, "Logical_Router_Static_Route")
    return {f"{row.columns['ip_prefix']} {row.columns['nexthop']}" for row in found}


def snats(rows: Sequence[Row], router: str) -> set[str]:
    return {f"{row.columns['logical_ip']} {row.columns['external_ip']}" for row in children(rows, router, "NAT")}


@pytest.mark.parametrize(
    ("network", "known", "versions"),
    [(FOUR, (), (4,)), (FOUR, (4, 6), (4, 6)), (SIX, (4, 6), (4, 6)), (SIX, (), (6,)), (SIX, (6,), (6,))],
)
def test_the_families_are_those_of_the_network_and_of_the_cluster(
    network: Network, known: tuple[int, ...], versions: tuple[int, ...]
) -> None:
    settings = Settings(ip_versions=known)
    assert cluster_versions(network, settings) == versions
    assert [each.version for each in join_subnets(network, settings)] == [*versions]


def test_a_family_that_an_object_leaves_open_has_the_join_subnet_of_the_cluster() -> None:
    network = FOUR._replace(join_subnets=(ip_network("100.70.0.0/16"),))
    assert [str(each) for each in join_subnets(network, CLUSTER)] == ["100.70.0.0/16", "fd99::/64"]


def test_routers_of_a_layer3_network_have_addresses_of_both_families() -> None:
    rows, names = zone(SIX), Names(SIX.name)
    assert port(rows, names.cluster_to_transit("node1")) == ("0a:58:64:58:00:02", ["100.88.0.2/16", "fd97::2/64"])
    assert port(rows, names.cluster_to_join) == ("0a:58:64:41:00:01", ["100.65.0.1/16", "fd99::1/64"])
    assert port(rows, names.gateway_to_join("node1")) == ("0a:58:64:41:00:02", ["100.65.0.2/16", "fd99::2/64"])
    (remote,) = (row for row in rows if row.columns.get("name") == names.transit_to_cluster("node2"))
    assert remote.texts("addresses") == ["0a:58:64:58:00:03 100.88.0.3/16 fd97::3/64"]
    assert routes(rows, names.cluster_router) == {
        "100.65.0.2 100.65.0.2",
        "100.65.0.3/32 100.88.0.3",
        "fd20:0:0:2::/64 fd99::2",
        "fd20:0:0:3::/64 fd97::3",
        "fd20::/48 fd99::2",
        "fd99::2 fd99::2",
        "fd99::3/128 fd97::3",
    }
    assert snats(rows, names.gateway_router("node1")) == {
        "100.65.0.2 169.254.0.15",
        "fd99::2 fd69::f",
        "fd20::/48 fd69::f",
    }


def test_the_cluster_router_of_a_secondary_network_has_transit_addresses_of_both_families() -> None:
    rows, names = zone(layer3("a_side", LAYER3_DUAL[1], role=Role.SECONDARY)), Names("a_side")
    assert port(rows, names.cluster_to_transit("node1")) == ("0a:58:64:58:00:02", ["100.88.0.2/16", "fd97::2/64"])
    assert routes(rows, names.cluster_router) == {"fd20:0:0:3::/64 fd97::3"}


def test_a_network_without_overlay_has_join_addresses_only() -> None:
    rows, names = zone(SIX._replace(transport=Transport.NO_OVERLAY)), Names(SIX.name)
    assert port(rows, names.cluster_to_join)[1] == ["100.65.0.1/16", "fd99::1/64"]
    assert not [row for row in rows if row.columns.get("name") == names.transit_switch]


def test_gateway_routers_of_a_layer2_network_have_join_addresses_of_both_families() -> None:
    rows, names = zone(FOUR), Names(FOUR.name)
    networks = ["100.65.0.2/16", "100.88.0.5/31", "fd99::2/64"]
    assert port(rows, names.gateway_to_transit("node1")) == ("0a:58:64:41:00:02", networks)
    assert port(rows, names.transit_to_gateway("node1"))[1] == ["100.88.0.4/31"]
    router = names.gateway_router("node1")
    (gateway,) = (row for row in rows if row.columns.get("name") == router)
    assert gateway.entry("options", "lb_force_snat_ip") == "100.65.0.2 fd99::2"
    assert snats(rows, router) == {"100.65.0.2 169.254.0.11", "fd99::2 fd69::b", "203.203.0.0/16 169.254.0.11"}
    assert routes(rows, names.transit_router) == {
        "100.65.0.2 100.88.0.5",
        "100.65.0.3 100.88.0.7",
        "203.203.0.0/16 100.88.0.5",
    }


def test_a_layer2_network_of_ipv6_alone_takes_the_mac_of_its_ipv4_join_address() -> None:
    network = udn("a_six", "2010:100:200::/60", network_id=1, tunnel_keys=KEYS)
    rows, names = zone(network), Names(network.name)
    networks = ["100.65.0.2/16", "fd97::5/127", "fd99::2/64"]
    assert port(rows, names.gateway_to_transit("node1")) == ("0a:58:64:41:00:02", networks)
    assert port(rows, names.transit_to_gateway("node1"))[1] == ["fd97::4/127"]
    assert {each for each in routes(rows, names.transit_router) if each.startswith("100.")} == set()


def test_both_families_lead_to_a_node_before_transit_routers() -> None:
    rows, names = zone(FOUR, legacy="2"), Names(FOUR.name)
    assert {"100.65.0.3 100.65.0.3", "fd99::3 fd99::3"} <= routes(rows, names.transit_router)
    assert port(rows, names.upgrade_router_to_switch) == (
        "0a:58:64:41:00:02",
        ["100.65.255.254/16", "fd99::ffff:ffff:ffff:fffe/64"],
    )
    assert port(rows, names.router_to_switch)[1] == ["169.254.0.12/17", "203.203.0.1/16", "fd69::c/112"]
    (remote,) = (row for row in rows if row.columns.get("name") == names.legacy_remote_router("node2"))
    assert remote.texts("addresses") == ["0a:58:64:41:00:03 100.65.0.3/16 fd99::3/64"]


def test_a_gateway_router_before_transit_routers_has_both_families() -> None:
    rows, names = zone(FOUR, legacy="12"), Names(FOUR.name)
    networks = ["100.65.0.2/16", "203.203.0.1/16", "fd99::2/64"]
    assert port(rows, names.legacy_router_to_switch) == ("0a:58:64:41:00:02", networks)
    assert {"100.65.0.2 169.254.0.11", "fd99::2 fd69::b"} <= snats(rows, names.gateway_router("node1"))


@pytest.mark.parametrize(("network", "own", "other"), [(FOUR, 4, 6), (SIX, 6, 4)])
def test_only_pods_of_the_networks_own_family_are_kept_from_egress_to_default_services(
    network: Network, own: int, other: int
) -> None:
    rows = zone(network)
    matches = {str(row.columns["match"]) for row in rows if row.columns.get("priority") == 102}

    def kept(version: int, target: str) -> str:
        ip = f"ip{version}"
        pods = served_pods_name(network, version)
        return f"({ip}.src == ${pods} || {ip}.src == ${SERVICE_PODS.at(version)}) && {ip}.dst == ${target}"

    assert {kept(own, SERVICES.at(own)), kept(own, NODE_IPS.at(own)), kept(other, NODE_IPS.at(other))} <= matches
    assert kept(other, SERVICES.at(other)) not in matches
