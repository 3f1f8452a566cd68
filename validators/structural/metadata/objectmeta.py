"""Decodes ``metadata`` into ObjectMeta and writes it back: drops unknown and empty keys, converts times to UTC.

Source: apimachinery, meta/v1 ObjectMeta, OwnerReference, ManagedFieldsEntry; apiextensions-apiserver, package
``pkg/apiserver/schema/objectmeta``; texts of encoding/json.
"""

from collections.abc import Mapping
from typing import Any, Final

from validators.go.text import INT64_MAX, INT64_MIN, go_kind, json_text
from validators.go.time import BadTime, canonical_time

_STRING: Final = "string"
_INT64: Final = "int64"
_EXPONENT_FROM: Final = 1e21
_POINTER_INT64: Final = "*int64"
_POINTER_BOOL: Final = "*bool"
_TIME: Final = "time"
_RAW: Final = "raw"
_STRINGS: Final = "[]string"
_STRING_MAP: Final = "map[string]string"

# Field -> kind, in the order in which ObjectMeta declares them. A mapping means a list of that struct.
_OWNER: Final[Mapping[str, str]] = {
    "apiVersion": _STRING,
    "kind": _STRING,
    "name": _STRING,
    "uid": _STRING,
    "controller": _POINTER_BOOL,
    "blockOwnerDeletion": _POINTER_BOOL,
}
_ENTRY: Final[Mapping[str, str]] = {
    "manager": _STRING,
    "operation": _STRING,
    "apiVersion": _STRING,
    "time": _TIME,
    "fieldsType": _STRING,
    "fieldsV1": _RAW,
    "subresource": _STRING,
}
_META: Final[Mapping[str, str]] = {
    "name": _STRING,
    "generateName": _STRING,
    "namespace": _STRING,
    "selfLink": _STRING,
    "uid": _STRING,
    "resourceVersion": _STRING,
    "generation": _INT64,
    "creationTimestamp": _TIME,
    "deletionTimestamp": _TIME,
    "deletionGracePeriodSeconds": _POINTER_INT64,
    "labels": _STRING_MAP,
    "annotations": _STRING_MAP,
    "ownerReferences": "OwnerReference",
    "finalizers": _STRINGS,
    "managedFields": "ManagedFieldsEntry",
}
_STRUCTS: Final = {"OwnerReference": _OWNER, "ManagedFieldsEntry": _ENTRY}
_ALWAYS_WRITTEN: Final = {"OwnerReference": ("apiVersion", "kind", "name", "uid"), "ManagedFieldsEntry": ()}
# The Go types that error texts name, for fields that are not plain strings.
_GO_TYPES: Final = {
    "uid": "types.UID",
    "operation": "v1.ManagedFieldsOperationType",
    "ownerReferences": "[]v1.OwnerReference",
    "managedFields": "[]v1.ManagedFieldsEntry",
}


class BadMetadata(ValueError):
    """The ``metadata`` does not decode. The text is Go's."""


def decode(value: Any, *, lenient: bool = False) -> tuple[dict[str, Any], list[str]]:
    """Return the metadata as ObjectMeta writes it, and the sorted unknown paths (``foo``, ``ownerReferences[0].bar``).

    ``lenient`` drops fields that do not decode, as reading from storage does. Otherwise they raise `BadMetadata`.
    """
    if value is None:
        return {}, []
    if type(value) is not dict:
        raise BadMetadata(f"json: cannot unmarshal {go_kind(value)} into Go value of type v1.ObjectMeta")
    decoder = _Decoder()
    if not lenient:
        return decoder.struct(value, _META, "ObjectMeta", "", (), strict_errors=True), decoder.unknown
    kept = {}
    for key, one in value.items():
        try:
            kept.update(_Decoder().struct({key: one}, _META, "ObjectMeta", "", (), strict_errors=True))
        except BadMetadata:
            continue
    return {key: kept[key] for key in _META if key in kept}, []


