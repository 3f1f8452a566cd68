"""Every kustomization of deploy/ grants and mounts what the table says, which comes from the code, and nothing else."""

import re
from collections import Counter
from pathlib import PurePosixPath

import pytest

from ovnguard.reconciler.apply.kube import FIELD_MANAGER
from ovnguard.reconciler.apply.objects.attachment_writer import ATTACHMENT_MANAGER
from ovnguard.reconciler.apply.objects.object_owners import MANAGER
from ovnguard.reconciler.plan.bgp.routing import DEFAULT_ATTACHMENT
from ovnguard.reconciler.plan.pods.rendered_attachments import NETWORK_NAME
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.cluster.advertised_networks import NAMED_BY, OVNKUBE_NAMESPACES
from ovnguard.validators.network.declared.parse_nad import UPSTREAM_NETWORK_ID, UPSTREAM_TUNNEL_KEYS
from ovnguard.validators.network.model import NETWORK_ID_ANNOTATION, TRANSIT_ANNOTATION, TUNNEL_KEYS_ANNOTATION
from ovnguard.validators.policy import compile_policy
from tests.attacks.forged_attachments import LEADER as LEADER_ACCOUNT
from tests.attacks.forged_attachments import POLICY, default
from tests.support.manifests.deploy_manifests import args_of, load
from tests.support.manifests.kustomized import DEPLOY, components_of, composed, overlay
from tests.support.paths import ROOT
from tests.support.rights.granted import accounts, granted, mounted, of_role, unbound
from tests.support.rights.model import BASE, OURS
from tests.support.rights.reconciler_rights import FRR_NAMESPACE, LEADER
from tests.support.rights.rollout_rights import HOSTED
from tests.support.rights.table import MOUNTS, RIGHTS, mounts_with, rights_with

OVERLAYS = sorted(folder.name for folder in (DEPLOY / "overlays").iterdir())
COMPOSED = {
    "nothing": (),
    "zones": ("reconciler",),
    "leader": ("cluster",),
    "dns": ("dns",),
    "dns-own": ("dns", "dns-own"),
    "rollout": ("cluster", "rollout"),
    "rollout-own": ("cluster", "rollout", "rollout-own"),
    "everything": ("host-network", "reconciler", "cluster", "own", "rollout", "rollout-own", "dns", "dns-own",
                   "openshift-access", "monitoring", "cert-manager", "release"),
}  # fmt: skip
KUSTOMIZATIONS = [*OVERLAYS, *COMPOSED]
# What every container has.
RESOLVER = "/etc/resolv.conf"


def rendered(name):
    """The documents, and what they are made of."""
    if name in COMPOSED:
        return composed(COMPOSED[name]), [BASE, *COMPOSED[name]]
    return overlay(name), [BASE, *components_of(name), name]


@pytest.mark.parametrize("name", KUSTOMIZATIONS)
def test_rights_are_those_of_the_table(name):
    documents, parts = rendered(name)
    assert granted(documents) == Counter((each.subject, each.request) for each in rights_with(parts))
    assert unbound(documents) == set()


@pytest.mark.parametrize("name", KUSTOMIZATIONS)
def test_mounts_are_those_of_the_table(name):
    documents, parts = rendered(name)
    wanted = {key: (each.source, each.kind, each.writable) for key, each in mounts_with(parts).items()}
    assert mounted(documents) == wanted
    # no workload shares the account of another one
    assert all(account == workload for workload, account in accounts(documents).items())


@pytest.mark.parametrize("name", KUSTOMIZATIONS)
def test_files_that_options_name_are_in_mounts(name):
    documents, parts = rendered(name)
    table = mounts_with(parts)
    for workload in documents:
        if workload["kind"] in ("Deployment", "DaemonSet"):
            (container,) = workload["spec"]["template"]["spec"]["containers"]
            named = re.findall(r"=(?:unix:)?(/\S+)", "\n".join(args_of(container)))
            mine = [mount for (owner, _), mount in table.items() if owner == workload["metadata"]["name"]]
            files = [file for mount in mine for file in mount.files]
            unknown = {path for path in named if not any(file == path or file.startswith(f"{path}/") for file in files)}
            assert unknown <= {RESOLVER}


def test_every_component_is_among_the_kustomizations():
    assert {folder.name for folder in (DEPLOY / "components").iterdir()} == set(COMPOSED["everything"])


def test_rights_in_a_management_cluster_are_those_of_the_table():
    (role,) = load("hosted/rollout-role.yaml")
    assert role["metadata"]["namespace"] == HOSTED
    assert Counter(of_role(role, HOSTED)) == Counter(each.request for each in RIGHTS if each.component == "hosted")


