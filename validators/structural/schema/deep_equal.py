"""Equality and size of JSON values as the API server sees them: ``reflect.DeepEqual`` and limits."""

import math
import re
from operator import is_
from typing import Any, Final

from ovnguard.validators.go.text import INT64_MAX, INT64_MIN

MAX_DEPTH: Final = 200
"""Deepest allowed nesting of an object. The API server allows 10,000 levels, but a Python stack frame costs more."""
MAX_VALUES: Final = 2_000_000
"""Most values allowed in one object. The 3 MiB of a request hold at most about 1.5 million."""


_LONGEST_PATH: Final = 200
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class UnfitValue(ValueError):
    """The value is not JSON, or it is an object over the limits. ``path`` names the place."""

    def __init__(self, path: str, detail: str) -> None:
        shown = path if len(path) <= _LONGEST_PATH else f"{path[:40]}...{path[-40:]}"
        super().__init__(f"{shown or 'object'}: {detail}")
        self.path = path
        self.detail = detail

    def inside(self, step: str) -> "UnfitValue":
        """Return the same error with ``step``, a key or ``[index]``, put before its path."""
        joint = "." if self.path and not self.path.startswith("[") else ""
        return UnfitValue(f"{step}{joint}{self.path}", self.detail)


def deep_equal(left: Any, right: Any) -> bool:
    """Return whether two JSON values are equal in type and value: 1, 1.0 and true are three different values."""
    kind = type(left)
    if kind is not type(right):
        return False
    if kind is dict:
        return len(left) == len(right) and all(
            key in right and deep_equal(one, right[key]) for key, one in left.items()
        )
    if kind is list:
        return len(left) == len(right) and all(map(deep_equal, left, right))
    return bool(left == right)


def as_json(value: Any) -> Any:
    """Return the value as the API server's decoder reads it: integers beyond 64 bits become floats, lone surrogates
    U+FFFD.

    Returns the same object if nothing changes. Raises `UnfitValue` for anything but JSON (NaN, dates, keys that are not
    strings) and for an object that is too deep or too large.
    """
    return _Reader().read(value, 0)


class _Reader:
    def __init__(self) -> None:
        self.values = 0

    def read(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if kind is str:
            return _text(value)
        if kind is bool or value is None:
            return value
        if kind is int:
            return value if INT64_MIN <= value <= INT64_MAX else _float(value)
        if kind is float:
            return _float(value)
        if depth > MAX_DEPTH:
            raise UnfitValue("", f"nested deeper than {MAX_DEPTH} levels")
        if isinstance(value, dict):
            return self._mapping(value, depth)
        if isinstance(value, list):
            return self._list(value, depth)
        # Readers that record line numbers return subclasses of str. The rest of the code expects a plain str.
        if isinstance(value, str):
            return _text(str(value))
        raise UnfitValue("", f"{kind.__name__} is not a JSON value")

    def _count(self, more: int) -> None:
        self.values += more
        if self.values > MAX_VALUES:
            raise UnfitValue("", f"more than {MAX_VALUES} values")

    def _mapping(self, value: dict[Any, Any], depth: int) -> Any:
        self._count(len(value))
        changed: dict[str, Any] = {}
        odd_keys = False
        for key, one in value.items():
            if not isinstance(key, str):
                raise UnfitValue("", f"key {key!r} is not a string")
            odd_keys = odd_keys or not (key.isascii() or _text(key) is key)
            kind = type(one)
            if (kind is str and one.isascii()) or kind is bool or one is None:
                continue
            try:
                read = self.read(one, depth + 1)
            except UnfitValue as fault:
                raise fault.inside(key) from None
            if read is not one:
                changed[key] = read
        if odd_keys:
            return {_text(str(key)): changed.get(key, one) for key, one in value.items()}
        if changed or type(value) is not dict:
            return {**value, **changed}
        return value

    def _list(self, value: list[Any], depth: int) -> Any:
        self._count(len(value))
        read = []
        for index, one in enumerate(value):
            if type(one) is str and one.isascii():
                read.append(one)
                continue
            try:
                read.append(self.read(one, depth + 1))
            except UnfitValue as fault:
                raise fault.inside(f"[{index}]") from None
        return value if type(value) is list and all(map(is_, read, value)) else read


def _text(value: str) -> str:
    """Return the text with escaped surrogates repaired: a pair becomes one character, a lone one U+FFFD."""
    if value.isascii() or not _SURROGATE.search(value):
        return value
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _float(value: float) -> float:
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if math.isfinite(number):
        return number
    raise UnfitValue("", f"{value if isinstance(value, float) else 'this integer'} is not a JSON number")
