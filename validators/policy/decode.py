"""Reading a policy's YAML into values of the types that its API declares. null is the same as absent.

What does not decode is refused at once, as the API server refuses a body that it cannot decode.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar

from validators.base.field import ErrorType, FieldError
from validators.go.text import go_kind

T = TypeVar("T")
MAX_ITEMS: Final = 10_000
"""Most elements of one list; a request of 3 MiB holds no more rules than that."""


class InvalidPolicy(ValueError):
    """A ValidatingAdmissionPolicy or its binding cannot be used; ``errors`` says why, in the API server's order."""

    def __init__(self, errors: Iterable[FieldError]) -> None:
        self.errors = tuple(errors)
        super().__init__("; ".join(error.text for error in self.errors))


class Node:
    """A mapping at a place (``spec.validations[0]``)."""

    def __init__(self, value: Mapping[str, Any], path: str) -> None:
        self.value = value
        self.path = path

    def at(self, key: str) -> str:
        """The path of a field of this node."""
        return f"{self.path}.{key}" if self.path else key

    def _typed(self, key: str, wanted: type[T], name: str) -> T | None:
        value = self.value.get(key)
        if value is None:
            return None
        if not isinstance(value, wanted):
            raise malformed(self.at(key), value, name)
        return value

    def text(self, key: str) -> str:
        """A string, "" if absent."""
        return self._typed(key, str, "a string") or ""

    def maybe_text(self, key: str) -> str | None:
        """A string or None."""
        return self._typed(key, str, "a string")

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings; null inside is the empty string, as Go reads it."""
        found = self._list(key)
        for index, one in enumerate(found):
            if one is not None and not isinstance(one, str):
                raise malformed(f"{self.at(key)}[{index}]", one, "a string")
        return tuple(one or "" for one in found)

    def text_map(self, key: str) -> dict[str, str]:
        """A map of strings."""
        found = self._typed(key, dict, "an object") or {}
        for name, one in found.items():
            if not isinstance(name, str) or (one is not None and not isinstance(one, str)):
                raise malformed(f"{self.at(key)}[{name}]", one, "a string")
        return {name: one or "" for name, one in found.items()}

    def node(self, key: str) -> "Node | None":
        """An object or None."""
        found: dict[str, Any] | None = self._typed(key, dict, "an object")
        return None if found is None else Node(found, self.at(key))

    def nodes(self, key: str) -> "tuple[Node, ...]":
        """A list of objects; null inside is an empty object, as Go reads it."""
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
    """The refusal of a value of the wrong type."""
    detail = f"has the wrong type: want {wanted}, got {go_kind(value)}"
    return InvalidPolicy([FieldError(ErrorType.INVALID, path, detail=detail)])


def read_root(source: Mapping[str, Any], kind: str) -> Node:
    """The root of an object of this kind in admissionregistration.k8s.io/v1. Raises `InvalidPolicy`."""
    wanted = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind}
    for key, value in wanted.items():
        if source.get(key) != value:
            raise InvalidPolicy([FieldError(ErrorType.INVALID, key, source.get(key), f"must be {value}")])
    return Node(source, "")
