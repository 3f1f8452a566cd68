"""Data that an optional variable holds, as fast forms may read it: it has lost its schema.

What the schema would change - formats, numbers, the order of sets, escaped names, null that counts as absent - is left
out, so that a rule which needs it has no fast form. See `validators.cel.convert.native`.
"""

from dataclasses import replace

from validators.cel.codegen.fast_parts import converted
from validators.cel.decl import Decl

_INVALID = Decl("invalid")


def without_schema(decl: Decl) -> Decl:
    """The declaration with nothing but what reads the same with and without it."""
    match decl.shape:
        case "number":
            return _INVALID
        case "string" if converted(decl):
            return _INVALID
        case "array" | "map":
            element = decl.element
            kept = None if element is None or element.nullable else without_schema(element)
            return replace(decl, element=kept, list_type="", list_keys=())
        case "object":
            properties = decl.properties or {}
            fields = {
                identifier: name
                for identifier, name in decl.fields.items()
                if identifier == name and not properties[name].nullable
            }
            return replace(
                decl, fields=fields, properties={name: without_schema(properties[name]) for name in fields.values()}
            )
        case _:
            return decl
