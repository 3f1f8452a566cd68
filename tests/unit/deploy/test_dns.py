"""What the components `dns` and `dns-own` give agrees with the code that they run."""

import pytest
from jsonpatch import JsonPatch

from ovnguard.reconciler.dns.commands.run import command as run
from tests.support.manifests.deploy_manifests import args_of, load

WORKLOADS = [("daemonset.yaml", 19448), ("deployment.yaml", 19449)]


def container_of(workload):
    (found,) = workload["spec"]["template"]["spec"]["containers"]
    return found


@pytest.mark.parametrize("mode", ["audit", "own"])
@pytest.mark.parametrize(("file", "port"), WORKLOADS)
def test_options_are_those_of_the_command(file, port, mode):
    (base,) = load(f"components/dns/{file}")
    container = container_of(base)
    if mode == "own":
        (patch,) = load(f"components/dns-own/{file}")
        container["args"] = container_of(patch)["args"]
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
