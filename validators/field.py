"""Errors about one field, as values: type, path, bad value, detail and the text the API server would print.

Source of the texts: apimachinery, package ``util/validation/field``.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class ErrorType(StrEnum):
    """What is wrong with the field; the value is the reason that the API server puts into a cause."""

    NOT_FOUND = "FieldValueNotFound"
    REQUIRED = "FieldValueRequired"
    DUPLICATE = "FieldValueDuplicate"
    INVALID = "FieldValueInvalid"
    NOT_SUPPORTED = "FieldValueNotSupported"
    FORBIDDEN = "FieldValueForbidden"
    TOO_LONG = "FieldValueTooLong"
    TOO_MANY = "FieldValueTooMany"
    INTERNAL = "InternalError"
    TYPE_INVALID = "FieldValueTypeInvalid"


class _Omitted:
    """The type of OMITTED: this error shows no value."""

    def __repr__(self) -> str:
        return "OMITTED"


OMITTED: Final = _Omitted()


@dataclass(frozen=True, slots=True)
class FieldError:
    """One error about one field.

    ``field`` is the path as the API server prints it (``spec.a[0].b[key]``); ``rule`` says which rule spoke: the
    schema location of a structural or CEL rule, or the stable id of a network rule (``OVNG-...``).
    """

    type: ErrorType
    field: str
    bad_value: object = OMITTED
    detail: str = ""
    rule: str = ""
