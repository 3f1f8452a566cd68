"""What a plan does not contain on purpose although OVN-Kubernetes may have it in the zone, and the other way round."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from ipaddress import ip_network
from typing import Final, TypeAlias

from ovnguard.reconciler.plan.comparison.identities import IdentifiedRow
from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.validators.network.model import IPNetwork

# The policy that reroutes a pod with an EgressService.
_EGRESS_SERVICE: Final = re.compile(r"ovn_cluster_router \| 101 ip[46]\.src == ([0-9a-f.:]+)")
_EGRESS_SERVICE_PODS: Final = re.compile(r"default-network-controller:EgressService:egresssvc-served-pods:v[46]")
# What the routers and ACLs of all networks refer to.
_SHARED: Final = frozenset({"Copp", "Meter", "Meter_Band"})
_SUBNETS: Final = re.compile(r"default-network-controller:AdvertisedNetwork:advertised-network-subnets:v([46])")
# The set that a deleted network leaves behind.
_LEFT_SET: Final = re.compile(r"default-network-controller:EgressIP:egressip-served-pods:v([46]):([^ ]+)")
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
    DELETED = "deleted"


Earlier: TypeAlias = Callable[[Reason, Mapping[str, IdentifiedRow]], Sequence[Row]]
"""Returns all rows of the zone as they were planned before the change that the reason is about; of the given rows of
the zone, by identity, that may be left behind.
"""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What the plan of one zone leaves out.

    ``idle`` are the networks that the node does not use under dynamic allocation; the grace period of ``expired`` ones
    is over. ``used`` are the subnets that something uses. Names of pods' ports: ``refused`` has those of pods with an
    error, ``stranded`` those of pods on unknown nodes, ``detached`` those on attachments that are deleted. ``unserved``
    are addresses in the default network of pods with an EgressService and another primary network, ``unadvertised`` the
    networks without advertised pods. ``upgraded`` are the names of ports that the node had before it got transit
    routers. OVN-Kubernetes itself leaves out most rows of the networks ``unstarted``, which it never starts, and the
    routes to ``unrouted``, the further addresses of default services. With ``earlier``, only rows of that plan count as
    left behind.
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
    used: frozenset[IPNetwork] = frozenset()
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

    def of_members(
        self, table: str, identity: str, members: Collection[str], only_there: Collection[str]
    ) -> Reason | None:
        """Return why the plan lacks these members of a set, None if it does not do so on purpose.

        ``only_there`` are the identities of rows that only the zone has: a set for each deleted network.
        """
        if table != "Address_Set" or not members:
            return None
        if _EGRESS_SERVICE_PODS.fullmatch(identity) is not None:
            return Reason.UNSERVED if self.unserved.issuperset(members) else None
        found = _SUBNETS.fullmatch(identity)
        if found is None:
            return None
        sets = (left for each in only_there if (left := _LEFT_SET.fullmatch(each)) is not None)
        deleted = sum(left[1] == found[1] and left[2] not in self.idle for left in sets)
        return Reason.DELETED if len(members) <= deleted and all(map(self._is_free, members)) else None

    def _is_free(self, member: str) -> bool:
        """Whether a private subnet of this text is none that something uses."""
        try:
            subnet = ip_network(member)
        except ValueError:
            return False
        ends = subnet[0], subnet[-1]
        taken = any(each[0] in subnet or any(end in each for end in ends) for each in self.used)
        return subnet.is_private and subnet.num_addresses > 1 and not taken

    def absence(self, table: str, identity: str, network: str) -> Reason | None:
        """Return why OVN-Kubernetes lacks this planned row, None if there is no reason."""
        if network in self.unstarted and table not in _SHARED:
            return Reason.UNSTARTED
        found = _SERVICE_ROUTE.fullmatch(identity) if table == "Logical_Router_Static_Route" else None
        return Reason.UNROUTED if found is not None and found[1] in self.unrouted else None

    def names(self, reason: Reason) -> frozenset[str]:
        """Return the names of what the plan lacks for ``reason``."""
        found: frozenset[str] = getattr(self, reason.value)
        return found

    def as_json(self) -> dict[str, list[str]]:
        """Return the names by reason."""
        return {reason.value: sorted(self.names(reason)) for reason in Reason if reason is not Reason.DELETED}


NOTHING_LEFT_OUT: Final = LeftOut()
