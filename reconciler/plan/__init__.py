"""Pure planning: networks and nodes in, immutable desired rows and documents out."""
