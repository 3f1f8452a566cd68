"""Ports of planned pods in a real zone: bound where their nodes are, and packets of pods reach each other."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from ipaddress import ip_address

import pytest

from ovnguard.reconciler.apply.ovn.ovn_nb import NorthboundStore
from ovnguard.reconciler.apply.ovn.ovn_trace import run_probe
from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.probes.probe_packets import Probe, probes_of
from ovnguard.reconciler.plan.rows.model import Lease, PodPort
from ovnguard.reconciler.plan.rows.row import Operation, Row
from ovnguard.reconciler.plan.rows.row_diff import diff
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import Network
from tests.support.lab.ovn_complaints import complaints
from tests.support.plan_samples import SERVICES, nodes, sharing
from tests.support.plan_scenarios import (
    LAYER2,
    LAYER2_OLD_PODS,
    LAYER2_PODS,
    LAYER3_BOTH,
    LAYER3_PODS,
    generations,
)
from tests.testbed.ovn import OvnZone
from tests.testbed.parts import Parts

NODES = nodes(3, v6=True)
HERE, THERE = "ns.namespace.scoped_ns_here", "ns.namespace.scoped_ns_there"


@pytest.fixture
def zone(ovn_zone: Callable[[str], OvnZone]) -> OvnZone:
    """The zone of node1, with the chassis of all nodes."""
    zone = ovn_zone("node1")
    for node in nodes(3):
        zone.sbctl("chassis-add", node.chassis_id, "geneve", str(node.internal_ips[0]))
        remote = str(node.name != "node1").lower()
        zone.sbctl("set", "chassis", node.chassis_id, f"other_config:is-remote={remote}")
    return zone


@pytest.fixture
def store(zone: OvnZone) -> Iterator[NorthboundStore]:
    """Its Northbound database."""
    store = NorthboundStore(zone.nb)
    yield store
    store.close()


def rows(network: Network, *pods: PodPort, members: tuple[Node, ...] = NODES) -> tuple[Row, ...]:
    plan = make_plan([network], members, SERVICES, ("node1",), pods={network.name: pods})
    assert plan.errors == ()
    return tuple(plan.zones[0].rows)


def bring(zone: OvnZone, store: NorthboundStore, wanted: tuple[Row, ...]) -> tuple[Operation, ...]:
    operations = diff(store.read(), wanted)
    store.apply(operations)
    zone.wait_sb()
    assert diff(store.read(), wanted) == ()
    return tuple(operations)


def binding(zone: OvnZone, port: str) -> tuple[str, str, str]:
    """Type, tunnel key and requested chassis of a port."""
    columns = "--columns=type,tunnel_key,requested_chassis"
    kind, key, chassis = zone.sbctl("--bare", columns, "find", "port_binding", f"logical_port={port}").split("\n")[:3]
    named = zone.sbctl("--bare", "--columns=name", "list", "chassis", chassis).strip()
    return kind, key, named


def test_remote_pods_are_bound_to_their_chassis_and_follow_it(zone: OvnZone, store: NorthboundStore) -> None:
    here, there, _ = LAYER2_PODS
    bring(zone, store, rows(LAYER2, *LAYER2_PODS))
    assert binding(zone, HERE) == ("", "11", "chassis-1")
    assert binding(zone, THERE) == ("remote", "12", "chassis-2")
    chassis = zone.sbctl("--bare", "--columns=chassis", "find", "port_binding", f"logical_port={THERE}").strip()
    assert zone.sbctl("--bare", "--columns=name", "list", "chassis", chassis).strip() == "chassis-2"

    moved = bring(zone, store, rows(LAYER2, replace(here, node="node3"), replace(there, node="node1")))
    assert sorted((step.op, step.subject) for step in moved if step.table == "Logical_Switch_Port") == [
        ("delete", "ns.namespace.scoped_ns_also-there"),
        ("update", HERE),
        ("update", THERE),
    ]
    assert binding(zone, HERE) == ("remote", "11", "chassis-3")
    assert binding(zone, THERE) == ("", "12", "chassis-1")
    assert complaints(zone) == []


def test_old_pods_keep_their_keys_when_the_switch_has_its_own_port(zone: OvnZone, store: NorthboundStore) -> None:
    """Also when the node gets its transit router under them, and when the last of them goes."""
    before = generations("ooo", network=LAYER2)
    bring(zone, store, rows(LAYER2, *LAYER2_OLD_PODS, members=before))
    bring(zone, store, rows(LAYER2, *LAYER2_OLD_PODS, members=generations("noo", network=LAYER2)))
    keys = {name: binding(zone, name)[1] for name in (HERE, THERE)}
    assert keys == {HERE: "1", THERE: "2"}
    bring(zone, store, rows(LAYER2, *LAYER2_PODS))
    assert complaints(zone) == []


def test_the_switchs_own_port_yields_its_key_to_a_new_pod(zone: OvnZone, store: NorthboundStore) -> None:
    """northd selects the key of the switch's own port, and selects another one when a pod needs that key."""

    def own() -> str:
        name = "logical_port=stotr-test12_namespace.scoped_ovn_layer2_switch"
        return zone.sbctl("--bare", "--columns=tunnel_key", "find", "port_binding", name).strip()

    here, there, _ = LAYER2_PODS
    bring(zone, store, rows(LAYER2, here))
    taken = own()
    bring(zone, store, rows(LAYER2, here, replace(there, key=int(taken))))
    assert binding(zone, THERE)[1] == taken
    assert own() != taken
    assert complaints(zone) == []


