"""Options of ovnkube from what installs it: the network operator's templates, and upstream's chart.

Go's text/template and helm render both, as in a cluster.
"""

import subprocess
from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml

from ovnguard.reconciler.plan.inputs.cluster_options import with_options
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster_view import ObjectsView
from ovnguard.validators.network.ovnkube_settings.option_places import OFF_AT, SWITCHES, VALUES
from ovnguard.validators.network.ovnkube_settings.ovnkube_options import OvnkubeOptions, ovnkube_options
from tests.support.paths import shared_folder
from tests.support.rendered_manifests import objects_in, rendered_chart, rendered_templates
from tests.testbed.fixtures import need, parts
from tests.testbed.parts import Part, Parts

__all__ = ["parts"]

# What the operator sets for an ordinary cluster; everything else is empty or off.
_SET = {
    "DpuHostModeLabel": "a",
    "DpuModeLabel": "b",
    "EnableUDPAggregation": True,
    "GenevePort": "6081",
    "MTU": 1400,
    "NorthdThreads": 1,
    "OVNPolicyAuditDestination": "null",
    "OVNPolicyAuditMaxFileSize": 50,
    "OVNPolicyAuditMaxLogFiles": 5,
    "OVNPolicyAuditRateLimit": 20,
    "OVN_CONTROLLER_INACTIVITY_PROBE": "180000",
    "OVN_GATEWAY_MODE": "shared",
    "OVN_NODE_MODE": "full",
    "OVN_cidr": "10.128.0.0/14/23",
    "OVN_service_cidr": "172.30.0.0/16",
    "ReleaseVersion": "4.20",
    "SmartNicModeLabel": "c",
    "V4MasqueradeSubnet": "169.254.0.0/17",
    "V6MasqueradeSubnet": "fd69::/112",
}
_NAMES = """
    AdvertisedUDNIsolationMode AllowICMPNetworkPolicy CNIBinDir CNIConfDir ClusterManagerReplicas
    DNS_NAME_RESOLVER_ENABLE DefaultMasqueradeNetworkCIDRs DefaultNetworkTransport DpuHostModeValue
    DpuNodeLeaseDuration DpuNodeLeaseRenewInterval FRRK8sNamespace IPFIXCacheActiveTimeout IPFIXCacheMaxFlows
    IPFIXCollectors IPFIXSampling IP_FORWARDING_MODE IsSNO K8S_APISERVER KUBERNETES_SERVICE_HOST
    KUBERNETES_SERVICE_PORT KubeRBACProxyImage MgmtPortResourceCount MgmtPortResourceName
    NETWORK_NODE_IDENTITY_ENABLE NetFlowCollectors NoOverlayEnabled NoOverlayManagedASNumber NoOverlayManagedEnabled
    NoOverlayManagedTopology NoOverlayOutboundSNAT NoOverlayRouting NodeIdentityCertDuration OVNHybridOverlayEnable
    OVNHybridOverlayNetCIDR OVNHybridOverlayVXLANPort OVNIPsecEnable OVNIPsecEncap OVNKubeConfigHash
    OVNKubeControlPlaneConfigHash OVNKubeNodeConfigHash OVNPlatformAzure OVNPolicyAuditSyslogFacility
    OVN_EVPN_ENABLE OVN_LOG_PATTERN_CONSOLE OVN_MULTI_NETWORK_POLICY_ENABLE OVN_NB_INACTIVITY_PROBE
    OVN_NETWORK_CONNECT_ENABLE OVN_NORTHD_BACKOFF_MS OVN_NORTHD_PROBE_INTERVAL OVN_OBSERVABILITY_ENABLE
    OVN_ROUTE_ADVERTISEMENTS_ENABLE OpenFlowProbe OvnControlPlaneImage OvnImage PlatformType ReachabilityNodePort
    ReachabilityTotalTimeoutSeconds RoutableMTU SFlowCollectors SmartNicModeValue TLSCipherSuites TLSMinVersion
    UseTLSProfile V4JoinSubnet V4TransitSwitchSubnet V6JoinSubnet V6TransitSwitchSubnet DpuModeValue
"""
_FILES = (
    "common",
    "self-hosted/004-config.yaml",
    "self-hosted/ovnkube-node.yaml",
    "self-hosted/ovnkube-control-plane.yaml",
)


