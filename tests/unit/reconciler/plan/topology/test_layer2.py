"""The gateway router of a primary Layer2 network, with a transit router and before it."""

from ovnguard.reconciler.plan.rows.row import Row
from tests.support.plan_samples import SERVICES, nodes
from tests.support.plan_scenarios import LAYER2, Scenario, generations

GATEWAY = "GR_test12_namespace.scoped_node1"
SWITCH = "test12_namespace.scoped_ovn_layer2_switch"
PODS, JOIN, OUTSIDE = "203.203.0.0/16", "100.65.0.2", "169.254.0.11"


def rows_of(scenario: Scenario) -> dict[str, Row]:
    """The rows of the first node by their identity."""
    return {" ".join(row.identity or ()): row for row in scenario.plan().zones[0].rows}


def test_the_port_towards_the_transit_router_keeps_the_join_address() -> None:
    rows = rows_of(Scenario((LAYER2,), nodes(2, v6=True), SERVICES))
    port = rows[f"rtotr-{GATEWAY}"].columns
    assert port["networks"] == ("100.65.0.2/16", "100.88.0.5/31", "fd97::5/127", "fd99::2/64")
    assert (port["mac"], port["peer"]) == ("0a:58:64:41:00:02", (f"trtor-{GATEWAY}",))
    assert rows[f"trtor-{GATEWAY}"].columns["peer"] == (f"rtotr-{GATEWAY}",)


def test_pods_are_behind_the_transit_router() -> None:
    route = rows_of(Scenario((LAYER2,), nodes(2, v6=True), SERVICES))[f"{GATEWAY} route {PODS} dst-ip rtotr-{GATEWAY}"]
    assert (route.columns["nexthop"], route.columns["policy"]) == ("100.88.0.4", ())


def test_pods_and_the_join_address_have_the_masquerade_address_outside() -> None:
    rows = rows_of(Scenario((LAYER2,), nodes(2, v6=True), SERVICES))
    for name in (f"{GATEWAY} snat {PODS}", f"{GATEWAY} snat {JOIN}"):
        assert (rows[name].columns["external_ip"], rows[name].columns["match"]) == (OUTSIDE, "")


def test_before_the_transit_router_only_packets_to_the_bridge_are_translated() -> None:
    rows = rows_of(Scenario((LAYER2,), generations("oo"), SERVICES))
    match = f'outport == "rtoe-{GATEWAY}"'
    assert rows[f"{GATEWAY} snat {PODS} {match}"].columns["external_ip"] == OUTSIDE


def test_before_the_transit_router_local_mode_reaches_the_nodes_network_through_the_node() -> None:
    rows = rows_of(Scenario((LAYER2,), generations("oo", mode="local"), SERVICES))
    policy = rows[f"{GATEWAY} policy 99 ip4.dst == 172.18.0.0/16 && ip4.src == {PODS}"]
    assert (policy.columns["action"], policy.columns["nexthops"]) == ("reroute", ("203.203.0.2",))
    assert rows[f"{GATEWAY} route {PODS} src-ip"].columns["nexthop"] == "203.203.0.2"
