"""Which schema nodes CEL can see, and under which names.

Source: apiserver, packages ``pkg/cel`` (Escape) and ``pkg/cel/common`` (SchemaDeclType).
"""

import re
from typing import Final

from validators.structural.model import Schema

_NAME: Final = re.compile("[A-Za-z_./-][A-Za-z0-9_./-]*")
_SPECIAL: Final = re.compile("__|[./-]")
_ESCAPES: Final = {"__": "__underscores__", ".": "__dot__", "/": "__slash__", "-": "__dash__"}
_RESERVED: Final = frozenset(
    [
        "true",
        "false",
        "null",
        "in",
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
        "var",
        "void",
        "while",
    ]
)


def escape(name: str) -> str | None:
    """The identifier of a property in CEL; None for a name that CEL cannot reach."""
    if not _NAME.fullmatch(name):
        return None
    if name in _RESERVED:
        return f"__{name}__"
    return _SPECIAL.sub(lambda match: _ESCAPES[match[0]], name)


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
