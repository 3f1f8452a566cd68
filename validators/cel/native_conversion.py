"""Converts Python values to CEL values and back, and data under a schema to values without one."""

from collections.abc import Mapping
from typing import Any, Final

from validators.cel.declaration import Decl
from validators.cel.errors import EvalError
from validators.cel.json_values import Obj, SchemaList, Unknown, wrap
from validators.cel.library.quantity import Quantity
from validators.cel.library.semver import Semver
from validators.cel.library.url import URL
from validators.cel.net_values import CIDR, IP
from validators.cel.operations import no_fault
from validators.cel.values import CelMap, Fault, Optional, TypeValue, Value

DATA: Final = frozenset({Obj, SchemaList, Unknown})
_OPAQUE: Final = {
    IP: "netip.Addr",
    CIDR: "netip.Prefix",
    Quantity: "*resource.Quantity",
    Semver: "semver.Version",
    URL: "*url.URL",
}


def native(value: Value) -> Value:
    """Return what cel-go makes of the value inside an optional when it reads it or selects from it.

    It converts the Go value again, so data loses its schema: lists have an order, objects are maps with their own keys,
    where null is a value, and formats are plain texts. What cannot be converted becomes a `Fault`.

    Source: cel-go ``interpreter`` (attributes.go, applyQualifiers), ``common/types`` (provider.go, NativeToValue).
    """
    kind = type(value)
    if kind in DATA:
        return from_python(value.raw)
    if kind is Optional:
        return native(value.value) if value.present else None
    if kind is TypeValue:
        return value.name
    if kind is Fault:
        return Fault(f"unsupported conversion to ref.Val: (*errors.errorString){value.text}")
    if kind in _OPAQUE:
        return Fault(f"unsupported conversion to ref.Val: ({_OPAQUE[kind]}){value}")
    return value


def bind(values: Mapping[str, Any], decls: Mapping[str, Decl | None]) -> dict[str, Value]:
    """Return values by name as the evaluator needs them. A declared variable without a value is a fault when read."""
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
    """Return a value without a schema: mappings become maps, tuples become lists."""
    if isinstance(value, Mapping):
        raw = value if type(value) is dict else None
        return CelMap(((from_python(key), from_python(inner)) for key, inner in value.items()), raw)
    if isinstance(value, (list, tuple)):
        return [from_python(inner) for inner in value]
    return value


def to_python(value: Value) -> Any:
    """Return maps as dicts and lists as lists. Data under a schema is returned as it was given.

    Raises `EvalError` for faults.
    """
    kind = type(value)
    if kind is CelMap:
        return {key: to_python(inner) for key, inner in value.entries.values()}
    if kind is list:
        return [to_python(no_fault(inner)) for inner in value]
    if kind in {Obj, SchemaList, Unknown}:
        return value.raw
    if kind is Optional:
        return Optional(value.present, to_python(value.value))
    return value
