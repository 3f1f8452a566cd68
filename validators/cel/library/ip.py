"""Library ``ip``: IP addresses with the grammar and the texts of Go's ``net/netip``.

Source: Kubernetes documentation, "CEL in Kubernetes", "Kubernetes IP address library"; Go package ``net/netip``.
"""

from functools import lru_cache

from ovnguard.validators.cel.types.errors import EvalError
from ovnguard.validators.cel.types.overload_declaration import Overload, overload
from ovnguard.validators.cel.values.net_values import IP, V4_MAPPED
from ovnguard.validators.go.netip import AddressError, Zoned, parse_addr
from ovnguard.validators.go.text import quote


@lru_cache(maxsize=4096)
def _ip_or_text(text: str) -> IP | str:
    """Return the address, or the reason why there is none. Both are cached."""
    try:
        address = IP(*parse_addr(text))
    except AddressError as fault:
        return f"IP Address {quote(text)} parse error during conversion from string: {fault}"
    except Zoned:
        return f"IP address {quote(text)} with zone value is not allowed"
    if address.family == 6 and address.value >> 32 == V4_MAPPED:
        return f"IPv4-mapped IPv6 address {quote(text)} is not allowed"
    return address


def ip(text: str) -> IP:
    """``ip(string)``. Raises `EvalError` for a text that is not an address, has a zone, or maps IPv4 into IPv6."""
    found = _ip_or_text(text)
    if isinstance(found, str):
        raise EvalError(found)
    return found


def is_ip(text: str) -> bool:
    """``isIP(string)``."""
    return not isinstance(_ip_or_text(text), str)


def is_canonical(text: str) -> bool:
    """``ip.isCanonical(string)``: whether Go prints the address in the same way. Raises `EvalError`."""
    return str(ip(text)) == text


def declarations() -> list[Overload]:
    """All overloads of this library."""
    return [
        overload("string_to_ip", "ip(string) -> IP", ip),
        overload("ip_family", "IP.family() -> int", lambda address: address.family),
        overload("ip_is_canonical", ":ip.isCanonical(string) -> bool", is_canonical),
        overload("ip_is_unspecified", "IP.isUnspecified() -> bool", lambda address: address.is_unspecified),
        overload("ip_is_loopback", "IP.isLoopback() -> bool", lambda address: address.is_loopback),
        overload(
            "ip_is_link_local_multicast", "IP.isLinkLocalMulticast() -> bool", lambda a: a.is_link_local_multicast
        ),
        overload("ip_is_link_local_unicast", "IP.isLinkLocalUnicast() -> bool", lambda a: a.is_link_local_unicast),
        overload("ip_is_global_unicast", "IP.isGlobalUnicast() -> bool", lambda address: address.is_global_unicast),
        overload("is_ip", "isIP(string) -> bool", is_ip),
        overload("ip_to_string", "string(IP) -> string", str),
    ]
