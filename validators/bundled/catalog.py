"""Which schema judges an object: CRDs that were given, else the bundled sets, compiled once each.

`auto` takes the set in which the object has no unknown field: `enhancement` when both fit, the one with fewer unknown
fields when neither does.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import crd_schemas
from validators.base.json_types import JsonObject
from validators.crd.compiled_crd import CompiledCRD, Store, compile_crd, compile_text

if TYPE_CHECKING:
    from crd_schemas.gating import Features
    from validators.bundled.gated_fields import Dropped

AUTO = "auto"
GIVEN = "given"


class GroupVersionKind(NamedTuple):
    """What an object's apiVersion and kind say."""

    group: str
    version: str
    kind: str

    def __str__(self) -> str:
        """``Kind of group/version`` as texts name it; the core group has no name."""
        return f"{self.kind} of {self.group}/{self.version}" if self.group else f"{self.kind} of {self.version}"


@dataclass(frozen=True, slots=True)
class Chosen:
    """The compiled CRD and where it is from: a bundled set's name, or `GIVEN`.

    ``dropped`` tells which fields are missing because a feature gate is off; None where no feature set was asked for.
    """

    crd: CompiledCRD
    schema_set: str
    dropped: "Dropped | None" = None


def gvk_of(obj: JsonObject) -> GroupVersionKind:
    """Return group, version and kind of an object; missing parts are empty strings."""
    group, _, version = str(obj.get("apiVersion", "")).rpartition("/")
    return GroupVersionKind(group, version, str(obj.get("kind", "")))


class Catalog:
    """Finds and compiles schemas. Given CRDs win over bundled ones of the same group and kind.

    ``store`` keeps what was compiled between processes. ``features`` asks for the bundled definitions that a cluster
    with a feature set would serve; which set of schemas fits an object is told by the whole definitions. Raises
    validators.crd.compiled_crd.InvalidCRD when a CRD that is needed is not valid.
    """

    def __init__(
        self,
        given: Iterable[JsonObject] = (),
        schema_set: str = AUTO,
        kubernetes: str = "1.35",
        store: Store | None = None,
        features: "Features | None" = None,
    ) -> None:
        if schema_set not in (AUTO, *crd_schemas.SETS):
            raise ValueError(f"schema set {schema_set!r} is not one of {', '.join((AUTO, *crd_schemas.SETS))}")
        self._sets = crd_schemas.SETS if schema_set == AUTO else (schema_set,)
        self._kubernetes = kubernetes
        self._store = store
        self._gates = None if not features else _Gates(features, kubernetes, store)
        self._given = {_served(crd): crd for crd in given}
        self._compiled: dict[tuple[str, GroupVersionKind], CompiledCRD] = {}
        self._firsts: dict[GroupVersionKind, Chosen] = {}

    def first(self, obj: JsonObject) -> Chosen | None:
        """Return what `choose` returns for an object that it knows every field of; None where that is not certain.

        Who can tell that there is no other field, because the schema allows the object, need not look for one before.
        """
        gvk = gvk_of(obj)
        found = self._firsts.get(gvk)
        if found is None:
            known = crd_schemas.paths(*gvk)
            paths = {name: known[name] for name in self._sets if name in known}
            # of kinds that have one definition nothing is looked for before, either
            if (gvk.group, gvk.kind) in self._given or self._gates is not None or len(set(paths.values())) < 2:
                return None
            name = next(iter(paths))
            found = self._firsts[gvk] = self._chosen(paths[name], gvk, name)
        return found

    def choose(self, obj: JsonObject, old: JsonObject | None = None) -> Chosen | None:
        """Return the schema that judges ``obj``, or None when nothing is known about its kind.

        The stored object of an update counts too: an update may take away the only field that tells the sets apart.
        """
        gvk = gvk_of(obj)
        given = self._given.get((gvk.group, gvk.kind))
        if given is not None:
            return Chosen(self._compile_given(gvk, given), GIVEN)
        known = crd_schemas.paths(*gvk)
        paths = {name: known[name] for name in self._sets if name in known}
        if not paths:
            return None
        if len(set(paths.values())) == 1:
            name, path = next(iter(paths.items()))
            is_common = len(set(known.values())) == 1
            return self._chosen(path, gvk, crd_schemas.COMMON if is_common else name)
        seen = [each for each in (obj, old) if each is not None]
        counts = {}
        for name, path in paths.items():
            counts[name] = sum(self._unknown(path, gvk, each) for each in seen)
            if not counts[name]:
                # No later set can fit better.
                break
        name = crd_schemas.choose(counts)
        return self._chosen(paths[name], gvk, name)

    def rivals(self, obj: JsonObject, taken: str) -> tuple[str, ...]:
        """Return the other sets that could have judged ``obj`` in place of ``taken``, if there was a choice."""
        gvk = gvk_of(obj)
        known = crd_schemas.paths(*gvk)
        if (gvk.group, gvk.kind) in self._given or taken not in known:
            return ()
        return tuple(name for name in self._sets if name in known and known[name] != known[taken])

    def accepts(self, obj: JsonObject, old: JsonObject | None, schema_set: str) -> bool:
        """Whether the bundled definition of ``schema_set`` takes an object as it is, unknown fields counting."""
        gvk = gvk_of(obj)
        crd = self._chosen(crd_schemas.paths(*gvk)[schema_set], gvk, schema_set).crd
        return crd.verdict(obj, old=old, field_validation="Strict").allowed

    def embedded(self, gvk: GroupVersionKind) -> CompiledCRD:
        """Return what judges a text inside objects, one of `crd_schemas.embedded`. KeyError for any other."""
        return self._compile(crd_schemas.embedded()[gvk], gvk)

    def _chosen(self, path: str, gvk: GroupVersionKind, name: str) -> Chosen:
        if self._gates is None:
            return Chosen(self._compile(path, gvk), name)
        return self._gates.chosen(path, gvk, name)

    def _unknown(self, path: str, gvk: GroupVersionKind, obj: JsonObject) -> int:
        return len(self._compile(path, gvk).unknown_fields(obj))

    def _compile(self, path: str, gvk: GroupVersionKind) -> CompiledCRD:
        """Compile a bundled definition, once."""
        key = (path, gvk)
        if key not in self._compiled:
            self._compiled[key] = compile_text(
                crd_schemas.read(path), crd_schemas.parse, gvk.version, self._kubernetes, self._store
            )
        return self._compiled[key]

    def _compile_given(self, gvk: GroupVersionKind, crd: JsonObject) -> CompiledCRD:
        key = (GIVEN, gvk)
        if key not in self._compiled:
            self._compiled[key] = compile_crd(crd, version=gvk.version, kubernetes=self._kubernetes, store=self._store)
        return self._compiled[key]


