"""What a plan does not contain on purpose although OVN-Kubernetes may have it in the zone, and the other way round."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, TypeAlias

from reconciler.plan.comparison.identities import IdentifiedRow
from reconciler.plan.rows.row import Row

# The policy that reroutes a pod with an EgressService.
_EGRESS_SERVICE: Final = re.compile(r"ovn_cluster_router \| 101 ip[46]\.src == ([0-9a-f.:]+)")
_EGRESS_SERVICE_PODS: Final = re.compile(r"default-network-controller:EgressService:egresssvc-served-pods:v[46]")
# The route of a user-defined network to a default service.
_SERVICE_ROUTE: Final = re.compile(r"[^ ]+ \| ([0-9a-f.:]+) dst-ip [0-9a-f.:]+")


class Reason(StrEnum):
    """Why a plan, or OVN-Kubernetes, leaves something out."""

    IDLE = "idle"
    REFUSED = "refused"
    STRANDED = "stranded"
    UNSERVED = "unserved"
    UNSTARTED = "unstarted"
    UNROUTED = "unrouted"
    UNADVERTISED = "unadvertised"
    UPGRADED = "upgraded"
    DETACHED = "detached"


Earlier: TypeAlias = Callable[[Reason, Mapping[str, IdentifiedRow]], Sequence[Row]]
"""Returns all rows of the zone as they were planned before the change that the reason is about; of the given rows of
the zone, by identity, that may be left behind.
"""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What the plan of one zone leaves out.

    ``idle`` are the networks that the node does not use under dynamic allocation; the grace period of ``expired`` ones
    is over. Names of pods' ports: ``refused`` has those of pods with an error, ``stranded`` those of pods on unknown
    nodes, ``detached`` those on attachments that are deleted. ``unserved`` are addresses in the default network of pods
    with an EgressService and another primary network, ``unadvertised`` the networks without advertised pods.
    ``upgraded`` are the names of ports that the node had before it got transit routers. OVN-Kubernetes itself leaves
    out most rows of the networks ``unstarted``, which it never starts, and the routes to ``unrouted``, the further
    addresses of default services. With ``earlier``, only rows of that plan count as left behind.
    """

    idle: frozenset[str] = frozenset()
    refused: frozenset[str] = frozenset()
    stranded: frozenset[str] = frozenset()
    unserved: frozenset[str] = frozenset()
    unstarted: frozenset[str] = frozenset()
    unrouted: frozenset[str] = frozenset()
    unadvertised: frozenset[str] = frozenset()
    upgraded: frozenset[str] = frozenset()
    detached: frozenset[str] = frozenset()
    expired: frozenset[str] = frozenset()
    earlier: Earlier | None = field(default=None, compare=False)

    def reason(self, table: str, identity: str, network: str) -> Reason | None:
        """Return why the plan lacks this row, None if it does not do so on purpose."""
        if network in self.idle - self.expired:
            return Reason.IDLE
        if table == "NAT":
            return Reason.UNADVERTISED if network in self.unadvertised else None
        if table == "Logical_Router_Policy":
            found = _EGRESS_SERVICE.fullmatch(identity)
            return Reason.UNSERVED if found is not None and found[1] in self.unserved else None
        if table != "Logical_Switch_Port":
            return None
        reasons = (Reason.REFUSED, Reason.STRANDED, Reason.UPGRADED, Reason.DETACHED)
        return next((each for each in reasons if identity in self.names(each)), None)

    def of_members(self, table: str, identity: str, members: Collection[str]) -> Reason | None:
        """Return why the plan lacks these members of a set, None if it does not do so on purpose."""
        served = table == "Address_Set" and _EGRESS_SERVICE_PODS.fullmatch(identity) is not None
        return Reason.UNSERVED if served and members and self.unserved.issuperset(members) else None

    def absence(self, table: str, identity: str, network: str) -> Reason | None:
        """Return why OVN-Kubernetes lacks this planned row, None if there is no reason."""
        if network in self.unstarted:
            return Reason.UNSTARTED
        found = _SERVICE_ROUTE.fullmatch(identity) if table == "Logical_Router_Static_Route" else None
        return Reason.UNROUTED if found is not None and found[1] in self.unrouted else None

    def names(self, reason: Reason) -> frozenset[str]:
        """Return the names of what the plan lacks for ``reason``."""
        found: frozenset[str] = getattr(self, reason.value)
        return found

    def as_json(self) -> dict[str, list[str]]:
        """Return the names by reason."""
        return {reason.value: sorted(self.names(reason)) for reason in Reason}


NOTHING_LEFT_OUT: Final = LeftOut()
