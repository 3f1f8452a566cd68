"""One neighbour of an FRRConfiguration's router, with the checks that frr-k8s performs during translation.

Source: frr-k8s, ``internal/controller/api_to_config.go``; in the same order of checks.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple

from ovnguard.validators.go.duration import SECOND, duration_text, parse_duration
from ovnguard.validators.go.text import quote
from ovnguard.validators.network.frr.frr_filters import incoming_of, outgoing_of
from ovnguard.validators.network.frr.frr_model import (
    DEFAULT_CONNECT_TIME,
    DEFAULT_HOLD_TIME,
    DEFAULT_KEEPALIVE_TIME,
    DEFAULT_PORT,
    Neighbor,
    Session,
)
from ovnguard.validators.network.frr.frr_secrets import NO_PASSWORD, Password, StoredPassword
from ovnguard.validators.network.frr.frr_values import DUAL, FrrError, check_word, family_of_address, number, texts
from ovnguard.validators.network.parse_values import dig, mapping, text_of

INTERNAL: Final = "internal"
EXTERNAL: Final = "external"
UNICAST: Final = "unicast"
EVPN: Final = "evpn"
# FRR refuses longer ones, and spaces.
_PASSWORD: Final = re.compile(r"[^\x00-\x20\x7f-\xa0\s]{1,80}")
_ADDRESS_FAMILIES: Final = frozenset({UNICAST, EVPN})
_ONLY_UNICAST: Final = frozenset({UNICAST})


class Scope(NamedTuple):
    """What a neighbour needs of its router. ``known``: prefixes that the router originates or imports."""

    asn: int
    vrf: str
    known: frozenset[str]
    profiles: Collection[str]
    stored: StoredPassword


def neighbor_of(field: str, neighbor: Mapping[str, Any], scope: Scope) -> Neighbor:
    """Return the neighbour of a router. Raises FrrError."""
    address, interface = text_of(neighbor.get("address")), text_of(neighbor.get("interface"))
    family = _family(field, neighbor, address, interface)
    profile = text_of(neighbor.get("bfdProfile"))
    if profile and profile not in scope.profiles:
        text = f"neighbor {shown_name(neighbor)} referencing non existing BFDProfile {profile}"
        raise FrrError(f"{field}.bfdProfile", text)
    _check_asn(field, neighbor, scope.asn)
    if interface or neighbor.get("dualStackAddressFamily") is True:
        family = DUAL
    session = _session(field, neighbor, scope, family)
    advertise = mapping(neighbor, "toAdvertise")
    return Neighbor(
        id=neighbor_id(address or interface, scope.vrf),
        address=address,
        interface=interface,
        vrf=scope.vrf,
        session=session,
        outgoing=outgoing_of(f"{field}.toAdvertise", advertise, shown_name(neighbor), family, scope.known),
        incoming=incoming_of(f"{field}.toReceive.allowed", mapping(neighbor, "toReceive", "allowed")),
        address_families=_ADDRESS_FAMILIES.intersection(texts(neighbor.get("addressFamilies"))) or _ONLY_UNICAST,
        graceful_restart=neighbor.get("enableGracefulRestart") is True,
        field=field,
    )


def _session(field: str, neighbor: Mapping[str, Any], scope: Scope, family: str) -> Session:
    """The BGP session with a neighbour. Raises FrrError."""
    hold, keepalive = _timers(field, neighbor)
    port = number(neighbor.get("port"))
    connect = parse_duration(text_of(neighbor.get("connectTime")))
    source = text_of(neighbor.get("sourceaddress"))
    check_word(f"{field}.sourceaddress", "source address", source)
    return Session(
        asn=_asn_text(neighbor),
        port=DEFAULT_PORT if port is None else port,
        source=source,
        password=_password(field, neighbor, scope.stored),
        bfd_profile=text_of(neighbor.get("bfdProfile")),
        multihop=neighbor.get("ebgpMultiHop") is True,
        family=family,
        hold_time=hold,
        keepalive_time=keepalive,
        connect_time=DEFAULT_CONNECT_TIME if connect is None else connect // SECOND,
        local_asn=number(neighbor.get("localASN")) or 0,
    )


def neighbor_id(peer: str, vrf: str) -> str:
    """Return the name by which frr-k8s merges neighbours: address or interface, and the VRF if it has one."""
    return f"{peer}-{vrf}" if vrf else peer


def shown_name(neighbor: Mapping[str, Any]) -> str:
    """Return frr-k8s' name of a neighbour in messages: ``<asn>@<address>``."""
    return f"{_asn_text(neighbor)}@{text_of(neighbor.get('address')) or text_of(neighbor.get('interface'))}"


