"""Objects that are refused, one for each kind of refusal: a single place of a good object is made wrong."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

_GONE: Final = object()
Place = tuple[str | int, ...]

_OVN: Final = ("spec", "defaultNetwork", "ovnKubernetesConfig")
_NETWORK: Final[Mapping[str, tuple[Place, Any]]] = {
    "enum": (("spec", "logLevel"), "Loud"),
    "deep enum": ((*_OVN, "noOverlayConfig", "routing"), "Perhaps"),
    "type": ((*_OVN, "mtu"), "1500"),
    "bound": ((*_OVN, "genevePort"), 0),
    "pattern": (("spec", "managementState"), "Perhaps"),
    "too long": ((*_OVN, "ipv4", "internalJoinSubnet"), "100.64.0.0/16" + "0" * 20),
    "too many": (("spec", "additionalRoutingCapabilities", "providers"), ["FRR", "FRR"]),
    "required": ((*_OVN, "noOverlayConfig", "routing"), _GONE),
    "union": ((*_OVN, "transport"), "Underlay"),
    "rule": ((*_OVN, "routeAdvertisements"), "Disabled"),
    "label": (("metadata", "labels"), {"app": "no good"}),
    "unknown field": ((*_OVN, "unknown"), 1),
}
_TOPOLOGY: Final[Mapping[str, tuple[Place, Any]]] = {
    "enum": (("role",), "Tertiary"),
    "type": (("mtu",), "1400"),
    "bound": (("mtu",), 70000),
    "too long": (("joinSubnets", 0), "100.70.0.0/16" + "0" * 40),
    "too many": (("joinSubnets",), ["100.70.0.0/16", "fd70::/64", "fd71::/64"]),
    "required": (("role",), _GONE),
    "rule": (("joinSubnets",), ["100.70.0.0/16", "100.71.0.0/16"]),
    "unknown field": (("unknown",), 1),
}
_CUDN: Final[Mapping[str, tuple[Place, Any]]] = {
    "pattern": (("spec", "uplinks"), ["-eth0"]),
    "union": (("spec", "network", "topology"), "Layer4"),
    "union by rule": (("spec", "network", "localnet"), {"role": "Secondary", "physicalNetworkName": "lan"}),
    "label": (("metadata", "labels"), {"app": "no good"}),
}


@dataclass(frozen=True)
class Refusal:
    """An object with one thing wrong; ``field_validation`` as the server is asked for it."""

    kind: str
    obj: dict[str, Any]
    field_validation: str


def refusals(good: Mapping[str, Any]) -> Iterator[Refusal]:
    """Every kind of refusal of a good object."""
    places: dict[str, tuple[Place, Any]] = dict(_NETWORK)
    if good["kind"] != "Network":
        topology = good["spec"]["network"]["topology"].lower()
        places = {kind: (("spec", "network", topology, *place), one) for kind, (place, one) in _TOPOLOGY.items()}
        places |= _CUDN
    for kind, (place, value) in places.items():
        yield Refusal(kind, _spoilt(good, place, value), "Strict" if kind == "unknown field" else "Warn")


def _spoilt(good: Mapping[str, Any], place: Place, value: Any) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(json.dumps(good))
    parent: Any = made
    for step in place[:-1]:
        parent = parent[step]
    if value is _GONE:
        del parent[place[-1]]
    else:
        parent[place[-1]] = value
    return made
