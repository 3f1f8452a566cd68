"""Where options of ovnkube are written: keys of its configuration file by section, and the environment of ovnkube.sh.

Sources: ovn-kubernetes, ``pkg/config/config.go`` and ``dist/images/ovnkube.sh``.
"""

from collections.abc import Mapping
from typing import Final

from ovnguard.validators.network.ovnkube_settings.option_names import (
    ACL_LOGGING_RATE,
    ALLOWED_SERVICES,
    CLUSTER_SUBNETS,
    DNS_NAME,
    DNS_NAMESPACE,
    DYNAMIC,
    EMPTY_LB_EVENTS,
    GATEWAY_MODE,
    GRACE,
    INTERCONNECT,
    ISOLATION,
    JOIN_SUBNETS,
    MASQUERADE_SUBNETS,
    MTU,
    MULTI_NETWORK,
    MULTICAST,
    OUTBOUND_SNAT,
    PRECONFIGURED,
    ROUTE_ADVERTISEMENTS,
    ROUTING,
    SEGMENTATION,
    SERVICE_SUBNETS,
    SNAT_PER_POD,
    SNAT_PORTS,
    TRANSIT_SUBNETS,
    TRANSPORT,
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SECTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "clustermanager": {"v4-transit-subnet": TRANSIT_SUBNETS[0], "v6-transit-subnet": TRANSIT_SUBNETS[1]},
    "default": {each: each for each in (ALLOWED_SERVICES, CLUSTER_SUBNETS, MTU, TRANSPORT)},
    "gateway": {
        "egw-interface": "exgw-interface",
        "interface": "gateway-interface",
        "mode": GATEWAY_MODE,
        "next-hop": "gateway-nexthop",
        "router-subnet": "gateway-router-subnet",
        "v4-join-subnet": JOIN_SUBNETS[0],
        "v4-masquerade-subnet": MASQUERADE_SUBNETS[0],
        "v6-join-subnet": JOIN_SUBNETS[1],
        "v6-masquerade-subnet": MASQUERADE_SUBNETS[1],
        "vlan-id": "gateway-vlanid",
        SNAT_PER_POD: SNAT_PER_POD,
        SNAT_PORTS: SNAT_PORTS,
    },
    "hybridoverlay": {"cluster-subnets": "hybrid-overlay-cluster-subnets", "enabled": "enable-hybrid-overlay"},
    "kubernetes": {
        "service-cidr": SERVICE_SUBNETS,
        "service-cidrs": SERVICE_SUBNETS,
        **{each: each for each in (DNS_NAME, DNS_NAMESPACE, EMPTY_LB_EVENTS)},
    },
    "logging": {ACL_LOGGING_RATE: ACL_LOGGING_RATE},
    "no-overlay": {"outbound-snat": OUTBOUND_SNAT, "routing": ROUTING},
    "ovnkubernetesfeature": {each: each for each in (DYNAMIC, GRACE, ISOLATION, PRECONFIGURED, ROUTE_ADVERTISEMENTS)},
}
"""Sections of the configuration file whose options may change rows, with the options of keys from which plans follow,
and of keys that have another name there."""
IGNORED_SECTIONS: Final = frozenset(
    [
        "bgp-managed",
        "cni",
        "clustermgrha",
        "ipfix",
        "masterha",
        "metrics",
        "monitoring",
        "ovnkubenode",
        "ovnnorth",
        "ovnsouth",
        "ovspaths",
    ]
)
"""Sections whose options change no rows."""
IGNORED_KEYS: Final = frozenset({"apiserver", "cacert", "kubeconfig", "token", "tokenfile"})
"""Keys of other sections that have no option of the same name, and change no rows."""

