"""The names of CEL: reserved words, and how property names become identifiers.

Source: CEL language definition, "Syntax" (reserved words); Kubernetes documentation, "Custom Resources", validation
rules: "Escaping".
"""

import re
from typing import Final

from ovnguard.validators.lazy_pattern import lazy_pattern

RESERVED: Final = frozenset(
    {
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
    }
)
_EXPOSABLE: Final = re.compile(r"[A-Za-z_./-][A-Za-z0-9_./-]*")
_ESCAPES: Final = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}
_TO_ESCAPE: Final = re.compile(r"__|[./-]")
_TO_RESTORE: Final = lazy_pattern(r"__([^_]+)__")
_RESTORED: Final = {"underscores": "__", "dot": ".", "dash": "-", "slash": "/"}


def escape(name: str) -> str | None:
    """Return the identifier of a property, or None if expressions cannot name it."""
    if name in RESERVED:
        return f"__{name}__"
    if _EXPOSABLE.fullmatch(name) is None:
        return None
    return _TO_ESCAPE.sub(lambda found: _ESCAPES[found[0]], name)


def unescape(identifier: str) -> str | None:
    """Return the property that an identifier names, or None if no property escapes to it."""
    valid = True

    def restored(found: re.Match[str]) -> str:
        nonlocal valid
        word = found[1]
        if word in _RESTORED:
            return _RESTORED[word]
        valid = valid and word in RESERVED and len(found[0]) == len(identifier)
        return word

    plain = _TO_RESTORE.sub(restored, identifier)
    return plain if valid else None
