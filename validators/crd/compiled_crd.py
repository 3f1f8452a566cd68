"""A CustomResourceDefinition compiled: what judges the objects of one of its versions.

Source: apiextensions-apiserver, ``pkg/apis/apiextensions`` and ``pkg/apiserver/customresource_handler.go``.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, Protocol

from validators.base.field import NEWEST_KUBERNETES, ErrorType, FieldError, minor
from validators.base.verdict import Verdict
from validators.crd.dispatch import Front, allow, front_of, judge
from validators.fast.accept_path import FastPath
from validators.fast.artefact import Artefact, key_of, key_of_text, pack, packed, unpack

if TYPE_CHECKING:
    from validators.crd.strategy import Endpoint

_OLDEST_MINOR: Final = 29
_FIELD_VALIDATION: Final = ("Warn", "Strict", "Ignore")


class InvalidCRD(ValueError):
    """A definition that the API server would refuse; ``errors`` says why."""

    def __init__(self, errors: Iterable[FieldError]) -> None:
        self.errors = tuple(errors)
        super().__init__("; ".join(error.text for error in self.errors))


@dataclass(frozen=True, slots=True)
class CompiledCRD:
    """One served version of a definition. Immutable; `verdict` may be called from many threads."""

    front: Front
    load: Callable[[], "Endpoint"] = field(repr=False, compare=False)
    """Gives the endpoint. A definition that was compiled before is only looked into to explain something."""

    @property
    def endpoint(self) -> "Endpoint":
        """Everything that judging needs."""
        return self.load()

    @property
    def group(self) -> str:
        """The API group."""
        return self.front.group

    @property
    def version(self) -> str:
        """The served version that this judges."""
        return self.front.version

    @property
    def kind(self) -> str:
        """The kind of its objects."""
        return self.front.kind

    @property
    def plural(self) -> str:
        """The name of the resource in URLs."""
        return self.front.plural

    @property
    def scope(self) -> str:
        """Namespaced or Cluster."""
        return "Namespaced" if self.front.namespaced else "Cluster"

    @property
    def has_status(self) -> bool:
        """Whether the status subresource is on."""
        return self.front.has_status

    def verdict(
        self,
        obj: Mapping[str, Any],
        old: Mapping[str, Any] | None = None,
        subresource: str | None = None,
        field_validation: str = "Warn",
    ) -> Verdict:
        """What the API server answers to creating ``obj``, or to replacing ``old`` by it.

        ``subresource`` is "status" for a PUT of the status, else None; ``old`` counts as stored: it is read, never
        validated. ``field_validation`` is Warn, Strict or Ignore. Neither object is changed. Raises ValueError for
        another subresource or field validation, and for a status update without an old object.
        """
        _check_call(old, subresource, field_validation)
        return judge(self.front, self.load, obj, old, subresource or None, field_validation)

    def allow(
        self,
        obj: Mapping[str, Any],
        old: Mapping[str, Any] | None = None,
        subresource: str | None = None,
        field_validation: str = "Warn",
    ) -> Verdict | None:
        """`verdict` where it is yes for certain, and where neither object has a field that is unknown; else None."""
        _check_call(old, subresource, field_validation)
        return allow(self.front, self.load, obj, old, subresource)

    def unknown_fields(self, obj: Mapping[str, Any]) -> tuple[str, ...]:
        """The paths of ``obj`` that the schema does not know; none where the object cannot be decoded at all."""
        if self.front.fast is not None and self.front.fast.knows(obj):
            return ()
        from validators.structural.prepare import Refused, read_new  # noqa: PLC0415 - most objects need no second look

        try:
            return tuple(read_new(self.endpoint.serves, obj)[1])
        except Refused:
            return ()


def _check_call(old: object, subresource: str | None, field_validation: str) -> None:
    if subresource not in {None, "", "status"}:
        raise ValueError(f"subresource {subresource!r} is none of None and 'status'")
    if field_validation not in _FIELD_VALIDATION:
        raise ValueError(f"field_validation {field_validation!r} is none of {', '.join(_FIELD_VALIDATION)}")
    if subresource and old is None:
        raise ValueError("an update of the status needs the old object")


class Store(Protocol):
    """Keeps compiled definitions between processes; `validators.fast.disk_store.DiskStore` is one."""

    def load(self, key: str) -> bytes | None:
        """What was kept under a key."""

    def save(self, key: str, data: bytes) -> None:
        """Keep something under a key."""


def compile_crd(
    crd_mapping: Mapping[str, Any],
    version: str | None = None,
    kubernetes: str = NEWEST_KUBERNETES,
    store: Store | None = None,
) -> CompiledCRD:
    """Compile one version of a definition (default: the storage version) as ``kubernetes`` would serve it.

    With a ``store``, what was compiled before by this very program is taken from there. Raises `InvalidCRD` with the
    errors of a definition that the API server would not take, and ValueError for a Kubernetes version before 1.29 or
    none at all.
    """
    _check_kubernetes(kubernetes)
    definition = _as_definition(crd_mapping)
    if store is None:
        return _compiled(definition, version, kubernetes)
    return _through(store, key_of(definition, version, kubernetes), lambda: definition, version, kubernetes)


def compile_text(
    text: bytes,
    parse: Callable[[bytes], Mapping[str, Any]],
    version: str | None = None,
    kubernetes: str = NEWEST_KUBERNETES,
    store: Store | None = None,
) -> CompiledCRD:
    """`compile_crd` for a definition that is read from a text, which is only parsed if the store does not know it."""
    if store is None:
        return compile_crd(parse(text), version, kubernetes)
    _check_kubernetes(kubernetes)
    key = key_of_text(text, version, kubernetes)
    return _through(store, key, lambda: _as_definition(parse(text)), version, kubernetes)


def _check_kubernetes(kubernetes: str) -> None:
    if minor(kubernetes) < _OLDEST_MINOR:
        raise ValueError(f"Kubernetes {kubernetes} is older than 1.{_OLDEST_MINOR}")


def _as_definition(crd_mapping: Any) -> Any:
    from validators.structural.deep_equal import UnfitValue, as_json  # noqa: PLC0415 - bundled ones need no check

    try:
        return as_json(dict(crd_mapping) if isinstance(crd_mapping, Mapping) else crd_mapping)
    except UnfitValue as fault:
        raise InvalidCRD([FieldError(ErrorType.INVALID, "<nil>", detail=str(fault))]) from None


def _through(store: Store, key: str, define: Callable[[], Any], version: str | None, kubernetes: str) -> CompiledCRD:
    """What the store holds under a key, else what is made of the definition and kept there."""
    data = store.load(key)
    kept = None if data is None else unpack(data)
    if kept is not None:
        return _restored(kept, kubernetes)
    definition = define()
    made = _compiled(definition, version, kubernetes)
    if made.front.fast is not None:
        store.save(key, pack(_kept(made, made.front.fast, definition)))
    return made


def _compiled(definition: Any, version: str | None, kubernetes: str) -> CompiledCRD:
    from validators.crd.compiler import Compiler, Flawed  # noqa: PLC0415 - who reads compiled definitions needs none of it

    try:
        endpoint = Compiler(definition, kubernetes).compile(version)
    except Flawed as flaws:
        raise InvalidCRD(flaws.errors) from None
    return CompiledCRD(front_of(endpoint), lambda: endpoint)


def _kept(made: CompiledCRD, fast: FastPath, definition: dict[str, Any]) -> Artefact:
    from validators.crd.restore import exact_half  # noqa: PLC0415 - as above

    front = made.front
    names = (front.group, front.version, front.kind, front.plural)
    return Artefact(names, front.deprecation, fast.plan, fast.resource, packed(definition), exact_half(made.endpoint))


def _restored(kept: Artefact, kubernetes: str) -> CompiledCRD:
    """A definition that was compiled before: its fast path now, everything else when it is asked for."""
    resource = kept.resource
    fast = FastPath(kept.plan, resource)
    front = Front(*kept.names, resource.namespaced, resource.has_status, kept.deprecation, fast)
    return CompiledCRD(front, cache(partial(_endpoint, kept, fast, kubernetes)))


def _endpoint(kept: Artefact, fast: FastPath, kubernetes: str) -> "Endpoint":
    from validators.crd.restore import restore  # noqa: PLC0415 - only refusals need it

    found = restore(kept, fast, kubernetes)
    return _compiled(kept.definition, kept.names[1], kubernetes).load() if found is None else found
