"""Cluster-wide inputs of a plan besides networks and nodes."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from ovnguard.reconciler.plan.rows.model import (
    ActiveNodes,
    Connection,
    EgressAssignment,
    EgressService,
    RunningMachine,
    UplinkState,
)
from ovnguard.reconciler.plan.rows.routing_model import RoutingInputs
from ovnguard.reconciler.plan.rows.service_model import Service
from ovnguard.validators.network.addresses import addressing
from ovnguard.validators.network.cluster.advertised_networks import advertised_networks
from ovnguard.validators.network.cluster.cluster_facts import ClusterFacts, cluster_facts
from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster_view import ClusterView
from ovnguard.validators.network.model import DEFAULT_NETWORK, IPAddress, IPNetwork, Network, Transport
from ovnguard.validators.network.ovnkube_settings.dynamic_allocation import GRACE_PERIOD
from ovnguard.validators.network.ovnkube_settings.routed_isolation import Isolation, isolation_of


@dataclass(frozen=True, slots=True)
class AllowedService:
    """A service of the default network that other networks use, ``namespace/name``, with its cluster addresses."""

    name: str
    addresses: tuple[IPAddress, ...]


@dataclass(frozen=True, slots=True)
class ImportedRoute:
    """A BGP route of a node's kernel that the network's gateway router on that node needs."""

    network: str
    node: str
    prefix: IPNetwork
    nexthop: IPAddress


@dataclass(frozen=True, slots=True)
class Routes:
    """The networks with advertised pods and their subnets, and what ovnkube says about their isolation."""

    advertised: Mapping[str, tuple[IPNetwork, ...]] = field(default_factory=dict, hash=False)
    isolation: Isolation | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """Cluster-wide parameters; every default is OVN-Kubernetes' own. `settings_of` takes what the cluster configures.

    ``default_mtu``: MTU of the default network in octets, which limits every gateway port, None while it is unknown.
    ``allowed_services``: option udn-allowed-default-services, each ``namespace/name``; ``services``: the known ones
    among them, ``unknown_services``: the others. ``transit_subnets``: the transit subnets of Layer3 networks' cluster
    routers. ``snat_ports``: port range of source NAT. ``imported_routes``: BGP routes of the nodes. ``egress``:
    EgressIP assignments of pods to nodes. ``machines``: virtual machines that keep their addresses on every node.
    ``uplinks``: the bridges of Uplinks on nodes. ``connections``: ClusterNetworkConnects with their allocations.
    ``balanced_services``: services with load balancers, by the network of their servers. ``advertises``: whether the
    cluster advertises routes at all; ``advertised``: the networks with advertised pods and their subnets;
    ``isolation``: whether these are kept apart, strictly where nothing else is said.
    ``dynamic``: whether networks are rendered only on nodes that use them, None for what the objects say; ``active``:
    the nodes of such networks, others are rendered on all; ``grace_period``: how many seconds a node keeps one that it
    does not use any more. ``routing``: RouteAdvertisements, FRRConfigurations and what they select.
    ``egress_services``: EgressServices with a node. ``ip_versions``: those of the default network's subnets, none while
    they are unknown. ``frr_namespace``: where frr-k8s runs; ``frr_log_level``: its log level;
    ``frr_always_block``: the subnets that no BGP neighbour may announce, option always-block of frr-k8s.
    ``layer2_legacy``: nodes may still have the Layer2 topology before transit routers. ``multicast``, ``snat_per_pod``,
    ``empty_lb_events``, ``acl_logging_rate``: options enable-multicast, disable-snat-multiple-gws, ovn-empty-lb-events
    and acl-logging-rate-limit (messages a second). ``dns_service``: options dns-service-namespace and
    dns-service-name, ``namespace/name``; ``dns``: that service, None while it is unknown.
    """

    default_mtu: int | None = 1400
    default_join_subnets: tuple[IPNetwork, ...] = addressing.DEFAULT_JOIN_SUBNETS
    udn_join_subnets: tuple[IPNetwork, ...] = addressing.DEFAULT_UDN_JOIN_SUBNETS
    transit_subnets: tuple[IPNetwork, ...] = addressing.DEFAULT_TRANSIT_SUBNETS
    masquerade_subnets: tuple[IPNetwork, ...] = addressing.DEFAULT_MASQUERADE_SUBNETS
    allowed_services: tuple[str, ...] = ("default/kubernetes", "kube-system/kube-dns")
    services: tuple[AllowedService, ...] = ()
    unknown_services: tuple[str, ...] = ()
    snat_ports: str = "32768-60999"
    imported_routes: tuple[ImportedRoute, ...] = ()
    egress: tuple[EgressAssignment, ...] = ()
    egress_services: tuple[EgressService, ...] = ()
    ip_versions: tuple[int, ...] = ()
    machines: tuple[RunningMachine, ...] = ()
    uplinks: tuple[UplinkState, ...] = ()
    connections: tuple[Connection, ...] = ()
    balanced_services: Mapping[str, tuple[Service, ...]] = field(
        default_factory=lambda: MappingProxyType({}), hash=False
    )
    advertises: bool = False
    advertised: Mapping[str, tuple[IPNetwork, ...]] = field(default_factory=dict, hash=False)
    isolation: Isolation | None = None
    dynamic: bool | None = None
    active: tuple[ActiveNodes, ...] = ()
    grace_period: float = GRACE_PERIOD
    layer2_legacy: bool = True
    routing: RoutingInputs = field(default_factory=RoutingInputs)
    frr_namespace: str = "openshift-frr-k8s"
    frr_log_level: str = "informational"
    frr_always_block: tuple[IPNetwork, ...] = ()
    multicast: bool = False
    snat_per_pod: bool = False
    empty_lb_events: bool = False
    acl_logging_rate: int = 20
    dns_service: str = "kube-system/kube-dns"
    dns: AllowedService | None = None

    @property
    def isolates(self) -> bool:
        """Whether networks with advertised pods are kept apart."""
        return self.advertises and self.isolation is not Isolation.LOOSE

    @property
    def activity(self) -> Mapping[str, ActiveNodes]:
        """The nodes of networks that are not rendered on all, by network."""
        return {each.network: each for each in self.active}

    def idle_on(self, node: str) -> frozenset[str]:
        """Return the networks that ``node`` does not use, where networks are not rendered on all nodes."""
        return frozenset(each.network for each in self.active if not each.has_rows(node))

    def is_routed(self, network: Network) -> bool:
        """Whether routes lead to the network's pods: as OVN-Kubernetes' zones see it, without an overlay always."""
        return network.transport is Transport.NO_OVERLAY or network.name in self.advertised

    def with_routes(self, routes: Routes) -> "Settings":
        """Return the settings with the advertised networks; an isolation that is chosen here stays."""
        return replace(self, advertised=routes.advertised, isolation=self.isolation or routes.isolation)

    def with_mtu(self, mtu: int | None) -> "Settings":
        """Return the settings with the default network's effective MTU where it is known."""
        return self if mtu is None else replace(self, default_mtu=mtu)


