"""The address of a client in the one form in which addresses are compared."""

from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TypeAlias

IPAddress: TypeAlias = IPv4Address | IPv6Address


@lru_cache(maxsize=1024)
def canonical(address: str) -> IPAddress | None:
    """Return the address without its zone, and the IPv4 address in an IPv6 one that only contains it (RFC 4291, section
    2.5.5.2), as a socket of both families has it. None if it is not an address.
    """
    try:
        client = ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return getattr(client, "ipv4_mapped", None) or client
