"""What RouteAdvertisements make of FRRConfigurations, and whether they are accepted.

An object that is refused, or whose result the API server would refuse, changes nothing: what was generated for it
before stays. One that waits for other objects has nothing. A node without pod subnets is the exception: upstream then
changes no node at all; here the others get what they need, and the condition reports the node all the same.

Source: ovn-kubernetes ``pkg/clustermanager/routeadvertisements``.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from ovnguard.reconciler.plan.bgp.frr_documents import HOSTNAME
from ovnguard.reconciler.plan.bgp.generated import DEFAULT_VRF, Advertised, Generator, Source, source_of
from ovnguard.reconciler.plan.bgp.pod_subnets import pod_subnets
from ovnguard.reconciler.plan.rows.model import ActiveNodes
from ovnguard.reconciler.plan.rows.routing_model import Condition, RoutingInputs
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.route_advertisements import (
    AUTO,
    GENERATED_LABEL,
    GENERATED_PREFIX,
    MAX_IMPORTED,
    RouteAdvertisement,
)
from ovnguard.validators.network.declared.node import NODE_SUBNETS, Node
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.frr import refusals
from ovnguard.validators.network.model import Network, Topology, Transport
from ovnguard.validators.network.parse_values import dig
from ovnguard.validators.network.selectors import Labels, labels_of, matches, or_everything

ACCEPTED: Final = Condition(
    "Accepted",
    True,
    "Accepted",
    "ovn-kubernetes cluster-manager validated the resource and requested the necessary configuration changes",
)
# The target VRF has a router, too.
_MAX_ROUTERS: Final = MAX_IMPORTED + 1


class Target(NamedTuple):
    """A network that RouteAdvertisements can select; ``vrf`` is the name of its VRF."""

    network: Network
    labels: Labels
    vrf: str


@dataclass(frozen=True, slots=True)
class Result:
    """What one RouteAdvertisements leads to.

    ``documents`` are the generated FRRConfigurations. ``networks`` are the selected networks; with
    ``keeps_attachments``, what their attachments say stays as it is.
    """

    name: str
    condition: Condition
    documents: tuple[JsonObject, ...] = field(default=(), hash=False)
    networks: tuple[str, ...] = ()
    keeps_attachments: bool = False

    @property
    def status(self) -> str:
        """The summary in the object's status."""
        return "Accepted" if self.condition.status else f"Not Accepted: {self.condition.message}"


class _RefusedError(Exception):
    """A mistake in the configuration."""


class _PendingError(Exception):
    """Something does not exist yet."""


class _TooLargeError(Exception):
    """The API server refuses what would be generated."""


