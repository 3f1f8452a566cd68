"""IP addresses as Go's ``net/netip`` reads them, with its error texts."""

from typing import Final

from ovnguard.validators.go.text import quote

_HEX: Final = frozenset("0123456789abcdefABCDEF")
_GROUPS: Final = 8


class AddressError(Exception):
    """The text is not an address. The message is ``netip``'s."""


class Zoned(Exception):
    """The address is well formed but has a zone."""


def _failure(whole: str, message: str, at: str = "") -> AddressError:
    tail = f" (at {quote(at)})" if at else ""
    return AddressError(f"ParseAddr({quote(whole)}): {message}{tail}")


def parse_addr(text: str) -> tuple[int, int]:
    """Return family (4 or 6) and number of an address.

    Raises `AddressError` with netip's text, and `Zoned` for an address with a zone.
    """
    for rune in text:
        if rune == ".":
            return 4, _dotted(text, text)
        if rune == ":":
            return _parse_v6(text)
        if rune == "%":
            raise _failure(text, "missing IPv6 address")
    raise _failure(text, "unable to parse IP")


def _dotted(whole: str, part: str) -> int:
    """Return the number of four decimal fields. The first error from the left is raised."""
    fields = [0]
    digits = 0
    for at, rune in enumerate(part):
        if "0" <= rune <= "9":
            if digits == 1 and fields[-1] == 0:
                raise _failure(whole, "IPv4 field has octet with leading zero")
            fields[-1] = fields[-1] * 10 + ord(rune) - 48
            digits += 1
            if fields[-1] > 255:
                raise _failure(whole, "IPv4 field has value >255")
        elif rune == ".":
            if at in {0, len(part) - 1} or part[at - 1] == ".":
                raise _failure(whole, "IPv4 field must have at least one digit", part[at:])
            if len(fields) == 4:
                raise _failure(whole, "IPv4 address too long")
            fields.append(0)
            digits = 0
        else:
            raise _failure(whole, "unexpected character", part[at:])
    if len(fields) < 4:
        raise _failure(whole, "IPv4 address too short")
    return fields[0] << 24 | fields[1] << 16 | fields[2] << 8 | fields[3]


def _parse_v6(whole: str) -> tuple[int, int]:
    text, percent, zone = whole.partition("%")
    if percent and not zone:
        raise _failure(whole, "zone must be a non-empty string")
    groups, gap = _groups(whole, text)
    if len(groups) < _GROUPS:
        if gap < 0:
            raise _failure(whole, "address string too short")
        groups[gap:gap] = [0] * (_GROUPS - len(groups))
    elif gap >= 0:
        raise _failure(whole, "the :: must expand to at least one field of zeros")
    if zone:
        raise Zoned
    value = 0
    for group in groups:
        value = value << 16 | group
    return 6, value


def _groups(whole: str, text: str) -> tuple[list[int], int]:
    """Return the 16-bit groups, and the index of ``::`` among them (-1 without)."""
    groups: list[int] = []
    gap = -1
    if text.startswith("::"):
        gap, text = 0, text[2:]
        if not text:
            return groups, gap
    while len(groups) < _GROUPS:
        width = _hex_width(whole, text)
        if text[width : width + 1] == ".":
            if gap < 0 and len(groups) != 6:
                message = "embedded IPv4 address must replace the final 2 fields of the address"
                raise _failure(whole, message, text)
            if len(groups) > 6:
                raise _failure(whole, "too many hex fields to fit an embedded IPv4 at the end of the address", text)
            tail = _dotted(whole, text)
            groups += [tail >> 16, tail & 0xFFFF]
            return groups, gap
        groups.append(int(text[:width], 16))
        text = text[width:]
        if not text:
            return groups, gap
        if text[0] != ":":
            raise _failure(whole, "unexpected character, want colon", text)
        if len(text) == 1:
            raise _failure(whole, "colon must be followed by more characters", text)
        text = text[1:]
        if text[0] == ":":
            if gap >= 0:
                raise _failure(whole, "multiple :: in address", text)
            gap, text = len(groups), text[1:]
            if not text:
                return groups, gap
    raise _failure(whole, "trailing garbage after address", text)


def _hex_width(whole: str, text: str) -> int:
    width = 0
    while width < len(text) and text[width] in _HEX:
        width += 1
        if width > 4:
            raise _failure(whole, "each group must have 4 or less digits", text)
    if width == 0:
        raise _failure(whole, "each colon-separated field must have at least one digit", text)
    return width
