"""Base64 as Go's ``encoding/base64`` decodes it, and as kube-openapi's format ``byte`` checks it."""

import base64
import re
from typing import Final

_CHECKED: Final = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})")
_DECODED: Final = re.compile(r"(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2}==|[A-Za-z0-9_-]{3}=)?")
_DIGITS: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
_BREAKS: Final = frozenset(b"\r\n")
_ACCEPTED: Final = _DIGITS | _BREAKS
_PADDING: Final = ord("=")


class CorruptInput(ValueError):
    """The text is not base64. The message is Go's."""


def is_base64(text: str) -> bool:
    """Padded base64 with the standard alphabet, not empty, without line breaks."""
    return _CHECKED.fullmatch(text) is not None


def decode_url_base64(text: str) -> bytes:
    """Decode base64 with the URL alphabet and padding; line breaks do not count. Raises `CorruptInput`."""
    plain = text.replace("\r", "").replace("\n", "")
    if _DECODED.fullmatch(plain) is None:
        raise CorruptInput(f"illegal base64 data at input byte {_fault(text.encode(errors='surrogatepass'))}")
    return base64.urlsafe_b64decode(plain)


def _fault(source: bytes) -> int:
    """Return the offset that Go reports: of the first wrong byte, or where an incomplete group of four begins."""
    at = next((at for at, byte in enumerate(source) if byte not in _ACCEPTED), len(source))
    digits = sum(byte in _DIGITS for byte in source[:at]) % 4
    if at == len(source):
        return at - digits
    if source[at] != _PADDING or digits < 2:
        return at
    end = at + 1
    if digits == 2:
        end = _after_breaks(source, end)
        if end == len(source):
            return end
        if source[end] != _PADDING:
            return end - 1
        end += 1
    return _after_breaks(source, end)


def _after_breaks(source: bytes, at: int) -> int:
    while at < len(source) and source[at] in _BREAKS:
        at += 1
    return at