@dataclass(frozen=True, slots=True)
class Advertiser:
    """What all RouteAdvertisements of a cluster have in common.

    ``router_ids`` are for routers without one, ``only`` the nodes whose FRRConfigurations are wanted, None for all.
    """

    targets: tuple[Target, ...]
    nodes: tuple[Node, ...]
    sources: tuple[JsonObject, ...] = field(hash=False)
    inputs: RoutingInputs
    activity: Mapping[str, ActiveNodes] = field(hash=False)
    router_ids: Mapping[str, str] = field(hash=False)
    only: Collection[str] | None = None

    def result(self, advertisement: RouteAdvertisement) -> Result:
        """Return what ``advertisement`` leads to."""
        try:
            return self._result(advertisement)
        except _PendingError as pending:
            return Result(advertisement.name, _refused("ConfigurationPending", f"configuration pending: {pending}"))
        except _RefusedError as error:
            return self._unchanged(advertisement, _refused("ConfigurationError", f"configuration error: {error}"))
        except _TooLargeError as error:
            return self._unchanged(advertisement, _refused("InternalError", str(error)))

    def _unchanged(self, advertisement: RouteAdvertisement, condition: Condition) -> Result:
        networks = tuple(each.network.name for each in self._matching(advertisement))
        kept = tuple(self._kept(advertisement.name))
        return Result(advertisement.name, condition, kept, networks, keeps_attachments=True)

    def _result(self, advertisement: RouteAdvertisement) -> Result:
        if advertisement.egress_ip and advertisement.target_vrf == AUTO:
            raise _RefusedError(refusals.AUTO_EGRESS)
        selected = self._selected(advertisement)
        nodes = self._nodes(advertisement)
        sources = self._sources(advertisement)
        made, waiting = self._generated(advertisement, selected, nodes, sources)
        condition = _refused("ConfigurationError", f"configuration error: {waiting}") if waiting else ACCEPTED
        networks = tuple(each.network.name for each in selected)
        return Result(advertisement.name, condition, made, networks, keeps_attachments=bool(waiting))

    def _selected(self, advertisement: RouteAdvertisement) -> Sequence[Target]:
        """The selected networks by name, all of which can be advertised."""
        if advertisement.unsupported:
            raise _RefusedError(f"unsupported network selection type {advertisement.unsupported}")
        found = self._matching(advertisement)
        if not found:
            raise _PendingError(refusals.NO_NETWORKS)
        owners: dict[str, str] = {}
        for each in found:
            name = each.network.name
            if fault := refusals.of_network(each.network, egress_ip=advertisement.egress_ip):
                raise _RefusedError(fault)
            if owners.setdefault(each.vrf, name) != name:
                raise _RefusedError(
                    f'vrf "{each.vrf}" found to be mapped to multiple networks [{owners[each.vrf]} {name}]'
                )
        return found

    def _matching(self, advertisement: RouteAdvertisement) -> Sequence[Target]:
        return [
            each
            for each in self.targets
            if (advertisement.selects_default if each.network.is_default else advertisement.selects(each.labels))
        ]

    def _nodes(self, advertisement: RouteAdvertisement) -> Sequence[Node]:
        selector = advertisement.node_selector
        if advertisement.pod_network and (dig(selector, "matchLabels") or dig(selector, "matchExpressions")):
            raise _RefusedError(refusals.NOT_ALL_NODES)
        found = [node for node in self.nodes if matches(selector, node.labels)]
        if not found:
            raise _PendingError(refusals.NO_NODES)
        return found

    def _sources(self, advertisement: RouteAdvertisement) -> Sequence[Source]:
        found = [obj for obj in self.sources if matches(advertisement.frr_selector, labels_of(obj))]
        if not found:
            raise _PendingError(refusals.NO_CONFIGURATIONS)
        return [source_of(obj) for obj in found if not ref_of(obj).name.startswith(GENERATED_PREFIX)]

    def _generated(
        self,
        advertisement: RouteAdvertisement,
        selected: Sequence[Target],
        nodes: Sequence[Node],
        sources: Sequence[Source],
    ) -> tuple[tuple[JsonObject, ...], str]:
        """The generated objects, and what one of the nodes waits for."""
        generator = Generator(
            advertisement.name, advertisement.target_vrf, tuple(sorted(each.vrf for each in selected))
        )
        received = tuple(_received(selected))
        selectors = [or_everything(dig(source.document, "spec", "nodeSelector")) for source in sources]
        made: list[JsonObject] = []
        waiting = ""
        for node in nodes:
            own = [each for each in selected if self._is_on(each.network, node)]
            advertised, missing = self._advertised(advertisement, own, received, node)
            waiting = waiting or missing
            if missing or not advertised.prefixes:
                continue
            # a kubelet labels its node; manifests rarely have the label
            labels = {HOSTNAME: node.name, **node.labels}
            on_node = (source for source, it in zip(sources, selectors, strict=True) if matches(it, labels))
            found = self._on_node(generator, node, list(on_node), advertised)
            made += found if self.only is None or node.name in self.only else ()
        return tuple(made), waiting

    def _on_node(
        self, generator: Generator, node: Node, sources: Sequence[Source], advertised: Advertised
    ) -> Iterable[JsonObject]:
        made: list[JsonObject] = []
        matched: set[str] = set()
        router_id = self.router_ids.get(node.name, "")
        for source in sources:
            if source.fault:
                raise _RefusedError(source.fault)
            document, vrfs = generator.generate(source, node, advertised, router_id)
            matched |= vrfs
            if document is not None:
                made.append(_not_too_large(document, source, node))
            elif generator.target_vrf != AUTO or not _only_inactive(source, generator.vrfs, advertised):
                raise _RefusedError(refusals.no_matching_vrf(source.name, node.name))
        if generator.target_vrf == AUTO and not matched >= advertised.by_vrf.keys():
            raise _RefusedError(refusals.unmatched_networks(node.name))
        return made

    def _is_on(self, network: Network, node: Node) -> bool:
        active = self.activity.get(network.name)
        return active is None or node.name in active.nodes

    def _advertised(
        self,
        advertisement: RouteAdvertisement,
        selected: Iterable[Target],
        received: tuple[tuple[str, int], ...],
        node: Node,
    ) -> tuple[Advertised, str]:
        """What is advertised on a node, and what it waits for."""
        by_vrf: dict[str, tuple[str, ...]] = {}
        egress = self.inputs.egress.get(node.name, {}) if advertisement.egress_ip else {}
        for each in selected:
            network = each.network
            found = [*egress.get(network.name, ())]
            if advertisement.pod_network:
                pods = pod_subnets(network, node)
                if not pods:
                    return Advertised({}, (), ()), _missing(network, node)
                found += map(str, pods)
            by_vrf[each.vrf] = tuple(sorted(found))
        prefixes = tuple(sorted({prefix for found in by_vrf.values() for prefix in found}))
        return Advertised(by_vrf, prefixes, received), ""

    def _kept(self, advertisement: str) -> Iterator[JsonObject]:
        """What was generated for a RouteAdvertisements before."""
        hosts = None if self.only is None else set(self.only)
        for obj in self.inputs.configurations:
            if labels_of(obj).get(GENERATED_LABEL) == advertisement:
                host = dig(obj, "spec", "nodeSelector", "matchLabels", HOSTNAME)
                if hosts is None or host in hosts:
                    yield obj