@pytest.fixture(scope="module")
def program(parts: Parts) -> Part:
    need(parts, "gotemplate")
    return parts["gotemplate"]


def upstream(name: str) -> Path:
    shared = shared_folder()
    assert shared is not None, "conformance tests are deselected where this is None"
    return shared / "operator-manifests" / name


def read(objects: Iterable[dict[str, Any]]) -> OvnkubeOptions:
    view = ObjectsView(list(objects))
    return ovnkube_options(inventory_of(view))


def operators(program: Part, *further: dict[str, Any], **values: Any) -> OvnkubeOptions:
    folder = upstream("main")
    given = {**dict.fromkeys(_NAMES.split(), ""), **_SET, **values}
    rendered = rendered_templates(program, given, *(folder / file for file in _FILES))
    return read(chain(objects_in(rendered), further))


def charts(program: Part, **values: Any) -> OvnkubeOptions:
    text = upstream("upstream-chart/values-single-node-zone.yaml").read_text(encoding="utf-8")
    given: dict[str, Any] = yaml.safe_load(text)
    tags = {
        "ovnkube-control-plane": True,
        "ovnkube-single-node-zone": True,
        "ovnkube-identity": False,
        "ovs-node": False,
    }
    given |= {"skipCallToK8s": True, "tags": {**given["tags"], **tags}, "global": {**given["global"], **values}}
    return read(objects_in(rendered_chart(program, given, upstream("upstream-chart"))))


def planned(options: OvnkubeOptions) -> Settings:
    return with_options(Settings(), options)


OPENSHIFT = Settings(
    multicast=True,
    snat_per_pod=True,
    empty_lb_events=True,
    acl_logging_rate=20,
    dns_service="openshift-dns/dns-default",
    allowed_services=("default/kubernetes", "openshift-dns/dns-default"),
)


def test_an_ordinary_cluster_of_openshift(program: Part) -> None:
    found = operators(program)
    assert planned(found) == OPENSHIFT
    assert (found.value("mtu"), found.value("gateway-mode"), found.value("cluster-subnets")) == (
        "1400",
        "shared",
        "10.128.0.0/14/23",
    )
    assert found.is_on("enable-preconfigured-udn-addresses")
    assert found.unplanned == ()
    # what a look at the node decides, and the help of the image's ovnkube
    assert found.notes == (
        "no object decides these variables of ovnkube's command line: enable_interconnect_flag, gw_interface_flag",
    )


def test_variables_of_one_node_are_among_those_that_nothing_decides(program: Part) -> None:
    data = {"node1": "OVN_KUBE_LOG_LEVEL=5\novnkube_node_mode='--acl-logging-rate-limit 5'\n", "_master": "X=1\n"}
    metadata = {"name": "env-overrides", "namespace": "openshift-ovn-kubernetes"}
    found = operators(program, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})
    assert planned(found) == OPENSHIFT
    assert found.unplanned == ("--acl-logging-rate-limit (variable ovnkube_node_mode)",)


def test_choices_of_the_operator(program: Part) -> None:
    found = operators(
        program,
        AdvertisedUDNIsolationMode="loose",
        OVNPolicyAuditRateLimit=35,
        OVN_GATEWAY_MODE="local",
        OVN_NETWORK_CONNECT_ENABLE=True,
        OVN_OBSERVABILITY_ENABLE="true",
        OVN_ROUTE_ADVERTISEMENTS_ENABLE="true",
        V4JoinSubnet="100.99.0.0/16",
        V4TransitSwitchSubnet="100.98.0.0/16",
    )
    settings = planned(found)
    assert (settings.advertises, settings.acl_logging_rate) == (True, 35)
    assert found.is_on("enable-network-connect")
    assert list(map(str, settings.default_join_subnets)) == ["100.99.0.0/16", "fd98::/64"]
    assert str(settings.transit_subnets[0]) == "100.98.0.0/16"
    assert (found.value("gateway-mode"), found.value("advertised-udn-isolation-mode")) == ("local", "loose")
    place = "DaemonSet ovnkube-node in namespace openshift-ovn-kubernetes"
    assert found.unplanned == (f"--enable-observability ({place})",)


