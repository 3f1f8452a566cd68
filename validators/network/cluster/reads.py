"""What one judgement read of the objects around its own, so that it is repeated only when that changes.

A judgement is a function of its object and of the answers that it got from the view. The answers are recorded as the
judge gets them, so no rule needs to say what it reads. An answer is a look-up of one key where a rule looks up a key,
and the whole value otherwise: a rule that iterates over all networks depends on all of them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import is_
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar, cast

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.incremental import Step
from ovnguard.validators.network.cluster.inventory import Inventory, adopt
from ovnguard.validators.network.cluster.network_index import Census
from ovnguard.validators.network.cluster.ownership import HeldOwners
from ovnguard.validators.network.cluster_view import ClusterView, GroupKind

T = TypeVar("T")

_INDEXES: Final = (Census, HeldOwners)
"""Values about all networks, of which a judgement reads single fields, or asks single questions."""
_WHOLE: Final = object()
_ABSENT: Final = object()

Question: TypeAlias = tuple[str, Any]
"""A field of a value ("" for the value itself) with a key in it or `_WHOLE`, or a method of it with the arguments."""


class _Source:
    """A method of an inventory and its arguments. There is one of each, so that it is found by its identity."""

    __slots__ = ("arguments", "method")

    def __init__(self, method: str, arguments: tuple[Any, ...]) -> None:
        self.method = method
        self.arguments = arguments


_SOURCES: Final[dict[tuple[str, tuple[Any, ...]], _Source]] = {}


def _source(method: str, *arguments: Any) -> _Source:
    key = method, arguments
    return _SOURCES.get(key) or _SOURCES.setdefault(key, _Source(method, arguments))


class Reads:
    """The questions of one judgement by source, and until `Moments` knows them the values that answered."""

    __slots__ = ("calls", "questions", "values")

    def __init__(self) -> None:
        self.questions: dict[_Source, set[Question]] = {}
        self.calls: dict[_Source, set[Question]] = {}
        self.values: dict[_Source, Any] = {}

    def record(self, source: _Source, value: T) -> T:
        """Return the value of a source such that what is read of it is recorded."""
        self.values[source] = value
        asked = self.questions.setdefault(source, set())
        if isinstance(value, _INDEXES):
            return cast(T, _Index(value, asked, self.calls.setdefault(source, set())))
        if isinstance(value, Mapping):
            return cast(T, _Table(value, "", asked))
        asked.add(("", _WHOLE))
        return value


class Moments:
    """The successive moments of an inventory, for a caller that keeps judgements.

    The caller asks `holds` at every moment about each judgement that it keeps, and calls `made` for each new one. So
    every kept judgement got the answers of the moment before, and only answers that differ now can change it.
    """

    def __init__(self) -> None:
        self._values: dict[_Source, Any] = {}
        self._calls: dict[_Source, set[Question]] = {}
        self._changed: dict[_Source, set[Question] | None] = {}

    def begin(self, inventory: Inventory) -> None:
        """Compare every source that a judgement read with the moment before."""
        now = {source: getattr(inventory, source.method)(*source.arguments) for source in self._values}
        before, self._values = self._values, now
        different = (source for source, value in now.items() if value is not before[source])
        found = {source: self._differing(source, before[source], now[source]) for source in different}
        self._changed = {source: questions for source, questions in found.items() if questions is None or questions}

    def holds(self, reads: Reads) -> bool:
        """Return whether a judgement would get the same answers again, so that it would be the same."""
        for source, changed in self._changed.items():
            asked = reads.questions.get(source)
            if asked and (changed is None or not changed.isdisjoint(asked)):
                return False
        return True

    def made(self, reads: Reads) -> None:
        """Note the sources of a judgement of this moment."""
        for source, value in reads.values.items():
            self._values[source] = value
            self._calls.setdefault(source, set()).update(reads.calls.get(source, ()))
        reads.values, reads.calls = {}, {}

    def _differing(self, source: _Source, before: Any, now: Any) -> set[Question] | None:
        """The questions with different answers, None for all."""
        if type(before) is not type(now):
            return None
        if isinstance(now, Mapping):
            keys = {key for key, each in now.items() if not _equal(before.get(key, _ABSENT), each)}
            return _differing_keys("", before, now, keys)
        if not isinstance(now, _INDEXES):
            return set() if _equal(before, now) else None
        calls = self._calls.get(source, set())
        found = {
            (name, arguments)
            for name, arguments in calls
            if not _equal(getattr(before, name)(*arguments), getattr(now, name)(*arguments))
        }
        for name in now._fields:
            one, other = getattr(before, name), getattr(now, name)
            if one is other:
                continue
            if isinstance(other, Mapping):
                # no value in an index contains objects, whose numbers may be of another type
                found |= _differing_keys(name, one, other, {key for key, each in other.items() if one.get(key) != each})
            elif not _equal(one, other):
                found.add((name, _WHOLE))
        return found


def _differing_keys(name: str, before: Mapping[Any, Any], now: Mapping[Any, Any], keys: Iterable[Any]) -> set[Question]:
    """The questions about ``keys``, whose values differ, about those that are gone, and about the whole mapping."""
    found = {(name, key) for key in (*keys, *(before.keys() - now.keys()))}
    return found | {(name, _WHOLE)} if found else found


class _Table(Mapping[Any, Any]):
    """A mapping of which single keys are read."""

    __slots__ = ("_asked", "_field", "_held")

    def __init__(self, held: Mapping[Any, Any], field: str, asked: set[Question]) -> None:
        self._held = held
        self._field = field
        self._asked = asked

    def __getitem__(self, key: Any) -> Any:
        self._asked.add((self._field, key))
        return self._held[key]

    def get(self, key: Any, default: Any = None) -> Any:
        """Return the value of a key, or the default."""
        self._asked.add((self._field, key))
        return self._held.get(key, default)

    def __contains__(self, key: object) -> bool:
        self._asked.add((self._field, key))
        return key in self._held

    def __iter__(self) -> Iterator[Any]:
        self._asked.add((self._field, _WHOLE))
        return iter(self._held)

    def __len__(self) -> int:
        self._asked.add((self._field, _WHOLE))
        return len(self._held)


class _Index:
    """One of `_INDEXES`: its mappings are read by key, and its methods answer questions."""

    __slots__ = ("_asked", "_calls", "_held")

    def __init__(self, held: Any, asked: set[Question], calls: set[Question]) -> None:
        self._held = held
        self._asked = asked
        self._calls = calls

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._held, name)
        if isinstance(found, Mapping):
            return _Table(found, name, self._asked)
        if callable(found):
            return partial(self._call, name, found)
        self._asked.add((name, _WHOLE))
        return found

    def _call(self, name: str, method: Callable[..., Any], *arguments: Any) -> Any:
        self._asked.add((name, arguments))
        self._calls.add((name, arguments))
        return method(*arguments)


def _equal(one: Any, other: Any) -> bool:
    """Whether two answers are certainly the same. Objects are, if they are identical: 1, 1.0 and True differ."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, tuple):
        return len(one) == len(other) and (all(map(is_, one, other)) or all(map(_equal, one, other)))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(each is other[key] for key, each in one.items())
    return isinstance(one, str | int | frozenset) and bool(one == other)


