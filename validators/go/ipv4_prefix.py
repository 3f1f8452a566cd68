"""A fast reader of IPv4 prefixes in their usual form.

What it reads has the same meaning in Python's `ipaddress`, Go's ``netip`` and Go's ``net``.
"""

from typing import Final

# The table has no leading zeros and only ASCII digits, so looking up checks that as well.
_OCTETS: Final = {str(number): number for number in range(256)}
_LENGTHS: Final = {str(number): number for number in range(33)}


def plain_prefix(text: str) -> tuple[int, int] | None:
    """Return address (host bits included) and prefix length. None for any other text, even if it is a prefix."""
    head, _, length = text.partition("/")
    try:
        one, two, three, four = head.split(".", 4)
        number = _OCTETS[one] << 24 | _OCTETS[two] << 16 | _OCTETS[three] << 8 | _OCTETS[four]
        return number, _LENGTHS[length]
    except (KeyError, ValueError):
        return None