class _Gates:
    """Compiles bundled definitions as a feature set leaves them. Its imports are for those who ask for one."""

    def __init__(self, features: "Features", kubernetes: str, store: Store | None) -> None:
        self._features = features
        self._kubernetes = kubernetes
        self._store = store
        self._made: dict[tuple[str, GroupVersionKind], Chosen] = {}

    def chosen(self, path: str, gvk: GroupVersionKind, schema_set: str) -> Chosen:
        """What judges the objects of a kind, and which of their fields it lacks."""
        key = (path, gvk)
        if key not in self._made:
            from crd_schemas import gating  # noqa: PLC0415 - see the class
            from validators.bundled.gated_fields import Dropped  # noqa: PLC0415 - see the class

            name = crd_schemas.crd_name(*gvk)
            text = crd_schemas.read(path)
            # Everything that the definition is made of, and what marks the parts off from each other.
            source = b"\0".join((text, gating.texts(), schema_set.encode(), self._features.key.encode()))

            def made(_: bytes) -> crd_schemas.JsonObject:
                return gating.gated(crd_schemas.parse(text), name, schema_set, self._features).crd

            crd = compile_text(source, made, gvk.version, self._kubernetes, self._store)
            dropped = gating.dropped(name, schema_set, self._features)
            self._made[key] = Chosen(crd, schema_set, Dropped(self._features, dropped) if dropped else None)
        return self._made[key]


def _served(crd: Mapping[str, object]) -> tuple[str, str]:
    spec = crd.get("spec")
    names = spec.get("names") if isinstance(spec, dict) else None
    group = spec.get("group") if isinstance(spec, dict) else None
    return str(group), str(names.get("kind") if isinstance(names, dict) else None)
