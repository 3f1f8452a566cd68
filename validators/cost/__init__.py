"""Estimated costs of the CEL rules of a CRD: shares of the limits, and missing bounds."""

from ovnguard.validators.cost.cost_values import (
    CRD_LIMIT,
    RULE_LIMIT,
    DefinitionCost,
    MissingBound,
    RuleCost,
    SchemaCost,
)
from ovnguard.validators.cost.rule_costs import explain

__all__ = ["CRD_LIMIT", "RULE_LIMIT", "DefinitionCost", "MissingBound", "RuleCost", "SchemaCost", "explain"]
