"""Checks of a schema's root: which keywords it may have, and which of its fields are selectable.

Source: apiextensions-apiserver, ``pkg/apis/apiextensions/validation`` (validateCustomResourceDefinitionValidation,
ValidateCustomResourceSelectableFields).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ovnguard.validators.base.field import ErrorType, FieldError, too_many
from ovnguard.validators.base.field_path import BadFieldPath, lookup
from ovnguard.validators.structural.definitions.structural_check import forbidden, invalid, required, structural_fault
from ovnguard.validators.structural.schema.definition_types import SCHEMA, typed_error
from ovnguard.validators.structural.schema.schema import Schema

MOST_SELECTABLE: Final = 8
_ALLOWED: Final = (
    "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern"
    " MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields"
    " XValidations"
)


def check_root(schema: Schema, path: str, *, has_status: bool) -> Iterator[FieldError]:
    """Yield the errors that only a root can have."""
    if has_status:
        yield from _with_status(schema, path)
    if schema.nullable:
        yield forbidden(f"{path}.nullable", "nullable cannot be true at the root")


def _with_status(schema: Schema, path: str) -> Iterator[FieldError]:
    allowed = _ALLOWED.split()
    for field in SCHEMA.fields:
        value = schema.source.get(field.key)
        if value is None:
            continue
        if field.go == "Type":
            if value != "object":
                only = 'only "object" is allowed as the type at the root of the schema'
                yield invalid(f"{path}.type", value, f"{only} if the status subresource is enabled")
                return
        elif field.go not in allowed:
            only = f"only [{_ALLOWED}] fields are allowed at the root of the schema"
            yield typed_error(path, SCHEMA, schema.source, f"{only} if the status subresource is enabled")
            return


def check_selectable(
    fields: Sequence[Mapping[str, Any]], schema: Schema | None, path: str, *, crowded: bool = False
) -> Iterator[FieldError]:
    """Yield the errors of ``selectableFields``: scalar fields outside metadata, each only once.

    There may be at most eight, unless they are ``crowded`` already.
    """
    source: Mapping[str, Any] = {} if schema is None else schema.source
    if schema is not None and (fault := structural_fault(schema)):
        # The API server goes on without a schema.
        yield invalid(f"{path.removesuffix('selectableFields')}schema.openAPIV3Schema", "", fault)
        source = {}
    unique: set[str] = set()
    for index, field in enumerate(fields):
        text, where = field.get("jsonPath", ""), f"{path}[{index}].jsonPath"
        if not text:
            yield required(where, "")
            continue
        try:
            found, node = lookup(text, source, brackets=False)
        except BadFieldPath as fault:
            yield invalid(where, text, f"is an invalid path: {fault}")
            continue
        if found.partition(".")[0].partition("[")[0] == "metadata":
            yield invalid(where, text, "must not point to fields in metadata")
        if node.get("type") not in {"string", "boolean", "integer"}:
            kinds = "must point to a field of type string, boolean or integer."
            yield invalid(where, text, f"{kinds} Enum string fields and strings with formats are allowed.")
        if found in unique:
            yield FieldError(ErrorType.DUPLICATE, where, text)
        unique.add(found)
    if len(unique) > MOST_SELECTABLE and not crowded:
        yield too_many(path, len(unique), MOST_SELECTABLE)
