"""Narrow an optional value that must be present."""

from typing import TypeVar

_T = TypeVar("_T")


def present(value: _T | None) -> _T:
    """The value, which is not None."""
    assert value is not None
    return value
