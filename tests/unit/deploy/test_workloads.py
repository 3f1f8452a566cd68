"""deploy/ as text: what the files say agrees with the code that they run."""

import re
import tomllib

import click
import pytest
import yaml
from jsonpatch import JsonPatch

from ovnguard.webhook.cli import cli, serve
from ovnguard.webhook.commands.client_networks import API_SERVERS
from ovnguard.webhook.commands.registration import NAMESPACE
from tests.support.manifests.deploy_manifests import DEPLOY, args_of, load, named
from tests.support.manifests.kustomized import overlay
from tests.support.paths import ROOT

KUSTOMIZATIONS = sorted(DEPLOY.rglob("kustomization.yaml"))


def documents(kind):
    return [
        (path.relative_to(DEPLOY), document)
        for path in sorted(DEPLOY.rglob("*.yaml"))
        if not {"chart", "examples"} & {*path.parts}
        for document in load(path)
        if isinstance(document, dict) and document.get("kind") == kind
    ]


def release():
    """That of the distribution."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


def test_cert_manager_takes_away_the_rule_about_registrations():
    (target,) = [
        patch
        for patch in load("components/cert-manager/kustomization.yaml")[0]["patches"]
        if patch.get("target", {}).get("kind") == "ClusterRole"
    ]
    role = named("ClusterRole", "ovnguard-webhook")
    (remove,) = [step["path"] for step in yaml.safe_load(target["patch"]) if step["op"] == "remove"]
    rule = role["rules"][int(remove.rpartition("/")[2])]
    assert rule["apiGroups"] == ["admissionregistration.k8s.io"]


def parent():
    """What the command inherits; it keeps what it found at its first use."""
    return click.Context(cli, info_name="ovnguard-webhook", **cli.context_settings)


def patches_of_arguments(component):
    """What a component does to the arguments of the webhook, as a patch in its kustomization or a file of it."""
    folder = DEPLOY / "components" / component
    for patch in yaml.safe_load((folder / "kustomization.yaml").read_text(encoding="utf-8"))["patches"]:
        if patch.get("target", {}).get("kind") == "Deployment":
            text = patch.get("patch") or (folder / patch["path"]).read_text(encoding="utf-8")
            yield from (step for step in yaml.safe_load(text) if "/args/" in step["path"])


@pytest.mark.parametrize("components", [(), ("cert-manager",), ("monitoring",), ("monitoring", "cert-manager")])
def test_options_are_those_of_the_command(components):
    (deployment,) = load("base/deployment.yaml")
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    prefix = "/spec/template/spec/containers/0"
    steps = [step for component in components for step in patches_of_arguments(component)]
    moved = [{**step, "path": step["path"].removeprefix(prefix)} for step in steps]
    command, *options = args_of(JsonPatch(moved).apply(container))
    assert command == "serve"
    # parsed as the command would, and not run
    with serve.make_context("serve", options, parent()) as context:
        assert context.params["in_cluster"] is True
        assert (context.params["port"], context.params["workers"]) == (8443, 2)
        # only API servers may ask, and only clients with a certificate see metrics
        assert API_SERVERS in context.params["client_network"]
        assert (context.params["metrics_port"] is None) is (context.params["metrics_client_ca"] is None)


def test_options_that_there_are_not_are_found():
    with pytest.raises(click.NoSuchOption, match="--metric-port"):
        serve.make_context("serve", ["--metric-port=8080"], parent())


@pytest.mark.parametrize("path", ["base/deployment.yaml", "components/host-network/deployment.yaml"])
def test_ports_agree(path):
    (deployment,) = load(path)
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    (port,) = [each["value"] for each in container["env"] if each["name"] == "PORT"]
    ports = [each for each in container["ports"] if "name" in each]
    assert [each["containerPort"] for each in ports] == [int(port)]
    assert {each.get("hostPort", int(port)) for each in ports} == {int(port)}


def test_webhook_pods_are_hardened():
    (deployment,) = load("base/deployment.yaml")
    pod = deployment["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["securityContext"] == {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert set(container["resources"]) == {"requests", "limits"}
    assert {"startupProbe", "readinessProbe", "livenessProbe"} <= set(container)
    assert (deployment["spec"]["replicas"], pod["priorityClassName"]) == (2, "system-cluster-critical")
    (apart,) = pod["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert apart["topologyKey"] == "kubernetes.io/hostname"
    assert apart["labelSelector"] == deployment["spec"]["selector"]


@pytest.mark.parametrize(
    ("path", "user"),
    [
        ("components/reconciler/daemonset.yaml", {"runAsUser": 0}),
        ("components/cluster/deployment.yaml", {}),
        ("base/ca-bundle.yaml", {}),
    ],
)
def test_pods_of_components_are_hardened(path, user):
    """What the Pod Security level of their namespace no longer enforces, besides the host's network and socket."""
    workload = load(path)[-1]
    pod = workload["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert user or pod["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"] == user | {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert "privileged" not in container["securityContext"]
    name = pod["serviceAccountName"]
    (account,) = [each for _, each in documents("ServiceAccount") if each["metadata"]["name"] == name]
    assert account["automountServiceAccountToken"] is False


@pytest.mark.parametrize("component", [None, "host-network", "reconciler", "cluster"])
def test_pod_security_of_the_namespace(component):
    """Restricted, unless a component needs the host; its audit still tells what is not restricted."""
    (base,) = load("base/namespace.yaml")
    labels = base["metadata"]["labels"]
    if component is not None:
        (patch,) = load(f"components/{component}/namespace.yaml")
        labels |= patch["metadata"]["labels"]
    prefix = "pod-security.kubernetes.io/"
    level = "restricted" if component is None else "privileged"
    found = {key.removeprefix(prefix): value for key, value in labels.items() if key.startswith(prefix)}
    assert found == {"enforce": level, "audit": "restricted", "warn": level}


def test_selectors_meet_the_pods():
    (deployment,) = load("base/deployment.yaml")
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    for path, where in (
        ("base/service.yaml", ("spec", "selector")),
        ("base/disruption.yaml", ("spec", "selector", "matchLabels")),
        ("base/networkpolicy.yaml", ("spec", "podSelector", "matchLabels")),
    ):
        (document,) = load(path)
        for key in where:
            document = document[key]
        assert document == labels, path


def test_own_brings_no_policy_that_nobody_enforces():
    policies = {
        name: [each for each in overlay(name) if each["kind"] == "NetworkPolicy"] for name in ("own", "kubernetes")
    }
    assert policies["own"] == []
    assert [each["metadata"]["name"] for each in policies["kubernetes"]] == ["ovnguard-webhook"]


def test_release_is_that_of_the_distribution():
    version = release()
    tags = {
        path.parent.name: image["newTag"]
        for path in KUSTOMIZATIONS
        for image in yaml.safe_load(path.read_text(encoding="utf-8")).get("images", [])
    }
    assert tags == {"cert-manager": version, "dev": "dev", "kubernetes": version, "openshift": version, "own": version}


@pytest.mark.parametrize("name", sorted(path.name for path in (DEPLOY / "overlays").iterdir()))
def test_every_object_tells_the_release(name):
    names = ("app.kubernetes.io/part-of", "app.kubernetes.io/version")
    found = [tuple(each["metadata"].get("labels", {}).get(label) for label in names) for each in overlay(name)]
    assert set(found) == {("ovnguard", release())}


def test_every_file_is_named_by_a_kustomization():
    used = set()
    for path in KUSTOMIZATIONS:
        kustomization = yaml.safe_load(path.read_text(encoding="utf-8"))
        used.add(path)
        named_files = [
            *kustomization.get("resources", []),
            *(patch["path"] for patch in kustomization.get("patches", []) if "path" in patch),
            *(f.partition("=")[2] for each in kustomization.get("configMapGenerator", []) for f in each["files"]),
        ]
        used |= {(path.parent / each).resolve() for each in named_files}
    folders = ("base", "components", "overlays")
    assert {path for folder in folders for path in (DEPLOY / folder).rglob("*.*") if path.is_file()} <= used


def test_only_accounts_that_record_are_passed_over():
    roles = {
        document["metadata"]["name"]
        for _, document in documents("ClusterRole")
        if any("patch" in rule["verbs"] and "k8s.ovn.org" in rule["apiGroups"] for rule in document["rules"])
    }
    recording = {
        subject["name"]
        for _, document in documents("ClusterRoleBinding")
        for subject in document["subjects"]
        if document["roleRef"]["name"] in roles and subject["kind"] == "ServiceAccount"
    }
    (registration,) = load("base/validating.yaml")
    (condition,) = [
        each["expression"] for each in registration["webhooks"][0]["matchConditions"] if each["name"] == "not-our-own"
    ]
    assert recording == set(re.findall(rf"'system:serviceaccount:{NAMESPACE}:([\w-]+)'", condition))
