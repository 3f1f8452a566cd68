"""Everything that a plan says about routes: objects, changes of other objects, and conditions.

Source: ovn-kubernetes ``pkg/clustermanager/managedbgp`` and ``routeadvertisements``.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from ovnguard.reconciler.plan.bgp.advertisements import Advertiser, Result, Target
from ovnguard.reconciler.plan.bgp.frr_documents import HOSTNAME
from ovnguard.reconciler.plan.bgp.generated import DEFAULT_VRF
from ovnguard.reconciler.plan.bgp.managed import Managed, is_managed, managed_of
from ovnguard.reconciler.plan.bgp.pod_subnets import foreign_subnets
from ovnguard.reconciler.plan.bgp.transport import DefaultState, default_state, transport_conditions
from ovnguard.reconciler.plan.numbers.network_ids import NetworkIds
from ovnguard.reconciler.plan.rows.model import Remark
from ovnguard.reconciler.plan.rows.names import vrf_name
from ovnguard.reconciler.plan.rows.routing_model import MANAGED_NAME, Attachment, Condition, RoutingInputs
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.advertised_networks import NAMED_BY, OVNKUBE_NAMESPACES
from ovnguard.validators.network.cluster.route_advertisements import GENERATED_PREFIX, MANAGED_LABEL, RouteAdvertisement
from ovnguard.validators.network.cluster_view import CUDN
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.model import DEFAULT_NETWORK, Network, Transport
from ovnguard.validators.network.selectors import Labels

_RENAMED: Final = (
    f"the node neither announces nor learns pod subnets, because its label {HOSTNAME} is not its name, by which "
    "generated FRRConfigurations select it: correct the label"
)
DEFAULT_ATTACHMENT: Final = '{"cniVersion": "1.1.0", "name": "ovn-kubernetes", "type": "ovn-k8s-cni-overlay"}'
"""The configuration of the default network's attachment; a policy in deploy/ has the same text."""


@dataclass(frozen=True, slots=True)
class Routing:
    """``documents`` are whole objects to create, ``patches`` the parts of other objects that should be so.

    ``results`` are those of all RouteAdvertisements, by name; ``users`` are the FRRConfigurations that others made.
    ``transports`` are the conditions TransportAccepted of ClusterUserDefinedNetworks, by name, and ``default_state`` is
    what the Events of a default network without an overlay say.
    """

    documents: tuple[JsonObject, ...] = field(default=(), hash=False)
    patches: tuple[JsonObject, ...] = field(default=(), hash=False)
    results: tuple[Result, ...] = ()
    users: tuple[JsonObject, ...] = field(default=(), hash=False)
    transports: Mapping[str, Condition] = field(default_factory=dict, hash=False)
    default_state: DefaultState | None = None
    notes: tuple[Remark, ...] = ()
    errors: tuple[Remark, ...] = ()

    @property
    def configurations(self) -> Iterator[JsonObject]:
        """All FRRConfigurations: those to create and those of users."""
        return chain((each for each in self.documents if each["kind"] == "FRRConfiguration"), self.users)


def plan_routing(
    networks: Sequence[Network],
    ids: Mapping[str, NetworkIds],
    nodes: Sequence[Node],
    settings: Settings,
    only: Collection[str] | None = None,
) -> Routing:
    """Return what is to be done for the routes of ``networks`` on ``nodes``.

    ``only`` limits generated FRRConfigurations to some nodes.
    """
    inputs = settings.routing
    users = tuple(obj for obj in inputs.configurations if not _is_ours(obj))
    if not inputs.enabled:
        return Routing(users=users, transports=transport_conditions(inputs, (), ()))
    managed = managed_of(networks, nodes, settings)
    advertiser = Advertiser(
        targets=tuple(_targets(networks, ids, inputs)),
        nodes=tuple(sorted(nodes, key=lambda node: node.name)),
        sources=(*managed.sources, *users),
        inputs=inputs,
        activity=settings.activity,
        router_ids=managed.router_ids,
        only=only,
    )
    advertisements = sorted((*managed.advertisements, *inputs.advertisements), key=lambda each: each.name)
    results = tuple(map(advertiser.result, advertisements))
    attachment, patches = _attachments(results, advertisements, inputs)
    advertised = tuple(_advertised(networks, results))
    generated = (document for result in results for document in result.documents)
    return Routing(
        documents=(*managed.sources, *managed.objects, *attachment, *generated),
        patches=(*_labels(networks, managed, inputs), *patches),
        results=results,
        users=users,
        transports=transport_conditions(inputs, advertisements, results),
        default_state=default_state(advertisements, results, _faults(managed)) if _is_routed(networks) else None,
        notes=(*managed.notes, *_not_accepted(managed, results)),
        errors=(*managed.errors, *foreign_subnets(advertised, nodes), *_renamed(advertised, nodes)),
    )


