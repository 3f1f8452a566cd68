"""Values of CEL: their representation, equality and arithmetic."""
