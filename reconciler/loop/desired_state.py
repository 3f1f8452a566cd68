"""What the cluster wants, from one look at it: judged networks, what is to be recorded of them, and the plan."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from reconciler.loop.network_status import missing_record
from reconciler.plan.candidates import NETWORK_KINDS, Candidate, consider
from reconciler.plan.memo import Memo
from reconciler.plan.model import PodPort, Remark
from reconciler.plan.network_ids import IdError, allocate
from reconciler.plan.planner import Plan, make_plan
from reconciler.plan.seniority import Older
from reconciler.plan.settings import Settings
from validators.admission import Judgement
from validators.base.json_types import JsonObject
from validators.network.cluster_view import NODE, ClusterView, GroupKind
from validators.network.declared.node import node_of
from validators.network.model import Network

KINDS: Final = (*NETWORK_KINDS, NODE)
# Judges one object as part of what a view knows.
JudgeIn = Callable[[JsonObject, ClusterView], Judgement]
_METADATA: Final = ("name", "namespace", "uid", "labels", "annotations", "ownerReferences", "deletionTimestamp")


@dataclass(frozen=True, slots=True)
class Desired:
    """One look. ``records`` are the merge patches, by index of the candidate, that must come before its planning.

    ``frozen`` are the networks that exist but are not planned now, ``unserved`` the kinds that the API server does
    not have at the moment: what exists of both stays. ``exhausted`` are the networks for which no number is left.
    """

    candidates: tuple[Candidate, ...]
    records: Mapping[int, JsonObject]
    plan: Plan
    errors: tuple[Remark, ...]
    frozen: frozenset[str]
    unserved: frozenset[GroupKind]
    exhausted: frozenset[str] = frozenset()


class Snapshot:
    """The objects of ``kinds`` in a view that changes, as they were at one moment.

    Everything in one look is judged in the same world. The snapshot itself lives on, because what rules derive from a
    view is kept with it until objects change.
    """

    def __init__(self, view: ClusterView, kinds: Iterable[GroupKind] = KINDS) -> None:
        self._view = view
        self._kinds = tuple(kinds)
        self._objects: dict[GroupKind, Sequence[JsonObject] | None] = {}
        self.take()

    def take(self) -> None:
        """Make it the moment that is now."""
        self._objects = {kind: self._view.objects(kind) for kind in self._kinds}

    def objects(self, kind: GroupKind) -> Sequence[JsonObject] | None:
        """Return the objects of that moment, or None."""
        return self._objects.get(kind)


@dataclass(frozen=True, slots=True)
class Judged:
    """Networks of one look. ``records`` are the merge patches that some need first, by index of the candidate.

    ``ready`` are those that say everything themselves, in order of creation, ``errors`` why others have no numbers.
    """

    candidates: tuple[Candidate, ...]
    records: Mapping[int, JsonObject]
    ready: tuple[Network, ...]
    errors: tuple[IdError, ...]


def judge_all(view: ClusterView, judge: JudgeIn) -> Judged:
    """Judge everything in ``view`` and find the numbers of what is accepted."""
    candidates = consider(
        _objects(view, NETWORK_KINDS), lambda obj: judge(obj, view), lambda obj: judge(obj, Older(view, obj))
    )
    allocation = allocate(_holders(candidates))
    failed = {error.network for error in allocation.errors}
    records = {}
    ready = []
    for index, candidate in enumerate(candidates):
        if candidate.network is None or candidate.name in failed:
            continue
        patch = missing_record(candidate, allocation.ids[candidate.name])
        if patch:
            records[index] = patch
        else:
            ready.append(candidate.network)
    return Judged(candidates, records, tuple(ready), allocation.errors)


def look(
    view: ClusterView,
    judge: JudgeIn,
    settings: Settings,
    node: str,
    memo: Memo | None = None,
    pods: Mapping[str, tuple[PodPort, ...]] = MappingProxyType({}),
) -> Desired:
    """Judge everything in ``view`` and plan the zone of ``node``; ``memo`` and ``pods`` are `make_plan`'s."""
    judged = judge_all(view, judge)
    candidates, records, ready = judged.candidates, judged.records, judged.ready
    nodes = [node_of(obj) for obj in by_age(view.objects(NODE) or ())]
    known = [each.node for each in nodes if each.node is not None]
    plan = make_plan(ready, known, settings, (node,), memo=memo, pods=pods)
    unreadable = [
        Remark(f"{error.field}: {error.detail}", node=each.node.name if each.node else "")
        for each in nodes
        for error in each.errors
    ]
    numberless = [Remark(error.text, error.network) for error in judged.errors]
    errors = (*numberless, *unreadable, *plan.errors)
    planned = {network.name for network in ready} - {error.network for error in plan.errors if not error.node}
    frozen = frozenset(candidate.name for candidate in candidates) - planned
    unserved = frozenset(kind for kind in NETWORK_KINDS if view.objects(kind) is None)
    exhausted = frozenset(error.network for error in judged.errors if error.exhausted)
    return Desired(candidates, records, plan, tuple(dict.fromkeys(errors)), frozen, unserved, exhausted)


def fingerprint(view: ClusterView) -> bytes:
    """Return a digest of everything that `look` looks at: heartbeats and our own conditions leave it as it is."""
    digest = hashlib.sha256()
    for kind in KINDS:
        objects = view.objects(kind)
        content = None if objects is None else [_content(obj, kind) for obj in objects]
        digest.update(json.dumps([kind, content], sort_keys=True, separators=(",", ":")).encode())
    return digest.digest()


def _content(obj: JsonObject, kind: GroupKind) -> list[Any]:
    metadata, status = obj["metadata"], obj.get("status")
    seen = [metadata.get(key) for key in _METADATA]
    addresses = status.get("addresses") if kind == NODE and isinstance(status, dict) else None
    return [obj.get("apiVersion"), seen, obj.get("spec"), addresses]


def _objects(view: ClusterView, kinds: Iterable[GroupKind]) -> list[JsonObject]:
    return [obj for kind in kinds for obj in view.objects(kind) or ()]


def _holders(candidates: Sequence[Candidate]) -> list[Any]:
    """Networks that need or hold numbers; one that is refused now still holds what it has recorded."""
    seen: set[str] = set()
    holders = []
    for candidate in candidates:
        network = candidate.network
        if network is None and candidate.declared is not None and candidate.declared.network_id is not None:
            network = candidate.declared
        if network is not None and network.name not in seen:
            seen.add(network.name)
            holders.append(network)
    return holders


def by_age(objects: Iterable[JsonObject]) -> list[JsonObject]:
    """Return objects in order of creation, by name among those of one second."""
    return sorted(objects, key=_age)


def _age(obj: JsonObject) -> tuple[str, str]:
    metadata = obj["metadata"]
    return (str(metadata.get("creationTimestamp") or ""), str(metadata.get("name", "")))