def _faults(managed: Managed) -> list[str]:
    """Why there is no fabric for the default network."""
    return [] if managed.sources else [each.text for each in managed.errors if each.network == DEFAULT_NETWORK]


def _is_routed(networks: Iterable[Network]) -> bool:
    """Whether the default network has no overlay."""
    return any(each.is_default and each.transport is Transport.NO_OVERLAY for each in networks)


def _targets(networks: Iterable[Network], ids: Mapping[str, NetworkIds], inputs: RoutingInputs) -> Iterator[Target]:
    """The default network and those of ClusterUserDefinedNetworks, by name."""
    for network in sorted(networks, key=lambda each: each.name):
        if network.is_default:
            yield Target(network, {}, DEFAULT_VRF)
        elif network.source.kind == CUDN.kind and network.name not in inputs.unused:
            vrf = vrf_name(network, ids[network.name].network_id)
            yield Target(network, labels_with(network, inputs), vrf)


def _advertised(networks: Iterable[Network], results: Iterable[Result]) -> Iterator[Network]:
    names = {name for result in results for name in result.networks}
    return (network for network in networks if network.name in names)


def _renamed(networks: Sequence[Network], nodes: Iterable[Node]) -> Iterator[Remark]:
    """Errors about nodes that no generated FRRConfiguration selects, which have no routes."""
    for node in nodes:
        if node.labels.get(HOSTNAME, node.name) != node.name:
            yield from (Remark(_RENAMED, network.name, node.name) for network in networks)


def _is_ours(obj: JsonObject) -> bool:
    """Whether the managed fabric or a RouteAdvertisements made an FRRConfiguration."""
    return ref_of(obj).name.startswith((MANAGED_NAME, GENERATED_PREFIX))


def labels_with(network: Network, inputs: RoutingInputs) -> Labels:
    """Return the labels of a ClusterUserDefinedNetwork, with the one that managed networks get."""
    labels = inputs.labels.get(network.name, {})
    return {**labels, MANAGED_LABEL: ""} if is_managed(network) else labels


def _labels(networks: Iterable[Network], managed: Managed, inputs: RoutingInputs) -> Iterator[JsonObject]:
    """The label of managed ClusterUserDefinedNetworks that lack it."""
    for network in networks if managed.sources else ():
        missing = inputs.labels.get(network.name, {}).get(MANAGED_LABEL) != ""
        if is_managed(network) and not network.is_default and missing:
            yield {
                "apiVersion": network.source.api_version,
                "kind": network.source.kind,
                "metadata": {"name": network.source.name, "labels": {MANAGED_LABEL: ""}},
            }


def _attachments(
    results: Sequence[Result], advertisements: Iterable[RouteAdvertisement], inputs: RoutingInputs
) -> tuple[list[JsonObject], list[JsonObject]]:
    """The default network's attachment where it is missing, and changed annotations of others.

    An annotation that contains the right names stays, in whatever order.
    """
    known = {result.name for result in results}
    patches: list[JsonObject] = []
    for network, attachments in inputs.attachments.items():
        for attachment in attachments:
            kept = [name for name in attachment.named or () if name in known]
            names = _names(network, kept, results)
            if set(names) != set(attachment.named or ()):
                patches.append(_attachment(attachment, names))
    selects_default = any(each.selects_default for each in advertisements)
    if not selects_default or DEFAULT_NETWORK in inputs.attachments:
        return [], patches
    missing = Attachment(inputs.ovnkube_namespace or OVNKUBE_NAMESPACES[-1], DEFAULT_NETWORK)
    made = _attachment(missing, _names(DEFAULT_NETWORK, (), results))
    return [{**made, "spec": {"config": DEFAULT_ATTACHMENT}}], patches


def _names(network: str, kept: Collection[str], results: Iterable[Result]) -> list[str]:
    """The RouteAdvertisements on attachments of ``network``; those that are refused stay where they are."""
    return sorted(
        result.name
        for result in results
        if (result.name in kept if result.keeps_attachments else network in result.networks)
    )


def _attachment(attachment: Attachment, names: Sequence[str]) -> JsonObject:
    annotations = {NAMED_BY: json.dumps(names, separators=(",", ":"))}
    metadata = {"namespace": attachment.namespace, "name": attachment.name, "annotations": annotations}
    return {"apiVersion": "k8s.cni.cncf.io/v1", "kind": "NetworkAttachmentDefinition", "metadata": metadata}


def _not_accepted(managed: Managed, results: Iterable[Result]) -> Iterator[Remark]:
    """Managed RouteAdvertisements are ovnguard's own, so no other component reports what stops them."""
    own = {each.name for each in managed.advertisements}
    for result in results:
        for network in result.networks if result.name in own and not result.condition.status else ():
            yield Remark(f"RouteAdvertisements {result.name}: {result.condition.message}", network)
