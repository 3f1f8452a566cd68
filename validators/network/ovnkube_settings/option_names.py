"""The options of ovnkube: from which of them plans follow, and which cannot change rows that ovnguard plans.

Source: ovn-kubernetes, ``pkg/config/config.go``.
"""

from collections.abc import Mapping
from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ACL_LOGGING_RATE: Final = "acl-logging-rate-limit"
ALLOWED_SERVICES: Final = "udn-allowed-default-services"
CLUSTER_SUBNETS: Final = "cluster-subnets"
DNS_NAME: Final = "dns-service-name"
DNS_NAMESPACE: Final = "dns-service-namespace"
DYNAMIC: Final = "enable-dynamic-udn-allocation"
EMPTY_LB_EVENTS: Final = "ovn-empty-lb-events"
GATEWAY_MODE: Final = "gateway-mode"
GRACE: Final = "udn-deletion-grace-period"
INTERCONNECT: Final = "enable-interconnect"
ISOLATION: Final = "advertised-udn-isolation-mode"
JOIN_SUBNETS: Final = ("gateway-v4-join-subnet", "gateway-v6-join-subnet")
MASQUERADE_SUBNETS: Final = ("gateway-v4-masquerade-subnet", "gateway-v6-masquerade-subnet")
MTU: Final = "mtu"
MULTICAST: Final = "enable-multicast"
MULTI_NETWORK: Final = "enable-multi-network"
OUTBOUND_SNAT: Final = "no-overlay-outbound-snat"
PRECONFIGURED: Final = "enable-preconfigured-udn-addresses"
ROUTE_ADVERTISEMENTS: Final = "enable-route-advertisements"
ROUTING: Final = "no-overlay-routing"
SEGMENTATION: Final = "enable-network-segmentation"
SERVICE_SUBNETS: Final = "k8s-service-cidrs"
SNAT_PER_POD: Final = "disable-snat-multiple-gws"
SNAT_PORTS: Final = "ephemeral-port-range"
TRANSIT_SUBNETS: Final = ("cluster-manager-v4-transit-subnet", "cluster-manager-v6-transit-subnet")
TRANSPORT: Final = "transport"

PLANNED: Final = frozenset(
    {
        ACL_LOGGING_RATE,
        ALLOWED_SERVICES,
        CLUSTER_SUBNETS,
        DNS_NAME,
        DNS_NAMESPACE,
        DYNAMIC,
        EMPTY_LB_EVENTS,
        GATEWAY_MODE,
        GRACE,
        ISOLATION,
        *JOIN_SUBNETS,
        *MASQUERADE_SUBNETS,
        MTU,
        MULTICAST,
        OUTBOUND_SNAT,
        PRECONFIGURED,
        ROUTE_ADVERTISEMENTS,
        ROUTING,
        SERVICE_SUBNETS,
        SNAT_PER_POD,
        SNAT_PORTS,
        *TRANSIT_SUBNETS,
        TRANSPORT,
    }
)
"""The options from which plans follow."""

ALIASES: Final[Mapping[str, str]] = {
    "cluster-subnet": CLUSTER_SUBNETS,
    "dynamic-udn-allocation": DYNAMIC,
    "k8s-service-cidr": SERVICE_SUBNETS,
    "service-cluster-ip-range": SERVICE_SUBNETS,
}
"""Other names of options."""

# Features whose objects decide the rows, rows of other controllers, facts that nodes record, and what concerns only
# the process, the host, the cluster manager or the Southbound database.
_WITHOUT_ROWS: Final = frozenset(
    [
        "allow-icmp-network-policy",
        "allow-no-uplink",
        "bootstrap-kubeconfig",
        "cert-dir",
        "cert-duration",
        "cleanup-node",
        "cni-conf-dir",
        "cni-plugin",
        "cnilogfile",
        "config-file",
        "conntrack-zone",
        "db-txn-timeout",
        "disable-forwarding",
        "disable-ovn-iface-id-ver",
        "disable-pkt-mtu-check",
        "enable-admin-network-policy",
        "enable-dns-name-resolver",
        "enable-egress-firewall",
        "enable-egress-ip",
        "enable-egress-qos",
        "enable-egress-service",
        "enable-evpn",
        "enable-interconnect",
        "enable-lflow-cache",
        "enable-multi-external-gateway",
        "enable-multi-network",
        "enable-multi-networkpolicy",
        "enable-network-connect",
        "enable-network-qos",
        "enable-network-segmentation",
        "enable-persistent-ips",
        "enable-stateless-netpol",
        "enable-udp-aggregation",
        "enable-uplink",
        "encap-ip",
        "encap-port",
        "encap-type",
        "export-ovs-metrics",
        "gateway-accelerated-interface",
        "gateway-interface",
        "gateway-local",
        "gateway-nexthop",
        "gateway-router-subnet",
        "gateway-vlanid",
        "healthz-bind-address",
        "help",
        "host-network-namespace",
        "inactivity-probe",
        "init-cluster-manager",
        "init-gateways",
        "init-master",
        "init-node",
        "init-ovnkube-controller",
        "lflow-cache-limit",
        "lflow-cache-limit-kb",
        "libovsdblogfile",
        "logfile",
        "logfile-maxage",
        "logfile-maxbackups",
        "logfile-maxsize",
        "loglevel",
        "monitor-all",
        "no-hostsubnet-nodes",
        "node-server-cert",
        "node-server-privkey",
        "nodeport",
        "ofctrl-wait-before-clear",
        "openflow-probe",
        "ovn-config-namespace",
        "ovn-metrics-bind-address",
        "ovs-run-dir",
        "pidfile",
        "platform-type",
        "pod-ip",
        "routable-mtu",
        "simulate-dpu",
        "unprivileged-mode",
        "zone",
    ]
)
_FAMILIES_WITHOUT_ROWS: Final = (
    "bgp-managed-",
    "cluster-manager-ha-",
    "dpu-",
    "egressip-",
    "ha-election-",
    "ipfix-",
    "k8s-",
    "metrics-",
    "nb-",
    "netflow-",
    "ovnkube-node-",
    "sb-",
    "sflow-",
)

RECORDED_BY_NODES: Final = frozenset({"exgw-interface"})
"""Options that change rows only of nodes whose annotations show it, so that a node without it needs no warning."""


def is_known(option: str) -> bool:
    """Whether an option is planned, or cannot change rows that ovnguard plans."""
    return option in PLANNED or option in _WITHOUT_ROWS or option.startswith(_FAMILIES_WITHOUT_ROWS)
