"""Values that a schema almost allows: an allowed value with one to three changes."""

from collections.abc import Iterator
from typing import Any, Final

from hypothesis import strategies as st

from ovnguard.validators.structural.schema.schema import Schema

Step = str | int
PathToNode = tuple[tuple[Step, ...], Schema | None]

_MOST_CHANGES: Final = 3
_MOST_PLACES: Final = 400
_LONGEST_PADDING: Final = 5000
_OTHER_TYPES: Final[tuple[Any, ...]] = (None, True, 0, -1, 1.5, "", "x", [], {}, [None], {"": None})
_REMOVED: Final = object()


@st.composite
def nearly(draw: st.DrawFn, schema: Schema, good: st.SearchStrategy[Any]) -> Any:
    """Return a strategy of changed values. A change may by chance be an allowed one."""
    value = draw(good)
    for _ in range(draw(st.integers(1, _MOST_CHANGES))):
        path, node = draw(st.sampled_from(list(_places(value, schema))[:_MOST_PLACES]))
        changed = draw(st.sampled_from(list(_changes(_at(value, path), node))))
        value = _put(value, path, changed)
    return value


def _places(value: Any, schema: Schema | None, path: tuple[Step, ...] = ()) -> Iterator[PathToNode]:
    """Every path of the value with its schema node, the whole value last."""
    if isinstance(value, dict):
        for key, member in value.items():
            child = schema and (schema.properties.get(key) or schema.additional)
            yield from _places(member, child, (*path, key))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from _places(member, schema and schema.items, (*path, index))
    yield path, schema


def _changes(value: Any, schema: Schema | None) -> Iterator[Any]:
    """Replacements for ``value`` at one path."""
    yield from (other for other in _OTHER_TYPES if type(other) is not type(value))
    yield _REMOVED
    if isinstance(value, str):
        yield from _strings(value, schema)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _numbers(value, schema)
    elif isinstance(value, list):
        yield from _lists(value, schema)
    elif isinstance(value, dict):
        yield from _mappings(value, schema)


def _strings(value: str, schema: Schema | None) -> Iterator[str]:
    yield from ("", value[:-1], value.upper())
    yield from (value + tail for tail in ("x", " ", "\n", "\u2028", "\u00e9", '"'))
    if schema is not None and schema.max_length is not None and schema.max_length < _LONGEST_PADDING:
        yield from (value.ljust(size, "a")[:size] for size in (schema.max_length, schema.max_length + 1))


def _numbers(value: float, schema: Schema | None) -> Iterator[float]:
    yield from (value + 1, value - 1, -value, float(value), value + 0.5)
    yield from (2**31, 2**53 + 1, 2**63 - 1, -(2**63))
    for bound in (schema.minimum, schema.maximum) if schema is not None else ():
        if bound is not None and bound.is_integer():
            yield from (int(bound) - 1, int(bound), int(bound) + 1)


def _lists(value: list[Any], schema: Schema | None) -> Iterator[list[Any]]:
    yield value[::-1]
    if value:
        yield [*value, value[0]]
        if schema is not None and schema.max_items is not None and schema.max_items < _MOST_PLACES:
            yield (value * (schema.max_items + 1))[: schema.max_items + 1]


def _mappings(value: dict[str, Any], schema: Schema | None) -> Iterator[dict[str, Any]]:
    yield {**value, "notInTheSchema": 1}
    absent = [name for name in schema.properties if name not in value] if schema is not None else []
    for name in absent[:3]:
        yield {**value, name: None}
        yield {**value, name: {}}


def _at(value: Any, path: tuple[Step, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def _put(value: Any, path: tuple[Step, ...], changed: Any) -> Any:
    """A copy of ``value`` with ``changed`` at ``path``; the parts outside the path are shared."""
    if not path:
        return {} if changed is _REMOVED else changed
    step, rest = path[0], path[1:]
    copied = value.copy()
    inner = _put(value[step], rest, changed) if rest else changed
    if inner is _REMOVED:
        del copied[step]
    else:
        copied[step] = inner
    return copied
