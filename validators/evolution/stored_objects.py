"""What a new definition does to one stored object: in an update that changes nothing, and in one that adds a label."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from ovnguard.validators.base.field import RULES_NOT_CHECKED
from ovnguard.validators.base.verdict import Verdict
from ovnguard.validators.crd.compiled_crd import CompiledCRD
from ovnguard.validators.structural.schema.deep_equal import deep_equal

_LABEL: Final = "ovnguard.io/changed"
_HEAD: Final = frozenset({"apiVersion", "kind", "metadata"})


class Filled(NamedTuple):
    """A field that the two definitions fill in differently; None stands for no value."""

    field: str
    old: Any
    new: Any


class Outcome(NamedTuple):
    """What the new definition does to an object that clients write in these versions.

    ``refused`` are the errors of an update that does not touch what they are about. ``forgiven`` are those that the
    server forgives as long as the value stays as it is. ``pruned`` are dropped fields.
    """

    versions: tuple[str, ...]
    refused: tuple[str, ...] = ()
    forgiven: tuple[str, ...] = ()
    pruned: tuple[str, ...] = ()
    filled: tuple[Filled, ...] = ()

    @property
    def is_same(self) -> bool:
        """Whether the object stays as it is."""
        return self == Outcome(self.versions)


def outcomes(
    obj: Mapping[str, Any], old: Mapping[str, CompiledCRD], new: Mapping[str, CompiledCRD]
) -> tuple[Outcome, ...]:
    """Return what happens to a stored object in each served version, by name; equal outcomes are one."""
    found: list[Outcome] = []
    for version, after in new.items():
        before = old.get(version) or next(iter(old.values()), None)
        outcome = _outcome(obj, before, after)
        same = next((index for index, each in enumerate(found) if each[1:] == outcome[1:]), None)
        if same is None:
            found.append(outcome)
        else:
            found[same] = found[same]._replace(versions=(*found[same].versions, version))
    return tuple(found)


def _outcome(obj: Mapping[str, Any], old: CompiledCRD | None, new: CompiledCRD) -> Outcome:
    kept, labelled = _update(obj, new), _update(obj, new, {_LABEL: "true"})
    refused = dict.fromkeys(_texts(kept) + _texts(labelled))
    errors = _texts(new.verdict(_of(obj, new)))
    known: frozenset[str] = frozenset()
    pruned: tuple[str, ...] = ()
    filled: tuple[Filled, ...] = ()
    if old is not None:
        before = _update(obj, old)
        known = frozenset(_texts(old.verdict(_of(obj, old))))
        pruned = tuple(path for path in kept.unknown if path not in before.unknown)
        filled = tuple(_filled(before, kept))
    forgiven = (text for text in dict.fromkeys(errors) if text not in known and text not in refused)
    return Outcome((new.version,), tuple(refused), tuple(forgiven), pruned, filled)


def _texts(verdict: Verdict) -> list[str]:
    return [error.text for error in verdict.findings if error.detail != RULES_NOT_CHECKED]


def _of(obj: Mapping[str, Any], crd: CompiledCRD) -> dict[str, Any]:
    """The object as a client of a version reads it."""
    return {**obj, "apiVersion": f"{crd.group}/{crd.version}"}


def _update(obj: Mapping[str, Any], crd: CompiledCRD, labels: Mapping[str, str] | None = None) -> Verdict:
    old = new = _of(obj, crd)
    if labels:
        meta = old.get("metadata") or {}
        new = {**old, "metadata": {**meta, "labels": {**(meta.get("labels") or {}), **labels}}}
    return crd.verdict(new, old)


def _filled(old: Verdict, new: Verdict) -> Iterator[Filled]:
    """Yield the fields with another value, but for those that the new definition drops."""
    if old.object is None or new.object is None:
        return
    for key in dict.fromkeys((*old.object, *new.object)):
        if key not in _HEAD:
            found = _different(old.object.get(key), new.object.get(key), key)
            yield from (one for one in found if one.field not in new.unknown)


def _different(old: Any, new: Any, path: str) -> Iterator[Filled]:
    if type(old) is dict and type(new) is dict:
        for key in dict.fromkeys((*old, *new)):
            yield from _different(old.get(key), new.get(key), f"{path}.{key}")
    elif type(old) is list and type(new) is list and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from _different(before, after, f"{path}[{index}]")
    elif not deep_equal(old, new):
        yield Filled(path, old, new)
