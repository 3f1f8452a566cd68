"""Python values in and out of free-standing expressions."""

from collections.abc import Mapping
from typing import Any

from validators.cel.data import Obj, SchemaList, Unknown, wrap
from validators.cel.decl import Decl
from validators.cel.errors import EvalError
from validators.cel.operations import checked
from validators.cel.values import CelMap, Fault, Optional, Value


def bind(values: Mapping[str, Any], decls: Mapping[str, Decl | None]) -> dict[str, Value]:
    """Values by name as the evaluator wants them; a declared variable without a value is a fault when read."""
    bound: dict[str, Value] = {}
    for name, decl in decls.items():
        if name not in values:
            bound[name] = Fault(f"no such attribute(s): {name}")
        elif decl is None:
            bound[name] = from_python(values[name])
        else:
            try:
                bound[name] = wrap(values[name], decl)
            except EvalError as fault:
                bound[name] = Fault(str(fault))
    return bound


def from_python(value: Any) -> Value:
    """A value without a schema: mappings become maps, tuples lists."""
    if isinstance(value, Mapping):
        return CelMap((from_python(key), from_python(inner)) for key, inner in value.items())
    if isinstance(value, (list, tuple)):
        return [from_python(inner) for inner in value]
    return value


def to_python(value: Value) -> Any:
    """Maps become dicts, lists lists; data under a schema comes out as it went in. Raises `EvalError` for faults."""
    kind = type(value)
    if kind is CelMap:
        return {key: to_python(inner) for key, inner in value.entries.values()}
    if kind is list:
        return [to_python(checked(inner)) for inner in value]
    if kind in {Obj, SchemaList, Unknown}:
        return value.raw
    if kind is Optional:
        return Optional(value.present, to_python(value.value))
    return value
