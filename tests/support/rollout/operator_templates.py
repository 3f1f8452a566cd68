"""The operator's templates of 4.13 and 4.14, and the values that it renders them with, by cluster and family."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ovnguard.reconciler.rollout.commands.manifest_options import phases_of
from ovnguard.reconciler.rollout.loop.manifest_folder import ManifestFolder
from ovnguard.reconciler.rollout.plan.model import Flavour
from ovnguard.reconciler.rollout.plan.phase_manifests import PhaseManifests
from tests.support.paths import shared_folder

BEFORE, RELEASE = "4.13.9", "4.14.20"
EARLY = ("4.14.5", "4.14.13")
HOSTED = "clusters-example"
MODES = ("full", "dpu-host", "smart-nic", "dpu")
_MASTERS = {"ipv4": "10.0.0.{}", "ipv6": "fd00::{}", "dual": "10.0.0.{}"}
_POOLS = {"ipv4": "10.128.0.0/14/23", "ipv6": "fd01::/48/64", "dual": "10.128.0.0/14/23,fd01::/48/64"}
_SERVICES = {"ipv4": "172.30.0.0/16", "ipv6": "fd02::/112", "dual": "172.30.0.0/16,fd02::/112"}
_HOSTS = {"ipv4": "api-int.example.org", "ipv6": "[fd00::5]", "dual": "api-int.example.org"}
_OTHER = {
    "ClusterID": "c1",
    "ClusterIDLabel": "_id",
    "CNIBinDir": "/var/lib/cni/bin",
    "CNIConfDir": "/etc/cni/net.d",
    "DpuHostModeLabel": "network.operator.openshift.io/dpu-host",
    "DpuModeLabel": "network.operator.openshift.io/dpu",
    "ENABLE_OVN_NODE_PROXY": False,
    "EnableUDPAggregation": True,
    "GenevePort": 6081,
    "HCPNodeSelector": {},
    "HTTPS_PROXY": "",
    "HTTP_PROXY": "",
    "HTTP_PROXY_IP": "10.0.0.9",
    "HTTP_PROXY_PORT": "3128",
    "HostedClusterNamespace": HOSTED,
    "IPFIXCacheActiveTimeout": "",
    "IPFIXCacheMaxFlows": "",
    "IPFIXCollectors": "",
    "IPFIXSampling": "",
    "IP_FORWARDING_MODE": "Restricted",
    "KUBERNETES_SERVICE_PORT": "6443",
    "KubeRBACProxyImage": "proxy:1",
    "MTU": 1400,
    "ManagementClusterName": "management",
    "MgmtPortResourceName": "",
    "NETWORK_NODE_IDENTITY_ENABLE": False,
    "NO_PROXY": "",
    "NetFlowCollectors": "",
    "NodeIdentityCertDuration": "24h",
    "NorthdThreads": 1,
    "OVNDbServiceType": "ClusterIP",
    "OVNHybridOverlayEnable": False,
    "OVNHybridOverlayNetCIDR": "",
    "OVNHybridOverlayVXLANPort": "",
    "OVNIPsecDaemonsetEnable": False,
    "OVNIPsecEnable": False,
    "OVNKubeConfigHash": "0123abcd",
    "OVNPlatformAzure": False,
    "OVNPolicyAuditDestination": "null",
    "OVNPolicyAuditMaxFileSize": 50,
    "OVNPolicyAuditMaxLogFiles": 5,
    "OVNPolicyAuditRateLimit": 20,
    "OVNPolicyAuditSyslogFacility": "local0",
    "OVNSbDbRouteHost": "sbdb.example.org",
    "OVNSbDbRouteLabels": {"hypershift.openshift.io/hosted-control-plane": HOSTED},
    "OVN_ADMIN_NETWORK_POLICY_ENABLE": False,
    "OVN_CERT_CN": "ovn",
    "OVN_CONTROLLER_INACTIVITY_PROBE": "180000",
    "OVN_GATEWAY_MODE": "shared",
    "OVN_LOG_PATTERN_CONSOLE": "%D{%Y-%m-%dT%H:%M:%S.###Z}|%05N|%c%T|%p|%m",
    "OVN_MULTI_NETWORK_ENABLE": True,
    "OVN_MULTI_NETWORK_POLICY_ENABLE": False,
    "OVN_NB_DB_ENDPOINT": "ssl:sbdb.example.org:443",
    "OVN_NB_INACTIVITY_PROBE": "60000",
    "OVN_NB_PORT": "9641",
    "OVN_NB_RAFT_ELECTION_TIMER": "10",
    "OVN_NB_RAFT_PORT": "9643",
    "OVN_NODE_MODE": "full",
    "OVN_NORTHD_BACKOFF_MS": "300",
    "OVN_NORTHD_PROBE_INTERVAL": "5000",
    "OVN_SB_DB_ENDPOINT": "ssl:sbdb.example.org:443",
    "OVN_SB_DB_ROUTE_HOST": "sbdb.example.org",
    "OVN_SB_DB_ROUTE_LOCAL_PORT": "9645",
    "OVN_SB_DB_ROUTE_PORT": "443",
    "OVN_SB_NODE_PORT": None,
    "OVN_SB_PORT": "9642",
    "OVN_SB_RAFT_ELECTION_TIMER": "16",
    "OVN_SB_RAFT_PORT": "9644",
    "PlatformType": "None",
    "RHOBSMonitoring": "",
    "ReachabilityNodePort": "9107",
    "ReachabilityTotalTimeoutSeconds": None,
    "ReleaseImage": "release:1",
    "RoutableMTU": None,
    "SFlowCollectors": "",
    "SmartNicModeLabel": "network.operator.openshift.io/smart-nic",
    "Socks5ProxyImage": "socks:1",
    "TokenAudience": "audience",
    "TokenMinterImage": "minter:1",
    **{f"V{family}{name}": "" for family in (4, 6) for name in ("InternalMasqueradeSubnet", "JoinSubnet")},
    **{f"V{family}TransitSwitchSubnet": "" for family in (4, 6)},
}
FLIPPED: Mapping[str, Any] = {
    **dict.fromkeys(("IPFIXCacheActiveTimeout", "IPFIXCacheMaxFlows", "IPFIXSampling"), 60),
    **dict.fromkeys(("IPFIXCollectors", "NetFlowCollectors", "SFlowCollectors"), "192.0.2.1:2055"),
    **dict.fromkeys(("HTTPS_PROXY", "HTTP_PROXY"), "http://10.0.0.9:3128"),
    **{key: not value for key, value in _OTHER.items() if isinstance(value, bool)},
    **dict.fromkeys(("DpuHostModeLabel", "DpuModeLabel", "SmartNicModeLabel", "ReachabilityNodePort"), ""),
    "NO_PROXY": ".example.org",
    "HCPNodeSelector": {"role": "infra", "also": "this"},
    "MgmtPortResourceName": "openshift.io/mgmt",
    "OVNDbServiceType": "NodePort",
    "OVNHybridOverlayNetCIDR": "10.132.0.0/14",
    "OVNHybridOverlayVXLANPort": 4789,
    "OVNSbDbRouteHost": "",
    "OVNSbDbRouteLabels": {},
    "OVN_SB_NODE_PORT": 30042,
    "RHOBSMonitoring": "1",
    "ReachabilityTotalTimeoutSeconds": 3,
    "RoutableMTU": 1300,
    "V4InternalMasqueradeSubnet": "169.254.0.0/17",
    "V4JoinSubnet": "100.99.0.0/16",
    "V4TransitSwitchSubnet": "100.98.0.0/16",
    "V6InternalMasqueradeSubnet": "fd69::/112",
    "V6JoinSubnet": "fd99::/64",
    "V6TransitSwitchSubnet": "fd97::/64",
}
"""Another truth of each value that a condition asks for."""


def branch(release: str) -> Path:
    """The operator's templates of a release."""
    shared = shared_folder()
    assert shared is not None, "tests marked conformance are deselected where this is None"
    return shared / "operator-manifests" / release[:4]