def _not_too_large(document: JsonObject, source: Source, node: Node) -> JsonObject:
    count = len(document["spec"]["bgp"]["routers"])
    if count > _MAX_ROUTERS:
        lead = f'FRRConfiguration for node "{node.name}" from FRRConfiguration "{source.name}"'
        raise _TooLargeError(f"{lead}: spec.bgp.routers: Too many: {count}: must have at most {_MAX_ROUTERS} items")
    return document


def _refused(reason: str, message: str) -> Condition:
    return Condition(ACCEPTED.type, False, reason, message)


def _received(selected: Iterable[Target]) -> Iterator[tuple[str, int]]:
    """Subnets of networks without an overlay, in the order of the networks' names and then as texts."""
    for each in selected:
        if each.network.transport is Transport.NO_OVERLAY:
            subnets = ((str(cidr), length or cidr.prefixlen) for cidr, length in each.network.subnets)
            yield from sorted(subnets)


def _missing(network: Network, node: Node) -> str:
    if network.topology is Topology.LAYER2:
        return "no layer2 subnets found"
    text = f'will wait for subnet annotation to be set for node "{node.name}" and network "{network.name}"'
    if node.host_subnets:
        return text
    unset = (
        f'waiting for subnet annotation to be set for node "{node.name}": could not find "{NODE_SUBNETS}" annotation'
    )
    return f"{text}: configuration error: {unset}"


def _only_inactive(source: Source, vrfs: Collection[str], advertised: Advertised) -> bool:
    """Whether a source has routers only for selected networks that have nothing on the node."""
    named = {router.vrf or DEFAULT_VRF for router in source.routers} & set(vrfs)
    return bool(named) and not named & advertised.by_vrf.keys()
