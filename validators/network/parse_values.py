"""Reads single values of a network's declaration: subnets, addresses, numbers, ids; one error per invalid value.

No function raises: an invalid value is dropped and becomes an error at its exact field.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_interface
from typing import Any, Final, NamedTuple

from ovnguard.validators.base.field import ErrorType, FieldError
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.go.ipv4_prefix import plain_prefix
from ovnguard.validators.network.addresses.addressing import FIRST_DYNAMIC_TUNNEL_KEY, MAX_NETWORK_ID, MAX_TUNNEL_KEY
from ovnguard.validators.network.model import IPAddress, IPNetwork, Network, Subnet
from ovnguard.validators.network.parse_errors import (
    ADDRESS,
    HOST_BITS,
    HOST_SUBNET,
    IP_FAMILY,
    LIST,
    NETWORK_ID,
    NUMBER,
    SUBNET,
    TRANSIT,
    TUNNEL_KEYS,
    ParseError,
)

# Prefix length of each node's subnet where a Layer3 subnet specifies none (ovn-kubernetes, config.Default).
DEFAULT_HOST_PREFIX: Final = {4: 24, 6: 64}
# More subnets than the CRD allows anywhere; also limits lists inside annotations and NAD configurations.
MAX_ITEMS: Final = 400
_SHOWN: Final = 120
_MAX_TEXT: Final = 64 * 1024
PREFIXED: Final = re.compile(r"[0-9A-Fa-f:.]{2,45}/[0-9]{1,3}")
# What Go's strings.TrimSpace removes: Python's own strip removes more.
_GO_SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_DIGITS: Final = re.compile(r"[0-9]{1,10}")


class Parsed(NamedTuple):
    """The network that an object declares. ``network`` is None when the object declares none or has errors.

    ``warnings``: values that OVN-Kubernetes reads otherwise than they are written.
    """

    network: Network | None
    errors: tuple[FieldError, ...] = ()
    warnings: tuple[FieldError, ...] = ()


def decimal(value: object, low: int, high: int) -> int | None:
    """Return a number that is written as at most ten decimal digits; None for other values and outside the range."""
    if not isinstance(value, str) or not _DIGITS.fullmatch(value):
        return None
    number = int(value)
    return number if low <= number <= high else None


@lru_cache(maxsize=4096)
def _subnet_around(text: str) -> tuple[IPNetwork, bool] | None:
    """The subnet of an address with prefix length as `PREFIXED` has it, and whether the address is the network address.

    The same few subnets recur, so results are cached; the pattern limits the length of each key. Most are plain IPv4,
    which does not need `ip_interface`.
    """
    plain = plain_prefix(text)
    if plain is not None:
        number, length = plain
        hosts = (1 << 32 - length) - 1
        return IPv4Network((number & ~hosts, length)), not number & hosts
    try:
        interface = ip_interface(text)
    except ValueError:
        return None
    first = interface.network.network_address
    if isinstance(first, IPv6Address) and first.ipv4_mapped is not None:
        # Go takes it for IPv4, and its length for that of an IPv6 subnet
        return None
    return interface.network, interface.ip == first


def invalid(path: str, value: object, detail: str, rule: str = "") -> FieldError:
    """Return the error about one field; a long text is truncated."""
    if value is None:
        return FieldError(ErrorType.REQUIRED, path, detail=detail, rule=rule)
    shown = value if not isinstance(value, str) or len(value) <= _SHOWN else value[:_SHOWN] + "..."
    return FieldError(ErrorType.INVALID, path, shown, detail, rule)


def mapping(value: object, *keys: str) -> Mapping[str, Any]:
    """Return the mapping under ``keys``, or an empty one when any step is missing or not a mapping."""
    found: Any = dig(value, *keys)
    return found if found.__class__ is dict or isinstance(found, Mapping) else {}


def dig(value: object, *keys: str) -> object:
    """Return the value under ``keys``, or None when any step is missing or not a mapping."""
    for key in keys:
        # most mappings are dictionaries, for which this check is much faster
        if value.__class__ is not dict and not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def text_of(value: object) -> str:
    """Return ``value`` when it is text, else the empty string."""
    return value if isinstance(value, str) else ""


class Reader:
    """Reads values and collects the errors and warnings of one object."""

    def __init__(self) -> None:
        self.errors: list[FieldError] = []
        self.warnings: list[FieldError] = []

    def refuse(self, error: ParseError, path: str, value: object, detail: str) -> None:
        """Add an error; a value of None counts as missing."""
        self.errors.append(invalid(path, value, detail, error.id))

    def warn(self, error: ParseError, path: str, value: object, detail: str) -> None:
        """Add a warning."""
        self.warnings.append(invalid(path, value, detail, error.id))

    def finish(self, network: Network) -> Parsed:
        """Return the network, or the errors when there are any."""
        warnings = tuple(self.warnings)
        return Parsed(None, tuple(self.errors), warnings) if self.errors else Parsed(network, (), warnings)

    def cidr(self, path: str, value: object, version: int = 0, *, strict: bool = False) -> IPNetwork | None:
        """Read one subnet; ``version`` 4 or 6 requires that family.

        OVN-Kubernetes clears host bits of most subnets (Go, ``net.ParseCIDR``), which is a warning; ``strict`` is for
        those that it refuses.
        """
        if not isinstance(value, str) or not PREFIXED.fullmatch(value):
            self.refuse(SUBNET, path, value, "must be a subnet such as 10.0.0.0/16 or fd00::/64")
            return None
        found = _subnet_around(value)
        if found is None:
            self.refuse(SUBNET, path, value, "must be a subnet such as 10.0.0.0/16 or fd00::/64")
            return None
        network, begins_there = found
        if not begins_there:
            detail = f"has host bits set; the subnet is {network}"
            if strict:
                self.refuse(HOST_BITS, path, value, detail)
                return None
            self.warn(HOST_BITS, path, value, detail)
        if version and network.version != version:
            self.refuse(IP_FAMILY, path, value, f"must be an IPv{version} subnet")
            return None
        return network

    def address(self, path: str, value: object) -> IPAddress | None:
        """Read one address without zone."""
        if isinstance(value, str) and "%" not in value:
            try:
                return ip_address(value)
            except ValueError:
                pass
        self.refuse(ADDRESS, path, value, "must be an IP address")
        return None

    def cidrs(self, path: str, value: object, *, strict: bool = False) -> tuple[IPNetwork, ...]:
        """Read a list of subnets; absent is empty. ``strict`` is as in `cidr`."""
        if value is None:
            return ()
        items = self.items(path, value)
        return tuple(found for where, each in items if (found := self.cidr(where, each, strict=strict)))

    def addresses(self, path: str, value: object) -> tuple[IPAddress, ...]:
        """Read a list of addresses; absent is empty."""
        if value is None:
            return ()
        return tuple(found for where, each in self.items(path, value) if (found := self.address(where, each)))

    def items(self, path: str, value: object) -> Iterator[tuple[str, object]]:
        """Iterate over a list as (path, item); absent is empty."""
        if value is None:
            return
        if not isinstance(value, list):
            self.refuse(LIST, path, value, "must be a list")
            return
        if len(value) > MAX_ITEMS:
            self.refuse(LIST, path, len(value), f"must have at most {MAX_ITEMS} items")
            return
        for index, item in enumerate(value):
            yield f"{path}[{index}]", item

    def number(self, path: str, value: object, low: int, high: int) -> int | None:
        """Read an integer in a range; absent is None."""
        if value is None:
            return None
        # JSON has only one number type, and the API server reads 1400.0 as 1400
        whole = int(value) if isinstance(value, float) and value.is_integer() else value
        if isinstance(whole, int) and not isinstance(whole, bool) and low <= whole <= high:
            return whole
        self.refuse(NUMBER, path, value, f"must be a whole number from {low} to {high}")
        return None

    def shared_subnet(self, cidr_path: str, prefix_path: str, cidr: object, prefix: object) -> Subnet | None:
        """Read a subnet from which every node gets a subnet of prefix length ``prefix`` (absent: 24 or 64).

        Texts: ovn-kubernetes, ``config.ParseClusterSubnetEntries``.
        """
        network = self.cidr(cidr_path, cidr)
        if network is None:
            return None
        share = DEFAULT_HOST_PREFIX[network.version] if prefix is None else prefix
        where, shown = (cidr_path, cidr) if prefix is None else (prefix_path, prefix)
        if not isinstance(share, int) or isinstance(share, bool) or not 0 < share <= network.max_prefixlen:
            self.refuse(HOST_SUBNET, where, shown, f"must be a prefix length from 1 to {network.max_prefixlen}")
            return None
        if network.version == 4 and share == network.max_prefixlen:
            self.refuse(HOST_SUBNET, where, shown, "invalid host subnet, IPv4 subnet must be < 32")
            return None
        if network.version == 6 and share != DEFAULT_HOST_PREFIX[6]:
            self.refuse(HOST_SUBNET, where, shown, "IPv6 only supports /64 host subnets")
            return None
        if share <= network.prefixlen:
            self.refuse(
                HOST_SUBNET,
                where,
                shown,
                "cannot use a host subnet length mask shorter than or equal to the cluster subnet mask. "
                f"host subnet length: {share}, cluster subnet length: {network.prefixlen}",
            )
            return None
        return Subnet(network, share)

    def listed(self, path: str, value: object) -> Sequence[str]:
        """Split a comma-separated list of an annotation or NAD configuration; absent or empty gives an empty list."""
        if value is None or value == "":
            return ()
        if not isinstance(value, str) or len(value) > _MAX_TEXT:
            self.refuse(LIST, path, value, "must be text with values separated by commas")
            return ()
        parts = value.split(",")
        if len(parts) > MAX_ITEMS:
            self.refuse(LIST, path, len(parts), f"must have at most {MAX_ITEMS} values")
            return ()
        return [part.strip(_GO_SPACE) for part in parts]

    def transit(self, path: str, value: object, *, strict: bool = True) -> tuple[IPNetwork, ...]:
        """Read recorded transit subnets ``v4,v6``: at most one of each family; the result has IPv4 first.

        ``strict`` is as in `cidr`.
        """
        found = [net for part in self.listed(path, value) if (net := self.cidr(path, part, strict=strict))]
        if len({net.version for net in found}) != len(found):
            self.refuse(TRANSIT, path, value, "must have at most one subnet of each IP family")
            return ()
        return tuple(sorted(found, key=lambda net: net.version))

    def network_id(self, path: str, value: object) -> int | None:
        """Read a recorded network id; absent is None. 0 is the default network's."""
        if value is None:
            return None
        found = decimal(value, 1, MAX_NETWORK_ID)
        if found is None:
            self.refuse(NETWORK_ID, path, value, f"must be a decimal network id from 1 to {MAX_NETWORK_ID}")
        return found

    def tunnel_keys(self, path: str, value: object) -> tuple[int, ...]:
        """Read recorded tunnel keys, a JSON list of integers; absent is empty."""
        if value is None:
            return ()
        keys = _json_list(value)
        if keys is not None and len(keys) <= 2 and all(_is_key(key) for key in keys):
            return tuple(keys)
        self.refuse(
            TUNNEL_KEYS, path, value, "must be a JSON list of at most two tunnel keys, such as [16711684,16715780]"
        )
        return ()


def with_families(subnets: Sequence[IPNetwork], defaults: Sequence[IPNetwork]) -> tuple[IPNetwork, ...]:
    """Return one subnet of each family, IPv4 first: the given one, else the default."""
    if not subnets:
        return tuple(defaults)
    by_version: dict[int, IPNetwork] = {net.version: net for net in (*defaults, *subnets)}
    return tuple(by_version[version] for version in sorted(by_version))


def annotation(obj: JsonObject, key: str) -> tuple[str, object]:
    """Return the path of an annotation and its value, which is None when absent."""
    return f"metadata.annotations[{key}]", dig(obj, "metadata", "annotations", key)


def network_text(networks: Sequence[IPv4Network | IPv6Network]) -> str:
    """Return subnets in the form of annotations: comma-separated, IPv4 first."""
    return ",".join(str(net) for net in sorted(networks, key=lambda net: net.version))


def _json_list(value: object) -> list[Any] | None:
    if not isinstance(value, str) or len(value) > 200:
        return None
    try:
        decoded = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return decoded if isinstance(decoded, list) else None


def _is_key(value: object) -> bool:
    lowest = FIRST_DYNAMIC_TUNNEL_KEY - MAX_NETWORK_ID - 1
    return isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= MAX_TUNNEL_KEY
