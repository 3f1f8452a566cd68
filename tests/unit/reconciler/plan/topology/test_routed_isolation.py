"""Advertised networks: what keeps them apart, and that pods keep their addresses outside but not towards nodes."""

from collections.abc import Sequence
from ipaddress import ip_network

import pytest

from ovnguard.reconciler.plan.numbers.memo import Memo
from ovnguard.reconciler.plan.planner import Plan, make_plan
from ovnguard.reconciler.plan.rows.row import Ref, Row, row_uuid
from ovnguard.reconciler.plan.rows.row_groups import SHARED, groups_of
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.topology.address_sets import NODE_IPS, SERVICES
from ovnguard.reconciler.plan.topology.routed_isolation import SUBNETS
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import Network, Subnet, Transport
from ovnguard.validators.network.ovnkube_settings.routed_isolation import Isolation
from tests.support.plan_samples import DUAL_DEFAULT, LAYER3_DUAL, layer3, nodes, sharing, udn
from tests.support.plan_scenarios import LAYER2, generations, without_overlay

DEFAULT = DUAL_DEFAULT._replace(transport=Transport.GENEVE, no_overlay=None, managed_bgp=None)
BLUE = layer3("cluster_udn_blue", *LAYER3_DUAL)
GREEN = udn("cluster_udn_green", network_id=2, tunnel_keys=(16711685, 16715781))
MEMBERS = sharing(nodes(2, v6=True), DEFAULT, BLUE)
LOCAL = sharing(nodes(2, v6=True, mode="local"), DEFAULT, BLUE)
DROP = (
    f"(ip4.src == ${SUBNETS.at(4)} && ip4.dst == ${SUBNETS.at(4)}) || "
    f"(ip6.src == ${SUBNETS.at(6)} && ip6.dst == ${SUBNETS.at(6)})"
)


def routed(*networks: Network, isolation: Isolation | None = None) -> Settings:
    advertised = {each.name: tuple(subnet.cidr for subnet in each.subnets) for each in networks}
    return Settings(advertises=True, advertised=advertised, isolation=isolation, ip_versions=(4, 6))


def planned(settings: Settings, networks: Sequence[Network] = (DEFAULT, BLUE, GREEN), **changes: object) -> Plan:
    members = changes.get("members", MEMBERS)
    assert isinstance(members, tuple)
    plan = make_plan(networks, members, settings)
    assert plan.errors == ()
    return plan


def rows_of(plan: Plan, table: str) -> list[Row]:
    return [row for row in plan.zones[0].rows if row.table == table]


def isolating(plan: Plan) -> list[Row]:
    """The rows that keep networks apart."""
    return [
        row for row in plan.zones[0].rows if row.entry("external_ids", "k8s.ovn.org/owner-type") == "AdvertisedNetwork"
    ]


def subnets(plan: Plan) -> set[str]:
    names = {SUBNETS.at(version) for version in (4, 6)}
    sets = [row for row in rows_of(plan, "Address_Set") if row.columns["name"] in names]
    assert len(sets) == 2
    return {text for row in sets for text in row.texts("addresses")}


def ports(plan: Plan) -> set[str]:
    (group,) = (row for row in isolating(plan) if row.table == "Port_Group")
    return set(group.texts("ports"))


def acls(plan: Plan) -> dict[str, tuple[object, ...]]:
    """Direction, priority, match, action, tier and options of the ACLs that keep networks apart, by id."""
    columns = ("direction", "priority", "match", "action", "tier")
    found = [row for row in isolating(plan) if row.table == "ACL"]
    for row in found:
        assert row.columns["options"] == {"apply-after-lb": "true"}
    return {row.entry("external_ids", "k8s.ovn.org/id"): tuple(row.columns[each] for each in columns) for row in found}


def port(name: str) -> str:
    return str(Ref(row_uuid("Logical_Switch_Port", name)))


def test_a_cluster_without_routes_has_no_isolation() -> None:
    assert isolating(planned(Settings(ip_versions=(4, 6)))) == []


