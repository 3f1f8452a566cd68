"""IP, CIDR and MAC addresses as Go and k8s.io/utils/net read them. Numbers with leading zeros are decimal."""

import re
from typing import Final

from ovnguard.validators.lazy_pattern import lazy_pattern

_BYTE: Final = lazy_pattern("[0-9]+")
_GROUP: Final = lazy_pattern("[0-9a-fA-F]{1,4}")
_MASK: Final = re.compile("[0-9]+")


def is_ipv4(text: str) -> bool:
    """Return whether the text is an address with a dot: IPv4, or IPv6 with an IPv4 tail. Leading zeros are allowed."""
    return "." in text and parse_ip(text, sloppy=True) > 0


def is_ipv6(text: str) -> bool:
    """Return whether the text is an address with a colon and without a zone."""
    return ":" in text and parse_ip(text, sloppy=False) > 0


def is_cidr(text: str) -> bool:
    """Return whether the text is an address and a prefix length. Host bits may be set."""
    address, slash, mask = text.partition("/")
    if not slash or not _MASK.fullmatch(mask):
        return False
    bits = parse_ip(address, sloppy=True)
    return bits > 0 and int(mask[:9]) <= bits and len(mask) < 10


def parse_ip(text: str, *, sloppy: bool) -> int:
    """Return the bits of a valid address, 32 or 128, or 0 for an invalid one.

    ``sloppy`` allows leading zeros in IPv4.
    """
    for char in text:
        if char == ".":
            return 32 if _is_v4(text, sloppy=sloppy) else 0
        if char == ":":
            return 128 if _is_v6(text, sloppy=sloppy) else 0
    return 0


def _is_v4(text: str, *, sloppy: bool) -> bool:
    parts = text.split(".")
    if len(parts) != 4:
        return False
    for part in parts:
        if not _BYTE.fullmatch(part) or int(part[-9:]) > 255 or len(part.lstrip("0")) > 3:
            return False
        if not sloppy and len(part) > 1 and part.startswith("0"):
            return False
    return True


def _is_v6(text: str, *, sloppy: bool) -> bool:
    head, ellipsis, tail = text.partition("::")
    if "::" in tail or tail.startswith(":") or (ellipsis and head.endswith(":")):
        return False
    first = head.split(":") if head else []
    second = tail.split(":") if tail else []
    groups = first + second
    count = len(groups)
    if groups and "." in groups[-1]:
        # The IPv4 tail is at the very end of the address, and counts as two groups.
        if ellipsis and not second:
            return False
        if not _is_v4(groups.pop(), sloppy=sloppy):
            return False
        count += 1
    if not all(_GROUP.fullmatch(group) for group in groups):
        return False
    return count < 8 if ellipsis else count == 8


def is_mac(text: str) -> bool:
    """Return whether the text is a MAC address of 6, 8 or 20 bytes.

    The forms are 00:00:5e, 00-00-5e, 0000.5e00, and since Go 1.26 without separators.
    """
    if len(text) < 12:
        return False
    if text[2] in ":-":
        parts, size, count = text.split(text[2]), 2, {6, 8, 20}
    elif text[4] == ".":
        parts, size, count = text.split("."), 4, {3, 4, 10}
    else:
        return len(text) in {12, 16, 40} and re.fullmatch("[0-9a-fA-F]+", text) is not None
    return len(parts) in count and all(re.fullmatch(f"[0-9a-fA-F]{{{size}}}", part) for part in parts)
