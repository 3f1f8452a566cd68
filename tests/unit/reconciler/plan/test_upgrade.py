"""Layer2 networks while nodes move to transit routers one by one."""

from ipaddress import ip_network

from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.rows.row_diff import diff
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import Network
from tests.support.plan_samples import nodes, udn
from tests.support.plan_scenarios import LAYER2, generations

SWITCH = "test12_namespace.scoped_ovn_layer2_switch"

LAYER2_4 = udn("a_b")


def zone(upgraded: str, index: int = 0) -> dict[str, Row]:
    plan = make_plan([LAYER2], generations(upgraded), Settings())
    assert plan.errors == ()
    return {" ".join(row.identity or ()): row for row in plan.zones[index].rows}


def test_before_the_upgrade_every_gateway_router_is_on_the_switch() -> None:
    rows = zone("oo")
    port = rows[f"rtos-{SWITCH}"].columns
    assert port["networks"] == ("100.65.0.2/16", "2010:100:200::1/60", "203.203.0.1/16", "fd99::2/64")
    assert port["mac"] == "0a:58:64:41:00:02"
    assert rows[f"stor-{SWITCH}"].columns["options"] == {"router-port": f"rtos-{SWITCH}", "requested-tnl-key": "102"}
    remote = rows[f"stor-{SWITCH}_node2"].columns
    assert remote["type"] == "remote"
    assert remote["addresses"] == ("0a:58:64:41:00:03 100.65.0.3/16 fd99::3/64",)
    assert remote["options"] == {"requested-tnl-key": "103", "requested-chassis": "chassis-2"}
    assert not [name for name in rows if "transit_router" in name or "trto" in name]
    matches = {row.columns["match"] for row in rows.values() if row.table == "NAT"}
    assert matches == {"", 'outport == "rtoe-GR_test12_namespace.scoped_node1"', "eth.dst == 0a:58:cb:cb:00:02"}


def test_an_upgraded_node_answers_the_others_on_a_second_port() -> None:
    rows = zone("no")
    second = rows[f"trtos-{SWITCH}-upgrade"].columns
    assert second["networks"] == ("100.65.255.254/16", "fd99::ffff:ffff:ffff:fffe/64")
    assert (second["mac"], second["options"]) == ("0a:58:64:41:00:02", {})
    assert rows[f"stotr-{SWITCH}-upgrade"].entry("options", "requested-tnl-key") == "102"
    assert "169.254.0.12/17" in rows[f"trtos-{SWITCH}"].texts("networks")
    assert rows["test12_namespace.scoped_transit_router route 100.65.0.3 dst-ip"].columns["nexthop"] == "100.65.0.3"
    assert "trtor-GR_test12_namespace.scoped_node2" not in rows
    # whoever was not upgraded sees the same port of this node as before
    assert zone("no", 1)[f"stor-{SWITCH}_node1"] == zone("oo", 1)[f"stor-{SWITCH}_node1"]


def test_the_last_upgrade_leaves_nothing_of_the_second_port() -> None:
    before, after = zone("no"), zone("nn")
    subjects = {f"{each.op} {each.subject}" for each in diff(before.values(), after.values())}
    router = "test12_namespace.scoped_transit_router"
    assert subjects == {
        "insert trtor-GR_test12_namespace.scoped_node2",
        f"update {router}",
        f"update {router} route 100.65.0.3 dst-ip",
        f"update {router} route fd99::3 dst-ip",
        f"update trtos-{SWITCH}",
        f"update {SWITCH}",
        f"delete trtos-{SWITCH}-upgrade",
        f"delete stotr-{SWITCH}-upgrade",
        f"delete stor-{SWITCH}_node2",
    }
    plain = make_plan([LAYER2], nodes(2, v6=True), Settings()).zones[0].rows
    assert {row.uuid: row.columns for row in plain} == {row.uuid: row.columns for row in after.values()}


def errors(network: Network, members: tuple[Node, ...]) -> list[str]:
    return [str(error) for error in make_plan([network], members, Settings()).errors]


def test_a_node_without_key_waits_as_long_as_both_topologies_are_there() -> None:
    old, new = generations("on")
    fault = "k8s.ovn.org/udn-layer2-node-gateway-router-lrp-tunnel-ids contains no key of the network"
    text = f"network test12_namespace-scoped, node node2: {fault}"
    assert errors(LAYER2, (old, new._replace(router_port_keys={}))) == [text]
    assert errors(LAYER2, (old._replace(topology_version="2.0"), new._replace(router_port_keys={}))) == []
    plan = make_plan([LAYER2], (old, new._replace(router_port_keys={})), Settings())
    assert plan.waiting == {"node2": frozenset({LAYER2.name})}
    assert f"stor-{SWITCH}_node2" not in {row.columns.get("name") for row in plan.zones[0].rows}


def test_the_last_join_address_must_be_free() -> None:
    small = udn("a_b", join_subnets=(ip_network("100.65.0.0/29"),))
    members = tuple(
        each._replace(node_id=number, router_port_keys={"a_b": number}, topology_version="")
        for number, each in zip((2, 6), nodes(2), strict=True)
    )
    text = "cannot use the last IP of the join subnet as fake join IP, node node2 has nodeID 6"
    assert errors(small, members) == [f"network a_b, node node2: {text}"]


def test_a_node_of_unknown_topology_has_its_own_gateway_but_no_port_on_other_nodes() -> None:
    known, unknown, other = nodes(3)
    plan = make_plan(
        [LAYER2_4], (known, *(each._replace(topology_version="") for each in (unknown, other))), Settings()
    )
    first, second, _ = ({str(row.columns.get("name")) for row in zone.rows} for zone in plan.zones)
    assert not {f"trtor-GR_a_b_{each}" for each in ("node2", "node3")} & first
    assert {"GR_a_b_node1", "trtor-GR_a_b_node1", "rtotr-GR_a_b_node1"} <= first
    assert {"GR_a_b_node2", "trtor-GR_a_b_node1", "trtor-GR_a_b_node2"} <= second
    routes = {row.columns["ip_prefix"] for row in plan.zones[0].rows if row.table == "Logical_Router_Static_Route"}
    assert {"100.65.0.2"} == {each for each in routes if str(each).startswith("100.65.")}
    text = (
        "other nodes have no port for its gateway router: waiting for k8s.ovn.org/layer2-topology-version (and 1 more)"
    )
    assert f"network a_b, node node2: {text}" in map(str, plan.notes)
    assert (plan.errors, plan.waiting) == ((), {})
    assert not any("waiting" in str(each) for each in make_plan([LAYER2_4], (unknown,), Settings()).notes)
