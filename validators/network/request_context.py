"""The input of a rule: one request for one object, and the known state of the cluster."""

from typing import NamedTuple

from validators.base.json_types import JsonObject
from validators.network.cluster.cluster_facts import ClusterFacts
from validators.network.cluster.inventory import Inventory
from validators.network.model import Network
from validators.network.operators import DEFAULT_OPERATORS


class Context(NamedTuple):
    """One request for one object that its schema accepted, and the known state of the cluster.

    ``operation`` is CREATE, UPDATE or DELETE. ``object`` is the object as it would be stored; ``old`` the stored one of
    an update; for DELETE, both are the stored one. The networks are those that both declare; None for an object that
    declares none or is invalid. ``user`` is the requesting user, empty when unknown, as in preflight; ``operators`` are
    the users that act for the cluster network operator (`validators.network.operators`). The inventory contains the
    requested object only in its previous state, if at all.
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
        """Whether the request has an old object to compare with."""
        return self.operation == "UPDATE" and self.old is not None

    def before(self) -> "Context | None":
        """The creation of the old object, as a separate request; None without an old object."""
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
