"""The codec of AdmissionReview v1: bytes to an `AdmissionRequest`, or to a `BadReview` with the reason.

A malformed review is the caller's mistake: the webhook answers HTTP 400, never a denial. Pure: no HTTP, no judging.
Source of the shape: k8s.io/api, package ``admission/v1``, type ``AdmissionRequest``.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeVar

from ovnguard.validators.admission import Operation
from ovnguard.validators.base.json_types import JsonObject

API_VERSION: Final = "admission.k8s.io/v1"
KIND: Final = "AdmissionReview"
_SHOWN: Final = 64
# A string as a whole (an unfinished one runs to the end), or one bracket; possessive, so linear on any input.
_TOKEN: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"?+|[\[\]{}]', re.DOTALL)
_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")
_OPERATIONS: Final = {str(operation): operation for operation in Operation}
_BOM: Final = "\ufeff"
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a body.

    ``body_bytes``: an update carries two objects, of at most 3 MiB each on an API server, and the rest of the review.
    ``values``: counted by commas and opening brackets, also those inside strings, which may be JSON themselves.
    ``node_values``: those of the review of a Node, whose status and annotations grow with pods and images. Until the
    kind is known, this larger limit bounds the memory: a three-byte value takes up to 200 bytes.
    """

    body_bytes: int = 7 * 1024 * 1024
    depth: int = 128
    values: int = 50_000
    node_values: int = 500_000


class GroupVersionKind(NamedTuple):
    """The type of the object."""

    group: str
    version: str
    kind: str

    def __str__(self) -> str:
        return "/".join(part for part in self if part)


class GroupVersionResource(NamedTuple):
    """The API collection that contains the object."""

    group: str
    version: str
    resource: str


class AdmissionRequest(NamedTuple):
    """The request that the API server sends. ``object`` is None for DELETE, ``old_object`` for CREATE."""

    uid: str
    operation: Operation
    kind: GroupVersionKind
    resource: GroupVersionResource
    sub_resource: str
    namespace: str
    name: str
    user_info: JsonObject
    object: JsonObject | None
    old_object: JsonObject | None
    dry_run: bool
    options: JsonObject | None


@dataclass(frozen=True, slots=True)
class BadReview:
    """The reason why a call is not a valid review: an HTTP status and one sentence."""

    status: int
    text: str


class _Bad(ValueError):
    """The sentence of a `BadReview`, raised by the parser's hooks."""


def decode(body: bytes, limits: Limits) -> AdmissionRequest | BadReview:
    """Return the request of one AdmissionReview, or a `BadReview` for any fault of ``body``. Never raises."""
    if len(body) > limits.body_bytes:
        return BadReview(413, f"the body has {len(body)} bytes, at most {limits.body_bytes} are accepted")
    try:
        opened = body.count(b"{") + body.count(b"[")
        values = opened + body.count(b",")
        # the limits are far above any real review
        if values > max(limits.values, limits.node_values):
            return BadReview(400, f"the body has more than {max(limits.values, limits.node_values)} values")
        request = _request(_parse(body, limits.depth if opened > limits.depth else None))
        if values > limits.values and (request.kind.group, request.kind.kind) != ("", "Node"):
            return BadReview(400, f"the body has more than {limits.values} values")
        return request
    except _Bad as error:
        return BadReview(400, str(error))


def _parse(body: bytes, depth: int | None) -> Any:
    """Stricter than `json.loads`: UTF-8, no duplicate keys, no NaN, finite numbers, whole characters, bounds."""
    if not body.strip():
        raise _Bad("the body is empty: an AdmissionReview is expected")
    if depth is not None and _deeper(body, depth):
        raise _Bad(f"the body is nested deeper than {depth} levels")
    try:
        text = body.decode("utf-8")
        # json.loads reports a byte order mark; the decoder is created once, not for every body
        value = json.loads(text) if text.startswith(_BOM) else _DECODER.decode(text)
    except UnicodeDecodeError as error:
        raise _Bad(f"the body is not UTF-8: byte 0x{body[error.start]:02x} at offset {error.start}") from None
    except json.JSONDecodeError as error:
        raise _Bad(f"the body is not JSON: {error.msg} (line {error.lineno}, column {error.colno})") from None
    except _Bad:
        raise
    except ValueError:
        # the only remaining case: Python's own limit on the digits of an integer
        raise _Bad("the body is not JSON that can be read: a number has too many digits") from None
    if _SURROGATE.search(body):
        _whole_characters(value)
    return value


def _deeper(body: bytes, depth: int) -> bool:
    level = 0
    for token in _TOKEN.finditer(body):
        first = body[token.start()]
        if first in b"[{":
            level += 1
            if level > depth:
                return True
        elif first in b"]}":
            level -= 1
    return False


