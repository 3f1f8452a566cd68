"""The type checker, and the declarations that it knows."""
