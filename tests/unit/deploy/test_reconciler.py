"""What the components `reconciler` and `cluster` give agrees with the code that they run."""

from pathlib import Path

import pytest
from jsonpatch import JsonPatch

from ovnguard.reconciler.apply.kube_report import LABEL, PREFIX, ZONE
from ovnguard.reconciler.commands.cluster import command as cluster
from ovnguard.reconciler.commands.run import command as run
from ovnguard.reconciler.rollout.commands.run import command as rollout
from ovnguard.validators.cluster.resources import CONFIG_MAPS
from tests.support.manifests.deploy_manifests import args_of, load

CLUSTER = "ovnguard-reconciler-cluster"
OURS = "ovnguard-system"


def test_a_policy_says_which_config_map_a_zone_may_apply():
    policy, binding = load("components/reconciler/policy.yaml")
    (condition,) = policy["spec"]["matchConditions"]
    assert condition["expression"].endswith(f"== 'system:serviceaccount:{OURS}:ovnguard-reconciler'")
    (rule,) = policy["spec"]["matchConstraints"]["resourceRules"]
    assert (rule["resources"], rule["operations"]) == ([CONFIG_MAPS.plural], ["CREATE", "UPDATE", "DELETE"])
    assert policy["spec"]["failurePolicy"] == "Fail"
    name, label = (each["expression"] for each in policy["spec"]["validations"])
    assert f"variables.name == '{PREFIX}' + variables.node" in name
    assert label.endswith(f"?labels[?'{LABEL}'].orValue('') == '{ZONE}'")
    assert binding["spec"] == {"policyName": policy["metadata"]["name"], "validationActions": ["Deny"]}


