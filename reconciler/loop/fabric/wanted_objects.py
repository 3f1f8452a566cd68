"""The plan of routes, and for each of its objects the networks that need it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ovnguard.reconciler.apply.objects.object_changes import DesiredObject
from ovnguard.reconciler.plan.bgp.managed import is_managed
from ovnguard.reconciler.plan.bgp.routing import Routing, plan_routing
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.reconciler.plan.rows.model import ActiveNodes
from ovnguard.reconciler.plan.rows.routing_model import MANAGED_DEFAULT, RoutingInputs
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.route_advertisements import GENERATED_LABEL
from ovnguard.validators.network.cluster_view import FRR_CONFIGURATION, ROUTE_ADVERTISEMENTS
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.model import DEFAULT_NETWORK, Network
from ovnguard.validators.network.selectors import labels_of


@dataclass(frozen=True, slots=True)
class WantedObjects:
    """``objects`` are those that ovnguard publishes, ``attachments`` those that it only creates.

    ``networks`` are those that have their numbers, ``managed`` those with managed routes, ``selected`` those of
    each RouteAdvertisements.
    """

    routing: Routing
    objects: tuple[DesiredObject, ...]
    attachments: tuple[JsonObject, ...]
    networks: tuple[Network, ...]
    managed: tuple[str, ...]
    selected: Mapping[str, tuple[str, ...]]

    @property
    def planned(self) -> frozenset[str]:
        """The names of the networks."""
        return frozenset(network.name for network in self.networks)

    @property
    def base(self) -> JsonObject | None:
        """The FRRConfiguration of the managed fabric."""
        return next((each.document for each in self.objects if _is_base(each.document)), None)


def wanted_objects(desired: DesiredState, active: tuple[ActiveNodes, ...], inputs: RoutingInputs) -> WantedObjects:
    """Return what ``inputs`` and the accepted networks of ``desired`` lead to on their ``active`` nodes."""
    networks = tuple(_numbered(desired))
    settings = replace(desired.settings, routing=inputs, active=active)
    routing = plan_routing(networks, desired.plan.ids, desired.nodes, settings)
    managed = tuple(network.name for network in networks if is_managed(network))
    selected = {result.name: result.networks for result in routing.results}
    published = (FRR_CONFIGURATION, ROUTE_ADVERTISEMENTS)
    ours = [document for document in routing.documents if group_kind_of(document) in published]
    return WantedObjects(
        routing=routing,
        objects=tuple(DesiredObject(document, _needed_by(document, managed, selected)) for document in ours),
        attachments=tuple(each for each in routing.documents if group_kind_of(each) not in published),
        networks=networks,
        managed=managed,
        selected=selected,
    )


def _numbered(desired: DesiredState) -> Iterator[Network]:
    """Iterate over the accepted networks that have their numbers and are owned."""
    for candidate in desired.candidates:
        if candidate.name in desired.unenforced.refused:
            continue
        if candidate.network is not None and (candidate.network.is_default or candidate.name in desired.plan.ids):
            yield candidate.network


def _needed_by(
    document: JsonObject, managed: tuple[str, ...], selected: Mapping[str, tuple[str, ...]]
) -> tuple[str, ...]:
    if _is_base(document):
        return managed
    if group_kind_of(document) == FRR_CONFIGURATION:
        return selected.get(labels_of(document).get(GENERATED_LABEL, ""), ())
    default = document["metadata"]["name"] == MANAGED_DEFAULT
    return tuple(network for network in managed if (network == DEFAULT_NETWORK) is default)


def _is_base(document: JsonObject) -> bool:
    return group_kind_of(document) == FRR_CONFIGURATION and GENERATED_LABEL not in labels_of(document)
