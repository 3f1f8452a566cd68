"""Decodes a policy's YAML into values of the types that its API declares. null means absent.

As in the API server, the first value that does not decode raises the error.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar

from validators.base.field import ErrorType, FieldError
from validators.go.text import go_kind

T = TypeVar("T")
MAX_ITEMS: Final = 10_000
"""Most elements of one list. A request of 3 MiB holds no more rules than that."""


class InvalidPolicy(ValueError):
    """A ValidatingAdmissionPolicy or its binding cannot be used.

    ``errors`` has the reasons in the API server's order.
    """

    def __init__(self, errors: Iterable[FieldError]) -> None:
        self.errors = tuple(errors)
        super().__init__("; ".join(error.text for error in self.errors))


class Node:
    """A mapping and its path (``spec.validations[0]``)."""

    def __init__(self, value: Mapping[str, Any], path: str) -> None:
        self.value = value
        self.path = path

    def at(self, key: str) -> str:
        """Return the path of a field of this node."""
        return f"{self.path}.{key}" if self.path else key

    def _typed(self, key: str, wanted: type[T], name: str) -> T | None:
        value = self.value.get(key)
        if value is None:
            return None
        if not isinstance(value, wanted):
            raise malformed(self.at(key), value, name)
        return value

    def text(self, key: str) -> str:
        """Return a string, "" if absent."""
        return self._typed(key, str, "a string") or ""

    def maybe_text(self, key: str) -> str | None:
        """Return a string or None."""
        return self._typed(key, str, "a string")

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of strings. As in Go, null inside is the empty string."""
        found = self._list(key)
        for index, one in enumerate(found):
            if one is not None and not isinstance(one, str):
                raise malformed(f"{self.at(key)}[{index}]", one, "a string")
        return tuple(one or "" for one in found)

    def text_map(self, key: str) -> dict[str, str]:
        """Return a map of strings."""
        found = self._typed(key, dict, "an object") or {}
        for name, one in found.items():
            if not isinstance(name, str) or (one is not None and not isinstance(one, str)):
                raise malformed(f"{self.at(key)}[{name}]", one, "a string")
        return {name: one or "" for name, one in found.items()}

    def node(self, key: str) -> "Node | None":
        """Return an object or None."""
        found: dict[str, Any] | None = self._typed(key, dict, "an object")
        return None if found is None else Node(found, self.at(key))

    def nodes(self, key: str) -> "tuple[Node, ...]":
        """Return a list of objects. As in Go, null inside is an empty object."""
        found = self._list(key)
        for index, one in enumerate(found):
            if one is not None and not isinstance(one, dict):
                raise malformed(f"{self.at(key)}[{index}]", one, "an object")
        return tuple(Node(one or {}, f"{self.at(key)}[{index}]") for index, one in enumerate(found))

    def _list(self, key: str) -> list[Any]:
        found = self._typed(key, list, "a list") or []
        if len(found) > MAX_ITEMS:
            raise InvalidPolicy(
                [FieldError(ErrorType.TOO_MANY, self.at(key), len(found), f"at most {MAX_ITEMS} items")]
            )
        return found


def malformed(path: str, value: Any, wanted: str) -> InvalidPolicy:
    """Return the error of a value of the wrong type."""
    detail = f"has the wrong type: want {wanted}, got {go_kind(value)}"
    return InvalidPolicy([FieldError(ErrorType.INVALID, path, detail=detail)])


def read_root(source: Mapping[str, Any], kind: str) -> Node:
    """Return the root of an object of this kind in admissionregistration.k8s.io/v1. Raises `InvalidPolicy`."""
    wanted = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind}
    for key, value in wanted.items():
        if source.get(key) != value:
            raise InvalidPolicy([FieldError(ErrorType.INVALID, key, source.get(key), f"must be {value}")])
    return Node(source, "")
