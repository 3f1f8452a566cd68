"""Defaulting: fills in defaults and removes nulls that the schema does not allow.

Source: apiextensions-apiserver, package ``pkg/apiserver/schema/defaulting``. The object itself is not changed. Default
values are shared and not copied, because nothing changes a stored object.
"""

from operator import is_
from typing import Any, NamedTuple

from ovnguard.validators.base import deadline
from ovnguard.validators.structural.schema.schema import NO_DEFAULT, Schema


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
    return value if schema is None else _Filler().fill(value, schema)


class _Properties(NamedTuple):
    """What filling an object needs of its schema: the defaults, filled in themselves, and the properties to enter."""

    defaults: dict[str, Any]
    entered: tuple[tuple[str, Schema], ...]


class _Filler:
    """Fills in the defaults of one object. All items of a list share the filled-in defaults."""

    def __init__(self) -> None:
        self._known: dict[int, _Properties] = {}

    def fill(self, value: Any, schema: Schema) -> Any:
        if type(value) is dict:
            return self._object(value, schema)
        if type(value) is list and schema.items is not None and _may_change(schema.items):
            new = [self._filled(one, schema.items) for one in value]
            return value if all(map(is_, new, value)) else new
        return value

    def _object(self, value: dict[str, Any], schema: Schema) -> dict[str, Any]:
        deadline.check()
        defaults, entered = self._known.get(id(schema)) or self._properties(schema)
        changed = dict(defaults)
        if not value.keys().isdisjoint(defaults.keys()):
            changed = {key: one for key, one in defaults.items() if key not in value}
        for key, child in entered:
            if key in value and (new := self._filled(old := value[key], child)) is not old:
                changed[key] = new
        if schema.additional is not None:
            for key, old in value.items():
                if key not in schema.properties and (new := self._filled(old, schema.additional)) is not old:
                    changed[key] = new
        return {**value, **changed} if changed else value

    def _properties(self, schema: Schema) -> _Properties:
        children = schema.properties.items()
        defaults = {key: self.fill(one.default, one) for key, one in children if one.default is not NO_DEFAULT}
        entered = tuple((key, child) for key, child in children if _may_change(child))
        known = self._known[id(schema)] = _Properties(defaults, entered)
        return known

    def _filled(self, value: Any, schema: Schema) -> Any:
        if value is None:
            if schema.nullable or schema.default is NO_DEFAULT:
                return None
            value = schema.default
        return self.fill(value, schema)


def _may_change(schema: Schema) -> bool:
    """Whether filling can change a value of this schema: null, an object or a list."""
    return schema.default is not NO_DEFAULT or bool(schema.properties or schema.additional or schema.items)
