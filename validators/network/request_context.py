"""What a rule may look at: one request around one object, and what is known of the cluster."""

from typing import NamedTuple

from validators.base.json_types import JsonObject
from validators.network.cluster.cluster_facts import ClusterFacts
from validators.network.cluster.inventory import Inventory
from validators.network.model import Network
from validators.network.operators import DEFAULT_OPERATORS


class Context(NamedTuple):
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
