"""Settings of a plan from what the operator Network configures, and the rows that follow them."""

from ipaddress import ip_network

import pytest

from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.rows.settings import Settings, settings_of
from ovnguard.validators.network.addresses.addressing import DEFAULT_JOIN_SUBNETS, DEFAULT_MASQUERADE_SUBNETS
from ovnguard.validators.network.cluster.cluster_facts import ClusterFacts
from ovnguard.validators.network.model import Network
from tests.support.plan_samples import DUAL_DEFAULT, layer3, node, nodes, sharing, udn

CONFIGURED = ClusterFacts(
    operator_known=True,
    join_subnets=(ip_network("100.66.0.0/16"), DEFAULT_JOIN_SUBNETS[1]),
    masquerade_subnets=(ip_network("169.254.128.0/18"), DEFAULT_MASQUERADE_SUBNETS[1]),
    default_mtu=8900,
)


def test_nothing_configured_leaves_the_defaults() -> None:
    assert settings_of(ClusterFacts()) == Settings()
    assert settings_of(ClusterFacts(), Settings(default_mtu=1300)).default_mtu == 1300


def test_an_mtu_that_the_operator_selects_is_not_known_here() -> None:
    unknown = settings_of(ClusterFacts(operator_known=True))
    assert unknown.default_mtu is None
    assert unknown.with_mtu(None) == unknown
    assert unknown.with_mtu(8901).default_mtu == 8901


def test_an_unknown_mtu_limits_nothing_and_is_noted() -> None:
    network = udn("a_b", "203.203.0.0/16", "2010:100:200::/60", network_id=1)
    plan = make_plan([network], [node(1, v6=True)], Settings(default_mtu=None))
    ports = [row for row in plan.zones[0].rows if row.table == "Logical_Router_Port"]
    assert not any(row.entry("options", "gateway_mtu") or row.entry("ipv6_ra_configs", "mtu") for row in ports)
    assert "no gateway_mtu: the default network's MTU is not known" in [str(each) for each in plan.notes]


@pytest.mark.parametrize(("own", "expected"), [(None, "8900"), (1300, "1300")])
def test_router_advertisements_carry_the_mtu(own: int | None, expected: str) -> None:
    network = udn("a_b", "203.203.0.0/16", "2010:100:200::/60", network_id=1, mtu=own)
    rows = make_plan([network], [node(1, v6=True)], Settings(default_mtu=8900)).zones[0].rows
    mtus = {row.entry("ipv6_ra_configs", "mtu") for row in rows if row.entry("ipv6_ra_configs", "send_periodic")}
    assert mtus == {expected}


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
    plan = make_plan([DUAL_DEFAULT], nodes(2, v4=False, v6=True), settings_of(CONFIGURED))
    assert "bgp router-id 100.66.0.2" in plan.zones[0].frr


@pytest.mark.parametrize(
    ("facts", "versions"),
    [
        (ClusterFacts(), ()),
        (ClusterFacts(nodes=nodes(2)), (4,)),
        (ClusterFacts(nodes=(*nodes(1), node(2, v4=False, v6=True))), (4, 6)),
        (ClusterFacts(nodes=nodes(2, v6=True), cluster_subnets=(ip_network("fd01::/48"),)), (6,)),
        (ClusterFacts(nodes=nodes(2, host_subnets={"a_b": (ip_network("10.1.0.0/16"),)})), ()),
    ],
)
def test_nodes_tell_the_families_of_a_cluster_without_an_operator(
    facts: ClusterFacts, versions: tuple[int, ...]
) -> None:
    assert settings_of(facts).ip_versions == versions


@pytest.mark.parametrize("network", [udn("a_b", network_id=1), layer3("a_b", network_id=1)])
def test_gateway_routers_have_all_families_of_the_cluster(network: Network) -> None:
    subnets = (ip_network("10.128.0.0/14"), ip_network("fd01::/48"))
    settings = settings_of(ClusterFacts(operator_known=True, cluster_subnets=subnets))
    assert settings.ip_versions == (4, 6)
    rows = make_plan([network], sharing((node(1, v6=True),), network), settings).zones[0].rows
    (port,) = [row for row in rows if row.columns.get("name") == "rtoe-GR_a_b_node1"]
    assert port.texts("networks") == ["169.254.0.11/32", "172.18.0.2/16", "fc00::2/64", "fd69::b/128"]
    (router,) = [row for row in rows if row.columns.get("name") == "GR_a_b_node1"]
    assert router.entry("external_ids", "physical_ips") == "172.18.0.2,fc00::2,169.254.0.11,fd69::b"
    addresses = {str(row.columns["ip"]) for row in rows if row.table == "Static_MAC_Binding"}
    assert addresses == {"169.254.0.2", "169.254.0.4", "fd69::2", "fd69::4"}
    routes = {str(row.columns["ip_prefix"]): row.columns["nexthop"] for row in rows if "output_port" in row.columns}
    assert (routes["fd69::/112"], routes["::/0"]) == ("fd69::4", "fc00::1")
