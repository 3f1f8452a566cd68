"""The values inside a node's annotations, parsed from untrusted text.

Every function raises BadValueError with a text that describes the expected value. None raises any other error or reads
more than `MAX_TEXT` characters.
"""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from ipaddress import ip_address, ip_interface, ip_network
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from ovnguard.validators.base.object_names import is_dns1123_subdomain
from ovnguard.validators.lazy_pattern import lazy_pattern
from ovnguard.validators.network.addresses.addressing import MAX_NODE_ID, MAX_PORT_KEY, MIN_NODE_ID, IPInterface
from ovnguard.validators.network.model import IPAddress, IPNetwork
from ovnguard.validators.network.parse_values import PREFIXED, decimal

# The API server's own limit for all annotations of one object together.
MAX_TEXT: Final = 256 * 1024
_TOKEN = lazy_pattern(r"[A-Za-z0-9][-A-Za-z0-9._]{0,252}")
_ZONE = lazy_pattern(r"\S{1,253}")
_ETHERNET = lazy_pattern(r"[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}")


class BadValueError(ValueError):
    """An invalid value; the text describes the expected one."""


def valid_name(value: object) -> bool:
    """Whether ``value`` is a DNS-1123 subdomain."""
    return isinstance(value, str) and is_dns1123_subdomain(value)


def is_ethernet_address(text: str) -> bool:
    """Whether ``text`` is a MAC address of six octets with colons, as ovn-kubernetes writes them."""
    return _ETHERNET.fullmatch(text) is not None


def parse_ip(value: object) -> IPAddress:
    """Return an address without zone."""
    if not isinstance(value, str) or "%" in value:
        raise BadValueError("must be an IP address")
    try:
        return ip_address(value)
    except ValueError:
        raise BadValueError("must be an IP address") from None


def parse_interface(value: object) -> IPInterface:
    """Return an address with prefix length, ``10.0.0.3/24``."""
    if isinstance(value, str) and PREFIXED.fullmatch(value):
        try:
            return ip_interface(value)
        except ValueError:
            pass
    raise BadValueError("must hold addresses with prefix length, such as 192.0.2.3/24")


def parse_subnet(value: object) -> IPNetwork:
    """Return a subnet without host bits, ``10.0.0.0/24``."""
    found = _subnet(value) if isinstance(value, str) else None
    if found is None:
        raise BadValueError("must hold subnets without host bits, such as 192.0.2.0/24")
    return found


# One more network changes the annotation of every node, in which all others stay.
@lru_cache(maxsize=1 << 15)
def _subnet(text: str) -> IPNetwork | None:
    try:
        return ip_network(text) if PREFIXED.fullmatch(text) else None
    except ValueError:
        return None


def node_id_of(text: str) -> int:
    """Return a node id; 0 and 1 are reserved."""
    number = decimal(text, MIN_NODE_ID, MAX_NODE_ID)
    if number is not None:
        return number
    raise BadValueError(f"must be a decimal node id from {MIN_NODE_ID} to {MAX_NODE_ID}")


def chassis_of(text: str) -> str:
    """Return a chassis name (the system-id of Open vSwitch)."""
    if _TOKEN.fullmatch(text):
        return text
    raise BadValueError("must be a chassis name of letters, digits, '-', '_' and '.'")


def version_of(text: str) -> str:
    """Return the version of the Layer2 topology; 2.0 is the only version in use."""
    if text == "2.0":
        return text
    raise BadValueError("must be 2.0, or the annotation absent for the older topology")


def zone_of(text: str) -> str:
    """Return the name of a zone."""
    if _ZONE.fullmatch(text):
        return text
    raise BadValueError("must be the name of a zone, without blanks")


def flag_of(text: str) -> bool:
    """Return whether the text is true."""
    if text in ("true", "false"):
        return text == "true"
    raise BadValueError('must be "true" or "false"')


def interfaces_by_family(text: str) -> tuple[IPInterface, ...]:
    """Return the addresses of ``{"ipv4": "...", "ipv6": "..."}``, IPv4 first."""
    values = _mapping(_decoded(text))
    found = []
    for key, version in (("ipv4", 4), ("ipv6", 6)):
        if values.get(key):
            interface = parse_interface(values[key])
            if interface.version != version:
                raise BadValueError(f"{key} must be an address of its family")
            found.append(interface)
    if not found:
        raise BadValueError('must be an object with "ipv4", "ipv6" or both')
    return tuple(found)


def interfaces_of(text: str) -> tuple[IPInterface, ...]:
    """Return the addresses of a JSON list of ``address/length``."""
    return tuple(parse_interface(each) for each in _sequence(_decoded(text)))


def addresses_of(text: str) -> tuple[IPAddress, ...]:
    """Return the addresses of a JSON list."""
    return tuple(parse_ip(each) for each in _sequence(_decoded(text)))


