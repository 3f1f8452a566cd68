"""Rows of a connection in one zone: its router with the links to all networks, what leads there, and services."""

from dataclasses import replace
from ipaddress import ip_network
from typing import Any

from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.rows.model import ActiveNodes, Connection
from ovnguard.reconciler.plan.rows.row import Ref, Row
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import Network
from tests.support.connected import connection
from tests.support.plan_samples import SERVICES, V4, nodes, sharing, udn
from tests.support.plan_scenarios import EXPOSED, LAYER2, LAYER3_BOTH

MEMBERS = sharing(nodes(3, v6=True), LAYER3_BOTH)
BLUE = udn("blue_net", "10.30.0.0/16", network_id=2)
NETWORKS = (LAYER3_BOTH, LAYER2)
L3, L2 = "cluster_udn_l3-dual", "test12_namespace-scoped"
CLUSTER, TRANSIT = "cluster_udn_l3.dual_ovn_cluster_router", "test12_namespace.scoped_transit_router"


def settings(*connections: Connection, **changes: Any) -> Settings:
    return replace(SERVICES, connections=connections, **changes)


def rows_of(found: Settings, *networks: Network, members: tuple[Node, ...] = MEMBERS, node: str = "node1") -> list[Row]:
    (zone,) = make_plan(networks or NETWORKS, members, found, (node,)).zones
    return list(zone.rows)


def named(rows: list[Row], table: str, name: str) -> Row:
    (row,) = (row for row in rows if (row.table, row.columns.get("name")) == (table, name))
    return row


def held(rows: list[Row], table: str, name: str, column: str) -> list[Row]:
    """The rows that a row refers to."""
    known = {row.uuid: row for row in rows}
    refs = named(rows, table, name).columns[column]
    assert isinstance(refs, tuple)
    return [known[ref.uuid] for ref in refs if isinstance(ref, Ref)]


def ports(rows: list[Row]) -> dict[str, tuple[object, ...]]:
    """The ports of the connect router: networks, peer and options."""
    links = held(rows, "Logical_Router", "connect_router_join", "ports")
    return {
        str(row.columns["name"]): (row.columns["networks"], row.columns["peer"], row.columns["options"])
        for row in links
    }


def routes(rows: list[Row]) -> dict[object, object]:
    found = held(rows, "Logical_Router", "connect_router_join", "static_routes")
    return {row.columns["ip_prefix"]: row.columns["nexthop"] for row in found}


def policies(rows: list[Row], router: str) -> dict[object, object]:
    found = held(rows, "Logical_Router", router, "policies")
    return {row.columns["match"]: row.columns["nexthops"] for row in found if row.columns["priority"] == 9001}


def test_the_connect_router_has_a_link_to_every_router_of_every_network() -> None:
    rows = rows_of(settings(connection(*NETWORKS)), node="node2")
    router = named(rows, "Logical_Router", "connect_router_join")
    assert router.columns["options"] == {"requested-tnl-key": "16715790"}
    assert [row.columns["name"] for row in held(rows, router.table, "connect_router_join", "copp")] == [
        "ovnkube-default"
    ]
    assert router.entry("external_ids", "k8s.ovn.org/name") == "join"
    assert ports(rows) == {
        f"crtor-join_{L3}_node1": (
            ("192.168.0.4/31", "fd90::4/127"),
            (),
            {"requested-tnl-key": "3", "requested-chassis": "chassis-1"},
        ),
        f"crtor-join_{L3}_node2": (
            ("192.168.0.6/31", "fd90::6/127"),
            (f"rtocr-{L3}_node2_join",),
            {"requested-tnl-key": "4"},
        ),
        f"crtor-join_{L3}_node3": (
            ("192.168.0.8/31", "fd90::8/127"),
            (),
            {"requested-tnl-key": "5", "requested-chassis": "chassis-3"},
        ),
        f"crtor-join_{L2}": (
            ("192.168.1.0/31", "fd90::100/127"),
            (f"rtocr-{L2}_join",),
            {"requested-tnl-key": "257"},
        ),
    }
    for router_name, port, networks in (
        (CLUSTER, f"rtocr-{L3}_node2_join", ("192.168.0.7/31", "fd90::7/127")),
        (TRANSIT, f"rtocr-{L2}_join", ("192.168.1.1/31", "fd90::101/127")),
    ):
        (own,) = (row for row in held(rows, "Logical_Router", router_name, "ports") if row.columns["name"] == port)
        assert own.columns["networks"] == networks
        assert own.columns["peer"] == (port.replace("rtocr-", "crtor-join_").removesuffix("_join"),)
        assert own.network == (L3 if router_name == CLUSTER else L2)


