"""Compiles a CustomResourceDefinition to an endpoint: checks the whole definition, then compiles one version.

Source: apiextensions-apiserver, ``pkg/apis/apiextensions/validation`` and
``pkg/apiserver/customresource_handler.go``.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final

from ovnguard.validators.base.field import ErrorType, FieldError, Older, minor
from ovnguard.validators.base.validation_rule import RuleId
from ovnguard.validators.crd.rule_compiler import RuleCompiler
from ovnguard.validators.crd.strategy import Endpoint, accelerated
from ovnguard.validators.go.json_decode import Undecodable, fold
from ovnguard.validators.go.text import go_kind
from ovnguard.validators.structural.definitions.allowances import NEW
from ovnguard.validators.structural.definitions.conversion_check import check_conversion
from ovnguard.validators.structural.definitions.default_check import DefaultCheck
from ovnguard.validators.structural.definitions.definition import Definition
from ovnguard.validators.structural.definitions.definition_check import (
    check_head,
    check_meta,
    check_names,
    check_preserving,
    check_rest,
    check_version_name,
    check_versions,
    priority,
)
from ovnguard.validators.structural.definitions.keywords import KeywordCheck, Scope
from ovnguard.validators.structural.definitions.ratcheting import allowances, has_extensions
from ovnguard.validators.structural.definitions.root_check import check_root, check_selectable
from ovnguard.validators.structural.definitions.stored_definition import StoredDefinition
from ovnguard.validators.structural.definitions.structural_check import (
    check_structural,
    children,
    invalid,
    structural_fault,
)
from ovnguard.validators.structural.definitions.version_check import (
    check_columns,
    check_deprecation,
    check_subresources,
)
from ovnguard.validators.structural.metadata.embedded_resources import has_embedded
from ovnguard.validators.structural.objects import rule_evaluation
from ovnguard.validators.structural.objects.prepare import Kind
from ovnguard.validators.structural.objects.scale_subresource import Scale
from ovnguard.validators.structural.schema.schema import NO_DEFAULT, MalformedSchema, Schema, build_schema

_TYPE_META: Final = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}


class Flawed(ValueError):
    """A definition that the API server would refuse; ``errors`` has its errors."""

    def __init__(self, errors: Iterable[FieldError]) -> None:
        super().__init__("the definition is invalid")
        self.errors = tuple(errors)


class Compiler:
    """Checks a whole definition, new or in place of ``old``, then compiles one of its versions."""

    def __init__(
        self, source: Any, kubernetes: str, rule_id: RuleId | None = None, old: StoredDefinition | None = None
    ) -> None:
        self.kubernetes = kubernetes
        self.release = minor(kubernetes)
        self._rule_id, self._old = rule_id, old
        self.rules: dict[int, RuleCompiler] = {}
        check_type_meta(source)
        try:
            used = frozenset[str]() if old is None else old.used_features()
            self.definition = Definition(source, self.release, used)
        except Undecodable as fault:
            older = (Older(35, detail=fault.older),) if fault.older else ()
            error = FieldError(ErrorType.INVALID, fault.path or "<nil>", detail=str(fault), older=older)
            raise Flawed([error]) from None
        self.schemas = [_schema(version, index) for index, version in enumerate(self.definition.written)]
        self._allowed = NEW if old is None else allowances(self.definition, old, self.release)
        self._has_defaults = any(map(_has_default, filter(None, self.schemas)))

    def compile(self, version: str | None) -> Endpoint:
        """Return the endpoint of a version, of the storage version for None. Raises `Flawed`."""
        errors = self.check()
        if errors:
            raise Flawed(errors)
        versions = self.definition.written
        storage = next(index for index, one in enumerate(versions) if one.get("storage"))
        wanted = self._default_version(storage) if version is None else self._served_version(version)
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

    def _served_version(self, name: str) -> int:
        for index, one in enumerate(self.definition.written):
            if one.get("served") and one.get("name") == name:
                return index
        raise Flawed([FieldError(ErrorType.NOT_FOUND, "spec.versions", name, f"{name} is not served")])

    def _default_version(self, storage: int) -> int:
        """The storage version, or the newest served one if that is not served but another is."""
        served = [index for index, one in enumerate(self.definition.written) if one.get("served")]
        if storage in served or not served:
            return storage
        return max(served, key=lambda index: priority(self.definition.written[index]["name"]))

    def check(self) -> list[FieldError]:
        """All errors that the API server finds in a definition, in the order of a new one."""
        definition = self.definition
        errors = check_meta(definition, self.release)
        errors += self.check_spec()
        errors += check_rest(definition, self.release, self._old)
        return errors

    def check_spec(self) -> list[FieldError]:
        """All errors that it finds in ``spec`` before it compares that with the old one."""
        definition, allowed = self.definition, self._allowed
        errors = list(check_head(definition, allowed))
        errors += check_preserving(definition, has_defaults=self._has_defaults)
        for index, version in enumerate(definition.versions):
            path = f"spec.versions[{index}]"
            errors += check_version_name(version, path)
            errors += check_deprecation(version, f"{path}.deprecationWarning")
            has_status = definition.subresources_of(version).get("status") is not None
            errors += self._check_parts(version, path, index, has_status=has_status)
        errors += check_versions(definition)
        errors += check_names(definition)
        if self.schemas:
            errors += self._check_parts(definition.top, "spec", 0, has_status=definition.has_any_status())
        return errors + list(
            check_conversion(
                definition.conversion,
                self.release,
                preserves=definition.preserves,
                allowed=allowed,
                bundle=b"" if allowed.ca_bundle else definition.conversion_bundle,
            )
        )

    def _check_parts(self, holder: Mapping[str, Any], path: str, index: int, *, has_status: bool) -> list[FieldError]:
        """The errors of what a version has of its own, or of what all versions share."""
        errors: list[FieldError] = []
        schema, name = self.schemas[index], self.definition.versions[index].get("name", "")
        has_schema = holder.get("schema") is not None and (schema is not None or path == "spec")
        if schema is not None and has_schema:
            where = f"{self._schema_path(path)}.openAPIV3Schema"
            errors += self._check_schema(schema, where, name, has_status=has_status)
        errors += check_subresources(holder.get("subresources"), f"{path}.subresources")
        errors += check_columns(holder.get("additionalPrinterColumns"), f"{path}.additionalPrinterColumns")
        fields, where = holder.get("selectableFields"), f"{path}.selectableFields"
        if fields and not has_schema:
            owner = "validations.schema is" if path == "spec" else "`version.schema.openAPIV3Schema` is not"
            detail = f"may only be set when {owner} included"
            older = Older(34, detail=f"selectableFields {detail.replace('`', '')}")
            errors.append(invalid(where, "", detail, older))
        elif fields:
            crowded = ("" if path == "spec" else name) in self._allowed.crowded
            errors += check_selectable(fields, schema, where, crowded=crowded)
        return errors

    @staticmethod
    def _schema_path(path: str) -> str:
        return "spec.validation" if path == "spec" else f"{path}.schema"

    def _check_schema(self, schema: Schema, path: str, name: str, *, has_status: bool) -> list[FieldError]:
        errors = list(check_root(schema, path, has_status=has_status))
        rules = self._rules_of(schema, name)
        compile_rules = None
        must_fit = self._must_be_structural()
        fault = structural_fault(schema) if must_fit else ""
        if must_fit and not fault:
            found = check_structural(schema, path, self.release)
            if not found:
                runs, unpruned = partial(_run_on_default, rules), self._allowed.unpruned_defaults
                found = DefaultCheck(runs, self.kubernetes, unpruned=unpruned).check(schema, path)
            errors += found
            compile_rules = None if found else rules.check
        below = KeywordCheck(compile_rules, self._allowed).node(schema, path, Scope(), root=True)
        errors += below.schema + below.cel
        if fault and not errors:
            errors.append(invalid(path, "", fault))
        return errors + rules.total(path)

    def _must_be_structural(self) -> bool:
        if not self._allowed.structure or not self.definition.preserves or self._has_defaults:
            return True
        return any(map(has_extensions, filter(None, self.schemas)))

    def _rules_of(self, schema: Schema, name: str = "") -> RuleCompiler:
        """The rules of a version, compiled once; versions that share a schema share its object only if identical."""
        if id(schema) not in self.rules:
            self.rules[id(schema)] = RuleCompiler(schema, self.kubernetes, self._rule_id, self._allowed, name)
        return self.rules[id(schema)]

    def _kind(self, index: int) -> Kind:
        definition = self.definition
        schema = self.schemas[index]
        assert schema is not None
        return Kind(
            group=definition.group,
            version=definition.written[index]["name"],
            kind=definition.names["kind"],
            plural=definition.names["plural"],
            namespaced=definition.scope == "Namespaced",
            schema=schema,
            embeds=has_embedded(schema),
            kubernetes=self.kubernetes,
        )


def check_type_meta(source: Any) -> None:
    """Raise `Flawed` for another object than a definition of this API."""
    if type(source) is not dict:
        raise Flawed([FieldError(ErrorType.INVALID, "<nil>", detail=f"must be an object, got {go_kind(source)}")])
    if _type_meta(source) != _TYPE_META:
        wanted = "must be a CustomResourceDefinition of apiextensions.k8s.io/v1"
        raise Flawed([FieldError(ErrorType.INVALID, "kind", source.get("kind"), wanted)])


def _type_meta(source: Mapping[str, Any]) -> dict[str, str]:
    """The kind and version that the API server finds before it decodes: in letters of any case, the last one counts."""
    found = dict.fromkeys(_TYPE_META, "")
    names = {fold(name): name for name in _TYPE_META}
    # kubectl sends sorted keys.
    for key in sorted(source):
        name, value = names.get(fold(key)), source[key]
        if name is None or value is None:
            continue
        if type(value) is not str:
            place = f"Go struct field .{name} of type string"
            detail = (
                f"couldn't get version/kind; json parse error: json: cannot unmarshal {go_kind(value)} into {place}"
            )
            raise Flawed([FieldError(ErrorType.INVALID, key, detail=detail)])
        found[name] = value
    return found


def _schema(version: Mapping[str, Any], index: int) -> Schema | None:
    source = (version.get("schema") or {}).get("openAPIV3Schema")
    try:
        return None if source is None else build_schema(source)
    except MalformedSchema as fault:
        path = f"spec.versions[{index}].schema.openAPIV3Schema.{fault.location}"
        raise Flawed([FieldError(ErrorType.INVALID, path, detail=fault.detail)]) from None


def _run_on_default(rules: RuleCompiler, schema: Schema, is_root: bool, value: Any, path: str) -> list[FieldError]:
    """The rules must hold for a default, as its own old value and without one."""
    node = rule_evaluation.build(schema, rules.bound_or_failing, is_root=is_root)
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
        for one in definition.written
        if one.get("served") and not one.get("deprecated") and priority(one["name"]) > priority(name)
    ]
    use = f"; use {definition.group}/{max(newer, key=priority)} {kind}" if newer else ""
    return (f"{definition.group}/{name} {kind} is deprecated{use}",)
