"""The verdicts on all networks of a live cluster, kept while nothing changes that a verdict may read.

Networks are judged in a view whose Nodes have only what verdicts read. So the many values that change while networks
come and go on nodes can neither change a verdict nor make one outdated.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from reconciler.loop.process.frozen_view import METADATA, Fingerprint
from reconciler.plan.desired_state import JudgedCluster, JudgeInView, judge_cluster
from reconciler.plan.inputs.seniority import by_age
from reconciler.plan.numbers.node_memo import NodeMemo
from validators.base.json_types import JsonObject
from validators.network.cluster_view import NODE, ClusterView, GroupKind
from validators.network.declared.node import MANAGEMENT_MACS, NODE_SUBNETS

OF_NETWORKS: Final = frozenset((MANAGEMENT_MACS, NODE_SUBNETS))
"""Annotations with values of a node in single networks. No rule about a network reads those."""


class VerdictView:
    """``view``, where Nodes have only their content, and of that nothing about single networks.

    The sequence of Nodes and each Node in it are the same objects as before until that content changes.
    """

    def __init__(self, view: ClusterView) -> None:
        self._view = view
        self._seen: Sequence[JsonObject] | None = None
        self._nodes: tuple[JsonObject, ...] = ()
        # What was made of an object; the objects are kept, so no other one can have the ``id()`` of one of them.
        self._made: dict[int, tuple[JsonObject, JsonObject]] = {}

    def objects(self, kind: GroupKind) -> Sequence[JsonObject] | None:
        """Return the objects of ``kind``, or None when they are unknown."""
        found = self._view.objects(kind)
        if kind != NODE or found is None:
            return found
        if found is not self._seen:
            self._seen = found
            self._follow(found)
        return self._nodes

    def _follow(self, objects: Sequence[JsonObject]) -> None:
        by_name = {str(each["metadata"]["name"]): each for each in self._nodes}
        made: dict[int, tuple[JsonObject, JsonObject]] = {}
        for obj in objects:
            known = self._made.get(id(obj))
            if known is None:
                content = _content(obj)
                before = by_name.get(str(obj["metadata"]["name"]))
                known = obj, before if before is not None and before == content else content
            made[id(obj)] = known
        nodes = tuple(made[id(obj)][1] for obj in objects)
        same = len(nodes) == len(self._nodes) and all(one is two for one, two in zip(nodes, self._nodes, strict=True))
        self._made, self._nodes = made, self._nodes if same else nodes


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
        self._content = VerdictView(view)
        self._fingerprint = Fingerprint()
        self._known: tuple[bytes, JudgedCluster] | None = None
        self._nodes = NodeMemo()

    def now(self) -> JudgedCluster:
        """Return the networks and nodes of the view."""
        now = self._fingerprint.of(self._content)
        if self._known is None or self._known[0] != now:
            self._known = now, judge_cluster(self._content, self._judge, recorded=self._recorded)
        # networks do not depend on the rest of the nodes, but plans do
        return replace(self._known[1], nodes=self._nodes.read(by_age(self._view.objects(NODE) or ())))
