"""Checks whether a schema is structural: every field has a type, and combinators only constrain declared fields.

Source: apiextensions-apiserver, ``pkg/apiserver/schema/validation.go``. Paths name the definition, not an object:
``spec.validation.openAPIV3Schema.properties[spec]``.
"""

from collections.abc import Iterator
from typing import Any, Final

from ovnguard.validators.base.field import ErrorType, FieldError, Older
from ovnguard.validators.structural.schema.patterns import BadPattern, compile_pattern
from ovnguard.validators.structural.schema.schema import Schema

_OPEN_BRANCHES_SINCE: Final = 31
_ROOT: Final = "at the root"
_ITEM: Final = "for specified array items"
_FIELD: Final = "for specified object fields"
_INT_OR_STRING: Final = ("integer", "string")
# The keywords that a branch must not have, with the server's words for them.
_FORBIDDEN: Final = (
    ("type", "must be empty to be structural"),
    ("default", "must be undefined to be structural"),
    ("title", "must be empty to be structural"),
    ("description", "must be empty to be structural"),
    ("nullable", "must be false to be structural"),
    ("x-kubernetes-preserve-unknown-fields", "must be false to be structural"),
    ("x-kubernetes-embedded-resource", "must be false to be structural"),
    ("x-kubernetes-int-or-string", "must be false to be structural"),
    ("x-kubernetes-list-map-keys", "must be empty to be structural"),
    ("x-kubernetes-list-type", "must be undefined to be structural"),
    ("x-kubernetes-map-type", "must be undefined to be structural"),
    ("x-kubernetes-validations", "must be empty to be structural"),
)
_PRESENT_IS_SET: Final = frozenset({"default", "x-kubernetes-list-type", "x-kubernetes-map-type"})
# Keywords without a structural form, with their names in the reason.
_UNSUPPORTED: Final = {
    "id": "id",
    "$schema": "schema",
    "$ref": "$ref",
    "patternProperties": "patternProperties",
    "dependencies": "dependencies",
    "additionalItems": "additionalItems",
    "definitions": "definitions",
}
# Keywords that a structural schema does not keep (documentation from 1.36 on), and lists that it does not keep if they
# are empty.
_DOCUMENTATION: Final = frozenset({"example", "externalDocs"})
_DOCUMENTED_SINCE: Final = 36
_EMPTY_LISTS: Final = ("enum", "allOf", "anyOf", "oneOf")

Errors = Iterator[FieldError]


def required(path: str, detail: str, *older: Older) -> FieldError:
    """Return the error of a missing keyword."""
    return FieldError(ErrorType.REQUIRED, path, "", detail, older=older)


def forbidden(path: str, detail: str) -> FieldError:
    """Return the error of a forbidden keyword."""
    return FieldError(ErrorType.FORBIDDEN, path, "", detail)


def invalid(path: str, value: Any, detail: str, *older: Older) -> FieldError:
    """Return the error of a keyword with a bad value."""
    return FieldError(ErrorType.INVALID, path, value, detail, older=older)


def structural_fault(schema: Schema) -> str:
    """Return why the schema has no structural form at all, "" if it has one.

    `validators.structural.definitions.keywords` reports all reasons except a ``$schema``.
    """
    source = schema.source
    for key, name in _UNSUPPORTED.items():
        if source.get(key) or (key in source and key == "additionalItems"):
            return f"OpenAPIV3Schema '{name}' is not supported"
    for branch in (*filter(None, (schema.negated,)), *schema.all_of, *schema.any_of, *schema.one_of):
        if fault := structural_fault(branch):
            return fault
    if source.get("x-kubernetes-preserve-unknown-fields") is False:
        return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
    if isinstance(source.get("items"), list) and source["items"]:
        return "OpenAPIV3Schema 'items' must be a schema, but is an array"
    below = filter(None, (schema.items, *schema.properties.values(), schema.additional))
    return next(filter(None, map(structural_fault, below)), "")


