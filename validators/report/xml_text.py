"""Texts in XML 1.0 documents."""

import re
from typing import Final
from xml.sax.saxutils import escape, quoteattr

_NOT_XML: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def attribute(text: str) -> str:
    """Return the value of an attribute in quotes; characters that XML cannot represent become ``\\u`` escapes."""
    return quoteattr(_clean(text), {"\n": "&#10;", "\t": "&#9;", "\r": "&#13;"})


def content(text: str) -> str:
    """Return the text of an element; characters that XML cannot represent become ``\\u`` escapes."""
    return escape(_clean(text))


def _clean(text: str) -> str:
    return _NOT_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
