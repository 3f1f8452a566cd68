"""Planned Layer2 rows in real zones: northd makes flows of them, and ovn-trace follows packets through these.

Three nodes, each with its own databases and northd. What ovn-controller and the cluster would add is added by hand:
chassis rows, and a pod per node, which is a plain port at home and a remote one elsewhere.
"""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import pytest

from ovnguard.reconciler.apply.ovn.ovn_nb import NorthboundStore
from ovnguard.reconciler.plan.planner import Plan, make_plan
from ovnguard.reconciler.plan.rows.names import Names
from ovnguard.reconciler.plan.rows.row_diff import diff
from ovnguard.validators.network.model import Network
from tests.support.plan_samples import SERVICES, V4, V6, nodes, udn
from tests.testbed.ovn import OvnZone

NETWORK = udn("test12_namespace-scoped", V4, V6, network_id=1, tunnel_keys=(16711684, 16715780))
NAMES = Names(NETWORK.name)
SWITCH, ROUTER = NAMES.layer2_switch, NAMES.transit_router
NODES = ("node1", "node2", "node3")
GATEWAY_MAC = "0a:58:cb:cb:00:01"

ZoneFactory = Callable[[str], OvnZone]


@dataclass(frozen=True)
class Pod:
    """The pod of node ``number``."""

    number: int

    @property
    def name(self) -> str:
        return f"pod{self.number}"

    @property
    def mac(self) -> str:
        return f"0a:58:cb:cb:00:1{self.number}"

    def address(self, version: int) -> str:
        return f"203.203.0.1{self.number}" if version == 4 else f"2010:100:200::1{self.number}"


PODS = tuple(Pod(number) for number in (1, 2, 3))


@dataclass(frozen=True)
class Cluster:
    """Zones with their stores."""

    zones: Mapping[str, OvnZone]
    stores: Mapping[str, NorthboundStore]

    def apply(self, plan: Plan) -> None:
        for zone in plan.zones:
            store = self.stores[zone.node]
            store.apply(diff(store.read(), zone.rows))
        for each in self.zones.values():
            each.wait_sb()

    def add_pods(self) -> None:
        for name, zone in self.zones.items():
            for pod in PODS:
                add_pod(zone, pod, local=name == f"node{pod.number}")
            zone.wait_sb()

    def trace(self, node: str, datapath: str, packet: str) -> str:
        return self.zones[node].trace("--ct=new", datapath, packet)

    def from_pod(self, pod: Pod, target: str, mac: str = GATEWAY_MAC) -> str:
        """Trace an echo request of a pod in the zone of its node."""
        version = 6 if ":" in target else 4
        packet = f'inport=="{pod.name}" && eth.src=={pod.mac} && eth.dst=={mac} && {echo(pod.address(version), target)}'
        return self.trace(f"node{pod.number}", SWITCH, packet)


def echo(source: str, target: str) -> str:
    """An ICMP echo request as ovn-trace wants it described."""
    ip, icmp = ("ip6", "icmp6.type==128") if ":" in target else ("ip4", "icmp4.type==8")
    return f"{ip}.src=={source} && {ip}.dst=={target} && ip.ttl==64 && {icmp}"


def add_pod(zone: OvnZone, pod: Pod, *, local: bool) -> None:
    addresses = f"{pod.mac} {pod.address(4)} {pod.address(6)}"
    options = [f"requested-tnl-key={10 + pod.number}", f"requested-chassis=chassis-{pod.number}"]
    zone.nbctl(
        *("lsp-add", SWITCH, pod.name),
        *("--", "lsp-set-addresses", pod.name, addresses),
        *("--", "lsp-set-options", pod.name, *options),
        *(() if local else ("--", "lsp-set-type", pod.name, "remote")),
    )


def learn(zone: OvnZone, router: str, port: str, address: str, mac: str) -> None:
    """Record a neighbour as ovn-controller does, so that a trace need not ask for it."""
    datapath = zone.sbctl(
        "--bare", "--columns=_uuid", "find", "datapath_binding", f"external_ids:name={router}"
    ).strip()
    row = (f"logical_port={port}", f'ip="{address}"', f'mac="{mac}"', f"timestamp={time.time_ns() // 1_000_000}")
    zone.sbctl("create", "mac_binding", f"datapath={datapath}", *row)


def hops(trace: str) -> list[str]:
    """The datapaths that a packet went through, and the ports it left by for good."""
    found = re.findall(r'^ *ingress\(dp="([^"]+)"|/\* output to "([^"]+)", type "([^"]*)" \*/', trace, re.MULTILINE)
    return [datapath or port for datapath, port, kind in found if datapath or kind not in ("patch", "l3gateway")]


