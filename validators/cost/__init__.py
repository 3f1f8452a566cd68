"""What the rules of a definition may cost, explained: estimates, shares of the limits, missing bounds."""

from validators.cost.explain import explain
from validators.cost.model import CRD_LIMIT, RULE_LIMIT, DefinitionCost, MissingBound, RuleCost, SchemaCost

__all__ = ["CRD_LIMIT", "RULE_LIMIT", "DefinitionCost", "MissingBound", "RuleCost", "SchemaCost", "explain"]
