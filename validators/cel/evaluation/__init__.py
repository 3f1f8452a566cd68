"""The evaluator: steps that compute a checked expression."""