@pytest.fixture
def cluster(ovn_zone: ZoneFactory) -> Iterator[Cluster]:
    zones = {name: ovn_zone(name) for name in NODES}
    stores = {name: NorthboundStore(zone.nb) for name, zone in zones.items()}
    for name, zone in zones.items():
        for node in nodes(3):
            remote = node.name != name
            zone.sbctl("chassis-add", node.chassis_id, "geneve", str(node.internal_ips[0]))
            zone.sbctl("set", "chassis", node.chassis_id, f"other_config:is-remote={str(remote).lower()}")
    yield Cluster(zones, stores)
    for store in stores.values():
        store.close()


def planned(network: Network = NETWORK, count: int = 3, mode: str = "shared") -> Plan:
    plan = make_plan([network], nodes(count, v6=True, mode=mode), SERVICES)
    assert plan.errors == ()
    return plan


def test_rows_read_back_are_the_plan(cluster: Cluster) -> None:
    plan = planned()
    cluster.apply(plan)
    cluster.add_pods()
    for zone in plan.zones:
        seen = cluster.stores[zone.node].read()
        assert {row.uuid for row in seen} == {row.uuid for row in zone.rows}
        assert diff(seen, zone.rows) == ()


@pytest.mark.parametrize(("target", "masquerade"), [("8.8.8.8", "169.254.0.11"), ("2001:db8::1", "fd69::b")])
def test_egress_leaves_by_the_own_gateway_router(cluster: Cluster, target: str, masquerade: str) -> None:
    cluster.apply(planned())
    cluster.add_pods()
    for pod, node in zip(PODS, NODES, strict=True):
        hop = "172.18.0.1" if "." in target else "fc00::1"
        port = NAMES.gateway_to_external(node)
        learn(cluster.zones[node], NAMES.gateway_router(node), port, hop, "02:00:00:00:00:01")
        trace = cluster.from_pod(pod, target)
        gateway, external = NAMES.gateway_router(node), NAMES.external_switch(node)
        assert hops(trace) == [SWITCH, ROUTER, gateway, external, NAMES.localnet_port("breth0", node)]
        family = "ip4" if "." in target else "ip6"
        assert f"ct_snat({family}.src={masquerade})" in trace
        assert "/* MAC binding to 02:00:00:00:00:01" in trace


@pytest.mark.parametrize("join", ["100.65.0.{}", "fd99::{}"])
def test_join_address_of_a_remote_node_goes_to_its_port(cluster: Cluster, join: str) -> None:
    cluster.apply(planned())
    cluster.add_pods()
    for remote in (2, 3):
        trace = cluster.from_pod(PODS[0], join.format(remote + 1))
        ports = hops(trace)
        assert ports[:2] == [SWITCH, ROUTER]
        # the neighbour is not known yet: it is asked for, and the packet waits for the answer, on the same port
        assert set(ports[2:]) == {NAMES.transit_to_gateway(f"node{remote}")}
        assert 'type "remote"' in trace


def test_join_address_of_the_own_node_is_answered_by_its_gateway_router(cluster: Cluster) -> None:
    cluster.apply(planned())
    cluster.add_pods()
    trace = cluster.from_pod(PODS[1], "100.65.0.3")
    assert hops(trace) == [SWITCH, ROUTER, NAMES.gateway_router("node2"), ROUTER, SWITCH, "pod2"]


@pytest.mark.parametrize(
    ("target", "masquerade"),
    [
        ("172.18.0.2", "169.254.0.12"),
        ("fc00::2", "fd69::c"),
        ("10.96.0.1", "169.254.0.12"),
        ("fd00:10:96::a", "fd69::c"),
    ],
    ids=["node-ipv4", "node-ipv6", "service-ipv4", "service-ipv6"],
)
def test_node_and_its_services_are_reached_through_the_management_port(
    cluster: Cluster, target: str, masquerade: str
) -> None:
    cluster.apply(planned())
    cluster.add_pods()
    trace = cluster.from_pod(PODS[0], target)
    assert hops(trace) == [SWITCH, ROUTER, SWITCH, NAMES.management_port("node1")]
    family = "ip4" if "." in target else "ip6"
    assert f"ct_snat({family}.src={masquerade})" in trace


