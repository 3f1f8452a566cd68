"""Which nodes of a schema are equal, and which are simple: generated code shares functions and leaves out checks."""

from collections import Counter
from typing import Final

from ovnguard.validators.structural.schema.schema import NO_DEFAULT, Schema

CONTAINERS: Final = frozenset({"object", "array"})
"""The types of values with values inside."""
_OWN: Final = (
    "types",
    "nullable",
    "format",
    "required",
    "pattern",
    "max_length",
    "min_length",
    "max_items",
    "min_items",
    "max_properties",
    "min_properties",
    "minimum",
    "maximum",
    "exclusive_minimum",
    "exclusive_maximum",
    "multiple_of",
    "additional_allowed",
    "int_or_string",
    "preserve_unknown",
    "embedded",
    "list_type",
    "list_map_keys",
)


class Shapes:
    """Numbers for schema nodes: equal numbers mean equal code. Counts the uses of each."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._of: dict[int, int] = {}
        self._uses: Counter[int] = Counter()

    def count(self, schema: Schema) -> None:
        """Number a node and all below it."""
        self.of(schema)

    def of(self, schema: Schema) -> int:
        """Return the number of a node."""
        known = self._of.get(id(schema))
        if known is None:
            known = self._of[id(schema)] = self._numbers.setdefault(self._key(schema), len(self._numbers))
            self._uses[known] += 1
        return known

    def uses(self, schema: Schema) -> int:
        """Return the number of nodes equal to this one."""
        return self._uses[self.of(schema)]

    def _key(self, schema: Schema) -> object:
        inner = [
            None if child is None else self.of(child) for child in (schema.items, schema.additional, schema.negated)
        ]
        branches = [tuple(map(self.of, part)) for part in (schema.all_of, schema.any_of, schema.one_of)]
        properties = tuple((name, self.of(child)) for name, child in schema.properties.items())
        own = [getattr(schema, name) for name in _OWN]
        has_default = schema.default is not NO_DEFAULT
        return (repr(own), repr(schema.enum), has_default, tuple(inner), tuple(branches), properties)


def is_leaf(schema: Schema) -> bool:
    """Return whether an object or list contains only scalars."""
    inner = [*schema.properties.values(), *filter(None, (schema.items, schema.additional))]
    return all(child.declared_type not in CONTAINERS for child in inner)


def is_bare(schema: Schema) -> bool:
    """Return whether a node requires only a type, which the caller has checked."""
    blank = Schema("")
    kept = {"types", "preserve_unknown", "additional_allowed", "list_type", "list_map_keys", "nullable"}
    same = all(getattr(schema, name) == getattr(blank, name) for name in _OWN if name not in kept)
    return same and not (schema.enum or schema.properties or schema.additional or schema.items or schema.composed)


def is_deep(schema: Schema) -> bool:
    """Return whether a node or its children have defaults or need a second check."""
    if schema.default is not NO_DEFAULT or schema.items is not None or schema.additional is not None:
        return True
    return any(is_deep(child) or child.embedded for child in schema.properties.values())
