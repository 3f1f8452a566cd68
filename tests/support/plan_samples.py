"""Networks and nodes for tests of plans."""

from collections.abc import Iterable
from dataclasses import replace
from ipaddress import ip_address, ip_interface, ip_network
from typing import Any

from ovnguard.reconciler.plan.rows.model import PodPort
from ovnguard.reconciler.plan.rows.settings import AllowedService, Settings
from ovnguard.validators.network.addresses.addressing import mac_of
from ovnguard.validators.network.declared.node import GatewayMode, Node, NodeGateway
from ovnguard.validators.network.model import (
    IPNetwork,
    ManagedBGP,
    Network,
    NoOverlay,
    ObjectRef,
    Role,
    Routing,
    Subnet,
    Topology,
    Transport,
)

V4, V6 = "203.203.0.0/16", "2010:100:200::/60"
DNS = AllowedService("kube-system/kube-dns", (ip_address("10.96.0.10"), ip_address("fd00:10:96::a")))
SERVICES = Settings(services=(AllowedService("default/kubernetes", (ip_address("10.96.0.1"),)), DNS), dns=DNS)


def udn(name: str = "test12_namespace-scoped", *subnets: str, **changes: Any) -> Network:
    """A primary Layer2 network; transit subnets of its families are recorded."""
    cidrs = tuple(ip_network(subnet) for subnet in subnets or (V4,))
    transit = {4: ip_network("100.88.0.0/16"), 6: ip_network("fd97::/64")}
    network = Network(
        name,
        ObjectRef("k8s.ovn.org/v1", "UserDefinedNetwork", *name.split("_", 1)),
        Topology.LAYER2,
        Role.PRIMARY,
        subnets=tuple(Subnet(cidr) for cidr in cidrs),
        transit_subnets=tuple(transit[cidr.version] for cidr in cidrs),
    )
    return network._replace(**changes)


def default_network(*subnets: Subnet, routing: Routing = Routing.MANAGED, **changes: Any) -> Network:
    """A no-overlay default network."""
    network = Network(
        "default",
        ObjectRef("operator.openshift.io/v1", "Network", "", "cluster"),
        Topology.LAYER3,
        Role.PRIMARY,
        transport=Transport.NO_OVERLAY,
        subnets=subnets or (Subnet(ip_network("10.128.0.0/14"), 23),),
        no_overlay=NoOverlay(outbound_snat=False, routing=routing),
        managed_bgp=ManagedBGP(64512, "full-mesh"),
    )
    return network._replace(**changes)


DUAL_DEFAULT = default_network(Subnet(ip_network("10.128.0.0/14"), 23), Subnet(ip_network("fd01::/48"), 64))


def node(number: int, *, v4: bool = True, v6: bool = False, mode: str = "shared", **changes: Any) -> Node:
    """Node ``node<number>`` with id ``number + 1``, on 172.18.0.0/16 and fc00::/64."""
    interfaces = [f"172.18.0.{number + 1}/16"] * v4 + [f"fc00::{number + 1:x}/64"] * v6
    addresses = tuple(ip_interface(each) for each in interfaces)
    hops = [ip_address("172.18.0.1")] * v4 + [ip_address("fc00::1")] * v6
    shares = [ip_network(f"10.128.{2 * number}.0/23")] * v4 + [ip_network(f"fd01:0:0:{number:x}::/64")] * v6
    base = Node(
        name=f"node{number}",
        node_id=number + 1,
        chassis_id=f"chassis-{number}",
        topology_version="2.0",
        internal_ips=tuple(each.ip for each in addresses),
        primary_addresses=addresses,
        host_subnets={"default": tuple(shares)},
        gateway=NodeGateway(
            mode=GatewayMode(mode),
            bridge_id="breth0",
            mac=f"02:42:ac:12:00:{number + 1:02x}",
            addresses=addresses,
            next_hops=tuple(hops),
        ),
    )
    return base._replace(**changes)


def nodes(count: int, **changes: Any) -> tuple[Node, ...]:
    """Nodes ``node1`` to ``node<count>``."""
    return tuple(node(number, **changes) for number in range(1, count + 1))


def taking_node_ports(members: Iterable[Node]) -> tuple[Node, ...]:
    """The nodes with what ovnkube-node records when they take connections to node ports."""
    found = []
    for member in members:
        assert member.gateway is not None, "only a node with a gateway takes them"
        gateway = member.gateway._replace(node_port=True)
        found.append(member._replace(gateway=gateway, host_cidrs=gateway.addresses))
    return tuple(found)


def layer3(name: str = "cluster_udn_l3-net", *subnets: Subnet, **changes: Any) -> Network:
    """A Layer3 network over Geneve, primary unless told otherwise."""
    network = Network(
        name,
        ObjectRef("k8s.ovn.org/v1", "ClusterUserDefinedNetwork", "", name.removeprefix("cluster_udn_")),
        Topology.LAYER3,
        Role.PRIMARY,
        subnets=subnets or (Subnet(ip_network("10.20.0.0/16"), 24),),
        network_id=3,
    )
    return network._replace(**changes)


LAYER3_DUAL = (Subnet(ip_network("10.20.0.0/16"), 24), Subnet(ip_network("fd20::/48"), 64))


def sharing(members: tuple[Node, ...], *networks: Network) -> tuple[Node, ...]:
    """The nodes with a subnet of each family recorded for every one of these networks: the share of the node's id."""
    shared = []
    for member in members:
        own = {
            network.name: tuple(share(each, member.node_id or 0) for each in network.subnets) for network in networks
        }
        hosts = tuple(each for each in (member.gateway.addresses if member.gateway else ()))
        shared.append(member._replace(host_subnets={**member.host_subnets, **own}, host_cidrs=hosts))
    return tuple(shared)


def share(subnet: Subnet, number: int) -> IPNetwork:
    """The share of this number, counted from 0."""
    length = subnet.host_prefix or subnet.cidr.prefixlen
    step = 1 << (subnet.cidr.max_prefixlen - length)
    return ip_network((int(subnet.cidr.network_address) + number * step, length))


def pod(network: Network, name: str, node: str, *texts: str, **changes: Any) -> PodPort:
    """Pod ``name`` of the namespace ``ns`` on a node, with these addresses and the MAC that follows from the first."""
    addresses = tuple(ip_address(text) for text in texts)
    attachment = "default" if network.is_default else f"ns/{network.name.rpartition('_')[2]}"
    mac = mac_of(addresses[0]) if addresses else "0a:58:00:00:00:01"
    return replace(PodPort(network.name, attachment, "ns", name, f"uid-{name}", node, mac, addresses), **changes)