def children(schema: Schema) -> Iterator[Schema]:
    """Yield every direct child of a node, branches included, in the order of the API server."""
    yield from filter(None, (schema.items,))
    yield from (*schema.all_of, *schema.any_of, *schema.one_of)
    yield from filter(None, (schema.negated, *schema.properties.values(), schema.additional))
    yield from schema.unsupported.values()


def every_node(schema: Schema) -> Iterator[Schema]:
    """Yield a schema and every node below it, branches included."""
    yield schema
    for child in children(schema):
        yield from every_node(child)


def has_rules(schema: Schema) -> bool:
    """Return whether a node or any node below it has rules."""
    return bool(schema.rules) or any(map(has_rules, children(schema)))


def check_structural(schema: Schema, path: str, release: int) -> list[FieldError]:
    """Return the errors of the nodes and of their branches, sorted by text as the API server does.

    ``release`` is the minor number of the API server.
    """
    errors = [*_node(schema, path, _ROOT, release), *_completeness(schema, schema, path, path)]
    return sorted(errors, key=lambda error: error.text)


def _node(schema: Schema, path: str, level: str, release: int) -> Errors:
    kind = schema.source.get("type") or ""
    if kind == "array" and schema.items is None:
        yield required(f"{path}.items", "must be specified")
    if schema.items is not None:
        yield from _node(schema.items, f"{path}.items", _ITEM, release)
    for name, child in schema.properties.items():
        yield from _node(child, f"{path}.properties[{name}]", _FIELD, release)
    if schema.additional_allowed is not None and level is _ROOT:
        yield forbidden(f"{path}.additionalProperties", "must not be used at the root")
    if schema.additional is not None:
        yield from _node(schema.additional, f"{path}.additionalProperties", _FIELD, release)
    yield from _extensions(schema, path)
    skip_first = bool(schema.all_of) and _is_int_or_string(schema.all_of[0], release)
    skip_any_of = _is_int_or_string(schema, release)
    yield from _values(schema, path, release, skip_any_of=skip_any_of, skip_first=skip_first)
    yield from _type(schema, kind, path, level)
    yield from _meta(schema, path, level, release)


def _extensions(schema: Schema, path: str) -> Errors:
    detail = "must be false if x-kubernetes-int-or-string is true"
    if schema.int_or_string and schema.preserve_unknown:
        yield invalid(f"{path}.x-kubernetes-preserve-unknown-fields", True, detail)
    if schema.int_or_string and schema.embedded:
        yield invalid(f"{path}.x-kubernetes-embedded-resource", True, detail)


def _type(schema: Schema, kind: str, path: str, level: str) -> Errors:
    if schema.embedded and kind != "object":
        detail = "must be object if x-kubernetes-embedded-resource is true"
        yield invalid(f"{path}.type", kind, detail) if kind else required(f"{path}.type", detail)
    elif not kind and not schema.int_or_string and not schema.preserve_unknown:
        yield required(f"{path}.type", f"must not be empty {level}")
    if schema.embedded and schema.additional_allowed is not None:
        detail = "must not be used if x-kubernetes-embedded-resource is set"
        yield forbidden(f"{path}.additionalProperties", detail)
    if level is _ROOT and kind and kind != "object":
        yield invalid(f"{path}.type", kind, "must be object at the root")


def _meta(schema: Schema, path: str, level: str, release: int) -> Errors:
    checked = level is _ROOT or schema.embedded
    for name in ("kind", "apiVersion"):
        child = schema.properties.get(name)
        if checked and child is not None and (kind := child.source.get("type") or "") != "string":
            yield invalid(f"{path}.properties[{name}].type", kind, "must be string")
    metadata = schema.properties.get("metadata")
    if metadata is not None:
        where = f"{path}.properties[metadata]"
        if checked and (kind := metadata.source.get("type") or "") != "object":
            yield invalid(f"{where}.type", kind, "must be object")
        if level is _ROOT and not _only_names(metadata, release):
            yield forbidden(
                where,
                "must not specify anything other than name and generateName, but metadata is implicitly specified",
            )
    if schema.embedded and not schema.preserve_unknown and not schema.properties:
        yield required(
            f"{path}.properties",
            "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
        )


