"""Estimated costs as values that the report writers print."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from validators.base.field import FieldError
from validators.cel.cost.estimate import PER_EXPRESSION_LIMIT, PER_SCHEMA_LIMIT

RULE_LIMIT: Final = PER_EXPRESSION_LIMIT
CRD_LIMIT: Final = PER_SCHEMA_LIMIT
MOST: Final = 2**64 - 1
"""The largest cost there is: the API server stops counting there."""


@dataclass(frozen=True, slots=True)
class MissingBound:
    """A keyword that a schema node lacks. ``path`` is the node's (``spec.items[*].name``, "" for the root).

    ``assumed`` is the size that stands in for it: bytes of a string, elements of a list or map.
    """

    path: str
    keyword: str
    assumed: int


@dataclass(frozen=True, slots=True)
class RuleCost:
    """One expression of a schema in its place.

    ``path`` names it in the schema (``spec.x-kubernetes-validations[0].rule``), ``field`` as errors about the
    definition do. ``cost`` is ``per_call`` times ``times``, how often the node can be in one object (a message is made
    once). ``missing`` are the bounds whose absence counts, ``fits_at`` the largest bound that, given to each of them,
    keeps the expression within its limit: None where it is within as it is, 0 where no bound helps.
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
        """Whether the API server refuses it for its cost alone."""
        return self.cost > RULE_LIMIT


@dataclass(frozen=True, slots=True)
class SchemaCost:
    """All expressions of one schema, the dearest first. ``versions`` are those that share the schema.

    ``errors`` are what the API server says of its rules' cost.
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
    """A CustomResourceDefinition. ``flaws`` are errors other than cost; what they hide is not estimated."""

    name: str
    schemas: tuple[SchemaCost, ...]
    flaws: tuple[FieldError, ...] = ()

    @property
    def over(self) -> bool:
        """Whether any version is over a limit."""
        return any(schema.over for schema in self.schemas)


Sizes = Mapping[tuple[str, ...], int]
"""Sizes to put in place of the assumed ones, by the steps from the node that carries the rule."""
