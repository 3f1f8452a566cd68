"""Finds the missing bounds that make an expression expensive, by estimating it with and without them.

A bound counts if the estimate falls when its assumed size is halved, either in the given schema or in one with all
other bounds. This finds both sides of a comparison, and each branch of a conditional.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from ovnguard.validators.base.cel_names import escape
from ovnguard.validators.cel.checking.checked_expression import CheckedExpression
from ovnguard.validators.cel.cost.estimate import estimate
from ovnguard.validators.cel.syntax import ast
from ovnguard.validators.cel.types.declaration import Decl
from ovnguard.validators.cost.cost_values import MOST, RULE_LIMIT, MissingBound, Sizes
from ovnguard.validators.structural.schema.schema import Schema

_SIZED_FORMATS: Final = frozenset({"date", "date-time", "duration"})
_MAX_CANDIDATES: Final = 64
_MAX_BOUND: Final = 3 * 1024 * 1024
_Steps = tuple[str, ...]
_ELEMENT: Final = "[*]"


@dataclass(frozen=True, slots=True)
class RepeatedNode:
    """A schema node with rules, and the lists and maps around it: bounded ones multiply the cost."""

    schema: Schema
    factor: int = 1
    unbounded: tuple[MissingBound, ...] = ()

    def times(self, decl: Decl, bound: int | None = None) -> int:
        """The maximum number of occurrences of the node in one object; ``bound`` replaces missing bounds around it."""
        if not self.unbounded:
            return self.factor
        if bound is None:
            return _MAX_BOUND // (decl.min_size + 1)
        return min(int(self.factor * bound ** len(self.unbounded)), MOST)


class Expression:
    """One expression at its position, to estimate with other sizes than the schema's."""

    def __init__(self, checked: CheckedExpression, decl: Decl, place: RepeatedNode, *, once: bool) -> None:
        self.checked = checked
        self.decl = decl
        self.place = place
        self.once = once
        names = frozenset(_names(checked.root))
        found = _unbounded(place.schema, decl, names, place.schema.location, ())
        self.candidates = dict(one for _, one in zip(range(_MAX_CANDIDATES), found, strict=False))

    def per_call(self, sizes: Sizes | None = None) -> int:
        """The maximum cost of one evaluation, with other sizes."""
        return estimate(self.checked, _resized(self.decl, sizes) if sizes else self.decl).max

    def times(self, bound: int | None = None) -> int:
        """The number of evaluations that count."""
        return 1 if self.once else self.place.times(self.decl, bound)

    def missing(self) -> dict[_Steps, MissingBound]:
        """The missing bounds inside the node that affect the cost."""
        if not self.candidates:
            return {}
        bounded = dict.fromkeys(self.candidates, 1)
        return {
            steps: bound
            for steps, bound in self.candidates.items()
            if self._matters(steps, {}) or self._matters(steps, bounded)
        }

    def _matters(self, steps: _Steps, others: Sizes) -> bool:
        """Whether the estimate, with these other sizes, depends on the size assumed at ``steps``."""
        full = self.per_call({**others, steps: self.candidates[steps].assumed})
        # At the maximum cost, an estimate with half the size may also be the maximum.
        less = 1 if full == MOST else self.candidates[steps].assumed // 2
        return self.per_call({**others, steps: less}) < full

    def fits_at(self, inside: dict[_Steps, MissingBound]) -> int:
        """The largest common value of the missing bounds that keeps the cost within the limit; 0 if none does."""
        low, high = 0, _MAX_BOUND
        while low < high:
            middle = (low + high + 1) // 2
            if self._cost_at(middle, inside) <= RULE_LIMIT:
                low = middle
            else:
                high = middle - 1
        return low

    def _cost_at(self, bound: int, inside: dict[_Steps, MissingBound]) -> int:
        # A string may have four times as many bytes as characters.
        sizes = {steps: bound * (4 if one.keyword == "maxLength" else 1) for steps, one in inside.items()}
        return self.per_call(sizes) * self.times(bound)


def missing_around(schema: Schema) -> MissingBound | None:
    """The missing bound of a list or map, without an assumed size; None for other and bounded nodes."""
    if schema.items is not None and schema.max_items is None:
        return MissingBound(schema.location, "maxItems", 0)
    if schema.additional is not None and schema.max_properties is None:
        return MissingBound(schema.location, "maxProperties", 0)
    return None


def _unbounded(
    schema: Schema, decl: Decl, names: frozenset[str], path: str, steps: _Steps
) -> Iterator[tuple[_Steps, MissingBound]]:
    """Every node below that lacks a bound and whose name occurs in the expression."""
    keyword = _lacks(schema, decl)
    if keyword:
        yield steps, MissingBound(path, keyword, decl.max_elements)
    inner = schema.items or schema.additional
    if inner is not None and decl.element is not None:
        yield from _unbounded(inner, decl.element, names, f"{path}{_ELEMENT}", (*steps, _ELEMENT))
    for name, child in schema.properties.items():
        known = (decl.properties or {}).get(name)
        if known is not None and escape(name) in names:
            yield from _unbounded(child, known, names, f"{path}.{name}" if path else name, (*steps, name))


def _lacks(schema: Schema, decl: Decl) -> str:
    match decl.shape:
        case "array" if schema.max_items is None and decl.element is not None:
            return "maxItems"
        case "map" if schema.max_properties is None:
            return "maxProperties"
        case "string" if schema.max_length is None and not schema.enum and schema.format not in _SIZED_FORMATS:
            return "maxLength"
        case "int-or-string" if schema.max_length is None:
            return "maxLength"
        case _:
            return ""


def _resized(decl: Decl, sizes: Sizes, steps: _Steps = ()) -> Decl:
    """The declaration with other sizes; unaffected parts are shared."""
    depth = len(steps)
    below = {key[depth] for key in sizes if len(key) > depth and key[:depth] == steps}
    if not below and steps not in sizes:
        return decl
    made = replace(decl, max_elements=sizes.get(steps, decl.max_elements))
    if _ELEMENT in below and decl.element is not None:
        made.element = _resized(decl.element, sizes, (*steps, _ELEMENT))
    if decl.properties is not None:
        named = {name: _resized(decl.properties[name], sizes, (*steps, name)) for name in below - {_ELEMENT}}
        made.properties = {**decl.properties, **named}
    return made


def _names(node: ast.Expr) -> Iterator[str]:
    """Every field name in an expression."""
    if isinstance(node, ast.Select):
        yield node.field
    for child in ast.children(node):
        yield from _names(child)
