"""Decodes policies and bindings as the API server does: the error of the first value that does not, unknown fields."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from ovnguard.validators.base.field import OMITTED, ROOT, ErrorType, FieldError, Older
from ovnguard.validators.go.composite_types import unknown_keys
from ovnguard.validators.go.json_decode import Undecodable, decode
from ovnguard.validators.go.text import go_kind
from ovnguard.validators.policy.policy_types import BINDING_TYPE, EMBEDDED, POLICY_TYPE
from ovnguard.validators.structural.schema.deep_equal import UnfitValue, as_json

MAX_ITEMS: Final = 10_000
"""Most elements of one list. A request of 3 MiB holds no more rules than that."""
POLICY: Final = "ValidatingAdmissionPolicy"
BINDING: Final = "ValidatingAdmissionPolicyBinding"
_API_VERSION: Final = "admissionregistration.k8s.io/v1"
_TYPES: Final = {POLICY: POLICY_TYPE, BINDING: BINDING_TYPE}
_NAMES_EMBEDDED_SINCE: Final = 35
_MOST_UNKNOWN: Final = 100


class InvalidPolicy(ValueError):
    """A ValidatingAdmissionPolicy or its binding cannot be used.

    ``errors`` has the reasons in the API server's order.
    """

    def __init__(self, errors: Iterable[FieldError]) -> None:
        self.errors = tuple(errors)
        super().__init__("; ".join(error.text for error in self.errors))


def decoded(source: Any, kind: str) -> Mapping[str, Any]:
    """Return the set fields of an object of this kind. Raises `InvalidPolicy` if it is none or does not decode."""
    held = _as_json(source)
    for key, wanted in (("apiVersion", _API_VERSION), ("kind", kind)):
        if held.get(key) != wanted:
            raise InvalidPolicy([FieldError(ErrorType.INVALID, key, held.get(key), f"must be {wanted}")])
    try:
        made: Mapping[str, Any] = decode(_TYPES[kind], held)
    except Undecodable as fault:
        raise InvalidPolicy([_undecodable(fault)]) from None
    _check_sizes(made.get("spec", {}), "spec")
    return made


def unknown_fields(source: Any, kind: str) -> Iterator[str]:
    """Iterate over the paths of unknown fields, as strict decoding names them. Raises like `decoded`."""
    decoded(source, kind)
    yield from islice(dict.fromkeys(unknown_keys(_TYPES[kind], _as_json(source))), _MOST_UNKNOWN)


def _as_json(source: Any) -> dict[str, Any]:
    if not isinstance(source, Mapping):
        raise InvalidPolicy([FieldError(ErrorType.INVALID, ROOT, OMITTED, f"must be an object, got {go_kind(source)}")])
    try:
        made: dict[str, Any] = as_json(dict(source))
    except UnfitValue as fault:
        raise InvalidPolicy([FieldError(ErrorType.INVALID, ROOT, detail=str(fault))]) from None
    return made


def _undecodable(fault: Undecodable) -> FieldError:
    text = str(fault)
    before = text
    for struct in EMBEDDED:
        before = before.replace(f".{struct}", ".")
    older = () if before == text else (Older(_NAMES_EMBEDDED_SINCE, detail=before),)
    return FieldError(ErrorType.INVALID, fault.path or ROOT, detail=text, older=older)


def _check_sizes(value: Any, path: str) -> None:
    if isinstance(value, list):
        if len(value) > MAX_ITEMS:
            raise InvalidPolicy([FieldError(ErrorType.TOO_MANY, path, len(value), f"at most {MAX_ITEMS} items")])
        for index, one in enumerate(value):
            _check_sizes(one, f"{path}[{index}]")
    elif isinstance(value, dict):
        for key, one in value.items():
            _check_sizes(one, f"{path}.{key}")
