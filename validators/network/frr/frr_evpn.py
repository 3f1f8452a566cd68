"""EVPN of FRRConfigurations: translation of one router's part, and the merge of two.

Source: frr-k8s, ``internal/controller/merge.go``; texts of conflicts as there.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from ovnguard.validators.go.text import quote
from ovnguard.validators.network.frr.frr_model import Evpn, Vni
from ovnguard.validators.network.frr.frr_values import FrrError, mappings, number, texts
from ovnguard.validators.network.parse_values import mapping, text_of

_ALL: Final = "All"
_DISABLED: Final = "Disabled"
_UNICAST: Final = "unicast"
# Route targets of imports may have the administrator *.
_TARGET: Final = re.compile(r"(\*|[0-9.]{1,15}):[0-9]{1,10}")


def evpn_of(field: str, router: Mapping[str, Any]) -> Evpn | None:
    """Return the EVPN part of a router; None when it has none. Raises FrrError."""
    if not isinstance(router.get("evpn"), Mapping):
        return None
    evpn = mapping(router, "evpn")
    layer3 = evpn.get("l3vni")
    return Evpn(
        advertises_vnis=evpn.get("advertiseVNIs") == _ALL,
        advertises_svi=evpn.get("advertiseSVI") is True,
        layer2=_layer2(_vni(f"{field}.evpn.l2vnis[{index}]", each) for index, each in mappings(evpn.get("l2vnis"))),
        layer3=_vni(f"{field}.evpn.l3vni", layer3) if isinstance(layer3, Mapping) else None,
        advertised=frozenset(texts(mapping(layer3).get("advertisePrefixes"))) & {_UNICAST},
    )


def _vni(field: str, vni: Mapping[str, Any]) -> Vni:
    found = Vni(
        number=number(vni.get("vni")) or 0,
        distinguisher=text_of(vni.get("rd")),
        imported=frozenset(texts(vni.get("importRTs"))),
        exported=frozenset(texts(vni.get("exportRTs"))),
    )
    for key, listed in (("rd", {found.distinguisher}), ("importRTs", found.imported), ("exportRTs", found.exported)):
        bad = next((each for each in sorted(listed) if each and not _TARGET.fullmatch(each)), None)
        if bad is not None:
            raise FrrError(f"{field}.{key}", f"{quote(bad)} is not an administrator and a number, such as 65000:100")
    return found


def merged_evpn(field: str, vrf: str, one: Evpn | None, other: Evpn | None) -> Evpn | None:
    """Return the EVPN of two routers of one VRF. Raises FrrError."""
    if one is None or other is None or one == other:
        return one or other
    try:
        return _both(one, other)
    except FrrError as error:
        lead = f"could not merge EVPN configuration for vrf {quote(vrf)}, err: "
        raise FrrError(f"{field}.evpn", lead + error.text) from None


def _both(one: Evpn, other: Evpn) -> Evpn:
    if one.advertises_vnis != other.advertises_vnis:
        mine, its = (_ALL if each.advertises_vnis else _DISABLED for each in (one, other))
        raise FrrError("", f"different advertiseVNIs ({quote(mine)} != {quote(its)})")
    if one.advertises_svi != other.advertises_svi:
        mine, its = (str(each.advertises_svi).lower() for each in (one, other))
        raise FrrError("", f"different advertiseSVI ({mine} != {its})")
    layer2 = _layer2((*one.layer2, *other.layer2))
    layer3 = one.layer3 or other.layer3
    if one.layer3 and other.layer3:
        if one.layer3.number != other.layer3.number:
            raise FrrError("", f"different l3vni numbers ({one.layer3.number} != {other.layer3.number})")
        layer3 = _vnis(one.layer3, other.layer3)
    return Evpn(
        one.advertises_vnis,
        one.advertises_svi,
        layer2,
        layer3,
        one.advertised | other.advertised,
    )


def _layer2(vnis: Iterable[Vni]) -> tuple[Vni, ...]:
    """VNIs by number, each once."""
    found: dict[int, Vni] = {}
    for vni in vnis:
        known = found.get(vni.number)
        try:
            found[vni.number] = vni if known is None else _vnis(known, vni)
        except FrrError as error:
            raise FrrError("", f"could not merge l2vni {vni.number}, err: {error.text}") from None
    return tuple(found[each] for each in sorted(found))


def _vnis(one: Vni, other: Vni) -> Vni:
    if one.distinguisher and other.distinguisher and one.distinguisher != other.distinguisher:
        raise FrrError("", f"different RD values ({one.distinguisher} != {other.distinguisher})")
    for kind, mine, its in (("import", one.imported, other.imported), ("export", one.exported, other.exported)):
        if bool(mine) != bool(its):
            text = f"conflicting {kind} route targets: mixing implicit and explicit route targets"
            raise FrrError("", text)
    return Vni(
        one.number,
        one.distinguisher or other.distinguisher,
        one.imported | other.imported,
        one.exported | other.exported,
    )
