"""Judge, allocate, plan: the shared assembly of the three for offline commands and the loop.

`judge_networks` judges every object that declares a network and allocates what the networks need.
`plan_networks` plans the networks that are ready. Both are pure: objects and nodes in, values out.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from ovnguard.reconciler.plan.comparison.left_out import LeftOut
from ovnguard.reconciler.plan.comparison.policies import UNKNOWN_POLICIES, PolicyObjects, policies_of
from ovnguard.reconciler.plan.connections.recorded_connections import reserved_keys
from ovnguard.reconciler.plan.egress.egress_hops import on_bridges
from ovnguard.reconciler.plan.host.host_planner import HostInputs
from ovnguard.reconciler.plan.inputs.attachment_names import networks_of_undeclared
from ovnguard.reconciler.plan.inputs.candidate_memo import CandidateMemo
from ovnguard.reconciler.plan.inputs.candidates import NETWORK_KINDS, Candidate, candidate_of, consider
from ovnguard.reconciler.plan.inputs.chosen_addresses import with_effective_addresses
from ovnguard.reconciler.plan.inputs.network_records import missing_record
from ovnguard.reconciler.plan.inputs.recorded_numbers import RecordedNumbers, with_recorded_numbers
from ovnguard.reconciler.plan.inputs.seniority import by_age
from ovnguard.reconciler.plan.inputs.unenforced import NOTHING_UNENFORCED, Unenforced
from ovnguard.reconciler.plan.numbers.live_allocations import LiveAllocation
from ovnguard.reconciler.plan.numbers.memo import Memo
from ovnguard.reconciler.plan.numbers.network_ids import IdError, allocate
from ovnguard.reconciler.plan.planner import Plan, make_plan
from ovnguard.reconciler.plan.rows.model import PodPort, Remark
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.topology.layer2_upgrade import earlier_ports, without_legacy
from ovnguard.validators.admission import Judgement
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.inventory import inventory_of, rendered_among, unrendered
from ovnguard.validators.network.cluster_view import NODE, ClusterView, GroupKind
from ovnguard.validators.network.declared.node import Node, ParsedNode, node_of
from ovnguard.validators.network.model import DEFAULT_NETWORK, Network

JudgeInView = Callable[[JsonObject, ClusterView], Judgement]
"""Judges one object as a member of a cluster view."""


@dataclass(frozen=True, slots=True)
class JudgedNetworks:
    """All candidates, oldest first, and those networks that can be planned now.

    ``records`` are merge patches by index of the candidate: an object must record its allocations before its network
    is planned. ``errors`` name the networks for which no number is left or whose numbers are taken. ``reserved`` are
    numbers that no network gets. ``unenforced`` are policies, and the networks that are not owned because of them.
    """

    candidates: tuple[Candidate, ...]
    ready: tuple[Network, ...]
    records: Mapping[int, JsonObject] = field(default_factory=dict)
    errors: tuple[IdError, ...] = ()
    reserved: Mapping[str, LiveAllocation] = field(default_factory=dict)
    unenforced: Unenforced = NOTHING_UNENFORCED

    def without_refused(self, unenforced: Unenforced) -> "JudgedNetworks":
        """Return these networks; those that are not owned are neither ready nor recorded."""
        if not unenforced.policies:
            return self
        refused = unenforced.refused
        ready = tuple(each for each in self.ready if each.name not in refused)
        records = {index: each for index, each in self.records.items() if self.candidates[index].name not in refused}
        return replace(self, ready=ready, records=records, unenforced=unenforced)


@dataclass(frozen=True, slots=True)
class DesiredState:
    """The plan of a cluster's networks, and its sources.

    ``frozen`` are the networks that are not planned now, although they exist or pods still use them, ``unserved`` the
    kinds that the API server does not serve at the moment: the rows of both stay unchanged. ``exhausted`` are the
    networks for which no number is left. ``policies`` are the objects whose rows no plan contains,
    ``held`` and ``pods`` inputs of the plan, ``detached`` the pods on attachments that no object declares.
    """

    judged: JudgedNetworks
    nodes: tuple[Node, ...]
    settings: Settings
    plan: Plan
    errors: tuple[Remark, ...]
    frozen: frozenset[str]
    unserved: frozenset[GroupKind] = frozenset()
    policies: PolicyObjects = UNKNOWN_POLICIES
    held: Mapping[str, LiveAllocation] = field(default_factory=dict)
    pods: Mapping[str, tuple[PodPort, ...]] = field(default_factory=dict)
    detached: tuple[PodPort, ...] = ()

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """All candidates, oldest first."""
        return self.judged.candidates

    @property
    def records(self) -> Mapping[int, JsonObject]:
        """The patches to record before planning, by index of the candidate."""
        return self.judged.records

    @property
    def unenforced(self) -> Unenforced:
        """The policies that nobody enforces."""
        return self.judged.unenforced

    @property
    def exhausted(self) -> frozenset[str]:
        """Networks for which no number is left."""
        return frozenset(error.network for error in self.judged.errors if error.exhausted)

    @property
    def detached_ports(self) -> frozenset[str]:
        """Names of the ports of pods on attachments that no object declares."""
        return frozenset(port.name for port in self.detached)

    def unplanned_on(self, node: str) -> frozenset[str]:
        """Return the networks that cannot be planned on ``node`` now, whose rows stay unchanged."""
        return self.frozen | self.plan.waiting.get(node, frozenset())

    def with_used(self, detached: tuple[PodPort, ...]) -> "DesiredState":
        """Return this state, where deleted networks are frozen as long as pods use them.

        ``detached`` are the pods on attachments that no object declares.
        """
        attachments = {port.attachment for port in detached}
        used = {network for attachment in attachments for network in networks_of_undeclared(attachment)}
        frozen = self.frozen | (used - {candidate.name for candidate in self.candidates})
        return replace(self, frozen=frozen, detached=detached)

    def with_kept(self, kept: Iterable[str]) -> "DesiredState":
        """Return this state, where the networks ``kept`` are frozen, too."""
        return replace(self, frozen=self.frozen.union(kept))

    def left_out_on(self, node: str) -> LeftOut:
        """Return what the plan of ``node`` leaves out on purpose."""
        idle = self.settings.idle_on(node)
        others = (each for each in self.settings.egress_services if each.network != DEFAULT_NETWORK)
        unserved = frozenset(str(endpoint.address) for each in others for endpoint in each.endpoints)
        unstarted = frozenset(each.name for each in self.candidates if each.why_never_started)
        unrouted = frozenset(str(address) for each in self.settings.services for address in each.addresses[1:])
        ports = self.plan.refused, self.plan.stranded
        unadvertised = frozenset(each.name for each in self.judged.ready) - self.settings.advertised.keys()
        further = (
            frozenset(unadvertised),
            frozenset(earlier_ports(node, self.nodes, self.judged.ready)),
            self.detached_ports,
        )
        return LeftOut(idle, *ports, unserved, unstarted, unrouted, *further)

    def host_inputs(self, node: str) -> HostInputs:
        """Return the inputs for the host part of ``node``."""
        activity = self.settings.activity
        accepted = (each.network for each in self.candidates if each.network is not None)
        active = ((network, activity.get(network.name)) for network in accepted)
        networks = tuple(network for network, nodes in active if nodes is None or nodes.has_rows(node))
        return HostInputs(networks, self.nodes, self.plan.ids, self.settings, self.unplanned_on(node))


def judge_networks(
    objects: Iterable[JsonObject],
    view: ClusterView,
    judge: JudgeInView,
    *,
    recorded: bool,
    memo: CandidateMemo | None = None,
) -> JudgedNetworks:
    """Judge ``objects`` as members of ``view``; ``memo`` keeps what is judged until the next call for this view.

    With ``recorded``, as in a cluster, a network is ready only when its object records the allocated numbers; without
    it, as in manifests, every accepted network is ready and `plan_networks` allocates.
    """
    memo = CandidateMemo() if memo is None else memo
    memo.begin(view)

    def make(obj: JsonObject, seen: ClusterView) -> Candidate | None:
        return candidate_of(obj, judge(obj, seen))

    inventory = inventory_of(view)
    candidates = consider(
        unrendered(inventory, objects),
        lambda obj: memo.of(obj, make),
        lambda obj: memo.among_older(obj, make),
        rendered_among(inventory),
    )
    known = with_recorded_numbers(with_effective_addresses(candidates, inventory), inventory, memo.recorded)
    known = replace(known, reserved={**known.reserved, **reserved_keys(inventory)})
    if recorded:
        return _recorded(known)
    failed = {error.network for error in known.errors}
    ready = (each.network for each in known.candidates if each.network is not None and each.name not in failed)
    return JudgedNetworks(known.candidates, tuple(ready), errors=known.errors, reserved=known.reserved)


def _recorded(known: RecordedNumbers) -> JudgedNetworks:
    """The networks whose objects record their numbers are ready; the others get records, or wait for theirs."""
    candidates = known.candidates
    allocation = allocate(_holders(candidates, {error.network for error in known.errors}), known.reserved)
    errors = [*known.errors, *allocation.errors]
    records, ready = {}, []
    for index, network in ((index, each.network) for index, each in enumerate(candidates)):
        if network is None or network.name not in allocation.ids:
            continue
        patch = missing_record(candidates[index], allocation.ids[network.name])
        missing = known.missing(candidates[index]) if patch else None
        if missing is not None:
            errors.append(missing)
        elif patch:
            records[index] = patch
        else:
            ready.append(network)
    return JudgedNetworks(candidates, tuple(ready), records, tuple(errors), known.reserved)


def plan_networks(
    judged: JudgedNetworks,
    nodes: Sequence[ParsedNode],
    settings: Settings,
    zones: Collection[str] | None = None,
    *,
    held: Mapping[str, LiveAllocation] = MappingProxyType({}),
    memo: Memo | None = None,
    pods: Mapping[str, tuple[PodPort, ...]] = MappingProxyType({}),
) -> DesiredState:
    """Plan the networks that are ready; the other parameters are those of `make_plan`."""
    known = tuple(each.node for each in nodes if each.node is not None)
    known, kept = (known, ()) if settings.layer2_legacy else without_legacy(known)
    egress, elsewhere = on_bridges(settings.egress, known)
    settings = replace(settings, egress=egress)
    plan = make_plan(judged.ready, known, settings, zones, {**judged.reserved, **held}, memo, pods)
    unready = (*(Remark(error.text, error.network) for error in judged.errors), *_unowned(judged))
    errors = (*unready, *_unreadable(nodes), *kept, *plan.errors)
    planned = {network.name for network in judged.ready} - {error.network for error in plan.errors if not error.node}
    frozen = frozenset(candidate.name for candidate in judged.candidates) - planned
    plan = replace(plan, notes=(*plan.notes, *elsewhere))
    state = DesiredState(judged, known, settings, plan, tuple(dict.fromkeys(errors)), frozen)
    return replace(state, held=held, pods=pods)


@dataclass(frozen=True, slots=True)
class JudgedCluster:
    """The networks, nodes and policy objects of a live cluster; the API server does not serve the kinds ``unserved`` at
    the moment.
    """

    networks: JudgedNetworks
    nodes: tuple[ParsedNode, ...]
    unserved: frozenset[GroupKind]
    policies: PolicyObjects = UNKNOWN_POLICIES


def judge_cluster(
    view: ClusterView, judge: JudgeInView, *, recorded: bool = True, memo: CandidateMemo | None = None
) -> JudgedCluster:
    """Judge all networks of a live cluster and read its nodes. Pods and services change nothing of it.

    Without ``recorded``, where no process writes, a network needs no recorded numbers; see `judge_networks`.
    """
    objects = [obj for kind in NETWORK_KINDS for obj in view.objects(kind) or ()]
    nodes = tuple(node_of(obj) for obj in by_age(view.objects(NODE) or ()))
    judged = judge_networks(objects, view, judge, recorded=recorded, memo=memo)
    unserved = frozenset(kind for kind in NETWORK_KINDS if view.objects(kind) is None)
    return JudgedCluster(judged, nodes, unserved, policies_of(view))


def plan_cluster(
    known: JudgedCluster,
    settings: Settings,
    node: str,
    memo: Memo | None = None,
    pods: Mapping[str, tuple[PodPort, ...]] = MappingProxyType({}),
) -> DesiredState:
    """Plan the zone of ``node``; ``memo`` and ``pods`` are `make_plan`'s."""
    state = plan_networks(known.networks, known.nodes, settings, (node,), memo=memo, pods=pods)
    return replace(state, unserved=known.unserved, policies=known.policies)


def _unowned(judged: JudgedNetworks) -> Iterable[Remark]:
    """One remark per network that is not owned because of its policies."""
    known = (each.name for each in judged.candidates if each.name in judged.unenforced.refused)
    return (Remark(judged.unenforced.refusal(name), name) for name in dict.fromkeys(known))


def _unreadable(nodes: Iterable[ParsedNode]) -> Iterable[Remark]:
    """One remark per error of a Node."""
    for each in nodes:
        name = each.node.name if each.node else ""
        yield from (Remark(f"{error.field}: {error.detail}", node=name) for error in each.errors)


def _holders(candidates: Sequence[Candidate], failed: Collection[str]) -> list[Network]:
    """Networks that need or have numbers, without ``failed`` ones; a refused one keeps its recorded number."""
    seen = set(failed)
    holders = []
    for candidate in candidates:
        network = candidate.network
        if network is None and candidate.declared is not None and candidate.declared.network_id is not None:
            network = candidate.declared
        if network is not None and network.name not in seen:
            seen.add(network.name)
            holders.append(network)
    return holders