def _asn_text(neighbor: Mapping[str, Any]) -> str:
    return text_of(neighbor.get("dynamicASN")) or str(number(neighbor.get("asn")) or 0)


def _family(field: str, neighbor: Mapping[str, Any], address: str, interface: str) -> str:
    if not address and not interface:
        raise FrrError(field, f"neighbor with ASN {_asn_text(neighbor)} has no address and no interface")
    if address and interface:
        raise FrrError(field, f"neighbor {shown_name(neighbor)} has both Address and Interface specified")
    if not address:
        check_word(f"{field}.interface", "interface", interface)
        return DUAL
    family = family_of_address(address)
    if not family:
        text = f"failed to find ipfamily for {address}, IPFamilyForAddresses: Invalid address [{quote(address)}]"
        raise FrrError(f"{field}.address", text)
    return family


def _check_asn(field: str, neighbor: Mapping[str, Any], router_asn: int) -> None:
    asn, dynamic = number(neighbor.get("asn")) or 0, text_of(neighbor.get("dynamicASN"))
    if not asn and not dynamic:
        raise FrrError(f"{field}.asn", f"neighbor {shown_name(neighbor)} has no ASN or DynamicASN specified")
    if asn and dynamic:
        text = f"neighbor {shown_name(neighbor)} has both ASN and DynamicASN specified"
        raise FrrError(f"{field}.dynamicASN", text)
    if dynamic not in ("", INTERNAL, EXTERNAL):
        text = (
            f"neighbor {shown_name(neighbor)} has invalid DynamicASN {dynamic} specified, "
            f"must be one of {INTERNAL},{EXTERNAL}"
        )
        raise FrrError(f"{field}.dynamicASN", text)
    if number(neighbor.get("localASN")) and (dynamic == INTERNAL or asn == router_asn):
        text = (
            f"neighbor {shown_name(neighbor)}: localASN is not supported for iBGP sessions "
            f"(neighbor ASN {_asn_text(neighbor)} equals router ASN)"
        )
        raise FrrError(f"{field}.localASN", text)


def _timers(field: str, neighbor: Mapping[str, Any]) -> tuple[int, int]:
    """Hold and keepalive time in seconds."""
    hold, keepalive = (parse_duration(text_of(neighbor.get(key))) for key in ("holdTime", "keepaliveTime"))
    if hold is None and keepalive is None:
        return DEFAULT_HOLD_TIME, DEFAULT_KEEPALIVE_TIME
    lead = f"invalid timers for neighbor {shown_name(neighbor)}, err: "
    if hold is None or keepalive is None:
        missing = "holdTime" if hold is None else "keepaliveTime"
        text = "one of KeepaliveTime/HoldTime specified, both must be set or none"
        raise FrrError(f"{field}.{missing}", lead + text)
    seconds = int(hold / SECOND)
    if seconds != 0 and seconds < 3:
        raise FrrError(f"{field}.holdTime", f'{lead}invalid hold time "{duration_text(hold)}": must be 0 or >=3s')
    if keepalive > hold:
        text = (
            f'invalid keepaliveTime "{duration_text(keepalive)}", must be lower than holdTime "{duration_text(hold)}"'
        )
        raise FrrError(f"{field}.keepaliveTime", lead + text)
    return seconds, keepalive // SECOND


def _password(field: str, neighbor: Mapping[str, Any], stored: StoredPassword) -> Password:
    inline, secret = text_of(neighbor.get("password")), text_of(dig(neighbor, "passwordSecret", "name"))
    if inline and secret:
        text = f"neighbor {shown_name(neighbor)} specifies both cleartext password and secret ref"
        raise FrrError(f"{field}.password", text)
    if not secret:
        password = Password(inline) if inline else NO_PASSWORD
    else:
        try:
            password = stored(secret, shown_name(neighbor))
        except FrrError as error:
            raise FrrError(f"{field}.passwordSecret", error.text) from None
    if password.text and not _PASSWORD.fullmatch(password.text):
        text = f"the password of neighbor {shown_name(neighbor)} must be one word of at most 80 characters for FRR"
        raise FrrError(f"{field}.password{'Secret' if secret else ''}", text)
    return password
