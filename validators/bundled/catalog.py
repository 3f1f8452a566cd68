"""Which schema judges an object: given CRDs, else the bundled schema sets, each compiled once.

`auto` chooses the set that knows every field of the object, the set with fewer unknown fields if neither does. If both
fit, it takes the set that a requested feature gate belongs to, else that of the cluster: ``usual``, which is `released`
unless objects of the cluster have fields of the other set.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from ovnguard import crd_schemas
from ovnguard.crd_schemas import gating
from ovnguard.validators.base.field import DEFAULT_KUBERNETES, FieldError
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.bundled.rule_ids import case_texts, rule_id
from ovnguard.validators.crd.compiled_crd import CompiledCRD, Store, compile_crd, compile_source
from ovnguard.validators.crd.prepared_request import PreparedRequest

if TYPE_CHECKING:
    from ovnguard.validators.bundled.gated_fields import DroppedFields

AUTO = "auto"
GIVEN = "given"


class GroupVersionKind(NamedTuple):
    """The group, version and kind in an object's apiVersion and kind."""

    group: str
    version: str
    kind: str

    def __str__(self) -> str:
        """``Kind of group/version`` as texts name it; the core group has no name."""
        return f"{self.kind} of {self.group}/{self.version}" if self.group else f"{self.kind} of {self.version}"


class Chosen(NamedTuple):
    """The schema that judges a request, and the request prepared for it.

    ``schema_set`` is the name of a bundled set or `GIVEN`. ``old`` is the stored object as the request has it. With a
    feature set both objects lack the fields whose feature gates are off: ``dropped`` has a warning for each such field
    of the new one. ``unknown`` has the numbers of unknown fields of the new and the old object, by schema set, where
    sets were compared.
    """

    crd: CompiledCRD
    schema_set: str
    request: PreparedRequest
    old: JsonObject | None = None
    dropped: tuple[FieldError, ...] = ()
    unknown: Mapping[str, tuple[int, int]] = MappingProxyType({})

    @property
    def generations_differ(self) -> bool:
        """Whether new and old object use different generations of an API, which no server with one CRD accepts."""
        if len(self.unknown) < 2:
            return False
        new = crd_schemas.choose({name: counts[0] for name, counts in self.unknown.items()})
        stored = crd_schemas.choose({name: counts[1] for name, counts in self.unknown.items()})
        return new != stored and self.unknown[new][1] > 0 and self.unknown[stored][0] > 0


def gvk_of(obj: JsonObject) -> GroupVersionKind:
    """Return group, version and kind of an object; missing parts are empty strings."""
    group, _, version = str(obj.get("apiVersion", "")).rpartition("/")
    return GroupVersionKind(group, version, str(obj.get("kind", "")))