class _Decoder:
    """Reads keys in sorted order, as Go does after its own encoder, and keeps the first error."""

    def __init__(self) -> None:
        self.unknown: list[str] = []
        self.complaint = ""

    def struct(
        self,
        value: dict[str, Any],
        fields: Mapping[str, str],
        struct: str,
        path: str,
        always: tuple[str, ...],
        *,
        strict_errors: bool = False,
    ) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key in sorted(value):
            kind = fields.get(key)
            if kind is None:
                self.unknown.append(f"{path}{key}")
            elif value[key] is not None:
                self.field(found, key, value[key], kind, struct, path)
        if strict_errors and self.complaint:
            raise BadMetadata(self.complaint)
        return {key: found.get(key, "") for key in fields if key in found or key in always}

    def field(self, found: dict[str, Any], key: str, value: Any, kind: str, struct: str, path: str) -> None:
        go_path = f"{struct}.{_without_indices(path)}{key}"
        if kind in _STRUCTS:
            self.structs(found, key, value, kind, go_path, path)
        elif kind == _STRING_MAP:
            self.string_map(found, key, value, go_path)
        elif kind == _STRINGS:
            self.strings(found, key, value, go_path)
        elif kind == _TIME:
            self.time(found, key, value, go_path)
        elif kind == _RAW:
            found[key] = value
        elif self.fits(value := _whole(value), kind):
            if value or kind.startswith("*"):
                found[key] = value
        else:
            self.complain(value, go_path, _GO_TYPES.get(key, kind.lstrip("*")))

    def structs(self, found: dict[str, Any], key: str, value: Any, kind: str, go_path: str, path: str) -> None:
        if type(value) is not list:
            self.complain(value, go_path, _GO_TYPES[key])
            return
        out = []
        for index, one in enumerate(value):
            if type(one) is dict:
                inner = f"{path}{key}[{index}]."
                out.append(self.struct(one, _STRUCTS[kind], kind, inner, _ALWAYS_WRITTEN[kind]))
            elif one is None:
                out.append(dict.fromkeys(_ALWAYS_WRITTEN[kind], ""))
            else:
                self.complain(one, go_path, f"v1.{kind}")
        if out:
            found[key] = out

    def string_map(self, found: dict[str, Any], key: str, value: Any, go_path: str) -> None:
        if type(value) is not dict:
            self.complain(value, go_path, _STRING_MAP)
            return
        for one in (value[name] for name in sorted(value)):
            if type(one) is not str and one is not None:
                self.complain(one, go_path, _STRING)
        if value:
            found[key] = {name: one or "" for name, one in value.items()} if None in value.values() else value

    def strings(self, found: dict[str, Any], key: str, value: Any, go_path: str) -> None:
        if type(value) is not list:
            self.complain(value, go_path, _STRINGS)
            return
        for one in value:
            if type(one) is not str and one is not None:
                self.complain(one, go_path, _STRING)
        if value:
            found[key] = [one or "" for one in value]

    def time(self, found: dict[str, Any], key: str, value: Any, go_path: str) -> None:
        if type(value) is not str:
            self.complain(value, go_path, _STRING)
            return
        try:
            text = canonical_time(value)
        except BadTime as fault:
            # A time's own decoder ends the decoding at once, even if there was an error before.
            raise BadMetadata(str(fault)) from None
        if text:
            found[key] = text

    @staticmethod
    def fits(value: Any, kind: str) -> bool:
        if kind == _STRING:
            return type(value) is str
        if kind.endswith("bool"):
            return type(value) is bool
        return type(value) is int

    def complain(self, value: Any, go_path: str, go_type: str) -> None:
        shown = go_kind(value)
        if shown == "number" and go_type == _INT64:
            shown = f"number {json_text(value)}"
        if not self.complaint:
            self.complaint = f"json: cannot unmarshal {shown} into Go struct field {go_path} of type {go_type}"


def _whole(value: Any) -> Any:
    """Return the value as Go writes it to JSON before reading it again: 1.0 becomes 1."""
    if type(value) is not float or not value.is_integer() or abs(value) >= _EXPONENT_FROM:
        return value
    number = int(json_text(value))
    return number if INT64_MIN <= number <= INT64_MAX else value


def _without_indices(path: str) -> str:
    return "".join(part.partition("[")[0] + "." for part in path.split(".") if part)
