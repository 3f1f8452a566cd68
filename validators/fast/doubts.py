"""What the fast path proves of an object that it does not accept, so that the exact path need not look there again.

The generated function of a node says yes only to values that the exact path would keep as they are and find nothing
wrong with. Here the object is walked from its root to what they do not say yes to. What lies on the way is looked at
by hand: whether it is kept as it is, and whether rules may be confirmed on it (`validators.fast.confirm`).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from validators.fast.accept_path import FastPath
from validators.fast.accept_runtime import is_plain, is_text
from validators.fast.limits import Caps, below
from validators.go.text import INT64_MAX, INT64_MIN
from validators.structural.schema import NO_DEFAULT, Schema

MAX_DOUBTS: Final = 400
"""Most values that are looked at by hand. Each may hold one part of `runtime.ANY_VALUES` that is counted."""
_META: Final = frozenset({"apiVersion", "kind", "metadata"})
_SIMPLE: Final = {"string": str, "boolean": bool, "integer": int}

Test = Callable[[Any], Any]
Proven = set[tuple[int, int]]
"""The ids of values and of the nodes that they are known to fit."""
Left = dict[tuple[int, int], list[str]]
"""By the ids of objects and of their nodes, the keys whose values are not known to fit."""


@dataclass(frozen=True, slots=True)
class Look:
    """What is known of an object: ``object`` has its defaults, and everything but metadata is as the server keeps it.

    ``proven`` are parts without error, ``left`` what is not in objects that are no such parts. ``typed``: every value
    has its declared type and is within the caps, so that generated rules may be asked. ``unique``: no set or map has an
    item twice. ``unknown`` are the fields that would go, sorted: where there are any, nothing else is known.
    """

    object: dict[str, Any]
    proven: Proven
    left: Left
    typed: bool
    unique: bool
    unknown: list[str]


class Doubts:
    """The functions of one schema's nodes. Immutable; may be used from many threads."""

    __slots__ = ("_caps", "_loses_status", "_schema", "_tests", "_usable")

    def __init__(self, schema: Schema, fast: FastPath) -> None:
        self._schema = schema
        plan = fast.plan
        self._caps = Caps(*plan.caps)
        self._loses_status = fast.resource.has_status and not plan.drops_status
        self._tests: dict[int, Test] = {
            id(node): fast.names[name] for (node, _), name in zip(below(schema), plan.nodes, strict=True)
        }
        self._usable = schema.declared_type == "object" and schema.additional is None and _leaves_type_and_meta(schema)

    def look(self, filled: dict[str, Any]) -> Look | None:
        """Look at an object with its defaults; None if the exact path might change it, but for unknown fields."""
        if not self._usable:
            return None
        walk = _Walk(self._tests, self._caps)
        walk.typed = not (self._loses_status or self._schema.composed)
        try:
            walk.root(filled, self._schema)
        except _Unsettled:
            return None
        return Look(filled, walk.proven, walk.left, walk.typed, walk.unique, sorted(walk.unknown))


def _leaves_type_and_meta(schema: Schema) -> bool:
    """Whether the schema fills in nothing in what makes an object a resource."""
    for name in _META:
        child = schema.properties.get(name)
        if child is not None:
            nodes = [child, *(node for node, _ in below(child))]
            if any(node.default is not NO_DEFAULT or node.embedded for node in nodes):
                return False
    return True


class _Unsettled(Exception):
    """The exact path might change something, or there is too much to look at."""


