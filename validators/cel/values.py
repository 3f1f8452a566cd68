"""JSON values as cel-python values, typed by the schema node (Kubernetes documentation, "OpenAPI to CEL types")."""

import base64
from collections.abc import Mapping
from typing import Any

from validators.cel import parse
from validators.cel.errors import EvalError

_TIMES = frozenset({"date", "date-time"})


def from_json(value: Any, schema: Mapping[str, Any]) -> Any:
    """``value`` under ``schema``; a null property counts as absent. Raises `EvalError` on data of another type."""
    if value is None:
        return None
    if schema.get("x-kubernetes-int-or-string"):
        return _untyped(value)
    kind = schema.get("type")
    if kind == "object" and isinstance(value, dict):
        return _object(value, schema)
    if kind == "array" and isinstance(value, list):
        return parse.CONVERTERS["list"]([from_json(item, schema.get("items") or {}) for item in value])
    if kind == "string" and isinstance(value, str):
        return _string(value, str(schema.get("format", "")))
    if kind in {"integer", "number", "boolean"}:
        return _scalar(value, str(kind))
    return _untyped(value)


def _object(value: Mapping[str, Any], schema: Mapping[str, Any]) -> Any:
    properties = schema.get("properties") or {}
    additional = schema.get("additionalProperties")
    rest = additional if isinstance(additional, dict) else {}
    items = [
        (parse.CONVERTERS["string"](key), from_json(item, properties.get(key, rest)))
        for key, item in value.items()
        if item is not None
    ]
    return parse.CONVERTERS["map"](items)


def _string(value: str, form: str) -> Any:
    if form == "byte":
        return parse.CONVERTERS["bytes"](base64.b64decode(value))
    if form in _TIMES:
        return parse.CONVERTERS["timestamp"](value if form == "date-time" else f"{value}T00:00:00Z")
    return parse.CONVERTERS["duration" if form == "duration" else "string"](value)


def _scalar(value: Any, kind: str) -> Any:
    fits = isinstance(value, bool) if kind == "boolean" else _is_number(value, kind)
    if not fits:
        wanted = {"integer": "int", "number": "double", "boolean": "bool"}[kind]
        raise EvalError(f"invalid data, expected {wanted}, got {_go_type(value)}")
    return parse.CONVERTERS[kind](value)


def _is_number(value: Any, kind: str) -> bool:
    return not isinstance(value, bool) and isinstance(value, int if kind == "integer" else (int, float))


def _go_type(value: Any) -> str:
    names = {bool: "bool", int: "int64", float: "float64", str: "string", list: "[]interface {}"}
    return names.get(type(value), "map[string]interface {}")


def _untyped(value: Any) -> Any:
    if isinstance(value, dict):
        return _object(value, {})
    if isinstance(value, list):
        return parse.CONVERTERS["list"]([_untyped(item) for item in value])
    for plain, kind in ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string")):
        if isinstance(value, plain):
            return parse.CONVERTERS[kind](value)
    return value
