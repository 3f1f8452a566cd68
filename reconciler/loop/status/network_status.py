"""The conditions of a network's object after planning: TransitSubnetAllocated, Accepted, ZonesReady and
Layer2TopologyUpgraded.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ovnguard.reconciler.apply.kube import FIELD_MANAGER, Condition, find_condition
from ovnguard.reconciler.plan.inputs.candidates import Candidate
from ovnguard.validators.base.field import FieldError
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.addresses.addressing import DEFAULT_TRANSIT_SUBNETS
from ovnguard.validators.network.cluster_view import CUDN, UDN
from ovnguard.validators.network.model import IPNetwork, Network
from ovnguard.validators.network.rules.layer2.transit_subnet_conflict import RULE as TRANSIT_FREE
from ovnguard.validators.network.transit.transit_subnet import NO_FREE_TRANSIT_SUBNET, Reason

CONDITION: Final = "TransitSubnetAllocated"
ACCEPTED: Final = "Accepted"
CONFLICT: Final = "Conflict"
"""The reason of a network that conflicts with objects in the cluster, such as an older network."""
REFUSED: Final = "Refused"
"""The reason of an object that its schema refuses, so that it was stored past admission."""
NOT_PLANNED: Final = "NotPlanned"
"""The reason of a network whose numbers are taken, or whose rows cannot be planned."""
EXHAUSTED: Final = "NumbersExhausted"
"""The reason of a network for which no network id or tunnel key is left."""
NOT_RECORDED: Final = "NotRecorded"
"""The reason of a network whose numbers or subnets the API server refuses to store."""
ACCEPTED_MANAGER: Final = f"{FIELD_MANAGER}-accepted"
ZONES: Final = "ZonesReady"
ZONES_MANAGER: Final = f"{FIELD_MANAGER}-zones"
LAYER2: Final = "Layer2TopologyUpgraded"
LAYER2_MANAGER: Final = f"{FIELD_MANAGER}-layer2"
UPGRADING: Final = "UpgradeInProgress"
UPGRADING_MESSAGE: Final = (
    "Nodes still have the Layer2 topology before transit routers: their annotation "
    "k8s.ovn.org/layer2-topology-version is missing."
)
UPGRADED: Final = "AllNodesUpgraded"
UPGRADED_MESSAGE: Final = "All nodes use transit routers."
ACCEPTED_MESSAGE: Final = "The network is accepted."
MAX_MESSAGE: Final = 1024


@dataclass(frozen=True, slots=True)
class StatusReason:
    """A reason, in one word for programs, and its sentence."""

    reason: str
    message: str


def condition_of(
    candidate: Candidate, cluster_transit: Iterable[IPNetwork] = DEFAULT_TRANSIT_SUBNETS
) -> Condition | None:
    """Return the condition TransitSubnetAllocated of a (C)UDN, or None when it does not apply.

    ``cluster_transit`` are the subnets that count as the default choice.
    """
    if candidate.kind not in (CUDN, UDN):
        return None
    if candidate.network is None:
        for error in candidate.refusal:
            if error.rule == TRANSIT_FREE.id:
                return Condition(CONDITION, False, NO_FREE_TRANSIT_SUBNET, _readable(candidate, error).detail)
        return None
    chosen = chosen_of(candidate.network, cluster_transit)
    return None if chosen is None else Condition(CONDITION, True, chosen.reason, chosen.message)


def chosen_of(network: Network, cluster_transit: Iterable[IPNetwork] = DEFAULT_TRANSIT_SUBNETS) -> StatusReason | None:
    """Return the reason and message about a network's transit subnets, or None when it has no own ones."""
    if not network.needs_transit_subnet or not network.transit_subnets:
        return None
    return StatusReason(_reason(network, frozenset(cluster_transit)), _message(network))


def acceptance_of(candidate: Candidate, newest: JsonObject, error: StatusReason | None = None) -> Condition | None:
    """Return the condition Accepted of a (C)UDN: why the network is held back, or that it is not.

    ``newest`` is the latest known object, ``error`` the reason why its numbers or rows cannot be planned, if any.
    Acceptance is reported only after a refusal was; otherwise no condition is needed.
    """
    if candidate.kind not in (CUDN, UDN):
        return None
    against = objection_to(candidate, error)
    if against is not None:
        return Condition(ACCEPTED, False, against.reason, against.message, ACCEPTED_MANAGER)
    if find_condition(newest, ACCEPTED) is None:
        return None
    return Condition(ACCEPTED, True, ACCEPTED, ACCEPTED_MESSAGE, ACCEPTED_MANAGER)


def objection_to(candidate: Candidate, error: StatusReason | None = None) -> StatusReason | None:
    """Return why the network is held back, None when it is not; ``error`` is as in `acceptance_of`."""
    if candidate.network is None and candidate.refusal:
        first = _readable(candidate, candidate.refusal[0])
        message = f"{first.field}: {first.body}" + (f" ({first.rule})" if first.rule else "")
        return StatusReason(CONFLICT if candidate.refused_by_rules else REFUSED, message[:MAX_MESSAGE])
    return None if error is None else StatusReason(error.reason, error.message[:MAX_MESSAGE])


def upgrade_of(candidate: Candidate, newest: JsonObject, *, legacy: bool) -> Condition | None:
    """Return the condition Layer2TopologyUpgraded of a primary Layer2 network; ``legacy``: some node has none yet.

    That all nodes are upgraded is reported only after one was not; otherwise no condition is needed. How many nodes
    remain is a metric: a condition that counts would write on every network for every node.
    """
    if candidate.network is None or not candidate.network.needs_transit_subnet:
        return None
    if legacy:
        return Condition(LAYER2, False, UPGRADING, UPGRADING_MESSAGE, LAYER2_MANAGER)
    if find_condition(newest, LAYER2) is None:
        return None
    return Condition(LAYER2, True, UPGRADED, UPGRADED_MESSAGE, LAYER2_MANAGER)


def _readable(candidate: Candidate, error: FieldError) -> FieldError:
    """The error as readers of the object may read it: those of one namespace learn of no object elsewhere."""
    return error if candidate.kind == CUDN else error.in_public()


def _reason(network: Network, default: frozenset[IPNetwork]) -> str:
    return Reason.DEFAULT_SELECTED if default.issuperset(network.transit_subnets) else Reason.ALTERNATIVE_SELECTED


def _message(network: Network) -> str:
    chosen = ", ".join(str(subnet) for subnet in network.transit_subnets)
    return f"Transit subnet{'s' if len(network.transit_subnets) > 1 else ''} {chosen} selected."
