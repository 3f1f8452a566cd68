"""What a network rule is, and what it may look at."""

from collections.abc import Callable, Iterator
from enum import StrEnum

from validators.field import FieldError
from validators.json_types import JsonObject
from validators.network.facts import ClusterFacts
from validators.network.model import Network
from validators.records import dataclass


class Severity(StrEnum):
    """What becomes of a finding: an error refuses, a warning is said."""

    ERROR = "error"
    WARNING = "warning"


class Need(StrEnum):
    """A fact without which a rule says nothing but that it was not checked."""

    NODES = "nodes"
    OPERATOR_NETWORK = "the operator Network"

    def known(self, facts: ClusterFacts) -> bool:
        """Whether the facts hold it."""
        return facts.max_node_id is not None if self is Need.NODES else facts.operator_known


@dataclass(frozen=True, slots=True)
class Context:
    """One request around one object that the schema accepted, and what is known of the cluster.

    ``operation`` is CREATE or UPDATE. ``object`` is the object as it would be stored; ``old`` the stored one of an
    update. The networks are what both declare, None where they declare none or cannot be read.
    """

    operation: str
    object: JsonObject
    old: JsonObject | None
    network: Network | None
    old_network: Network | None
    facts: ClusterFacts

    @property
    def is_update(self) -> bool:
        """Whether there is an older object to compare with."""
        return self.operation == "UPDATE" and self.old is not None

    def before(self) -> "Context | None":
        """The old object looked at alone, as if it were created; None when there is none."""
        if self.old is None:
            return None
        return Context("CREATE", self.old, None, self.old_network, None, self.facts)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. ``applies`` tells whether it concerns the object, ``check`` what is wrong with it.

    ``design``: the document that the rule stands for. ``message`` and ``hint``: what the rule says in general, and what
    to do about it. ``ratchets``: findings that the old object had already are not held against an update.
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
