"""DHCP of virtual machines, the ports of a live migration, and the routes to machines that keep their addresses."""

from dataclasses import replace
from ipaddress import ip_address, ip_network
from typing import Any

import pytest

from ovnguard.reconciler.plan.numbers.memo import Memo
from ovnguard.reconciler.plan.planner import Plan, make_plan
from ovnguard.reconciler.plan.rows.model import Lease, PodPort, RunningMachine
from ovnguard.reconciler.plan.rows.row import Ref, Row
from ovnguard.validators.network.model import Network, Role, Topology
from tests.support.plan_samples import SERVICES, layer3, nodes, pod, sharing, udn

NET = udn("a_net", network_id=2, tunnel_keys=(16711685, 16715781))
LEASE = Lease((ip_network("203.203.0.0/16"), ip_network("2010::/60")), ip_address("203.203.0.1"))
SOURCE = pod(NET, "a", "node1", "203.203.0.11", key=11, machine="vm", lease=LEASE)
TARGET = replace(SOURCE, pod="b", uid="uid-b", node="node2", key=12, enabled=False)


def planned(*pods: PodPort, network: Network = NET) -> Plan:
    return make_plan([network], nodes(2), SERVICES, pods={network.name: pods})


def rows(plan: Plan, table: str, zone: int = 0) -> list[Row]:
    return [row for row in plan.zones[zone].rows if row.table == table]


def port(plan: Plan, name: str, zone: int = 0) -> Row:
    (found,) = (row for row in rows(plan, "Logical_Switch_Port", zone) if row.columns["name"] == name)
    return found


def test_options_are_those_of_ovn_kubernetes() -> None:
    plan = planned(SOURCE)
    first, second = sorted(rows(plan, "DHCP_Options"), key=lambda row: str(row.columns["cidr"]))
    assert (first.columns["cidr"], second.columns["cidr"]) == ("2010::/60", "203.203.0.0/16")
    assert first.columns["options"] == {
        "dns_server": "fd00:10:96::a",
        "fqdn": '"vm"',
        "server_id": "0a:58:6d:6d:c1:50",
    }
    assert second.columns["options"] == {
        "dns_server": "10.96.0.10",
        "hostname": '"vm"',
        "lease_time": "3500",
        "mtu": "1400",
        "router": "203.203.0.1",
        "server_id": "169.254.1.1",
        "server_mac": "0a:58:a9:fe:01:01",
    }
    assert first.columns["external_ids"] == {
        "k8s.ovn.org/id": "a_net-network-controller:VirtualMachine:ns/vm:2010../60",
        "k8s.ovn.org/name": "ns/vm",
        "k8s.ovn.org/cidr": "2010../60",
        "k8s.ovn.org/owner-controller": "a_net-network-controller",
        "k8s.ovn.org/owner-type": "VirtualMachine",
        "k8s.ovn.org/zone": "local",
    }
    assert first.is_ours
    own = port(plan, "ns.net_ns_a")
    assert own.columns["dhcpv4_options"] == (Ref(second.uuid),)
    assert own.columns["dhcpv6_options"] == (Ref(first.uuid),)


def test_every_zone_has_the_lease_once_for_both_pods_of_a_migration() -> None:
    plan = planned(SOURCE, TARGET)
    assert plan.errors == ()
    for zone in (0, 1):
        assert len(rows(plan, "DHCP_Options", zone)) == 2
        one, other = port(plan, "ns.net_ns_a", zone), port(plan, "ns.net_ns_b", zone)
        assert one.columns["dhcpv4_options"] == other.columns["dhcpv4_options"]


def test_a_machine_that_moved_has_no_lease_on_its_earlier_node() -> None:
    plan = planned(replace(SOURCE, moved=True, enabled=False), replace(TARGET, enabled=True))
    leased = [[bool(port(plan, f"ns.net_ns_{pod}", zone).columns["dhcpv4_options"]) for pod in "ab"] for zone in (0, 1)]
    assert leased == [[False, True], [True, True]]


@pytest.mark.parametrize(
    ("network", "leases"),
    [
        (NET, 2),
        (NET._replace(role=Role.SECONDARY, transit_subnets=(), tunnel_keys=()), 0),
        (NET._replace(topology=Topology.LOCALNET, role=Role.SECONDARY, transit_subnets=(), tunnel_keys=()), 0),
    ],
)
def test_only_primary_layer2_networks_lease(network: Network, leases: int) -> None:
    assert len(rows(planned(SOURCE, network=network), "DHCP_Options")) == leases