def test_packets_to_the_other_network_go_by_the_connect_router() -> None:
    rows = rows_of(settings(connection(*NETWORKS)))
    assert routes(rows) == {
        "10.20.2.0/24": "192.168.0.5",
        "10.20.3.0/24": "192.168.0.7",
        "10.20.4.0/24": "192.168.0.9",
        "fd20:0:0:2::/64": "fd90::5",
        "fd20:0:0:3::/64": "fd90::7",
        "fd20:0:0:4::/64": "fd90::9",
        V4: "192.168.1.1",
        "2010:100:200::/60": "fd90::101",
    }
    assert policies(rows, CLUSTER) == {
        f'inport == "rtos-cluster_udn_l3.dual_node1" && ip4.dst == {V4}': ("192.168.0.4",),
        'inport == "rtos-cluster_udn_l3.dual_node1" && ip6.dst == 2010:100:200::/60': ("fd90::4",),
    }
    assert policies(rows, TRANSIT) == {
        'inport == "trtos-test12_namespace.scoped_ovn_layer2_switch" && ip4.dst == 10.20.0.0/16': ("192.168.1.0",),
        'inport == "trtos-test12_namespace.scoped_ovn_layer2_switch" && ip6.dst == fd20::/48': ("fd90::100",),
    }


def test_rows_have_the_ids_by_which_upstream_finds_them() -> None:
    rows = rows_of(settings(connection(*NETWORKS)))
    ids = {row.entry("external_ids", "k8s.ovn.org/id") for row in rows}
    own = "ovnkube-network-connect-controller:ClusterNetworkConnect:join"
    assert {each for each in ids if each.startswith(own)} == {
        *(f"{own}:3:{number}:connect_router_join" for number in (2, 3, 4)),
        f"{own}:1:0:connect_router_join",
        f"{own}:3:2:{CLUSTER}",
        f"{own}:1:0:{TRANSIT}",
        *(f"{own}:3:{number}:v{version}" for number in (2, 3, 4) for version in (4, 6)),
        *(f"{own}:1:0:v{version}" for version in (4, 6)),
        *(f"{own}:3:1:v{version}:{CLUSTER}" for version in (4, 6)),
        *(f"{own}:1:3:v{version}:{TRANSIT}" for version in (4, 6)),
    }


def test_a_network_that_the_node_does_not_use_has_no_link_there() -> None:
    idle = tuple(ActiveNodes(network.name, frozenset({"node3"})) for network in NETWORKS)
    rows = rows_of(settings(connection(*NETWORKS), active=idle), *NETWORKS, BLUE)
    # those to other nodes' routers stay, and so does what the network's nodes have
    assert sorted(ports(rows)) == [f"crtor-join_{L3}_node2", f"crtor-join_{L3}_node3"]
    assert sorted(map(str, routes(rows))) == sorted(
        f"{each}" for each in routes(rows) if str(each).startswith(("10.20", "fd20"))
    )
    assert len(routes(rows)) == 6
    assert not [row for row in rows if row.table == "Logical_Router_Policy" and row.columns["priority"] == 9001]


def test_a_node_without_id_subnet_or_chassis_has_no_link_yet() -> None:
    bare = MEMBERS[2]._replace(host_subnets={})
    for member, links, targets in (
        (MEMBERS[2]._replace(node_id=None), 3, 6),
        (MEMBERS[2]._replace(chassis_id=""), 3, 8),
        (bare, 4, 6),
    ):
        rows = rows_of(settings(connection(*NETWORKS)), members=(*MEMBERS[:2], member))
        assert (len(ports(rows)), len(routes(rows))) == (links, targets), member


