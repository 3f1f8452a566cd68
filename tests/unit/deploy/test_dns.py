"""What the components `dns` and `dns-own` give agrees with the code that they run."""

import pytest
from jsonpatch import JsonPatch

from reconciler.commands.dns.run import LEASE
from reconciler.commands.dns.run import command as run
from reconciler.loop.dns.dns_resources import DNS_RESOURCES, INFRASTRUCTURES
from reconciler.loop.events import CLUSTER_WIDE, EVENTS
from reconciler.loop.lease import LEASES
from tests.support.manifests.deploy_manifests import args_of, load, named, rights

ACCOUNT, OWN = "components/dns/account.yaml", "components/dns-own/rights.yaml"
NODE, LEADER = "ovnguard-dns", "ovnguard-dns-leader"
TOLD = {(EVENTS.group, EVENTS.plural, "*", verb) for verb in ("create", "get", "patch")}
WORKLOADS = [("daemonset.yaml", 19448), ("deployment.yaml", 19449)]


def watched_in(namespace):
    return {
        (resource.group, resource.plural, part.name or "*", verb)
        for resource, part in DNS_RESOURCES
        for verb in ("list", "watch")
        if part.namespace == namespace
    }


def container_of(workload):
    (found,) = workload["spec"]["template"]["spec"]["containers"]
    return found


def test_rights_are_to_watch_and_to_report():
    assert rights(named("ClusterRole", NODE, None, ACCOUNT)) == watched_in("")
    assert rights(named("Role", NODE, "openshift-ingress", ACCOUNT)) == watched_in("openshift-ingress") | TOLD
    controllers = "openshift-ingress-operator"
    assert rights(named("Role", NODE, controllers, ACCOUNT)) == watched_in(controllers)
    assert rights(named("Role", NODE, CLUSTER_WIDE, ACCOUNT)) == TOLD


def test_accounts_and_kubelets_have_them():
    bindings = [each for each in load(ACCOUNT) if each["kind"].endswith("Binding")]
    assert len(bindings) == 4
    for each in bindings:
        assert [subject["name"] for subject in each["subjects"]] == [NODE, LEADER, "system:nodes"]


def test_only_the_leader_gets_more_from_own():
    status = (INFRASTRUCTURES.group, f"{INFRASTRUCTURES.plural}/status", "cluster", "patch")
    assert rights(named("ClusterRole", LEADER, None, OWN)) == {status}
    held = {(LEASES.group, LEASES.plural, LEASE, verb) for verb in ("get", "update")}
    lease = {(LEASES.group, LEASES.plural, "*", "create")} | held
    assert rights(named("Role", LEADER, "ovnguard-system", OWN)) == lease
    bindings = [each for each in load(OWN) if each["kind"].endswith("Binding")]
    assert [[subject["name"] for subject in each["subjects"]] for each in bindings] == [[LEADER]] * 2


@pytest.mark.parametrize("mode", ["audit", "own"])
@pytest.mark.parametrize(("file", "port"), WORKLOADS)
def test_options_are_those_of_the_command(file, port, mode):
    (base,) = load(f"components/dns/{file}")
    container = container_of(base)
    mounts = {each["name"]: each for each in container["volumeMounts"]}
    if mode == "own":
        (patch,) = load(f"components/dns-own/{file}")
        changes = container_of(patch)
        container["args"] = changes["args"]
        mounts |= {each["name"]: each for each in changes.get("volumeMounts", [])}
    *words, first, second = reversed(args_of(container))
    assert (second, first) == ("dns", "run")
    with run.make_context("run", list(reversed(words))) as context:
        assert (context.params["mode"], context.params["probes"]) == (mode, ("127.0.0.1", port))
        assert context.params["record"] is (file == "deployment.yaml")
        pod = context.params["static_pod"]
        written = [context.params["corefile"], pod]
        assert bool(context.params["coredns_image"] and context.params["monitor_image"]) is (pod is not None)
    folders = ["/etc/coredns", "/etc/kubernetes"] if port == 19448 else []
    assert [str(each) for each in written if each] == [each.replace("coredns", "coredns/Corefile") for each in folders]
    # the folders that it writes to, and no others, are writable
    writable = {each["mountPath"] for each in mounts.values() if not each.get("readOnly")} - {"/tmp"}
    assert writable == (set(folders) if mode == "own" else set())


@pytest.mark.parametrize(("file", "port"), WORKLOADS)
def test_probes_and_metrics_stay_on_the_node_without_monitoring(file, port):
    (workload,) = load(f"components/dns/{file}")
    container = container_of(workload)
    assert container["ports"] == [{"name": "metrics", "containerPort": port, "hostPort": port}]
    probes = ("readinessProbe", "livenessProbe")
    assert [container[name]["httpGet"]["host"] for name in probes] == ["127.0.0.1"] * 2
    (kustomization,) = load("components/monitoring/kustomization.yaml")
    target = {"kind": workload["kind"], "name": workload["metadata"]["name"]}
    (path,) = [each["path"] for each in kustomization["patches"] if each.get("target") == target]
    (steps,) = load(f"components/monitoring/{path}")
    opened = container_of(JsonPatch(steps).apply(workload))
    assert args_of(opened)[-1] == f"--metrics-bind-address=[10.0.0.1]:{port}"
    assert [opened[name]["httpGet"].get("host") for name in probes] == [None, None]


def test_prometheus_scrapes_both():
    (monitor,) = [each for each in load("components/monitoring/scrape.yaml") if each["kind"] == "PodMonitor"]
    (expression,) = monitor["spec"]["selector"]["matchExpressions"]
    for file, _ in WORKLOADS:
        (workload,) = load(f"components/dns/{file}")
        assert workload["spec"]["template"]["metadata"]["labels"][expression["key"]] in expression["values"]


@pytest.mark.parametrize(("file", "user"), [("daemonset.yaml", {"runAsUser": 0}), ("deployment.yaml", {})])
def test_pods_are_hardened(file, user):
    (workload,) = load(f"components/dns/{file}")
    pod = workload["spec"]["template"]["spec"]
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert user or pod["securityContext"]["runAsNonRoot"] is True
    hardened = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
    assert container_of(workload)["securityContext"] == user | hardened