class Catalog:
    """Finds and compiles schemas. Given CRDs win over bundled ones of the same group and kind.

    ``store`` keeps compiled definitions between processes. With ``features`` the bundled definitions are those that a
    cluster with this feature set would serve; the whole definitions still decide which schema set fits an object.
    ``kubernetes`` is the release that judges. ``fallback`` are CRDs of kinds that are neither given nor bundled.
    ``name_given_rules``: rules of given CRDs that a bundled definition has too carry its stable ids. Methods raise
    ovnguard.validators.crd.compiled_crd.InvalidCRD for an invalid CRD when it is first needed.
    """

    def __init__(  # noqa: PLR0913 - each is passed by name
        self,
        definitions: Iterable[JsonObject] = (),
        schema_set: str = AUTO,
        kubernetes: str = DEFAULT_KUBERNETES,
        store: Store | None = None,
        features: gating.Features | None = None,
        *,
        name_given_rules: bool = False,
        fallback: Iterable[JsonObject] = (),
        usual: str = crd_schemas.RELEASED,
    ) -> None:
        if schema_set not in (AUTO, *crd_schemas.SETS):
            raise ValueError(f"schema set {schema_set!r} is not one of {', '.join((AUTO, *crd_schemas.SETS))}")
        self._sets = crd_schemas.SETS if schema_set == AUTO else (schema_set,)
        self.kubernetes = kubernetes
        self._store = store
        self._gates = None if not features else _Gates(features, kubernetes, store)
        bundled = {(group, kind) for group, _, kind in crd_schemas.kinds()}
        others = {key: crd for crd in fallback if (key := group_and_kind(crd)) not in bundled}
        self._definitions = others | {group_and_kind(crd): crd for crd in definitions}
        self._compiled: dict[tuple[str, GroupVersionKind], CompiledCRD] = {}
        self._name_given_rules = name_given_rules
        self._usual = usual

    def knows(self, obj: JsonObject) -> bool:
        """Whether there is a schema for the kind of ``obj``."""
        gvk = gvk_of(obj)
        return (gvk.group, gvk.kind) in self._definitions or any(name in self._sets for name in crd_schemas.paths(*gvk))

    def kinds(self, group: str) -> dict[str, str]:
        """Return the kinds of ``group`` with a schema, each with one of its versions."""
        bundled = {kind: version for known, version, kind in crd_schemas.kinds() if known == group}
        own = {kind: _first_version(crd) for (known, kind), crd in self._definitions.items() if known == group}
        return bundled | own

    def groups(self) -> tuple[str, ...]:
        """Return the groups that have a kind with a schema."""
        bundled = [group for group, _, _ in crd_schemas.kinds()]
        return tuple(dict.fromkeys([*bundled, *(group for group, _ in self._definitions)]))

    def schema_of(self, obj: JsonObject, schema_set: str) -> JsonObject | None:
        """Return the OpenAPI schema of the kind of ``obj`` in a schema set, as its definition has it; None for none."""
        gvk = gvk_of(obj)
        definition = self._definitions.get((gvk.group, gvk.kind))
        if definition is None:
            paths = crd_schemas.paths(*gvk)
            path = paths.get(schema_set) or next(iter(paths.values()), None)
            definition = None if path is None else crd_schemas.parsed(path)
        versions = ((definition or {}).get("spec") or {}).get("versions") or ()
        found = next((each for each in versions if each.get("name") == gvk.version), None)
        schema: JsonObject | None = ((found or {}).get("schema") or {}).get("openAPIV3Schema")
        return schema

    def choose(self, obj: JsonObject, old: JsonObject | None = None, subresource: str = "") -> Chosen | None:
        """Return the schema that judges a request, with the request prepared; None for a kind without a schema.

        The stored object of an update counts too: an update may remove the only field that distinguishes the sets.
        """
        gvk = gvk_of(obj)
        definition = self._definitions.get((gvk.group, gvk.kind))
        if definition is not None:
            crd = self._compile_given(gvk, definition)
            return Chosen(crd, GIVEN, crd.prepare(obj, old, subresource), old)
        known = crd_schemas.paths(*gvk)
        paths = {name: known[name] for name in self._sets if name in known}
        if not paths:
            return None
        if len(set(paths.values())) == 1:
            name, path = next(iter(paths.items()))
            is_common = len(set(known.values())) == 1
            return self._served(path, gvk, crd_schemas.COMMON if is_common else name, obj, old, subresource)
        requests: dict[str, PreparedRequest] = {}
        unknown: dict[str, tuple[int, int]] = {}
        differs = difference_of(gvk, obj, old)
        only, usual = differs.schema_set if differs else "", self._usual_set(gvk)
        for name in sorted(paths, key=lambda each: (each != only, each != usual)):
            requests[name] = self._compile(paths[name], gvk).prepare(obj, old, subresource)
            unknown[name] = requests[name].unknown_fields()
            if not any(unknown[name]):
                # No later set can fit better.
                break
        name = crd_schemas.choose({name: sum(counts) for name, counts in unknown.items()}, only, usual)
        if self._gates is not None:
            return self._served(paths[name], gvk, name, obj, old, subresource)._replace(unknown=unknown)
        return Chosen(self._compile(paths[name], gvk), name, requests[name], old, (), unknown)

    def _usual_set(self, gvk: GroupVersionKind) -> str:
        """The set that judges an object that fits both."""
        return (self._gates.schema_set(gvk) if self._gates is not None else "") or self._usual

    def _served(
        self, path: str, gvk: GroupVersionKind, name: str, obj: JsonObject, old: JsonObject | None, subresource: str
    ) -> Chosen:
        """The bundled definition as the cluster serves it, and the request without the fields that it lacks."""
        crd, gated_fields = self._served_crd(path, gvk, name)
        dropped: tuple[FieldError, ...] = ()
        if gated_fields is not None:
            obj, dropped = gated_fields.without(obj)
            old = None if old is None else gated_fields.without(old)[0]
        return Chosen(crd, name, crd.prepare(obj, old, subresource), old, dropped)

    def _served_crd(self, path: str, gvk: GroupVersionKind, name: str) -> "tuple[CompiledCRD, DroppedFields | None]":
        return (self._compile(path, gvk), None) if self._gates is None else self._gates.compiled(path, gvk, name)

    def has_rivals(self, obj: JsonObject, taken: str) -> bool:
        """Whether another set could have judged ``obj`` in place of ``taken``."""
        gvk = gvk_of(obj)
        known = crd_schemas.paths(*gvk)
        if (gvk.group, gvk.kind) in self._definitions or taken not in known:
            return False
        return any(name in known and known[name] != known[taken] for name in self._sets)

    def embedded(self, gvk: GroupVersionKind) -> CompiledCRD:
        """Return the definition of a text inside objects, one of `crd_schemas.embedded`. Raises KeyError for others."""
        path = crd_schemas.embedded()[gvk]
        key = (path, gvk)
        if key not in self._compiled:
            text = crd_schemas.read(path)
            define = partial(crd_schemas.parse, text)
            self._compiled[key] = compile_source(text, define, gvk.version, self.kubernetes, self._store, None)
        return self._compiled[key]

    def _compile(self, path: str, gvk: GroupVersionKind) -> CompiledCRD:
        """Compile a bundled definition, once."""
        key = (path, gvk)
        if key not in self._compiled:
            text = crd_schemas.read(path)
            source = b"\0".join((text, case_texts()))
            define = partial(crd_schemas.parse, text)
            self._compiled[key] = compile_source(source, define, gvk.version, self.kubernetes, self._store, rule_id)
        return self._compiled[key]

    def _compile_given(self, gvk: GroupVersionKind, crd: JsonObject) -> CompiledCRD:
        key = (GIVEN, gvk)
        if key not in self._compiled:
            named = rule_id if self._name_given_rules else None
            self._compiled[key] = compile_crd(crd, gvk.version, self.kubernetes, self._store, named)
        return self._compiled[key]


