"""OVN names: the example of OKEP-5094."""

import pytest

from ovnguard.reconciler.plan.rows.names import Names, address_set_hash, is_safe

NAMES = Names("test12_namespace-scoped")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (NAMES.prefix, "test12_namespace.scoped_"),
        (NAMES.layer2_switch, "test12_namespace.scoped_ovn_layer2_switch"),
        (NAMES.transit_router, "test12_namespace.scoped_transit_router"),
        (NAMES.router_to_switch, "trtos-test12_namespace.scoped_ovn_layer2_switch"),
        (NAMES.switch_to_router, "stotr-test12_namespace.scoped_ovn_layer2_switch"),
        (NAMES.gateway_router("ovn-worker"), "GR_test12_namespace.scoped_ovn-worker"),
        (NAMES.transit_to_gateway("ovn-worker"), "trtor-GR_test12_namespace.scoped_ovn-worker"),
        (NAMES.gateway_to_transit("ovn-worker"), "rtotr-GR_test12_namespace.scoped_ovn-worker"),
        (NAMES.gateway_to_external("ovn-worker"), "rtoe-GR_test12_namespace.scoped_ovn-worker"),
        (NAMES.external_to_gateway("ovn-worker"), "etor-GR_test12_namespace.scoped_ovn-worker"),
        (NAMES.external_switch("ovn-worker"), "ext_test12_namespace.scoped_ovn-worker"),
        (NAMES.localnet_port("breth0", "ovn-worker"), "breth0_test12_namespace.scoped_ovn-worker"),
        (NAMES.management_port("ovn-worker"), "k8s-test12_namespace.scoped_ovn-worker"),
        (NAMES.load_balancer_group, "test12_namespace.scoped_clusterLBGroup"),
        (NAMES.switch_load_balancer_group, "test12_namespace.scoped_clusterSwitchLBGroup"),
        (NAMES.router_load_balancer_group, "test12_namespace.scoped_clusterRouterLBGroup"),
        (NAMES.controller, "test12_namespace-scoped-network-controller"),
        (Names("cluster_udn_my-net").prefix, "cluster_udn_my.net_"),
        (Names("ns/net").prefix, "ns.net_"),
        (Names("default").prefix, ""),
    ],
)
def test_name(name: str, expected: str) -> None:
    assert name == expected


def test_hash_of_a_database_id_is_upstreams() -> None:
    assert address_set_hash("default-network-controller:EgressIP:node-ips:v4:default") == "a712973235162149816"


@pytest.mark.parametrize(
    ("name", "safe"),
    [("cluster_udn_a-b", True), ("ns/net", True), ("", False), ('a"b', False), ("a\nb", False), ("a" * 509, False)],
)
def test_names_that_are_safe_in_match_expressions(name: str, safe: bool) -> None:
    assert is_safe(name) is safe
