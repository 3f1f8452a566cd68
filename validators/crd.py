"""A CustomResourceDefinition compiled: what judges the objects of one of its versions.

Source: apiextensions-apiserver, ``pkg/apis/apiextensions`` and ``pkg/apiserver/customresource_handler.go``.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from validators.field import NEWEST_KUBERNETES, ErrorType, FieldError, minor
from validators.structural import cel_walk
from validators.structural.embedded import has_embedded
from validators.structural.equality import UnfitValue, as_json
from validators.structural.field_path import BadFieldPath, normalise
from validators.structural.model import MalformedSchema, RuleSpec, Schema, parse_schema
from validators.structural.request import Kind, Refused, read_new
from validators.structural.scale import Scale
from validators.verdict import Endpoint, Verdict, judge

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

    endpoint: Endpoint

    @property
    def group(self) -> str:
        """The API group."""
        return self.endpoint.serves.group

    @property
    def version(self) -> str:
        """The served version that this judges."""
        return self.endpoint.serves.version

    @property
    def kind(self) -> str:
        """The kind of its objects."""
        return self.endpoint.serves.kind

    @property
    def plural(self) -> str:
        """The name of the resource in URLs."""
        return self.endpoint.serves.plural

    @property
    def scope(self) -> str:
        """Namespaced or Cluster."""
        return "Namespaced" if self.endpoint.serves.namespaced else "Cluster"

    @property
    def has_status(self) -> bool:
        """Whether the status subresource is on."""
        return self.endpoint.has_status

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
        if subresource not in {None, "", "status"}:
            raise ValueError(f"subresource {subresource!r} is none of None and 'status'")
        if field_validation not in _FIELD_VALIDATION:
            raise ValueError(f"field_validation {field_validation!r} is none of {', '.join(_FIELD_VALIDATION)}")
        if subresource and old is None:
            raise ValueError("an update of the status needs the old object")
        return judge(self.endpoint, obj, old, subresource or None, field_validation)

    def unknown_fields(self, obj: Mapping[str, Any]) -> tuple[str, ...]:
        """The paths of ``obj`` that the schema does not know; none where the object cannot be decoded at all."""
        try:
            return tuple(read_new(self.endpoint.serves, obj)[1])
        except Refused:
            return ()


def compile_crd(
    crd_mapping: Mapping[str, Any], version: str | None = None, kubernetes: str = NEWEST_KUBERNETES
) -> CompiledCRD:
    """Compile one version of a definition (default: the storage version) as ``kubernetes`` would serve it.

    Raises `InvalidCRD` with the errors of a definition that the API server would not take, and ValueError for a
    Kubernetes version before 1.29 or none at all.
    """
    if minor(kubernetes) < _OLDEST_MINOR:
        raise ValueError(f"Kubernetes {kubernetes} is older than 1.{_OLDEST_MINOR}")
    try:
        definition = as_json(crd_mapping if isinstance(crd_mapping, dict) else dict(crd_mapping))
    except UnfitValue as fault:
        raise InvalidCRD([FieldError(ErrorType.INVALID, fault.path or "<nil>", detail=fault.detail)]) from None
    return _Compiler(definition, kubernetes).compile(version)


class _Compiler:
    def __init__(self, definition: dict[str, Any], kubernetes: str) -> None:
        self.definition = definition
        self.kubernetes = kubernetes
        self.errors: list[FieldError] = []

    def compile(self, version: str | None) -> CompiledCRD:
        spec = self._mapping(self.definition, "spec", "spec")
        if self.definition.get("kind") != "CustomResourceDefinition":
            self._complain("kind", self.definition.get("kind"), "must be CustomResourceDefinition")
        if self.definition.get("apiVersion") != "apiextensions.k8s.io/v1":
            self._complain("apiVersion", self.definition.get("apiVersion"), "must be apiextensions.k8s.io/v1")
        self._stop()
        versions = [one for one in spec.get("versions") or () if isinstance(one, dict)]
        storage = next((one for one in versions if one.get("storage")), None)
        wanted = storage if version is None else next((one for one in versions if one.get("name") == version), None)
        if wanted is None or storage is None or not wanted.get("served"):
            name = version or "the storage version"
            self._complain("spec.versions", version, f"{name} is not served")
            self._stop()
        assert wanted is not None
        assert storage is not None
        serves = self._kind(spec, wanted)
        webhook = (spec.get("conversion") or {}).get("strategy") == "Webhook"
        kept = serves if wanted is storage or webhook else self._kind(spec, storage)
        rules = cel_walk.build(serves.schema, self._bind)
        self._stop()
        subresources = wanted.get("subresources") or {}
        endpoint = Endpoint(
            serves=serves,
            storage=kept,
            has_status=subresources.get("status") is not None,
            scale=_scale(subresources.get("scale")),
            rules=rules,
            deprecation=_deprecation(spec, wanted),
            kubernetes=self.kubernetes,
        )
        return CompiledCRD(endpoint)

    def _kind(self, spec: Mapping[str, Any], version: Mapping[str, Any]) -> Kind:
        names = spec.get("names") or {}
        source = (version.get("schema") or {}).get("openAPIV3Schema") or {}
        try:
            schema = parse_schema(source)
        except MalformedSchema as fault:
            self._complain(fault.location or "spec", None, fault.detail)
            schema = Schema("")
        return Kind(
            group=spec.get("group", ""),
            version=version.get("name", ""),
            kind=names.get("kind", ""),
            plural=names.get("plural", ""),
            namespaced=spec.get("scope") == "Namespaced",
            schema=schema,
            embeds=has_embedded(schema),
        )

    def _bind(self, schema: Schema, is_root: bool) -> tuple[cel_walk.BoundRule, ...]:
        source = {**schema.source, "x-kubernetes-embedded-resource": True} if is_root else schema.source
        return tuple(
            rule
            for index, spec in enumerate(schema.rules)
            if (rule := self._rule(spec, schema, source, f"{schema.at('x-kubernetes-validations')}[{index}]"))
        )

    def _rule(
        self, spec: RuleSpec, schema: Schema, source: Mapping[str, Any], location: str
    ) -> cel_walk.BoundRule | None:
        from validators.cel import InvalidRule, compile_rule  # noqa: PLC0415 - a definition without rules needs no CEL

        try:
            compiled = compile_rule(
                spec.rule,
                source,
                message=spec.message,
                message_expression=spec.message_expression,
                reason=spec.reason,
                field_path=spec.field_path,
                optional_old_self=spec.optional_old_self,
                kubernetes=self.kubernetes,
            )
            field = normalise(spec.field_path, schema) if spec.field_path else ""
        except InvalidRule as fault:
            self._complain(location, spec.rule, str(fault))
            return None
        except BadFieldPath as fault:
            self._complain(f"{location}.fieldPath", spec.field_path, f"fieldPath must be a valid path: {fault}")
            return None
        return cel_walk.BoundRule(compiled, spec, field, location)

    def _mapping(self, source: Mapping[str, Any], key: str, path: str) -> Mapping[str, Any]:
        value = source.get(key)
        if not isinstance(value, dict):
            self._complain(path, value, "must be an object")
            self._stop()
        return value or {}

    def _complain(self, field: str, value: Any, detail: str) -> None:
        self.errors.append(FieldError(ErrorType.INVALID, field, value, detail))

    def _stop(self) -> None:
        if self.errors:
            raise InvalidCRD(self.errors)


def _scale(source: Mapping[str, Any] | None) -> Scale | None:
    if not source:
        return None
    return Scale(
        source.get("specReplicasPath", ""), source.get("statusReplicasPath", ""), source.get("labelSelectorPath")
    )


def _deprecation(spec: Mapping[str, Any], version: Mapping[str, Any]) -> tuple[str, ...]:
    """The warning that goes with every answer of a deprecated version."""
    if not version.get("deprecated"):
        return ()
    if (text := version.get("deprecationWarning")) is not None:
        return (text,)
    group, kind = spec.get("group", ""), (spec.get("names") or {}).get("kind", "")
    return (f"{group}/{version.get('name')} {kind} is deprecated",)
