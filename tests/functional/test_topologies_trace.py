"""Packets through planned rows of Layer3 networks, the default network and EgressIPs, as ovn-trace follows them.

Three nodes, each with databases and northd of its own. What ovn-controller and the cluster would add is added by hand:
chassis rows, neighbours, and a pod, which is a plain port on its node's switch.
"""

import contextlib
import re
import time
from collections.abc import Callable
from dataclasses import replace
from ipaddress import ip_address, ip_network

import pytest

from ovnguard.reconciler.apply.ovn.ovn_nb import NorthboundStore
from ovnguard.reconciler.plan.rows.names import Names
from ovnguard.reconciler.plan.rows.row_diff import diff
from ovnguard.reconciler.plan.rows.settings import ImportedRoute
from ovnguard.validators.network.addresses.addressing import mac_of
from tests.support.plan_samples import SERVICES, nodes, sharing
from tests.support.plan_scenarios import (
    DEFAULT_LEAVING,
    KUBE_DNS,
    KUBERNETES,
    LAYER2,
    LAYER2_LEAVING,
    LAYER3_BOTH,
    LAYER3_LEAVING,
    OVERLAY_DEFAULT,
    ROUTED,
    Scenario,
    without_overlay,
)
from tests.testbed.ovn import OvnZone

NAMES = Names(LAYER3_BOTH.name)
MEMBERS = nodes(3, v6=True)
FABRIC_MAC = "02:00:00:00:00:01"


class Zone:
    """The zone of one node, with the chassis of all, brought to a scenario's plan."""

    def __init__(self, zone: OvnZone, number: int) -> None:
        self.zone, self.node = zone, f"node{number}"
        for each in MEMBERS:
            zone.sbctl("chassis-add", each.chassis_id, "geneve", str(each.internal_ips[0]))
            remote = str(each.name != self.node).lower()
            zone.sbctl("set", "chassis", each.chassis_id, f"other_config:is-remote={remote}")

    def bring(self, scenario: Scenario) -> None:
        (rows,) = (zone.rows for zone in scenario.plan().zones if zone.node == self.node)
        with contextlib.closing(NorthboundStore(self.zone.nb)) as store:
            store.apply(diff(store.read(), rows))
        self.zone.wait_sb()

    def pod(self, switch: str, *addresses: str) -> None:
        mac = mac_of(ip_address(addresses[0]))
        place = " ".join([mac, *addresses])
        options = ("requested-tnl-key=77", f"requested-chassis=chassis-{self.node[-1]}")
        add = ("lsp-add", switch, "pod", "--", "lsp-set-addresses", "pod", place)
        self.zone.nbctl(*add, "--", "lsp-set-options", "pod", *options)
        self.zone.wait_sb()

    def learn(self, router: str, port: str, address: str) -> None:
        """Record a neighbour as ovn-controller does, so that a trace need not ask for it."""
        found = self.zone.sbctl("--bare", "--columns=_uuid", "find", "datapath_binding", f"external_ids:name={router}")
        row = (f"logical_port={port}", f'ip="{address}"', f'mac="{FABRIC_MAC}"', f"timestamp={time.time_ns() // 10**6}")
        self.zone.sbctl("create", "mac_binding", f"datapath={found.strip()}", *row)

    def trace(self, switch: str, gateway_mac: str, source: str, target: str, *options: str) -> str:
        """An echo request of the pod."""
        ip, icmp = ("ip6", "icmp6.type==128") if ":" in target else ("ip4", "icmp4.type==8")
        mac = mac_of(ip_address(source if "." in source else self.first))
        link = f'inport=="pod" && eth.src=={mac} && eth.dst=={gateway_mac}'
        packet = f"{link} && {ip}.src=={source} && {ip}.dst=={target} && ip.ttl==64 && {icmp}"
        return self.zone.trace("--ct=new", *options, switch, packet)

    first = "10.20.2.11"


@pytest.fixture
def zone1(ovn_zone: Callable[[str], OvnZone]) -> Zone:
    return Zone(ovn_zone("node1"), 1)


def hops(trace: str) -> list[str]:
    """The datapaths that a packet went through, and the ports it left by for good."""
    found = re.findall(r'^ *ingress\(dp="([^"]+)"|/\* output to "([^"]+)", type "([^"]*)" \*/', trace, re.MULTILINE)
    return [datapath or port for datapath, port, kind in found if datapath or kind not in ("patch", "l3gateway")]


