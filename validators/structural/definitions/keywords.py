"""Checks of schema keywords that do not depend on structure: which keyword may be where, and list types.

Source: apiextensions-apiserver, ``pkg/apis/apiextensions/validation`` (ValidateCustomResourceDefinitionOpenAPISchema).
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from ovnguard.validators.base.field import FieldError, not_supported
from ovnguard.validators.base.validation_rule import text_errors
from ovnguard.validators.go.text import Boxed, Texts
from ovnguard.validators.structural.definitions.allowances import Allowances
from ovnguard.validators.structural.definitions.structural_check import forbidden, invalid, required, structural_fault
from ovnguard.validators.structural.schema.definition_types import ITEMS, typed_error
from ovnguard.validators.structural.schema.schema import NO_DEFAULT, Schema

TYPES: Final = ("array", "boolean", "integer", "number", "object", "string")
_META: Final = frozenset({"metadata", "kind", "apiVersion"})
_CORRELATED_MAPS: Final = frozenset({None, "granular", "atomic"})


@dataclass(frozen=True, slots=True)
class Scope:
    """The context of a node: why defaults are forbidden, whether it is inside metadata, the uncorrelatable path above
    it.
    """

    no_defaults: str = ""
    inside_meta: bool = False
    uncorrelated: str = ""

    def below(self, path: str) -> "Scope":
        """Return the scope below a path that cannot be correlated. An outer path is kept."""
        return self if self.uncorrelated else replace(self, uncorrelated=path)


CompileRules = Callable[[Schema, str, str, bool], list[FieldError]]
"""Compiles the rules of a node.

