"""One neighbour of an FRRConfiguration's router, with the checks that frr-k8s performs during translation.

Source: frr-k8s, ``internal/controller/api_to_config.go``; in the same order of checks.
"""

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Address, ip_address
from typing import Any, Final

from validators.go.duration import SECOND, duration_text, parse_duration
from validators.go.text import quote
from validators.network.declared.node_values import BadValueError, parse_interface
from validators.network.frr.frr_model import (
    DEFAULT_CONNECT_TIME,
    DEFAULT_HOLD_TIME,
    DEFAULT_KEEPALIVE_TIME,
    DEFAULT_PORT,
    Incoming,
    Neighbor,
    Outgoing,
    Session,
)
from validators.network.frr.frr_values import FrrError, mappings, number, texts
from validators.network.parse_values import dig, mapping, text_of

_FAMILIES: Final = {4: "ipv4", 6: "ipv6"}
_DUAL: Final = "dual"


def neighbor_of(
    field: str, neighbor: Mapping[str, Any], asn: int, vrf: str, known: frozenset[str], profiles: set[str]
) -> Neighbor:
    """Return the neighbour of a router. ``known``: prefixes that the router originates or imports.

    Raises FrrError.
    """
    address, interface = text_of(neighbor.get("address")), text_of(neighbor.get("interface"))
    family = _family(field, neighbor, address, interface)
    profile = text_of(neighbor.get("bfdProfile"))
    if profile and profile not in profiles:
        text = f"neighbor {shown_name(neighbor)} referencing non existing BFDProfile {profile}"
        raise FrrError(f"{field}.bfdProfile", text)
    _check_asn(field, neighbor, asn)
    if interface or neighbor.get("dualStackAddressFamily") is True:
        family = _DUAL
    hold, keepalive = _timers(field, neighbor)
    port = number(neighbor.get("port"))
    connect = parse_duration(text_of(neighbor.get("connectTime")))
    session = Session(
        asn=_asn_text(neighbor),
        port=DEFAULT_PORT if port is None else port,
        source=text_of(neighbor.get("sourceaddress")),
        password=_password(field, neighbor),
        bfd_profile=profile,
        multihop=neighbor.get("ebgpMultiHop") is True,
        family=family,
        hold_time=hold,
        keepalive_time=keepalive,
        connect_time=DEFAULT_CONNECT_TIME if connect is None else connect // SECOND,
        local_asn=number(neighbor.get("localASN")) or 0,
    )
    return Neighbor(
        id=(address or interface) + (f"-{vrf}" if vrf else ""),
        address=address,
        vrf=vrf,
        session=session,
        outgoing=_outgoing(f"{field}.toAdvertise", neighbor, family, known),
        incoming=_incoming(f"{field}.toReceive.allowed", mapping(neighbor, "toReceive", "allowed")),
        field=field,
    )


def shown_name(neighbor: Mapping[str, Any]) -> str:
    """Return frr-k8s' name of a neighbour in messages: ``<asn>@<address>``."""
    return f"{_asn_text(neighbor)}@{text_of(neighbor.get('address')) or text_of(neighbor.get('interface'))}"


def family_of_prefix(prefix: str) -> str:
    """Return ``ipv4`` or ``ipv6`` of a prefix, which may have host bits set; or empty when the text is not a prefix."""
    try:
        found = parse_interface(prefix)
    except BadValueError:
        return ""
    return _family_of(found.ip)


def _family_of(address: Any) -> str:
    mapped = address if address.version == 4 else address.ipv4_mapped
    return _FAMILIES[4 if isinstance(mapped, IPv4Address) else 6]


def _asn_text(neighbor: Mapping[str, Any]) -> str:
    return text_of(neighbor.get("dynamicASN")) or str(number(neighbor.get("asn")) or 0)


def _family(field: str, neighbor: Mapping[str, Any], address: str, interface: str) -> str:
    if not address and not interface:
        raise FrrError(field, f"neighbor with ASN {_asn_text(neighbor)} has no address and no interface")
    if address and interface:
        raise FrrError(field, f"neighbor {shown_name(neighbor)} has both Address and Interface specified")
    if not address:
        return _DUAL
    try:
        if "%" in address:
            raise ValueError(address)
        return _family_of(ip_address(address))
    except ValueError:
        text = f"failed to find ipfamily for {address}, IPFamilyForAddresses: Invalid address [{quote(address)}]"
        raise FrrError(f"{field}.address", text) from None


def _check_asn(field: str, neighbor: Mapping[str, Any], router_asn: int) -> None:
    asn, dynamic = number(neighbor.get("asn")) or 0, text_of(neighbor.get("dynamicASN"))
    name = shown_name(neighbor)
    if not asn and not dynamic:
        raise FrrError(f"{field}.asn", f"neighbor {name} has no ASN or DynamicASN specified")
    if asn and dynamic:
        raise FrrError(f"{field}.dynamicASN", f"neighbor {name} has both ASN and DynamicASN specified")
    if number(neighbor.get("localASN")) and (dynamic == "internal" or asn == router_asn):
        text = (
            f"neighbor {name}: localASN is not supported for iBGP sessions "
            f"(neighbor ASN {_asn_text(neighbor)} equals router ASN)"
        )
        raise FrrError(f"{field}.localASN", text)


