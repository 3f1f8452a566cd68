"""The modules of the rules, in the order in which rules report. Generated from the fields of the rules.

`make rules` regenerates it; new rules come last.
"""

from typing import Final, NamedTuple

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
from validators.network.model import Role, Routing, Topology, Transport

CREATE_OR_UPDATE: Final = frozenset({"CREATE", "UPDATE"})
OBJECT_ITSELF: Final = frozenset({""})
"""No subresource."""


class Entry(NamedTuple):
    """The id of a rule, its module, and the fields that decide whether to load it and to ask it."""

    id: str
    module: str
    kinds: tuple[GroupKind, ...]
    names: tuple[str, ...] = ()
    operations: frozenset[str] = CREATE_OR_UPDATE
    subresources: frozenset[str] = OBJECT_ITSELF
    transport: Transport | None = None
    routing: Routing | None = None
    topologies: tuple[Topology, ...] = ()
    role: Role | None = None
    own_network: bool = False


_NETWORKS: Final = (CUDN, UDN, NAD)
_OVNKUBE: Final = (CONFIG_MAP, DAEMON_SET, DEPLOYMENT, STATEFUL_SET)

RULES: Final = (
    Entry("OVNG-NET-003", "addresses.default_network_subnets", (OPERATOR_NETWORK,)),
    Entry("OVNG-NET-004", "no_overlay.default_network_immutable", (OPERATOR_NETWORK,)),
    Entry("OVNG-NET-007", "bgp.reserved_asn", (OPERATOR_NETWORK,)),
    Entry("OVNG-NET-008", "bgp.reserved_asn", (OPERATOR_NETWORK,)),
    Entry("OVNG-NET-009", "bgp.routes_advertised", (OPERATOR_NETWORK,)),
    Entry("OVNG-NET-013", "no_overlay.ipsec_default_network", (OPERATOR_NETWORK,), transport=Transport.NO_OVERLAY),
    Entry("OVNG-NET-016", "no_overlay.options_in_use", (OPERATOR_NETWORK,)),
    Entry("OVNG-NET-023", "no_overlay.changes_while_upgrading", (OPERATOR_NETWORK,)),
    Entry("OVNG-NET-019", "bgp.routes_of_default_network", (OPERATOR_NETWORK,), routing=Routing.UNMANAGED),
    Entry("OVNG-NET-018", "addresses.mtu_margin", (OPERATOR_NETWORK,), transport=Transport.GENEVE),
    Entry("OVNG-NET-001", "addresses.internal_subnets", _NETWORKS, topologies=(Topology.LAYER2, Topology.LAYER3)),
    Entry("OVNG-NET-002", "addresses.cluster_subnets", _NETWORKS, topologies=(Topology.LAYER2, Topology.LAYER3)),
    Entry("OVNG-NET-005", "no_overlay.transport_immutable", (CUDN,), operations=frozenset({"UPDATE"})),
    Entry(
        "OVNG-NET-056",
        "no_overlay.created_while_upgrading",
        (CUDN,),
        operations=frozenset({"CREATE"}),
        transport=Transport.NO_OVERLAY,
    ),
    Entry("OVNG-NET-006", "bgp.managed_bgp", (CUDN,), routing=Routing.MANAGED, own_network=True),
    Entry("OVNG-NET-015", "bgp.no_overlay_needs_bgp", (CUDN,), transport=Transport.NO_OVERLAY),
    Entry("OVNG-NET-014", "no_overlay.ipsec_user_network", (CUDN, NAD), transport=Transport.NO_OVERLAY),
    Entry("OVNG-NET-020", "bgp.routes_of_user_network", (CUDN,), routing=Routing.UNMANAGED),
    Entry("OVNG-NET-043", "bgp.advertised_network_limit", (CUDN,), role=Role.PRIMARY),
    Entry("OVNG-NET-044", "bgp.shared_vrf", (CUDN,), role=Role.PRIMARY),
    Entry("OVNG-NET-047", "bgp.unadvertised_network", (CUDN,)),
    Entry(
        "OVNG-NET-017",
        "addresses.mtu_too_large",
        (OPERATOR_NETWORK, CUDN, UDN, NAD),
        topologies=(Topology.LAYER2, Topology.LAYER3),
    ),
    Entry("OVNG-NET-021", "bgp.routes_on_every_node", (OPERATOR_NETWORK, CUDN), routing=Routing.UNMANAGED),
    Entry("OVNG-NET-035", "bgp.fabric_asn", (OPERATOR_NETWORK, CUDN)),
    Entry("OVNG-NET-046", "bgp.mesh_size", (OPERATOR_NETWORK, CUDN)),
    Entry("OVNG-NET-024", "no_overlay.not_bare_metal", (OPERATOR_NETWORK, CUDN), transport=Transport.NO_OVERLAY),
    Entry("OVNG-NET-025", "no_overlay.single_node", (OPERATOR_NETWORK, CUDN), transport=Transport.NO_OVERLAY),
    Entry("OVNG-NET-026", "no_overlay.egress_ip_no_effect", (OPERATOR_NETWORK, CUDN), transport=Transport.NO_OVERLAY),
    Entry(
        "OVNG-NET-028", "no_overlay.egress_service_no_effect", (OPERATOR_NETWORK, CUDN), transport=Transport.NO_OVERLAY
    ),
    Entry("OVNG-NET-030", "no_overlay.multicast", (OPERATOR_NETWORK, CUDN), transport=Transport.NO_OVERLAY),
    Entry(
        "OVNG-NET-010",
        "addresses.join_subnet_capacity",
        (OPERATOR_NETWORK, CUDN, UDN, NAD),
        topologies=(Topology.LAYER2, Topology.LAYER3),
        role=Role.PRIMARY,
    ),
    Entry(
        "OVNG-NET-011",
        "addresses.node_subnet_capacity",
        (OPERATOR_NETWORK, CUDN, UDN, NAD),
        topologies=(Topology.LAYER3,),
    ),
    Entry(
        "OVNG-NET-012",
        "addresses.masquerade_subnet_capacity",
        (OPERATOR_NETWORK, CUDN, UDN, NAD),
        topologies=(Topology.LAYER2, Topology.LAYER3),
        role=Role.PRIMARY,
    ),
    Entry("OVNG-L2-005", "layer2.transit_subnet_conflict", _NETWORKS, topologies=(Topology.LAYER2,), role=Role.PRIMARY),
    Entry("OVNG-L2-001", "layer2.transit_subnet_valid", _NETWORKS, topologies=(Topology.LAYER2,), role=Role.PRIMARY),
    Entry(
        "OVNG-L2-002", "layer2.transit_subnet_immutable", _NETWORKS, topologies=(Topology.LAYER2,), role=Role.PRIMARY
    ),
    Entry("OVNG-L2-003", "layer2.transit_subnet_capacity", _NETWORKS, topologies=(Topology.LAYER2,), role=Role.PRIMARY),
    Entry("OVNG-L2-004", "layer2.gateway_addresses", _NETWORKS, topologies=(Topology.LAYER2,), role=Role.PRIMARY),
    Entry("OVNG-L2-035", "identity.declared_network_limit", _NETWORKS, own_network=True),
    Entry("OVNG-L2-006", "identity.network_ids_exhausted", _NETWORKS, own_network=True),
    Entry(
        "OVNG-L2-007",
        "identity.network_ids_exhausted",
        _NETWORKS,
        topologies=(Topology.LAYER2,),
        role=Role.PRIMARY,
        own_network=True,
    ),
    Entry("OVNG-L2-008", "identity.network_ids_exhausted", _NETWORKS, own_network=True),
    Entry("OVNG-L2-009", "identity.recorded_keys_valid", _NETWORKS),
    Entry("OVNG-L2-010", "identity.network_ids_unique", _NETWORKS),
    Entry("OVNG-L2-011", "identity.network_names_unique", _NETWORKS, own_network=True),
    Entry("OVNG-L2-012", "identity.vrf_name", (CUDN,), role=Role.PRIMARY, own_network=True),
    Entry("OVNG-L2-019", "identity.selector_readable", (CUDN,)),
    Entry("OVNG-L2-020", "identity.selector_selects", (CUDN,)),
    Entry("OVNG-L2-013", "identity.attachments_agree", (NAD,), own_network=True),
    Entry("OVNG-NET-049", "no_overlay.attachment_no_overlay_topology", (NAD,), transport=Transport.NO_OVERLAY),
    Entry("OVNG-NET-050", "no_overlay.attachment_transport_immutable", (NAD,)),
    Entry("OVNG-NET-051", "no_overlay.attachment_no_overlay_undeclared", (NAD,)),
    Entry("OVNG-L2-014", "identity.namespace_label", _NETWORKS, role=Role.PRIMARY, own_network=True),
    Entry("OVNG-L2-015", "identity.second_primary", _NETWORKS, role=Role.PRIMARY, own_network=True),
    Entry("OVNG-L2-016", "identity.second_primary", _NETWORKS, role=Role.PRIMARY, own_network=True),
    Entry("OVNG-L2-017", "identity.foreign_attachment", (UDN, NAD), own_network=True),
    Entry("OVNG-L2-018", "identity.foreign_attachment", (CUDN,), own_network=True),
    Entry("OVNG-L2-021", "identity.platform_namespace", (UDN, NAD), role=Role.PRIMARY, own_network=True),
    Entry("OVNG-L2-022", "identity.platform_namespace", (CUDN,), role=Role.PRIMARY, own_network=True),
    Entry("OVNG-L2-023", "identity.running_pods", _NETWORKS, role=Role.PRIMARY, own_network=True),
    Entry(
        "OVNG-L2-026",
        "layer2.one_node_per_zone",
        _NETWORKS,
        topologies=(Topology.LAYER2,),
        role=Role.PRIMARY,
        own_network=True,
    ),
    Entry(
        "OVNG-L2-036",
        "layer2.central_databases",
        _NETWORKS,
        topologies=(Topology.LAYER2,),
        role=Role.PRIMARY,
        own_network=True,
    ),
    Entry("OVNG-L2-029", "addresses.ip_families", _NETWORKS, role=Role.PRIMARY, own_network=True),
    Entry(
        "OVNG-L2-030",
        "addresses.mtu_default",
        _NETWORKS,
        transport=Transport.GENEVE,
        topologies=(Topology.LAYER2, Topology.LAYER3),
        own_network=True,
    ),
    Entry("OVNG-L2-031", "layer2.uplink_gateway", _NETWORKS, own_network=True),
    Entry("OVNG-L2-032", "addresses.host_overlap", _NETWORKS, role=Role.PRIMARY, own_network=True),
    Entry("OVNG-L2-033", "identity.deletion_in_use", _NETWORKS, operations=frozenset({"DELETE"})),
    Entry("OVNG-NET-037", "bgp.advertisement_auto_egress", (ROUTE_ADVERTISEMENTS,)),
    Entry("OVNG-NET-038", "bgp.advertisement_networks", (ROUTE_ADVERTISEMENTS,)),
    Entry("OVNG-NET-042", "bgp.advertised_network_limit", (ROUTE_ADVERTISEMENTS,)),
    Entry("OVNG-NET-045", "bgp.shared_vrf", (ROUTE_ADVERTISEMENTS,)),
    Entry("OVNG-NET-039", "bgp.advertisement_no_networks", (ROUTE_ADVERTISEMENTS,)),
    Entry("OVNG-NET-040", "bgp.advertisement_on_nodes", (ROUTE_ADVERTISEMENTS,)),
    Entry("OVNG-NET-041", "bgp.advertisement_auto_vrfs", (ROUTE_ADVERTISEMENTS,)),
    Entry(
        "OVNG-NET-022",
        "bgp.last_advertisement_deleted",
        (ROUTE_ADVERTISEMENTS,),
        operations=frozenset({"DELETE", "UPDATE"}),
    ),
    Entry("OVNG-NET-032", "bgp.frr_configuration_valid", (FRR_CONFIGURATION,)),
    Entry("OVNG-NET-033", "bgp.frr_merge_conflict", (FRR_CONFIGURATION,)),
    Entry("OVNG-NET-034", "bgp.frr_managed_asn", (FRR_CONFIGURATION,)),
    Entry("OVNG-NET-036", "bgp.frr_best_practice", (FRR_CONFIGURATION,)),
    Entry(
        "OVNG-NET-048", "bgp.frr_sessions_withdrawn", (FRR_CONFIGURATION,), operations=frozenset({"DELETE", "UPDATE"})
    ),
    Entry("OVNG-NET-027", "no_overlay.egress_ip_no_effect", (EGRESS_IP,)),
    Entry("OVNG-NET-029", "no_overlay.egress_service_no_effect", (EGRESS_SERVICE,)),
    Entry("OVNG-NET-031", "no_overlay.multicast", (NAMESPACE,)),
    Entry("OVNG-NET-054", "no_overlay.egress_ip_no_effect", (NAMESPACE,)),
    Entry("OVNG-NET-055", "no_overlay.egress_service_no_effect", (NAMESPACE,)),
    Entry("OVNG-L2-034", "identity.namespace_primaries", (NAMESPACE,)),
    Entry("OVNG-L2-024", "layer2.topology_version_drained", (NODE,), subresources=frozenset({"", "status"})),
    Entry("OVNG-L2-025", "identity.node_ids_unique", (NODE,), subresources=frozenset({"", "status"})),
    Entry("OVNG-L2-027", "layer2.zone_conflict", (NODE,), subresources=frozenset({"", "status"})),
    Entry("OVNG-DYN-010", "layer2.zone_conflict", (NODE,), subresources=frozenset({"", "status"})),
    Entry("OVNG-L2-028", "addresses.node_capacity", (NODE,), operations=frozenset({"CREATE"})),
    Entry("OVNG-NET-052", "bgp.mesh_size", (NODE,), operations=frozenset({"CREATE"})),
    Entry("OVNG-NET-053", "bgp.routes_on_new_node", (NODE,), operations=frozenset({"CREATE"})),
    Entry("OVNG-IC-001", "interconnect.operator_begins", (CONFIG_MAP,), names=("ovn-interconnect-configuration",)),
    Entry("OVNG-IC-002", "interconnect.upgrade_release", (CONFIG_MAP,), names=("ovn-interconnect-configuration",)),
    Entry("OVNG-IC-003", "interconnect.keys_of_release", (CONFIG_MAP,), names=("ovn-interconnect-configuration",)),
    Entry(
        "OVNG-IC-004", "interconnect.temporary_configuration", (CONFIG_MAP,), names=("ovn-interconnect-configuration",)
    ),
    Entry("OVNG-IC-005", "interconnect.single_zone_nodes", (CONFIG_MAP,), names=("ovn-interconnect-configuration",)),
    Entry(
        "OVNG-IC-006",
        "interconnect.single_zone_control_plane",
        (CONFIG_MAP,),
        names=("ovn-interconnect-configuration",),
    ),
    Entry("OVNG-IC-007", "interconnect.second_phase", (CONFIG_MAP,), names=("ovn-interconnect-configuration",)),
    Entry("OVNG-IC-008", "interconnect.first_phase_skipped", (CONFIG_MAP,), names=("ovn-interconnect-configuration",)),
    Entry("OVNG-IC-009", "interconnect.first_phase_skipped", (CONFIG_MAP,), names=("ovn-interconnect-configuration",)),
    Entry("OVNG-IC-010", "interconnect.fast_forward", (CONFIG_MAP,), names=("ovn-interconnect-configuration",)),
    Entry(
        "OVNG-IC-011",
        "interconnect.configuration_deleted",
        (CONFIG_MAP,),
        names=("ovn-interconnect-configuration",),
        operations=frozenset({"DELETE"}),
    ),
    Entry("OVNG-IC-012", "interconnect.ongoing_upgrade_kept", (CONFIG_MAP,), names=("ovn-interconnect-configuration",)),
    Entry("OVNG-DYN-001", "dynamic.dynamic_segmentation", _OVNKUBE, names=("ovnkube",)),
    Entry("OVNG-DYN-002", "dynamic.dynamic_multi_network", _OVNKUBE, names=("ovnkube",)),
    Entry("OVNG-DYN-003", "dynamic.dynamic_interconnect", _OVNKUBE, names=("ovnkube",)),
    Entry("OVNG-DYN-004", "dynamic.dynamic_zones", _OVNKUBE, names=("ovnkube",)),
    Entry("OVNG-DYN-005", "dynamic.dynamic_grace_period", _OVNKUBE, names=("ovnkube",)),
    Entry("OVNG-DYN-006", "dynamic.dynamic_grace_without_allocation", _OVNKUBE, names=("ovnkube",)),
    Entry("OVNG-DYN-007", "dynamic.dynamic_agreement", _OVNKUBE, names=("ovnkube",)),
    Entry("OVNG-DYN-008", "dynamic.dynamic_services", _OVNKUBE, names=("ovnkube",)),
    Entry("OVNG-DYN-011", "dynamic.dynamic_speakers", _OVNKUBE, names=("ovnkube",)),
    Entry("OVNG-DNS-022", "dns.base_domain", (CONFIG_DNS,)),
    Entry("OVNG-DNS-016", "dns.zones_forbidden", (CONFIG_DNS,)),
    Entry("OVNG-DNS-017", "dns.zones_missing", (CONFIG_DNS,)),
    Entry("OVNG-DNS-019", "dns.ingress_platform", (CONFIG_INGRESS, INGRESS_CONTROLLER)),
    Entry("OVNG-DNS-020", "dns.ingress_parameters_ignored", (CONFIG_INGRESS, INGRESS_CONTROLLER)),
    Entry("OVNG-DNS-012", "dns.user_dns_immutable", (INFRASTRUCTURE,), subresources=frozenset({"", "status"})),
    Entry("OVNG-DNS-013", "dns.platform_immutable", (INFRASTRUCTURE,), subresources=frozenset({"", "status"})),
    Entry("OVNG-DNS-014", "dns.user_dns_added_later", (INFRASTRUCTURE,), subresources=frozenset({"", "status"})),
    Entry("OVNG-DNS-015", "dns.internal_address_missing", (INFRASTRUCTURE,), subresources=frozenset({"", "status"})),
    Entry("OVNG-DNS-018", "dns.user_dns_with_zones", (INFRASTRUCTURE,), subresources=frozenset({"", "status"})),
    Entry("OVNG-DNS-023", "dns.user_dns_deleted", (INFRASTRUCTURE,), operations=frozenset({"DELETE"})),
    Entry("OVNG-DNS-001", "install_config.internal_lb", (INSTALL_CONFIG,)),
    Entry("OVNG-DNS-002", "install_config.external_lb", (INSTALL_CONFIG,)),
    Entry("OVNG-DNS-003", "install_config.lb_subnets", (INSTALL_CONFIG,)),
    Entry("OVNG-DNS-004", "install_config.same_lb", (INSTALL_CONFIG,)),
    Entry("OVNG-DNS-005", "install_config.unused_lb", (INSTALL_CONFIG,)),
    Entry("OVNG-DNS-006", "install_config.lb_name", (INSTALL_CONFIG,)),
    Entry("OVNG-DNS-007", "install_config.hosted_zone", (INSTALL_CONFIG,)),
    Entry("OVNG-DNS-008", "install_config.shared_address", (INSTALL_CONFIG,)),
    Entry("OVNG-DNS-009", "install_config.unused_address", (INSTALL_CONFIG,)),
    Entry("OVNG-DNS-010", "install_config.internal_address", (INSTALL_CONFIG,)),
    Entry("OVNG-DNS-011", "install_config.records_type", (INSTALL_CONFIG,)),
    Entry("OVNG-DNS-021", "dns.service_platform", (SERVICE,)),
    Entry("OVNG-DYN-009", "dynamic.dynamic_speakers", (SERVICE,)),
    Entry("OVNG-L2-037", "identity.attachment_owner", (NAD,)),
    Entry("OVNG-L2-038", "identity.attachment_key_spelling", (NAD,)),
    Entry("OVNG-L2-039", "identity.attachment_without_topology", (NAD,)),
    Entry(
        "OVNG-L2-040",
        "addresses.ipv6_reservations",
        _NETWORKS,
        topologies=(Topology.LAYER2, Topology.LOCALNET),
        own_network=True,
    ),
    Entry("OVNG-L2-041", "layer2.preconfigured_addresses", _NETWORKS, topologies=(Topology.LAYER2,), own_network=True),
    Entry(
        "OVNG-L2-042",
        "layer2.infrastructure_families",
        _NETWORKS,
        topologies=(Topology.LAYER2,),
        role=Role.PRIMARY,
        own_network=True,
    ),
    Entry("OVNG-NET-060", "identity.operator_network_name", (OPERATOR_NETWORK,)),
    Entry("OVNG-NET-061", "addresses.egress_ip_addresses", (EGRESS_IP,)),
    Entry("OVNG-NET-062", "identity.egress_service_primary", (EGRESS_SERVICE,)),
    Entry("OVNG-NET-063", "identity.egress_service_primary", _NETWORKS, role=Role.PRIMARY, own_network=True),
)
