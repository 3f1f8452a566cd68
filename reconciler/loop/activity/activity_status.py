"""What the leader reports about the nodes of networks under dynamic allocation: conditions, Events and a metric.

The condition NodesSelected exists from the first use of a network. It counts nodes that use the network, so it is False
as soon as the last one does not, though that node still has rows. One in OVN-Kubernetes' words that counts the same is
left as it is: two writers that never agree would write for ever. A network that all nodes render keeps no condition of
ovnguard's: it would say that the cluster allocates dynamically.

Source: OKEP-5552, "Status" and "Events"; ovn-kubernetes ``pkg/clustermanager/userdefinednetwork``.
"""

import logging
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from ovnguard.reconciler.apply.kube import FIELD_MANAGER, Condition, Recorder, find_condition
from ovnguard.reconciler.apply.objects.object_owners import managers_of
from ovnguard.reconciler.loop.activity.activity_metrics import ActiveNodesMetric
from ovnguard.reconciler.loop.process.backoff import Backoff, earliest, is_about_one_object
from ovnguard.reconciler.loop.process.events import Event, EventRecorder, reference_to
from ovnguard.reconciler.plan.inputs.candidates import Candidate
from ovnguard.reconciler.plan.rows.model import ActiveNodes
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.cluster.client_protocol import ClusterError
from ovnguard.validators.network.cluster_view import CUDN, UDN
from ovnguard.validators.network.parse_values import text_of

NODES_SELECTED: Final = "NodesSelected"
DYNAMIC_ALLOCATION: Final = "DynamicAllocation"
NODES_MANAGER: Final = f"{FIELD_MANAGER}-nodes"
NONE_SELECTED: Final = "no nodes currently rendered with network"
ACTIVATED: Final = "NodeActivated"
DEACTIVATED: Final = "NodeDeactivated"
RENDER: Final = "RenderNetwork"
LONGEST: Final = 1.0
BETWEEN: Final = 0.1
"""Seconds of one look, and between two while conditions are left."""
_COUNTED: Final = re.compile(r"([0-9]{1,7}) node(?:s|\(s\))? rendered with network", re.ASCII)

_log = logging.getLogger(__name__)


def selected_count(condition: Mapping[str, object]) -> int | None:
    """Return how many nodes a condition NodesSelected counts, in the design's or in OVN-Kubernetes' words; None for any
    other text.
    """
    message = text_of(condition.get("message"))
    found = _COUNTED.fullmatch(message)
    if found is not None:
        return int(found[1])
    return 0 if message == NONE_SELECTED else None


def selection_of(obj: JsonObject, nodes: int) -> Condition | None:
    """Return the condition of a network that ``nodes`` use, None where none has to be written on ``obj``."""
    before = find_condition(obj, NODES_SELECTED)
    if not nodes and before is None:
        return None
    if before is not None and before.get("reason") == DYNAMIC_ALLOCATION and "observedGeneration" not in before:
        agrees = before.get("status") == ("True" if nodes else "False") and selected_count(before) == nodes
        if agrees:
            return None
    return Condition(NODES_SELECTED, bool(nodes), DYNAMIC_ALLOCATION, _text(nodes), NODES_MANAGER)


def _text(nodes: int) -> str:
    if not nodes:
        return NONE_SELECTED
    return f"{nodes} node{'' if nodes == 1 else 's'} rendered with network"


class ActivityStatus:
    """Reports through ``recorder``, none in an audit, ``announcer`` and ``metrics``.

    The Events have an announcer of their own: when a whole cluster of pods moves, no other Event waits behind theirs.
    Conditions are written for `LONGEST` at a time: first pods of further networks do not wait for a thousand of them.
    """

    def __init__(
        self,
        recorder: Recorder | None,
        announcer: EventRecorder,
        metrics: ActiveNodesMetric,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._recorder = recorder
        self._announcer = announcer
        self._metrics = metrics
        self._monotonic = monotonic
        self._backoff = Backoff(monotonic)
        self._before: Mapping[str, frozenset[str]] | None = None
        # The networks that the last look did not come to.
        self._left: frozenset[str] = frozenset()

    def forget(self) -> None:
        """Begin again: the first look reports no change."""
        self._before, self._left = None, frozenset()
        self._metrics.set({})

    def due(self) -> float | None:
        """Return the seconds until the remaining conditions are written, None if none remain."""
        return earliest(BETWEEN if self._left else None, self._backoff.due())

    def report(
        self,
        active: Sequence[ActiveNodes],
        candidates: Iterable[Candidate],
        newest: Mapping[str, JsonObject],
        leading: Callable[[], bool],
    ) -> list[str]:
        """Report which nodes use the networks of ``candidates``; return the failures. ``newest`` are objects by UID."""
        users = {each.network: each.nodes for each in active}
        self._metrics.set({network: len(nodes) for network, nodes in users.items()})
        found: list[tuple[Candidate, JsonObject, int | None]] = []
        for candidate in candidates:
            obj = newest.get(str(candidate.object["metadata"].get("uid", "")))
            if candidate.kind not in (CUDN, UDN) or obj is None:
                continue
            nodes = users.get(candidate.name)
            if nodes is not None:
                found.append((candidate, obj, len(nodes)))
                self._announce(obj, candidate.name, nodes)
            elif find_condition(obj, NODES_SELECTED) is not None and NODES_MANAGER in managers_of(obj, "status"):
                found.append((candidate, obj, None))
        self._before = users
        self._announcer.flush()
        return [] if self._recorder is None else list(self._write_some(self._recorder, found, leading))

    def _write_some(
        self,
        recorder: Recorder,
        found: Sequence[tuple[Candidate, JsonObject, int | None]],
        leading: Callable[[], bool],
    ) -> Iterator[str]:
        """Write conditions, first those that were left; return the failures."""
        end = self._monotonic() + LONGEST
        waiting = sorted(found, key=lambda each: each[0].name not in self._left)
        while waiting and leading() and self._monotonic() < end:
            candidate, obj, nodes = waiting.pop(0)
            yield from self._write(recorder, candidate, obj, nodes)
        self._left = frozenset(each[0].name for each in waiting)

    def _write(self, recorder: Recorder, candidate: Candidate, obj: JsonObject, nodes: int | None) -> Iterator[str]:
        """Write the condition of a network, or take it back where all nodes render the network."""
        condition = None if nodes is None else selection_of(obj, nodes)
        key = candidate.name, condition
        if (condition is None and nodes is not None) or self._backoff.waits(key):
            return
        try:
            if condition is not None and recorder.report(obj, condition):
                _log.info("%s: %s", candidate.title, condition.message)
            elif condition is None and recorder.withdraw(obj, NODES_MANAGER):
                _log.info("%s: condition %s removed: all nodes render the network", candidate.title, NODES_SELECTED)
        except ClusterError as error:
            text = f"{candidate.title}: cannot write condition {NODES_SELECTED}: {error}"
            if not is_about_one_object(error):
                yield text
                return
            self._backoff.failed(key, text)
        else:
            self._backoff.succeeded(key)

    def _announce(self, obj: JsonObject, network: str, nodes: frozenset[str]) -> None:
        if self._before is None:
            return
        before = self._before.get(network, frozenset())
        changes = ((ACTIVATED, "uses", nodes - before), (DEACTIVATED, "no longer uses", before - nodes))
        for reason, verb, changed in changes:
            for node in sorted(changed):
                note = f"Node {node} {verb} the network."
                self._announcer.announce(Event(reference_to(obj), reason, RENDER, note, recurs=True))