def values(
    release: str = RELEASE,
    flavour: Flavour = Flavour.SELF_HOSTED,
    family: str = "ipv4",
    *,
    masters: int = 3,
    **more: Any,
) -> dict[str, Any]:
    """What the operator renders the templates of a release with; ``more`` are other values."""
    places = [_MASTERS[family].format(number + 1) for number in range(masters)]
    if flavour is Flavour.MANAGED:
        internal = f"ovnkube-master-internal.{HOSTED}.svc.cluster.local"
        places = [f"ovnkube-master-{number}.{internal}" for number in range(masters)]
    server = f"https://{_HOSTS[family]}:6443"
    return {
        **_OTHER,
        "ClusterManagerReplicas": min(3 if release in EARLY else 2, masters),
        "IsSNO": masters == 1,
        "K8S_APISERVER": server,
        "K8S_LOCAL_APISERVER": server,
        "KUBERNETES_SERVICE_HOST": _HOSTS[family],
        "LISTEN_DUAL_STACK": ":[::]" if family == "ipv6" else "",
        "OVN_DB_CLUSTER_INITIATOR": places[0],
        "OVN_MIN_AVAILABLE": masters // 2 + 1,
        "OVN_NB_DB_LIST": _remotes(places, 9641),
        "OVN_SB_DB_LIST": _remotes(places, 9642),
        "OVN_cidr": _POOLS[family],
        "OVN_service_cidr": _SERVICES[family],
        "OvnControlPlaneImage": f"ovn-central:{release}",
        "OvnImage": f"ovn:{release}",
        "OvnkubeMasterReplicas": masters,
        "ReleaseVersion": release,
        **more,
    }


def _remotes(places: list[str], port: int) -> str:
    return ",".join(f"ssl:[{each}]:{port}" if ":" in each else f"ssl:{each}:{port}" for each in places)


def manifests(release: str, flavour: Flavour, **more: Any) -> PhaseManifests:
    """The operator's manifests of a release, rendered."""
    folder = ManifestFolder(branch(release), values(release, flavour, **more))
    found, problems = folder.load(flavour, phases_of(release))
    assert not problems, problems[0]
    return found