def test_the_chart_as_it_is(program: Part) -> None:
    found = charts(program)
    assert planned(found) == Settings()
    assert (found.value("mtu"), found.value("cluster-subnets"), found.value("k8s-service-cidrs")) == (
        "1400",
        "10.244.0.0/16/24",
        "10.96.0.0/16",
    )
    place = "DaemonSet ovnkube-node in namespace ovn-kubernetes"
    assert found.unplanned == (f"--enable-svc-template-support ({place})",)


def test_choices_of_the_chart(program: Part) -> None:
    found = charts(
        program,
        aclLoggingRateLimit=30,
        advertisedUDNIsolationMode="loose",
        disableSnatMultipleGws=True,
        emptyLbEvents=True,
        enableMulticast=True,
        enableNetworkConnect=True,
        enableSvcTemplate=False,
        gatewayMode="local",
        v4JoinSubnet="100.99.0.0/16",
        v4TransitSubnet="100.98.0.0/16",
        enableNoOverlay=True,
        enableNoOverlayManagedRouting=True,
    )
    settings = planned(found)
    assert (settings.multicast, settings.snat_per_pod, settings.empty_lb_events) == (True, True, True)
    assert (found.is_on("enable-network-connect"), settings.acl_logging_rate) == (True, 30)
    assert list(map(str, settings.default_join_subnets)) == ["100.99.0.0/16", "fd98::/64"]
    assert str(settings.transit_subnets[0]) == "100.98.0.0/16"
    expected = {"gateway-mode": "local", "advertised-udn-isolation-mode": "loose", "transport": "no-overlay"}
    expected |= {"no-overlay-outbound-snat": "disabled", "no-overlay-routing": "managed"}
    assert {name: found.value(name) for name in expected} == expected
    assert found.unplanned == ()


def words_of_image(variables: Mapping[str, str]) -> list[str]:
    """The words that the script of upstream's image passes to ovnkube, by bash itself."""
    script = upstream("upstream-chart/ovnkube.sh").read_text(encoding="utf-8")
    waiting = ("wait_for_event", "process_ready", "process_healthy", "check_ovn_daemonset_version", "get_gw_options")
    stubs = "\n".join(f"{name}() {{ :; }}" for name in ("ovs-vsctl", "trap", "rm", "setup_cni", *waiting))
    head, _, _ = script.partition('\necho "================== ovnkube.sh')
    text = f"{head}\n{stubs}\n".replace("/usr/bin/ovnkube --init", "printf '%s\\n' ovnkube: --init")
    done = subprocess.run(
        ["bash", "-c", f"{text.replace('exit 9', ':')}\novnkube-controller-with-node\nwait", "ovnkube.sh"],
        env={"PATH": "/usr/bin:/bin", "K8S_NODE": "node1", **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    words = done.stdout.partition("\novnkube:\n")[2].split("\n")
    assert "--nodeport" in words, done.stdout + done.stderr
    return words


@pytest.mark.parametrize("on", [True, False])
def test_the_script_of_the_image_reads_its_environment_alike(on: bool) -> None:
    known = upstream("upstream-chart/ovnkube.sh").read_text(encoding="utf-8")
    switches = {name: option for name, option in {**SWITCHES, **OFF_AT}.items() if f"${{{name}" in known}
    valued = {name: option for name, option in VALUES.items() if f"${{{name}" in known and "TRANSIT" not in name}
    del switches["OVN_DISABLE_REQUESTEDCHASSIS"]
    given = {name: str(on).lower() for name in switches} | (dict.fromkeys(valued, "7") if on else {})
    words = (
        " ".join(words_of_image(given)).replace("--k8s-service-cidr=", "--k8s-service-cidrs=").replace("=", " ").split()
    )
    found = {word.removeprefix("--"): after for word, after in zip(words, [*words[1:], ""], strict=True)}
    assert {option for option in switches.values() if option in found} == (set(switches.values()) if on else set())
    if on:
        assert {found.get(option) for option in valued.values()} == {"7"}