def test_strictly_advertised_networks_are_apart() -> None:
    plan = planned(routed(BLUE, GREEN))
    assert subnets(plan) == {"10.20.0.0/16", "fd20::/48", "203.203.0.0/16"}
    assert ports(plan) == {port("stor-cluster_udn_blue_node1"), port("stotr-cluster_udn_green_ovn_layer2_switch")}
    v4, v6 = (
        "(ip4.src == 10.20.0.0/16) && (ip4.dst == 10.20.0.0/16)",
        "(ip6.src == fd20::/48) && (ip6.dst == fd20::/48)",
    )
    blue, green = (f"cluster_udn_{each}" for each in ("blue", "green"))
    assert acls(plan) == {
        "default-network-controller:AdvertisedNetwork:advertised-network-subnets:": (
            *("from-lport", 1050, DROP, "drop", 0),
        ),
        f"{blue}-network-controller:AdvertisedNetwork:{blue}:3": ("from-lport", 1100, f"({v4}) || ({v6})", "pass", 0),
        f"{green}-network-controller:AdvertisedNetwork:{green}:2": (
            *("from-lport", 1100, "((ip4.src == 203.203.0.0/16) && (ip4.dst == 203.203.0.0/16))", "pass", 0),
        ),
    }


def test_pass_is_on_the_switch_and_drop_on_the_group() -> None:
    plan = planned(routed(BLUE))
    holders = {
        (row.table, str(row.columns["name"])): set(row.texts("acls"))
        for row in plan.zones[0].rows
        if row.table in ("Logical_Switch", "Port_Group")
    }
    by_action = {str(row.columns["action"]): str(Ref(row.uuid)) for row in isolating(plan) if row.table == "ACL"}
    assert by_action["pass"] in holders["Logical_Switch", "cluster_udn_blue_node1"]
    assert [key[0] for key, held in holders.items() if by_action["drop"] in held] == ["Port_Group"]


def test_subnets_of_one_family_are_in_one_expression() -> None:
    two = layer3("cluster_udn_blue", *(Subnet(ip_network(f"10.{each}.0.0/16"), 24) for each in (20, 30)))
    plan = planned(routed(two), [two], members=sharing(nodes(1), two))
    _, _, match, _, _ = acls(plan)["cluster_udn_blue-network-controller:AdvertisedNetwork:cluster_udn_blue:3"]
    source = "(ip4.src == 10.20.0.0/16 || ip4.src == 10.30.0.0/16)"
    assert match == f"({source} && {source.replace('src', 'dst')})"


def test_the_default_network_may_be_advertised() -> None:
    plan = planned(routed(DEFAULT))
    assert ports(plan) == {port("stor-node1")}
    assert subnets(plan) == {"10.128.0.0/14", "fd01::/48"}
    assert "default-network-controller:AdvertisedNetwork:default:0" in acls(plan)


def test_loosely_the_routers_outside_decide() -> None:
    plan = planned(routed(DEFAULT, BLUE, GREEN, isolation=Isolation.LOOSE))
    assert (subnets(plan), ports(plan)) == (set(), set())
    assert [action for _, _, _, action, _ in acls(plan).values()] == ["drop"]


def test_a_network_without_overlay_is_always_apart() -> None:
    plan = planned(routed(), [DEFAULT, without_overlay(BLUE, snat=True)])
    assert ports(plan) == {port("stor-cluster_udn_blue_node1")}
    assert subnets(plan) == {"10.20.0.0/16", "fd20::/48"}


def test_an_advertised_network_that_cannot_be_planned_stays_apart() -> None:
    plan = planned(routed(BLUE, GREEN), [DEFAULT, BLUE])
    assert subnets(plan) == {"10.20.0.0/16", "fd20::/48", "203.203.0.0/16"}
    assert ports(plan) == {port("stor-cluster_udn_blue_node1")}


def test_a_network_that_is_advertised_changes_only_its_own_rows() -> None:
    memo = Memo()
    before, after = (
        groups_of(make_plan([DEFAULT, BLUE, GREEN], MEMBERS, settings, memo=memo).zones[0].rows)
        for settings in (routed(BLUE), routed(BLUE, GREEN))
    )
    assert {name for name, rows in after.items() if rows is not before[name]} == {SHARED, GREEN.name}


