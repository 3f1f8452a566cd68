"""Converts Python values to CEL values, and data under a schema to values without one."""

from collections.abc import Mapping
from typing import Any, Final

from ovnguard.validators.cel.library.k8s_url import URL
from ovnguard.validators.cel.library.quantity import Quantity
from ovnguard.validators.cel.library.semver import Semver
from ovnguard.validators.cel.values.cel_values import CelMap, Fault, Optional, TypeValue, Value
from ovnguard.validators.cel.values.json_values import Obj, SchemaList, Unknown
from ovnguard.validators.cel.values.net_values import CIDR, IP

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


def from_python(value: Any) -> Value:
    """Return a value without a schema: mappings become maps, tuples become lists."""
    if isinstance(value, Mapping):
        raw = value if type(value) is dict else None
        return CelMap(((from_python(key), from_python(inner)) for key, inner in value.items()), raw)
    if isinstance(value, (list, tuple)):
        return [from_python(inner) for inner in value]
    return value
