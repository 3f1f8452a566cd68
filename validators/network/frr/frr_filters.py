"""What one neighbour of an FRRConfiguration may send and receive, with the checks of frr-k8s' translation.

Source: frr-k8s, ``internal/controller/api_to_config.go``; in the same order of checks.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from ovnguard.validators.network.declared.node_values import BadValueError, parse_interface
from ovnguard.validators.network.frr.frr_community import LARGE, community_of
from ovnguard.validators.network.frr.frr_model import Incoming, Outgoing
from ovnguard.validators.network.frr.frr_values import (
    DUAL,
    FAMILIES,
    FrrError,
    family_of_address,
    family_of_prefix,
    mappings,
    number,
    texts,
)
from ovnguard.validators.network.parse_values import dig, mapping, text_of


def outgoing_of(field: str, advertise: Mapping[str, Any], name: str, family: str, known: frozenset[str]) -> Outgoing:
    """Return what a neighbour receives. ``known``: prefixes that its router originates or imports. Raises FrrError."""
    everything = dig(advertise, "allowed", "mode") == "all"
    allowed = known if everything else texts(dig(advertise, "allowed", "prefixes"))
    families = tuple(FAMILIES.values()) if family == DUAL else (family,)
    prefixes = frozenset(prefix for prefix in allowed if family_of_prefix(prefix) in families)
    try:
        preferences = dict(_preferences(f"{field}.withLocalPref", advertise, families, prefixes))
        communities = frozenset(_communities(f"{field}.withCommunity", advertise, families, prefixes))
    except FrrError as error:
        lead = f"failed to process local pref for neighbor {name}, err: "
        raise FrrError(error.field, lead + error.text) from None
    return Outgoing(prefixes, tuple(sorted(preferences.items())), communities, tuple(_next_hops(field, advertise)))


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
        try:
            community = community_of(written)
        except FrrError as error:
            raise FrrError(f"{field}[{index}].community", error.text) from None
        if community in seen:
            raise FrrError(f"{field}[{index}].community", f"community {written} is already defined")
        seen.add(community)
        own, shown = set(), community.removeprefix(f"{LARGE}:")
        for prefix in texts(each.get("prefixes")):
            if family_of_prefix(prefix) not in families:
                continue
            where = f"{field}[{index}].prefixes"
            if prefix not in prefixes:
                text = (
                    f"prefix {prefix} is advertised for community {shown} "
                    "but it's not in the advertisement list of the neighbor"
                )
                raise FrrError(where, text)
            if prefix in own:
                raise FrrError(where, f"prefix {prefix} is already defined for community {shown}")
            own.add(prefix)
            yield community, prefix


def _next_hops(field: str, advertise: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    hops = mapping(advertise, "nextHop")
    for version, key in FAMILIES.items():
        if hop := text_of(hops.get(key)):
            if family_of_address(hop) != key or (version == 4) == (":" in hop):
                raise FrrError(f"{field}.nextHop.{key}", f"{hop} is not an IPv{version} address")
            yield version, hop


def incoming_of(field: str, allowed: Mapping[str, Any]) -> frozenset[Incoming] | None:
    """Return what a neighbour may send; None accepts everything. Raises FrrError."""
    if allowed.get("mode") == "all":
        return None
    return frozenset(_selector(f"{field}.prefixes[{index}]", each) for index, each in mappings(allowed.get("prefixes")))


def _selector(field: str, selector: Mapping[str, Any]) -> Incoming:
    """A prefix with bounds on its length: the prefix's own, then ge, then le."""
    prefix, le, ge = text_of(selector.get("prefix")), number(selector.get("le")) or 0, number(selector.get("ge")) or 0
    mask = _length_of(prefix)
    if mask is None:
        text = f"failed to parse prefix {prefix}: invalid CIDR address: {prefix}"
        raise FrrError(f"{field}.prefix", text)
    lead = "invalid selector lengths: "
    if le and ge > le:
        raise FrrError(f"{field}.ge", f"{lead}ge {ge} is bigger than le {le}")
    if le and mask > le:
        raise FrrError(f"{field}.le", f"{lead}cidr mask {mask} is bigger than le {le}")
    if ge and mask > ge:
        raise FrrError(f"{field}.ge", f"{lead}cidr mask {mask} is bigger than ge {ge}")
    return Incoming(prefix, le, ge)


@lru_cache(1024)
def _length_of(prefix: str) -> int | None:
    try:
        return parse_interface(prefix).network.prefixlen
    except BadValueError:
        return None
