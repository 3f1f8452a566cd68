"""Lists of type set and map: finds equal items, which they must not have.

Source: apiextensions-apiserver, package ``pkg/apiserver/schema/listtype``.
"""

from typing import Any, Final

from ovnguard.validators.base import deadline
from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.go.text import json_text
from ovnguard.validators.structural.schema.schema import Schema

_UNSPECIFIED: Final = object()
"""The key of an item without key fields. It equals only itself."""


def check_lists(value: Any, schema: Schema, path: str = "") -> list[FieldError]:
    """Return an error for each duplicate in the sets and maps of the object, one error per duplicate item."""
    errors: list[FieldError] = []
    _walk(value, schema, path, errors)
    return errors


def _walk(value: Any, schema: Schema, path: str, errors: list[FieldError]) -> None:
    if not schema.unique:
        return
    if type(value) is dict:
        _walk_object(value, schema, path, errors)
    elif type(value) is list:
        if schema.list_type == "set":
            rule = schema.at("x-kubernetes-list-type")
            errors.extend(
                FieldError(ErrorType.DUPLICATE, f"{path}[{index}]", value[index], "", rule)
                for index in _repeated(value)
            )
        elif schema.list_type == "map":
            errors.extend(_check_map(value, schema, path))
        if schema.items is not None:
            for index, one in enumerate(value):
                if type(one) is dict or type(one) is list:
                    _walk(one, schema.items, f"{path}[{index}]", errors)


def _walk_object(value: dict[str, Any], schema: Schema, path: str, errors: list[FieldError]) -> None:
    deadline.check()
    if schema.additional is not None:
        for key, one in value.items():
            if type(one) is dict or type(one) is list:
                _walk(one, schema.additional, f"{path}[{key}]", errors)
    for key, one in value.items():
        if (type(one) is dict or type(one) is list) and (child := schema.properties.get(key)) is not None:
            _walk(one, child, f"{path}.{key}" if path else key, errors)


def _check_map(value: list[Any], schema: Schema, path: str) -> list[FieldError]:
    rule = schema.at("x-kubernetes-list-map-keys")
    for index, one in enumerate(value):
        if one is not None and type(one) is not dict:
            detail = "must be an object for an array of list-type map"
            return [FieldError(ErrorType.INVALID, f"{path}[{index}]", one, detail, rule)]
    names = schema.list_map_keys
    shown = [{} if one is None else {name: one[name] for name in names if name in one} for one in value]
    keys: list[Any] = shown
    if len(names) == 1:
        keys = [key.get(names[0], _UNSPECIFIED) for key in shown]
    return [FieldError(ErrorType.DUPLICATE, f"{path}[{index}]", shown[index], "", rule) for index in _repeated(keys)]


def _repeated(values: list[Any]) -> list[int]:
    """Return the indices of second occurrences. Objects and lists are compared by their JSON, scalars also by type."""
    if len(values) <= 1:
        return []
    times: dict[object, int] = {}
    repeated = []
    for index, one in enumerate(values):
        kind = type(one)
        key = (kind, json_text(one)) if kind is dict or kind is list else (kind, one)
        seen = times.get(key, 0)
        times[key] = seen + 1
        if seen == 1:
            repeated.append(index)
    return repeated
