"""What a changed module contains before its own code: marks of points that run, and other values for them.

The text of this file becomes part of the module, so that it works in every process that runs the module. Imports are
inside the functions, so that no name collides with one of the module.
"""

from typing import Any

row_folder = ""
row_seen: set[int] = set()


def row_mark(number: int, value: Any, always: bool = False) -> Any:
    """Note that a point has run with a value that `row_other` can replace; return the value."""
    import contextlib
    import pathlib

    if number not in row_seen and (always or row_other(value) is not value):
        row_seen.add(number)
        with contextlib.suppress(OSError):
            pathlib.Path(row_folder, str(number)).touch()
    return value


def row_marks(number: int, values: Any) -> Any:
    """Pass values on, and note that there is one."""
    for value in values:
        yield row_mark(number, value, True)


def row_other(value: Any) -> Any:
    """Another value of the same type; the value itself for a type that has none here."""
    import enum
    import ipaddress

    if isinstance(value, bool):
        return not value
    if isinstance(value, enum.Enum):
        return next((each for each in type(value) if each is not value), value)
    if isinstance(value, int | float | ipaddress.IPv4Address | ipaddress.IPv6Address):
        return value + 1
    if isinstance(value, str):
        return f"{value}~"
    if not isinstance(value, type) and (hasattr(value, "_replace") or hasattr(value, "__dataclass_fields__")):
        return row_other_field(value)
    if isinstance(value, tuple | list | bytes):
        return value[:-1] if value else value
    if isinstance(value, dict | set | frozenset) and value:
        last = max(value, key=repr)
        kept = [each for each in value if each != last]
        return {each: value[each] for each in kept} if isinstance(value, dict) else type(value)(kept)
    return value


def row_other_field(value: Any) -> Any:
    """A named tuple or a data class with one other field."""
    import dataclasses
    import functools

    fields = getattr(value, "_fields", None) or [each.name for each in dataclasses.fields(value) if each.init]
    for name in fields:
        old = getattr(value, name)
        if (new := row_other(old)) is not old:
            replace = value._replace if hasattr(value, "_replace") else functools.partial(dataclasses.replace, value)
            return replace(**{name: new})
    return value
