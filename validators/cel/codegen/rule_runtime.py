"""Functions that generated rules call. All raise if CEL has an error or the result is not plain."""

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from validators.cel.declaration import Decl
    from validators.cel.values import Optional

_INT_END: Final = 2**63
_CACHED: Final = 1024
_LONG: Final = 1024


def present(value: Any) -> Any:
    """Return the value. Raises KeyError if there is none."""
    if value is None:
        raise KeyError
    return value


def get(container: dict[str, Any] | None, key: str) -> Any:
    """Return an entry of an optional object or map, None if either is missing."""
    return None if container is None else container.get(key)


def at(values: list[Any], place: int) -> Any:
    """Return an element. Raises IndexError for a negative index."""
    if place < 0:
        raise IndexError
    return values[place]


def list_get(values: list[Any] | None, place: int) -> Any:
    """Return an element of an optional list, None if there is none."""
    return values[place] if values is not None and 0 <= place < len(values) else None


def or_value(value: Any, other: Any) -> Any:
    """Return the value, or the other one if it is missing."""
    return other if value is None else value


def unwrapped(held: "Optional") -> Any:
    """Return the value inside an optional, None without one. A null inside is not plain."""
    if held.present and held.value is None:
        raise KeyError
    return held.value if held.present else None


def plain_scalar(value: Any) -> bool:
    """Return whether a constant may be an element of a tuple of alternatives."""
    return type(value) in {int, str, bool}


def matcher(engine: Any) -> Callable[[str], bool]:
    """Return a test against a compiled pattern that caches its results for short texts."""
    search = engine.search

    @lru_cache(maxsize=_CACHED)
    def remembered(text: str) -> bool:
        return search(text) is not None

    def matches(text: str) -> bool:
        return remembered(text) if len(text) <= _LONG else search(text) is not None

    return matches


def comparer(decl: "Decl") -> Callable[[Any, Any], bool]:
    """Return a test for equality of data under one declaration: fast for identical data, exact otherwise."""
    from validators.cel.json_values import wrap  # noqa: PLC0415 - stored fast forms, which are read warm, do not need it
    from validators.cel.operations import equal  # noqa: PLC0415 - likewise

    def same(one: Any, two: Any) -> bool:
        return one == two or equal(wrap(one, decl), wrap(two, decl))

    return same


_KINDS: Final = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "int-or-string": (int, str),
}


def conforms(value: Any, decl: "Decl") -> bool:
    """Return whether data has exactly the types that generated code relies on.

    Data without a schema may be anything.
    """
    if value is None:
        return decl.nullable
    kinds = _KINDS.get(decl.shape)
    if kinds is not None:
        return type(value) in kinds and (type(value) is not int or -_INT_END <= value < _INT_END)
    if decl.shape == "array":
        element = decl.element
        return type(value) is list and element is not None and all(conforms(one, element) for one in value)
    if decl.shape == "map":
        element = decl.element
        return type(value) is dict and element is not None and all(conforms(one, element) for one in value.values())
    if decl.shape == "object":
        inner = decl.properties or {}
        return type(value) is dict and all(conforms(one, inner[key]) for key, one in value.items() if key in inner)
    return True


HELPERS: Final[dict[str, Any]] = {
    "present": present,
    "get": get,
    "at": at,
    "list_get": list_get,
    "or_value": or_value,
    "unwrapped": unwrapped,
    "len_": len,
    "float_": float,
    "enumerate_": enumerate,
}
