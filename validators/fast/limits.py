"""The size limits of ordinary objects, and the cost of rules within them.

A definition without maxItems and maxLength does not limit cost. Here each list, map and string gets a cap, its own
limit or a common one. Generated code does not accept larger objects, so the cost of every rule has a known bound.
"""

from dataclasses import dataclass
from typing import Final

from ovnguard.validators.structural.schema.schema import Schema

MAX_VALUES: Final = 1_000_000
"""The maximum number of values in an object for the fast path; the exact path accepts twice as many."""


@dataclass(frozen=True, slots=True)
class Caps:
    """The maximum sizes: items of a list or map, items of a nested one, characters of a string."""

    outer: int
    inner: int
    text: int

    def items(self, schema: Schema, loops: int) -> int:
        """The cap of a list or map that is inside ``loops`` others."""
        own = schema.max_items if schema.declared_type == "array" else schema.max_properties
        common = self.inner if loops else self.outer
        return common if own is None else max(0, min(own, common))

    def characters(self, schema: Schema) -> int:
        """The cap of a string."""
        return self.text if schema.max_length is None else max(0, min(schema.max_length, self.text))


TIERS: Final = (Caps(256, 32, 4096), Caps(64, 16, 1024), Caps(16, 8, 256))
"""From generous to strict; the first that bounds the cost of all rules applies."""


def most_values(schema: Schema | None, caps: Caps, any_values: int, loops: int = 0) -> int:
    """The maximum number of values in an object within the caps, those in branches counted again for each branch.

    ``any_values`` is the number in a part without schema.
    """
    if schema is None:
        return any_values
    count = 1 + sum(most_values(child, caps, any_values, loops) for child in schema.properties.values())
    if schema.preserve_unknown or not schema.types:
        count += any_values
    for inner in (schema.items, schema.additional):
        if inner is not None:
            count += caps.items(schema, loops) * most_values(inner, caps, any_values, loops + 1)
    branches = (*schema.all_of, *schema.any_of, *schema.one_of, *filter(None, [schema.negated]))
    return count + sum(most_values(branch, caps, any_values, loops) for branch in branches)
