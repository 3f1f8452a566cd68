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
    "addresses.mtu_too_large",
    "bgp.routes_on_every_node",
    "bgp.fabric_asn",
    "bgp.mesh_size",
    "no_overlay.not_bare_metal",
    "no_overlay.single_node",
    "no_overlay.egress_ips_no_effect",
    "no_overlay.egress_services_no_effect",
    "no_overlay.multicast_off",
)
_LAYER2: Final = (
    "addresses.join_subnet_capacity",
    "addresses.node_subnet_capacity",
    "addresses.masquerade_subnet_capacity",
    "layer2.transit_subnet_conflict",
    "layer2.transit_subnet_valid",
    "layer2.transit_subnet_immutable",
    "layer2.transit_subnet_capacity",
)

# What every network takes of ids, keys and names, and which namespaces it reaches.
_DECLARED: Final = (
    "identity.declared_network_limit",
    "identity.network_ids_exhausted",
    "identity.tunnel_keys_exhausted",
    "identity.network_ids_nearly_exhausted",
    "identity.recorded_keys_valid",
    "identity.network_ids_unique",
    "identity.network_names_unique",
)
_REACHED: Final = (
    "identity.namespace_label",
    "identity.second_primary",
    "identity.second_primary_selected",
    "identity.foreign_attachment",
    "identity.foreign_attachment_selected",
    "identity.platform_namespace",
    "identity.platform_namespaces_selected",
    "identity.running_pods",
    "layer2.one_node_per_zone",
    "layer2.central_databases",
    "addresses.ip_families",
    "addresses.mtu_default",
    "layer2.uplink_gateway",
    "addresses.host_overlap",
    "identity.deletion_in_use",
)

_INTERCONNECT: Final = (
    "interconnect.ic_operator_begins",
    "interconnect.ic_release",
    "interconnect.ic_keys_of_release",
    "interconnect.ic_temporary",
    "interconnect.ic_single_zone_nodes",
    "interconnect.ic_single_zone_control_plane",
    "interconnect.ic_second_phase",
    "interconnect.ic_first_phase_skipped",
    "interconnect.ic_skip_left_behind",
    "interconnect.ic_fast_forward",
    "interconnect.ic_deletion",
    "interconnect.ic_ongoing_upgrade_kept",
)
_ALLOCATION: Final = (
    "dynamic.dynamic_segmentation",
    "dynamic.dynamic_multi_network",
    "dynamic.dynamic_interconnect",
    "dynamic.dynamic_zones",
    "dynamic.dynamic_grace_period",
    "dynamic.dynamic_grace_without_allocation",
    "dynamic.dynamic_agreement",
    "dynamic.dynamic_services",
    "dynamic.dynamic_speakers_exhausted",
)
_INSTALL_DNS: Final = (
    "install_config.install_internal_lb",
    "install_config.install_external_lb",
    "install_config.install_subnets",
    "install_config.install_same_lb",
    "install_config.install_unused_lb",
    "install_config.install_lb_name",
    "install_config.install_hosted_zone",
    "install_config.install_shared_address",
    "install_config.install_unused_address",
    "install_config.install_internal_address",
    "install_config.install_records_type",
)
_INFRASTRUCTURE_DNS: Final = (
    "dns.user_dns_immutable",
    "dns.dns_platform_immutable",
    "dns.user_dns_added_later",
    "dns.dns_internal_address",
    "dns.user_dns_with_zones",
    "dns.user_dns_deleted",
)