def listed_addresses(text: str) -> tuple[IPAddress, ...]:
    """Return the addresses of a text that separates them by commas."""
    if len(text) > MAX_TEXT:
        raise BadValueError(f"must not be longer than {MAX_TEXT} characters")
    return tuple(parse_ip(each) for each in text.split(","))


def macs_by_network(text: str) -> Mapping[str, str]:
    """Return MACs per network of ``{"default": "0a:58:0a:00:00:02"}``."""
    result = {}
    for network, value in _mapping(_decoded(text)).items():
        mac = value.lower() if isinstance(value, str) else ""
        if not is_ethernet_address(mac):
            raise BadValueError("must hold MACs of six octets, such as 0a:58:0a:00:00:02")
        result[network] = mac
    return MappingProxyType(result)


# Several readers of one process read the annotation of one node.
@lru_cache(maxsize=16)
def subnets_by_network(text: str) -> Mapping[str, tuple[IPNetwork, ...]]:
    """Return subnets per network of ``{"default": ["10.0.0.0/24"], "net": "10.1.0.0/24"}``."""
    result = {}
    for network, value in _mapping(_decoded(text)).items():
        subnets = (value,) if isinstance(value, str) else _sequence(value)
        result[network] = tuple(map(parse_subnet, subnets))
    return MappingProxyType(result)


def port_keys_by_network(text: str) -> Mapping[str, int]:
    """Return port keys per network of ``{"net": "5"}``."""
    result = {}
    for network, value in _mapping(_decoded(text)).items():
        key = decimal(value, 1, MAX_PORT_KEY)
        if key is None:
            raise BadValueError(f"must hold decimal port keys from 1 to {MAX_PORT_KEY}")
        result[network] = key
    return MappingProxyType(result)


class GatewayValues(NamedTuple):
    """The plain values of one entry of the l3-gateway-config annotation."""

    mode: str
    bridge_id: str
    mac: str
    addresses: tuple[IPInterface, ...]
    next_hops: tuple[IPAddress, ...]
    interface_id: str
    vlan_id: int
    node_port: bool


def bridge_of(value: object) -> str:
    """Return the name of an Open vSwitch bridge."""
    if isinstance(value, str) and _TOKEN.fullmatch(value):
        return value
    raise BadValueError("must be the name of a bridge")


def gateway_values(text: str, network: str) -> GatewayValues | None:
    """Return the gateway of ``network``, or None when the node has none (no entry, or an empty mode)."""
    entry = _mapping(_decoded(text)).get(network)
    if entry is None:
        return None
    values = _mapping(entry)
    mode = _text(values, "mode")
    if mode == "":
        return None
    if mode not in ("shared", "local"):
        raise BadValueError('mode must be "shared" or "local"')
    mac = _text(values, "mac-address").lower()
    if not is_ethernet_address(mac):
        raise BadValueError("mac-address must be six octets, such as 0a:58:0a:00:00:01")
    try:
        bridge = bridge_of(_text(values, "bridge-id"))
    except BadValueError as fault:
        raise BadValueError(f"bridge-id {fault}") from None
    addresses = tuple(parse_interface(each) for each in _either(values, "ip-addresses", "ip-address"))
    if not addresses:
        raise BadValueError("ip-addresses must not be empty")
    return GatewayValues(
        mode=mode,
        bridge_id=bridge,
        mac=mac,
        addresses=addresses,
        next_hops=tuple(parse_ip(each) for each in _either(values, "next-hops", "next-hop")),
        interface_id=_text(values, "interface-id"),
        vlan_id=_vlan(values),
        node_port=_text(values, "node-port-enable") == "true",
    )


def _vlan(values: Mapping[str, Any]) -> int:
    text = _text(values, "vlan-id") or "0"
    number = decimal(text, 0, 4094)
    if number is not None:
        return number
    raise BadValueError("vlan-id must be a decimal number from 0 to 4094")


def _either(values: Mapping[str, Any], many: str, one: str) -> Sequence[Any]:
    """The list under ``many``, or the single value that older nodes write under ``one``."""
    if values.get(many):
        return _sequence(values[many])
    return [values[one]] if values.get(one) else []


def _text(values: Mapping[str, Any], key: str) -> str:
    value = values.get(key, "")
    if not isinstance(value, str):
        raise BadValueError(f"{key} must be a string")
    return value


def _decoded(text: str) -> object:
    if len(text) > MAX_TEXT:
        raise BadValueError(f"must not be longer than {MAX_TEXT} characters")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise BadValueError("must be JSON") from None


def _mapping(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise BadValueError("must be a JSON object")
    return value


def _sequence(value: object) -> Sequence[Any]:
    if not isinstance(value, list):
        raise BadValueError("must be a JSON list")
    return value