def snats(plan: Plan, router: str) -> set[tuple[str, str, str, str]]:
    """Logical address, external address, match and allowed set of a router's source NAT."""
    names = {str(Ref(row.uuid)): str(row.columns["name"]) for row in rows_of(plan, "Address_Set")}
    (found,) = (row for row in rows_of(plan, "Logical_Router") if row.columns["name"] == router)
    own = set(found.texts("nat"))
    return {
        (
            *(str(row.columns[column]) for column in ("logical_ip", "external_ip", "match")),
            "".join(names[each] for each in row.texts("allowed_ext_ips")),
        )
        for row in rows_of(plan, "NAT")
        if str(Ref(row.uuid)) in own and row.columns["external_ip"] and "fd" not in str(row.columns["logical_ip"])
    }


BLUE_MAC, GREEN_MAC = "0a:58:0a:14:02:02", "0a:58:cb:cb:00:02"
TO_NODES = f"ip4.dst == ${NODE_IPS.at(4)}"
TO_EITHER = f"({TO_NODES} || ip4.dst == ${SERVICES.at(4)})"


@pytest.mark.parametrize("members", [MEMBERS, LOCAL], ids=["shared", "local"])
def test_only_nodes_see_addresses_of_the_gateway_router(members: tuple[Node, ...]) -> None:
    plan = planned(routed(DEFAULT, BLUE, GREEN), members=members)
    assert snats(plan, "GR_node1") == {
        ("10.128.0.0/14", "172.18.0.2", TO_NODES, ""),
        ("100.64.0.2", "172.18.0.2", "", ""),
    }
    assert snats(plan, "GR_cluster_udn_blue_node1") == {
        ("10.20.0.0/16", "169.254.0.15", TO_NODES, ""),
        ("100.65.0.2", "169.254.0.15", "", ""),
    }
    assert snats(plan, "GR_cluster_udn_green_node1") == {
        ("203.203.0.0/16", "169.254.0.13", TO_NODES, ""),
        ("100.65.0.2", "169.254.0.13", "", ""),
    }


def test_in_shared_mode_nodes_and_services_see_the_masquerade_address() -> None:
    plan = planned(routed(BLUE, GREEN))
    for router, subnet, address, mac in (
        ("cluster_udn_blue_ovn_cluster_router", "10.20.2.0/24", "169.254.0.16", BLUE_MAC),
        ("cluster_udn_green_transit_router", "203.203.0.0/16", "169.254.0.14", GREEN_MAC),
    ):
        assert snats(plan, router) == {
            (subnet, address, "", NODE_IPS.at(4)),
            (subnet, address, "", SERVICES.at(4)),
            (subnet, address, f"eth.dst == {mac}", ""),
        }


def test_in_local_mode_the_outside_sees_pods_behind_the_management_port() -> None:
    plan = planned(routed(BLUE, GREEN), members=LOCAL)
    for router, subnet, address, mac in (
        ("cluster_udn_blue_ovn_cluster_router", "10.20.2.0/24", "169.254.0.16", BLUE_MAC),
        ("cluster_udn_green_transit_router", "203.203.0.0/16", "169.254.0.14", GREEN_MAC),
    ):
        assert snats(plan, router) == {(subnet, address, f"eth.dst == {mac} && {TO_EITHER}", "")}


def test_before_the_transit_router_the_match_names_the_port() -> None:
    plan = planned(routed(LAYER2), [LAYER2], members=generations("oo"))
    prefix, (subnet, *_) = LAYER2.name.replace("-", "."), LAYER2.subnets
    match = f'outport == "rtoe-GR_{prefix}_node1" && {TO_NODES}'
    assert (str(subnet.cidr), "169.254.0.11", match, "") in snats(plan, f"GR_{prefix}_node1")
    assert ports(plan) == {port(f"stor-{prefix}_ovn_layer2_switch")}
