"""FRRConfiguration objects as OVN-Kubernetes writes them: with the empty parts that Go's encoder adds.

Values are shared between documents, so do not change them.

Source: frr-k8s, ``api/v1beta1``: structures without ``omitempty`` are always encoded.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.declared.parse_operator import ref_of
from ovnguard.validators.network.parse_values import mapping

API_VERSION: Final = "frrk8s.metallb.io/v1beta1"
HOSTNAME: Final = "kubernetes.io/hostname"
_NO_SECRET: Final[JsonObject] = {}
_ADVERTISE: Final[JsonObject] = {"allowed": {}, "nextHop": {}}
_RECEIVE: Final[JsonObject] = {"allowed": {}}
_STRUCTURES: Final = ("passwordSecret", "toAdvertise", "toReceive")


def frr_configuration(metadata: JsonObject, spec: JsonObject) -> JsonObject:
    """Return an FRRConfiguration."""
    return {"apiVersion": API_VERSION, "kind": "FRRConfiguration", "metadata": metadata, "spec": spec}


def neighbor(address: str, asn: int) -> JsonObject:
    """Return a neighbour without filters of its own: nothing is advertised to it, and nothing accepted."""
    return {
        "address": address,
        "asn": asn,
        "passwordSecret": _NO_SECRET,
        "toAdvertise": _ADVERTISE,
        "toReceive": _RECEIVE,
    }


def encoded_neighbor(value: Mapping[str, Any]) -> JsonObject:
    """Return a neighbour as Go encodes it after decoding: empty values go, structures are there."""
    kept = {key: each for key, each in value.items() if not _is_empty(each)}
    for key in _STRUCTURES:
        found = mapping(value, key)
        kept[key] = dict(found)
    kept["toAdvertise"] = {"allowed": {}, "nextHop": {}, **kept["toAdvertise"]}
    kept["toReceive"] = {"allowed": {}, **kept["toReceive"]}
    return kept


def advertising(prefixes: Sequence[str]) -> JsonObject:
    """Return ``toAdvertise`` of a neighbour that gets these prefixes."""
    return {"allowed": {"mode": "filtered", "prefixes": list(prefixes)}, "nextHop": {}}


def receiving(subnets: Sequence[tuple[str, int]]) -> JsonObject:
    """Return ``toReceive`` of a neighbour: subnets of each CIDR that have exactly this prefix length."""
    selectors = [{"prefix": cidr, "le": length, "ge": length} for cidr, length in subnets]
    return {"allowed": {"mode": "filtered", "prefixes": selectors}}


def origin_of(obj: JsonObject) -> str:
    """Return the ``namespace/name`` of an object."""
    ref = ref_of(obj)
    return f"{ref.namespace}/{ref.name}"


def _is_empty(value: object) -> bool:
    return value is None or value is False or value == ""