def test_rows_of_the_table_name_modules_and_files_below_their_mount():
    for each in RIGHTS:
        assert each.idle or all((ROOT / module).is_file() for module in each.asker.split(", ")), each
    for mount in MOUNTS:
        assert (ROOT / mount.asker).is_file(), mount
        assert all(PurePosixPath(file).is_relative_to(mount.path) for file in mount.files), mount


@pytest.mark.parametrize("workload", ["ovnguard-dns", "ovnguard-reconciler"])
def test_no_workload_sees_more_of_the_host_than_folders_of_its_files(workload):
    """On a control plane, /etc/kubernetes has the key of the cluster's authority."""
    folders = {each.source for each in MOUNTS if each.workload == workload and each.kind}
    above = {str(parent) for folder in folders for parent in PurePosixPath(folder).parents}
    assert folders.isdisjoint(above | {"/etc/kubernetes/pki", "/var/lib/kubelet"})
    assert "/etc/kubernetes" in above or workload != "ovnguard-dns"


@pytest.mark.parametrize(
    ("component", "written"),
    [
        ("reconciler", {("default", "events", "create"), ("default", "events", "patch"),
                        (OURS, "configmaps", "create"), (OURS, "configmaps", "patch")}),
        ("cluster", {("", "events", "create"), ("", "events", "patch")}),
        ("rollout", {("openshift-ovn-kubernetes", "events", "create")}),
        ("dns", {(place, "events", verb) for place in ("default", "openshift-ingress")
                 for verb in ("create", "patch")}),
    ],
)  # fmt: skip
def test_an_audit_may_write_only_events_and_reports(component, written):
    rows = [each for each in RIGHTS if each.component == component]
    found = {(each.namespace, each.resource, each.verb) for each in rows if each.verb not in ("get", "list", "watch")}
    assert found == written


def test_frr_configurations_are_written_in_one_namespace():
    places = {each.namespace for each in RIGHTS if each.resource == "frrconfigurations" and each.verb == "create"}
    assert places == {FRR_NAMESPACE}
    # the other namespace of frr-k8s is that of OpenShift, which docs/audit-and-own.md patches
    page = (ROOT / "docs/audit-and-own.md").read_text(encoding="utf-8")
    assert f"value: {Settings().frr_namespace}" in page


def test_the_policy_about_attachments_says_what_the_code_writes():
    policy, binding = load(POLICY)
    assert binding["spec"] == {"policyName": policy["metadata"]["name"], "validationActions": ["Deny"]}
    assert policy["spec"]["failurePolicy"] == "Fail"
    (condition,) = policy["spec"]["matchConditions"]
    assert condition["expression"].endswith(f"== '{LEADER_ACCOUNT}'")
    assert LEADER_ACCOUNT.endswith(f":{LEADER}")
    (rule,) = policy["spec"]["matchConstraints"]["resourceRules"]
    assert rule["operations"] == ["CREATE", "UPDATE", "DELETE"]
    texts = {each["name"]: each["expression"] for each in policy["spec"]["variables"]}
    recorded = [NETWORK_ID_ANNOTATION, TUNNEL_KEYS_ANNOTATION, TRANSIT_ANNOTATION, NAMED_BY]
    assert re.findall(r"'([^']+)'", texts["marks"]) == recorded
    assert re.findall(r"'([^']+)'", texts["ours"]) == [FIELD_MANAGER]
    assert re.findall(r"'([^']+)'", texts["numbers"]) == [NETWORK_NAME, UPSTREAM_NETWORK_ID, UPSTREAM_TUNNEL_KEYS]
    assert re.findall(r"'([^']+)'", texts["makers"]) == [MANAGER, ATTACHMENT_MANAGER]
    assert f"{{'config': '{DEFAULT_ATTACHMENT}'}}" in texts["isDefault"]
    assert default()["spec"] == {"config": DEFAULT_ATTACHMENT}
    assert str(list(OVNKUBE_NAMESPACES)) in texts["isDefault"]


@pytest.mark.parametrize("file", ["reconciler/policy", "own/node-topology", "own/attachments"])
@pytest.mark.parametrize("release", ["1.30", "1.31", "1.32", "1.35", "1.37"])
def test_policies_about_accounts_are_accepted_by_every_release_that_has_policies(file, release):
    (policy,) = [each for each in load(f"components/{file}.yaml") if each["kind"] == "ValidatingAdmissionPolicy"]
    assert compile_policy(policy, release).name == policy["metadata"]["name"]
