"""Functions for generated code: tests that are too long to inline.

Some import exact checks on call, because few objects need them.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

from ovnguard.validators.go.json_decode import fold
from ovnguard.validators.go.text import INT64_MAX, INT64_MIN

ANY_VALUES: Final = 2_000
"""The maximum number of values in a part of an object without a schema."""
_ANY_DEPTH: Final = 40
_TYPE_META: Final = {"kind": "kind", "apiversion": "apiVersion"}


def is_plain(value: Any) -> bool:
    """Whether a value is JSON as the API server would keep it: nothing to convert, not deep, not large."""
    try:
        return _count(value, 0) <= ANY_VALUES
    except TypeError:
        return False


def are_plain(value: dict[str, Any], known: frozenset[str]) -> bool:
    """`is_plain` for all entries of an object except the known ones, without nulls, which might be dropped."""
    return sum(_count(one, 1) for key, one in value.items() if _text(key) not in known) <= ANY_VALUES


def has_other_case(names: Iterable[str]) -> bool:
    """Whether a field has the name of kind or apiVersion in other letters: the server decodes it, too."""
    return any(_TYPE_META.get(fold(name), name) != name for name in names)


def is_text(text: str) -> bool:
    """Whether a text is UTF-8: half a surrogate pair is not."""
    try:
        return text.isascii() or text.encode() is not None
    except UnicodeEncodeError:
        return False


def _text(key: Any) -> str:
    if type(key) is not str or not is_text(key):
        raise TypeError
    return key


def _count(value: Any, depth: int) -> int:
    kind = type(value)
    if kind is bool or value is None or (kind is str and (value.isascii() or is_text(value))):
        return 1
    if kind is int and INT64_MIN <= value <= INT64_MAX:
        return 1
    if kind is float and math.isfinite(value):
        return 1
    if depth < _ANY_DEPTH and len(value) <= ANY_VALUES:
        if kind is dict:
            return 1 + sum(_count(one, depth + 1) for key, one in value.items() if _text(key) is key)
        if kind is list:
            return 1 + sum(_count(one, depth + 1) for one in value)
    return ANY_VALUES + 1


def is_multiple(value: float, factor: float, minor: int) -> bool:
    """multipleOf, with the arithmetic of a server of this release."""
    from ovnguard.validators.structural.formats.number_arithmetic import number_complaints
    from ovnguard.validators.structural.schema.schema import Schema

    return not number_complaints(value, Schema("", multiple_of=factor), "", minor)


def is_whole(value: float, minor: int) -> bool:
    """Whether a float is valid for type integer, likewise."""
    from ovnguard.validators.structural.formats.number_arithmetic import is_json_integer

    return is_json_integer(value, minor)


def is_among(value: Any, keys: frozenset[Hashable]) -> bool:
    """enum, with the server's conversions between numbers and texts."""
    from ovnguard.validators.structural.objects.value_check import is_among

    return is_among(value, keys)


@lru_cache(maxsize=256)
def format_check(minor: int, name: str) -> Callable[[str], bool]:
    """The check of a format that this release of Kubernetes knows."""
    from ovnguard.validators.structural.formats.release_formats import formats_of

    check = formats_of(minor).checker(name)
    assert check is not None
    return check


def in_format(text: str, name: str, minor: int) -> bool:
    """Whether a text is in a format."""
    return format_check(minor, name)(text)


def by_key(items: Any, name: str) -> dict[Any, Any]:
    """The items of an old list of type map by their only key."""
    return {} if items is None else {item[name]: item for item in items}


def by_keys(items: Any, names: Sequence[str]) -> dict[Any, Any]:
    """The items of an old list of type map by their keys."""
    return {} if items is None else {key_of(item, names): item for item in items}


def key_of(item: dict[str, Any], names: Sequence[str]) -> tuple[Any, ...]:
    """The keys of an item. Raises KeyError where one is missing."""
    return tuple(item[name] for name in names)


class Unsure(Exception):
    """The fast path cannot decide."""


def same(one: Any, two: Any) -> bool:
    """Equality of data under one declaration: True is certain, but different data may still be equal in CEL."""
    if one == two:
        return True
    raise Unsure
