"""Constant values of the rows of `reconciler/plan/topology`, and where they come from.

Sources are constants, functions and files of ovn-kubernetes, with paths below ``go-controller/pkg``, and enhancements.
The manual ovn-nb(5) describes the columns.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache
from ipaddress import ip_address, ip_network
from typing import Final, NamedTuple

from ovnguard.reconciler.plan.planner import Plan, make_plan
from ovnguard.reconciler.plan.rows.model import Lease
from ovnguard.reconciler.plan.rows.row import Column, Ref, Row
from tests.support.plan_samples import LAYER3_DUAL, SERVICES, layer3, nodes, pod, sharing
from tests.support.plan_scenarios import LAYER2, SCENARIOS

_ROUTED = layer3("cluster_udn_blue", *LAYER3_DUAL)
_MACHINE = pod(
    LAYER2,
    "a",
    "node1",
    "203.203.0.11",
    key=11,
    machine="vm",
    lease=Lease((ip_network("203.203.0.0/16"), ip_network("2010:100:200::/60")), ip_address("203.203.0.1")),
)


def _advertised() -> Plan:
    subnets = tuple(subnet.cidr for subnet in _ROUTED.subnets)
    settings = replace(SERVICES, advertises=True, advertised={_ROUTED.name: subnets}, ip_versions=(4, 6))
    return make_plan([_ROUTED], sharing(nodes(2, v6=True), _ROUTED), settings)


def _machine() -> Plan:
    return make_plan([LAYER2], nodes(2, v6=True), SERVICES, pods={LAYER2.name: (_MACHINE,)})


def _multicast() -> Plan:
    return make_plan([_ROUTED], sharing(nodes(2, v6=True), _ROUTED), replace(SERVICES, multicast=True))


_PLANS: Final[Mapping[str, Callable[[], Plan]]] = {
    "advertised": _advertised,
    "machine": _machine,
    "multicast": _multicast,
}
LAYER2_EGRESS: Final = "layer2-egress"
LAYER2_LOCAL: Final = "layer2-upgraded-among-others"
LAYER3_LOCAL: Final = "layer3-dual-local"
DEFAULT: Final = "default-overlay-ipv4-shared"
_GATEWAY: Final = "ovn/gateway.go"
_CONSTANTS: Final = "types/const.go"
_INTERCONNECT: Final = "ovn/zone_interconnect/zone_ic_handler.go"
_DHCP: Final = "kubevirt/dhcp.go"
_BASE: Final = "ovn/base_network_controller.go"
_MULTICAST: Final = "ovn/base_network_controller_multicast.go"


class RowValue(NamedTuple):
    """A column that has ``value`` in the rows of ``table`` whose name, match or address fits the pattern ``rows``.

    ``column`` is ``NAME``, ``NAME:KEY`` for a key of a map, or ``NAME>COLUMN`` for a column of the rows referred to.
    ``scenario`` is the planned cluster that has such rows, ``source`` where the value comes from, ``why`` its meaning.
    """

    table: str
    rows: str
    column: str
    value: Column
    scenario: str
    source: str
    why: str

    @property
    def name(self) -> str:
        """The row of this table, for tests and pages."""
        return f"{self.table} {self.rows} {self.column}"


VALUES: Final = (
    # gateway routers
    RowValue(
        *("Logical_Router", "GR_*", "options:mac_binding_age_threshold", "300", LAYER2_EGRESS),
        f"GRMACBindingAgeThreshold in {_CONSTANTS}, used by {_GATEWAY}",
        "a gateway router forgets the MAC of a neighbour after 300 seconds, and asks again",
    ),
    RowValue(
        *("Logical_Router", "GR_*", "options:always_learn_from_arp_request", "false", LAYER2_EGRESS),
        _GATEWAY,
        "an ARP request only updates what the router knows, unless it asks for the router's own address",
    ),
    RowValue(
        *("Logical_Router", "GR_*", "options:dynamic_neigh_routers", "false", LAYER2_EGRESS),
        _GATEWAY,
        "northd fills in the MACs of connected routers, so the router need not ask for them",
    ),
    RowValue(
        *("Logical_Router", "GR_*", "options:chassis", "chassis-1", LAYER2_EGRESS),
        f"{_GATEWAY}, from the node's annotation k8s.ovn.org/node-chassis-id",
        "a gateway router is bound to its node",
    ),
    RowValue(
        *("Logical_Router", "GR_*", "options:disable_garp_rarp", "true", LAYER2_EGRESS),
        f"{_GATEWAY}, user-defined networks only",
        "gateway routers of user-defined networks announce no addresses by gratuitous ARP",
    ),
    RowValue(
        *("Logical_Router", "GR_node1", "options:snat-ct-zone", "0", DEFAULT),
        f"{_GATEWAY}, the default network only",
        "the default network shares the connection tracking zone of the host",
    ),
    RowValue(
        *("Logical_Router", "GR_node1", "options:lb_force_snat_ip", "router_ip", DEFAULT),
        f"{_GATEWAY}, Layer3 networks",
        "load-balanced traffic gets the address of the port that it leaves by",
    ),
    RowValue(
        *("Logical_Router", "GR_*", "options:lb_force_snat_ip", "100.65.0.2 fd99::2", LAYER2_EGRESS),
        f"{_GATEWAY}, Layer2 networks: the join addresses of the gateway router",
        "the port has join and transit addresses, so router_ip would be ambiguous",
    ),
    RowValue(
        *("Logical_Router_Port", "rtotr-GR_*", "options:gateway_mtu", "1400", LAYER2_EGRESS),
        f"createGWRouterPort in {_GATEWAY}: config.Default.MTU",
        "packets towards a gateway router have at most the MTU of the default network, not that of their own",
    ),
    RowValue(
        *("Logical_Router_Port", "rtoe-GR_*", "external_ids:gateway-physical-ip", "yes", DEFAULT),
        f"{_GATEWAY}, the default network only",
        "marks the port that has the node's own address",
    ),
    RowValue(
        *("Logical_Router_Static_Route", "169.254.0.0/17", "nexthop", "169.254.0.4", LAYER2_EGRESS),
        f"updateGWRouterStaticRoutes in {_GATEWAY}: the dummy next hop, base of the masquerade subnet + 4",
        "replies to the host behind the masquerade subnet leave by the node's bridge",
    ),
    RowValue(
        *("Static_MAC_Binding", "169.254.0.?", "override_dynamic_mac", True, LAYER2_EGRESS),
        _GATEWAY,
        "no host answers for these masquerade addresses, so nothing learned may replace the MAC",
    ),
    RowValue(
        *("Logical_Switch_Port", "breth0_*", "options:network_name", "physnet", LAYER2_EGRESS),
        f"PhysicalNetworkName in {_CONSTANTS}, used by addExternalSwitch in {_GATEWAY}",
        "ovnkube-node maps this name to the node's bridge",
    ),
    RowValue(
        *("Logical_Switch_Port", "breth0_*", "type", "localnet", LAYER2_EGRESS),
        f"addExternalSwitch in {_GATEWAY}",
        "the external switch continues on the node's bridge",
    ),
    RowValue(
        *("Logical_Switch_Port", "breth0_*", "addresses", ("unknown",), LAYER2_EGRESS),
        f"addExternalSwitch in {_GATEWAY}",
        "packets for unknown MACs go to the bridge",
    ),
    RowValue(
        *("Logical_Switch_Port", "etor-GR_*", "options:nat-addresses", "router", DEFAULT),
        f"addExternalSwitch in {_GATEWAY}, the default network only",
        "the router announces an egress address that moves here",
    ),
    RowValue(
        *("Logical_Switch_Port", "etor-GR_*", "options:exclude-lb-vips-from-garp", "true", DEFAULT),
        f"addExternalSwitch in {_GATEWAY}, the default network only",
        "announcements of all load balancers would be too many",
    ),
    # cluster routers and transit routers
    RowValue(
        *("Logical_Router", "ovn_cluster_router", "options:always_learn_from_arp_request", "false", DEFAULT),
        "ovn/master.go",
        "as on gateway routers",
    ),
    RowValue(
        *("Logical_Router", "*_ovn_cluster_router", "options:ct-commit-all", "true", LAYER3_LOCAL),
        "the controllers of user-defined networks, local gateway mode",
        "the router commits all connections to connection tracking",
    ),
    RowValue(
        *("Logical_Router", "*_transit_router", "options:ct-commit-all", "true", LAYER2_LOCAL),
        "the controllers of user-defined networks, local gateway mode",
        "the router commits all connections to connection tracking",
    ),
    RowValue(
        *("Logical_Router", "*_transit_router", "external_ids:k8s-cluster-router", "yes", LAYER2_EGRESS),
        "the controller of Layer2 networks",
        "other controllers find the routers of pods by this key",
    ),
    RowValue(
        *("Logical_Router", "ovn_cluster_router", "external_ids:k8s-cluster-router", "yes", DEFAULT),
        "ovn/master.go",
        "other controllers find the routers of pods by this key",
    ),
    RowValue(
        *("Logical_Router_Port", "trtos-*", "options:requested-tnl-key", "1", LAYER2_EGRESS),
        "OKEP-5094, 'Transit router specifics'; keys 1 to 9 are kept for local ports",
        "ports of a transit router have the same key in every zone",
    ),
    RowValue(
        *("Logical_Router_Port", "trtor-GR_*_node2", "options:requested-chassis", "chassis-2", LAYER2_EGRESS),
        "OKEP-5094, 'Transit router specifics'; the annotation k8s.ovn.org/node-chassis-id of the other node",
        "a port that names a remote chassis makes the router a transit router",
    ),
    RowValue(
        *("Gateway_Chassis", "trtos-*", "priority", 1, LAYER2_EGRESS),
        "ovn/base_network_controller.go",
        "the port is a distributed gateway port bound to this node, so that source NAT works; it has no second chassis",
    ),
    RowValue(
        *("Gateway_Chassis", "rtos-*", "priority", 1, DEFAULT),
        "ovn/base_network_controller.go",
        "the port is a distributed gateway port bound to this node, so that source NAT works; it has no second chassis",
    ),
    RowValue(
        *("Logical_Router_Port", "rtots-*", "options:mcast_flood", "true", DEFAULT),
        _INTERCONNECT,
        "multicast is always forwarded to this port",
    ),
    RowValue(
        *("Logical_Router_Port", "trtos-*", "ipv6_ra_configs:address_mode", "dhcpv6_stateful", LAYER2_EGRESS),
        f"ovn/base_network_controller.go and createGWRouterPort in {_GATEWAY}, primary Layer2 networks with IPv6",
        "hosts get their addresses by DHCPv6 and do not make their own",
    ),
    RowValue(
        *("Logical_Router_Port", "trtos-*", "ipv6_ra_configs:send_periodic", "true", LAYER2_EGRESS),
        f"ovn/base_network_controller.go and createGWRouterPort in {_GATEWAY}",
        "the router advertises itself without being asked",
    ),
    RowValue(
        *("Logical_Router_Port", "trtos-*", "ipv6_ra_configs:max_interval", "900", LAYER2_EGRESS),
        f"ovn/base_network_controller.go and createGWRouterPort in {_GATEWAY}: 15 minutes",
        "the longest time in seconds between two advertisements",
    ),
    RowValue(
        *("Logical_Router_Port", "trtos-*", "ipv6_ra_configs:min_interval", "300", LAYER2_EGRESS),
        f"ovn/base_network_controller.go and createGWRouterPort in {_GATEWAY}: 5 minutes",
        "the shortest time in seconds between two advertisements",
    ),
    RowValue(
        *("Logical_Router_Port", "trtos-*", "ipv6_ra_configs:router_preference", "LOW", LAYER2_EGRESS),
        f"ovn/base_network_controller.go and createGWRouterPort in {_GATEWAY}",
        "the gateway that CNI configures has a medium preference and must win over this one",
    ),
    RowValue(
        *("Logical_Router_Static_Route", "10.20.2.0/24", "policy", ("src-ip",), "layer3-ipv4-shared"),
        "OKEP-5094, 'Static Routes and Logical Router Policies'",
        "what pods send to the outside is routed by its source",
    ),
    RowValue(
        *("Logical_Router_Static_Route", "10.96.0.10", "policy", ("dst-ip",), LAYER2_EGRESS),
        "the option udn-allowed-default-services of ovnkube",
        "pods reach these services of the default network through the node",
    ),
    # policies of routers, the highest priority first
    RowValue(
        *("Logical_Router_Policy", 'inport == "trtos-*', "priority", 1004, LAYER2_EGRESS),
        f"NodeSubnetPolicyPriority in {_CONSTANTS}",
        "traffic to the own node is decided before all exemptions and egress policies",
    ),
    RowValue(
        *("Logical_Router_Policy", 'inport == "rtos-*', "priority", 1004, DEFAULT),
        f"NodeSubnetPolicyPriority in {_CONSTANTS}",
        "traffic to the own node is decided before all exemptions and egress policies",
    ),
    RowValue(
        *("Logical_Router_Policy", "EIP-No-Reroute-reply-traffic", "priority", 102, LAYER2_EGRESS),
        f"DefaultNoRereoutePriority in {_CONSTANTS}",
        "exemptions win over the policies of EgressIPs and EgressServices, 100 and 101",
    ),
    RowValue(
        *("Logical_Router_Policy", "EIP-No-Reroute-reply-traffic", "action", "allow", LAYER2_EGRESS),
        "ovn/egressip.go",
        "an exemption ends the policies, and routes decide",
    ),
    RowValue(
        *("Logical_Router_Policy", "ip4.src == 10.128.4.9", "priority", 101, "default-egress-service"),
        f"EgressSVCReroutePriority in {_CONSTANTS}",
        "an EgressService wins over an EgressIP of the same pod",
    ),
    RowValue(
        *("Logical_Router_Policy", "ip4.src == 203.203.0.11", "priority", 100, LAYER2_EGRESS),
        f"EgressIPReroutePriority in {_CONSTANTS}",
        "exemptions and EgressServices win over an EgressIP",
    ),
    RowValue(
        *("Logical_Router_Policy", "ip4.src == 203.203.0.11", "action", "reroute", LAYER2_EGRESS),
        "ovn/egressip.go",
        "the pod's traffic leaves through the egress nodes",
    ),
    RowValue(
        *("Logical_Router_Policy", "ip?.dst == *", "priority", 99, "layer2-before-upgrade-local"),
        f"UDNHostCIDRPolicyPriority in {_CONSTANTS}",
        "without transit router, EgressIPs win over the way to the nodes' network",
    ),
    RowValue(
        *("Logical_Router_Policy", "ip4.src == * && pkt.mark == 0", "priority", 95, LAYER2_EGRESS),
        f"EgressIPSNATMarkPriority in {_CONSTANTS}",
        "the gateway router marks packets again, because a mark does not cross the tunnel",
    ),
    RowValue(
        *("Logical_Router_Policy", "EIP-No-Reroute-Pod-To-Node", "options:pkt_mark", "1008", LAYER2_EGRESS),
        f"EgressIPNodeConnectionMark in {_CONSTANTS}",
        "nodes answer served pods without translation by this mark",
    ),
    RowValue(
        *("QoS", "EgressIP-Mark-Reply-Traffic", "priority", 103, LAYER2_EGRESS),
        f"EgressIPRerouteQoSRulePriority in {_CONSTANTS}",
        "the pods' switch marks replies of served pods",
    ),
    RowValue(
        *("QoS", "EgressIP-Mark-Reply-Traffic", "action:mark", "42", LAYER2_EGRESS),
        f"EgressIPReplyTrafficConnectionMark in {_CONSTANTS}",
        "replies to connections from outside keep their way by this mark",
    ),
    RowValue(
        *("QoS", "EgressIP-Mark-Reply-Traffic", "direction", "from-lport", LAYER2_EGRESS),
        "ovn/egressip.go",
        "replies come from pods",
    ),
    # source NAT
    RowValue(*("NAT", "*", "type", "snat", LAYER2_EGRESS), _GATEWAY, "pods have the address of the node outside"),
    RowValue(
        *("NAT", "*", "options:stateless", "false", LAYER2_EGRESS),
        f"{_GATEWAY}; OKEP-5094, 'NAT configuration'",
        "connections are tracked",
    ),
    # switches
    RowValue(
        *("Logical_Switch", "*_ovn_layer2_switch", "other_config:mcast_snoop", "true", LAYER2_EGRESS),
        "ovn/base_layer2_user_defined_network_controller.go",
        "packets of a group reach the ports that registered for it",
    ),
    RowValue(
        *("Logical_Switch", "*_ovn_layer2_switch", "other_config:mcast_querier", "false", LAYER2_EGRESS),
        "ovn/base_layer2_user_defined_network_controller.go",
        "the switch sends no queries for multicast groups",
    ),
    RowValue(
        *("Logical_Switch", "cluster_udn_blue_node1", "other_config:mcast_snoop", "true", "multicast"),
        f"createNodeLogicalSwitch in {_BASE}, primary networks with enable-multicast",
        "packets of a group reach the ports that registered for it",
    ),
    RowValue(
        *("Logical_Switch", "cluster_udn_blue_node1", "other_config:mcast_querier", "true", "multicast"),
        f"createNodeLogicalSwitch in {_BASE}, primary networks with enable-multicast",
        "the switch asks its pods for their groups",
    ),
    RowValue(
        *("Logical_Router", "*_ovn_cluster_router", "options:mcast_relay", "true", "multicast"),
        "newClusterRouter in ovn/layer3_user_defined_network_controller.go and ovn/master.go, primary networks",
        "multicast passes between the switches of the nodes",
    ),
    RowValue(
        *("ACL", "(ip4.mcast*", "priority", 1011, "multicast"),
        f"DefaultMcastDenyPriority in {_CONSTANTS}, used by {_MULTICAST}",
        "no pod sends or receives multicast unless its namespace permits it",
    ),
    RowValue(
        *("ACL", "*port == @* && (ip4.mcast*", "priority", 1012, "multicast"),
        f"DefaultMcastAllowPriority in {_CONSTANTS}, used by {_MULTICAST}",
        "at the ports towards routers, multicast passes",
    ),
    RowValue(
        *("Logical_Switch", "*_ovn_layer2_switch", "other_config:mcast_flood_unregistered", "true", LAYER2_EGRESS),
        "ovn/base_layer2_user_defined_network_controller.go",
        "packets of groups that no port registered reach all ports",
    ),
    RowValue(
        *("Logical_Switch", "transit_switch", "other_config:mcast_snoop", "true", DEFAULT),
        _INTERCONNECT,
        "packets of a group reach the ports that registered for it",
    ),
    RowValue(
        *("Logical_Switch", "transit_switch", "other_config:mcast_querier", "false", DEFAULT),
        _INTERCONNECT,
        "the switch sends no queries for multicast groups",
    ),
    RowValue(
        *("Logical_Switch", "transit_switch", "other_config:mcast_flood_unregistered", "true", DEFAULT),
        _INTERCONNECT,
        "packets of groups that no port registered reach all ports",
    ),
    RowValue(
        *("Logical_Switch_Port", "stotr-*", "type", "router", LAYER2_EGRESS),
        "OKEP-5094, 'Ports, switches and routers topology'",
        "the port's peer is a router",
    ),
    RowValue(
        *("Logical_Switch_Port", "stotr-*", "addresses", ("router",), LAYER2_EGRESS),
        "OKEP-5094, 'Ports, switches and routers topology'",
        "the switch answers ARP for the addresses of the router's port",
    ),
    RowValue(
        *("Logical_Switch_Port", "tstor-node2", "type", "remote", DEFAULT),
        _INTERCONNECT,
        "the port is bound in another zone",
    ),
    RowValue(
        *("Logical_Switch_Port", "tstor-node2", "options:requested-chassis", "chassis-2", DEFAULT),
        f"{_INTERCONNECT}, from the annotation k8s.ovn.org/node-chassis-id of the other node",
        "packets are tunneled to this chassis",
    ),
    RowValue(
        *("Logical_Switch_Port", "stor-node1", "options:arp_proxy"),
        "0a:58:a9:fe:01:01 169.254.1.1 fe80::1 10.128.0.0/14",
        DEFAULT,
        "ARPProxyIPv4 and ARPProxyIPv6 in kubevirt, and the cluster's subnets",
        "a virtual machine that moved keeps its gateway, and reaches pods of the subnet that it came from",
    ),
    RowValue(
        *("Logical_Switch_Port", "*_ovn_localnet_port", "addresses", ("unknown",), "localnet"),
        "ovn/localnet_user_defined_network_controller.go",
        "packets for unknown MACs go to the physical network",
    ),
    RowValue(
        *("Logical_Switch_Port", "*_ovn_localnet_port", "type", "localnet", "localnet"),
        "ovn/localnet_user_defined_network_controller.go",
        "the switch continues on the physical network",
    ),
    # ACLs
    RowValue(
        *("ACL", "*_ovn_layer2_switch", "priority", 1001, LAYER2_EGRESS),
        f"DefaultAllowPriority in {_CONSTANTS}",
        "probes of the node win over the denials of NetworkPolicies, 1000",
    ),
    RowValue(
        *("ACL", "*_ovn_layer2_switch", "tier", 2, LAYER2_EGRESS),
        f"DefaultACLTier in {_CONSTANTS}",
        "the tier of NetworkPolicies, after those of AdminNetworkPolicies",
    ),
    RowValue(
        *("ACL", "*_ovn_layer2_switch", "action", "allow-related", LAYER2_EGRESS),
        "ovn/base_network_controller_policy.go",
        "answers of the pod pass, too",
    ),
    RowValue(
        *("ACL", "*_ovn_layer2_switch", "direction", "to-lport", LAYER2_EGRESS),
        "ovn/base_network_controller_policy.go",
        "the node reaches pods",
    ),
    RowValue(
        *("ACL", "*_ovn_layer2_switch", "meter", ("acl-logging",), LAYER2_EGRESS),
        f"OvnACLLoggingMeter in {_CONSTANTS}",
        "limits the packets that an ACL logs",
    ),
    RowValue(
        *("ACL", "allow-hairpinning", "priority", 1001, LAYER2_EGRESS),
        f"DefaultAllowPriority in {_CONSTANTS}",
        "a pod reaches itself through its service despite any NetworkPolicy",
    ),
    RowValue(
        *("ACL", "allow-hairpinning", "tier", 2, LAYER2_EGRESS),
        f"DefaultACLTier in {_CONSTANTS}",
        "the tier of NetworkPolicies, after those of AdminNetworkPolicies",
    ),
    RowValue(
        *("ACL", "AllowHost*PrimaryUDN", "priority", 1001, DEFAULT),
        f"PrimaryUDNAllowPriority in {_CONSTANTS}",
        "the node reaches pods that have another primary network, which all others may not",
    ),
    RowValue(
        *("ACL", "DenyPrimaryUDN", "priority", 1000, DEFAULT),
        f"PrimaryUDNDenyPriority in {_CONSTANTS}",
        "the default network carries nothing else of these pods",
    ),
    RowValue(*("ACL", "DenyPrimaryUDN", "action", "drop", DEFAULT), "ovn/udn_isolation.go", "nobody gets an answer"),
    RowValue(
        *("ACL", "DenyPrimaryUDN", "tier", 0, DEFAULT),
        f"PrimaryACLTier in {_CONSTANTS}",
        "isolation of networks comes before all policies",
    ),
    RowValue(
        *("ACL", _ROUTED.name, "priority", 1100, "advertised"),
        f"AdvertisedNetworkPassPriority in {_CONSTANTS}",
        "packets inside one advertised network pass before the drop between networks",
    ),
    RowValue(
        *("ACL", "advertised-network-subnets", "priority", 1050, "advertised"),
        f"AdvertisedNetworkDenyPriority in {_CONSTANTS}",
        "packets between advertised networks are dropped where no pass of 1100 is met",
    ),
    RowValue(
        *("ACL", "advertised-network-subnets", "options:apply-after-lb", "true", "advertised"),
        "ovn/udn_isolation.go",
        "the ACL sees the destination that a load balancer chose",
    ),
    # limits of packets
    RowValue(
        *("Meter", "acl-logging", "bands>rate", 20, DEFAULT),
        "config/config.go, the default of acl-logging-rate-limit",
        "at most 20 packets of each ACL are logged in a second",
    ),
    RowValue(
        *("Meter", "*-rate-limiter", "bands>rate", 25, DEFAULT),
        "ovn/copp.go",
        "ovn-controller gets at most 25 packets of each protocol from a router in a second",
    ),
    RowValue(
        *("Meter", "*-rate-limiter", "bands>action", "drop", DEFAULT),
        f"MeterAction in {_CONSTANTS}",
        "more packets are dropped",
    ),
    RowValue(
        *("Meter", "*", "unit", "pktps", DEFAULT), f"PacketsPerSecond in {_CONSTANTS}", "rates are packets per second"
    ),
    RowValue(*("Meter", "*", "fair", (True,), DEFAULT), "ovn/copp.go", "each router and ACL has a rate of its own"),
    # DHCP of virtual machines
    RowValue(
        *("DHCP_Options", "203.203.0.0/16", "options:lease_time", "3500", "machine"),
        f"dhcpLeaseTime in {_DHCP}",
        "seconds of a lease",
    ),
    RowValue(
        *("DHCP_Options", "203.203.0.0/16", "options:server_id", "169.254.1.1", "machine"),
        f"ARPProxyIPv4 in kubevirt, used by {_DHCP}",
        "the server has the same address on every node",
    ),
    RowValue(
        *("DHCP_Options", "203.203.0.0/16", "options:server_mac", "0a:58:a9:fe:01:01", "machine"),
        f"the MAC of 169.254.1.1, {_DHCP}",
        "the server has the same MAC on every node",
    ),
    RowValue(
        *("DHCP_Options", "2010:100:200::/60", "options:server_id", "0a:58:6d:6d:c1:50", "machine"),
        f"the MAC of fe80::1 (ARPProxyIPv6), {_DHCP}",
        "the server has the same id on every node",
    ),
)

COMPUTED: Final = frozenset(
    {
        "Logical_Router options:requested-tnl-key",
        "Logical_Router_Port ipv6_ra_configs:mtu",
        "Logical_Switch other_config:exclude_ips",
        "Logical_Switch other_config:interconn-ts",
        "Logical_Switch other_config:ipv6_prefix",
        *(f"Logical_Switch other_config:mcast_{key}" for key in ("eth_src", "ip4_src", "ip6_src")),
        "Logical_Switch other_config:requested-tnl-key",
        "Logical_Switch other_config:subnet",
        "Logical_Switch_Port options:iface-id-ver",
        "Logical_Switch_Port options:requested-tnl-key",
        "Logical_Switch_Port options:router-port",
        *(f"DHCP_Options options:{key}" for key in ("dns_server", "fqdn", "hostname", "mtu", "router")),
    }
)
"""Keys of maps that no row of the table has: their values are numbers, names and addresses of the network."""


@cache
def rows_of(scenario: str) -> tuple[Row, ...]:
    """The rows of the first zone of a scenario."""
    plan = _PLANS[scenario]() if scenario in _PLANS else SCENARIOS[scenario].plan()
    assert plan.errors == ()
    return tuple(plan.zones[0].rows)


def found_values(value: RowValue) -> list[tuple[str, object]]:
    """The names of the planned rows that are meant, each with the value that it has in this column."""
    rows = rows_of(value.scenario)
    by_uuid = {row.uuid: row for row in rows}
    found: list[tuple[str, object]] = []
    for row in rows:
        titles = _titles(row)
        if row.table == value.table and any(fnmatchcase(title, value.rows) for title in titles):
            found += ((titles[0], cell) for cell in _cells(row, value.column, by_uuid))
    return found


def map_keys() -> set[str]:
    """``TABLE COLUMN:KEY`` for every key that a map of a planned row has; labels and rows of services are left out."""
    rows = (row for scenario in (*SCENARIOS, *_PLANS) for row in rows_of(scenario))
    return {
        f"{row.table} {column}:{key}"
        for row in rows
        if row.table not in ("Load_Balancer", "Copp")
        for column, cell in row.columns.items()
        if isinstance(cell, Mapping) and column != "external_ids"
        for key in cell
    }


def _titles(row: Row) -> list[str]:
    """What a row can be called by."""
    columns = ("name", "match", "ip_prefix", "logical_ip", "ip", "cidr")
    texts = [row.entry("external_ids", "k8s.ovn.org/name"), *(row.columns.get(each) for each in columns)]
    return [each for each in texts if isinstance(each, str) and each]


def _cells(row: Row, column: str, by_uuid: Mapping[str, Row]) -> Iterator[object]:
    name, _, key = column.partition(":")
    reference, _, further = column.partition(">")
    if further:
        held = row.columns[reference]
        refs = held if isinstance(held, tuple) else (held,)
        yield from (by_uuid[each.uuid].columns[further] for each in refs if isinstance(each, Ref))
    elif key:
        cell = row.columns[name]
        yield cell.get(key) if isinstance(cell, Mapping) else None
    else:
        yield row.columns[name]