class _Gates:
    """Compiles bundled definitions as a feature set leaves them."""

    def __init__(self, features: gating.Features, kubernetes: str, store: Store | None) -> None:
        self._features = features
        self.kubernetes = kubernetes
        self._store = store
        self._compiled: dict[tuple[str, GroupVersionKind], tuple[CompiledCRD, DroppedFields | None]] = {}

    def schema_set(self, gvk: GroupVersionKind) -> str:
        """Return the only set in which a gate that is on by name changes the definition of a kind, "" for none."""
        return gating.schema_set_of(crd_schemas.crd_name(*gvk), self._features)

    def compiled(self, path: str, gvk: GroupVersionKind, schema_set: str) -> "tuple[CompiledCRD, DroppedFields | None]":
        """Return the definition of a kind, and the fields that it lacks."""
        key = (path, gvk)
        if key not in self._compiled:
            from ovnguard.validators.bundled.gated_fields import DroppedFields

            name = crd_schemas.crd_name(*gvk)
            text = crd_schemas.read(path)
            source = b"\0".join((text, case_texts(), gating.texts(), schema_set.encode(), self._features.key.encode()))

            def define() -> JsonObject:
                return gating.gated(crd_schemas.parse(text), name, schema_set, self._features).crd

            crd = compile_source(source, define, gvk.version, self.kubernetes, self._store, rule_id)
            dropped = gating.dropped(name, schema_set, self._features)
            self._compiled[key] = crd, DroppedFields(self._features, dropped) if dropped else None
        return self._compiled[key]


def difference_of(gvk: GroupVersionKind, obj: JsonObject, old: JsonObject | None) -> crd_schemas.Difference | None:
    """Return where the schema sets differ about a request: about the new object, else about the stored one."""
    found = crd_schemas.difference(gvk.group, gvk.kind, obj)
    if old is None or (found is not None and found.schema_set):
        return found
    return crd_schemas.difference(gvk.group, gvk.kind, old) or found


def set_of(objects: Iterable[JsonObject]) -> str:
    """Return the schema set that the cluster of ``objects`` runs: `released`, unless only fields of the other one are
    there.
    """
    found = {each.schema_set for obj in objects if (each := difference_of(gvk_of(obj), obj, None)) is not None}
    return crd_schemas.PROPOSED if found - {""} == {crd_schemas.PROPOSED} else crd_schemas.RELEASED


def group_and_kind(crd: Mapping[str, object]) -> tuple[str, str]:
    """Return group and kind of the objects that a definition defines; missing parts are the text None."""
    spec = crd.get("spec")
    names = spec.get("names") if isinstance(spec, dict) else None
    group = spec.get("group") if isinstance(spec, dict) else None
    return str(group), str(names.get("kind") if isinstance(names, dict) else None)


def _first_version(crd: Mapping[str, object]) -> str:
    spec = crd.get("spec")
    versions = spec.get("versions") if isinstance(spec, dict) else None
    first = versions[0] if isinstance(versions, list) and versions else None
    return str(first.get("name") if isinstance(first, dict) else None)
