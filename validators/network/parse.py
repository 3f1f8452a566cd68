"""One way from any object to the network that it declares."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

from validators.json_types import JsonObject
from validators.network.parse_nad import network_attachment_definition
from validators.network.parse_operator import operator_network
from validators.network.parse_udn import cluster_user_defined_network, user_defined_network
from validators.network.parse_values import Parsed
from validators.network.view import CUDN, NAD, OPERATOR_NETWORK, UDN, GroupKind

__all__ = ["Parsed", "group_kind_of", "network_of"]

_PARSERS: Final[Mapping[GroupKind, Callable[[JsonObject], Parsed]]] = {
    OPERATOR_NETWORK: operator_network,
    CUDN: cluster_user_defined_network,
    UDN: user_defined_network,
    NAD: network_attachment_definition,
}


_LONGEST_KIND: Final = 512


def network_of(obj: JsonObject) -> Parsed:
    """Return the network that ``obj`` declares, or one error per value that cannot be read.

    Errors are what no schema sees: host bits in a subnet, a subnet of the wrong family, a node's share that does not
    fit, a CNI configuration that is no JSON. An object that declares no network gives neither. Never raises.
    """
    parser = _PARSERS.get(group_kind_of(obj))
    return parser(obj) if parser else Parsed(None)


def group_kind_of(obj: JsonObject) -> GroupKind:
    """Return group and kind of an object; missing parts are empty strings."""
    api_version, kind = str(obj.get("apiVersion") or ""), str(obj.get("kind") or "")
    # what is remembered has a bound, and so must each of it
    known = _group_kind if len(api_version) + len(kind) < _LONGEST_KIND else _group_kind.__wrapped__
    return known(api_version, kind)


@lru_cache(maxsize=256)
def _group_kind(api_version: str, kind: str) -> GroupKind:
    return GroupKind(api_version.rpartition("/")[0], kind)
