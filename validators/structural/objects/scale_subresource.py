"""Checks of the numbers that the scale subresource points to.

Source: apiextensions-apiserver, ``pkg/registry/customresource/validator.go`` (ValidateScaleSpec, ValidateScaleStatus).
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.go.text import go_value

MAX_REPLICAS: Final = 2**31 - 1


class Scale(NamedTuple):
    """The JSON paths of the scale subresource as they are written: with a leading dot."""

    spec_replicas: str
    status_replicas: str
    label_selector: str | None = None


def check_scale(value: Mapping[str, Any], scale: Scale, *, spec: bool) -> list[FieldError]:
    """Return the errors of a whole object, or without ``spec`` those of a status update."""
    errors = _replicas(value, scale.spec_replicas) if spec else []
    errors += _replicas(value, scale.status_replicas)
    if scale.label_selector is not None:
        found, complaint = _at(value, scale.label_selector)
        if not complaint and found is not _ABSENT and type(found) is not str:
            complaint = _wrong(scale.label_selector, found, "string")
        if complaint:
            errors.append(_invalid(scale.label_selector, "", complaint))
    return errors


def _replicas(value: Mapping[str, Any], path: str) -> list[FieldError]:
    found, complaint = _at(value, path)
    if not complaint and found is not _ABSENT and type(found) is not int:
        complaint = _wrong(path, found, "int64")
    if complaint:
        return [_invalid(path, 0, complaint)]
    if type(found) is not int:
        return []
    if found < 0:
        return [_invalid(path, found, "should be a non-negative integer")]
    if found > MAX_REPLICAS:
        return [_invalid(path, found, f"should be less than or equal to {MAX_REPLICAS}")]
    return []


_ABSENT: Final = object()


def _at(value: Mapping[str, Any], path: str) -> tuple[Any, str]:
    """Return the value at a path, or the error of a step that is not an object."""
    names = path.removeprefix(".").split(".")
    here: Any = value
    for depth, name in enumerate(names):
        if here is None:
            return _ABSENT, ""
        if not isinstance(here, Mapping):
            return _ABSENT, _wrong(".".join(names[: depth + 1]), here, "map[string]interface{}")
        if name not in here:
            return _ABSENT, ""
        here = here[name]
    return here, ""


def _wrong(path: str, found: Any, wanted: str) -> str:
    seen = f"{go_value(found)} is of the type {_go_type(found)}"
    return f".{path.removeprefix('.')} accessor error: {seen}, expected {wanted}"


def _invalid(path: str, value: Any, detail: str) -> FieldError:
    return FieldError(ErrorType.INVALID, path, value, detail, "scale")


def _go_type(value: Any) -> str:
    names = {bool: "bool", str: "string", int: "int64", float: "float64", list: "[]interface {}"}
    return "<nil>" if value is None else names.get(type(value), "map[string]interface {}")
