"""What a plan takes from the cluster beside networks and nodes: pods, EgressIPs, and the Services that pods reach.

Everything is read again when objects changed and compared as what it comes down to, so that a new state of a pod that
says nothing to a plan makes no plan.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from reconciler.loop.zone_watches import AROUND_KINDS
from reconciler.plan.egress_objects import egresses_of
from reconciler.plan.model import EgressAssignment, PodPort, Remark
from reconciler.plan.pods.pod_objects import PodMemo, pods_of
from reconciler.plan.services import ENDPOINT_SLICE, allowed_services, unknown_services
from reconciler.plan.settings import Service, Settings
from validators.base.json_types import JsonObject
from validators.network.cluster.inventory import NETWORK_KINDS
from validators.network.cluster_view import EGRESS_IP, NAMESPACE, POD, SERVICE, ClusterView

# Whom an EgressIP serves depends on which network the pods of a namespace are in.
_READ: Final = (*AROUND_KINDS, *NETWORK_KINDS)
# How many pods are named whose records cannot be read.
_NAMED: Final = 20


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is around the networks. ``pods`` are by network, in order of creation, those with recorded addresses.

    ``notes`` are about what asks in vain, ``errors`` about what cannot be read.
    """

    services: tuple[Service, ...] = ()
    egress: tuple[EgressAssignment, ...] = ()
    pods: Mapping[str, tuple[PodPort, ...]] = field(default_factory=dict, hash=False)
    notes: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()

    def added_to(self, settings: Settings) -> Settings:
        """Return ``settings`` with what is around."""
        unknown = unknown_services(self.services)
        return replace(settings, services=self.services, unknown_services=unknown, egress=self.egress)


class Around:
    """Reads what is around the networks, again only when a view hands out other objects than the last time."""

    def __init__(self) -> None:
        self._seen: tuple[Sequence[JsonObject] | None, ...] = ()
        self._known = Surroundings()
        self._memo = PodMemo()
        self._egress_notes: tuple[Remark, ...] = ()

    def look(self, view: ClusterView) -> Surroundings:
        """Return what is around now; what ``view`` does not know at the moment is as it was.

        A kind that the API server has never served has no objects.
        """
        seen = tuple(view.objects(kind) for kind in _READ)
        same = len(seen) == len(self._seen) and all(one is two for one, two in zip(seen, self._seen, strict=True))
        if not same:
            self._seen, self._known = seen, self._read(view, self._known)
        return self._known

    def _read(self, view: ClusterView, before: Surroundings) -> Surroundings:
        services, egress = before.services, before.egress
        objects, slices = view.objects(SERVICE), view.objects(ENDPOINT_SLICE)
        if objects is not None and (slices is not None or not services):
            services = allowed_services(objects, slices)
        if all(view.objects(kind) is not None for kind in (EGRESS_IP, NAMESPACE, POD)):
            found = egresses_of(view)
            egress, self._egress_notes = found.assignments, found.notes
        pods = pods_of(view, self._memo)
        unreadable = frozenset(each.pod for each in pods.errors)
        ports = _with_earlier(pods.ports, before.pods, unreadable) if unreadable else pods.ports
        notes = (*map(str, self._egress_notes), *map(str, pods.notes))
        errors = [str(each) for each in pods.errors[:_NAMED]]
        if len(pods.errors) > _NAMED:
            errors.append(f"and {len(pods.errors) - _NAMED} pods more whose records cannot be read")
        return Surroundings(services, egress, ports, notes, tuple(errors))


def _with_earlier(
    ports: Mapping[str, tuple[PodPort, ...]], before: Mapping[str, tuple[PodPort, ...]], pods: Collection[str]
) -> Mapping[str, tuple[PodPort, ...]]:
    """``ports``, and those that ``pods`` had before: a record that cannot be read takes no port down."""
    kept = {network: [port for port in each if port.title in pods] for network, each in before.items()}
    names = dict.fromkeys((*ports, *(network for network, each in kept.items() if each)))
    return {network: (*kept.get(network, ()), *ports.get(network, ())) for network in names}
