"""The verdicts on all networks of a live cluster, kept while nothing changes that a verdict may read.

Networks are judged in a view whose Nodes have only what verdicts read. So the many values that change while networks
come and go on nodes can neither change a verdict nor make one outdated.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from operator import is_
from typing import Any, Final

from ovnguard.reconciler.loop.process.frozen_view import KINDS, METADATA, content_of
from ovnguard.reconciler.plan.desired_state import JudgedCluster, JudgeInView, judge_cluster
from ovnguard.reconciler.plan.inputs.candidate_memo import CandidateMemo
from ovnguard.reconciler.plan.inputs.seniority import by_age
from ovnguard.reconciler.plan.numbers.node_memo import NodeMemo
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import NODE, ClusterView, GroupKind
from ovnguard.validators.network.declared.node import MANAGEMENT_MACS, NODE_SUBNETS

OF_NETWORKS: Final = frozenset((MANAGEMENT_MACS, NODE_SUBNETS))
"""Annotations with values of a node in single networks. No rule about a network reads those."""


class ContentView:
    """``view``, where Nodes have only their content, and of that nothing about single networks.

    The sequence of each of ``kinds`` and each object in it are the same as before until that content changes: neither
    heartbeats nor conditions make an object another one.
    """

    def __init__(self, view: ClusterView, kinds: Iterable[GroupKind] = KINDS) -> None:
        self._view = view
        self._kinds = {kind: _SameObjects(_content if kind == NODE else None) for kind in kinds}

    def objects(self, kind: GroupKind) -> Sequence[JsonObject] | None:
        """Return the objects of ``kind``, or None when they are unknown."""
        found = self._view.objects(kind)
        return found if found is None or kind not in self._kinds else self._kinds[kind].of(found)


class _SameObjects:
    """The objects of one kind. ``content`` returns what stays of an object, all of it by default."""

    def __init__(self, content: Callable[[JsonObject], JsonObject] | None) -> None:
        self._content = content
        self._seen: Sequence[JsonObject] | None = None
        self._same: tuple[JsonObject, ...] = ()
        # What was made of an object; the objects are kept, so no other one can have the ``id()`` of one of them.
        self._made: dict[int, tuple[JsonObject, JsonObject]] = {}
        self._by_place: dict[tuple[Any, Any], JsonObject] = {}

    def of(self, objects: Sequence[JsonObject]) -> Sequence[JsonObject]:
        """Return what was made of ``objects``."""
        if objects is not self._seen:
            self._seen = objects
            self._follow(objects)
        return self._same

    def _follow(self, objects: Sequence[JsonObject]) -> None:
        known, ids = self._made, list(map(id, objects))
        made = {key: known[key] for key in ids if key in known}
        gone = [known[key][1] for key in known.keys() - made.keys()]
        for key, obj in zip(ids, objects, strict=True) if len(made) < len(ids) else ():
            if key not in made:
                made[key] = obj, self._follow_one(obj, self._by_place.get(_place(obj)))
        now = tuple([made[key][1] for key in ids])
        for each in gone:
            self._by_place.pop(_place(each), None)
        for key in made.keys() - known.keys():
            self._by_place[_place(made[key][1])] = made[key][1]
        same = len(now) == len(self._same) and all(map(is_, now, self._same))
        self._made, self._same = made, self._same if same else now

    def _follow_one(self, obj: JsonObject, before: JsonObject | None) -> JsonObject:
        content = obj if self._content is None else self._content(obj)
        if before is None:
            return content
        same = before == content if self._content is not None else content_of(before) == content_of(obj)
        return before if same else content


def _place(obj: JsonObject) -> tuple[Any, Any]:
    metadata = obj["metadata"]
    return metadata.get("namespace"), metadata["name"]


def _content(node: JsonObject) -> JsonObject:
    """What verdicts read of a Node, and the time of its creation."""
    metadata, status = node["metadata"], node.get("status")
    kept = {key: metadata[key] for key in (*METADATA, "creationTimestamp") if key in metadata}
    annotations = kept.get("annotations")
    if isinstance(annotations, Mapping):
        kept["annotations"] = {key: text for key, text in annotations.items() if key not in OF_NETWORKS}
    content = {key: node[key] for key in ("apiVersion", "kind", "spec") if key in node}
    addresses = status.get("addresses") if isinstance(status, dict) else None
    return content | {"metadata": kept} | ({} if addresses is None else {"status": {"addresses": addresses}})


class Verdicts:
    """What ``judge`` says about the networks of ``view``; ``recorded`` is that of `judge_cluster`."""

    def __init__(self, view: ClusterView, judge: JudgeInView, *, recorded: bool = True) -> None:
        self._view = view
        self._judge = judge
        self._recorded = recorded
        self._content = ContentView(view)
        self._known: tuple[Sequence[Sequence[JsonObject] | None], JudgedCluster] | None = None
        self._nodes = NodeMemo()
        self._memo = CandidateMemo()

    def now(self) -> JudgedCluster:
        """Return the networks and nodes of the view."""
        now = tuple(map(self._content.objects, KINDS))
        if self._known is None or not all(map(is_, self._known[0], now)):
            judged = judge_cluster(self._content, self._judge, recorded=self._recorded, memo=self._memo)
            self._known = now, judged
        # networks do not depend on the rest of the nodes, but plans do
        return replace(self._known[1], nodes=self._nodes.read(by_age(self._view.objects(NODE) or ())))