OVERLAY = Scenario((LAYER3_BOTH,), sharing(MEMBERS, LAYER3_BOTH))
SWITCH, ROUTER, GATEWAY = NAMES.node_switch("node1"), NAMES.cluster_router, NAMES.gateway_router("node1")
POD, MAC = ("10.20.2.11", "fd20:0:0:2::11"), mac_of(ip_address("10.20.2.1"))


@pytest.mark.parametrize(("source", "target"), [(POD[0], "10.20.3.9"), (POD[1], "fd20:0:0:3::9")])
def test_pods_of_other_nodes_are_behind_the_transit_switch(zone1: Zone, source: str, target: str) -> None:
    zone1.bring(OVERLAY)
    zone1.pod(SWITCH, *POD)
    trace = zone1.trace(SWITCH, MAC, source, target)
    remote = NAMES.transit_to_cluster("node2")
    assert hops(trace) == [SWITCH, ROUTER, NAMES.transit_switch, remote]
    assert f'output to "{remote}", type "remote"' in trace


@pytest.mark.parametrize(
    ("source", "target", "hop", "masquerade"),
    [
        (POD[0], "8.8.8.8", "172.18.0.1", "ip4.src=169.254.0.15"),
        (POD[1], "2001:db8::1", "fc00::1", "ip6.src=fd69::f"),
    ],
)
def test_outside_is_behind_join_switch_and_gateway_router(
    zone1: Zone, source: str, target: str, hop: str, masquerade: str
) -> None:
    zone1.bring(OVERLAY)
    zone1.pod(SWITCH, *POD)
    zone1.learn(GATEWAY, NAMES.gateway_to_external("node1"), hop)
    trace = zone1.trace(SWITCH, MAC, source, target)
    ends = [NAMES.external_switch("node1"), NAMES.localnet_port("breth0", "node1")]
    assert hops(trace) == [SWITCH, ROUTER, NAMES.join_switch, GATEWAY, *ends]
    assert f"ct_snat({masquerade})" in trace


def test_remote_join_address_and_the_node_itself(zone1: Zone) -> None:
    zone1.bring(OVERLAY)
    zone1.pod(SWITCH, *POD)
    remote = zone1.trace(SWITCH, MAC, POD[0], "100.65.0.4")
    assert hops(remote)[-1] == NAMES.transit_to_cluster("node3")
    node = zone1.trace(SWITCH, MAC, POD[0], "172.18.0.2")
    assert hops(node) == [SWITCH, ROUTER, SWITCH, NAMES.management_port("node1")]
    assert "ct_snat(ip4.src=169.254.0.16)" in node


def test_without_overlay_pods_of_other_nodes_are_behind_the_gateway_router_untranslated(zone1: Zone) -> None:
    learned = ImportedRoute(ROUTED.name, "node1", ip_network("10.20.3.0/24"), ip_address("172.18.0.3"))
    settings = replace(SERVICES, imported_routes=(learned,))
    for snat in (True, False):
        network = without_overlay(LAYER3_BOTH, snat=snat)
        zone1.bring(Scenario((network,), sharing(MEMBERS, network), settings))
        if snat:
            zone1.pod(SWITCH, *POD)
            for hop in ("172.18.0.3", "172.18.0.1"):
                zone1.learn(GATEWAY, NAMES.gateway_to_external("node1"), hop)
        inside = zone1.trace(SWITCH, MAC, POD[0], "10.20.3.9")
        assert hops(inside)[-2:] == [NAMES.external_switch("node1"), NAMES.localnet_port("breth0", "node1")]
        assert "ct_snat(" not in inside
        assert f"eth.dst = {FABRIC_MAC}" in inside or "MAC binding to" in inside
        outside = zone1.trace(SWITCH, MAC, POD[0], "8.8.8.8")
        assert ("ct_snat(ip4.src=169.254.0.15)" in outside) is snat


def test_the_default_network_leaves_with_the_address_of_the_node(zone1: Zone) -> None:
    names, pod = Names("default"), "10.128.2.11"
    zone1.first = pod
    zone1.bring(Scenario((OVERLAY_DEFAULT,), sharing(nodes(3))))
    zone1.pod("node1", pod)
    zone1.learn("GR_node1", "rtoe-GR_node1", "172.18.0.1")
    mac = mac_of(ip_address("10.128.2.1"))
    trace = zone1.trace("node1", mac, pod, "8.8.8.8")
    path = ["node1", "ovn_cluster_router", "join", "GR_node1", "ext_node1", "breth0_node1"]
    assert hops(trace) == path
    assert "ct_snat(ip4.src=172.18.0.2)" in trace
    assert hops(zone1.trace("node1", mac, pod, "10.128.4.9"))[-1] == names.transit_to_cluster("node2")


