"""Parses one FRRConfiguration as frr-k8s does: routers and sessions, or the first fault in frr-k8s' words.

What frr-k8s would copy unread into frr.conf must be one word here, so that only raw configuration adds lines.
Source: frr-k8s, ``internal/controller/api_to_config.go``.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.go.text import quote
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.frr.frr_evpn import evpn_of
from ovnguard.validators.network.frr.frr_model import BfdProfile, Fault, FrrPart, Neighbor, Raw, Router
from ovnguard.validators.network.frr.frr_neighbor import Scope, neighbor_id, neighbor_of, shown_name
from ovnguard.validators.network.frr.frr_secrets import StoredPassword, ignored
from ovnguard.validators.network.frr.frr_values import (
    FAMILIES,
    FrrError,
    check_word,
    family_of_address,
    family_of_prefix,
    mappings,
    number,
    texts,
)
from ovnguard.validators.network.parse_values import dig, mapping, text_of
from ovnguard.validators.network.selectors import labels_of, or_everything

BGP: Final = "spec.bgp"
_MAX_ASN: Final = 4294967295
# Characters of a fault's text: it repeats values of any length, once for each node.
_SHOWN: Final = 1000


def frr_part(obj: JsonObject, stored: StoredPassword = ignored) -> FrrPart:
    """Parse an FRRConfiguration. Never raises; values of a wrong type count as absent.

    ``stored`` returns passwords that are in Secrets.
    """
    ref = ref_of(obj)
    origin = f"{ref.namespace}/{ref.name}"
    profiles: list[BfdProfile] = []
    routers: list[Router] = []
    raw = fault = None
    try:
        raw = _raw(obj, ref.name, ref.namespace)
        profiles.extend(_profiles(obj, ref.name))
        routers.extend(_routers(obj, {profile.name for profile in profiles}, stored))
    except FrrError as error:
        fault = Fault(origin, error.field, _one_line(error.text))
    return FrrPart(
        origin=origin,
        labels=labels_of(obj),
        node_selector=or_everything(dig(obj, "spec", "nodeSelector")),
        bfd_profiles=tuple(profiles),
        routers=tuple(routers),
        dual_stack=tuple(_dual_stack(obj)),
        raw=raw,
        fault=fault,
    )


def _one_line(text: str) -> str:
    """Return a text that repeats untrusted values, for a line of a log."""
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in shown)


def _raw(obj: JsonObject, name: str, namespace: str) -> Raw | None:
    text = text_of(dig(obj, "spec", "raw", "rawConfig"))
    if not text:
        return None
    if not text.replace("\n", "").replace("\t", "").isprintable():
        raise FrrError("spec.raw.rawConfig", "raw configuration has characters that frr.conf cannot contain")
    return Raw(number(dig(obj, "spec", "raw", "priority")) or 0, name, namespace, text)


def _profiles(obj: JsonObject, name: str) -> Iterator[BfdProfile]:
    seen = set()
    for index, profile in mappings(dig(obj, "spec", "bgp", "bfdProfiles")):
        field = f"{BGP}.bfdProfiles[{index}].name"
        profile_name = text_of(profile.get("name"))
        if profile_name in seen:
            raise FrrError(field, f"duplicate bfd profile name {profile_name} in config {name}")
        seen.add(profile_name)
        check_word(field, "bfd profile name", profile_name)
        yield BfdProfile(
            profile_name,
            number(profile.get("receiveInterval")),
            number(profile.get("transmitInterval")),
            number(profile.get("detectMultiplier")),
            number(profile.get("echoInterval")),
            profile.get("echoMode") is True,
            profile.get("passiveMode") is True,
            number(profile.get("minimumTtl")),
        )


def _routers(obj: JsonObject, profiles: set[str], stored: StoredPassword) -> Iterator[Router]:
    listed = list(mappings(dig(obj, "spec", "bgp", "routers")))
    by_vrf = {text_of(router.get("vrf")): texts(router.get("prefixes")) for _, router in listed}
    for index, router in listed:
        yield _router(f"{BGP}.routers[{index}]", router, by_vrf, profiles, stored)


def _router(
    field: str,
    router: Mapping[str, Any],
    by_vrf: Mapping[str, Sequence[str]],
    profiles: set[str],
    stored: StoredPassword,
) -> Router:
    asn, vrf, router_id = number(router.get("asn")) or 0, text_of(router.get("vrf")), text_of(router.get("id"))
    check_word(f"{field}.vrf", "vrf", vrf)
    if not 0 < asn <= _MAX_ASN:
        raise FrrError(f"{field}.asn", f"router {asn}-{vrf}: FRR needs an AS number from 1 to {_MAX_ASN}")
    if router_id and (family_of_address(router_id) != FAMILIES[4] or ":" in router_id):
        raise FrrError(f"{field}.id", f"router id {quote(router_id)} is not an IPv4 address")
    prefixes = texts(router.get("prefixes"))
    for index, prefix in enumerate(prefixes):
        if not family_of_prefix(prefix):
            raise FrrError(f"{field}.prefixes[{index}]", f"unknown ipfamily for {prefix}")
    imports = list(_imports(field, router, asn, vrf, by_vrf))
    known = frozenset(prefixes).union(*(by_vrf[imported] for imported in imports))
    neighbors = tuple(_neighbors(field, router, Scope(asn, vrf, known, profiles, stored)))
    return Router(
        asn=asn,
        router_id=router_id,
        vrf=vrf,
        prefixes=frozenset(prefixes),
        imports=frozenset(imports),
        neighbors=neighbors,
        field=field,
        evpn=evpn_of(field, router),
    )


def _neighbors(field: str, router: Mapping[str, Any], scope: Scope) -> Iterator[Neighbor]:
    """The neighbours of a router. One that differs from the one before it only in its address is made from that one: in
    a mesh, all are alike.
    """
    listed = list(mappings(router.get("neighbors")))
    before: object = None
    for index, neighbor in listed:
        if (advertise := neighbor.get("toAdvertise")) != before:
            _check_outgoing(f"{field}.neighbors[{index}].toAdvertise", neighbor, scope.known, scope.vrf)
            before = advertise
    like: tuple[str, dict[str, Any], Neighbor] | None = None
    for index, neighbor in listed:
        where, address = f"{field}.neighbors[{index}]", text_of(neighbor.get("address"))
        family = family_of_address(address)
        settings = {**neighbor, "address": ""}
        if like is not None and family and like[0] == family and like[1] == settings:
            made = Neighbor(neighbor_id(address, scope.vrf), address, *like[2][2:-1], where)
        else:
            try:
                made = neighbor_of(where, neighbor, scope)
            except FrrError as error:
                lead = f"failed to process neighbor {shown_name(neighbor)} for router {scope.asn}-{scope.vrf}: "
                raise FrrError(error.field, lead + error.text) from None
            like = family, settings, made
        yield made


def _imports(
    field: str, router: Mapping[str, Any], asn: int, vrf: str, by_vrf: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    """Imported VRFs; each must have a router in the same object."""
    listed = [(index, text_of(each.get("vrf"))) for index, each in mappings(router.get("imports"))]
    for index, name in listed:
        if name not in ("default", *by_vrf):
            text = f"router {asn}-{vrf} imports vrf {name} which is not defined"
            raise FrrError(f"{field}.imports[{index}].vrf", text)
    for index, name in listed:
        imported = "" if name == "default" else name
        if imported not in by_vrf:
            raise FrrError(f"{field}.imports[{index}].vrf", f"vrf {imported} not found in prefixes in router")
        yield imported


def _check_outgoing(field: str, neighbor: Mapping[str, Any], known: frozenset[str], vrf: str) -> None:
    """Every advertised prefix must be originated or imported, and may occur only once."""
    advertise = mapping(neighbor, "toAdvertise")
    if dig(advertise, "allowed", "mode") == "all":
        return
    for index, prefix in enumerate(texts(dig(advertise, "allowed", "prefixes"))):
        if prefix not in known:
            text = f"trying to advertise non configured prefix {prefix} to neighbor {shown_name(neighbor)}, vrf {vrf}"
            raise FrrError(f"{field}.allowed.prefixes[{index}]", text)
    preferences: dict[str, int] = {}
    for index, each in mappings(advertise.get("withLocalPref")):
        listed, preference = texts(each.get("prefixes")), number(each.get("localPref")) or 0
        where = f"{field}.withLocalPref[{index}].prefixes"
        for prefix in listed:
            if not family_of_prefix(prefix):
                raise FrrError(where, f"unknown ipfamily for prefix {prefix} associated to localpref {preference}")
            other = preferences.setdefault(prefix, preference)
            if other != preference:
                shown = f"[{' '.join(listed)}]"
                text = f"prefix {shown} is configured with both local preference {other} and {preference}"
                raise FrrError(where, text)
    for index, each in mappings(advertise.get("withCommunity")):
        listed = texts(each.get("prefixes"))
        bad = next((prefix for prefix in listed if not family_of_prefix(prefix)), None)
        if bad is not None:
            text = (
                f"invalid prefixes [{' '.join(listed)}] for community {text_of(each.get('community'))}, "
                f"err: unknown ipfamily for {bad}"
            )
            raise FrrError(f"{field}.withCommunity[{index}].prefixes", text)


def _dual_stack(obj: JsonObject) -> Iterator[str]:
    """Neighbours with both address families in one session, which RouteAdvertisements cannot use."""
    for _, router in mappings(dig(obj, "spec", "bgp", "routers")):
        for _, neighbor in mappings(router.get("neighbors")):
            if neighbor.get("dualStackAddressFamily") is True:
                yield text_of(neighbor.get("address")) or text_of(neighbor.get("interface"))
