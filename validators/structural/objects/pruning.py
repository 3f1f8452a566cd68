"""Pruning: drops unknown fields of an object and reports their paths.

Source: apiextensions-apiserver, package ``pkg/apiserver/schema/pruning``. The object itself is not changed; a part
without unknown fields is returned unchanged.
"""

from operator import is_
from typing import Any, Final

from ovnguard.validators.base import deadline
from ovnguard.validators.structural.schema.schema import Schema

_META_FIELDS: Final = frozenset({"apiVersion", "kind", "metadata"})


def prune(value: Any, schema: Schema) -> tuple[Any, list[str]]:
    """Return the object without unknown fields, and their sorted paths.

    The root keeps apiVersion, kind and metadata.
    """
    unknown: list[str] = []
    if not isinstance(value, dict):
        return value, unknown
    pruned = _object(value, schema, "", unknown, embedded=True, preserve=schema.preserve_unknown)
    unknown.sort()
    return pruned, unknown


def prune_node(value: Any, schema: Schema) -> Any:
    """Return the value of one node without unknown fields. A node that is embedded is a resource's root."""
    return _prune(value, schema, "", [])


def _prune(value: Any, schema: Schema | None, path: str, unknown: list[str], *, preserve: bool = False) -> Any:
    """Prune one value. ``preserve`` passes x-kubernetes-preserve-unknown-fields of a list on to its items."""
    kind = type(value)
    if kind is dict:
        if schema is None:
            return value if preserve else _emptied(value, path, unknown)
        return _object(
            value, schema, path, unknown, embedded=schema.embedded, preserve=preserve or schema.preserve_unknown
        )
    if kind is list:
        preserve = preserve or (schema is not None and schema.preserve_unknown)
        items = None if schema is None else schema.items
        if preserve and items is None:
            return value
        return _list(value, items, path, unknown, preserve)
    return value


def _emptied(value: dict[str, Any], path: str, unknown: list[str]) -> dict[str, Any]:
    unknown.extend(f"{path}.{key}" if path else key for key in value)
    return {}


def _object(
    value: dict[str, Any], schema: Schema, path: str, unknown: list[str], *, embedded: bool, preserve: bool
) -> dict[str, Any]:
    deadline.check()
    changed: dict[str, Any] = {}
    dropped: set[str] = set()
    properties = schema.properties
    for key, one in value.items():
        if embedded and key in _META_FIELDS:
            continue
        child = properties.get(key)
        if child is None and schema.additional_allowed is None:
            if preserve:
                continue
            dropped.add(key)
            if path or key not in _META_FIELDS:
                unknown.append(f"{path}.{key}" if path else key)
            continue
        kind = type(one)
        if kind is dict or kind is list:
            new = _prune(one, child or schema.additional, f"{path}.{key}" if path else key, unknown)
            if new is not one:
                changed[key] = new
    if dropped:
        return {key: changed.get(key, one) for key, one in value.items() if key not in dropped}
    return {**value, **changed} if changed else value


def _list(value: list[Any], items: Schema | None, path: str, unknown: list[str], preserve: bool) -> list[Any]:
    new = [
        _prune(one, items, f"{path}[{index}]", unknown, preserve=preserve)
        if type(one) is dict or type(one) is list
        else one
        for index, one in enumerate(value)
    ]
    return value if all(map(is_, new, value)) else new
