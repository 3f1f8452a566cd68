"""Estimated costs as values that the report writers print."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ovnguard.validators.base.field import FieldError
from ovnguard.validators.cel.cost.estimate import PER_EXPRESSION_LIMIT, PER_SCHEMA_LIMIT

RULE_LIMIT: Final = PER_EXPRESSION_LIMIT
CRD_LIMIT: Final = PER_SCHEMA_LIMIT
MOST: Final = 2**64 - 1
"""The maximum cost, at which the API server stops counting."""


@dataclass(frozen=True, slots=True)
class MissingBound:
    """A keyword that a schema node lacks. ``path`` is the node's (``spec.items[*].name``, "" for the root).

    ``assumed`` is the size that replaces it: bytes of a string, elements of a list or map.
    """

    path: str
    keyword: str
    assumed: int


@dataclass(frozen=True, slots=True)
class RuleCost:
    """One expression at its position in a schema.

    ``path`` names it in the schema (``spec.x-kubernetes-validations[0].rule``), ``field`` as errors about the
    definition do. ``cost`` is ``per_call`` multiplied by ``times``, the maximum number of occurrences of the node in
    one object (a message is evaluated once). ``missing`` are the missing bounds that affect the cost. ``fits_at`` is
    the largest common value for them that keeps the expression within its limit: None if it already is, 0 if no bound
    helps.
    """

    path: str
    field: str
    text: str
    cost: int
    per_call: int
    times: int
    missing: tuple[MissingBound, ...] = ()
    fits_at: int | None = None

    @property
    def over(self) -> bool:
        """Whether the API server refuses the expression because of its cost."""
        return self.cost > RULE_LIMIT


@dataclass(frozen=True, slots=True)
class SchemaCost:
    """All expressions of one schema, the most expensive first. ``versions`` are those that share the schema.

    ``errors`` are the API server's errors about the cost of its rules.
    """

    versions: tuple[str, ...]
    rules: tuple[RuleCost, ...]
    errors: tuple[FieldError, ...] = ()

    @property
    def total(self) -> int:
        """The cost of all expressions together."""
        return min(sum(rule.cost for rule in self.rules), MOST)

    @property
    def over(self) -> bool:
        """Whether the API server refuses the definition for it."""
        return self.total > CRD_LIMIT or any(rule.over for rule in self.rules)


@dataclass(frozen=True, slots=True)
class DefinitionCost:
    """A CustomResourceDefinition. ``flaws`` are other errors; rules that they hide are not estimated."""

    name: str
    schemas: tuple[SchemaCost, ...]
    flaws: tuple[FieldError, ...] = ()

    @property
    def over(self) -> bool:
        """Whether any version is over a limit."""
        return any(schema.over for schema in self.schemas)


Sizes = Mapping[tuple[str, ...], int]
"""Replacements of the assumed sizes, by the steps from the node with the rule."""
