"""The static pod of CoreDNS."""

from dataclasses import replace
from ipaddress import ip_address

from ovnguard.reconciler.dns.plan.served_names import Dialect
from ovnguard.reconciler.dns.plan.static_pod import StaticPodInput, static_pod

BASE = StaticPodInput(Dialect.RELEASED, "AWS", "coredns:1", "monitor:2")
IPS = (ip_address("10.0.0.5"), ip_address("fd00::5"))


def commands(wanted):
    spec = static_pod(wanted).manifest["spec"]
    return {each["name"]: each.get("command") for each in (*spec["initContainers"], *spec["containers"])}


def test_the_pod_is_part_of_the_node():
    manifest = static_pod(BASE).manifest
    assert (manifest["apiVersion"], manifest["kind"]) == ("v1", "Pod")
    assert (manifest["metadata"]["name"], manifest["metadata"]["namespace"]) == (
        "coredns",
        "openshift-cloud-platform-infra",
    )
    assert manifest["metadata"]["labels"] == {"app": "cloud-platform-infra-coredns"}
    assert manifest["spec"]["hostNetwork"] is True
    assert manifest["spec"]["priorityClassName"] == "system-node-critical"
    assert [each["name"] for each in manifest["spec"]["containers"]] == ["coredns", "coredns-monitor"]


def test_coredns_reads_its_file_and_answers_about_its_health():
    coredns = static_pod(BASE).manifest["spec"]["containers"][0]
    assert (coredns["image"], coredns["args"]) == ("coredns:1", ["--conf", "/etc/coredns/Corefile"])
    assert coredns["livenessProbe"]["httpGet"] == {"path": "/health", "port": 18080, "scheme": "HTTP"}


def test_every_mount_has_its_volume():
    spec = static_pod(BASE).manifest["spec"]
    volumes = {each["name"] for each in spec["volumes"]}
    for container in (*spec["initContainers"], *spec["containers"]):
        assert {mount["name"] for mount in container["volumeMounts"]} <= volumes


def test_the_released_api_passes_the_addresses_to_runtimecfg():
    wanted = replace(BASE, ingress=IPS, api_int=(ip_address("10.0.0.6"),))
    addresses = [
        *("--cloud-ext-lb-ips", ""),
        *("--cloud-int-lb-ips", "10.0.0.6"),
        *("--cloud-ingress-lb-ips", "10.0.0.5,fd00::5"),
        *("--platform-type", "AWS"),
    ]
    kubeconfig = "/var/lib/kubelet/kubeconfig"
    assert commands(wanted) == {
        "render-config-coredns": [
            *("runtimecfg", "render", kubeconfig, *addresses, "/config", "--out-dir", "/etc/coredns"),
            *("--resolvconf-path", "/etc/resolv.conf"),
        ],
        "coredns": None,
        "coredns-monitor": [
            *("corednsmonitor", kubeconfig, "/config/Corefile.tmpl", "/etc/coredns/Corefile", *addresses),
        ],
    }


def test_the_proposed_api_follows_the_load_balancer():
    follow = ["ovnguard-reconciler", "dns", "run", "--kubeconfig", "/var/lib/kubelet/kubeconfig"]
    follow += ["--corefile", "/etc/coredns/Corefile", "--mode", "own"]
    assert commands(replace(BASE, dialect=Dialect.PROPOSED, ingress=IPS)) == {
        "render-config-coredns": [*follow, "--once"],
        "coredns": None,
        "coredns-monitor": follow,
    }


def test_the_proposed_api_waits_for_the_ingress():
    waiting = static_pod(replace(BASE, dialect=Dialect.PROPOSED, api_int=IPS))
    assert (waiting.path, waiting.is_enabled) == ("/etc/kubernetes/disabled-manifests/coredns.yaml", False)
    ready = static_pod(replace(BASE, dialect=Dialect.PROPOSED, ingress=IPS))
    assert (ready.path, ready.is_enabled) == ("/etc/kubernetes/manifests/coredns.yaml", True)


def test_the_released_api_waits_for_api_int():
    assert static_pod(replace(BASE, api_int=IPS)).is_enabled
    assert not static_pod(replace(BASE, ingress=IPS)).is_enabled
