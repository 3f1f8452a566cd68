"""Random objects of built-in kinds with values of wrong types, and with fields that no struct has."""

import random
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ovnguard.validators.built_in.types import types_of
from ovnguard.validators.go.composite_types import ListOf, MapOf, StructOf
from ovnguard.validators.go.json_decode import Kind

Path = tuple[str | int, ...]
_VALUES: Final[Sequence[Any]] = (
    *("x", "", "é", "10%", "1Gi", "YWJj", "2020-01-01T00:00:00Z", "2020-01-01T00:00:00.123456Z"),
    *(5, -1, 1.5, 2**31, 2**40, 2**70, 1e30, True, None),
    *({}, {"a": 1}, {"a": "b"}, {"a": {}}, {"a": None}, [], ["y"], [None], [1, "x"]),
)
_DEEPEST: Final = 9
_UNKNOWN_SHARE: Final = 0.1
_SECOND_SHARE: Final = 0.3


def places(release: int, kinds: Sequence[tuple[str, str]]) -> list[tuple[str, str, Path]]:
    """Return every field of some kinds, as apiVersion, kind and path."""
    found: list[tuple[str, str, Path]] = []
    for version, kind in kinds:
        struct = types_of(release).of_kind(version, kind)
        assert struct is not None, (version, kind)
        found += ((version, kind, path) for path in _paths(struct, (), ()) if path and path[0] not in _TYPE_META)
    return found


_TYPE_META: Final = ("apiVersion", "kind")


def _paths(kind: Kind, path: Path, outer: tuple[Kind, ...]) -> Iterator[Path]:
    yield path
    if isinstance(kind, ListOf):
        yield from _paths(kind.of, (*path, 0), outer)
    elif isinstance(kind, MapOf):
        yield from _paths(kind.of, (*path, "key"), outer)
    elif isinstance(kind, StructOf) and len(outer) < _DEEPEST and outer.count(kind) < 2:
        for field in kind.fields:
            yield from _paths(field.kind, (*path, field.key), (*outer, kind))


def wrong_object(chance: random.Random, known: Sequence[tuple[str, str, Path]]) -> dict[str, Any]:
    """Return an object with a random value at a random place, sometimes with two, or with an unknown field."""
    version, kind, path = chance.choice(known)
    if chance.random() < _UNKNOWN_SHARE:
        path = (*path, "bogus")
    obj = _nested(path, chance.choice(_VALUES))
    if chance.random() < _SECOND_SHARE:
        *_, other = chance.choice([each for each in known if each[:2] == (version, kind)])
        obj = _nested(other, chance.choice(_VALUES)) | obj
    return {"apiVersion": version, "kind": kind, **obj}


def _nested(path: Path, value: Any) -> dict[str, Any]:
    for part in reversed(path):
        value = [value] if part == 0 else {part: value}
    made: dict[str, Any] = value
    return made
