"""Which rules speak about which kind, in the order in which they speak: one file per rule, read when first needed.

A test keeps the table equal to the files of this folder.
"""

from collections.abc import Mapping
from typing import Final

from validators.network.cluster_view import (
    CONFIG_DNS,
    CONFIG_INGRESS,
    CONFIG_MAP,
    CUDN,
    DAEMON_SET,
    DEPLOYMENT,
    EGRESS_IP,
    EGRESS_SERVICE,
    FRR_CONFIGURATION,
    INFRASTRUCTURE,
    INGRESS_CONTROLLER,
    INSTALL_CONFIG,
    NAD,
    NAMESPACE,
    NODE,
    OPERATOR_NETWORK,
    ROUTE_ADVERTISEMENTS,
    SERVICE,
    STATEFUL_SET,
    UDN,
    GroupKind,
)

# What is said about networks in no-overlay mode, whichever object declares them.
_NO_OVERLAY: Final = (
    "mtu_too_large",
    "routes_on_every_node",
    "fabric_asn",
    "mesh_size",
    "not_bare_metal",
    "single_node",
    "egress_ips_idle",
    "egress_services_idle",
    "multicast_off",
)
_LAYER2: Final = (
    "join_room",
    "node_shares",
    "masquerade_room",
    "transit_free",
    "transit_valid",
    "transit_fixed",
    "transit_room",
)

# What every network takes of ids, keys and names, and which namespaces it reaches.
_DECLARED: Final = (
    "too_many_declared",
    "network_ids_left",
    "tunnel_keys_left",
    "numbers_running_out",
    "keys_recorded",
    "numbers_held",
    "names_distinct",
)
_REACHED: Final = (
    "namespace_label",
    "second_primary",
    "second_primary_selected",
    "foreign_attachment",
    "foreign_attachment_selected",
    "platform_namespace",
    "platform_namespaces_selected",
    "running_pods",
    "one_node_a_zone",
    "central_databases",
    "ip_families",
    "mtu_default",
    "uplink_gateway",
    "host_overlap",
    "deletion_in_use",
)

_INTERCONNECT: Final = (
    "ic_operator_begins",
    "ic_release",
    "ic_keys_of_release",
    "ic_temporary",
    "ic_single_zone_nodes",
    "ic_single_zone_control_plane",
    "ic_second_phase",
    "ic_first_phase_skipped",
    "ic_skip_forgotten",
    "ic_fast_forward",
    "ic_deletion",
    "ic_ongoing_kept",
)
_ALLOCATION: Final = (
    "dynamic_segmentation",
    "dynamic_multi_network",
    "dynamic_interconnect",
    "dynamic_zones",
    "dynamic_grace_period",
    "dynamic_grace_alone",
    "dynamic_agreement",
    "dynamic_services",
    "dynamic_speakers_left",
)
_INSTALL_DNS: Final = (
    "install_internal_lb",
    "install_external_lb",
    "install_subnets",
    "install_same_lb",
    "install_unused_lb",
    "install_lb_name",
    "install_hosted_zone",
    "install_shared_address",
    "install_unused_address",
    "install_internal_address",
    "install_records_type",
)
_INFRASTRUCTURE_DNS: Final = (
    "dns_choice_kept",
    "dns_platform_kept",
    "dns_choice_later",
    "dns_internal_address",
    "dns_choice_with_zones",
    "dns_choice_deleted",
)