def test_without_the_dns_service_there_is_no_lease_and_a_note() -> None:
    plan = make_plan([NET], nodes(1), replace(SERVICES, dns=None), pods={NET.name: (SOURCE,)})
    assert rows(plan, "DHCP_Options") == []
    text = "network a_net: no DHCP for virtual machines: Service kube-system/kube-dns is not known"
    assert text in map(str, plan.notes)


@pytest.mark.parametrize("topology", [Topology.LAYER2, Topology.LOCALNET])
def test_the_port_that_carries_no_traffic_has_no_addresses(topology: Topology) -> None:
    role = Role.PRIMARY if topology is Topology.LAYER2 else Role.SECONDARY
    network = NET._replace(topology=topology, role=role)
    text = "0a:58:cb:cb:00:0b 203.203.0.11"
    own = port(planned(replace(SOURCE, enabled=False), network=network), "ns.net_ns_a")
    assert (own.columns["enabled"], own.columns["addresses"], own.columns["port_security"]) == ((False,), (), (text,))
    own = port(planned(replace(SOURCE, enabled=True), network=network), "ns.net_ns_a")
    assert (own.columns["enabled"], own.columns["addresses"], own.columns["port_security"]) == (
        (True,),
        (text,),
        (text,),
    )
    own = port(planned(SOURCE, network=network), "ns.net_ns_a")
    assert (own.columns["enabled"], own.columns["addresses"]) == ((), (text,))


def test_pods_of_one_machine_share_its_addresses_but_neither_key_nor_name() -> None:
    other = replace(TARGET, machine="other")
    (error,) = planned(SOURCE, other).errors
    assert error.text == "address 203.203.0.11 is already held by pod ns/a"
    (error,) = planned(SOURCE, replace(TARGET, key=11)).errors
    assert error.text == "tunnel key 11 is already held by pod ns/a"
    (error,) = planned(SOURCE, replace(TARGET, machine="")).errors
    assert error.text == "address 203.203.0.11 is already held by pod ns/a"


DEFAULT = layer3("default", network_id=0)
MEMBERS = sharing(nodes(3), DEFAULT)
HERE = RunningMachine("default", "red", "vm", "node2", (ip_address("10.20.2.11"),))
IDS = {"k8s.ovn.org/vm": "vm", "k8s.ovn.org/namespace": "red"}


def machine_routes(*machines: RunningMachine, memo: Memo | None = None) -> list[list[tuple[Any, ...]]]:
    """The routes of each zone to virtual machines: prefix, next hop, policy, port and where the machine is."""
    settings = replace(SERVICES, machines=machines)
    plan = make_plan([DEFAULT], MEMBERS, settings, memo=memo)
    found: list[list[tuple[Any, ...]]] = []
    for zone in plan.zones:
        routes = [row for row in zone.rows if all(row.entry("external_ids", key) == IDS[key] for key in IDS)]
        names = ("ip_prefix", "nexthop", "policy", "output_port")
        found.append(
            [(*(row.columns[name] for name in names), row.entry("external_ids", "k8s.ovn.org/zone")) for row in routes]
        )
    return found


def test_every_zone_has_a_route_to_a_machine_that_moved_with_its_address() -> None:
    remote = ("10.20.2.11", "100.88.0.3", ("dst-ip",), (), "remote")
    local = ("10.20.2.11", "10.20.2.11", ("dst-ip",), ("rtos-node2",), "local")
    assert machine_routes(HERE) == [[remote], [local], [remote]]


def test_a_machine_on_the_node_of_its_address_needs_no_route() -> None:
    assert machine_routes(replace(HERE, node="node1")) == [[], [], []]
    assert machine_routes(replace(HERE, node="gone")) == [[], [], []]


def test_a_machine_that_moves_changes_the_routes_of_a_kept_plan() -> None:
    memo = Memo()
    machine_routes(HERE, memo=memo)
    moved = machine_routes(replace(HERE, node="node3"), memo=memo)
    assert moved == machine_routes(replace(HERE, node="node3"))
    assert [len(each) for each in moved] == [1, 1, 1]