def test_pods_of_layer3_networks_are_on_their_nodes_switch(zone: OvnZone, store: NorthboundStore) -> None:
    bring(zone, store, rows(LAYER3_BOTH, *LAYER3_PODS, members=sharing(NODES, LAYER3_BOTH)))
    ports = zone.nbctl("lsp-list", "cluster_udn_l3.dual_node1")
    assert sorted(re.findall(r"\((\S+)\)", ports)) == [
        "k8s-cluster_udn_l3.dual_node1",
        "ns.l3.dual_ns_here",
        "stor-cluster_udn_l3.dual_node1",
    ]
    assert complaints(zone) == []


def test_packets_start_at_planned_pods(zone: OvnZone, store: NorthboundStore, parts: Parts) -> None:
    wanted = rows(LAYER2, *LAYER2_PODS)
    bring(zone, store, wanted)
    probes: tuple[Probe, ...] = probes_of(wanted, store.guests())
    assert {probe.title.split()[0] for probe in probes} == {HERE}
    assert any(f"to pod {THERE} on another node, 203.203.0.12" in probe.title for probe in probes)
    assert any(f"to pod {THERE} on another node, 2010:100:200::12" in probe.title for probe in probes)
    trace = str(parts.ovn.tool("ovn-trace"))
    findings = [run_probe(probe, trace, zone.sb) for probe in probes]
    assert [str(finding) for finding in findings if not finding.reached] == []


def test_a_virtual_machine_is_offered_its_address_by_dhcp(zone: OvnZone, store: NorthboundStore) -> None:
    lease = Lease(tuple(subnet.cidr for subnet in LAYER2.subnets), ip_address("203.203.0.1"))
    machine = replace(LAYER2_PODS[0], machine="vm", lease=lease)
    bring(zone, store, rows(LAYER2, machine))
    asks = f'inport=="{HERE}" && eth.src=={machine.mac} && ip.ttl==64 && '
    discover = (
        "eth.dst==ff:ff:ff:ff:ff:ff && ip4.src==0.0.0.0 && ip4.dst==255.255.255.255 && udp.src==68 && udp.dst==67"
    )
    switch = "test12_namespace.scoped_ovn_layer2_switch"
    offer = zone.trace(switch, asks + discover)
    assert "reg0[3] = put_dhcp_opts(offerip = 203.203.0.11, " in offer
    for option in ('hostname = "vm"', "router = 203.203.0.1", "mtu = 1400", "dns_server = 10.96.0.10"):
        assert option in offer
    assert f'output to "{HERE}"' in offer
    own = "fe80::858:cbff:fecb:b"
    solicit = f"eth.dst==33:33:00:01:00:02 && ip6.src=={own} && ip6.dst==ff02::1:2 && udp.src==546 && udp.dst==547"
    offer = zone.trace(switch, asks + solicit)
    assert "put_dhcpv6_opts(ia_addr = 2010:100:200::11, " in offer
    assert 'dns_server = fd00:10:96::a, fqdn = "vm"' in offer
    assert complaints(zone) == []
    # the closed port of a machine that runs elsewhere is offered nothing
    bring(zone, store, rows(LAYER2, replace(machine, enabled=False)))
    assert "put_dhcp_opts" not in zone.trace(switch, asks + discover)
