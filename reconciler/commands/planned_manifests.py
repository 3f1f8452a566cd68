"""Networks, nodes and pods from manifests, judged and planned; every error has its position in a file."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

from ovnguard.reconciler.commands.left_out import left_out, pods_left_out, unenforced
from ovnguard.reconciler.commands.manifests import Manifests
from ovnguard.reconciler.commands.plan_errors import described_pods, node_errors, plan_errors, pod_errors, refusals
from ovnguard.reconciler.plan.activity.active_nodes import active_nodes_of, idle_notes
from ovnguard.reconciler.plan.bgp.routing_objects import routing_of
from ovnguard.reconciler.plan.comparison.policies import POLICY_KINDS, policies_of
from ovnguard.reconciler.plan.connections.recorded_connections import connections_of
from ovnguard.reconciler.plan.desired_state import DesiredState, JudgedNetworks, judge_networks, plan_networks
from ovnguard.reconciler.plan.egress.egress_objects import egresses_of
from ovnguard.reconciler.plan.inputs.candidates import Candidate
from ovnguard.reconciler.plan.inputs.cluster_options import with_options
from ovnguard.reconciler.plan.inputs.uplink_objects import uplinks_of
from ovnguard.reconciler.plan.numbers.host_subnets import with_host_subnets
from ovnguard.reconciler.plan.numbers.live_allocations import LiveAllocation
from ovnguard.reconciler.plan.numbers.memo import Memo
from ovnguard.reconciler.plan.planner import Plan
from ovnguard.reconciler.plan.pods.pod_attachments import desired_attachments
from ovnguard.reconciler.plan.pods.pod_ipam import Placement, place_pods
from ovnguard.reconciler.plan.pods.pod_objects import Pods, pods_of
from ovnguard.reconciler.plan.pods.rendered_attachments import namespaces_of
from ovnguard.reconciler.plan.render.guesses import NO_GUESSES, Guesses
from ovnguard.reconciler.plan.rows.model import ActiveNodes, Remark
from ovnguard.reconciler.plan.rows.row_groups import groups_of
from ovnguard.reconciler.plan.rows.settings import Settings, routes_of, settings_of
from ovnguard.reconciler.plan.services.allowed_services import cluster_addresses, with_default_services
from ovnguard.reconciler.plan.services.egress_services import egress_services_of
from ovnguard.reconciler.plan.services.service_objects import Services, services_notes, services_of
from ovnguard.validators.admission import Judgement, Operation, Request, judge
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.base.unchecked import Unchecked
from ovnguard.validators.bundled.catalog import Catalog
from ovnguard.validators.bundled.whole_catalog import whole_catalog
from ovnguard.validators.fast.disk_store import user_store
from ovnguard.validators.manifest.documents import Document
from ovnguard.validators.network.cluster.cluster_facts import cluster_facts
from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster.ownership import OWNER_KINDS
from ovnguard.validators.network.cluster_view import (
    SERVICE,
    ClusterView,
    ObjectsView,
)
from ovnguard.validators.network.declared.network_of import network_of
from ovnguard.validators.network.model import Network, Topology
from ovnguard.validators.network.ovnkube_settings.dynamic_allocation import (
    AllocationFact,
    allocation_fact,
    grace_period,
)
from ovnguard.validators.network.ovnkube_settings.effective_mtu import effective_mtu
from ovnguard.validators.network.ovnkube_settings.ovnkube_options import OvnkubeOptions, ovnkube_options
from ovnguard.validators.network.transit.selected_values import select_values
from ovnguard.validators.network.transit.transit_subnet import Reason


@dataclass(frozen=True, slots=True)
class PlannedManifests:
    """The plan of manifests.

    ``errors`` are mappings of file, line, column, network, node, field, message and rule. ``unchecked`` are the rules
    that were not checked, with the name of the network that they apply to. ``unused_cache`` is the reason why compiled
    definitions are not kept. ``everywhere`` plans the same without dynamic allocation, where only a condition says that
    the cluster allocates dynamically. ``unplanned_options`` are options of ovnkube that may explain differences from a
    zone. ``guesses`` are host subnets that no node records yet. ``unplanned`` are the networks of which no wanted zone
    has rows. ``namespaces`` finds those that use each network.
    """

    desired: DesiredState
    node_names: frozenset[str]
    notes: tuple[str, ...] = ()
    errors: tuple[JsonObject, ...] = ()
    unchecked: tuple[tuple[str, Unchecked], ...] = ()
    unused_cache: str = ""
    everywhere: Callable[[], DesiredState] | None = None
    unplanned_options: tuple[str, ...] = ()
    guesses: Guesses = NO_GUESSES
    unplanned: tuple[str, ...] = ()
    namespaces: Callable[[], Mapping[str, tuple[str, ...]]] = dict

    @property
    def all_notes(self) -> tuple[str, ...]:
        """The notes, a note for each network's unchecked rules, and one for an unused cache."""
        unchecked = (f"network {name}: {each.text}" for name, each in self.unchecked)
        return (*self.notes, *unchecked, *filter(None, [self.unused_cache]))

    @property
    def is_whole(self) -> bool:
        """Whether everything is planned."""
        return not self.errors and not self.unplanned

    @property
    def plan(self) -> Plan:
        """The plan of every wanted zone."""
        return self.desired.plan


