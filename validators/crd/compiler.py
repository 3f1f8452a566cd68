"""Compiles a CustomResourceDefinition to an endpoint: checks the whole definition, then compiles one version.

Source: apiextensions-apiserver, ``pkg/apis/apiextensions/validation`` and
``pkg/apiserver/customresource_handler.go``.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from validators.base.field import OMITTED, ErrorType, FieldError
from validators.base.validation_rule import RuleId
from validators.crd.rule_compiler import RuleCompiler
from validators.crd.strategy import Endpoint, accelerated
from validators.go.text import go_kind
from validators.structural import rule_evaluation
from validators.structural.default_check import DefaultCheck
from validators.structural.definition_check import (
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
    priority,
)
from validators.structural.embedded_resources import has_embedded
from validators.structural.keywords import KeywordCheck, Scope
from validators.structural.prepare import Kind
from validators.structural.root_check import check_root, check_selectable
from validators.structural.scale_subresource import Scale
from validators.structural.schema import NO_DEFAULT, MalformedSchema, Schema, parse_schema
from validators.structural.structural_check import check_structural, children, is_convertible


class Flawed(ValueError):
    """A definition that the API server would refuse; ``errors`` has its errors."""

    def __init__(self, errors: Iterable[FieldError]) -> None:
        super().__init__("the definition is invalid")
        self.errors = tuple(errors)


class Compiler:
    """Checks a whole definition, then compiles one of its versions."""

    def __init__(self, source: Any, kubernetes: str, rule_id: RuleId | None = None) -> None:
        self.kubernetes = kubernetes
        self._rule_id = rule_id
        self.rules: dict[int, RuleCompiler] = {}
        if type(source) is not dict:
            raise Flawed([FieldError(ErrorType.INVALID, "<nil>", detail=f"must be an object, got {go_kind(source)}")])
        if source.get("apiVersion") != "apiextensions.k8s.io/v1" or source.get("kind") != "CustomResourceDefinition":
            wanted = "must be a CustomResourceDefinition of apiextensions.k8s.io/v1"
            raise Flawed([FieldError(ErrorType.INVALID, "kind", source.get("kind"), wanted)])
        try:
            self.definition = Definition(source)
            self.schemas = [self._schema(version) for version in self.definition.versions]
        except Malformed as fault:
            raise Flawed([FieldError(ErrorType.INVALID, fault.field, detail=fault.detail)]) from None

    @staticmethod
    def _schema(version: Mapping[str, Any]) -> Schema | None:
        source = (version.get("schema") or {}).get("openAPIV3Schema")
        try:
            return None if source is None else parse_schema(source)
        except MalformedSchema as fault:
            raise Malformed(f"spec.versions.schema.openAPIV3Schema.{fault.location}", fault.detail) from None

    def compile(self, version: str | None) -> Endpoint:
        """Return the endpoint of a version, of the storage version for None. Raises `Flawed`."""
        errors = self.check()
        if errors:
            raise Flawed(errors)
        versions = self.definition.versions
        storage = next(index for index, one in enumerate(versions) if one.get("storage"))
        wanted = next(
            (index for index, one in enumerate(versions) if one.get("served") and one.get("name") == version),
            storage if version is None and versions[storage].get("served") else None,
        )
        if wanted is None:
            detail = f"{version or 'the storage version'} is not served"
            raise Flawed([FieldError(ErrorType.NOT_FOUND, "spec.versions", version or OMITTED, detail)])
        serves = self._kind(wanted)
        webhook = self.definition.conversion.get("strategy") == "Webhook"
        subresources = versions[wanted].get("subresources") or {}
        endpoint = Endpoint(
            serves=serves,
            storage=serves if wanted == storage or webhook else self._kind(storage),
            has_status=subresources.get("status") is not None,
            scale=_scale(subresources.get("scale")),
            rules=rule_evaluation.build(serves.schema, self._rules_of(serves.schema).bound),
            deprecation=_deprecation(self.definition, versions[wanted]),
            kubernetes=self.kubernetes,
        )
        return accelerated(endpoint)

    def check(self) -> list[FieldError]:
        """All errors that the API server finds in the definition, in its order."""
        definition = self.definition
        try:
            errors = check_meta(definition)
        except Malformed as fault:
            raise Flawed([FieldError(ErrorType.INVALID, fault.field, detail=fault.detail)]) from None
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
        rules = self._rules_of(schema)
        compile_rules = None
        if is_convertible(schema):
            found = check_structural(schema, path) or DefaultCheck(partial(_run_on_default, rules)).check(schema, path)
            errors += found
            compile_rules = None if found else rules.check
        below = KeywordCheck(compile_rules).node(schema, path, Scope(), root=True)
        return errors + below.schema + below.cel + rules.total(path)

    def _rules_of(self, schema: Schema) -> RuleCompiler:
        """The rules of a version, compiled once; versions that share a schema share its object only if identical."""
        if id(schema) not in self.rules:
            self.rules[id(schema)] = RuleCompiler(schema, self.kubernetes, self._rule_id)
        return self.rules[id(schema)]

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


def _run_on_default(rules: RuleCompiler, schema: Schema, is_root: bool, value: Any, path: str) -> list[FieldError]:
    """The rules must hold for a default, as its own old value and without one."""
    node = rule_evaluation.build(schema, rules.bound, is_root=is_root)
    if node is None:
        return []
    kept = rule_evaluation.run(node, value, value, None, path).errors
    return kept or rule_evaluation.run(node, value, None, None, path).errors


def _has_default(schema: Schema) -> bool:
    return schema.default is not NO_DEFAULT or any(map(_has_default, children(schema)))


def _scale(source: Mapping[str, Any] | None) -> Scale | None:
    if not source:
        return None
    return Scale(
        source.get("specReplicasPath", ""), source.get("statusReplicasPath", ""), source.get("labelSelectorPath")
    )


def _deprecation(definition: Definition, version: Mapping[str, Any]) -> tuple[str, ...]:
    """The warning in every answer of a deprecated version."""
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