SWITCHES: Final[Mapping[str, str]] = {
    "DYNAMIC_UDN_ALLOCATION": DYNAMIC,
    "ENABLE_MULTI_NET": MULTI_NETWORK,
    "ENABLE_NETWORK_SEGMENTATION": SEGMENTATION,
    "OVN_DISABLE_REQUESTEDCHASSIS": "disable-requestedchassis",
    "OVN_DISABLE_SNAT_MULTIPLE_GWS": SNAT_PER_POD,
    "OVN_DYNAMIC_UDN_ALLOCATION": DYNAMIC,
    "OVN_EMPTY_LB_EVENTS": EMPTY_LB_EVENTS,
    "OVN_ENABLE_DYNAMIC_UDN_ALLOCATION": DYNAMIC,
    "OVN_ENABLE_INTERCONNECT": INTERCONNECT,
    "OVN_HYBRID_OVERLAY_ENABLE": "enable-hybrid-overlay",
    "OVN_MULTICAST_ENABLE": MULTICAST,
    "OVN_MULTI_NETWORK_ENABLE": MULTI_NETWORK,
    "OVN_NETWORK_CONNECT_ENABLE": "enable-network-connect",
    "OVN_NETWORK_SEGMENTATION_ENABLE": SEGMENTATION,
    "OVN_OBSERV_ENABLE": "enable-observability",
    "OVN_PRE_CONF_UDN_ADDR_ENABLE": PRECONFIGURED,
    "OVN_ROUTE_ADVERTISEMENTS_ENABLE": ROUTE_ADVERTISEMENTS,
}
"""Variables of ovnkube.sh that switch an option on with the value `true`."""
OFF_AT: Final[Mapping[str, str]] = {"OVN_ENABLE_SVC_TEMPLATE_SUPPORT": "enable-svc-template-support"}
"""Those that ovnkube.sh assumes to be `true` where they are absent."""
VALUES: Final[Mapping[str, str]] = {
    "ADVERTISED_UDN_ISOLATION_MODE": ISOLATION,
    "DYNAMIC_UDN_GRACE_PERIOD": GRACE,
    "OVNKUBE_CLUSTER_DEFAULT_NAD": "cluster-default-nad",
    "OVN_ACL_LOGGING_RATE_LIMIT": ACL_LOGGING_RATE,
    "OVN_ADVERTISED_UDN_ISOLATION_MODE": ISOLATION,
    "OVN_DYNAMIC_UDN_GRACE_PERIOD": GRACE,
    "OVN_EX_GW_NETWORK_INTERFACE": "exgw-interface",
    "OVN_GATEWAY_MODE": GATEWAY_MODE,
    "OVN_HOST_NETWORK_NAMESPACE": "host-network-namespace",
    "OVN_MTU": MTU,
    "OVN_NET_CIDR": CLUSTER_SUBNETS,
    "OVN_SVC_CIDR": SERVICE_SUBNETS,
    "OVN_V4_JOIN_SUBNET": JOIN_SUBNETS[0],
    "OVN_V4_MASQUERADE_SUBNET": MASQUERADE_SUBNETS[0],
    "OVN_V4_TRANSIT_SUBNET": TRANSIT_SUBNETS[0],
    "OVN_V6_JOIN_SUBNET": JOIN_SUBNETS[1],
    "OVN_V6_MASQUERADE_SUBNET": MASQUERADE_SUBNETS[1],
    "OVN_V6_TRANSIT_SUBNET": TRANSIT_SUBNETS[1],
}
"""Variables of ovnkube.sh with the value of an option; an empty one gives no option."""
WORDS: Final = "OVN_GATEWAY_OPTS"
"""The variable of ovnkube.sh with whole options."""
_OTHER_VARIABLES: Final = frozenset(
    [
        "ADMIN_NETWORK_POLICY_ENABLE",
        "ALLOW_ICMP_NETPOL",
        "CONTROLLER_OPTS",
        "DAEMONSET_VERSION",
        "DISABLE_FORWARDING",
        "DISABLE_PKT_MTU_CHECK",
        "DPU_HOST_GATEWAY_REPRESENTOR_INTERFACE",
        "EGRESSFIREWALL_ENABLE",
        "EGRESSIP_ENABLE",
        "EGRESSIP_HEALTHCHECK_PORT",
        "EGRESSQOS_ENABLE",
        "EGRESSSERVICE_ENABLE",
        "ENABLE_DNSNAMERESOLVER",
        "ENABLE_LFLOW_CACHE",
        "ENABLE_MULTI_EXTERNAL_GATEWAY",
        "ENABLE_OVNKUBE_IDENTITY",
        "ENABLE_PERSISTENT_IPS",
        "ENCAP_IP",
        "ENCAP_PORT",
        "EVPN_ENABLE",
        "GATEWAY_ROUTER_SUBNET",
        "HYBRID_OVERLAY_NET_CIDR",
        "IPFIX_CACHE_ACTIVE_TIMEOUT",
        "IPFIX_CACHE_MAX_FLOWS",
        "IPFIX_SAMPLING",
        "IPFIX_TARGETS",
        "KUBERNETES_CONNTRACK_ZONE",
        "KUBERNETES_NAMESPACE",
        "LFLOW_CACHE_LIMIT",
        "LFLOW_CACHE_LIMIT_KB",
        "LOGLEVEL_CONTROLLER",
        "LOGLEVEL_NB",
        "LOGLEVEL_NORTHD",
        "LOGLEVEL_SB",
        "METRICS_BIND_PORT",
        "METRICS_CONTROLLER_PORT",
        "METRICS_EXPORTER_PORT",
        "METRICS_MASTER_PORT",
        "METRICS_WORKER_PORT",
        "MONITOR_ALL",
        "NETFLOW_TARGETS",
        "NETWORK_QOS_ENABLE",
        "NOHOSTSUBNET_LABEL",
        "NORTHD_BACKOFF_INTERVAL",
        "NORTHD_OPTS",
        "NORTHD_PROBE_INTERVAL",
        "NO_OVERLAY_ENABLE",
        "OFCTRL_WAIT_BEFORE_CLEAR",
        "REMOTE_PROBE_INTERVAL",
        "ROUTABLE_MTU",
        "SFLOW_TARGETS",
        "SIMULATE_DPU",
        "SSL_ENABLE",
        "STATELESS_NETPOL_ENABLE",
        "UNPRIVILEGED_MODE",
        "UPLINK_ENABLE",
    ]
)


def is_known_variable(name: str) -> bool:
    """Whether ovnkube.sh reads the variable, or it is not one of OVN-Kubernetes."""
    tables = name in SWITCHES or name in OFF_AT or name in VALUES or name == WORDS
    return tables or not name.startswith("OVN_") or name.removeprefix("OVN_") in _OTHER_VARIABLES
