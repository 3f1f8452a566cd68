"""Standard base64 with padding, with the error of Go's ``encoding/base64``."""

from typing import Final

_DIGITS: Final = frozenset(
    bytes([code]) for code in b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
)
_LINE_BREAKS: Final = frozenset({b"\r", b"\n"})


def base64_error(text: str) -> str:
    """Return Go's error about standard base64 with padding, "" for valid text. Line breaks are ignored."""
    held = text.encode(errors="replace")
    place = _bad_base64(held)
    return "" if place is None else f"illegal base64 data at input byte {place}"


def _bad_base64(held: bytes) -> int | None:
    """Return the first bad place, counted as Go's decoder does: the end of a text that is too short counts back."""
    at = digits = 0
    while at < len(held):
        byte = held[at : at + 1]
        at += 1
        if byte in _LINE_BREAKS:
            continue
        if byte in _DIGITS:
            digits = (digits + 1) % 4
            continue
        if byte != b"=" or digits < 2:
            return at - 1
        return _bad_padding(held, at, more=digits == 2)
    return at - digits if digits else None


def _bad_padding(held: bytes, at: int, *, more: bool) -> int | None:
    at = _after_breaks(held, at)
    if more:
        if at == len(held):
            return at
        if held[at : at + 1] != b"=":
            return at - 1
        at = _after_breaks(held, at + 1)
    return at if at < len(held) else None


def _after_breaks(held: bytes, at: int) -> int:
    while held[at : at + 1] in _LINE_BREAKS:
        at += 1
    return at