class Advertised(NamedTuple):
    """A network with advertised pods."""

    network: str


Part: TypeAlias = EgressAssignment | EgressService | ImportedRoute | RunningMachine | ActiveNodes | Advertised
"""A value of `Settings` that affects only one network."""


def common_part(settings: Settings) -> Settings:
    """Return the part of ``settings`` that affects all networks."""
    alone = replace(settings, imported_routes=(), egress=(), egress_services=(), machines=(), uplinks=())
    alone = replace(alone, balanced_services={}, connections=())
    return replace(alone, advertised={}, active=(), routing=RoutingInputs())


def parts_of_networks(settings: Settings) -> Mapping[str, tuple[Part, ...]]:
    """Return, by network, the part of ``settings`` that affects only this network."""
    parts: dict[str, list[Part]] = {}
    routed = map(Advertised, settings.advertised)
    pods: tuple[Part, ...] = (*settings.egress, *settings.egress_services, *settings.machines, *settings.active)
    for each in (*pods, *settings.imported_routes, *routed):
        parts.setdefault(each.network, []).append(each)
    return {network: tuple(part) for network, part in parts.items()}


def routes_of(view: ClusterView) -> Routes:
    """Return which networks of ``view`` are advertised, and how ovnkube keeps them apart."""
    inventory = inventory_of(view)
    advertised: dict[str, tuple[IPNetwork, ...]] = dict.fromkeys(advertised_networks(inventory), ())
    if DEFAULT_NETWORK in advertised:
        advertised[DEFAULT_NETWORK] = cluster_facts(view).cluster_subnets or ()
    for network in inventory.networks() or () if advertised else ():
        if network.name in advertised:
            advertised[network.name] = tuple(subnet.cidr for subnet in network.subnets)
    return Routes(advertised, isolation_of(inventory))


def settings_of(facts: ClusterFacts, base: Settings = Settings()) -> Settings:
    """Return ``base`` with the values of the operator Network; absent ones have the built-in default.

    The network operator selects the MTU that its object does not contain, so that is unknown here; see `with_mtu`.

    Source: operator.openshift.io/v1 Network, ``ovnKubernetesConfig``: mtu, routeAdvertisements, ipv4 and ipv6
    internalJoinSubnet, gatewayConfig internalMasqueradeSubnet, and the transit switch subnets: Layer3 networks use
    those, and Layer2 networks select their transit subnets from them.
    """
    return replace(
        base,
        default_mtu=facts.default_mtu or (None if facts.operator_known else base.default_mtu),
        default_join_subnets=facts.join_subnets,
        transit_subnets=facts.transit_subnets,
        masquerade_subnets=facts.masquerade_subnets,
        advertises=facts.advertises,
        ip_versions=facts.ip_versions,
    )
