"""Base64 as Go's ``encoding/base64`` decodes it, and as kube-openapi's format ``byte`` checks it."""

import base64
import re
from typing import Final

from ovnguard.validators.lazy_pattern import lazy_pattern

_CHECKED: Final = lazy_pattern(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})")
_NOT_STANDARD: Final = lazy_pattern(rb"[^A-Za-z0-9+/\r\n]")
_NOT_URL: Final = lazy_pattern(rb"[^A-Za-z0-9_\r\n-]")
_BREAKS: Final = frozenset(b"\r\n")
_PADDING: Final = ord("=")


class CorruptInput(ValueError):
    """The text is not base64. The message is Go's."""


def is_base64(text: str) -> bool:
    """Padded base64 with the standard alphabet, not empty, without line breaks."""
    return _CHECKED.fullmatch(text) is not None


def base64_error(text: str) -> str:
    """Return Go's error about base64 with the standard alphabet and padding, "" for valid text.

    Line breaks do not count.
    """
    return _error(text, _NOT_STANDARD)


def decode_url_base64(text: str) -> bytes:
    """Decode base64 with the URL alphabet and padding; line breaks do not count. Raises `CorruptInput`."""
    if error := _error(text, _NOT_URL):
        raise CorruptInput(error)
    return base64.urlsafe_b64decode(text.replace("\r", "").replace("\n", ""))


def _error(text: str, foreign: re.Pattern[bytes]) -> str:
    place = _fault(text.encode(errors="surrogatepass"), foreign)
    return "" if place is None else f"illegal base64 data at input byte {place}"


def _fault(source: bytes, foreign: re.Pattern[bytes]) -> int | None:
    """Return the offset that Go reports: of the first wrong byte, or where an incomplete group of four begins."""
    found = foreign.search(source)
    at = len(source) if found is None else found.start()
    held = (at - source.count(b"\r", 0, at) - source.count(b"\n", 0, at)) % 4
    if at == len(source):
        return at - held if held else None
    if source[at] != _PADDING or held < 2:
        return at
    end = _after_breaks(source, at + 1)
    if held == 2:
        if end == len(source):
            return end
        if source[end] != _PADDING:
            return end - 1
        end = _after_breaks(source, end + 1)
    return end if end < len(source) else None


def _after_breaks(source: bytes, at: int) -> int:
    while at < len(source) and source[at] in _BREAKS:
        at += 1
    return at
