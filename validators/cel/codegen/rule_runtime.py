"""Functions that generated rules call. All raise if CEL has an error or the result is not plain."""

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ovnguard.validators.cel.values.cel_values import Optional


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
