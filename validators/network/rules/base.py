"""What a network rule is, and what it may look at."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module

from validators.base.field import FieldError
from validators.base.json_types import JsonObject
from validators.network.cluster.cluster_facts import ClusterFacts
from validators.network.cluster.host_mtu import host_mtu
from validators.network.cluster.inventory import Inventory
from validators.network.cluster_view import (
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
    NODE,
    OPERATOR_NETWORK,
    POD,
    ROUTE_ADVERTISEMENTS,
    SERVICE,
    GroupKind,
)
from validators.network.model import Network
from validators.network.operators import DEFAULT_OPERATORS

CREATE_OR_UPDATE = frozenset({"CREATE", "UPDATE"})


class Severity(StrEnum):
    """What becomes of a finding: an error refuses, a warning is said."""

    ERROR = "error"
    WARNING = "warning"


class Need(StrEnum):
    """A fact without which a rule says nothing but that it was not checked; the value is how a note names it."""

    NODES = "nodes"
    OPERATOR_NETWORK = "the operator Network"
    NAMESPACES = "namespaces"
    NETWORKS = "other networks"
    ROUTE_ADVERTISEMENTS = "RouteAdvertisements"
    FRR_CONFIGURATIONS = "FRRConfigurations"
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
    USER = "the user who asks"
    CLUSTER_VERSION = "the ClusterVersion"
    INFRASTRUCTURE = "the Infrastructure"
    DNS = "the DNS configuration"
    HOST_MTU = "the hosts' MTU (ConfigMap openshift-network-operator/mtu)"
    ZONES = "zones of nodes"
    ADVERTISING = "RouteAdvertisements or FRRConfigurations"
    TRANSPORTS = "the operator Network or ClusterUserDefinedNetworks"

    def known(self, ctx: "Context") -> bool:
        """Whether it is known. Nodes and the operator Network must also be readable."""
        known = _KNOWN.get(self)
        return ctx.inventory.objects(_KINDS[self]) is not None if known is None else known(ctx)


# Which objects hold a fact; docs/webhook-finality.md is made from it as well.
_KINDS: dict[Need, GroupKind] = {
    Need.NODES: NODE,
    Need.OPERATOR_NETWORK: OPERATOR_NETWORK,
    Need.NAMESPACES: NAMESPACE,
    Need.ROUTE_ADVERTISEMENTS: ROUTE_ADVERTISEMENTS,
    Need.FRR_CONFIGURATIONS: FRR_CONFIGURATION,
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


def _reads(module: str, function: str) -> Callable[["Context"], bool]:
    """What has to be read to be known, and is nothing to rules about networks: imported by those that ask."""
    return lambda ctx: getattr(import_module(module), function)(ctx.inventory) is not None


_KNOWN: dict[Need, Callable[["Context"], bool]] = {
    Need.NODES: lambda ctx: ctx.facts.max_node_id is not None,
    Need.OPERATOR_NETWORK: lambda ctx: ctx.facts.operator_known,
    Need.NETWORKS: lambda ctx: ctx.inventory.knows_networks(),
    Need.HOST_MTU: lambda ctx: host_mtu(ctx.inventory) is not None,
    Need.ZONES: lambda ctx: any(node.zone for node in ctx.facts.nodes or ()),
    Need.ADVERTISING: lambda ctx: ctx.inventory.knows(ROUTE_ADVERTISEMENTS) or ctx.inventory.knows(FRR_CONFIGURATION),
    Need.TRANSPORTS: lambda ctx: ctx.inventory.knows(OPERATOR_NETWORK) or ctx.inventory.knows(CUDN),
    Need.USER: lambda ctx: bool(ctx.user),
    Need.RELEASE: _reads("validators.network.cluster.release", "target_release"),
    Need.OVNKUBE_NODE: _reads("validators.network.designs.interconnect", "ovnkube_node"),
    Need.ALLOCATION: _reads("validators.network.designs.allocation", "allocation"),
    Need.SETTINGS: lambda ctx: bool(import_module("validators.network.designs.allocation").settings_known(ctx)),
}


@dataclass(frozen=True, slots=True)
class Context:
    """One request around one object that its schema accepted, and what is known of the cluster.

    ``operation`` is CREATE, UPDATE or DELETE. ``object`` is the object as it would be stored; ``old`` the stored one of
    an update; of a DELETE both are the stored one. The networks are what both declare, None where they declare none or
    cannot be read. ``user`` is who asks, empty where nobody is known, as in preflight; ``operators`` are the users that
    act for the cluster network operator (`validators.network.operators`). The inventory knows the object of the request
    only in the state before it, if at all.
    """

    operation: str
    object: JsonObject
    old: JsonObject | None
    network: Network | None
    old_network: Network | None
    facts: ClusterFacts
    inventory: Inventory
    subresource: str = ""
    user: str = ""
    operators: frozenset[str] = DEFAULT_OPERATORS

    @property
    def is_update(self) -> bool:
        """Whether there is an older object to compare with."""
        return self.operation == "UPDATE" and self.old is not None

    def before(self) -> "Context | None":
        """The old object looked at alone, as if it were created; None when there is none."""
        if self.old is None:
            return None
        return Context(
            "CREATE",
            self.old,
            None,
            self.old_network,
            None,
            self.facts,
            self.inventory,
            self.subresource,
            self.user,
            self.operators,
        )


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. ``applies`` tells whether it concerns the object, ``check`` what is wrong with it.

    ``design``: the document and section that the rule stands for. ``message`` and ``hint``: what the rule says in
    general, and what to do about it; why it exists is the docstring of its module. ``ratchets``: findings that the old
    object had already are not held against an update. ``operations`` and ``subresources``: the requests on which it
    is asked at all; the empty name is the object itself.
    """

    id: str
    severity: Severity
    design: str
    message: str
    hint: str
    applies: Callable[[Context], bool]
    check: Callable[[Context], Iterator[FieldError]]
    needs: tuple[Need, ...] = ()
    ratchets: bool = True
    operations: frozenset[str] = CREATE_OR_UPDATE
    subresources: frozenset[str] = frozenset({""})
