"""The default network of a cluster without a network operator, from the options of its ovnkube.

The result has the form of the operator's Network, so that it is judged and planned like one.

Source: ovn-kubernetes, ``pkg/config/config.go``: options cluster-subnets (each ``CIDR/LENGTH``, the length of a node's
subnet is optional), k8s-service-cidrs, mtu, gateway-mode, transport, and section ``[no-overlay]``.
"""

from collections.abc import Iterator
from typing import Any, Final

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import OPERATOR_NETWORK, OPERATOR_NETWORK_NAME
from ovnguard.validators.network.declared.parse_operator import RELEASED_DEFAULT_ASN
from ovnguard.validators.network.ovnkube_settings.option_names import (
    CLUSTER_SUBNETS,
    GATEWAY_MODE,
    MTU,
    OUTBOUND_SNAT,
    ROUTE_ADVERTISEMENTS,
    ROUTING,
    SERVICE_SUBNETS,
    TRANSPORT,
)
from ovnguard.validators.network.ovnkube_settings.ovnkube_options import OvnkubeOptions
from ovnguard.validators.network.parse_values import MAX_ITEMS, decimal

_NO_OVERLAY: Final = "no-overlay"
_LONGEST_PREFIX: Final = 128


def chart_network(options: OvnkubeOptions) -> JsonObject | None:
    """Return the Network that says what ``options`` say; None where they name no subnets of pods."""
    subnets = list(_subnets(options.value(CLUSTER_SUBNETS) or ""))
    if not subnets:
        return None
    config: JsonObject = {"gatewayConfig": {"routingViaHost": options.value(GATEWAY_MODE) == "local"}}
    mtu = decimal(options.value(MTU), 1, 65_535)
    config |= {"mtu": mtu} if mtu else {}
    spec: JsonObject = {
        "clusterNetwork": subnets,
        "serviceNetwork": _listed(options.value(SERVICE_SUBNETS) or ""),
        "defaultNetwork": {"type": "OVNKubernetes", "ovnKubernetesConfig": config},
    }
    without_overlay = options.value(TRANSPORT) == _NO_OVERLAY
    config |= dict(_no_overlay(options)) if without_overlay else {}
    if without_overlay or options.is_on(ROUTE_ADVERTISEMENTS):
        config["routeAdvertisements"] = "Enabled"
        spec["additionalRoutingCapabilities"] = {"providers": ["FRR"]}
    return {
        "apiVersion": f"{OPERATOR_NETWORK.group}/v1",
        "kind": OPERATOR_NETWORK.kind,
        "metadata": {"name": OPERATOR_NETWORK_NAME},
        "spec": spec,
    }


def _no_overlay(options: OvnkubeOptions) -> Iterator[tuple[str, Any]]:
    managed = options.value(ROUTING) == "managed"
    yield "transport", "NoOverlay"
    snat = "Enabled" if options.value(OUTBOUND_SNAT) == "enabled" else "Disabled"
    yield "noOverlayConfig", {"outboundSNAT": snat, "routing": "Managed" if managed else "Unmanaged"}
    if managed:
        yield "bgpManagedConfig", {"asNumber": RELEASED_DEFAULT_ASN, "bgpTopology": "FullMesh"}


def _subnets(text: str) -> Iterator[JsonObject]:
    for each in _listed(text):
        address, _, lengths = each.partition("/")
        length, _, host = lengths.partition("/")
        prefix = decimal(host, 1, _LONGEST_PREFIX)
        yield {"cidr": f"{address}/{length}", **({"hostPrefix": prefix} if prefix else {})}


def _listed(text: str) -> list[str]:
    return [each.strip() for each in text.split(",")[:MAX_ITEMS] if each.strip()]
