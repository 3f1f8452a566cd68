"""Estimated costs of the CEL rules of a CRD: shares of the limits, and missing bounds."""

from validators.cost.cost_values import CRD_LIMIT, RULE_LIMIT, DefinitionCost, MissingBound, RuleCost, SchemaCost
from validators.cost.rule_costs import explain

__all__ = ["CRD_LIMIT", "RULE_LIMIT", "DefinitionCost", "MissingBound", "RuleCost", "SchemaCost", "explain"]
