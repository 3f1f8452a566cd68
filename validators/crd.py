"""A CustomResourceDefinition compiled: what judges the objects of one of its versions.

Source: apiextensions-apiserver, ``pkg/apis/apiextensions`` and ``pkg/apiserver/customresource_handler.go``.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from validators.field import NEWEST_KUBERNETES, OMITTED, ErrorType, FieldError, minor
from validators.structural import cel_walk
from validators.structural.default_check import DefaultCheck
from validators.structural.definition import (
    Definition,
    Malformed,
    check_columns,
    check_conversion,
    check_head,
    check_meta,
    check_names,
    check_preserving,
    check_rest,
    check_subresources,
    check_version_names,
    check_versions,
)
from validators.structural.embedded import has_embedded
from validators.structural.equality import UnfitValue, as_json
from validators.structural.field_path import normalise
from validators.structural.goschema import go_rule
from validators.structural.keywords import KeywordCheck, Scope
from validators.structural.model import NO_DEFAULT, MalformedSchema, RuleSpec, Schema, parse_schema
from validators.structural.request import Kind, Refused, read_new
from validators.structural.root_check import check_root, check_selectable
from validators.structural.scale import Scale
from validators.structural.spine import check_structural, children, is_convertible
from validators.structural.versions import priority
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
        raise InvalidCRD([FieldError(ErrorType.INVALID, "<nil>", detail=str(fault))]) from None
    return _Compiler(definition, kubernetes).compile(version)


class _Compiler:
    """Checks a whole definition, then builds what judges one of its versions."""

    def __init__(self, source: dict[str, Any], kubernetes: str) -> None:
        self.kubernetes = kubernetes
        self.rules: dict[int, tuple[cel_walk.BoundRule, ...]] = {}
        if source.get("apiVersion") != "apiextensions.k8s.io/v1" or source.get("kind") != "CustomResourceDefinition":
            wanted = "must be a CustomResourceDefinition of apiextensions.k8s.io/v1"
            raise InvalidCRD([FieldError(ErrorType.INVALID, "kind", source.get("kind"), wanted)])
        try:
            self.definition = Definition(source)
            self.schemas = [self._schema(version) for version in self.definition.versions]
        except Malformed as fault:
            raise InvalidCRD([FieldError(ErrorType.INVALID, fault.field, detail=fault.detail)]) from None

    @staticmethod
    def _schema(version: Mapping[str, Any]) -> Schema | None:
        source = (version.get("schema") or {}).get("openAPIV3Schema")
        try:
            return None if source is None else parse_schema(source)
        except MalformedSchema as fault:
            raise Malformed(f"spec.versions.schema.openAPIV3Schema.{fault.location}", fault.detail) from None

    def compile(self, version: str | None) -> CompiledCRD:
        errors = self.check()
        if errors:
            raise InvalidCRD(errors)
        versions = self.definition.versions
        storage = next(index for index, one in enumerate(versions) if one.get("storage"))
        wanted = next(
            (index for index, one in enumerate(versions) if one.get("served") and one.get("name") == version),
            storage if version is None and versions[storage].get("served") else None,
        )
        if wanted is None:
            detail = f"{version or 'the storage version'} is not served"
            raise InvalidCRD([FieldError(ErrorType.NOT_FOUND, "spec.versions", version or OMITTED, detail)])
        serves = self._kind(wanted)
        webhook = self.definition.conversion.get("strategy") == "Webhook"
        subresources = versions[wanted].get("subresources") or {}
        endpoint = Endpoint(
            serves=serves,
            storage=serves if wanted == storage or webhook else self._kind(storage),
            has_status=subresources.get("status") is not None,
            scale=_scale(subresources.get("scale")),
            rules=cel_walk.build(serves.schema, self._bound),
            deprecation=_deprecation(self.definition, versions[wanted]),
            kubernetes=self.kubernetes,
        )
        return CompiledCRD(endpoint)

    def check(self) -> list[FieldError]:
        """Everything that the API server finds in the definition, in its order."""
        definition = self.definition
        try:
            errors = check_meta(definition)
        except Malformed as fault:
            raise InvalidCRD([FieldError(ErrorType.INVALID, fault.field, detail=fault.detail)]) from None
        errors += check_head(definition)
        errors += check_preserving(definition, has_defaults=any(map(_has_default, filter(None, self.schemas))))
        errors += check_version_names(definition)
        for path, version in definition.places("schema", "validation"):
            schema = self.schemas[definition.versions.index(version)]
            if schema is not None:
                errors += self._check_schema(schema, f"{path}.openAPIV3Schema", version)
        for path, version in definition.places("selectableFields", "selectableFields"):
            schema = self.schemas[definition.versions.index(version)]
            fields = version.get("selectableFields")
            if fields and schema is not None:
                errors += check_selectable(fields, schema, path)
        errors += check_versions(definition)
        errors += check_names(definition)
        errors += check_subresources(definition)
        errors += check_columns(definition)
        errors += check_conversion(definition)
        errors += check_rest(definition)
        return errors

    def _check_schema(self, schema: Schema, path: str, version: Mapping[str, Any]) -> list[FieldError]:
        statuses = [(one.get("subresources") or {}).get("status") for one in self.definition.versions]
        if path.startswith("spec.versions"):
            statuses = [(version.get("subresources") or {}).get("status")]
        errors = list(check_root(schema, path, has_status=any(status is not None for status in statuses)))
        compile_rules = None
        if is_convertible(schema):
            found = check_structural(schema, path) or DefaultCheck(self._run_on_default).check(schema, path)
            errors += found
            compile_rules = None if found else self._compile_rules
        found_here = KeywordCheck(compile_rules).node(schema, path, Scope(), root=True)
        return errors + found_here.schema + found_here.cel

    def _kind(self, index: int) -> Kind:
        definition = self.definition
        schema = self.schemas[index]
        assert schema is not None
        return Kind(
            group=definition.group,
            version=definition.versions[index]["name"],
            kind=definition.names["kind"],
            plural=definition.names["plural"],
            namespaced=definition.scope == "Namespaced",
            schema=schema,
            embeds=has_embedded(schema),
        )

    def _bound(self, schema: Schema, is_root: bool) -> tuple[cel_walk.BoundRule, ...]:
        """The compiled rules of a node; those that do not compile are left to the errors of `_compile_rules`."""
        if id(schema) not in self.rules:
            compiled = [self._rule(rule, schema, index, is_root) for index, rule in enumerate(schema.rules)]
            self.rules[id(schema)] = tuple(one for one in compiled if isinstance(one, cel_walk.BoundRule))
        return self.rules[id(schema)]

    def _rule(self, rule: RuleSpec, schema: Schema, index: int, is_root: bool) -> "cel_walk.BoundRule | str":
        """The compiled rule, or the complaint about it."""
        from validators.cel import InvalidRule, compile_rule  # noqa: PLC0415 - a definition without rules needs no CEL

        source = {**schema.source, "x-kubernetes-embedded-resource": True} if is_root else schema.source
        try:
            compiled = compile_rule(
                rule.rule,
                source,
                message=rule.message,
                message_expression=rule.message_expression,
                reason=rule.reason,
                field_path=rule.field_path,
                optional_old_self=rule.optional_old_self,
                kubernetes=self.kubernetes,
            )
        except InvalidRule as fault:
            return fault.text
        field = normalise(rule.field_path, schema) if rule.field_path else ""
        return cel_walk.BoundRule(compiled, rule, field, f"{schema.at('x-kubernetes-validations')}[{index}]")

    def _compile_rules(self, schema: Schema, path: str, uncorrelated: str, is_root: bool) -> list[FieldError]:
        errors: list[FieldError] = []
        bound = []
        written = schema.source["x-kubernetes-validations"]
        for index, rule in enumerate(schema.rules):
            where = f"{path}.x-kubernetes-validations[{index}]"
            compiled = self._rule(rule, schema, index, is_root)
            if isinstance(compiled, str):
                errors.append(FieldError(ErrorType.INVALID, f"{where}.rule", go_rule(written[index]), compiled))
                continue
            bound.append(compiled)
            if compiled.compiled.is_transition and uncorrelated:
                told = "oldSelf cannot be used on the uncorrelatable portion of the schema within"
                errors.append(FieldError(ErrorType.INVALID, f"{where}.rule", rule.rule, f"{told} {uncorrelated}"))
            elif not compiled.compiled.is_transition and rule.optional_old_self is not None:
                told = "may not be set if oldSelf is not used in rule"
                at, value = f"{where}.optionalOldSelf", rule.optional_old_self
                errors.append(FieldError(ErrorType.INVALID, at, value, told))
        self.rules[id(schema)] = tuple(bound)
        return errors

    def _run_on_default(self, schema: Schema, is_root: bool, value: Any, path: str) -> list[FieldError]:
        """The rules must hold for a default, as its own old value and without one."""
        node = cel_walk.build(schema, self._bound, is_root=is_root)
        if node is None:
            return []
        kept = cel_walk.run(node, value, value, None, path).errors
        return kept or cel_walk.run(node, value, None, None, path).errors


def _has_default(schema: Schema) -> bool:
    return schema.default is not NO_DEFAULT or any(map(_has_default, children(schema)))


def _scale(source: Mapping[str, Any] | None) -> Scale | None:
    if not source:
        return None
    return Scale(
        source.get("specReplicasPath", ""), source.get("statusReplicasPath", ""), source.get("labelSelectorPath")
    )


def _deprecation(definition: Definition, version: Mapping[str, Any]) -> tuple[str, ...]:
    """The warning that goes with every answer of a deprecated version."""
    if not version.get("deprecated"):
        return ()
    if (text := version.get("deprecationWarning")) is not None:
        return (text,)
    name, kind = version["name"], definition.names["kind"]
    newer = [
        one["name"]
        for one in definition.versions
        if one.get("served") and not one.get("deprecated") and priority(one["name"]) > priority(name)
    ]
    use = f"; use {definition.group}/{max(newer, key=priority)} {kind}" if newer else ""
    return (f"{definition.group}/{name} {kind} is deprecated{use}",)