def _timers(field: str, neighbor: Mapping[str, Any]) -> tuple[int, int]:
    """Hold and keepalive time in seconds."""
    hold, keepalive = (parse_duration(text_of(neighbor.get(key))) for key in ("holdTime", "keepaliveTime"))
    lead = f"invalid timers for neighbor {shown_name(neighbor)}, err: "
    if (hold is None) != (keepalive is None):
        missing = "holdTime" if hold is None else "keepaliveTime"
        text = "one of KeepaliveTime/HoldTime specified, both must be set or none"
        raise FrrError(f"{field}.{missing}", lead + text)
    if hold is None or keepalive is None:
        return DEFAULT_HOLD_TIME, DEFAULT_KEEPALIVE_TIME
    seconds = int(hold / SECOND)
    if seconds != 0 and seconds < 3:
        raise FrrError(f"{field}.holdTime", f'{lead}invalid hold time "{duration_text(hold)}": must be 0 or >=3s')
    if keepalive > hold:
        text = (
            f'invalid keepaliveTime "{duration_text(keepalive)}", must be lower than holdTime "{duration_text(hold)}"'
        )
        raise FrrError(f"{field}.keepaliveTime", lead + text)
    return seconds, keepalive // SECOND


def _password(field: str, neighbor: Mapping[str, Any]) -> str:
    password = text_of(neighbor.get("password"))
    if password and text_of(dig(neighbor, "passwordSecret", "name")):
        text = f"neighbor {shown_name(neighbor)} specifies both cleartext password and secret ref"
        raise FrrError(f"{field}.password", text)
    return password


def _outgoing(field: str, neighbor: Mapping[str, Any], family: str, known: frozenset[str]) -> Outgoing:
    advertise = mapping(neighbor, "toAdvertise")
    everything = dig(advertise, "allowed", "mode") == "all"
    allowed = known if everything else texts(dig(advertise, "allowed", "prefixes"))
    families = ("ipv4", "ipv6") if family == _DUAL else (family,)
    prefixes = frozenset(prefix for prefix in allowed if family_of_prefix(prefix) in families)
    lead = f"failed to process local pref for neighbor {shown_name(neighbor)}, err: "
    try:
        preferences = dict(_preferences(f"{field}.withLocalPref", advertise, families, prefixes))
        communities = frozenset(_communities(f"{field}.withCommunity", advertise, families, prefixes))
    except FrrError as error:
        raise FrrError(error.field, lead + error.text) from None
    hops = mapping(advertise, "nextHop")
    next_hops = tuple((version, hop) for version, key in _FAMILIES.items() if (hop := text_of(hops.get(key))))
    return Outgoing(prefixes, tuple(sorted(preferences.items())), communities, next_hops)


def _preferences(
    field: str, advertise: Mapping[str, Any], families: tuple[str, ...], prefixes: frozenset[str]
) -> Iterator[tuple[str, int]]:
    seen = set()
    for index, each in mappings(advertise.get("withLocalPref")):
        preference = number(each.get("localPref")) or 0
        if preference in seen:
            raise FrrError(f"{field}[{index}].localPref", f"local preference {preference} is already defined")
        seen.add(preference)
        own = set()
        for prefix in texts(each.get("prefixes")):
            if family_of_prefix(prefix) not in families:
                continue
            where = f"{field}[{index}].prefixes"
            if prefix not in prefixes:
                raise FrrError(where, f"localPref {preference} associated to non existing prefix {prefix}")
            if prefix in own:
                raise FrrError(where, f"prefix {prefix} is already defined for local preference {preference}")
            own.add(prefix)
            yield prefix, preference


def _communities(
    field: str, advertise: Mapping[str, Any], families: tuple[str, ...], prefixes: frozenset[str]
) -> Iterator[tuple[str, str]]:
    seen = set()
    for index, each in mappings(advertise.get("withCommunity")):
        written = text_of(each.get("community"))
        community = written.removeprefix("large:")
        if community in seen:
            raise FrrError(f"{field}[{index}].community", f"community {written} is already defined")
        seen.add(community)
        own = set()
        for prefix in texts(each.get("prefixes")):
            if family_of_prefix(prefix) not in families:
                continue
            where = f"{field}[{index}].prefixes"
            if prefix not in prefixes:
                text = (
                    f"prefix {prefix} is advertised for community {community} "
                    "but it's not in the advertisement list of the neighbor"
                )
                raise FrrError(where, text)
            if prefix in own:
                raise FrrError(where, f"prefix {prefix} is already defined for community {community}")
            own.add(prefix)
            yield written, prefix


def _incoming(field: str, allowed: Mapping[str, Any]) -> frozenset[Incoming] | None:
    if allowed.get("mode") == "all":
        return None
    return frozenset(_selector(f"{field}.prefixes[{index}]", each) for index, each in mappings(allowed.get("prefixes")))


def _selector(field: str, selector: Mapping[str, Any]) -> Incoming:
    """A prefix with bounds on its length: the prefix's own, then ge, then le."""
    prefix, le, ge = text_of(selector.get("prefix")), number(selector.get("le")) or 0, number(selector.get("ge")) or 0
    try:
        mask = parse_interface(prefix).network.prefixlen
    except BadValueError:
        text = f"failed to parse prefix {prefix}: invalid CIDR address: {prefix}"
        raise FrrError(f"{field}.prefix", text) from None
    lead = "invalid selector lengths: "
    if le and ge > le:
        raise FrrError(f"{field}.ge", f"{lead}ge {ge} is bigger than le {le}")
    if le and mask > le:
        raise FrrError(f"{field}.le", f"{lead}cidr mask {mask} is bigger than le {le}")
    if ge and mask > ge:
        raise FrrError(f"{field}.ge", f"{lead}cidr mask {mask} is bigger than ge {ge}")
    return Incoming(prefix, le, ge)