Arguments: node, its path, the uncorrelatable path above it, whether a resource's root.
"""


@dataclass(slots=True)
class Found:
    """The errors of the schema, and those of CEL, which come last."""

    schema: list[FieldError] = field(default_factory=list)
    cel: list[FieldError] = field(default_factory=list)

    def add(self, other: "Found") -> None:
        """Add the errors of a child."""
        self.schema += other.schema
        self.cel += other.cel


class KeywordCheck:
    """Walks one schema once. ``compile_rules`` is None if CEL must wait until other errors are fixed.

    ``allowed`` are the faults that are no errors.
    """

    def __init__(self, compile_rules: CompileRules | None, allowed: Allowances) -> None:
        self.compile_rules = compile_rules
        self._allowed = allowed

    def node(self, schema: Schema, path: str, scope: Scope, *, root: bool = False, spine: bool = True) -> Found:
        """Return the errors of a node and of everything below it.

        ``spine`` is false in branches, which have no rules.
        """
        found = Found(_standard(schema, path, scope, self._allowed))
        if schema.unique_items:
            detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
            found.schema.append(forbidden(f"{path}.uniqueItems", detail))
        self._additional(schema, path, scope, found, spine=spine)
        self._properties(schema, path, scope, found, root=root, spine=spine)
        self._branches(schema, path, scope, found)
        self._unsupported(schema, path, scope, found, "definitions[")
        below = scope if schema.list_type == "map" else scope.below(path)
        if schema.items is not None:
            found.add(self.node(schema.items, f"{path}.items", below, spine=spine))
        self._unsupported(schema, path, below, found, "items[")
        self._unsupported(schema, path, scope, found, "dependencies[")
        found.schema += _extensions(schema, path, self._allowed)
        found.schema += _list_map(schema, path)
        found.schema += [] if self._allowed.loose_keys else list_key_errors(schema, path)
        if schema.rules:
            # Without a structural form there is no field to look a path up in.
            source = None if structural_fault(schema) else schema.source
            for index, rule in enumerate(schema.rules):
                found.schema += text_errors(rule, f"{path}.x-kubernetes-validations[{index}]", source)
            if not found.schema and spine and self.compile_rules is not None:
                found.cel += self.compile_rules(schema, path, scope.uncorrelated, root or schema.embedded)
        return found

    def _additional(self, schema: Schema, path: str, scope: Scope, found: Found, *, spine: bool) -> None:
        where = f"{path}.additionalProperties"
        if schema.properties and (schema.additional is not None or schema.additional_allowed is False):
            found.schema.append(forbidden(where, "additionalProperties and properties are mutual exclusive"))
        if schema.additional is not None:
            if scope.inside_meta:
                scope = replace(scope, no_defaults="inside additionalProperties applying to object metadata")
            found.add(self.node(schema.additional, where, scope, spine=spine))

    def _properties(self, schema: Schema, path: str, scope: Scope, found: Found, *, root: bool, spine: bool) -> None:
        base = scope if schema.source.get("x-kubernetes-map-type") in _CORRELATED_MAPS else scope.below(path)
        for name, child in schema.properties.items():
            inner = base
            if (root or schema.embedded) and name in _META:
                inner = replace(base, inside_meta=True)
                if root:
                    inner = replace(inner, no_defaults=f"in top-level {name}")
            found.add(self.node(child, f"{path}.properties[{name}]", inner, spine=spine))

    def _branches(self, schema: Schema, path: str, scope: Scope, found: Found) -> None:
        if schema.negated is not None:
            found.add(self.node(schema.negated, f"{path}.not", scope, spine=False))
        for keyword, branches in (("allOf", schema.all_of), ("oneOf", schema.one_of), ("anyOf", schema.any_of)):
            for index, branch in enumerate(branches):
                found.add(self.node(branch, f"{path}.{keyword}[{index}]", scope, spine=False))

    def _unsupported(self, schema: Schema, path: str, scope: Scope, found: Found, start: str) -> None:
        for place, child in schema.unsupported.items():
            if place.startswith(start):
                found.add(self.node(child, f"{path}.{place}", scope, spine=False))


def _standard(schema: Schema, path: str, scope: Scope, allowed: Allowances) -> list[FieldError]:
    source = schema.source
    errors = []
    kind = source.get("type") or ""
    if kind and kind not in TYPES and not allowed.types:
        errors.append(not_supported(f"{path}.type", kind, TYPES))
    if schema.default is not NO_DEFAULT and scope.no_defaults:
        errors.append(forbidden(f"{path}.default", f"must not be set {scope.no_defaults}"))
    if source.get("id"):
        errors.append(forbidden(f"{path}.id", "id is not supported"))
    if source.get("additionalItems") is not None:
        errors.append(forbidden(f"{path}.additionalItems", "additionalItems is not supported"))
    errors += [
        forbidden(f"{path}.{key}", f"{key} is not supported")
        for key in ("patternProperties", "definitions")
        if source.get(key)
    ]
    errors += [
        forbidden(f"{path}.{key}", f"{key} is not supported")
        for key in ("dependencies", "$ref")
        if source.get(key) is not None
    ]
    if kind == "null":
        errors.append(forbidden(f"{path}.type", "type cannot be set to null, use nullable as an alternative"))
    if isinstance(source.get("items"), list) and source["items"]:
        errors.append(forbidden(f"{path}.items", "items must be a schema object and not an array"))
    if scope.inside_meta and schema.embedded:
        errors.append(forbidden(f"{path}.x-kubernetes-embedded-resource", "must not be used inside of resource meta"))
    return errors


def _extensions(schema: Schema, path: str, allowed: Allowances) -> list[FieldError]:
    source = schema.source
    kind = source.get("type") or ""
    errors = []
    if source.get("x-kubernetes-preserve-unknown-fields") is False:
        errors.append(invalid(f"{path}.x-kubernetes-preserve-unknown-fields", False, "must be true or undefined"))
    map_type, list_type = source.get("x-kubernetes-map-type"), source.get("x-kubernetes-list-type")
    if map_type is not None and kind != "object":
        errors.append(_wrong_type(path, kind, "must be object if x-kubernetes-map-type is specified"))
    if map_type is not None and map_type not in {"atomic", "granular"}:
        errors.append(not_supported(f"{path}.x-kubernetes-map-type", map_type, ("atomic", "granular")))
    if list_type is not None and kind != "array":
        errors.append(_wrong_type(path, kind, "must be array if x-kubernetes-list-type is specified"))
    elif not allowed.loose_sets:
        errors += set_item_errors(schema, path)
    if list_type is not None and list_type not in {"atomic", "set", "map"}:
        errors.append(not_supported(f"{path}.x-kubernetes-list-type", list_type, ("atomic", "set", "map")))
    return errors


def _wrong_type(path: str, kind: str, detail: str) -> FieldError:
    return invalid(f"{path}.type", kind, detail) if kind else required(f"{path}.type", detail)


def set_item_errors(schema: Schema, path: str) -> list[FieldError]:
    """Return the errors of the items of a list of type set: they must be atomic."""
    items, path = schema.items, f"{path}.items"
    if items is None or schema.list_type != "set":
        return []
    detail = "must be atomic as item of a list with x-kubernetes-list-type=set"
    kind = items.source.get("type")
    list_type = items.source.get("x-kubernetes-list-type")
    if kind == "array" and list_type is not None and list_type != "atomic":
        return [invalid(f"{path}.x-kubernetes-list-type", Boxed(list_type), detail)]
    if kind == "object" and items.map_type != "atomic":
        # The API server shows the list type here, although an object has none.
        shown = None if list_type is None else Boxed(list_type)
        return [invalid(f"{path}.x-kubernetes-map-type", shown, detail)]
    return []


def _list_map(schema: Schema, path: str) -> list[FieldError]:
    list_type = schema.source.get("x-kubernetes-list-type")
    where, keys = f"{path}.x-kubernetes-list-type", schema.list_map_keys
    errors = []
    if keys and list_type != "map":
        detail = "must be map if x-kubernetes-list-map-keys is non-empty"
        errors.append(required(where, detail) if list_type is None else invalid(where, list_type, detail))
    if list_type != "map":
        return errors
    if not keys:
        detail = "must not be empty if x-kubernetes-list-type is map"
        errors.append(required(f"{path}.x-kubernetes-list-map-keys", detail))
    items = schema.items
    if items is None:
        written = schema.source.get("items")
        if written is None:
            errors.append(required(f"{path}.items", "must have a schema if x-kubernetes-list-type is map"))
        else:
            detail = "must only have a single schema if x-kubernetes-list-type is map"
            errors.append(typed_error(f"{path}.items", ITEMS, written, detail))
        return errors
    kind = items.source.get("type") or ""
    if kind != "object":
        detail = "must be object if parent array's x-kubernetes-list-type is map"
        return [*errors, invalid(f"{path}.items.type", kind, detail)]
    return errors + _keys(keys, items, path)


def _keys(keys: tuple[str, ...], items: Schema, path: str) -> list[FieldError]:
    errors = []
    where, shown, seen = f"{path}.x-kubernetes-list-map-keys", Texts(keys), set()
    for key in keys:
        child = items.properties.get(key)
        if child is None:
            errors.append(invalid(where, shown, "entries must all be names of item properties"))
        elif child.source.get("type") in {"array", "object"}:
            detail = "must be a scalar type if parent array's x-kubernetes-list-type is map"
            errors.append(invalid(f"{path}.items.properties[{key}].type", "object", detail))
        if key in seen:
            errors.append(invalid(where, shown, "must not contain duplicate entries"))
        seen.add(key)
    return errors


def list_key_errors(schema: Schema, path: str) -> list[FieldError]:
    """Return the errors of the items of a list of type set or map that may be null, or lack a key."""
    items = schema.items
    if items is None or schema.list_type not in {"set", "map"}:
        return []
    errors = []
    if items.nullable:
        detail = f"cannot be nullable when x-kubernetes-list-type is {schema.list_type}"
        errors.append(forbidden(f"{path}.items.nullable", detail))
    if schema.list_type == "set":
        return errors
    start = "this property is in x-kubernetes-list-map-keys, so it"
    for key in schema.list_map_keys:
        child = items.properties.get(key)
        if child is None:
            continue
        where = f"{path}.items.properties[{key}]"
        if key not in items.required and child.default is NO_DEFAULT:
            errors.append(required(f"{where}.default", f"{start} must have a default or be a required property"))
        if child.nullable:
            errors.append(forbidden(f"{where}.nullable", f"{start} cannot be nullable"))
    return errors