def _only_names(metadata: Schema, release: int) -> bool:
    names = set(metadata.properties)
    return _kept(metadata, release) <= {"type", "default", "properties"} and names <= {"name", "generateName"}


def _kept(schema: Schema, release: int) -> set[str]:
    """Return the keywords that the structural form of a node keeps."""
    source = schema.source
    ignored = _UNSUPPORTED.keys() | (_DOCUMENTATION if release < _DOCUMENTED_SINCE else set())
    kept = source.keys() - ignored
    kept -= {key for key in _EMPTY_LISTS if not source.get(key)}
    return kept if schema.items is not None else kept - {"items"}


def _has_additional(branch: Schema, release: int) -> bool:
    """Whether the additionalProperties of a branch count: since 1.31, false does not."""
    return bool(branch.additional_allowed) or (branch.additional_allowed is not None and release < _OPEN_BRANCHES_SINCE)


def _is_only(branch: Schema, kind: str, release: int) -> bool:
    dropped = set() if _has_additional(branch, release) else {"additionalProperties"}
    return _kept(branch, release) - dropped == {"type"} and branch.source["type"] == kind


def _is_int_or_string(schema: Schema, release: int) -> bool:
    same_size = len(schema.any_of) == len(_INT_OR_STRING)
    return same_size and all(_is_only(*pair, release) for pair in zip(schema.any_of, _INT_OR_STRING, strict=True))


def _values(schema: Schema, path: str, release: int, *, skip_any_of: bool = False, skip_first: bool = False) -> Errors:
    if not skip_any_of:
        for index, branch in enumerate(schema.any_of):
            yield from _branch(branch, f"{path}.anyOf[{index}]", release)
    for index, branch in enumerate(schema.all_of):
        yield from _branch(branch, f"{path}.allOf[{index}]", release, skip_any_of=skip_first and index == 0)
    for index, branch in enumerate(schema.one_of):
        yield from _branch(branch, f"{path}.oneOf[{index}]", release)
    if schema.negated is not None:
        yield from _branch(schema.negated, f"{path}.not", release)
    if schema.pattern:
        try:
            compile_pattern(schema.pattern)
        except BadPattern as fault:
            detail = f"must be a valid regular expression, but isn't: {fault}"
            yield invalid(f"{path}.pattern", schema.pattern, detail)


def _branch(schema: Schema, path: str, release: int, *, skip_any_of: bool = False) -> Errors:
    yield from _values(schema, path, release, skip_any_of=skip_any_of)
    if schema.items is not None:
        yield from _branch(schema.items, f"{path}.items", release)
    for name, child in schema.properties.items():
        yield from _branch(child, f"{path}.properties[{name}]", release)
    if schema.additional is not None or _has_additional(schema, release):
        yield forbidden(f"{path}.additionalProperties", "must be undefined to be structural")
    for key, detail in _FORBIDDEN:
        value = schema.source.get(key)
        if value if key not in _PRESENT_IS_SET else value is not None:
            yield forbidden(f"{path}.{key}", detail)
    if "metadata" in schema.properties:
        yield forbidden(f"{path}.properties[metadata]", "must not be specified in a nested context")


def _completeness(branches: Schema, spine: Schema, spine_path: str, path: str) -> Errors:
    if branches.negated is not None:
        yield from _covered(branches.negated, spine, spine_path, f"{path}.not")
    for keyword, listed in (("allOf", branches.all_of), ("anyOf", branches.any_of), ("oneOf", branches.one_of)):
        for index, branch in enumerate(listed):
            yield from _covered(branch, spine, spine_path, f"{path}.{keyword}[{index}]")


def _covered(branch: Schema, spine: Schema | None, spine_path: str, path: str) -> Errors:
    if spine is None:
        yield required(spine_path, f"because it is defined in {path}")
        return
    yield from _completeness(branch, spine, spine_path, path)
    if branch.items is not None:
        yield from _covered(branch.items, spine.items, f"{spine_path}.items", f"{path}.items")
    for name, child in branch.properties.items():
        step = f".properties[{name}]"
        yield from _covered(child, spine.properties.get(name), spine_path + step, path + step)
