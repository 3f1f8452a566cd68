"""The type of network rules, and the facts that rules need."""

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import NamedTuple

from ovnguard.validators.base.field import FieldError
from ovnguard.validators.network.cluster.cluster_facts import host_mtu
from ovnguard.validators.network.cluster.ownership import Ownership
from ovnguard.validators.network.cluster.release import target_release
from ovnguard.validators.network.cluster_view import (
    CLUSTER_NETWORK_CONNECT,
    CLUSTER_VERSION,
    CONFIG_DNS,
    CUDN,
    DAEMON_SET,
    DEPLOYMENT,
    EGRESS_IP,
    EGRESS_SERVICE,
    FRR_CONFIGURATION,
    INFRASTRUCTURE,
    NAMESPACE,
    NAMESPACED_KINDS,
    NODE,
    OPERATOR_NETWORK,
    POD,
    ROUTE_ADVERTISEMENTS,
    SERVICE,
    GroupKind,
)
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.model import Role, Routing, Topology, Transport
from ovnguard.validators.network.ovnkube_settings.allocation import allocation, preconfigured_addresses, settings_known
from ovnguard.validators.network.request_context import RuleContext
from ovnguard.validators.network.rules.index import CREATE_OR_UPDATE, OBJECT_ITSELF

__all__ = ["Need", "Rule", "RuleContext", "Severity"]


class Severity(StrEnum):
    """The effect of a finding: an error refuses the object, a warning is only reported."""

    ERROR = "error"
    WARNING = "warning"


class Need(StrEnum):
    """A fact that a rule needs; without it the rule is not checked. The value is the fact's name in notes."""

    NODES = "nodes"
    OPERATOR_NETWORK = "the operator Network"
    NAMESPACES = "namespaces"
    NAMESPACE = "the namespace of the object (metadata.namespace, or -n)"
    NETWORKS = "other networks"
    ROUTE_ADVERTISEMENTS = "RouteAdvertisements"
    FRR_CONFIGURATIONS = "FRRConfigurations"
    NETWORK_CONNECTS = "ClusterNetworkConnects"
    EGRESS_IPS = "EgressIPs"
    EGRESS_SERVICES = "EgressServices"
    SERVICES = "Services"
    PODS = "Pods"
    DAEMON_SETS = "DaemonSets"
    DEPLOYMENTS = "Deployments"
    OVNKUBE_NODE = "DaemonSet openshift-ovn-kubernetes/ovnkube-node"
    RELEASE = "the release in the ClusterVersion"
    ALLOCATION = "workloads and configuration of ovnkube"
    SETTINGS = "all settings of ovnkube"
    PRECONFIGURED = "the setting --enable-preconfigured-udn-addresses of ovnkube"
    USER = "the user who asks"
    CLUSTER_VERSION = "the ClusterVersion"
    INFRASTRUCTURE = "the Infrastructure"
    DNS = "the DNS configuration"
    HOST_MTU = "the hosts' MTU (ConfigMap openshift-network-operator/mtu)"
    ZONES = "zones of nodes"
    ADVERTISING = "RouteAdvertisements or FRRConfigurations"
    TRANSPORTS = "the operator Network or ClusterUserDefinedNetworks"
    OWNER = "the (Cluster)UserDefinedNetwork that the ownerReference names, with its uid"

    def known(self, ctx: RuleContext) -> bool:
        """Return whether the fact is known. Nodes and the operator Network must also be readable."""
        known = _KNOWN.get(self)
        return ctx.inventory.knows(KINDS_OF_NEEDS[self]) if known is None else known(ctx)


# The objects that contain a fact; docs/webhook-finality.md is also generated from this table.
KINDS_OF_NEEDS: dict[Need, GroupKind] = {
    Need.NODES: NODE,
    Need.OPERATOR_NETWORK: OPERATOR_NETWORK,
    Need.NAMESPACES: NAMESPACE,
    Need.ROUTE_ADVERTISEMENTS: ROUTE_ADVERTISEMENTS,
    Need.FRR_CONFIGURATIONS: FRR_CONFIGURATION,
    Need.NETWORK_CONNECTS: CLUSTER_NETWORK_CONNECT,
    Need.EGRESS_IPS: EGRESS_IP,
    Need.EGRESS_SERVICES: EGRESS_SERVICE,
    Need.SERVICES: SERVICE,
    Need.PODS: POD,
    Need.DAEMON_SETS: DAEMON_SET,
    Need.DEPLOYMENTS: DEPLOYMENT,
    Need.CLUSTER_VERSION: CLUSTER_VERSION,
    Need.INFRASTRUCTURE: INFRASTRUCTURE,
    Need.DNS: CONFIG_DNS,
}