FILES: Final[Mapping[GroupKind, tuple[str, ...]]] = {
    OPERATOR_NETWORK: (
        "default_network_subnets",
        "default_network_fixed",
        "reserved_asn",
        "reserved_asn_proposed",
        "routes_advertised",
        "ipsec_default_network",
        "kept_for_networks",
        "changes_while_upgrading",
        "routes_of_default_network",
        "mtu_margin",
        *_NO_OVERLAY,
        "join_room",
        "node_shares",
        "masquerade_room",
    ),
    CUDN: (
        "internal_subnets",
        "cluster_subnets",
        "transport_fixed",
        "created_while_upgrading",
        "managed_bgp",
        "no_overlay_needs_bgp",
        "ipsec_user_network",
        "routes_of_user_network",
        "one_network_too_many",
        "shared_vrf_network",
        "unadvertised_network",
        *_NO_OVERLAY,
        *_LAYER2,
        "gateway_addresses",
        *_DECLARED,
        "vrf_name",
        "selector_readable",
        "selector_selects",
        *_REACHED,
    ),
    UDN: (
        "internal_subnets",
        "cluster_subnets",
        "mtu_too_large",
        *_LAYER2,
        "gateway_addresses",
        *_DECLARED,
        *_REACHED,
    ),
    NAD: (
        "internal_subnets",
        "cluster_subnets",
        "mtu_too_large",
        *_LAYER2,
        "gateway_addresses",
        *_DECLARED,
        "attachments_agree",
        "attachment_no_overlay_topology",
        "attachment_transport_fixed",
        "attachment_no_overlay_alone",
        "ipsec_user_network",
        *_REACHED,
    ),
    ROUTE_ADVERTISEMENTS: (
        "advertisement_auto_egress",
        "advertisement_networks",
        "too_many_networks",
        "shared_vrf_advertisement",
        "advertisement_no_networks",
        "advertisement_on_nodes",
        "advertisement_auto_vrfs",
        "routes_withdrawn",
    ),
    FRR_CONFIGURATION: (
        "frr_alone",
        "frr_merged",
        "frr_managed_asn",
        "frr_advice",
        "frr_withdrawn",
    ),
    EGRESS_IP: ("egress_ip_idle",),
    EGRESS_SERVICE: ("egress_service_idle",),
    NAMESPACE: (
        "multicast_namespace",
        "egress_ips_of_namespace",
        "egress_services_of_namespace",
        "namespace_primaries",
    ),
    NODE: (
        "topology_version_drained",
        "node_numbers_held",
        "zone_taken",
        "dynamic_zone_taken",
        "node_room",
        "mesh_node",
        "routes_on_new_node",
    ),
    CONFIG_MAP: (*_INTERCONNECT, *_ALLOCATION),
    DAEMON_SET: _ALLOCATION,
    DEPLOYMENT: _ALLOCATION,
    STATEFUL_SET: _ALLOCATION,
    CONFIG_DNS: ("dns_base_domain", "dns_zones_forbidden", "dns_zones_missing"),
    CONFIG_INGRESS: ("ingress_platform", "ingress_unread"),
    INFRASTRUCTURE: _INFRASTRUCTURE_DNS,
    INGRESS_CONTROLLER: ("ingress_platform", "ingress_unread"),
    INSTALL_CONFIG: _INSTALL_DNS,
    SERVICE: ("service_platform", "dynamic_speakers"),
}

NO_OVERLAY_ONLY: Final = frozenset(
    {
        *_NO_OVERLAY,
        "created_while_upgrading",
        "managed_bgp",
        "no_overlay_needs_bgp",
        "ipsec_user_network",
        "routes_of_user_network",
    }
) - {"mtu_too_large"}
"""Rules that are nothing to a ClusterUserDefinedNetwork with an overlay: most are that, and need not wait for them."""

LAYER2_ONLY: Final = frozenset(
    {
        "transit_free",
        "transit_valid",
        "transit_fixed",
        "transit_room",
        "gateway_addresses",
        "tunnel_keys_left",
        "one_node_a_zone",
        "central_databases",
    }
)
"""Rules that are nothing to a (C)UDN of another topology."""

SUBJECTS: Final[Mapping[GroupKind, tuple[str, ...]]] = {
    CONFIG_MAP: ("ovn-interconnect-configuration", "ovnkube"),
    DAEMON_SET: ("ovnkube",),
    DEPLOYMENT: ("ovnkube",),
    STATEFUL_SET: ("ovnkube",),
    # Services that are anything to rules are something to policies, too, which tell by their fields.
    SERVICE: (),
}
"""How the names of the objects begin that rules are about, for kinds of which most objects are nothing to them."""
