"""Decodes an object of a built-in kind as the API server does, and says what its schema lacks or requires.

Source: apimachinery, ``pkg/runtime/serializer/json``; apiserver, ``pkg/endpoints/handlers`` (create.go).
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any, Final, NamedTuple

from ovnguard.validators.base.field import ErrorType, FieldError, minor
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.built_in.schemas import schema_of_kind
from ovnguard.validators.built_in.types import Types, types_of
from ovnguard.validators.go.composite_types import StructOf, elements, unknown_keys
from ovnguard.validators.go.json_decode import Kind, Undecodable, decode
from ovnguard.validators.go.text import quote
from ovnguard.validators.structural.metadata.objectmeta import Sent
from ovnguard.validators.structural.objects.prepare import strict_decoding_errors

REQUIRED_RULE: Final = "required-field"
"""The id of the warning about a missing field that the schema requires."""
_MOST_UNKNOWN: Final = 100
_NEWER_WORDS_SINCE: Final = 35
_STATUS: Final = "status"
_REQUIRED_TEXT: Final = "the schema requires this field; the API server may set it, do without it, or refuse the object"


class DecodedObject(NamedTuple):
    """What the API server's decoder says of an object: the errors with which it refuses it, and warnings of ours.

    ``schema`` reads the OpenAPI schema of its kind.
    """

    schema: Callable[[], Mapping[str, Any]]
    errors: tuple[FieldError, ...] = ()
    warnings: tuple[FieldError, ...] = ()


def decode_object(obj: JsonObject, kubernetes: str) -> DecodedObject | None:
    """Return the result for an object that kubectl sends to a release; None for a kind that the release does not have.

    An object that is accepted here may still be refused: the API server validates values, such as those of
    enumerations, by code of each kind.
    """
    api_version, kind = obj.get("apiVersion"), obj.get("kind")
    types = types_of(minor(kubernetes))
    if not isinstance(api_version, str) or not isinstance(kind, str):
        return None
    struct = types.of_kind(api_version, kind)
    if struct is None:
        return None
    schema = partial(schema_of_kind, api_version, kind, minor(kubernetes))
    try:
        decode(struct, obj, Sent)
    except Undecodable as fault:
        text = fault.older if fault.older and minor(kubernetes) < _NEWER_WORDS_SINCE else str(fault)
        version = api_version.rpartition("/")[2]
        detail = f"{kind} in version {quote(version)} cannot be handled as a {kind}: {text}"
        error = FieldError(ErrorType.INVALID, fault.path or "<nil>", detail=detail, rule="request")
        return DecodedObject(schema, (error,))
    if unknown := strict_decoding_errors(islice(dict.fromkeys(unknown_keys(struct, obj)), _MOST_UNKNOWN)):
        return DecodedObject(schema, tuple(unknown))
    missing = _missing(types, struct, {key: value for key, value in obj.items() if key != _STATUS})
    return DecodedObject(
        schema,
        warnings=tuple(
            FieldError(ErrorType.REQUIRED, path, detail=_REQUIRED_TEXT, rule=REQUIRED_RULE) for path in missing
        ),
    )


def _missing(types: Types, kind: Kind, value: Any, path: str = "") -> Iterator[str]:
    """The paths of required fields that an object lacks. The status is not asked for: creation drops it."""
    if value is None:
        return
    if not isinstance(kind, StructOf):
        for of, one, place in elements(kind, value, path):
            yield from _missing(types, of, one, place)
        return
    prefix = f"{path}." if path else ""
    yield from (f"{prefix}{key}" for key in types.required(kind) if value.get(key) is None)
    for key, one in value.items():
        yield from _missing(types, kind.by_key[key].kind, one, f"{prefix}{key}")
