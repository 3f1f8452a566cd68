"""What the components `reconciler` and `cluster` give agrees with the code that they run."""

from pathlib import Path

import pytest
from jsonpatch import JsonPatch

from reconciler.apply.kube_report import LABEL, PREFIX, ZONE, reports_in
from reconciler.commands.cluster import LEASE
from reconciler.commands.cluster import command as cluster
from reconciler.commands.rollout.run import LEASE as ROLLOUT_LEASE
from reconciler.commands.rollout.run import command as rollout
from reconciler.commands.run import command as run
from reconciler.loop.activity.leader_activity import ACTIVITY_RESOURCES
from reconciler.loop.events import CLUSTER_WIDE, EVENTS
from reconciler.loop.fabric.fabric_inputs import FABRIC_RESOURCES, OBJECTS
from reconciler.loop.lease import LEASES
from reconciler.loop.plan_inputs import ADVERTISEMENTS, DECLARING_RESOURCES, INPUT_RESOURCES, NAMESPACES
from reconciler.loop.rollout.rollout_report import NAME as REPORT
from reconciler.loop.rollout.rollout_resources import (
    DEPLOYMENTS,
    ROUTES,
    STATEFUL_SETS,
    WATCHED,
    WRITTEN,
    watched_hosted,
)
from reconciler.plan.rollout.other_writers import operator_deployment
from tests.support.manifests.deploy_manifests import args_of, load, named, rights
from validators.cluster.resources import CONFIG_MAPS, CUDNS, NADS, NODES, OPERATOR_NETWORKS, UDNS
from validators.network.designs.interconnect import NAME as CONFIGURATION
from validators.network.designs.interconnect import NAMESPACE

CLUSTER = "ovnguard-reconciler-cluster"
OURS = "ovnguard-system"
TOLD = {(EVENTS.group, EVENTS.plural, "*", verb) for verb in ("create", "get", "patch")}


def test_rights_of_the_reconciler_are_those_of_its_code():
    where = "components/reconciler/account.yaml"
    whole = [*DECLARING_RESOURCES, *(resource for resource, part in INPUT_RESOURCES if not part.namespace)]
    watched = {(each.group, each.plural, "*", verb) for each in whole for verb in ("list", "watch")}
    watched |= {(CONFIG_MAPS.group, CONFIG_MAPS.plural, "ovnkube-config", verb) for verb in ("list", "watch")}
    # it writes nothing besides Events about its Node
    assert rights(named("ClusterRole", "ovnguard-reconciler", None, where)) == watched
    assert rights(named("Role", "ovnguard-reconciler", CLUSTER_WIDE, where)) == TOLD


def test_a_zone_may_only_apply_config_maps_in_our_namespace_and_a_policy_says_which():
    """Applying an object that there is not needs both verbs; a right to create cannot name the object."""
    where = "components/reconciler/account.yaml"
    reported = {(CONFIG_MAPS.group, CONFIG_MAPS.plural, "*", verb) for verb in ("create", "patch")}
    assert rights(named("Role", "ovnguard-reconciler", OURS, where)) == reported
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
    ("file", "mode", "host", "frr"),
    [
        ("components/reconciler/daemonset.yaml", "audit", False, None),
        ("components/own/daemonset.yaml", "own", True, Path("/etc/frr/frr.conf")),
    ],
)
def test_options_of_the_reconciler_are_those_of_the_command(file, mode, host, frr):
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
        given = {name: context.params[name] for name in ("mode", "host", "frr_conf")}
        assert given == {"mode": mode, "host": host, "frr_conf": frr}
    # the folders that it writes to, and no others, are writable
    mounts = {each["mountPath"] for each in container["volumeMounts"] if not each.get("readOnly")} - {"/tmp"}
    written = {"/var/run/ovn", "/var/run/openvswitch", "/etc/frr"} if mode == "own" else set()
    assert mounts == written


def test_rights_of_an_auditing_leader_are_what_it_watches_and_events():
    where = "components/cluster/account.yaml"
    followed = (*ACTIVITY_RESOURCES, *FABRIC_RESOURCES)
    resources = (*DECLARING_RESOURCES, *(resource for resource, part in followed if not part.namespace))
    watched = {(each.group, each.plural, "*", verb) for each in resources for verb in ("list", "watch")}
    assert rights(named("ClusterRole", CLUSTER, None, where)) == watched | TOLD
    reports, part = reports_in(OURS)
    read = {(reports.group, reports.plural, "*", verb) for verb in ("list", "watch")}
    assert rights(named("Role", CLUSTER, part.namespace, where)) == read


