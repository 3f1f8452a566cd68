"""The single entry point from any object to the network that it declares."""

from collections.abc import Callable, Mapping
from typing import Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import CUDN, NAD, OPERATOR_NETWORK, UDN, GroupKind
from ovnguard.validators.network.declared.parse_nad import network_attachment_definition
from ovnguard.validators.network.declared.parse_operator import operator_network
from ovnguard.validators.network.declared.parse_udn import cluster_user_defined_network, user_defined_network
from ovnguard.validators.network.parse_values import Parsed

__all__ = ["Parsed", "group_kind_of", "network_of"]

_PARSERS: Final[Mapping[GroupKind, Callable[[JsonObject], Parsed]]] = {
    OPERATOR_NETWORK: operator_network,
    CUDN: cluster_user_defined_network,
    UDN: user_defined_network,
    NAD: network_attachment_definition,
}


def network_of(obj: JsonObject) -> Parsed:
    """Return the network that ``obj`` declares, or one error per invalid value.

    The errors are faults that no schema detects: host bits in a subnet, a subnet of the wrong family, a node subnet
    length that does not fit, a CNI configuration that is not JSON. For an object that declares no network, both are
    empty. Never raises.
    """
    parser = _PARSERS.get(group_kind_of(obj))
    return parser(obj) if parser else Parsed(None)


def group_kind_of(obj: JsonObject) -> GroupKind:
    """Return group and kind of an object; missing parts are empty strings."""
    api_version, kind = obj.get("apiVersion"), obj.get("kind")
    # every judgement calls this several times, nearly always with one of these kinds
    if api_version.__class__ is str and kind.__class__ is str and (known := _KNOWN.get((api_version, kind))):
        return known
    return GroupKind(str(api_version or "").rpartition("/")[0], str(kind or ""))


_KNOWN: Final[Mapping[tuple[object, object], GroupKind]] = {
    ("operator.openshift.io/v1", "Network"): OPERATOR_NETWORK,
    ("k8s.ovn.org/v1", "ClusterUserDefinedNetwork"): CUDN,
    ("k8s.ovn.org/v1", "UserDefinedNetwork"): UDN,
    ("k8s.cni.cncf.io/v1", "NetworkAttachmentDefinition"): NAD,
}
