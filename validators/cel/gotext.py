"""Go's spelling of values, because the API server's texts are printed by Go."""

from typing import Final

_NAMED: Final = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    "\\": "\\\\",
    '"': '\\"',
}


def quote(text: str) -> str:
    """``text`` as Go's ``strconv.Quote`` (``%q``) prints it."""
    return '"' + "".join(map(_quoted_rune, text)) + '"'


def _quoted_rune(rune: str) -> str:
    if rune in _NAMED:
        return _NAMED[rune]
    if rune == " " or (rune.isprintable() and not "\ud800" <= rune <= "\udfff"):
        return rune
    code = ord(rune)
    if code < 0x20 or code == 0x7F:
        return f"\\x{code:02x}"
    if 0xD800 <= code <= 0xDFFF:
        return "\\ufffd"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
