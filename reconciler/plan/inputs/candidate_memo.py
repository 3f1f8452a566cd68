"""Candidates of an earlier moment, kept as long as a judge would return the same again."""

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from ovnguard.reconciler.plan.inputs.candidates import Candidate
from ovnguard.reconciler.plan.inputs.recorded_numbers import RecordedMemo
from ovnguard.reconciler.plan.inputs.seniority import OlderObjectsView
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.inventory import Inventory, inventory_of
from ovnguard.validators.network.cluster.reads import Moments, Reads, recorded
from ovnguard.validators.network.cluster_view import ClusterView, EmptyView

Make: TypeAlias = Callable[[JsonObject, ClusterView], Candidate | None]
"""Judges an object as a member of a view."""


class _Kept(NamedTuple):
    """A candidate and what its judgement read; the object is kept, so no other one can have its ``id()``."""

    object: JsonObject
    candidate: Candidate | None
    reads: Reads


class _Spared(NamedTuple):
    """The candidate of an object among older ones, and these."""

    object: JsonObject
    candidate: Candidate | None
    older: OlderObjectsView


_NOTHING: Final = EmptyView()


class CandidateMemo:
    """The candidates of one changing view, for one caller: call `begin` at each moment.

    ``recorded`` are those with their recorded numbers.

    An object is judged again if it is another one than before, or if an answer is another one that its judgement got
    from the view.
    """

    def __init__(self) -> None:
        self._view: ClusterView = _NOTHING
        self._inventory: Inventory = inventory_of(_NOTHING)
        self._moments = Moments()
        self._before: dict[int, _Kept] = {}
        self._kept: dict[int, _Kept] = {}
        self._spared_before: dict[int, _Spared] = {}
        self._spared: dict[int, _Spared] = {}
        self.recorded = RecordedMemo()

    def begin(self, view: ClusterView) -> None:
        """Start a moment; what the moment before did not ask for is dropped."""
        self._view, self._inventory = view, inventory_of(view)
        self._moments.begin(self._inventory)
        self._before, self._kept = self._kept, {}
        self._spared_before, self._spared = self._spared, {}

    def of(self, obj: JsonObject, make: Make) -> Candidate | None:
        """Return the candidate of ``obj`` in the view."""
        kept = self._before.get(id(obj))
        if kept is None or not self._moments.holds(kept.reads):
            seen = recorded(self._inventory)
            kept = _Kept(obj, make(obj, seen.view), seen.reads)
            self._moments.made(seen.reads)
        self._kept[id(obj)] = kept
        return kept.candidate

    def among_older(self, obj: JsonObject, make: Make) -> Candidate | None:
        """Return the candidate of ``obj`` among older objects of the view."""
        spared, older = self._spared_before.get(id(obj)), OlderObjectsView(self._view, obj)
        if spared is None or not spared.older.equals(older):
            spared = _Spared(obj, make(obj, older), older)
        self._spared[id(obj)] = spared
        return spared.candidate
