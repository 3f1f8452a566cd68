"""Addresses under other values: two that share a prefix still do, and an address keeps its place in its network.

The method is that of Crypto-PAn (Fan, Xu, Ammar, Moon 2004): whether a bit of an address changes follows from the bits
before it, by a keyed function. Two things differ, so that a plan still fits. The bits behind the prefix of a known
network stay, because plans count addresses in networks; and so do the values that OVN-Kubernetes or the address
families define, such as the default join subnets.
"""

from collections.abc import Iterable
from hashlib import blake2b
from ipaddress import IPv4Address, IPv6Address, ip_network
from typing import Final

from ovnguard.validators.network.addresses.addressing import (
    DEFAULT_JOIN_SUBNETS,
    DEFAULT_MASQUERADE_SUBNETS,
    DEFAULT_TRANSIT_SUBNETS,
    DEFAULT_UDN_JOIN_SUBNETS,
    mac_of,
)
from ovnguard.validators.network.model import IPAddress, IPNetwork

_DEFAULTS: Final = (
    *DEFAULT_JOIN_SUBNETS,
    *DEFAULT_MASQUERADE_SUBNETS,
    *DEFAULT_TRANSIT_SUBNETS,
    *DEFAULT_UDN_JOIN_SUBNETS,
)
# Loopback, link-local, multicast and reserved addresses, which mean the same everywhere.
_SPECIAL: Final = tuple(
    map(ip_network, ("0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3", "::/16", "fe80::/10", "ff00::/8"))
)
# An address stays private or public.
_CLASSES: Final = tuple(
    map(ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "2000::/3", "fc00::/7"))
)
_OWN_MAC: Final = "0a:58:"
_LINK_LOCAL: Final = ip_network("fe80::/64")
SHORTEST: Final = {4: 9, 6: 17}
"""The shortest prefix, by IP version, of a network whose addresses are counted."""


class Addresses:
    """Maps addresses, networks and MACs by a key; ``networks`` are those in which plans count addresses."""

    def __init__(self, key: bytes, networks: Iterable[IPNetwork]) -> None:
        self._key = key
        self._networks = {(each.version, _bits(each.network_address, each.prefixlen)) for each in networks}
        # The last bit of each changes, so that none stays as it is.
        self._last = {(version, prefix[:-1]) for version, prefix in self._networks}
        fixed = (*_DEFAULTS, *_SPECIAL)
        # No bit on the way to these prefixes changes.
        self._ways = {
            (each.version, _bits(each.network_address, length))
            for each in (*fixed, *_CLASSES)
            for length in range(each.prefixlen)
        }
        self._fixed = {(each.version, _bits(each.network_address, each.prefixlen)) for each in fixed}
        self._known: dict[IPAddress, IPAddress] = {}
        self._by_mac: dict[str, IPAddress] = {}

    def address(self, address: IPAddress) -> IPAddress:
        """Return the address in the place of ``address``."""
        found = self._known.get(address)
        if found is None:
            found = self._known[address] = self._mapped(address)
            if address.version == 6:
                self._by_mac[mac_of(address)] = found
        return found

    def is_known(self, address: IPAddress) -> bool:
        """Return whether `address` has mapped this address."""
        return address in self._known

    def mac(self, text: str) -> str:
        """Return the MAC in the place of ``text``: one that follows from an address follows from its new address."""
        found = self._by_mac.get(text)
        if found is not None:
            return mac_of(found)
        if text.startswith(_OWN_MAC):
            return mac_of(self.address(IPv4Address(bytes.fromhex(text[len(_OWN_MAC) :].replace(":", "")))))
        octets = bytes.fromhex(text.replace(":", ""))
        if octets[0] & 1 or not any(octets):
            return text
        other = blake2b(octets, key=self._key, digest_size=6).digest()
        return ":".join(f"{octet:02x}" for octet in (other[0] & 0xFC | octets[0] & 3, *other[1:]))

    def _mapped(self, address: IPAddress) -> IPAddress:
        version, width = address.version, address.max_prefixlen
        if isinstance(address, IPv6Address) and address in _LINK_LOCAL:
            return self._link_local(address)
        whole = _bits(address, width)
        if any((version, whole[:length]) in self._fixed for length in range(1, width + 1)):
            return address
        end = next(
            (each for each in range(SHORTEST[version], width) if (version, whole[:each]) in self._networks), width
        )
        changed = "".join(
            bit if self._stays(version, whole[:at], width) else str(1 - int(bit)) for at, bit in enumerate(whole[:end])
        )
        return type(address)(int(changed + whole[end:], 2))

    def _stays(self, version: int, before: str, width: int) -> bool:
        """Whether the bit behind ``before`` stays."""
        if (version, before) in self._ways:
            return True
        if (version, before) in self._last or len(before) == width - 1:
            return False
        return blake2b(f"{version}/{before}".encode(), key=self._key, digest_size=1).digest()[0] & 1 == 0

    def _link_local(self, address: IPv6Address) -> IPv6Address:
        """The address that follows from a MAC (RFC 4291, appendix A), from the new one."""
        octets = address.packed
        if octets[11:13] != b"\xff\xfe":
            return address
        mac = bytes((octets[8] ^ 2, *octets[9:11], *octets[13:]))
        other = bytes.fromhex(self.mac(":".join(f"{octet:02x}" for octet in mac)).replace(":", ""))
        return IPv6Address(octets[:8] + bytes((other[0] ^ 2, *other[1:3])) + b"\xff\xfe" + other[3:])


def _bits(address: IPAddress, length: int) -> str:
    return format(int(address), f"0{address.max_prefixlen}b")[:length]
