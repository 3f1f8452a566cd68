"""Sizes for the cost estimate: those of data by its schema, and those of values that the expression builds.

Source: cel-go ``checker/cost.go``; sizes of data come from the schema (apiserver ``pkg/cel``: bounds, or what fits into
a request).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from ovnguard.validators.cel.checking.checked_expression import CheckedExpression
from ovnguard.validators.cel.cost.estimate_argument import Argument
from ovnguard.validators.cel.cost.ranges import ONE, UNKNOWN, Range, fixed
from ovnguard.validators.cel.syntax import ast
from ovnguard.validators.cel.syntax.dialect import LEGACY_ACCUMULATOR
from ovnguard.validators.cel.types.declaration import Decl
from ovnguard.validators.cel.types.static_types import SCALARS, Type

_UNBOUND: Final = frozenset({ast.ACCUMULATOR, LEGACY_ACCUMULATOR})
_ELEMENTS: Final = frozenset({"@items", "@values"})

Place: TypeAlias = tuple[str, ...]
Sizes: TypeAlias = Callable[[Decl, int], int]


@dataclass(frozen=True, slots=True)
class Entries:
    """Sizes of the keys and values of a container that the expression builds."""

    kind: str
    key: Range
    value: Range

    def union(self, other: "Entries | None") -> "Entries | None":
        """Return sizes that include both."""
        if other is None:
            return None
        return Entries(self.kind, self.key.union(other.key), self.value.union(other.value))


@dataclass(frozen=True, slots=True)
class Local:
    """A variable of a comprehension."""

    place: Place
    size: Range | None
    entries: Entries | None


class SizeBook:
    """Places and sizes of the nodes of one expression, and of the variables of its comprehensions."""

    def __init__(self, checked: CheckedExpression, root: Decl, longest: "int | Sizes | None") -> None:
        self.checked = checked
        self.root = root
        self.longest = longest
        self.places: dict[int, Place] = {}
        self.sizes: dict[int, Range] = {}
        self.entries: dict[int, Entries] = {}
        self._locals: dict[str, list[Local]] = {}

    def local(self, name: str) -> Local | None:
        """Return the innermost variable of a name."""
        stack = self._locals.get(name)
        return stack[-1] if stack else None

    def push(self, name: str, local: Local) -> None:
        """Add a variable to the scope."""
        self._locals.setdefault(name, []).append(local)

    def pop(self, name: str) -> None:
        """Remove a variable from the scope."""
        self._locals[name].pop()

    def place(self, node: ast.Expr) -> Place:
        """Return the place of a node's value in the data, () if it has none."""
        if isinstance(node, ast.Ident):
            local = self.local(node.name)
            if local is not None:
                return local.place
        return self.places.get(node.id, ())

    def start(self, node: ast.Expr) -> Local:
        """Record that ``node`` is the first value of the variable."""
        return Local(self.place(node), self.size(node), self.entry_sizes(node))

    def copy_sizes(self, to: ast.Expr, source: ast.Expr) -> None:
        """Record what is known about ``source`` for ``to`` as well."""
        size, held = self.size(source), self.entry_sizes(source)
        if size is not None:
            self.sizes[to.id] = size
        if held is not None:
            self.entries[to.id] = held

    def entry_sizes(self, node: ast.Expr) -> Entries | None:
        """Return the sizes of the keys and values in a container that the expression builds."""
        found = self.entries.get(node.id)
        if found is None and isinstance(node, ast.Ident):
            local = self.local(node.name)
            return None if local is None else local.entries
        return found

    def argument(self, node: ast.Expr) -> Argument:
        """Return a node as an argument of a call."""
        place = self.place(node)
        if place and place[0] in _UNBOUND:
            place = ()
        value = node.value if isinstance(node, ast.Literal) else None
        return Argument(self.checked.type_at(node), self.size(node), place, value)

    def known(self, node: ast.Expr) -> Range:
        """Return `size`, or the largest range."""
        return self.size(node) or UNKNOWN

    def size(self, node: ast.Expr) -> Range | None:
        """Return how large a value of the node may be, None if unknown."""
        found = self.sizes.get(node.id) or literal_size(node)
        if found is not None:
            return found
        found = self.schema_size(self.place(node))
        if found is not None:
            self.sizes[node.id] = found
            return found
        if _is_scalar(self.checked.type_at(node)):
            return ONE
        if isinstance(node, ast.Ident):
            local = self.local(node.name)
            return None if local is None else local.size
        return None

    def schema_size(self, place: Place) -> Range | None:
        """Return how large the data at a place may be by its schema."""
        if not place:
            return None
        decl: Decl | None = self.root
        for step in place[1:]:
            if decl is None:
                return None
            decl = _inside(decl, step)
        if decl is None:
            return None
        if self.longest is None:
            return Range(0, decl.max_elements)
        if isinstance(self.longest, int):
            return Range(0, max(self.longest, 1))
        return Range(0, max(self.longest(decl, sum(step in _ELEMENTS for step in place)), 1))

    def element_size(self, argument: Argument) -> tuple[Type, Range] | None:
        """Return type and size of a list's elements as the estimates of list functions use them."""
        if not argument.type.params:
            return None
        found = self.schema_size((*argument.place, "@items")) if argument.place else None
        return argument.type.params[0], found or UNKNOWN


def _inside(decl: Decl, step: str) -> Decl | None:
    if step in {"@items", "@values"}:
        return decl.element
    if step == "@keys":
        return _KEY if decl.shape == "map" else None
    if step == "@indices":
        return None
    if decl.shape != "object":
        return None
    name = decl.fields.get(step)
    return None if name is None or decl.properties is None else decl.properties[name]


_KEY: Final = Decl("string")


def literal_size(node: ast.Expr) -> Range | None:
    """Return the size of a constant, or of a list or map literal."""
    match node:
        case ast.Literal():
            return fixed(len(node.value)) if isinstance(node.value, str | bytes) else ONE
        case ast.ListLiteral():
            return fixed(len(node.elements))
        case ast.MapLiteral():
            return fixed(len(node.entries))
        case _:
            return None


def _is_scalar(held: Type) -> bool:
    if held.kind == "opaque" and held.name == "optional_type":
        return _is_scalar(held.params[0])
    return held.kind in SCALARS
