"""What the state is made of: the objects of one look at a cluster, and what of them could not be read."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from ovnguard.reconciler.apply.kube_report import reports_in
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.resources import (
    CONFIG_MAPS,
    CUDNS,
    NADS,
    NODES,
    OPERATOR_NETWORKS,
    UDNS,
    Part,
    Resource,
)
from ovnguard.validators.network.cluster_view import NAMESPACE, POD
from ovnguard.validators.network.parse_values import dig, mapping, text_of

PODS: Final = Resource(POD.group, "v1", "pods", POD.kind, namespaced=True)
WEBHOOK_PODS: Final = "pods of the webhook"
AUTHORITY: Final = "ovnguard-authority"
REPORTS: Final = "reports"
VALIDATING, MUTATING = "validatingwebhookconfigurations", "mutatingwebhookconfigurations"
REGISTRATION: Final = "ovnguard"
_ADMISSION: Final = "admissionregistration.k8s.io"


def sources(namespace: str) -> Mapping[str, tuple[Resource, Part]]:
    """Return what is listed, by the name that a message calls it; ``namespace`` is that of ovnguard."""
    ours, registered = Part(namespace), Part(name=REGISTRATION)
    whole = (NODES, CUDNS, UDNS, NADS, OPERATOR_NETWORKS, Resource("", "v1", "namespaces", NAMESPACE.kind))
    return {
        "deployments": (Resource("apps", "v1", "deployments", "Deployment", namespaced=True), ours),
        "daemonsets": (Resource("apps", "v1", "daemonsets", "DaemonSet", namespaced=True), ours),
        "leases": (Resource("coordination.k8s.io", "v1", "leases", "Lease", namespaced=True), ours),
        REPORTS: reports_in(namespace),
        AUTHORITY: (CONFIG_MAPS, Part(namespace, AUTHORITY)),
        VALIDATING: (Resource(_ADMISSION, "v1", VALIDATING, "ValidatingWebhookConfiguration"), registered),
        MUTATING: (Resource(_ADMISSION, "v1", MUTATING, "MutatingWebhookConfiguration"), registered),
        **{each.plural if each is not OPERATOR_NETWORKS else "operator networks": (each, Part()) for each in whole},
        PODS.plural: (PODS, Part(fields="status.phase=Pending")),
        WEBHOOK_PODS: (PODS, Part(namespace, labels="app.kubernetes.io/component=webhook")),
    }


@dataclass(frozen=True, slots=True)
class Listed:
    """The objects of one list, or the ``fault`` for which they are unknown."""

    items: tuple[JsonObject, ...] = ()
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One look. ``now`` is the API server's clock, ``lists`` are by the names of `sources`.

    ``logs`` are the last lines of the webhook's Pods, None where they cannot be read; ``release`` is that of this
    command, ``kubernetes`` that of the API server, '' while it is unknown.
    """

    namespace: str
    now: datetime
    lists: Mapping[str, Listed]
    logs: Mapping[str, str | None] = field(default_factory=dict)
    release: str = ""
    kubernetes: str = ""

    def items(self, name: str) -> tuple[JsonObject, ...]:
        """Return the objects of a list; none while they are unknown."""
        return self.lists[name].items

    def knows(self, *names: str) -> bool:
        """Whether these lists could be read."""
        return not any(self.lists[name].fault for name in names)

    def named(self, kind: str, name: str) -> JsonObject | None:
        """Return the object of this name in a list."""
        return next((each for each in self.items(kind) if each["metadata"].get("name") == name), None)


def written_at(obj: JsonObject) -> datetime | None:
    """Return when the API server last stored a change of ``obj``, by its own clock; None if it does not say."""
    entries = dig(obj, "metadata", "managedFields")
    times = [dig(entry, "time") for entry in (entries if isinstance(entries, list) else ())]
    return latest([*times, dig(obj, "metadata", "creationTimestamp")])


def latest(texts: Iterable[object]) -> datetime | None:
    """Return the latest of some times of RFC 3339; texts that are no time are left out."""
    found = []
    for text in texts:
        try:
            moment = datetime.fromisoformat(text_of(text))
        except ValueError:
            continue
        if moment.tzinfo is not None:
            found.append(moment)
    return max(found, default=None)


def replicas(obj: JsonObject | None) -> tuple[int | None, int | None]:
    """Return how many Pods of a workload are ready and wanted; None while no controller has counted them."""
    spec, status = mapping(obj, "spec"), mapping(obj, "status")
    is_set = "desiredNumberScheduled" in status
    wanted = _number(status.get("desiredNumberScheduled") if is_set else spec.get("replicas"))
    observed, newest = _number(status.get("observedGeneration")), _number(dig(obj, "metadata", "generation"))
    if observed is None or observed < (newest or 0):
        return None, wanted
    return _number(status.get("numberReady" if is_set else "readyReplicas", 0)), wanted


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None
