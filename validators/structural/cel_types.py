"""Which schema nodes CEL can see.

Source: apiserver, package ``pkg/cel/common`` (SchemaDeclType).
"""

from validators.structural.schema import Schema


def is_exposed(schema: Schema | None) -> bool:
    """Whether a node has a CEL type."""
    if schema is None:
        return False
    if schema.int_or_string:
        return True
    kind = schema.declared_type
    if kind == "array":
        return is_exposed(schema.items)
    if kind == "object":
        return schema.additional is None or is_exposed(schema.additional)
    return kind in {"string", "boolean", "integer", "number"}