def plan_manifests(
    manifests: Manifests, held: Mapping[str, LiveAllocation], only: Collection[str] | None = None
) -> PlannedManifests:
    """Judge and plan. ``held`` are the values in live rows, by network; ``only`` limits the plan to the zones of some
    nodes.
    """
    return judge_manifests(manifests, held)(only)


def judge_manifests(
    manifests: Manifests, held: Mapping[str, LiveAllocation]
) -> Callable[[Collection[str] | None], PlannedManifests]:
    """Judge, and return what plans the zones of some nodes, None for all. It keeps no rows of the zones."""
    documents, parsed = manifests.documents, manifests.parsed
    by_object = {id(document.value): document for document in documents}
    view = ObjectsView([document.value for document in documents], POLICY_KINDS)
    judged, unused = _judged(manifests, by_object, view, held)
    candidates, networks = judged.candidates, judged.ready
    shared = with_host_subnets([each for _, each in parsed], list(_new_networks(manifests, candidates, by_object)))
    described = {candidate.name for candidate in candidates}
    live = {name: each for name, each in held.items() if name in described}
    inputs = _inputs(manifests, view, networks, live)
    memo, policies, placed, guesses = Memo(), policies_of(view), inputs.placed, Guesses(shared.guessed)
    planned = partial(plan_networks, judged, shared.nodes, held=live, pods=placed.ports)
    dynamic = replace(inputs.settings, active=inputs.active)
    is_condition = inputs.active and inputs.fact is not None and inputs.fact.is_condition
    titled = described_pods(documents)
    refused = (*refusals(candidates, by_object), *node_errors(parsed))
    left = () if manifests.gathered else (*left_out(documents), *pods_left_out(documents, inputs.pods, placed))
    told = (*left, *_judgement_notes(candidates), *_cluster_notes(inputs), *unenforced(view, networks), *inputs.notes)
    unchecked = tuple((candidate.name, each) for candidate in candidates for each in candidate.unchecked)

    def plan(only: Collection[str] | None) -> PlannedManifests:
        desired = replace(planned(dynamic, zones=only, memo=memo), policies=policies)
        everywhere = cache(partial(planned, inputs.settings, zones=only)) if is_condition else None
        made = desired.plan
        of_pods = pod_errors(titled, inputs.pods, (*placed.errors, *made.errors))
        remarks = (*_contradictions(judged), *made.errors, *shared.errors)
        errors = (*refused, *of_pods, *plan_errors(remarks, candidates, parsed, by_object))
        notes = dict.fromkeys((*told, *map(str, (*made.notes, *shared.notes))))
        for node in only or ():
            memo.forget(node)
        texts = (tuple(notes), errors, unchecked, unused)
        found = desired.with_used(inputs.pods.detached)
        users = partial(_namespaces, candidates, view)
        further = everywhere, inputs.options.unplanned, guesses, tuple(_unplanned(desired, only))
        return PlannedManifests(found, manifests.node_names, *texts, *further, namespaces=users)

    return plan


@dataclass(frozen=True, slots=True)
class _Inputs:
    """What plans read besides networks and nodes. ``fact`` decides whether the cluster allocates dynamically."""

    settings: Settings
    active: tuple[ActiveNodes, ...]
    fact: AllocationFact | None
    options: OvnkubeOptions
    pods: Pods
    placed: Placement
    notes: tuple[str, ...]


def _inputs(
    manifests: Manifests, view: ClusterView, networks: Sequence[Network], live: Mapping[str, LiveAllocation]
) -> _Inputs:
    egress, pods, services = egresses_of(view), pods_of(view), services_of(view)
    leaving, uplinks, connected = egress_services_of(view), uplinks_of(view), connections_of(view)
    placed = place_pods(pods, desired_attachments(view, pods, networks), networks, manifests.nodes, live)
    options = ovnkube_options(inventory_of(view)).overridden(manifests.options)
    base = replace(manifests.settings, egress=egress.assignments, egress_services=leaving.services)
    base = replace(base, machines=pods.running, uplinks=uplinks.states, connections=connected.found)
    settings = _settings(view, base, services, options)
    fact = _allocation_fact(view, settings)
    active = active_nodes_of(view, fact is not None and fact.is_on, networks, manifests.nodes, placed.ports)
    idle, balanced = idle_notes(active), services_notes(services, networks, settings)
    notes = (*egress.notes, *leaving.notes, *uplinks.notes, *pods.notes, *placed.notes, *balanced, *idle)
    return _Inputs(settings, active, fact, options, pods, placed, tuple(map(str, (*notes, *connected.notes))))


