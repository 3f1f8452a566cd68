"""A compiled CustomResourceDefinition: it judges the objects of one version.

Source: apiextensions-apiserver, ``pkg/apis/apiextensions`` and ``pkg/apiserver/customresource_handler.go``.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from ovnguard.validators.base.field import DEFAULT_KUBERNETES, OLDEST_MINOR, ErrorType, FieldError, minor
from ovnguard.validators.base.verdict import Verdict
from ovnguard.validators.crd.prepared_request import PreparedRequest, ServedVersion, served_version
from ovnguard.validators.fast.accept_path import AcceptPath
from ovnguard.validators.fast.artefact import Artefact, key_of, key_of_text, pack, packed, unpack
from ovnguard.validators.structural.schema.deep_equal import UnfitValue, as_json

if TYPE_CHECKING:
    from ovnguard.validators.base.validation_rule import RuleId
    from ovnguard.validators.crd.strategy import Endpoint

__all__ = ["CompiledCRD", "InvalidCRD", "Store", "as_definition", "compile_crd", "compile_source"]

_FIELD_VALIDATION: Final = ("Warn", "Strict", "Ignore")


class InvalidCRD(ValueError):
    """A definition that the API server would refuse; ``errors`` has its errors."""

    def __init__(self, errors: Iterable[FieldError]) -> None:
        self.errors = tuple(errors)
        super().__init__("; ".join(error.text for error in self.errors))


class CompiledCRD(NamedTuple):
    """One served version of a definition. Immutable; Many threads may call `verdict`."""

    served: ServedVersion
    load: Callable[[], "Endpoint"]
    """Returns the endpoint. That of a stored definition is read when the first object needs the exact pipeline."""

    def __eq__(self, other: object) -> bool:
        return type(other) is CompiledCRD and self.served == other.served

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.served)

    @property
    def endpoint(self) -> "Endpoint":
        """The data that judging needs."""
        return self.load()

    @property
    def group(self) -> str:
        """The API group."""
        return self.served.group

    @property
    def version(self) -> str:
        """The served version of the judged objects."""
        return self.served.version

    @property
    def kind(self) -> str:
        """The kind of its objects."""
        return self.served.kind

    @property
    def plural(self) -> str:
        """The name of the resource in URLs."""
        return self.served.plural

    @property
    def scope(self) -> str:
        """Namespaced or Cluster."""
        return "Namespaced" if self.served.namespaced else "Cluster"

    @property
    def has_status(self) -> bool:
        """Whether the status subresource is on."""
        return self.served.has_status

    def verdict(
        self,
        obj: Mapping[str, Any],
        old: Mapping[str, Any] | None = None,
        subresource: str | None = None,
        field_validation: str = "Warn",
        *,
        replace: bool = False,
    ) -> Verdict:
        """Return the API server's answer to a creation of ``obj``, or to an update from ``old``.

        ``subresource`` is "status" for a PUT of the status, else None; ``old`` counts as stored and is never validated.
        ``field_validation`` is Warn, Strict or Ignore. ``replace``: ``obj`` is the body of a PUT as it is sent, which
        needs a resourceVersion; kubectl adds it, so without ``replace`` it is that of ``old``. Neither object is
        changed. Raises ValueError for another subresource or field validation, and for a status update without an old
        object.
        """
        _check_field_validation(field_validation)
        return self.prepare(obj, old, subresource, replace=replace).verdict(field_validation)

    def prepare(
        self,
        obj: Mapping[str, Any],
        old: Mapping[str, Any] | None = None,
        subresource: str | None = None,
        *,
        replace: bool = False,
    ) -> PreparedRequest:
        """Return the prepared request of `verdict`, which counts its unknown fields and can be judged without repeated
        work.

        Raises ValueError as `verdict` does.
        """
        if subresource not in {None, "", "status"}:
            raise ValueError(f"subresource must be None or 'status', not {subresource!r}")
        if subresource and old is None:
            raise ValueError("an update of the status needs the old object")
        return PreparedRequest(self.served, self.load, obj, old, subresource or None, replace=replace)


def _check_field_validation(field_validation: str) -> None:
    if field_validation not in _FIELD_VALIDATION:
        raise ValueError(f"field_validation must be one of {', '.join(_FIELD_VALIDATION)}, not {field_validation!r}")


class Store(Protocol):
    """Keeps compiled definitions between processes; `validators.fast.disk_store.DiskStore` is one."""

    def load(self, key: str) -> bytes | None:
        """The content under a key, or None."""

    def save(self, key: str, data: bytes) -> None:
        """Store content under a key."""


def compile_crd(
    crd_mapping: Mapping[str, Any],
    version: str | None = None,
    kubernetes: str = DEFAULT_KUBERNETES,
    store: Store | None = None,
    rule_id: "RuleId | None" = None,
) -> CompiledCRD:
    """Compile one version of a definition as ``kubernetes`` would serve it.

    The default is the storage version, or the newest served one if that is not served.

    With a ``store``, a definition that the same program compiled before is read from there. The errors of a rule
    contain its ``rule_id``, else its location in the schema; definitions compiled with ids are not stored. Raises
    `InvalidCRD` with the errors of a definition that the API server would refuse, and ValueError for a Kubernetes
    version before 1.29 or an invalid one.
    """
    _check_kubernetes(kubernetes)
    definition = as_definition(crd_mapping)
    if store is None or rule_id is not None:
        return _compiled(definition, version, kubernetes, rule_id)
    key = key_of(definition, version, kubernetes)
    return _through(store, key, lambda: (definition, _compiled(definition, version, kubernetes)), kubernetes)


def compile_source(
    source: bytes,
    define: Callable[[], Mapping[str, Any]],
    version: str | None = None,
    kubernetes: str = DEFAULT_KUBERNETES,
    store: Store | None = None,
    rule_id: "RuleId | None" = None,
) -> CompiledCRD:
    """Like `compile_crd`, but calls ``define`` to create the definition from ``source`` only if the store lacks it.

    ``source`` must determine the definition and the ids of its rules.
    """
    if store is None:
        return compile_crd(define(), version, kubernetes, rule_id=rule_id)
    _check_kubernetes(kubernetes)

    def compiled() -> tuple[Any, CompiledCRD]:
        definition = as_definition(define())
        return definition, _compiled(definition, version, kubernetes, rule_id)

    return _through(store, key_of_text(source, version, kubernetes), compiled, kubernetes, rule_id)


def _check_kubernetes(kubernetes: str) -> None:
    if minor(kubernetes) < OLDEST_MINOR:
        raise ValueError(f"Kubernetes {kubernetes} is older than 1.{OLDEST_MINOR}")


def as_definition(crd_mapping: Any) -> Any:
    """Return a definition as JSON values. Raises `InvalidCRD` if it has others."""
    try:
        return as_json(dict(crd_mapping) if isinstance(crd_mapping, Mapping) else crd_mapping)
    except UnfitValue as fault:
        raise InvalidCRD([FieldError(ErrorType.INVALID, "<nil>", detail=str(fault))]) from None


def _through(
    store: Store,
    key: str,
    make: Callable[[], tuple[Any, CompiledCRD]],
    kubernetes: str,
    rule_id: "RuleId | None" = None,
) -> CompiledCRD:
    """Return the compiled definition of a key in the store; ``make`` and store it if there is none."""
    data = store.load(key)
    kept = None if data is None else unpack(data)
    if kept is not None:
        return _restored(kept, kubernetes, rule_id)
    definition, made = make()
    if made.served.fast is not None:
        store.save(key, pack(_artefact(made, made.served.fast, definition)))
    return made


def _compiled(definition: Any, version: str | None, kubernetes: str, rule_id: "RuleId | None" = None) -> CompiledCRD:
    from ovnguard.validators.crd.compiler import Compiler, Flawed  # stored definitions need no compiler

    try:
        endpoint = Compiler(definition, kubernetes, rule_id).compile(version)
    except Flawed as flaws:
        raise InvalidCRD(flaws.errors) from None
    return CompiledCRD(served_version(endpoint), lambda: endpoint)


def _artefact(made: CompiledCRD, fast: AcceptPath, definition: dict[str, Any]) -> Artefact:
    from ovnguard.validators.crd.restore import rule_rows

    served = made.served
    names = (served.group, served.version, served.kind, served.plural)
    return Artefact(names, served.deprecation, fast.plan, fast.resource, packed(definition), rule_rows(made.endpoint))


def _restored(kept: Artefact, kubernetes: str, rule_id: "RuleId | None") -> CompiledCRD:
    """A stored definition: its generated code is loaded now, everything else on demand."""
    resource = kept.resource
    fast = AcceptPath(kept.plan, resource)
    served = ServedVersion(*kept.names, resource.namespaced, resource.has_status, kept.deprecation, fast)
    return CompiledCRD(served, cache(partial(_endpoint, kept, fast, kubernetes, rule_id)))


def _endpoint(kept: Artefact, fast: AcceptPath, kubernetes: str, rule_id: "RuleId | None") -> "Endpoint":
    from ovnguard.validators.crd.restore import restore  # accepting needs no schema

    found = restore(kept, fast, kubernetes)
    return _compiled(kept.definition, kept.names[1], kubernetes, rule_id).load() if found is None else found