class _RecordingView:
    """The view of one judgement."""

    def __init__(self, inventory: "_RecordingInventory") -> None:
        self._inventory = inventory

    def objects(self, kind: GroupKind) -> Sequence[JsonObject] | None:
        """Return all objects of ``kind``, or None when they are unknown."""
        return self._inventory.objects(kind)


class _RecordingInventory(Inventory):
    """An inventory of which it is recorded what is read; the values are those of ``base``."""

    def __init__(self, base: Inventory, reads: Reads) -> None:
        self._base = base
        self._reads = reads
        self._closed = base.is_closed

    def objects(self, kind: GroupKind) -> Sequence[JsonObject] | None:
        return self._reads.record(_source("objects", kind), self._base.objects(kind))

    def knows(self, *kinds: GroupKind) -> bool:
        return self._reads.record(_source("knows", *kinds), self._base.knows(*kinds))

    def knows_networks(self) -> bool:
        return self._reads.record(_source("knows_networks"), self._base.knows_networks())

    def declaring(self, least: int = 0) -> int | None:
        return self._reads.record(_source("declaring", least), self._base.declaring(least))

    def derived(self, build: Callable[[Inventory], T], *kinds: GroupKind) -> T:
        return self._reads.record(_source("derived", build, *kinds), self._base.derived(build, *kinds))

    def followed(self, step: Step[T], *kinds: GroupKind) -> T:
        return self._reads.record(_source("followed", step, *kinds), self._base.followed(step, *kinds))


class Recorded(NamedTuple):
    """A view for one judgement, and what is read of it."""

    view: ClusterView
    reads: Reads


def recorded(inventory: Inventory) -> Recorded:
    """Return a view of the objects of ``inventory`` that records what one judgement reads of it."""
    reads = Reads()
    recording = _RecordingInventory(inventory, reads)
    view = _RecordingView(recording)
    adopt(view, recording)
    return Recorded(view, reads)
