"""IPv4 prefixes as everybody writes them, read in a fraction of the time that a full reader takes.

What is read here means the same to Python's `ipaddress`, to Go's ``netip`` and to Go's ``net``.
"""

import re
from typing import Final

_OCTET: Final = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_PREFIX: Final = re.compile(rf"{_OCTET}\.{_OCTET}\.{_OCTET}\.{_OCTET}/(3[0-2]|[12]?[0-9])")


def plain_prefix(text: str) -> tuple[int, int] | None:
    """Return address (host bits included) and prefix length; None for any other text, which may be a prefix, too."""
    found = _PREFIX.fullmatch(text)
    if found is None:
        return None
    one, two, three, four, length = map(int, found.groups())
    return one << 24 | two << 16 | three << 8 | four, length
