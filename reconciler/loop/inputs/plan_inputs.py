"""The resources that a zone watches, and the inputs of plans besides networks and nodes.

Networks and nodes are kept whole; of pods, EgressIPs, Services and EndpointSlices, only what plans read. Pods dominate:
field selectors exclude those without a node and completed ones, and about three kilobytes of each other pod are kept,
so ten thousand pods take about 29 MiB.

Changed objects are parsed again and compared by the fields that plans use: a pod's new condition causes no plan.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from ovnguard.reconciler.loop.inputs.kept_inputs import first, with_earlier
from ovnguard.reconciler.loop.inputs.ovnkube_resources import OVNKUBE_KINDS, OVNKUBE_RESOURCES
from ovnguard.reconciler.plan.activity.active_nodes import active_nodes_of
from ovnguard.reconciler.plan.bgp.routing_objects import routing_of
from ovnguard.reconciler.plan.connections.recorded_connections import connections_of
from ovnguard.reconciler.plan.egress.egress_objects import egresses_of
from ovnguard.reconciler.plan.inputs.cluster_options import may_explain_drift, with_options
from ovnguard.reconciler.plan.inputs.uplink_objects import uplinks_of
from ovnguard.reconciler.plan.pods.machines import LAUNCHER
from ovnguard.reconciler.plan.pods.pod_objects import PodMemo, pods_of
from ovnguard.reconciler.plan.rows.model import (
    ActiveNodes,
    Connection,
    EgressAssignment,
    EgressService,
    PodPort,
    Remark,
    RunningMachine,
    UplinkState,
)
from ovnguard.reconciler.plan.rows.routing_model import RoutingInputs
from ovnguard.reconciler.plan.rows.service_model import Service
from ovnguard.reconciler.plan.rows.settings import Routes, Settings, routes_of
from ovnguard.reconciler.plan.services.allowed_services import cluster_addresses, with_default_services
from ovnguard.reconciler.plan.services.egress_services import egress_services_of
from ovnguard.reconciler.plan.services.endpoint_slices import ENDPOINT_SLICE
from ovnguard.reconciler.plan.services.service_objects import ServiceMemo, services_of
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster import trim
from ovnguard.validators.cluster.resources import CUDNS, NADS, NODES, OPERATOR_NETWORKS, UDNS, WHOLE, Part, Resource
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS, inventory_of
from ovnguard.validators.network.cluster.route_advertisements import GENERATED_LABEL
from ovnguard.validators.network.cluster_view import (
    CLUSTER_NETWORK_CONNECT,
    CONFIG_MAP,
    EGRESS_IP,
    EGRESS_SERVICE,
    FRR_CONFIGURATION,
    NAMESPACE,
    NODE,
    OPERATOR_NETWORK,
    POD,
    ROUTE_ADVERTISEMENTS,
    SECRET,
    SERVICE,
    UPLINK,
    UPLINK_STATE,
    ClusterView,
    GroupKind,
)
from ovnguard.validators.network.declared.node import node_of
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.ovnkube_settings.dynamic_allocation import GRACE_PERIOD, grace_period, is_dynamic
from ovnguard.validators.network.ovnkube_settings.effective_mtu import effective_mtu
from ovnguard.validators.network.ovnkube_settings.ovnkube_options import OvnkubeOptions, ovnkube_options

DECLARING_RESOURCES: Final = (OPERATOR_NETWORKS, CUDNS, UDNS, NADS, NODES)
"""Resources that declare networks and nodes. The loop also writes them, so they are kept whole."""
DECLARING_PARTS: Final = tuple(
    (each, Part(wakes=trim.node) if each is NODES else WHOLE) for each in DECLARING_RESOURCES
)
"""How loops watch these resources: the heartbeat of a node wakes none."""
NAMESPACES: Final = Resource(NAMESPACE.group, "v1", "namespaces", NAMESPACE.kind)
PODS: Final = Resource(POD.group, "v1", "pods", POD.kind, namespaced=True)
EGRESS_IPS: Final = Resource(EGRESS_IP.group, "v1", "egressips", EGRESS_IP.kind)
EGRESS_SERVICES: Final = Resource(EGRESS_SERVICE.group, "v1", "egressservices", EGRESS_SERVICE.kind, namespaced=True)
ADVERTISEMENTS: Final = Resource(ROUTE_ADVERTISEMENTS.group, "v1", "routeadvertisements", ROUTE_ADVERTISEMENTS.kind)
FRR_CONFIGURATIONS: Final = Resource(
    FRR_CONFIGURATION.group, "v1beta1", "frrconfigurations", FRR_CONFIGURATION.kind, namespaced=True
)
SECRETS: Final = Resource(SECRET.group, "v1", "secrets", SECRET.kind, namespaced=True)
UPLINKS: Final = Resource(UPLINK.group, "v1alpha1", "uplinks", UPLINK.kind)
UPLINK_STATES: Final = Resource(UPLINK_STATE.group, "v1alpha1", "uplinkstates", UPLINK_STATE.kind)
CONNECTS: Final = Resource(CLUSTER_NETWORK_CONNECT.group, "v1", "clusternetworkconnects", CLUSTER_NETWORK_CONNECT.kind)
SERVICES: Final = Resource(SERVICE.group, "v1", "services", SERVICE.kind, namespaced=True)
ENDPOINT_SLICES: Final = Resource(ENDPOINT_SLICE.group, "v1", "endpointslices", ENDPOINT_SLICE.kind, namespaced=True)
RUNNING: Final = "spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed"
# Completed pods of virtual machines show that a live migration failed.
_DONE: Final = "spec.nodeName!=,status.phase!=Pending,status.phase!=Running,status.phase!=Unknown"

INPUT_RESOURCES: Final[tuple[tuple[Resource, Part], ...]] = (
    (NAMESPACES, Part(trim=trim.selectable)),
    (PODS, Part(trim=trim.pod_with_machine, fields=RUNNING)),
    (PODS, Part(trim=trim.pod_with_machine, fields=_DONE, labels="=".join(LAUNCHER))),
    (EGRESS_IPS, Part(trim=trim.plain)),
    (EGRESS_SERVICES, Part(trim=trim.plain)),
    (ADVERTISEMENTS, Part(trim=trim.plain)),
    # A plan generates the others itself; a mesh of 500 nodes has 60 megabytes of them.
    (FRR_CONFIGURATIONS, Part(trim=trim.plain, labels=f"!{GENERATED_LABEL}")),
    (UPLINKS, Part(trim=trim.plain)),
    (UPLINK_STATES, Part(trim=trim.plain)),
    (CONNECTS, Part(trim=trim.plain)),
    *OVNKUBE_RESOURCES,
    (SERVICES, Part(trim=trim.balanced_service)),
    (ENDPOINT_SLICES, Part(trim=trim.endpoint_slice)),
)
"""Resources that plans read besides networks and nodes."""
INPUT_KINDS: Final[tuple[GroupKind, ...]] = tuple(dict.fromkeys(resource.group_kind for resource, _ in INPUT_RESOURCES))

# The network of a namespace's pods decides which network an EgressIP serves.
_READ: Final = (*INPUT_KINDS, SECRET, *NETWORK_KINDS, OPERATOR_NETWORK)
_ROUTING: Final = (ROUTE_ADVERTISEMENTS, FRR_CONFIGURATION, EGRESS_IP, NAMESPACE, OPERATOR_NETWORK, *NETWORK_KINDS)
_NO_OVERRIDES: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class PlanInputs:
    """Services, EgressIPs, EgressServices, advertised networks, uplinks, connections, the effective MTU and pods.

    ``machines`` are the virtual machines that keep their addresses on every node, ``detached`` the ports of pods on
    attachments that no object declares. ``routing`` are RouteAdvertisements, FRRConfigurations and what they select.
    ``active`` are the nodes of networks that are not rendered on all, if the reader follows them; ``kept`` are those
    networks that the node does not use and whose rows it may have from before. ``services`` are the addresses of all
    Services by ``namespace/name``, ``balanced`` those with load balancers, by network. ``pods`` are the pods with
    recorded addresses, by network, in order of creation. ``notes`` are about requests that cannot be met, ``errors``
    about objects that cannot be read.
    """

    services: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    balanced: Mapping[str, tuple[Service, ...]] = field(default_factory=dict, hash=False)
    egress: tuple[EgressAssignment, ...] = ()
    routes: Routes = field(default_factory=Routes)
    mtu: int | None = None
    grace: float = GRACE_PERIOD
    pods: Mapping[str, tuple[PodPort, ...]] = field(default_factory=dict, hash=False)
    machines: tuple[RunningMachine, ...] = ()
    detached: tuple[PodPort, ...] = ()
    uplinks: tuple[UplinkState, ...] = ()
    connections: tuple[Connection, ...] = ()
    egress_services: tuple[EgressService, ...] = ()
    active: tuple[ActiveNodes, ...] = ()
    kept: frozenset[str] = frozenset()
    routing: RoutingInputs = field(default_factory=RoutingInputs)
    options: OvnkubeOptions = field(default_factory=OvnkubeOptions, hash=False)
    notes: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()

    def added_to(self, settings: Settings) -> Settings:
        """Return ``settings`` with these inputs."""
        settings = with_options(settings, self.options)
        added = replace(with_default_services(settings, self.services), balanced_services=self.balanced)
        added = replace(added, egress=self.egress, egress_services=self.egress_services)
        added = replace(added, machines=self.machines, uplinks=self.uplinks, active=self.active)
        added = replace(added, routing=self.routing, connections=self.connections, grace_period=self.grace)
        return added.with_routes(self.routes).with_mtu(self.mtu)


class PlanInputReader:
    """Reads plan inputs from a view, and again only when the view returns different objects.

    ``dynamic``: whether networks are rendered only on nodes that use them, None for what the cluster says.
    ``managed``: the cluster manager of OVN-Kubernetes decides how long a node renders a network. ``overrides`` are
    options of ovnkube that count before those of the cluster.
    """

    def __init__(
        self, overrides: Mapping[str, str] = _NO_OVERRIDES, dynamic: bool | None = False, *, managed: bool = False
    ) -> None:
        self._overrides = overrides
        self._dynamic = dynamic
        self._managed = managed
        self._seen: tuple[Sequence[JsonObject] | None, ...] = ()
        self._routed: tuple[Sequence[JsonObject] | None, ...] = ()
        self._secrets: Sequence[JsonObject] | None = None
        self._known = PlanInputs()
        self._memo = PodMemo()
        self._service_memo = ServiceMemo()
        self._egress_notes: tuple[Remark, ...] = ()
        self._leaving_notes: tuple[Remark, ...] = ()
        self._uplink_notes: tuple[Remark, ...] = ()
        self._connection_notes: tuple[Remark, ...] = ()
        self._service_notes: tuple[Remark, ...] = ()

    def read(self, view: ClusterView) -> PlanInputs:
        """Return the current inputs; a kind that ``view`` does not currently know keeps its last state.

        A kind that the API server has never served has no objects.
        """
        # the subnets that the cluster manager leaves a node show how long it renders a network
        kinds = (*_READ, NODE) if self._managed else _READ
        seen = tuple(view.objects(kind) for kind in kinds)
        same = len(seen) == len(self._seen) and all(one is two for one, two in zip(seen, self._seen, strict=True))
        if not same:
            self._seen, self._known = seen, self._read(view, self._known)
        return self._known

    def _read(self, view: ClusterView, before: PlanInputs) -> PlanInputs:
        named, balanced, egress = before.services, before.balanced, before.egress
        services = view.objects(SERVICE)
        if services is not None:
            named = cluster_addresses(services)
        if all(view.objects(kind) is not None for kind in (SERVICE, ENDPOINT_SLICE, NAMESPACE)):
            served = services_of(view, self._service_memo)
            balanced, self._service_notes = served.by_network, served.notes
        if all(view.objects(kind) is not None for kind in (EGRESS_IP, NAMESPACE, POD)):
            found = egresses_of(view)
            egress, self._egress_notes = found.assignments, found.notes
        routes = before.routes if view.objects(ROUTE_ADVERTISEMENTS) is None else routes_of(view)
        uplinks, leaving = self._uplinks(view, before.uplinks), self._leaving(view, before.egress_services)
        connections = self._connections(view, before.connections)
        pods = pods_of(view, self._memo)
        unreadable = frozenset(each.pod for each in pods.errors)
        ports = with_earlier(pods.ports, before.pods, unreadable) if unreadable else pods.ports
        remarks = (*self._egress_notes, *self._leaving_notes, *self._uplink_notes, *self._connection_notes, *pods.notes)
        notes = (*map(str, remarks), *first(self._service_notes, "notes about services"))
        errors = first([each for each in pods.errors if each.is_of_record], "pods whose records cannot be read")
        options = self._options(view, before.options)
        notes = (*options.notes, *(may_explain_drift(options.unplanned) if self._managed else ()), *notes)
        inventory, configured = inventory_of(view), view.objects(CONFIG_MAP) is not None
        mtu = effective_mtu(inventory) if configured else before.mtu
        grace = grace_period(inventory) if configured else before.grace
        of_pods = (ports, pods.running, pods.detached)
        active = self._active(view, ports)
        inputs = PlanInputs(
            named, balanced, egress, routes, mtu, grace, *of_pods, uplinks, connections, leaving, active
        )
        inputs = replace(inputs, options=options, notes=notes, errors=errors)
        return replace(inputs, routing=self._routing(view, before.routing))

    def _options(self, view: ClusterView, before: OvnkubeOptions) -> OvnkubeOptions:
        known = None not in map(view.objects, OVNKUBE_KINDS)
        return (ovnkube_options(inventory_of(view)) if known else before).overridden(self._overrides)

    def _routing(self, view: ClusterView, before: RoutingInputs) -> RoutingInputs:
        """Pods come and go more often than what makes routes."""
        secrets = view.objects(SECRET)
        seen = tuple(view.objects(kind) for kind in _ROUTING)
        same = len(seen) == len(self._routed) and all(one is two for one, two in zip(seen, self._routed, strict=True))
        routing = before
        if not same and None not in seen:
            self._routed = seen
            routing = routing_of(view)
        if secrets is self._secrets and routing is before:
            return before
        self._secrets = secrets
        passwords = before.secrets if secrets is None else {ref_of(each).name: each for each in secrets}
        return replace(routing, secrets=passwords)

    def _active(self, view: ClusterView, ports: Mapping[str, tuple[PodPort, ...]]) -> tuple[ActiveNodes, ...]:
        inventory = inventory_of(view)
        if not (is_dynamic(inventory) if self._dynamic is None else self._dynamic):
            return ()
        members = view.objects(NODE) or () if self._managed else ()
        nodes = [node for obj in members if (node := node_of(obj).node) is not None]
        return active_nodes_of(view, True, inventory.networks() or (), nodes, ports)

    def _leaving(self, view: ClusterView, before: tuple[EgressService, ...]) -> tuple[EgressService, ...]:
        """The current EgressServices."""
        if any(view.objects(kind) is None for kind in (EGRESS_SERVICE, ENDPOINT_SLICE, NAMESPACE)):
            return before
        found = egress_services_of(view)
        self._leaving_notes = found.notes
        return found.services

    def _uplinks(self, view: ClusterView, before: tuple[UplinkState, ...]) -> tuple[UplinkState, ...]:
        """The current states; one that cannot be read takes no gateway away."""
        if view.objects(UPLINK) is None or view.objects(UPLINK_STATE) is None:
            return before
        found = uplinks_of(view)
        self._uplink_notes = found.notes
        kept = (each for each in before if (each.uplink, each.node) in found.unreadable)
        return (*found.states, *kept)

    def _connections(self, view: ClusterView, before: tuple[Connection, ...]) -> tuple[Connection, ...]:
        """The current connections; a record that cannot be read disconnects nothing, nor does an unknown network."""
        if any(view.objects(kind) is None for kind in (CLUSTER_NETWORK_CONNECT, *NETWORK_KINDS)):
            return before
        found = connections_of(view)
        self._connection_notes = found.notes
        return found.kept_from(before)


def passwords_in(namespace: str) -> tuple[Resource, Part]:
    """Return the resource and part of the Secrets of ``namespace`` that FRRConfigurations may name."""
    return SECRETS, Part(namespace, trim=trim.password, fields="type=kubernetes.io/basic-auth")
