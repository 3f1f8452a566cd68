"""The schema of a definition as a tree, and what its values are compared with."""
