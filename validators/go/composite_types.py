"""The Go types of lists, maps and structs that JSON decodes into, and how Go compares and prints their contents.

Source: apimachinery, ``pkg/api/equality`` (Semantic.DeepEqual).
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from ovnguard.validators.go.json_decode import Decoder, Kind, fold
from ovnguard.validators.go.text import ADDRESS, Struct, quote


class ListOf(NamedTuple):
    """A slice; ``known_as`` is its name if it has one of its own."""

    of: Kind
    known_as: str = ""
    unset: Any = None

    @property
    def name(self) -> str:
        """The type as Go prints it."""
        return self.known_as or f"[]{self.of.name}"

    def read(self, value: Any, held: Any, at: Decoder) -> Any:
        """See `Kind`."""
        if type(value) is not list:
            return at.complain(value, held, self.name)
        made: list[Any] = list(held or ())[: len(value)]
        made += (_zero(self.of) for _ in range(len(value) - len(made)))
        for index, one in enumerate(value):
            at.path.append(f"[{index}]")
            made[index] = _element(self.of, one, made[index], at)
            at.path.pop()
        return made

    def same(self, left: Any, right: Any) -> bool:
        """See `Kind`: no list and an empty list are equal."""
        left, right = left or [], right or []
        return len(left) == len(right) and all(map(self.of.same, left, right))

    def shown(self, value: Any) -> Any:
        """See `Kind`."""
        return [self.of.shown(one) for one in value]

    def go_syntax(self, value: Any, package: str) -> str:
        """See `Kind`."""
        name = qualified(self.name, package)
        if value is None:
            return f"{name}(nil)"
        return f"{name}{{{', '.join(_go_element(self.of, one, package) for one in value)}}}"


class MapOf(NamedTuple):
    """A map with string keys; ``known_as`` is its name if it has one of its own."""

    of: Kind
    known_as: str = ""
    unset: Any = None

    @property
    def name(self) -> str:
        """The type as Go prints it."""
        return self.known_as or f"map[string]{self.of.name}"

    def read(self, value: Any, held: Any, at: Decoder) -> Any:
        """See `Kind`."""
        members = at.members(value)
        if members is None:
            return at.complain(value, held, self.name)
        made: dict[str, Any] = dict(held or {})
        for key, one in members:
            at.path.append(f"[{key}]")
            made[key] = _element(self.of, one, _zero(self.of), at)
            at.path.pop()
        return made

    def same(self, left: Any, right: Any) -> bool:
        """See `Kind`: no map and an empty map are equal."""
        left, right = left or {}, right or {}
        return left.keys() == right.keys() and all(self.of.same(one, right[key]) for key, one in left.items())

    def shown(self, value: Any) -> Any:
        """See `Kind`."""
        return {key: self.of.shown(one) for key, one in value.items()}

    def go_syntax(self, value: Any, package: str) -> str:
        """See `Kind`."""
        name = qualified(self.name, package)
        if value is None:
            return f"{name}(nil)"
        pairs = (f"{quote(key)}:{_go_element(self.of, value[key], package)}" for key in sorted(value))
        return f"{name}{{{', '.join(pairs)}}}"


def qualified(name: str, package: str) -> str:
    """Return the name of a type with the package of the internal types."""
    return re.sub(r"\bv1\.", f"{package}.", name)


def pointer(name: str, value: Any, package: str) -> str:
    """Return ``%#v`` of a pointer to a type, None for nil."""
    return f"(*{qualified(name, package)})({'nil' if value is None else ADDRESS})"


def _go_element(kind: Kind, value: Any, package: str) -> str:
    return kind.literal(value, package) if isinstance(kind, StructOf) else kind.go_syntax(value, package)


def _zero(kind: Kind) -> Any:
    """Return the zero value of an element of a list or map, which is no pointer."""
    return {} if isinstance(kind, StructOf) else kind.unset


def _variable(kind: Kind, value: Any, held: Any, at: Decoder) -> Any:
    """Return the content of a field: null empties a pointer, list or map, and leaves others as they are."""
    if value is None:
        return None if kind.unset is None else held
    return kind.read(value, held, at)


def _element(kind: Kind, value: Any, held: Any, at: Decoder) -> Any:
    made = held if value is None else kind.read(value, held, at)
    return kind.unset if made is None else made


class Field(NamedTuple):
    """A field of a struct: its documented key in JSON, its type, its internal name in Go.

    ``path`` leads to it in errors, if that is not the key.
    """

    key: str
    kind: Kind
    go: str = ""
    path: str = ""