FILES: Final[Mapping[GroupKind, tuple[str, ...]]] = {
    OPERATOR_NETWORK: (
        "addresses.default_network_subnets",
        "no_overlay.default_network_immutable",
        "bgp.reserved_asn",
        "bgp.reserved_asn_proposed",
        "bgp.routes_advertised",
        "no_overlay.ipsec_default_network",
        "no_overlay.options_in_use",
        "no_overlay.changes_while_upgrading",
        "bgp.routes_of_default_network",
        "addresses.mtu_margin",
        *_NO_OVERLAY,
        "addresses.join_subnet_capacity",
        "addresses.node_subnet_capacity",
        "addresses.masquerade_subnet_capacity",
    ),
    CUDN: (
        "addresses.internal_subnets",
        "addresses.cluster_subnets",
        "no_overlay.transport_immutable",
        "no_overlay.created_while_upgrading",
        "bgp.managed_bgp",
        "bgp.no_overlay_needs_bgp",
        "no_overlay.ipsec_user_network",
        "bgp.routes_of_user_network",
        "bgp.advertised_network_limit_reached",
        "bgp.shared_vrf_network",
        "bgp.unadvertised_network",
        *_NO_OVERLAY,
        *_LAYER2,
        "layer2.gateway_addresses",
        *_DECLARED,
        "identity.vrf_name",
        "identity.selector_readable",
        "identity.selector_selects",
        *_REACHED,
    ),
    UDN: (
        "addresses.internal_subnets",
        "addresses.cluster_subnets",
        "addresses.mtu_too_large",
        *_LAYER2,
        "layer2.gateway_addresses",
        *_DECLARED,
        *_REACHED,
    ),
    NAD: (
        "addresses.internal_subnets",
        "addresses.cluster_subnets",
        "addresses.mtu_too_large",
        *_LAYER2,
        "layer2.gateway_addresses",
        *_DECLARED,
        "identity.attachments_agree",
        "no_overlay.attachment_no_overlay_topology",
        "no_overlay.attachment_transport_immutable",
        "no_overlay.attachment_no_overlay_undeclared",
        "no_overlay.ipsec_user_network",
        *_REACHED,
    ),
    ROUTE_ADVERTISEMENTS: (
        "bgp.advertisement_auto_egress",
        "bgp.advertisement_networks",
        "bgp.advertised_network_limit",
        "bgp.shared_vrf_advertisement",
        "bgp.advertisement_no_networks",
        "bgp.advertisement_on_nodes",
        "bgp.advertisement_auto_vrfs",
        "bgp.last_advertisement_deleted",
    ),
    FRR_CONFIGURATION: (
        "bgp.frr_configuration_valid",
        "bgp.frr_merge_conflict",
        "bgp.frr_managed_asn",
        "bgp.frr_best_practice",
        "bgp.frr_sessions_withdrawn",
    ),
    EGRESS_IP: ("no_overlay.egress_ip_no_effect",),
    EGRESS_SERVICE: ("no_overlay.egress_service_no_effect",),
    NAMESPACE: (
        "no_overlay.multicast_namespace",
        "no_overlay.egress_ips_of_namespace",
        "no_overlay.egress_services_of_namespace",
        "identity.namespace_primaries",
    ),
    NODE: (
        "layer2.topology_version_drained",
        "identity.node_ids_unique",
        "layer2.zone_conflict",
        "dynamic.dynamic_zone_conflict",
        "addresses.node_capacity",
        "bgp.mesh_node",
        "bgp.routes_on_new_node",
    ),
    CONFIG_MAP: (*_INTERCONNECT, *_ALLOCATION),
    DAEMON_SET: _ALLOCATION,
    DEPLOYMENT: _ALLOCATION,
    STATEFUL_SET: _ALLOCATION,
    CONFIG_DNS: ("dns.dns_base_domain", "dns.dns_zones_forbidden", "dns.dns_zones_missing"),
    CONFIG_INGRESS: ("dns.ingress_platform", "dns.ingress_parameters_ignored"),
    INFRASTRUCTURE: _INFRASTRUCTURE_DNS,
    INGRESS_CONTROLLER: ("dns.ingress_platform", "dns.ingress_parameters_ignored"),
    INSTALL_CONFIG: _INSTALL_DNS,
    SERVICE: ("dns.service_platform", "dynamic.dynamic_speakers"),
}

NO_OVERLAY_ONLY: Final = frozenset(
    {
        *_NO_OVERLAY,
        "no_overlay.created_while_upgrading",
        "bgp.managed_bgp",
        "bgp.no_overlay_needs_bgp",
        "no_overlay.ipsec_user_network",
        "bgp.routes_of_user_network",
    }
) - {"addresses.mtu_too_large"}
"""Rules that are nothing to a ClusterUserDefinedNetwork with an overlay: most are that, and need not wait for them."""

LAYER2_ONLY: Final = frozenset(
    {
        "layer2.transit_subnet_conflict",
        "layer2.transit_subnet_valid",
        "layer2.transit_subnet_immutable",
        "layer2.transit_subnet_capacity",
        "layer2.gateway_addresses",
        "identity.tunnel_keys_exhausted",
        "layer2.one_node_per_zone",
        "layer2.central_databases",
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
