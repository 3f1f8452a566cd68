"""Checks of the parts of a version outside its schema: deprecation, subresources and printer columns.

Source: apiextensions-apiserver, ``pkg/apis/apiextensions/validation`` (ValidateCustomResourceDefinitionSubresources,
ValidateCustomResourceColumnDefinition, validateDeprecationWarning).
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ovnguard.validators.base.field import FieldError
from ovnguard.validators.go.text import Boxed, quote
from ovnguard.validators.structural.definitions.structural_check import invalid, required

_COLUMN_TYPES: Final = ("boolean", "date", "integer", "number", "string")
_COLUMN_FORMATS: Final = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")

Errors = Iterator[FieldError]
Json = Mapping[str, Any]


def check_deprecation(version: Json, path: str) -> Errors:
    """Yield the errors of the ``deprecationWarning`` of a version."""
    text = version.get("deprecationWarning")
    if text is None:
        return
    # Go prints a pointer to a string as JSON.
    shown = Boxed(text)
    if not version.get("deprecated"):
        yield invalid(path, shown, "can only be set for deprecated versions")
        return
    if len(text.encode(errors="replace")) > 256:
        yield invalid(path, shown, "must be <= 256 characters long")
    if not text:
        yield invalid(path, shown, "must not be an empty string")
    for index, char in enumerate(text):
        if char not in '"\\' and quote(char) != f'"{char}"':
            where = len(text[:index].encode(errors="replace"))
            detail = f"must only contain printable UTF-8 characters; non-printable character found at index {where}"
            yield invalid(path, shown, detail)
            break


def check_subresources(subresources: Json | None, path: str) -> Errors:
    """Yield the errors of the JSON paths of a scale subresource."""
    scale = (subresources or {}).get("scale")
    if scale is None:
        return
    yield from _scale_path(scale, "specReplicasPath", path, (".spec.",), "under .spec")
    yield from _scale_path(scale, "statusReplicasPath", path, (".status.",), "under .status")
    if scale.get("labelSelectorPath"):
        yield from _scale_path(
            scale, "labelSelectorPath", path, (".spec.", ".status."), "under either .spec or .status"
        )


def _scale_path(scale: Json, key: str, path: str, starts: tuple[str, ...], where: str) -> Errors:
    text, place = scale.get(key) or "", f"{path}.scale.{key}"
    if not text:
        yield required(place, "")
    elif not text.startswith("."):
        yield invalid(place, text, "must be a simple json path starting with .")
    elif not text.startswith(starts):
        shown = Boxed(text) if key == "labelSelectorPath" else text
        yield invalid(place, shown, f"should be a json path {where}")


def check_columns(columns: list[Json] | None, path: str) -> Errors:
    """Yield the errors of printer columns."""
    for index, column in enumerate(columns or ()):
        yield from _column(column, f"{path}[{index}]")


def _column(column: Json, path: str) -> Errors:
    kind, form, json_path = (column.get(key, "") for key in ("type", "format", "jsonPath"))
    types = f"must be one of {','.join(_COLUMN_TYPES)}"
    if not column.get("name"):
        yield required(f"{path}.name", "")
    if not kind:
        yield required(f"{path}.type", types)
    elif kind not in _COLUMN_TYPES:
        yield invalid(f"{path}.type", kind, types)
    if form and form not in _COLUMN_FORMATS:
        yield invalid(f"{path}.format", form, f"must be one of {','.join(_COLUMN_FORMATS)}")
    if not json_path:
        yield required(f"{path}.JSONPath", "")
    elif not json_path.startswith("."):
        yield invalid(f"{path}.JSONPath", json_path, "must be a simple json path starting with .")