def test_a_node_beyond_the_subnets_has_no_link_and_an_error() -> None:
    found = connection(*NETWORKS)
    small = replace(found.networks[0], subnets=(ip_network("192.168.0.0/29"),))
    found = replace(found, networks=(small, found.networks[1]))
    plan = make_plan(NETWORKS, MEMBERS, settings(found))
    assert [str(each) for each in plan.errors] == [
        "network cluster_udn_l3-dual, node node3: ClusterNetworkConnect join: node id 4 is beyond 192.168.0.0/29"
    ]
    smaller = replace(found, networks=(replace(small, subnets=(ip_network("192.168.0.0/30"),)), found.networks[1]))
    (error,) = make_plan(NETWORKS, MEMBERS, settings(smaller)).errors
    assert error.text == "ClusterNetworkConnect join: node id 2 is beyond 192.168.0.0/30 (and 2 more)"
    rows = list(plan.zones[0].rows)
    assert sorted(ports(rows)) == [f"crtor-join_{L3}_node1", f"crtor-join_{L3}_node2", f"crtor-join_{L2}"]
    assert policies(list(plan.zones[2].rows), CLUSTER) == {}


def test_services_of_all_networks_stand_on_the_switches_of_each() -> None:
    served = settings(connection(*NETWORKS, services=True), balanced_services={LAYER2.name: EXPOSED})
    rows = rows_of(served)
    found = [row.columns["name"] for row in held(rows, "Load_Balancer_Group", "cnc_svc_join", "load_balancer")]
    prefix = "test12_namespace.scoped_Service_app/"
    assert sorted(map(str, found)) == [
        f"{prefix}external-local_SCTP_cluster",
        f"{prefix}external-local_TCP_cluster",
        f"{prefix}external_SCTP_cluster",
        f"{prefix}external_TCP_cluster",
        f"{prefix}web_TCP_cluster",
    ]
    for switch in ("cluster_udn_l3.dual_node1", "test12_namespace.scoped_ovn_layer2_switch"):
        groups = [row.columns["name"] for row in held(rows, "Logical_Switch", switch, "load_balancer_group")]
        assert "cnc_svc_join" in groups
        assert len(groups) == 3
    assert not [row for row in rows if row.table == "ACL" and "cnc" in str(row.columns["match"])]


def test_services_alone_pass_and_pods_of_the_other_network_are_dropped() -> None:
    rows = rows_of(settings(connection(*NETWORKS, pods=False, services=True)))
    own = "ovnkube-network-connect-controller:ClusterNetworkConnect:join"
    sets = {
        row.entry("external_ids", "k8s.ovn.org/id"): row
        for row in rows
        if row.table == "Address_Set" and row.entry("external_ids", "k8s.ovn.org/id").startswith(own)
    }
    assert {name: row.columns["addresses"] for name, row in sets.items()} == {
        f"{own}:v4": ("10.20.0.0/16", V4),
        f"{own}:v6": ("2010:100:200::/60", "fd20::/48"),
    }
    v4, v6 = (sets[f"{own}:v{version}"].columns["name"] for version in (4, 6))
    for switch, number, inside in (
        ("cluster_udn_l3.dual_node1", 3, "ip4.dst == 10.20.0.0/16 || ip6.dst == fd20::/48"),
        ("test12_namespace.scoped_ovn_layer2_switch", 1, f"ip4.dst == {V4} || ip6.dst == 2010:100:200::/60"),
    ):
        acls = {
            row.entry("external_ids", "k8s.ovn.org/id").removeprefix(f"{own}:"): row
            for row in held(rows, "Logical_Switch", switch, "acls")
            if row.entry("external_ids", "k8s.ovn.org/id").startswith(own)
        }
        assert {
            name: (row.columns["priority"], row.columns["action"], row.columns["match"]) for name, row in acls.items()
        } == {
            "pass-service": (500, "pass", "(ip4.dst == 10.96.0.0/16 || ip6.dst == fd00:10:96::/112)"),
            f"pass-same-network-{number}": (475, "pass", inside),
            "drop-pod": (450, "drop", f"(ip4.dst == ${v4} || ip6.dst == ${v6}) && ct.new"),
        }
        assert {(row.columns["direction"], row.columns["tier"]) for row in acls.values()} == {("from-lport", 0)}


def test_of_one_ip_family_the_drop_names_one_set() -> None:
    found = replace(connection(BLUE, pods=False, services=True), ip_versions=(), service_subnets=())
    rows = rows_of(settings(found), BLUE)
    own = [row for row in rows if row.table == "ACL" and row.columns["priority"] in (450, 475, 500)]
    (drop,) = (row for row in own if row.columns["priority"] == 450)
    assert str(drop.columns["match"]).startswith("ip4.dst == $a")
    assert str(drop.columns["match"]).endswith(" && ct.new")
    assert len(own) == 2