def test_ingress_reaches_pods_here_and_elsewhere(cluster: Cluster) -> None:
    cluster.apply(planned())
    cluster.add_pods()
    gateway = NAMES.gateway_router("node2")
    for pod, kind in ((PODS[0], "remote"), (PODS[1], ""), (PODS[2], "remote")):
        port = NAMES.gateway_to_external("node2")
        link = f'inport=="{port}" && eth.src==02:00:00:00:00:99 && eth.dst==02:42:ac:12:00:03'
        trace = cluster.trace("node2", gateway, f"{link} && {echo('172.18.0.99', pod.address(4))}")
        assert hops(trace) == [gateway, ROUTER, SWITCH, pod.name]
        assert f'output to "{pod.name}", type "{kind}"' in trace


def test_pods_reach_each_other_without_a_router(cluster: Cluster) -> None:
    cluster.apply(planned())
    cluster.add_pods()
    trace = cluster.from_pod(PODS[0], PODS[2].address(4), PODS[2].mac)
    assert hops(trace) == [SWITCH, "pod3"]


def test_local_gateway_mode_leaves_by_the_management_port(cluster: Cluster) -> None:
    cluster.apply(planned(mode="local"))
    cluster.add_pods()
    trace = cluster.from_pod(PODS[0], "8.8.8.8")
    assert hops(trace) == [SWITCH, ROUTER, SWITCH, NAMES.management_port("node1")]


def bindings(zone: OvnZone, table: str, *columns: str) -> dict[str, tuple[str, ...]]:
    """Rows of a Southbound table by their first column."""
    lines = zone.sbctl("--format=csv", "--data=bare", "--no-heading", f"--columns={','.join(columns)}", "list", table)
    rows = (line.split(",") for line in lines.splitlines())
    return {row[0]: tuple(row[1:]) for row in rows}


def test_keys_are_the_same_in_every_zone(cluster: Cluster) -> None:
    cluster.apply(planned())
    for name, zone in cluster.zones.items():
        keys = dict(
            re.findall(
                r"^(\d+),.*\bname=(\S+)", zone.sbctl(*CSV, "--columns=tunnel_key,external_ids", *DATAPATHS), re.M
            )
        )
        assert {keys["16711684"].rstrip('"'), keys["16715780"].rstrip('"')} == {SWITCH, ROUTER}
        ports = bindings(zone, "port_binding", "logical_port", "tunnel_key", "type")
        assert ports[NAMES.router_to_switch] == ("1", "patch")
        # OVN-Kubernetes requests no key for it
        assert ports[NAMES.switch_to_router][1:] == ("patch",)
        for number, node in enumerate(NODES, 1):
            kind = "patch" if node == name else "remote"
            assert ports[NAMES.transit_to_gateway(node)] == (str(11 + number), kind)


CSV = ("--format=csv", "--data=bare", "--no-heading")
DATAPATHS = ("list", "datapath_binding")

# northd gives a distributed gateway port a second, chassisredirect port, copies the requested key onto it and then
# finds it taken: the first port keeps the key, the second gets a free one. A transit router needs both the key and the
# gateway chassis, so OVN 25.03 says this.
KNOWN_WARNING = re.compile(
    rf"Logical router port {NAMES.router_to_switch} requests same tunnel key 1 as another LSP or LRP"
)


def test_northd_has_nothing_to_complain_about(cluster: Cluster) -> None:
    cluster.apply(planned())
    cluster.add_pods()
    cluster.apply(planned(count=2))
    for zone in cluster.zones.values():
        complaints = [line for line in zone.log("northd").splitlines() if re.search(r"\|(WARN|ERR|EMER)\|", line)]
        assert [line for line in complaints if not KNOWN_WARNING.search(line)] == []


def test_node_that_leaves_takes_only_its_own_port_and_routes(cluster: Cluster) -> None:
    cluster.apply(planned())
    cluster.add_pods()
    cluster.apply(planned(count=2))
    ports = cluster.zones["node1"].nbctl("lrp-list", ROUTER)
    assert NAMES.transit_to_gateway("node3") not in ports
    assert NAMES.transit_to_gateway("node2") in ports
    assert "pod3" in cluster.zones["node1"].nbctl("lsp-list", SWITCH)
    trace = cluster.from_pod(PODS[0], "100.65.0.4")
    assert NAMES.transit_to_gateway("node3") not in trace


def test_network_that_is_deleted_leaves_nothing_behind(cluster: Cluster) -> None:
    cluster.apply(planned())
    cluster.apply(make_plan([], nodes(3, v6=True), SERVICES))
    for zone in cluster.zones.values():
        for table in ("logical_switch", "logical_router", "static_mac_binding", "load_balancer_group", "copp", "meter"):
            assert zone.nbctl("--bare", "--columns=_uuid", "list", table) == ""
        assert bindings(zone, "port_binding", "logical_port") == {}