# Rules that are not about networks import what they need themselves.
def _release_known(ctx: RuleContext) -> bool:
    return target_release(ctx.inventory) is not None


def _ovnkube_node_known(ctx: RuleContext) -> bool:
    from ovnguard.validators.network.ovnkube_settings.interconnect_workloads import ovnkube_node

    return ovnkube_node(ctx.inventory) is not None


def _allocation_known(ctx: RuleContext) -> bool:
    return allocation(ctx.inventory) is not None


def _preconfigured_known(ctx: RuleContext) -> bool:
    return preconfigured_addresses(ctx.inventory) is not None


def _no_nodes(ctx: RuleContext) -> bool:
    """Whether the view says that there is no node; a Node that cannot be read is one."""
    nodes = ctx.inventory.objects(NODE)
    return nodes is not None and not nodes


_KNOWN: dict[Need, Callable[[RuleContext], bool]] = {
    Need.NODES: lambda ctx: bool(ctx.facts.nodes) or _no_nodes(ctx),
    Need.OPERATOR_NETWORK: lambda ctx: ctx.facts.operator_known,
    Need.NETWORKS: lambda ctx: ctx.inventory.knows_networks(),
    Need.HOST_MTU: lambda ctx: host_mtu(ctx.inventory) is not None,
    Need.ZONES: lambda ctx: any(node.zone for node in ctx.facts.nodes or ()) or _no_nodes(ctx),
    Need.ADVERTISING: lambda ctx: ctx.inventory.knows(ROUTE_ADVERTISEMENTS) or ctx.inventory.knows(FRR_CONFIGURATION),
    Need.TRANSPORTS: lambda ctx: ctx.inventory.knows(OPERATOR_NETWORK) or ctx.inventory.knows(CUDN),
    Need.NAMESPACE: lambda ctx: ctx.kind not in NAMESPACED_KINDS or bool(ref_of(ctx.object).namespace),
    Need.USER: lambda ctx: bool(ctx.user),
    Need.OWNER: lambda ctx: ctx.inventory.ownership(ctx.object) is not Ownership.UNKNOWN,
    Need.RELEASE: _release_known,
    Need.OVNKUBE_NODE: _ovnkube_node_known,
    Need.ALLOCATION: _allocation_known,
    Need.SETTINGS: settings_known,
    Need.PRECONFIGURED: _preconfigured_known,
}


class Rule(NamedTuple):
    """One rule. ``check`` yields the findings about an object.

    ``kinds``, ``operations`` and ``subresources``: the requests that the rule judges; the empty subresource is the
    object itself. ``names``: prefixes of the names of these objects, empty for any name. ``transport``, ``routing``,
    ``topologies`` and ``role``: the only networks that the rule judges, None or empty for any; ``own_network``: it
    judges only objects with a `RuleContext.own_network`. The rule is neither loaded nor called for others. ``applies``
    decides what these fields cannot express.

    ``design``: the document and section that the rule implements. ``message`` and ``hint``: what the rule demands and
    how to meet it; the docstring of its module contains the reason. ``ratchets``: an update may keep findings that the
    old object has.
    """

    id: str
    kinds: tuple[GroupKind, ...]
    severity: Severity
    design: str
    message: str
    hint: str
    check: Callable[[RuleContext], Iterator[FieldError]]
    applies: Callable[[RuleContext], bool] | None = None
    needs: tuple[Need, ...] = ()
    ratchets: bool = True
    operations: frozenset[str] = CREATE_OR_UPDATE
    subresources: frozenset[str] = OBJECT_ITSELF
    names: tuple[str, ...] = ()
    transport: Transport | None = None
    routing: Routing | None = None
    topologies: tuple[Topology, ...] = ()
    role: Role | None = None
    own_network: bool = False

    @property
    def kind_names(self) -> tuple[str, ...]:
        """The kinds without their API groups."""
        return tuple(dict.fromkeys(kind.kind for kind in self.kinds))
