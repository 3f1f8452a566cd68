"""Parses one FRRConfiguration as frr-k8s does: routers and sessions, or the first fault in frr-k8s' words.

Source: frr-k8s, ``internal/controller/api_to_config.go``. EVPN and raw configuration are ignored, and so are secrets,
as in frr-k8s' own webhook.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from validators.base.json_types import JsonObject
from validators.network.declared.parse_operator import ref_of
from validators.network.frr.frr_model import Fault, FrrPart, Router
from validators.network.frr.frr_neighbor import family_of_prefix, neighbor_of, shown_name
from validators.network.frr.frr_values import FrrError, mappings, number, texts
from validators.network.parse_values import dig, mapping, text_of
from validators.network.selectors import labels_of, or_everything

BGP: Final = "spec.bgp"


def frr_part(obj: JsonObject) -> FrrPart:
    """Parse an FRRConfiguration. Never raises; values of a wrong type count as absent."""
    ref = ref_of(obj)
    origin = f"{ref.namespace}/{ref.name}"
    profiles: list[tuple[str, str]] = []
    routers: list[Router] = []
    fault = None
    try:
        profiles.extend(_profiles(obj, ref.name))
        routers.extend(_routers(obj, {name for name, _ in profiles}))
    except FrrError as error:
        fault = Fault(origin, error.field, error.text)
    return FrrPart(
        origin=origin,
        labels=labels_of(obj),
        node_selector=or_everything(dig(obj, "spec", "nodeSelector")),
        bfd_profiles=tuple(profiles),
        routers=tuple(routers),
        dual_stack=tuple(_dual_stack(obj)),
        fault=fault,
    )


def _profiles(obj: JsonObject, name: str) -> Iterator[tuple[str, str]]:
    """Names of BFD profiles with their values as comparable text."""
    seen = set()
    for index, profile in mappings(dig(obj, "spec", "bgp", "bfdProfiles")):
        profile_name = text_of(profile.get("name"))
        if profile_name in seen:
            field = f"{BGP}.bfdProfiles[{index}].name"
            raise FrrError(field, f"duplicate bfd profile name {profile_name} in config {name}")
        seen.add(profile_name)
        # Unset equals false here; every field is a number or a flag.
        values = sorted((key, value) for key, value in profile.items() if isinstance(value, int) and value is not False)
        yield profile_name, repr(values)


def _routers(obj: JsonObject, profiles: set[str]) -> Iterator[Router]:
    listed = list(mappings(dig(obj, "spec", "bgp", "routers")))
    by_vrf = {text_of(router.get("vrf")): texts(router.get("prefixes")) for _, router in listed}
    for index, router in listed:
        yield _router(f"{BGP}.routers[{index}]", router, by_vrf, profiles)


def _router(field: str, router: Mapping[str, Any], by_vrf: Mapping[str, Sequence[str]], profiles: set[str]) -> Router:
    asn, vrf = number(router.get("asn")) or 0, text_of(router.get("vrf"))
    prefixes = texts(router.get("prefixes"))
    for index, prefix in enumerate(prefixes):
        if not family_of_prefix(prefix):
            raise FrrError(f"{field}.prefixes[{index}]", f"unknown ipfamily for {prefix}")
    imports = list(_imports(field, router, asn, vrf, by_vrf))
    known = frozenset(prefixes).union(*(by_vrf[imported] for imported in imports))
    neighbors = list(mappings(router.get("neighbors")))
    for index, neighbor in neighbors:
        _check_outgoing(f"{field}.neighbors[{index}].toAdvertise", neighbor, known, vrf)
    made = []
    for index, neighbor in neighbors:
        try:
            made.append(neighbor_of(f"{field}.neighbors[{index}]", neighbor, asn, vrf, known, profiles))
        except FrrError as error:
            lead = f"failed to process neighbor {shown_name(neighbor)} for router {asn}-{vrf}: "
            raise FrrError(error.field, lead + error.text) from None
    return Router(asn, text_of(router.get("id")), vrf, frozenset(prefixes), frozenset(imports), tuple(made), field)


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
