"""Library ``cidr``: network prefixes that keep their host bits, as Go's ``netip.Prefix`` does.

Source: Kubernetes documentation, "CEL in Kubernetes", "Kubernetes CIDR library"; Go package ``net/netip``.
"""

from functools import lru_cache

from ovnguard.validators.cel.library.ip import ip
from ovnguard.validators.cel.types.errors import EvalError
from ovnguard.validators.cel.types.overload_declaration import Overload, overload
from ovnguard.validators.cel.values.net_values import CIDR, IP, V4_MAPPED
from ovnguard.validators.go.ipv4_prefix import plain_prefix
from ovnguard.validators.go.netip import AddressError, Zoned, parse_addr
from ovnguard.validators.go.text import quote


@lru_cache(maxsize=4096)
def _cidr_or_text(text: str) -> CIDR | str:
    plain = plain_prefix(text)
    if plain is not None:
        return CIDR(IP(4, plain[0]), plain[1])
    found = parse_prefix(text)
    if isinstance(found, CIDR):
        return found
    return f"network address parse error during conversion from string: {found}"


def parse_prefix(text: str) -> CIDR | str:
    """Return the prefix, or the reason why there is none in netip's words."""
    head, slash, bits = text.rpartition("/")
    lead = f"network address parse error during conversion from string: netip.ParsePrefix({quote(text)}): "
    if not slash:
        return f"{lead}no '/'"
    try:
        address = IP(*parse_addr(head))
    except AddressError as fault:
        return f"{lead}{fault}"
    except Zoned:
        return f"{lead}IPv6 zones cannot be present in a prefix"
    if not bits.isascii() or not bits.isdigit() or (len(bits) > 1 and bits[0] == "0") or len(bits) > 18:
        return f"{lead}bad bits after slash: {quote(bits)}"
    if int(bits) > address.bits:
        return f"{lead}prefix length out of range"
    if address.family == 6 and address.value >> 32 == V4_MAPPED:
        return f"IPv4-mapped IPv6 address {quote(text)} is not allowed"
    return CIDR(address, int(bits))


def cidr(text: str) -> CIDR:
    """``cidr(string)``. Raises `EvalError` for a text that is not a prefix."""
    found = _cidr_or_text(text)
    if isinstance(found, str):
        raise EvalError(found)
    return found


def is_cidr(text: str) -> bool:
    """``isCIDR(string)``."""
    return not isinstance(_cidr_or_text(text), str)


def contains_ip(prefix: CIDR, address: IP | str) -> bool:
    """``CIDR.containsIP(IP|string)``. A string that is not an address is "no such overload" (measured on 1.35)."""
    if isinstance(address, str):
        try:
            address = ip(address)
        except EvalError:
            raise EvalError("no such overload") from None
    return prefix.contains_ip(address)


def contains_cidr(prefix: CIDR, other: CIDR | str) -> bool:
    """``CIDR.containsCIDR(CIDR|string)``. Raises `EvalError` if the string is not a prefix."""
    return prefix.contains_cidr(cidr(other) if isinstance(other, str) else other)


def declarations() -> list[Overload]:
    """All overloads of this library."""
    return [
        overload("string_to_cidr", "cidr(string) -> CIDR", cidr),
        overload("cidr_contains_ip_string", "CIDR.containsIP(string) -> bool", contains_ip),
        overload("cidr_contains_ip_ip", "CIDR.containsIP(IP) -> bool", contains_ip),
        overload("cidr_contains_cidr_string", "CIDR.containsCIDR(string) -> bool", contains_cidr),
        overload("cidr_contains_cidr", "CIDR.containsCIDR(CIDR) -> bool", contains_cidr),
        overload("cidr_ip", "CIDR.ip() -> IP", lambda prefix: prefix.address),
        overload("cidr_prefix_length", "CIDR.prefixLength() -> int", lambda prefix: prefix.length),
        overload("cidr_masked", "CIDR.masked() -> CIDR", lambda prefix: prefix.masked()),
        overload("is_cidr", "isCIDR(string) -> bool", is_cidr),
        overload("cidr_to_string", "string(CIDR) -> string", str),
    ]