@pytest.mark.parametrize("component", ["reconciler", "cluster"])
def test_an_audit_may_write_only_events_and_reports(component):
    roles = [each for each in load(f"components/{component}/account.yaml") if each["kind"].endswith("Role")]
    written = {
        (each["metadata"].get("namespace"), *right)
        for each in roles
        for right in rights(each)
        if right[-1] not in ("get", "list", "watch")
    }
    events = {(CLUSTER_WIDE if component == "reconciler" else None, *right) for right in TOLD if right[-1] != "get"}
    reports = {(OURS, CONFIG_MAPS.group, CONFIG_MAPS.plural, "*", verb) for verb in ("create", "patch")}
    assert written == events | (reports if component == "reconciler" else set())


def test_rights_that_own_adds_are_what_the_leader_writes():
    where, name, group = "components/own/rights.yaml", f"{CLUSTER}-own", LEASES.group
    recorded = {(each.group, each.plural, "*", "patch") for each in (CUDNS, UDNS, NADS, NODES)}
    reported = {(each.group, f"{each.plural}/status", "*", "patch") for each in (CUDNS, UDNS, ADVERTISEMENTS)}
    published = {(each.group, each.plural, "*", verb) for each in OBJECTS for verb in ("create", "update", "delete")}
    published |= {(NADS.group, NADS.plural, "*", verb) for verb in ("create", "delete")}
    owner = {(NAMESPACES.group, NAMESPACES.plural, "ovnguard-system", "get")}
    assert rights(named("ClusterRole", name, None, where)) == recorded | reported | published | owner
    held = {(group, LEASES.plural, LEASE, verb) for verb in ("get", "update")}
    assert rights(named("Role", name, "ovnguard-system", where)) == {(group, LEASES.plural, "*", "create"), *held}
    bound = [each for each in load(where) if each["kind"].endswith("Binding")]
    assert [(each["roleRef"]["name"], [to["name"] for to in each["subjects"]]) for each in bound] == [
        (name, [CLUSTER])
    ] * 2


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
        assert (context.params["release"], context.params["image"]) == ("4.14.20", "ovn-kubernetes")


def test_rights_of_the_rollout_are_what_it_reads_and_in_own_mode_what_it_writes():
    name, where, own = "ovnguard-rollout", "components/rollout/account.yaml", "components/rollout-own/rights.yaml"
    read = {
        verb: {(each.group, each.plural) for each, part in WATCHED if part.namespace == ""}
        for verb in ("list", "watch")
    }
    networks = (OPERATOR_NETWORKS.group, OPERATOR_NETWORKS.plural)
    assert rights(named("ClusterRole", name, None, where)) == {
        (*each, "*", verb) for verb, found in {**read, "get": {networks}}.items() for each in found
    }
    parts = {(each.group, each.plural, part.name or "*") for each, part in WATCHED if part.namespace == NAMESPACE}
    got = {each for each in parts if each[1] != "pods"}
    assert rights(named("Role", name, NAMESPACE, where)) == (
        {(*each, verb) for each in parts for verb in ("list", "watch")} | {(*each, "get") for each in got} | TOLD
    )
    config_map = (CONFIG_MAPS.group, CONFIG_MAPS.plural, CONFIGURATION)
    written = {(each.group, each.plural) for each in WRITTEN if each not in (STATEFUL_SETS, ROUTES)}
    looked_at = {(*each, "*", "get") for each in written if each[0] != "apps"}
    assert rights(named("Role", f"{name}-own", NAMESPACE, own)) == (
        {(*each, "*", verb) for each in written for verb in ("create", "patch", "delete")}
        | looked_at
        | {(*config_map[:2], "*", "create"), (*config_map, "patch"), (*config_map, "delete")}
    )
    operator = (DEPLOYMENTS.group, DEPLOYMENTS.plural, operator_deployment("")[1], "get")
    assert rights(named("ClusterRole", f"{name}-own", None, own)) == {operator}
    report, lease = (*config_map[:2], REPORT), (LEASES.group, LEASES.plural, ROLLOUT_LEASE)
    assert rights(named("Role", f"{name}-own", OURS, own)) == {
        (*report[:2], "*", "create"), (*report, "get"), (*report, "patch"),
        (*lease[:2], "*", "create"), (*lease, "get"), (*lease, "update"),
    }  # fmt: skip


def test_rights_in_a_management_cluster_are_what_is_there():
    (role,) = load("hosted/rollout-role.yaml")
    watched = {(each.group, each.plural) for each, _ in watched_hosted("clusters-example")}
    written = {
        (each.group, each.plural) for each in WRITTEN if each.plural not in ("daemonsets", "poddisruptionbudgets")
    }
    assert rights(role) == {(*each, "*", verb) for each in watched for verb in ("list", "watch")} | {
        (*each, "*", verb) for each in written for verb in ("get", "create", "patch", "delete")
    }


@pytest.mark.parametrize("overlay", ["openshift", "cert-manager"])
def test_monitoring_comes_after_what_it_opens(overlay):
    (kustomization,) = load(f"overlays/{overlay}/kustomization.yaml")
    names = [each.rpartition("/")[2] for each in kustomization["components"]]
    assert names.index("monitoring") > max(names.index("reconciler"), names.index("cluster"))
