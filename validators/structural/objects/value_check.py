"""Checks values against their schema: the checks of kube-openapi, in its order and with its texts.

Source: kube-openapi, package ``pkg/validation/validate``, and its translation into field errors in
apiextensions-apiserver, ``pkg/apiserver/validation``. As there, errors with the same text count once. ``matches``
counts the checks that were applied and passed: a failing anyOf or oneOf adds the errors of the branch with the most
matches.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ovnguard.validators.base import deadline
from ovnguard.validators.base.field import ROOT, ErrorType, FieldError, too_long, too_many
from ovnguard.validators.go.text import quote
from ovnguard.validators.structural.formats.number_arithmetic import is_json_integer, number_complaints, to_int64
from ovnguard.validators.structural.formats.number_ranges import range_of
from ovnguard.validators.structural.formats.release_formats import Formats
from ovnguard.validators.structural.schema.enumeration import key_of
from ovnguard.validators.structural.schema.patterns import BadPattern, compile_pattern
from ovnguard.validators.structural.schema.schema import NO_DEFAULT, Schema

_KINDS: Final = {bool: "boolean", str: "string", int: "integer", float: "number", list: "array", dict: "object"}
_TYPES: Final = {kind: (kind,) for kind in _KINDS.values()}
_NONE: Final[Mapping[str, Any]] = {}
_KIND_FORMATS: Final = {"integer": "int64", "number": "float64"}


@dataclass(slots=True)
class Result:
    """The errors of one value by their text, and the number of checks that matched."""

    errors: dict[str, FieldError] = field(default_factory=dict)
    matches: int = 0

    def merge(self, other: "Result") -> None:
        """Add another result. If both have an error with the same text, the first one is kept."""
        if other.errors:
            for text, error in other.errors.items():
                self.errors.setdefault(text, error)
        self.matches += other.matches


class Checker:
    """Checks values.

    ``prefix`` starts all paths: "" for whole objects, "status" for a status. `child`, `item` and `branch` are the steps
    into properties, list items and combinators; ratcheting overrides them.
    """

    __slots__ = ("_clean", "_repeated", "formats", "prefix")

    def __init__(self, formats: Formats, prefix: str = "") -> None:
        self.formats = formats
        self.prefix = prefix
        self._clean: dict[int, dict[str, Any]] = {}
        self._repeated: dict[int, Any] = {}

    def check(self, value: Any, schema: Schema, path: str = "") -> Result:
        """Check one value and everything in it. ``path`` is relative to the prefix, "" for its root."""
        result = Result()
        self.add(result, value, schema, path)
        return result

    def add(self, result: Result, value: Any, schema: Schema, path: str) -> None:
        """`check`, with the errors and matches added to a result."""
        if value is None:
            self._null(schema, path, result)
            return
        kind = _KINDS[type(value)]
        if schema.types == _TYPES[kind] and not schema.format:
            result.matches += 2
        elif schema.types or (schema.format and self.formats.kept(schema.format, schema.types)):
            result.matches += 1
            if (mismatch := self._type_mismatch(value, kind, schema)) is None:
                result.matches += 1
            else:
                self._wrong_type(result, schema, path, *mismatch)
        if schema.composed:
            result.merge(self._branches(value, schema, path))
        # The combinators, the enumeration and the node itself count even if they are empty.
        result.matches += 4
        if kind == "string":
            self._string(value, schema, path, result)
        elif kind in _KIND_FORMATS:
            self._number(value, schema, path, result)
        elif kind == "array":
            self._array(value, schema, path, result)
        if schema.enum and not is_among(value, schema.enum.keys):
            self._not_in_enum(value, schema, path, result)
        if kind == "object":
            self._object(value, schema, path, result)

    def child(self, result: Result, key: str, value: Any, schema: Schema, path: str) -> None:
        """Check the value of a property or map key."""
        self.add(result, value, schema, path)

    def item(self, result: Result, index: int, value: Any, schema: Schema, path: str) -> None:
        """Check one item of a list."""
        self.add(result, value, schema, path)

    def branch(self, value: Any, schema: Schema, path: str) -> Result:
        """Check the same value against one branch of a combinator."""
        return self.check(value, schema, path)

    def where(self, path: str) -> str:
        """Return a path as field errors print it."""
        path = path.removeprefix(".")
        if not path:
            return self.prefix or ROOT
        return f"{self.prefix}.{path}" if self.prefix else path

    def _null(self, schema: Schema, path: str, result: Result) -> None:
        if not schema.types or schema.nullable:
            result.matches += 1
        else:
            self._wrong_type(result, schema, path, ",".join(schema.types), "null")
        if schema.enum:
            self._not_in_enum(None, schema, path, result)

    def _type_mismatch(self, value: Any, kind: str, schema: Schema) -> tuple[str, str] | None:
        """Return the expected type or format and the found one, or None if the type is right."""
        types, form = schema.types, self.formats.kept(schema.format, schema.types)
        numeric = "number" in types or "integer" in types
        fits = kind in types or (
            (kind == "number" and "integer" in types and is_json_integer(value, self.formats.minor))
            or (kind == "integer" and "number" in types)
        )
        if form and kind not in {"string", "array"}:
            found = _KIND_FORMATS.get(kind, "")
            if not fits and found != form:
                return form, found
        elif form and not numeric:
            # A format disables the type check of strings and, unintentionally, of lists.
            return None
        return None if fits or (not types and not form) else (",".join(types), kind)

    def _wrong_type(self, result: Result, schema: Schema, path: str, wanted: str, found: str) -> None:
        text = f"{path} in body must be of type {wanted}: {quote(found)}"
        error = FieldError(ErrorType.TYPE_INVALID, self.where(path), found, text, schema.at("type"))
        result.errors.setdefault(text, error)

    def _invalid(self, result: Result, schema: Schema, path: str, keyword: str, value: Any, complaint: str) -> None:
        text = f"{path} in body {complaint}"
        result.errors.setdefault(text, FieldError(ErrorType.INVALID, self.where(path), value, text, schema.at(keyword)))

    def _string(self, value: str, schema: Schema, path: str, result: Result) -> None:
        result.matches += 1
        length = len(value)
        if schema.max_length is not None and length > schema.max_length:
            text = f"{path} in body should be at most {schema.max_length} chars long"
            error = too_long(self.where(path), schema.max_length, schema.at("maxLength"))
            result.errors.setdefault(text, error)
        elif schema.min_length is not None and length < schema.min_length:
            complaint = f"should be at least {schema.min_length} chars long"
            self._invalid(result, schema, path, "minLength", value, complaint)
        elif schema.pattern:
            self._pattern(value, schema, path, result)
        if schema.format and (accepts := self.formats.checker(schema.format, schema.types)) is not None:
            result.matches += 1
            if not accepts(value):
                text = f"{path} in body must be of type {schema.format}: {quote(value)}"
                error = FieldError(ErrorType.TYPE_INVALID, self.where(path), value, text, schema.at("format"))
                result.errors.setdefault(text, error)

    def _pattern(self, value: str, schema: Schema, path: str, result: Result) -> None:
        deadline.check()
        pattern = schema.pattern
        try:
            if compile_pattern(pattern)(value) is not None:
                return
        except BadPattern as fault:
            pattern = f"{pattern}, but pattern is invalid: {fault}"
        self._invalid(result, schema, path, "pattern", value, f"should match '{pattern}'")

    def _number(self, value: float, schema: Schema, path: str, result: Result) -> None:
        result.matches += 2
        limits = range_of(schema) if self.formats.limits_numbers else None
        for keyword, bad_value, text, placed in number_complaints(value, schema, path, self.formats.minor, limits):
            where = self.where(path if placed else "")
            result.errors.setdefault(text, FieldError(ErrorType.INVALID, where, bad_value, text, schema.at(keyword)))

    def _array(self, value: list[Any], schema: Schema, path: str, result: Result) -> None:
        deadline.check()
        result.matches += 2
        if schema.items is not None:
            for index, one in enumerate(value):
                self.item(result, index, one, schema.items, f"{path}[{index}]")
        size = len(value)
        if schema.min_items is not None and size < schema.min_items:
            complaint = f"should have at least {schema.min_items} items"
            self._invalid(result, schema, path, "minItems", size, complaint)
        if schema.max_items is not None and size > schema.max_items:
            text = f"{path} in body should have at most {schema.max_items} items"
            error = too_many(self.where(path), size, schema.max_items, schema.at("maxItems"))
            result.errors.setdefault(text, error)

    def _not_in_enum(self, value: Any, schema: Schema, path: str, result: Result) -> None:
        text = f"{path} in body should be one of {schema.enum.name}"
        error = FieldError(ErrorType.NOT_SUPPORTED, self.where(path), value, schema.enum.detail, schema.at("enum"))
        result.errors.setdefault(text, error)

    def _object(self, value: dict[str, Any], schema: Schema, path: str, result: Result) -> None:
        deadline.check()
        result.matches += 1
        self._size(len(value), schema, path, result)
        properties = schema.properties
        if schema.additional_allowed is False:
            for key in value:
                if key not in properties:
                    text = f"{path}.{key} in body is a forbidden property"
                    rule = schema.at("additionalProperties")
                    error = FieldError(ErrorType.INVALID, self.where(path), key, text, rule)
                    result.errors.setdefault(text, error)
        self._inside(value, schema, path, result)
        for key in schema.required:
            if key not in value:
                text = f"{path}.{key} in body is required"
                error = FieldError(ErrorType.REQUIRED, self.where(f"{path}.{key}"), "", "", schema.at("required"))
                result.errors.setdefault(text, error)

    def _inside(self, value: dict[str, Any], schema: Schema, path: str, result: Result) -> None:
        """Check everything in an object: fields that the schema does not name come first."""
        properties = schema.properties
        if schema.additional is not None:
            for key, one in value.items():
                if key not in properties:
                    self.child(result, key, one, schema.additional, f"{path}.{key}")
        prefix = f"{path}." if path else ""
        clean = self._clean.get(id(schema), _NONE)
        for key, one in value.items():
            if clean.get(key, clean) is one or (child := properties.get(key)) is None:
                continue
            self.child(result, key, one, child, prefix + key)
            if child.default is not NO_DEFAULT:
                self._remember(schema, key, one)

    def _remember(self, schema: Schema, key: str, value: Any) -> None:
        """Remember a default without errors: all items of a list share it, and it needs no further check.

        The matches of a repeated check count nowhere: only branches compare theirs, and branches have no defaults.
        """
        child = schema.properties[key]
        if self._repeated.get(id(child), self) is not value:
            self._repeated[id(child)] = value
        elif not Checker(self.formats).check(value, child).errors:
            self._clean.setdefault(id(schema), {})[key] = value

    def _size(self, size: int, schema: Schema, path: str, result: Result) -> None:
        if schema.min_properties is not None and size < schema.min_properties:
            complaint = f"should have at least {schema.min_properties} properties"
            self._invalid(result, schema, path, "minProperties", size, complaint)
        if schema.max_properties is not None and size > schema.max_properties:
            text = f"{path} in body should have at most {schema.max_properties} properties"
            error = too_many(self.where(path), size, schema.max_properties, schema.at("maxProperties"))
            result.errors.setdefault(text, error)

    def _composed(self, result: Result, schema: Schema, path: str, keyword: str, complaint: str) -> None:
        """Add an error of branches. It has no path; its text names the value."""
        text = f"{quote(path)} {complaint}"
        rule = schema.at(keyword)
        result.errors.setdefault(text, FieldError(ErrorType.INVALID, self.where(""), "", text, rule))

    def _branches(self, value: Any, schema: Schema, path: str) -> Result:
        deadline.check()
        result = Result()
        if schema.any_of:
            self._any_of(value, schema, path, result)
        if schema.one_of:
            self._one_of(value, schema, path, result)
        if schema.all_of:
            self._all_of(value, schema, path, result)
        if schema.negated is not None and not self.branch(value, schema.negated, path).errors:
            self._composed(result, schema, path, "not", "must not validate the schema (not)")
        return result

    def _any_of(self, value: Any, schema: Schema, path: str, result: Result) -> None:
        best: Result | None = None
        for branch in schema.any_of:
            outcome = self.branch(value, branch, path)
            if not outcome.errors:
                result.merge(outcome)
                return
            if best is None or outcome.matches > best.matches:
                best = outcome
        self._composed(result, schema, path, "anyOf", "must validate at least one schema (anyOf)")
        if best is not None:
            result.merge(best)

    def _one_of(self, value: Any, schema: Schema, path: str, result: Result) -> None:
        best: Result | None = None
        valid: list[Result] = []
        for branch in schema.one_of:
            outcome = self.branch(value, branch, path)
            if not outcome.errors:
                valid.append(outcome)
            elif not valid and (best is None or outcome.matches > best.matches):
                best = outcome
        if len(valid) == 1:
            result.merge(valid[0])
            return
        found = f"Found {len(valid)} valid alternatives" if valid else "Found none valid"
        self._composed(result, schema, path, "oneOf", f"must validate one and only one schema (oneOf). {found}")
        if not valid and best is not None:
            result.merge(best)

    def _all_of(self, value: Any, schema: Schema, path: str, result: Result) -> None:
        valid = 0
        for branch in schema.all_of:
            outcome = self.branch(value, branch, path)
            valid += not outcome.errors
            result.merge(outcome)
        if valid != len(schema.all_of):
            none = "" if valid else ". None validated"
            self._composed(result, schema, path, "allOf", f"must validate all the schemas (allOf){none}")


def is_among(value: Any, keys: frozenset[Hashable]) -> bool:
    """Return whether Go finds a value equal to an enumerated one after converting it to the type of that one.

    Go converts numbers into each other and integers into characters. Null equals nothing, not even null.
    """
    kind = type(value)
    if kind is str:
        return value in keys
    if value is None:
        return False
    if key_of(value) in keys:
        return True
    if kind is float:
        return ("integer", to_int64(value)) in keys
    if kind is int:
        fits = 0 <= value <= 0x10FFFF and not 0xD800 <= value <= 0xDFFF
        return ("number", float(value)) in keys or (chr(value) if fits else "\ufffd") in keys
    return False