def _contradictions(judged: JudgedNetworks) -> Iterator[Remark]:
    return (Remark(each.text, each.network) for each in judged.errors)


def _new_networks(
    manifests: Manifests, candidates: Iterable[Candidate], by_object: Mapping[int, Document]
) -> Iterator[Network]:
    """The networks whose host subnets may be guessed."""
    known = {name for node in manifests.nodes for name, subnets in node.host_subnets.items() if subnets}
    for each in candidates if manifests.guesses else ():
        is_new = each.name not in known or by_object[id(each.object)].identity in manifests.proposed
        if each.network is not None and is_new:
            yield each.network


def _namespaces(candidates: Iterable[Candidate], view: ClusterView) -> Mapping[str, tuple[str, ...]]:
    inventory = inventory_of(view)
    return {each.name: namespaces_of(each, inventory) for each in candidates if each.kind in OWNER_KINDS}


def _unplanned(desired: DesiredState, only: Collection[str] | None) -> Iterator[str]:
    """The networks without rows on any wanted node, of those that have users there."""
    wanted = [node.name for node in desired.nodes] if only is None else only
    planned = {name for zone in desired.plan.zones for name, rows in groups_of(zone.rows).items() if rows}
    activity = desired.settings.activity
    for name in dict.fromkeys(each.name or each.title for each in desired.candidates):
        users = activity.get(name)
        if name not in planned and (users is None or any(map(users.has_rows, wanted))):
            yield name


def unallocated(planned: PlannedManifests) -> tuple[str, ...]:
    """Return the networks that are not planned because no node has host subnets of them."""
    allocated = {name for node in planned.desired.nodes for name, subnets in node.host_subnets.items() if subnets}
    layer3 = (each.name for each in planned.desired.judged.ready if each.topology is Topology.LAYER3)
    return tuple(name for name in layer3 if name in planned.unplanned and name not in allocated)


def _judged(
    manifests: Manifests, by_object: Mapping[int, Document], view: ClusterView, held: Mapping[str, LiveAllocation]
) -> tuple[JudgedNetworks, str]:
    """Judge all documents, and return why the bundled definitions are compiled once per command, not once per user."""
    store, unused = user_store()
    catalog = whole_catalog(store)
    objects = (document.value for document in manifests.documents)
    judged = judge_networks(
        objects, view, lambda obj, seen: _judge(by_object[id(obj)], seen, catalog, held), recorded=False
    )
    return judged, unused and f"compiled definitions are not kept: {unused}"


def _judge(document: Document, view: ClusterView, catalog: Catalog, held: Mapping[str, LiveAllocation]) -> Judgement:
    """Judge one document; the transit subnets of a live network count as its earlier choice."""
    network = network_of(document.value).network
    earlier = held[network.name].transit_subnets if network is not None and network.name in held else ()
    if network is None or network.transit_subnets or not earlier:
        return _judge_object(document.value, document.old, view, catalog)
    selected = select_values(document.value, document.old, view, earlier)
    judgement = _judge_object(selected.object, document.old, view, catalog)
    # keeping a valid choice needs no note
    notes = () if selected.reason == Reason.KEPT else selected.notes
    return judgement._replace(notes=(*notes, *judgement.notes))


def _judge_object(obj: JsonObject, old: JsonObject | None, view: ClusterView, catalog: Catalog) -> Judgement:
    operation = Operation.CREATE if old is None else Operation.UPDATE
    return judge(Request(operation, obj, old), view, catalog, field_validation="Strict")


def _judgement_notes(candidates: Iterable[Candidate]) -> Iterator[str]:
    for candidate in candidates:
        yield from (f"network {candidate.name}: {note}" for note in candidate.notes)
        down = candidate.why_never_started
        yield from (f"network {candidate.name}: OVN-Kubernetes does not start it: {detail}" for detail in down)


def _allocation_fact(view: ClusterView, settings: Settings) -> AllocationFact | None:
    """What decides whether the cluster allocates dynamically: the option, else the objects."""
    if settings.dynamic is None:
        return allocation_fact(inventory_of(view))
    option = "--enable-dynamic-udn-allocation" if settings.dynamic else "--disable-dynamic-udn-allocation"
    return AllocationFact(settings.dynamic, f"{option} is given")


def _cluster_notes(inputs: _Inputs) -> Iterator[str]:
    yield from inputs.options.notes
    if inputs.fact is not None:
        yield f"dynamic allocation is {'on' if inputs.fact.is_on else 'off'} because {inputs.fact.text}"


def _settings(view: ClusterView, base: Settings, services: Services, options: OvnkubeOptions) -> Settings:
    base = replace(base, balanced_services=services.by_network)
    mtu = effective_mtu(inventory_of(view))
    base = replace(base, routing=routing_of(view), grace_period=grace_period(inventory_of(view)))
    found = with_options(settings_of(cluster_facts(view), base), options).with_routes(routes_of(view)).with_mtu(mtu)
    return with_default_services(found, cluster_addresses(view.objects(SERVICE) or ()))