def _unique(pairs: list[tuple[str, Any]]) -> JsonObject:
    value = dict(pairs)
    if len(value) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise _Bad(f"the body is not valid: key {_shown(twice)} occurs twice in one object")
    return value


def _constant(name: str) -> float:
    raise _Bad(f"the body is not JSON: {name} is not a JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise _Bad(f"the body is not JSON that can be read: number {text[:_SHOWN]} is out of range")
    return number


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_constant, parse_float=_finite)


def _whole_characters(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise _Bad("the body is not valid: a string holds half of a surrogate pair") from None


def _request(review: Any) -> AdmissionRequest:
    if not isinstance(review, dict):
        raise _Bad(f"an AdmissionReview object is expected, not {_shown(review)}")
    for key, expected in (("apiVersion", API_VERSION), ("kind", KIND)):
        if review.get(key) != expected:
            raise _Bad(f"{key}: {_shown(expected)} is expected, not {_shown(review.get(key))}")
    request = review.get("request")
    if not isinstance(request, dict):
        raise _Bad(f"request: an object is required, not {_shown(request)}")
    uid = request.get("uid")
    if not isinstance(uid, str) or not uid:
        raise _Bad(f"request.uid: a non-empty string is required, not {_shown(uid)}")
    operation = _operation(request.get("operation"))
    kind = _triple(request, "kind", GroupVersionKind)
    decoded = AdmissionRequest(
        uid=uid,
        operation=operation,
        kind=kind,
        resource=_triple(request, "resource", GroupVersionResource),
        sub_resource=_optional(request, "subResource", str, "a string") or "",
        namespace=_optional(request, "namespace", str, "a string") or "",
        name=_optional(request, "name", str, "a string") or "",
        user_info=_optional(request, "userInfo", dict, "an object") or {},
        object=_object(request, "object", operation, needed_by=(Operation.CREATE, Operation.UPDATE)),
        old_object=_object(request, "oldObject", operation, needed_by=(Operation.UPDATE,)),
        dry_run=_optional(request, "dryRun", bool, "true or false") or False,
        options=_optional(request, "options", dict, "an object"),
    )
    for key in ("object", "oldObject"):
        _same_kind(request, key, kind)
    return decoded


def _operation(value: Any) -> Operation:
    known = _OPERATIONS.get(value) if isinstance(value, str) else None
    if known is None:
        raise _Bad(f"request.operation: one of {', '.join(_OPERATIONS)} is expected, not {_shown(value)}")
    return known


def _triple(request: JsonObject, key: str, make: Callable[[str, str, str], _T]) -> _T:
    fields = ("group", "version", key)
    value = request.get(key)
    if not isinstance(value, dict):
        raise _Bad(f"request.{key}: an object with {', '.join(fields)} is required, not {_shown(value)}")
    parts = (value.get("group", ""), value.get("version", ""), value.get(key, ""))
    for field, part in zip(fields, parts, strict=True):
        if not isinstance(part, str):
            raise _Bad(f"request.{key}.{field}: a string is required, not {_shown(part)}")
        if not part and field != "group":
            raise _Bad(f"request.{key}.{field}: a non-empty string is required")
    return make(*parts)


def _same_kind(request: JsonObject, key: str, kind: GroupVersionKind) -> None:
    """Refuse an object of another type than the request names: the wrong rules would judge it."""
    obj = request.get(key)
    if not isinstance(obj, dict):
        return
    api_version = f"{kind.group}/{kind.version}" if kind.group else kind.version
    if obj.get("apiVersion") == api_version and obj.get("kind") == kind.kind:
        return
    for field, wanted in (("apiVersion", api_version), ("kind", kind.kind)):
        found = obj.get(field)
        if found != wanted:
            raise _Bad(f"request.{key}.{field}: {_shown(wanted)} is expected (request.kind), not {_shown(found)}")


def _optional(request: JsonObject, key: str, of_type: type[_T], wanted: str) -> _T | None:
    value = request.get(key)
    if value is not None and not isinstance(value, of_type):
        raise _Bad(f"request.{key}: {wanted} is expected, not {_shown(value)}")
    return value


def _object(request: JsonObject, key: str, operation: Operation, needed_by: tuple[Operation, ...]) -> JsonObject | None:
    value = _optional(request, key, dict, "an object")
    if value is None and operation in needed_by:
        raise _Bad(f"request.{key}: an object is required for {operation}")
    return value


def _shown(value: Any) -> str:
    """The value as truncated one-line JSON; an absent value is null."""
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
