"""Which rules speak about which kind, in the order in which they speak: one file per rule, read when first needed.

A test keeps the table equal to the files of this folder.
"""

from collections.abc import Mapping
from typing import Final

from validators.network.view import (
    CUDN,
    NAD,
    OPERATOR_NETWORK,
    UDN,
    GroupKind,
)

_LAYER2: Final = ("join_room", "node_shares", "masquerade_room", "transit_valid", "transit_fixed", "transit_room")

FILES: Final[Mapping[GroupKind, tuple[str, ...]]] = {
    OPERATOR_NETWORK: (
        "default_network_subnets",
        "default_network_fixed",
        "reserved_asn",
        "reserved_asn_proposed",
        "routes_advertised",
        "join_room",
        "node_shares",
        "masquerade_room",
    ),
    CUDN: (
        "internal_subnets",
        "cluster_subnets",
        "transport_fixed",
        "managed_bgp",
        *_LAYER2,
        "gateway_addresses",
    ),
    UDN: (
        "internal_subnets",
        "cluster_subnets",
        *_LAYER2,
        "gateway_addresses",
    ),
    NAD: (
        "internal_subnets",
        "cluster_subnets",
        *_LAYER2,
        "gateway_addresses",
    ),
}

SUBJECTS: Final[Mapping[GroupKind, tuple[str, ...]]] = {}
"""How the names of the objects begin that rules are about, for kinds of which most objects are nothing to them."""
