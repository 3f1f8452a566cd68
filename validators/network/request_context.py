"""The input of a rule: one request for one object, and the known state of the cluster."""

from functools import cached_property
from typing import NamedTuple

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.cluster_facts import ClusterFacts
from ovnguard.validators.network.cluster.inventory import Inventory
from ovnguard.validators.network.cluster.no_overlay import Declared, declared
from ovnguard.validators.network.cluster_view import GroupKind
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.model import Network, Role, Routing, Topology, Transport
from ovnguard.validators.network.operators import DEFAULT_CLUSTER_MANAGERS, DEFAULT_OPERATORS, is_operator
from ovnguard.validators.network.parse_values import dig


class Traits(NamedTuple):
    """The properties of a request that decide which rules judge it; a field of `Rule` restricts each of them.

    ``routing`` is None for an overlay; ``topology`` and ``role`` are None without a valid network. ``own_network``:
    whether `RuleContext.own_network` is a network.
    """

    kind: GroupKind
    operation: str
    subresource: str
    transport: Transport
    routing: Routing | None
    topology: Topology | None
    role: Role | None
    own_network: bool


class _Request(NamedTuple):
    """The fields of a `RuleContext`."""

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
    managers: frozenset[str] = DEFAULT_CLUSTER_MANAGERS
    rendered: bool = False
    old_rendered: bool = False
    dynamic: bool = False


class RuleContext(_Request):
    """One request for one object that its schema accepted, and the known state of the cluster.

    ``operation`` is CREATE, UPDATE or DELETE. ``object`` is the object as it would be stored; ``old`` the stored one of
    an update; for DELETE, both are the stored one. The networks are those that both declare; None for an object that
    declares none or is invalid. ``user`` is the requesting user, empty when unknown, as in preflight; ``operators`` are
    the users that act for the cluster network operator, ``managers`` those that act for OVN-Kubernetes' cluster manager
    (`validators.network.operators`). The inventory contains the requested object only in its previous state, if at all.
    ``rendered`` and ``old_rendered``: whether OVN-Kubernetes rendered the object and the stored one from a
    (Cluster)UserDefinedNetwork, which was judged in their place. ``dynamic``: user-defined networks are allocated
    dynamically, whatever the inventory says about it.
    """

    @property
    def is_update(self) -> bool:
        """Whether the request has an old object to compare with."""
        return self.operation == "UPDATE" and self.old is not None

    @property
    def by_cluster_manager(self) -> bool:
        """Whether OVN-Kubernetes' cluster manager makes the request; offline, the user is unknown."""
        return is_operator(self.user, self.managers)

    @cached_property
    def before(self) -> "RuleContext | None":
        """The creation of the old object, as a separate request; None without an old object."""
        if self.old is None:
            return None
        return self._replace(
            operation="CREATE",
            object=self.old,
            old=None,
            network=self.old_network,
            old_network=None,
            rendered=self.old_rendered,
        )

    @cached_property
    def kind(self) -> GroupKind:
        """Group and kind of the object."""
        return group_kind_of(self.object)

    @cached_property
    def declared(self) -> Declared:
        """What the object declares about its network's transport, also when the network is invalid."""
        network = self.network
        return declared(self.object) if network is None else Declared(network.transport, network.no_overlay)

    @cached_property
    def routing(self) -> Routing | None:
        """The routing of a network in no-overlay mode; None for an overlay."""
        transport, options = self.declared
        return options.routing if transport is Transport.NO_OVERLAY and options is not None else None

    @cached_property
    def own_network(self) -> Network | None:
        """The network that the object itself declares.

        None for the default network, and for attachments that OVN-Kubernetes rendered: their owner was judged.
        """
        network = self.network
        if network is None or network.is_default:
            return None
        return None if self.rendered else network

    @cached_property
    def has_final_name(self) -> bool:
        """Whether the object already has its name; for generateName, the API server chooses an unused one."""
        return bool(dig(self.object, "metadata", "name"))

    @cached_property
    def traits(self) -> Traits:
        """The properties that decide which rules judge the request."""
        network = self.network
        return Traits(
            self.kind,
            self.operation,
            self.subresource,
            self.declared.transport,
            self.routing,
            None if network is None else network.topology,
            None if network is None else network.role,
            self.own_network is not None,
        )