class _Walk:
    __slots__ = ("caps", "count", "left", "proven", "tests", "typed", "unique", "unknown")

    def __init__(self, tests: dict[int, Test], caps: Caps) -> None:
        self.tests = tests
        self.caps = caps
        self.count = 0
        self.left: Left = {}
        self.proven: Proven = set()
        self.typed = True
        self.unique = True
        self.unknown: list[str] = []

    def root(self, value: dict[str, Any], schema: Schema) -> None:
        """The whole object; type and metadata of the resource are the caller's."""
        self._sized(value, schema)
        self._properties(value, schema, "", 0, _META)

    def _holds(self, value: Any, schema: Schema) -> bool:
        """Whether a value is fine; remembered, for the exact check."""
        try:
            holds = self.tests[id(schema)](value)
        except Exception:  # noqa: BLE001 - generated code may stumble over anything; all of it means the same
            return False
        if holds:
            self.proven.add((id(value), id(schema)))
        return bool(holds)

    def _doubtful(self, value: Any, schema: Schema, path: str, loops: int) -> None:
        """A value that is not proven, and no null."""
        kind = type(value)
        if kind is dict or kind is list:
            self._container(value, schema, path, loops)
        elif kind is str:
            if not is_text(value):
                raise _Unsettled
            plain = schema.declared_type == "string" and not (schema.enum or schema.format)
            if not plain or len(value) > self.caps.characters(schema):
                self.typed = False
        elif kind is bool or (kind is int and INT64_MIN <= value <= INT64_MAX):
            if kind is not _SIMPLE.get(schema.declared_type):
                self.typed = False
        elif kind is float and math.isfinite(value):
            self.typed = False
        else:
            raise _Unsettled

    def _container(self, value: Any, schema: Schema, path: str, loops: int) -> None:
        self.count += 1 + len(value)
        if self.count > MAX_DOUBTS or schema.preserve_unknown or schema.embedded:
            raise _Unsettled
        if schema.composed or schema.int_or_string:
            self.typed = False
        if type(value) is list:
            self._list(value, schema, path, loops)
            return
        if schema.declared_type != "object":
            self.typed = False
        self._sized(value, schema)
        if schema.additional is not None and not schema.properties:
            self._map(value, schema, path, loops)
        elif schema.additional_allowed is None:
            self._properties(value, schema, path, loops, frozenset())
        else:
            raise _Unsettled

    def _sized(self, value: dict[str, Any], schema: Schema) -> None:
        size, most = len(value), schema.max_properties
        if size < (schema.min_properties or 0) or (most is not None and size > most):
            self.typed = False
        for name in schema.required:
            if name not in value:
                self.typed = False

    def _properties(self, value: dict[str, Any], schema: Schema, path: str, loops: int, apart: frozenset[str]) -> None:
        properties = schema.properties
        left = self.left[id(value), id(schema)] = []
        for key, one in value.items():
            child = properties.get(key)
            if key in apart:
                continue
            if child is None:
                self._stranger(key, one, path)
            elif one is None:
                self._null(child, entry=True)
                left.append(key)
            elif not self._holds(one, child):
                left.append(key)
                self._doubtful(one, child, f"{path}.{key}" if path else key, loops)
        for name, child in properties.items():
            if child.default is not NO_DEFAULT and name not in value and name not in apart:
                raise _Unsettled

    def _stranger(self, key: Any, value: Any, path: str) -> None:
        """Something unknown, which goes."""
        if type(key) is not str or not is_text(key) or not is_plain(value):
            raise _Unsettled
        self.unknown.append(f"{path}.{key}" if path else key)

    def _null(self, schema: Schema, *, entry: bool) -> None:
        """A null that stays: of an entry that may be null, or an item of a list."""
        if not schema.nullable and (entry or schema.default is not NO_DEFAULT):
            raise _Unsettled
        if not schema.nullable or schema.enum:
            self.typed = False

    def _bounded(self, value: Any, schema: Schema, loops: int) -> None:
        """Within the caps, or few enough values to be counted."""
        if len(value) > self.caps.items(schema, loops):
            self.typed = False
            if not is_plain(value):
                raise _Unsettled

    def _map(self, value: dict[Any, Any], schema: Schema, path: str, loops: int) -> None:
        assert schema.additional is not None
        self._bounded(value, schema, loops)
        left = self.left[id(value), id(schema)] = []
        for key, one in value.items():
            if type(key) is not str or not is_text(key):
                raise _Unsettled
            if len(key) > self.caps.text:
                self.typed = False
            if one is None:
                self._null(schema.additional, entry=True)
                left.append(key)
            elif not self._holds(one, schema.additional):
                left.append(key)
                self._doubtful(one, schema.additional, f"{path}.{key}", loops + 1)

    def _list(self, value: list[Any], schema: Schema, path: str, loops: int) -> None:
        if schema.declared_type != "array":
            self.typed = False
        self._bounded(value, schema, loops)
        if schema.list_type in {"set", "map"}:
            # The exact check tells.
            self.unique = self.typed = False
        if schema.items is None:
            if any(type(one) is dict or type(one) is list for one in value) or not is_plain(value):
                raise _Unsettled
            return
        for index, one in enumerate(value):
            if one is None:
                self._null(schema.items, entry=False)
            elif not self._holds(one, schema.items):
                self._doubtful(one, schema.items, f"{path}[{index}]", loops + 1)
