"""The values of the libraries ``ip`` and ``cidr``: one address, and one prefix that keeps its host bits.

Both print as Go's ``net/netip`` prints them.
"""

from ipaddress import IPv6Address
from typing import Final

V4_MAPPED: Final = 0xFFFF
"""The upper 96 bits of an IPv6 address that maps an IPv4 address."""


class IP:
    """An address: ``family`` 4 or 6 and its integer. Equal when both agree, so IPv4 never equals IPv6."""

    __slots__ = ("family", "value")

    def __init__(self, family: int, value: int) -> None:
        """Create the value, which is not changed later."""
        self.family = family
        self.value = value

    def __eq__(self, other: object) -> bool:
        return type(other) is IP and self.family == other.family and self.value == other.value

    def __hash__(self) -> int:
        return hash((self.family, self.value))

    def __repr__(self) -> str:
        return f"IP(family={self.family!r}, value={self.value!r})"

    def __str__(self) -> str:
        if self.family == 4:
            return ".".join(str(self.value >> shift & 0xFF) for shift in (24, 16, 8, 0))
        if self.value >> 32 == V4_MAPPED:
            return f"::ffff:{IP(4, self.value & 0xFFFFFFFF)}"
        return str(IPv6Address(self.value)) if self.value >> 32 else _low_v6(self.value)

    @property
    def bits(self) -> int:
        """The length of an address of this family in bits."""
        return 32 if self.family == 4 else 128

    @property
    def is_unspecified(self) -> bool:
        """The address 0.0.0.0 or ``::``."""
        return self.value == 0

    @property
    def is_loopback(self) -> bool:
        """127.0.0.0/8 or ``::1``."""
        return self.value >> 24 == 127 if self.family == 4 else self.value == 1

    @property
    def is_link_local_multicast(self) -> bool:
        """224.0.0.0/24, or ff?2::/16 with any flags."""
        if self.family == 4:
            return self.value >> 8 == 0xE00000
        return self.value >> 112 & 0xFF0F == 0xFF02

    @property
    def is_link_local_unicast(self) -> bool:
        """169.254.0.0/16 or fe80::/10."""
        return self.value >> 16 == 0xA9FE if self.family == 4 else self.value >> 118 == 0x3FA

    @property
    def is_multicast(self) -> bool:
        """224.0.0.0/4 or ff00::/8."""
        return self.value >> 28 == 0xE if self.family == 4 else self.value >> 120 == 0xFF

    @property
    def is_global_unicast(self) -> bool:
        """Any unicast address that is not link-local, private ranges included (Go's meaning)."""
        if self.family == 4 and self.value in {0, 0xFFFFFFFF}:
            return False
        return not (self.is_unspecified or self.is_loopback or self.is_multicast or self.is_link_local_unicast)


def _low_v6(value: int) -> str:
    """Print an address below ::1:0:0, for which other libraries print a dotted tail."""
    high, low = value >> 16, value & 0xFFFF
    if high:
        return f"::{high:x}:{low:x}"
    return f"::{low:x}" if low else "::"


class CIDR:
    """An address with host bits and a prefix length; equal when both are equal."""

    __slots__ = ("address", "length")

    def __init__(self, address: IP, length: int) -> None:
        """Create the value, which is not changed later."""
        self.address = address
        self.length = length

    def __eq__(self, other: object) -> bool:
        return type(other) is CIDR and self.address == other.address and self.length == other.length

    def __hash__(self) -> int:
        return hash((self.address, self.length))

    def __repr__(self) -> str:
        return f"CIDR(address={self.address!r}, length={self.length!r})"

    def __str__(self) -> str:
        return f"{self.address}/{self.length}"

    def masked(self) -> "CIDR":
        """Return the same prefix without host bits."""
        host = self.address.bits - self.length
        return CIDR(IP(self.address.family, self.address.value >> host << host), self.length)

    def contains_ip(self, address: IP) -> bool:
        """Return whether the address is in the prefix. Always false across families."""
        host = self.address.bits - self.length
        return address.family == self.address.family and address.value >> host == self.address.value >> host

    def contains_cidr(self, other: "CIDR") -> bool:
        """Return whether every address of ``other`` is in this prefix."""
        return self.length <= other.length and self.contains_ip(other.address)
