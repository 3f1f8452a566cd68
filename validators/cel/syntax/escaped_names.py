"""Names of fields in backticks (``self.`a-b```), which parsers from Kubernetes 1.37 on read.

Source: cel-go 0.29 ``parser/gen/CEL.g4`` (ESC_IDENTIFIER, escapeIdent).
"""

import re
from typing import Final

_TEXTS: Final = (
    r"//[^\n]*",
    r"(?:[rR][bB]?|[bB][rR])(?:\"\"\"(?:.|\n)*?\"\"\"|'''(?:.|\n)*?'''|\"[^\"\n]*\"|'[^'\n]*')",
    r"\"\"\"(?:\\.|[^\\])*?\"\"\"|'''(?:\\.|[^\\])*?'''|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'",
)
_TOKEN: Final = re.compile(f"{'|'.join(_TEXTS)}|`(?P<name>[A-Za-z0-9_.\\-/ ]+)`")
_SELECTS: Final = re.compile(r"[\w)\]}\"'`]\s*\.\s*(?:\?\s*)?\Z")
_CONTINUES: Final = re.compile(r"[\w`]|\s*\(")
_LOOK_BACK: Final = 200


def masked(text: str) -> tuple[str, dict[int, str]]:
    """Return the text with plain names of the same length in the place of names in backticks, and those by position.

    Only the name of a selected field can be in backticks, which is neither called nor followed by another name. Others
    remain, and are errors.
    """
    if "`" not in text:
        return text, {}
    names: dict[int, str] = {}
    parts: list[str] = []
    end = 0
    for token in _TOKEN.finditer(text):
        at, after = token.span()
        if token["name"] is None or _CONTINUES.match(text, after):
            continue
        if _SELECTS.search(text[max(0, at - _LOOK_BACK) : at]):
            names[at] = token["name"]
            parts += (text[end:at], "x" * (after - at))
            end = after
    return "".join(parts) + text[end:], names