def ways(zone: Zone, switch: str, mac: str, source: str) -> set[str]:
    """The last routers that an egress packet comes to, for every member of the ECMP group."""
    found = set()
    for member in ("1", "2"):
        found.add(hops(zone.trace(switch, mac, source, "8.8.8.8", f"--select-id={member}"))[-1])
    return found


def test_an_egress_ip_uses_both_of_its_nodes(zone1: Zone) -> None:
    zone1.bring(replace(OVERLAY, settings=replace(SERVICES, egress=(LAYER3_LEAVING,))))
    zone1.pod(SWITCH, *POD)
    zone1.learn(GATEWAY, NAMES.gateway_to_external("node1"), "172.18.0.1")
    local = NAMES.localnet_port("breth0", "node1")
    assert ways(zone1, SWITCH, MAC, POD[0]) == {local, NAMES.transit_to_cluster("node3")}
    # the other pod-to-pod traffic stays where it was
    assert hops(zone1.trace(SWITCH, MAC, POD[0], "10.20.3.9"))[-1] == NAMES.transit_to_cluster("node2")


def test_an_egress_ip_of_a_layer2_network_uses_both_of_its_nodes(zone1: Zone) -> None:
    names, pod = Names(LAYER2.name), "203.203.0.11"
    zone1.first = pod
    zone1.bring(Scenario((LAYER2,), MEMBERS, replace(SERVICES, egress=(LAYER2_LEAVING,))))
    zone1.pod(names.layer2_switch, pod, "2010:100:200::11")
    gateway = names.gateway_router("node1")
    zone1.learn(gateway, names.gateway_to_external("node1"), "172.18.0.1")
    zone1.learn(names.transit_router, names.transit_to_gateway("node2"), "100.88.0.7")
    mac = mac_of(ip_address("203.203.0.1"))
    local, remote = names.localnet_port("breth0", "node1"), names.transit_to_gateway("node2")
    assert ways(zone1, names.layer2_switch, mac, pod) == {local, remote}


def test_an_egress_ip_of_the_default_network_is_translated_on_its_node(zone1: Zone) -> None:
    pod = "10.128.2.11"
    zone1.first = pod
    only = replace(DEFAULT_LEAVING, hops=DEFAULT_LEAVING.hops[:1])
    zone1.bring(Scenario((OVERLAY_DEFAULT,), sharing(nodes(3)), replace(SERVICES, egress=(only,))))
    zone1.pod("node1", pod)
    zone1.learn("GR_node1", "rtoe-GR_node1", "172.18.0.1")
    trace = zone1.trace("node1", mac_of(ip_address("10.128.2.1")), pod, "8.8.8.8")
    assert "ct_snat(ip4.src=172.18.0.201)" in trace


@pytest.mark.parametrize(
    ("service", "server", "last"),
    [("10.96.0.10:53", "10.128.2.9:5353", "dns"), ("10.96.0.1:443", "172.18.0.2:6443", "k8s-node1")],
    ids=["pod", "node"],
)
def test_default_services_are_balanced_to_their_servers(zone1: Zone, service: str, server: str, last: str) -> None:
    pod, dns = "10.128.2.11", "10.128.2.9"
    (https,) = KUBERNETES.ports
    only = (replace(KUBERNETES, ports=(replace(https, backends=https.backends[:1]),)), KUBE_DNS)
    settings = replace(SERVICES, balanced_services={"default": only})
    zone1.bring(Scenario((OVERLAY_DEFAULT,), sharing(nodes(3)), settings))
    zone1.pod("node1", pod)
    zone1.zone.nbctl("lsp-add", "node1", "dns", "--", "lsp-set-addresses", "dns", f"{mac_of(ip_address(dns))} {dns}")
    zone1.zone.wait_sb()
    address, port = service.split(":")
    link = f'inport=="pod" && eth.src=={mac_of(ip_address(pod))} && eth.dst=={mac_of(ip_address("10.128.2.1"))}'
    packet = f"{link} && ip4.src=={pod} && ip4.dst=={address} && ip.ttl==64 && tcp.src==40000 && tcp.dst=={port}"
    trace = zone1.zone.trace("--ct=new", "--ct=new", "--lb-dst", server, "node1", packet)
    assert hops(trace)[-1] == last
