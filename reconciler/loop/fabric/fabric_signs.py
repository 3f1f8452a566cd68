"""What a plan of routes leaves on objects of others: a label, an annotation, conditions, Events.

An entry that OVN-Kubernetes' cluster manager wrote stays until the network is adopted: two writers would take turns.
"""

import logging
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from ovnguard.reconciler.apply.kube import FIELD_MANAGER, Condition, Recorder, find_condition
from ovnguard.reconciler.apply.objects.object_owners import managers_of, title_of
from ovnguard.reconciler.loop.fabric.wanted_objects import WantedObjects
from ovnguard.reconciler.loop.process.events import Event, Reference, reference_to
from ovnguard.reconciler.plan.bgp.transport import WARNING, DefaultState
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import ClusterError
from ovnguard.validators.cluster.resources import NADS
from ovnguard.validators.network.cluster.advertised_networks import OVNKUBE_NAMESPACES
from ovnguard.validators.network.cluster_view import (
    CUDN,
    NAD,
    NAMESPACE,
    OPERATOR_NETWORK,
    ROUTE_ADVERTISEMENTS,
    ClusterView,
)
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.declared.parse_udn import CUDN_PREFIX
from ovnguard.validators.network.model import DEFAULT_NETWORK

TRANSPORT_MANAGER: Final = f"{FIELD_MANAGER}-transport"
ADVERTISED_MANAGER: Final = f"{FIELD_MANAGER}-advertised"
CLUSTER_MANAGER: Final = frozenset(("user-defined-network-controller", "clustermanager-routeadvertisements-controller"))
"""The field managers of OVN-Kubernetes' cluster manager for the same conditions."""
CONFIGURE: Final = "ConfigureTransport"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Sign:
    """A merge patch of ``obj`` or a ``condition`` on it; ``networks`` are those that it is about."""

    obj: JsonObject
    networks: tuple[str, ...]
    patch: JsonObject | None = None
    condition: Condition | None = None


class FabricSigns:
    """Writes signs through ``recorder``; entries of the cluster manager only for ``adopted`` networks."""

    def __init__(self, recorder: Recorder, adopted: Collection[str]) -> None:
        self._recorder = recorder
        self._adopted = adopted

    def write(self, signs: Iterable[Sign]) -> list[str]:
        """Write what is not there yet; return the failures."""
        return list(self._all(signs))

    def _all(self, signs: Iterable[Sign]) -> Iterator[str]:
        for sign in signs:
            try:
                self._one(sign)
            except ClusterError as error:
                what = "cannot be marked" if sign.condition is None else f"cannot write condition {sign.condition.type}"
                yield f"{title_of(sign.obj)}: {what}: {error}"

    def _one(self, sign: Sign) -> None:
        if sign.patch is not None and self._recorder.merge(sign.obj, sign.patch) is not None:
            _log.info("marked %s: %s", title_of(sign.obj), sign.patch["metadata"])
        condition = sign.condition
        if (
            condition is not None
            and not self._is_theirs(sign, condition)
            and self._recorder.report(sign.obj, condition)
        ):
            status = (condition.type, condition.status, condition.reason)
            _log.info("%s: condition %s is %s (%s)", title_of(sign.obj), *status)

    def _is_theirs(self, sign: Sign, condition: Condition) -> bool:
        managers = managers_of(sign.obj, "status")
        return (
            find_condition(sign.obj, condition.type) is not None
            and condition.manager not in managers
            and not managers.isdisjoint(CLUSTER_MANAGER)
            and not any(network in self._adopted for network in sign.networks)
        )


def transport_event(state: DefaultState | None, about: Reference) -> Event | None:
    """Return the Event about a state of the default network, as OVN-Kubernetes reports it; None without a state."""
    if state is None:
        return None
    return Event(about, state.reason, CONFIGURE, state.message, warning=state.type == WARNING)


def signs_of(wanted: WantedObjects, view: ClusterView) -> Iterator[Sign]:
    """Iterate over what ``wanted`` says about objects that are in ``view``."""
    yield from _patches(wanted.routing.patches, view)
    advertisements = {obj["metadata"]["name"]: obj for obj in view.objects(ROUTE_ADVERTISEMENTS) or ()}
    for result in wanted.routing.results:
        if (obj := advertisements.get(result.name)) is not None:
            condition = Condition(*result.condition, ADVERTISED_MANAGER, result.status)
            yield Sign(obj, wanted.selected[result.name], condition=condition)
    yield from _transports(wanted, view)


def _transports(wanted: WantedObjects, view: ClusterView) -> Iterator[Sign]:
    """The condition of each ClusterUserDefinedNetwork without an overlay."""
    for obj in view.objects(CUDN) or ():
        name = str(obj["metadata"]["name"])
        if (transport := wanted.routing.transports.get(name)) is not None:
            yield Sign(obj, (f"{CUDN_PREFIX}{name}",), condition=Condition(*transport, TRANSPORT_MANAGER))


def default_attachment(view: ClusterView) -> Reference:
    """Return what Events about the default network are about: its attachment, which need not exist yet, so without UID.

    Where OVN-Kubernetes' own namespace does not exist, there can be no Events in it: the operator's object then.
    """
    known = {obj["metadata"]["name"] for obj in view.objects(NAMESPACE) or ()}
    for namespace in OVNKUBE_NAMESPACES:
        if namespace in known:
            return Reference(NADS.api_version, NAD.kind, namespace, DEFAULT_NETWORK, "")
    operators = view.objects(OPERATOR_NETWORK) or ()
    return reference_to(operators[0]) if operators else Reference("", OPERATOR_NETWORK.kind, "", DEFAULT_NETWORK, "")


def _patches(patches: Iterable[JsonObject], view: ClusterView) -> Iterator[Sign]:
    for patch in patches:
        kind, place = group_kind_of(patch), _place(patch)
        obj = next((each for each in view.objects(kind) or () if _place(each) == place), None)
        if obj is not None:
            kept = ("labels", "annotations")
            yield Sign(obj, (), {"metadata": {key: patch["metadata"][key] for key in kept if key in patch["metadata"]}})


def _place(obj: JsonObject) -> tuple[str, str]:
    return str(obj["metadata"].get("namespace") or ""), str(obj["metadata"]["name"])
