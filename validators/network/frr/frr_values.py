"""Reads values of unvalidated FRRConfigurations: a value of the wrong type counts as absent."""

from collections.abc import Iterator, Mapping
from typing import Any


class FrrError(ValueError):
    """A fault at a field of the parsed object, in frr-k8s' words."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field
        self.text = text


def number(value: object) -> int | None:
    """Return the value if it is an integer, else None."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def texts(value: object) -> list[str]:
    """Return the strings of a list."""
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def mappings(value: object) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Iterate over the mappings of a list, with their paths."""
    if isinstance(value, list):
        yield from ((index, each) for index, each in enumerate(value) if isinstance(each, Mapping))
