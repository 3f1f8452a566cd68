"""Pods with another primary network on the default one: in the port group with its ACLs, with the ports they open."""

from ovnguard.reconciler.plan.planner import Plan, make_plan
from ovnguard.reconciler.plan.rows.model import OpenPort, PodPort
from ovnguard.reconciler.plan.rows.row import Ref, Row, row_uuid
from ovnguard.reconciler.plan.topology.pod_isolation import ISOLATED_PODS
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import Network
from tests.support.plan_samples import DUAL_DEFAULT, SERVICES, default_network, nodes, pod, sharing

NET = default_network()
MEMBERS = sharing(nodes(2), NET)


def planned(*pods: PodPort, network: Network = NET, members: tuple[Node, ...] = MEMBERS) -> Plan:
    return make_plan([network], members, SERVICES, pods={network.name: pods})


def isolated(name: str, node: str, address: str, *open_ports: OpenPort) -> PodPort:
    return pod(NET, name, node, address, isolated=True, open_ports=open_ports)


def group(plan: Plan, zone: int = 0) -> Row:
    return next(row for row in plan.zones[zone].rows if row.columns.get("name") == ISOLATED_PODS)


def members_of(row: Row) -> set[str]:
    return set(row.texts("ports"))


def acls(plan: Plan) -> list[tuple[object, ...]]:
    """The ACLs of the group, by id."""
    rows = {row.uuid: row for row in plan.zones[0].rows}
    found = group(plan).columns["acls"]
    assert isinstance(found, tuple)
    own = [rows[each.uuid] for each in found if isinstance(each, Ref)]
    columns = ("direction", "priority", "match", "action", "tier")
    ids = sorted(own, key=lambda row: row.entry("external_ids", "k8s.ovn.org/id"))
    return [tuple(row.columns[column] for column in columns) for row in ids]


def port(name: str) -> str:
    return str(Ref(row_uuid("Logical_Switch_Port", f"ns_{name}")))


def test_the_group_has_the_isolated_pods_of_its_own_node() -> None:
    first, second = isolated("one", "node1", "10.128.4.11"), isolated("two", "node2", "10.128.6.11")
    plan = planned(first, second, pod(NET, "plain", "node1", "10.128.4.12"))
    assert members_of(group(plan)) == {port("one")}
    assert members_of(group(plan, 1)) == {port("two")}
    assert members_of(group(planned())) == set()


def test_a_pod_without_a_port_is_in_no_group() -> None:
    plan = planned(isolated("one", "node1", "10.128.4.11"), isolated("two", "node1", "10.128.4.11"))
    assert members_of(group(plan)) == {port("one")}


def test_only_the_management_port_reaches_isolated_pods() -> None:
    at, of = f"outport == @{ISOLATED_PODS}", f"inport == @{ISOLATED_PODS}"
    assert acls(planned()) == [
        ("from-lport", 1001, f"{of} && (( arp && arp.tpa == 10.128.4.2 ))", "allow", 0),
        ("to-lport", 1001, f"{at} && (( arp && arp.spa == 10.128.4.2 ))", "allow", 0),
        ("to-lport", 1001, f"{at} && (ip4.src==10.128.4.2)", "allow-related", 0),
        ("from-lport", 1000, of, "drop", 0),
        ("to-lport", 1000, at, "drop", 0),
    ]


def test_both_families_are_in_one_rule() -> None:
    found = acls(planned(network=DUAL_DEFAULT, members=sharing(nodes(2), DUAL_DEFAULT)))
    matches = [str(match).partition("&& ")[2] for _, _, match, _, _ in found]
    assert matches == [
        "(( arp && arp.tpa == 10.128.4.2 ) || ( nd && nd.target == fd01:0:0:2::2 ))",
        "(( arp && arp.spa == 10.128.4.2 ) || ( nd && nd.target == fd01:0:0:2::2 ))",
        "(ip4.src==10.128.4.2 || ip6.src==fd01:0:0:2::2)",
        "",
        "",
    ]


def test_a_pod_opens_ports_to_all() -> None:
    opened = (OpenPort("tcp", 80), OpenPort("icmp", None))
    plan = planned(isolated("one", "node1", "10.128.4.11", *opened), isolated("two", "node2", "10.128.6.11", *opened))
    found = acls(plan)
    assert found[:5] == acls(planned())
    assert found[5:] == [
        ("from-lport", 1001, 'inport == "ns_one" && (arp || nd)', "allow", 0),
        ("to-lport", 1001, 'outport == "ns_one" && (arp || nd || (tcp.dst == 80 || icmp))', "allow-related", 0),
    ]
