"""Clusters with one network each, one for every planned topology: for golden files and for real databases."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from ipaddress import ip_address, ip_interface, ip_network

from ovnguard.reconciler.plan.planner import Plan, make_plan
from ovnguard.reconciler.plan.rows.model import (
    EgressAssignment,
    EgressHop,
    EgressPod,
    EgressService,
    PodPort,
    ServedEndpoint,
    UplinkState,
)
from ovnguard.reconciler.plan.rows.routing_model import RoutingInputs
from ovnguard.reconciler.plan.rows.service_model import Backend, Service, ServicePort
from ovnguard.reconciler.plan.rows.settings import ImportedRoute, Settings
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import ManagedBGP, Network, NoOverlay, Role, Routing, Subnet, Topology, Transport
from tests.support.connected import connection
from tests.support.plan_samples import (
    DUAL_DEFAULT,
    LAYER3_DUAL,
    SERVICES,
    V4,
    V6,
    default_network,
    layer3,
    nodes,
    pod,
    sharing,
    taking_node_ports,
    udn,
)


@dataclass(frozen=True)
class Scenario:
    """What a plan is made of."""

    networks: tuple[Network, ...]
    nodes: tuple[Node, ...]
    settings: Settings = SERVICES
    pods: tuple[PodPort, ...] = ()

    def plan(self) -> Plan:
        """The plan; a scenario has no errors."""
        pods = {each.name: tuple(pod for pod in self.pods if pod.network == each.name) for each in self.networks}
        plan = make_plan(self.networks, self.nodes, self.settings, pods=pods)
        assert plan.errors == ()
        return plan


def without_overlay(network: Network, *, snat: bool, routing: Routing = Routing.UNMANAGED) -> Network:
    """The network with routed pods instead of tunnels."""
    return network._replace(transport=Transport.NO_OVERLAY, no_overlay=NoOverlay(snat, routing))


FABRIC = replace(SERVICES, routing=RoutingInputs(bgp=ManagedBGP(64512, "full-mesh")))
V4_SHARES = (Subnet(ip_network("10.128.0.0/14"), 23),)
OVERLAY_DEFAULT = default_network(*V4_SHARES, transport=Transport.GENEVE, no_overlay=None, managed_bgp=None)
DUAL_OVERLAY_DEFAULT = DUAL_DEFAULT._replace(transport=Transport.GENEVE, no_overlay=None, managed_bgp=None)
LAYER3 = layer3()
LAYER3_6 = layer3("cluster_udn_l3-six", Subnet(ip_network("fd20::/48"), 64))
LAYER3_BOTH = layer3("cluster_udn_l3-dual", *LAYER3_DUAL)
LAYER3_WIDE = layer3(
    "cluster_udn_l3-wide",
    *LAYER3_DUAL,
    Subnet(ip_network("10.30.0.0/16"), 24),
    join_subnets=(ip_network("100.70.0.0/16"),),
)
SECONDARY3 = layer3("cluster_udn_side", *LAYER3_DUAL, role=Role.SECONDARY)
LOCALNET = udn(
    "cluster_udn_wire",
    "192.168.50.0/24",
    topology=Topology.LOCALNET,
    role=Role.SECONDARY,
    transit_subnets=(),
    network_id=9,
    physical_network="storage",
    vlan=204,
)
BARE_LOCALNET = LOCALNET._replace(name="cluster_udn_bare", network_id=8, subnets=(), physical_network="", vlan=0)
ROUTED = without_overlay(LAYER3_BOTH, snat=True)
LEARNED = replace(
    SERVICES,
    imported_routes=(
        ImportedRoute(ROUTED.name, "node1", ip_network("10.20.3.0/24"), ip_address("172.18.0.3")),
        ImportedRoute(ROUTED.name, "node1", ip_network("10.20.3.0/24"), ip_address("172.18.0.4")),
        ImportedRoute(ROUTED.name, "node2", ip_network("10.20.2.0/24"), ip_address("172.18.0.2")),
        ImportedRoute("default", "node1", ip_network("10.128.4.0/23"), ip_address("172.18.0.3")),
    ),
)


def hosting(members: tuple[Node, ...]) -> tuple[Node, ...]:
    """The nodes with a second address each."""
    return tuple(
        each._replace(host_cidrs=(*each.host_cidrs, ip_interface(f"192.0.2.{each.node_id}/24"))) for each in members
    )


LAYER2 = udn("test12_namespace-scoped", V4, V6, network_id=1, tunnel_keys=(16711684, 16715780))


def generations(upgraded: str, *, mode: str = "shared", network: Network = LAYER2) -> tuple[Node, ...]:
    """One node for each letter: ``o`` still has the topology before transit routers, ``n`` has been upgraded."""
    return tuple(
        each._replace(
            router_port_keys={network.name: 100 + (each.node_id or 0)},
            topology_version="2.0" if letter == "n" else "",
        )
        for each, letter in zip(nodes(len(upgraded), v6=True, mode=mode), upgraded, strict=True)
    )


def leaving(network: Network, *hops: str, pods: Mapping[str, tuple[str, ...]], mark: int = 50000) -> EgressAssignment:
    """An EgressIP on nodes with these addresses (``node2=172.18.0.200``) for pods: node by node their addresses."""
    held = tuple(EgressHop(node, ip_address(text)) for node, _, text in (each.partition("=") for each in hops))
    served = tuple(
        EgressPod(f"ns/pod-{node}", node, tuple(ip_address(text) for text in texts)) for node, texts in pods.items()
    )
    return EgressAssignment("out", network.name, mark, held, served)


LAYER2_LEAVING = leaving(
    LAYER2,
    *("node1=172.18.0.201", "node2=172.18.0.202", "node2=fc00::202"),
    pods={"node1": ("203.203.0.11", "2010:100:200::11"), "node3": ("203.203.0.13",)},
)
LAYER3_LEAVING = leaving(
    LAYER3_BOTH,
    *("node1=172.18.0.201", "node3=172.18.0.202", "node3=fc00::202"),
    pods={"node1": ("10.20.2.11", "fd20:0:0:2::11"), "node3": ("10.20.4.11",)},
)
# Services with endpoints on node1 and node2: one leaves through another node, one through its own.
SERVICES_LEAVING = (
    EgressService(
        "red/web",
        "node2",
        tuple(
            ServedEndpoint(node, ip_address(text))
            for node, text in (("node1", "10.128.4.9"), ("node1", "fd01:0:0:2::9"), ("node2", "10.128.6.9"))
        ),
    ),
    EgressService("red/zoo", "node1", (ServedEndpoint("node1", ip_address("10.128.4.10")),)),
)
DEFAULT_LEAVING = leaving(
    OVERLAY_DEFAULT,
    "node1=172.18.0.201",
    "node2=172.18.0.202",
    pods={"node1": ("10.128.2.11",), "node3": ("10.128.6.11",)},
)


def backends(port: int, *addresses: str) -> tuple[Backend, ...]:
    """Servers on one port."""
    return tuple(Backend(ip_address(each), port) for each in addresses)


KUBERNETES, KUBE_DNS = (
    Service(
        SERVICES.services[0].name,
        SERVICES.services[0].addresses,
        (ServicePort("TCP", 443, backends=backends(6443, "172.18.0.2", "172.18.0.3")),),
    ),
    Service(
        SERVICES.services[1].name,
        SERVICES.services[1].addresses,
        (
            ServicePort("UDP", 53, backends=backends(5353, "10.128.2.9", "fd01::9")),
            ServicePort("TCP", 53, backends=backends(5353, "10.128.2.9")),
            ServicePort("TCP", 9153),
        ),
    ),
)


def exposed(*addresses: str) -> tuple[Service, ...]:
    """A service of every kind, with servers on the first two nodes."""
    servers = backends(8080, *addresses)
    http = ServicePort("TCP", 80, backends=servers, on_nodes={"node1": servers[::2], "node2": servers[1::2]})
    web = Service("app/web", (ip_address("10.96.0.20"), ip_address("fd00:10:96::20")), (http,), affinity=10_800)
    ports = (replace(http, node_port=30080), ServicePort("SCTP", 9, 30009))
    outside = (ip_address("192.0.2.20"), ip_address("2001:db8::20"))
    return (
        web,
        replace(web, name="app/external", ports=ports, external=outside, affinity=0),
        replace(web, name="app/external-local", ports=ports, external=outside, external_local=True, affinity=86_400),
        replace(web, name="app/internal-local", internal_local=True),
    )


EXPOSED = exposed("203.203.0.11", "203.203.0.12", "2010:100:200::11", "2010:100:200::12")
EXPOSED3 = exposed("10.20.2.11", "10.20.3.11", "fd20:0:0:2::11", "fd20:0:0:3::11")
SERVED = replace(SERVICES, balanced_services={"default": (KUBERNETES, KUBE_DNS)})

LAYER2_SIDE = udn("cluster_udn_side", V4, role=Role.SECONDARY, transit_subnets=(), network_id=2)
BARE_SIDE = LAYER2_SIDE._replace(name="cluster_udn_bare-side", network_id=3, subnets=())
LAYER2_PODS = (
    pod(LAYER2, "here", "node1", "203.203.0.11", "2010:100:200::11", key=11),
    pod(LAYER2, "there", "node2", "203.203.0.12", "2010:100:200::12", key=12),
    pod(LAYER2, "also-there", "node3", "203.203.0.13", "2010:100:200::13", key=13),
)
# older than the rule that the first nine keys are the platform's
LAYER2_OLD_PODS = tuple(replace(each, key=key) for key, each in enumerate(LAYER2_PODS, 1))
SIDE_PODS = (
    pod(LAYER2_SIDE, "here", "node1", "203.203.0.11", key=11),
    pod(LAYER2_SIDE, "there", "node2", "203.203.0.12", key=12),
    pod(BARE_SIDE, "here", "node1", key=11),
)
LAYER3_PODS = (
    pod(LAYER3_BOTH, "here", "node1", "10.20.2.11", "fd20:0:0:2::11"),
    pod(LAYER3_BOTH, "there", "node2", "10.20.3.11", "fd20:0:0:3::11"),
)
DEFAULT_PODS = (
    pod(OVERLAY_DEFAULT, "here", "node1", "10.128.2.11"),
    pod(OVERLAY_DEFAULT, "there", "node2", "10.128.4.11"),
)
LOCALNET_PODS = (
    pod(LOCALNET, "here", "node1", "192.168.50.11"),
    pod(LOCALNET, "there", "node2", "192.168.50.12"),
    pod(BARE_LOCALNET, "here", "node1", mac="0a:58:00:00:00:07"),
)

LAYER2_UP = LAYER2._replace(uplink="blue")
LAYER3_UP = LAYER3_BOTH._replace(uplink="blue")
UPLINK = UplinkState(
    "blue",
    "node1",
    "br-blue",
    "02:42:ac:13:00:02",
    (ip_interface("172.19.0.2/16"), ip_interface("fc01::2/64")),
    (ip_address("172.19.0.1"), ip_address("fc01::1")),
)
# A Layer3 and a Layer2 network that reach each other, next to one that reaches neither.
ALONE = layer3("cluster_udn_alone", Subnet(ip_network("10.40.0.0/16"), 24), network_id=4)
CONNECTED = replace(
    SERVICES, balanced_services={LAYER2.name: EXPOSED}, connections=(connection(LAYER3_BOTH, LAYER2, services=True),)
)
CONNECTED_NODES = sharing(nodes(2, v6=True), LAYER3_BOTH, ALONE)
SCENARIOS: Mapping[str, Scenario] = {
    "layer3-ipv4-shared": Scenario((LAYER3,), sharing(nodes(3), LAYER3)),
    "layer3-ipv6-shared": Scenario((LAYER3_6,), sharing(nodes(2, v4=False, v6=True), LAYER3_6)),
    "layer3-dual-local": Scenario((LAYER3_BOTH,), sharing(nodes(2, v6=True, mode="local"), LAYER3_BOTH)),
    "layer3-two-subnets": Scenario(
        (LAYER3_WIDE,), sharing(nodes(2, v6=True), LAYER3_WIDE._replace(subnets=LAYER3_DUAL))
    ),
    "layer3-secondary": Scenario((SECONDARY3,), sharing(nodes(3, v6=True), SECONDARY3), Settings()),
    "localnet": Scenario((LOCALNET, BARE_LOCALNET), nodes(1), Settings()),
    "default-overlay-ipv4-shared": Scenario((OVERLAY_DEFAULT,), hosting(sharing(nodes(3)))),
    "default-overlay-dual-local": Scenario((DUAL_OVERLAY_DEFAULT,), hosting(sharing(nodes(2, v6=True, mode="local")))),
    "default-routed-snat-shared": Scenario(
        (without_overlay(DUAL_DEFAULT, snat=True),), hosting(sharing(nodes(2, v6=True))), LEARNED
    ),
    "default-routed-plain-shared": Scenario((without_overlay(DUAL_DEFAULT, snat=False),), sharing(nodes(2, v6=True))),
    "default-routed-snat-local": Scenario(
        (without_overlay(DUAL_DEFAULT, snat=True),), sharing(nodes(2, v6=True, mode="local"))
    ),
    "layer3-routed-snat-shared": Scenario((ROUTED,), sharing(nodes(3, v6=True), ROUTED), LEARNED),
    "layer3-routed-plain-shared": Scenario(
        (without_overlay(LAYER3, snat=False, routing=Routing.MANAGED),), sharing(nodes(2), LAYER3), FABRIC
    ),
    "layer3-routed-snat-local": Scenario((ROUTED,), sharing(nodes(2, v6=True, mode="local"), ROUTED)),
    "layer3-routed-plain-local": Scenario(
        (without_overlay(LAYER3, snat=False),), sharing(nodes(2, mode="local"), LAYER3)
    ),
    "layer2-before-upgrade": Scenario((LAYER2,), generations("ooo")),
    "layer2-before-upgrade-local": Scenario((LAYER2,), generations("oo", mode="local")),
    "layer2-not-upgraded-yet": Scenario((LAYER2,), generations("ono")),
    "layer2-upgraded-first": Scenario((LAYER2,), generations("noo")),
    "layer2-upgraded-among-others": Scenario((LAYER2,), generations("nno", mode="local")),
    "layer2-uplink": Scenario((LAYER2_UP,), nodes(2, v6=True), replace(SERVICES, uplinks=(UPLINK,))),
    "layer2-uplink-waiting": Scenario((LAYER2_UP,), nodes(2, v6=True)),
    "layer3-uplink": Scenario(
        (LAYER3_UP,), sharing(nodes(2, v6=True), LAYER3_UP), replace(SERVICES, uplinks=(UPLINK,))
    ),
    "layer3-uplink-waiting": Scenario((LAYER3_UP,), sharing(nodes(2, v6=True), LAYER3_UP)),
    "layer2-egress": Scenario((LAYER2,), nodes(3, v6=True), replace(SERVICES, egress=(LAYER2_LEAVING,))),
    "layer2-egress-upgrading": Scenario((LAYER2,), generations("noo"), replace(SERVICES, egress=(LAYER2_LEAVING,))),
    "layer2-egress-legacy": Scenario((LAYER2,), generations("ooo"), replace(SERVICES, egress=(LAYER2_LEAVING,))),
    "layer3-egress": Scenario(
        (LAYER3_BOTH,), sharing(nodes(3, v6=True), LAYER3_BOTH), replace(SERVICES, egress=(LAYER3_LEAVING,))
    ),
    "default-egress": Scenario((OVERLAY_DEFAULT,), sharing(nodes(3)), replace(SERVICES, egress=(DEFAULT_LEAVING,))),
    "default-egress-service": Scenario(
        (DUAL_OVERLAY_DEFAULT,),
        sharing(nodes(3, v6=True)),
        replace(SERVICES, egress_services=SERVICES_LEAVING),
    ),
    "default-services": Scenario((DUAL_OVERLAY_DEFAULT,), sharing(nodes(2, v6=True, mode="local")), SERVED),
    "layer2-services": Scenario(
        (LAYER2,), taking_node_ports(nodes(2, v6=True)), replace(SERVICES, balanced_services={LAYER2.name: EXPOSED})
    ),
    "layer3-services": Scenario(
        (LAYER3_BOTH,),
        taking_node_ports(sharing(nodes(2, v6=True, mode="local"), LAYER3_BOTH)),
        replace(SERVICES, balanced_services={LAYER3_BOTH.name: EXPOSED3}),
    ),
    "layer2-pods": Scenario((LAYER2,), nodes(3, v6=True), pods=LAYER2_PODS),
    "layer2-pods-upgrading": Scenario((LAYER2,), generations("noo"), pods=LAYER2_OLD_PODS),
    "layer2-pods-secondary": Scenario((LAYER2_SIDE, BARE_SIDE), nodes(2), Settings(), SIDE_PODS),
    "layer3-pods": Scenario((LAYER3_BOTH,), sharing(nodes(2, v6=True), LAYER3_BOTH), pods=LAYER3_PODS),
    "default-pods": Scenario((OVERLAY_DEFAULT,), sharing(nodes(2)), pods=DEFAULT_PODS),
    "localnet-pods": Scenario((LOCALNET, BARE_LOCALNET), nodes(2), Settings(), LOCALNET_PODS),
    "connected": Scenario((LAYER3_BOTH, LAYER2, ALONE), CONNECTED_NODES, CONNECTED),
    "connected-services": Scenario(
        (LAYER3_BOTH, LAYER2),
        CONNECTED_NODES,
        replace(CONNECTED, connections=(connection(LAYER3_BOTH, LAYER2, services=True, pods=False),)),
    ),
    "layer2-ipv6-secondary": Scenario(
        (udn("blue_six", V6, role=Role.SECONDARY, transit_subnets=(), network_id=2),), nodes(1), Settings()
    ),
}
