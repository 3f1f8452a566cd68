"""The state of the whole system, of objects that the cluster has: read once, then pure, then a table or JSON."""