@pytest.mark.parametrize(
    ("file", "mode", "host", "frr", "cni"),
    [
        ("components/reconciler/daemonset.yaml", "audit", False, None, None),
        ("components/own/daemonset.yaml", "own", True, Path("/etc/frr/frr.conf"), Path("/etc/cni/net.d")),
    ],
)
def test_options_of_the_reconciler_are_those_of_the_command(file, mode, host, frr, cni):
    (base,) = load("components/reconciler/daemonset.yaml")
    (daemon,) = load(file)
    pod = daemon["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    environment = base["spec"]["template"]["spec"]["containers"][0]
    assert environment["command"] == ["ovnguard-reconciler"]
    first, *options = args_of({**environment, **container})
    assert first == "run"
    with run.make_context("run", options) as context:
        assert context.params["record"] is False
        assert context.params["probes"] == ("127.0.0.1", 19445)
        assert context.params["report"] == OURS
        assert context.params["nb_db"] == "unix:/var/run/ovn/ovnnb_db.sock"
        given = {name: context.params[name] for name in ("mode", "host", "frr_conf", "cni_conf_dir")}
        assert given == {"mode": mode, "host": host, "frr_conf": frr, "cni_conf_dir": cni}


@pytest.mark.parametrize(
    ("file", "mode", "replicas"),
    [("components/cluster/deployment.yaml", "audit", 1), ("components/own/deployment.yaml", "own", 2)],
)
def test_options_of_the_leader_are_those_of_the_command(file, mode, replicas):
    (base,) = load("components/cluster/deployment.yaml")
    (deployment,) = load(file)
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    assert deployment["spec"]["replicas"] == replicas
    first, *options = args_of({**base["spec"]["template"]["spec"]["containers"][0], **container})
    assert first == "cluster"
    with cluster.make_context("cluster", options) as context:
        assert context.params["mode"] == mode
        assert context.params["probes"] == ("127.0.0.1", 19446)
        assert context.params["namespace"] == deployment["metadata"]["namespace"]


@pytest.mark.parametrize("overlay", ["kubernetes", "openshift", "cert-manager", "own"])
def test_only_the_overlay_own_writes(overlay):
    (kustomization,) = load(f"overlays/{overlay}/kustomization.yaml")
    components = {each.rpartition("/")[2] for each in kustomization["components"]}
    assert {"reconciler", "cluster"} <= components
    assert ("own" in components) is (overlay == "own")


WORKLOADS = [
    ("components/reconciler/daemonset.yaml", 19445),
    ("components/cluster/deployment.yaml", 19446),
    ("components/rollout/deployment.yaml", 19447),
]
COMMANDS = {"ovnguard-reconciler": run, "ovnguard-reconciler-cluster": cluster, "ovnguard-rollout": rollout}


def opened(workload):
    """The container as the component `monitoring` leaves it; the patch names its target by kind and name."""
    (kustomization,) = load("components/monitoring/kustomization.yaml")
    target = {"kind": workload["kind"], "name": workload["metadata"]["name"]}
    (path,) = [each["path"] for each in kustomization["patches"] if each.get("target") == target]
    (steps,) = load(f"components/monitoring/{path}")
    return JsonPatch(steps).apply(workload)["spec"]["template"]["spec"]["containers"][0]


def options_of(container):
    """The arguments without the names of the command."""
    return [each for each in args_of(container) if each.startswith("--")]


@pytest.mark.parametrize(("file", "port"), WORKLOADS)
def test_probes_and_metrics_stay_on_the_node_without_monitoring(file, port):
    (workload,) = load(file)
    (container,) = workload["spec"]["template"]["spec"]["containers"]
    assert workload["spec"]["template"]["spec"]["hostNetwork"] is True
    assert container["ports"] == [{"name": "metrics", "containerPort": port, "hostPort": port}]
    probes = {name: container[name]["httpGet"] for name in ("readinessProbe", "livenessProbe")}
    assert probes == {
        "readinessProbe": {"host": "127.0.0.1", "path": "/readyz", "port": "metrics"},
        "livenessProbe": {"host": "127.0.0.1", "path": "/healthz", "port": "metrics"},
    }
    command = COMMANDS[workload["metadata"]["name"]]
    for ready, address in ((container, "127.0.0.1"), (opened(workload), "10.0.0.1")):
        options = options_of(ready)
        with command.make_context(command.name, options) as context:
            assert context.params["probes"] == (address, port)
        # the kubelet asks the address that the process listens on: without a host, that of the Pod
        assert {ready[name]["httpGet"].get("host", "10.0.0.1") for name in probes} == {address}


def test_prometheus_scrapes_what_the_workloads_offer():
    (monitor,) = [each for each in load("components/monitoring/scrape.yaml") if each["kind"] == "PodMonitor"]
    (endpoint,) = monitor["spec"]["podMetricsEndpoints"]
    (expression,) = monitor["spec"]["selector"]["matchExpressions"]
    assert (endpoint["port"], endpoint["path"], endpoint["scheme"]) == ("metrics", "/metrics", "http")
    for file, _ in WORKLOADS:
        (workload,) = load(file)
        labels = workload["spec"]["template"]["metadata"]["labels"]
        assert monitor["spec"]["selector"]["matchLabels"].items() <= labels.items()
        assert labels[expression["key"]] in expression["values"]


@pytest.mark.parametrize("component", ["cluster", "rollout"])
def test_a_new_leader_needs_no_second_port_on_its_node(component):
    (deployment,) = load(f"components/{component}/deployment.yaml")
    assert deployment["spec"]["strategy"]["rollingUpdate"] == {"maxSurge": 0, "maxUnavailable": 1}


@pytest.mark.parametrize(("component", "mode", "replicas"), [("rollout", "audit", 1), ("rollout-own", "own", 2)])
def test_options_of_the_rollout_are_those_of_the_command(component, mode, replicas):
    (base,) = load("components/rollout/deployment.yaml")
    (deployment,) = load(f"components/{component}/deployment.yaml")
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    assert deployment["spec"]["replicas"] == replicas
    whole = {**base["spec"]["template"]["spec"]["containers"][0], **container}
    assert args_of(whole)[:2] == ["rollout", "run"]
    with rollout.make_context("run", options_of(whole)) as context:
        assert (context.params["mode"], context.params["namespace"]) == (mode, OURS)
        assert context.params["release"] == "4.14.20"
        own = (Path("/manifests"), Path("/values/values.yaml"))
        assert (context.params["manifests"], context.params["values"]) == (own if mode == "own" else (None, None))


@pytest.mark.parametrize("overlay", ["openshift", "cert-manager"])
def test_monitoring_comes_after_what_it_opens(overlay):
    (kustomization,) = load(f"overlays/{overlay}/kustomization.yaml")
    names = [each.rpartition("/")[2] for each in kustomization["components"]]
    assert names.index("monitoring") > max(names.index("reconciler"), names.index("cluster"))
