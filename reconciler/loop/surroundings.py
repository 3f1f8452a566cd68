"""What a plan takes from the cluster beside networks and nodes: the Services that pods reach, and EgressIPs.

Everything is read again when objects changed and compared as what it comes down to, so that a new state of a pod that
says nothing to a plan makes no plan.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from reconciler.loop.watched import AROUND_KINDS
from reconciler.plan.egress import EgressAssignment
from reconciler.plan.egress_objects import egresses_of
from reconciler.plan.remarks import Remark
from reconciler.plan.services import ENDPOINT_SLICE, allowed_services, unknown_services
from reconciler.plan.settings import Service, Settings
from validators.json_types import JsonObject
from validators.network.inventory import NETWORK_KINDS
from validators.network.view import EGRESS_IP, NAMESPACE, POD, SERVICE, ClusterView

# Whom an EgressIP serves depends on which network the pods of a namespace are in.
_READ: Final = (*AROUND_KINDS, *NETWORK_KINDS)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is around the networks; ``notes`` are about what asks in vain."""

    services: tuple[Service, ...] = ()
    egress: tuple[EgressAssignment, ...] = ()
    notes: tuple[Remark, ...] = ()

    def added_to(self, settings: Settings) -> Settings:
        """Return ``settings`` with what is around."""
        unknown = unknown_services(self.services)
        return replace(settings, services=self.services, unknown_services=unknown, egress=self.egress)


class Around:
    """Reads what is around the networks, again only when a view hands out other objects than the last time."""

    def __init__(self) -> None:
        self._seen: tuple[Sequence[JsonObject] | None, ...] = ()
        self._known = Surroundings()

    def look(self, view: ClusterView) -> Surroundings:
        """Return what is around now; what ``view`` does not know at the moment is as it was.

        A kind that the API server has never served has no objects.
        """
        seen = tuple(view.objects(kind) for kind in _READ)
        same = len(seen) == len(self._seen) and all(one is two for one, two in zip(seen, self._seen, strict=True))
        if not same:
            self._seen, self._known = seen, _surroundings(view, self._known)
        return self._known


def _surroundings(view: ClusterView, before: Surroundings) -> Surroundings:
    services, egress, notes = before.services, before.egress, before.notes
    objects, slices = view.objects(SERVICE), view.objects(ENDPOINT_SLICE)
    if objects is not None and (slices is not None or not services):
        services = allowed_services(objects, slices)
    if all(view.objects(kind) is not None for kind in (EGRESS_IP, NAMESPACE, POD)):
        found = egresses_of(view)
        egress, notes = found.assignments, found.notes
    return Surroundings(services, egress, notes)
