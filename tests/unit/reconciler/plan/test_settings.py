"""Settings of a plan from what the operator Network configures, and the rows that follow them."""

from ipaddress import ip_network

from reconciler.plan.planner import make_plan
from reconciler.plan.settings import Settings, settings_of
from tests.support.plan_samples import default_network, node, udn
from validators.network.addresses.addressing import DEFAULT_JOIN_SUBNETS, DEFAULT_MASQUERADE_SUBNETS
from validators.network.cluster.cluster_facts import ClusterFacts

CONFIGURED = ClusterFacts(
    operator_known=True,
    join_subnets=(ip_network("100.66.0.0/16"), DEFAULT_JOIN_SUBNETS[1]),
    masquerade_subnets=(ip_network("169.254.128.0/18"), DEFAULT_MASQUERADE_SUBNETS[1]),
    default_mtu=8900,
)


def test_nothing_configured_leaves_the_defaults() -> None:
    assert settings_of(ClusterFacts()) == Settings()
    assert settings_of(ClusterFacts(), Settings(default_mtu=1300)).default_mtu == 1300


def test_rows_follow_what_is_configured() -> None:
    plan = make_plan([udn("a_b", network_id=1)], [node(1)], settings_of(CONFIGURED))
    rows = plan.zones[0].rows

    def values(table: str, column: str) -> set[str]:
        return {str(row.columns[column]) for row in rows if row.table == table}

    mtus = {row.entry("options", "gateway_mtu") for row in rows if row.table == "Logical_Router_Port"}
    assert mtus - {""} == {"8900"}
    matches = values("Logical_Router_Policy", "match")
    assert "ip4.src == 203.203.0.0/16 && ip4.dst == 100.66.0.0/16" in matches
    assert not any("100.64.0.0/16" in match for match in matches)
    assert values("NAT", "external_ip") == {"169.254.128.11", "169.254.128.12"}
    assert values("Static_MAC_Binding", "ip") == {"169.254.128.4", "169.254.128.2"}
    assert values("Static_MAC_Binding", "mac") == {"0a:58:a9:fe:80:04", "0a:58:a9:fe:80:02"}
    assert "169.254.128.0/18" in values("Logical_Router_Static_Route", "ip_prefix")


def test_router_id_of_a_node_without_ipv4_is_of_the_configured_join_subnet() -> None:
    plan = make_plan([default_network()], [node(1, v4=False, v6=True)], settings_of(CONFIGURED))
    assert "bgp router-id 100.66.0.2" in plan.zones[0].frr
