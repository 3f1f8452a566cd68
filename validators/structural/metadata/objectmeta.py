"""Decodes ``metadata`` into ObjectMeta and writes it back: drops unknown and empty keys, converts times to UTC.

Source: apimachinery, meta/v1 ObjectMeta, OwnerReference, ManagedFieldsEntry; apiextensions-apiserver, package
``pkg/apiserver/schema/objectmeta``.
"""

from contextlib import suppress
from typing import Any, Final

from ovnguard.validators.go import json_decode
from ovnguard.validators.go.composite_types import ListOf, MapOf, StructOf, unknown_keys
from ovnguard.validators.go.json_decode import Decoder, Undecodable
from ovnguard.validators.go.text import INT64_MAX, INT64_MIN, go_kind, json_text
from ovnguard.validators.structural.schema.definition_types import META, OWNER

_EXPONENT_FROM: Final = 1e21
_ALWAYS_WRITTEN: Final = {OWNER: ("apiVersion", "kind", "name", "uid")}


class BadMetadata(ValueError):
    """The ``metadata`` does not decode. The text is Go's."""


def decode(value: Any, *, lenient: bool = False) -> tuple[dict[str, Any], list[str]]:
    """Return the metadata as ObjectMeta writes it, and the sorted unknown paths (``foo``, ``ownerReferences[0].bar``).

    ``lenient`` drops fields that do not decode, as reading from storage does. Otherwise they raise `BadMetadata`.
    """
    if value is None:
        return {}, []
    if not lenient or type(value) is not dict:
        return _written(META, _decoded(value)), list(unknown_keys(META, value))
    kept: dict[str, Any] = {}
    for key, one in value.items():
        with suppress(BadMetadata):
            kept |= _decoded({key: one})
    return _written(META, kept), []


class Sent(Decoder):
    """Values that a program has written as JSON from parsed ones, as kubectl and the API server do: 1.0 becomes 1."""

    def scalar(self, value: Any) -> Any:
        """See `Decoder`."""
        if type(value) is not float or not value.is_integer() or abs(value) >= _EXPONENT_FROM:
            return value
        number = int(json_text(value))
        return number if INT64_MIN <= number <= INT64_MAX else value

    def described(self, value: Any, *, digits: bool) -> str:
        """See `Decoder`."""
        kind = go_kind(value)
        return f"number {json_text(value)}" if kind == "number" and digits else kind


def _decoded(value: Any) -> Any:
    try:
        return json_decode.decode(META, value, Sent)
    except Undecodable as fault:
        raise BadMetadata(str(fault)) from None


def _written(struct: StructOf, value: dict[str, Any]) -> dict[str, Any]:
    """The content of a struct with the keys that Go writes, in the order of the fields."""
    found: dict[str, Any] = {}
    always = _ALWAYS_WRITTEN.get(struct, ())
    for key, kind, *_ in struct.fields:
        content = value.get(key, "" if key in always else None)
        if isinstance(kind, ListOf) and isinstance(kind.of, StructOf):
            content = [_written(kind.of, one) for one in content or ()]
        if content is not None and (content or not isinstance(kind, ListOf | MapOf)):
            found[key] = content
    return found
