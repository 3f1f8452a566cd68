"""Defaulting: fills in defaults and removes nulls that the schema does not allow.

Source: apiextensions-apiserver, package ``pkg/apiserver/schema/defaulting``. The object itself is not changed. Default
values are shared and not copied, because nothing changes a stored object.
"""

from operator import is_
from typing import Any

from validators.structural.schema import NO_DEFAULT, Schema


def drop_nulls(value: Any, schema: Schema | None) -> Any:
    """Return the value without null entries of objects and maps whose schema is not nullable and has no default.

    List items stay, including nulls.
    """
    if schema is None:
        return value
    if type(value) is dict:
        return _drop_in_object(value, schema)
    if type(value) is list and schema.items is not None:
        new = [drop_nulls(one, schema.items) for one in value]
        return value if all(map(is_, new, value)) else new
    return value


def _drop_in_object(value: dict[str, Any], schema: Schema) -> dict[str, Any]:
    changed: dict[str, Any] = {}
    dropped: set[str] = set()
    for key, one in value.items():
        child = schema.properties.get(key) or schema.additional
        if child is None:
            continue
        if one is None:
            if not child.nullable and child.default is NO_DEFAULT:
                dropped.add(key)
        elif (type(one) is dict or type(one) is list) and (new := drop_nulls(one, child)) is not one:
            changed[key] = new
    if dropped:
        return {key: changed.get(key, one) for key, one in value.items() if key not in dropped}
    return {**value, **changed} if changed else value


def fill_defaults(value: Any, schema: Schema | None) -> Any:
    """Return the value with defaults for missing fields, and for nulls that are not nullable, at every level."""
    if schema is None:
        return value
    if type(value) is dict:
        return _fill_object(value, schema)
    if type(value) is list and schema.items is not None:
        new = [_filled(one, schema.items) for one in value]
        return value if all(map(is_, new, value)) else new
    return value


def _fill_object(value: dict[str, Any], schema: Schema) -> dict[str, Any]:
    changed: dict[str, Any] = {}
    for key, child in schema.properties.items():
        if key in value:
            old = value[key]
            if (old is None or type(old) is dict or type(old) is list) and (new := _filled(old, child)) is not old:
                changed[key] = new
        elif child.default is not NO_DEFAULT:
            changed[key] = fill_defaults(child.default, child)
    if schema.additional is not None:
        for key, old in value.items():
            if key not in schema.properties and (new := _filled(old, schema.additional)) is not old:
                changed[key] = new
    return {**value, **changed} if changed else value


def _filled(value: Any, schema: Schema) -> Any:
    if value is None:
        if schema.nullable or schema.default is NO_DEFAULT:
            return None
        value = schema.default
    return fill_defaults(value, schema)