class StructOf:
    """A struct. ``name`` is the type as Go prints it; the field of a struct may be a ``pointer`` to it.

    ``fields`` are set after the creation of a struct that contains itself.
    """

    def __init__(self, name: str, *fields: Field, pointer: bool = True) -> None:
        self.name: Final = name
        self.pointer: Final = pointer
        self.fields: tuple[Field, ...] = ()
        self._short: Final = name.partition(".")[2]
        self.by_key: Mapping[str, Field] = {}
        self._by_fold: Mapping[str, Field] = {}
        self.define(*fields)

    @property
    def unset(self) -> Any:
        """Nothing behind a pointer, else the zero value."""
        return None if self.pointer else self.shown({})

    def define(self, *fields: Field) -> None:
        """Set the fields."""
        self.fields = fields
        self.by_key = {one.key: one for one in fields}
        self._by_fold = {fold(one.key): one for one in fields}

    def field_of(self, key: str, *, ignores_case: bool = False) -> Field | None:
        """Return the field of a key; ``ignores_case`` as encoding/json does."""
        return self._by_fold.get(fold(key)) if ignores_case else self.by_key.get(key)

    def read(self, value: Any, held: Any, at: Decoder) -> Any:
        """See `Kind`."""
        members = at.members(value)
        if members is None:
            return at.complain(value, held, self.name)
        struct = at.struct
        made: dict[str, Any] = dict(held or {})
        for key, one in members:
            own = self.field_of(key, ignores_case=at.ignores_case)
            if own is None:
                continue
            at.struct = self._short
            at.fields.append(own.path or own.key)
            at.path.append(f".{own.key}")
            content = _variable(own.kind, one, made.pop(own.key, None), at)
            if content is not None:
                made[own.key] = content
            at.path.pop()
            at.fields.pop()
            at.struct = struct
        return made

    def same(self, left: Any, right: Any) -> bool:
        """See `Kind`."""
        if left is None or right is None:
            return left is right
        return all(one.kind.same(left.get(one.key), right.get(one.key)) for one in self.fields)

    def shown(self, value: Any) -> Struct:
        """See `Kind`."""
        pairs = ((one, value.get(one.key)) for one in self.fields)
        return Struct((one.go, one.kind.unset if held is None else one.kind.shown(held)) for one, held in pairs)

    def go_syntax(self, value: Any, package: str) -> str:
        """See `Kind`."""
        return pointer(self.name, value, package) if self.pointer else self.literal(value or {}, package)

    def literal(self, value: Mapping[str, Any], package: str) -> str:
        """Return ``%#v`` of the struct itself."""
        fields = (f"{one.go}:{one.kind.go_syntax(value.get(one.key), package)}" for one in self.fields)
        return f"{qualified(self.name, package)}{{{', '.join(fields)}}}"


def unknown_keys(kind: Kind, value: Any, path: str = "", unknown: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield the paths of the keys of no field, in the order of sorted keys. The value decodes as this type.

    Types that decode themselves are not entered. ``unknown`` are the fields of newer releases.
    """
    if isinstance(kind, StructOf) and type(value) is dict:
        for key in sorted(value):
            field, where = kind.by_key.get(key), f"{path}.{key}" if path else key
            if field is None or key in unknown:
                yield where
            else:
                yield from unknown_keys(field.kind, value[key], where, unknown)
    elif not isinstance(kind, ListOf | MapOf) or not isinstance(kind.of, StructOf | ListOf | MapOf):
        return
    elif type(value) is list:
        for index, one in enumerate(value):
            yield from unknown_keys(kind.of, one, f"{path}[{index}]", unknown)
    elif type(value) is dict:
        for key in sorted(value):
            yield from unknown_keys(kind.of, value[key], f"{path}.{key}", unknown)


def elements(kind: Kind, value: Any, path: str) -> Iterator[tuple[Kind, Any, str]]:
    """Iterate over the elements of a list or map of structs, each with its type and path; nothing for other types."""
    if isinstance(kind, ListOf) and isinstance(kind.of, StructOf | ListOf | MapOf):
        yield from ((kind.of, one, f"{path}[{index}]") for index, one in enumerate(value or ()))
    elif isinstance(kind, MapOf) and isinstance(kind.of, StructOf | ListOf | MapOf):
        yield from ((kind.of, one, f"{path}.{key}") for key, one in sorted((value or {}).items()))
