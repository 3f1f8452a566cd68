"""What `ovnguard-reconciler rollout run` may do."""

from collections.abc import Iterator

from ovnguard.reconciler.loop.process.events import EVENTS
from ovnguard.reconciler.rollout.commands.run import LEASE
from ovnguard.reconciler.rollout.loop.rollout_report import NAME as REPORT
from ovnguard.reconciler.rollout.loop.rollout_resources import (
    DEPLOYMENTS,
    WATCHED,
    WRITTEN,
    watched_hosted,
)
from ovnguard.reconciler.rollout.plan.other_writers import operator_deployment
from ovnguard.validators.cluster.resources import CONFIG_MAPS, OPERATOR_NETWORKS, Resource
from ovnguard.validators.network.ovnkube_settings.interconnect import NAME, NAMESPACE
from tests.support.rights.model import OURS, Grant, Mount, Right

ROLLOUT, MANAGEMENT = "ovnguard-rollout", "user of --management-kubeconfig"
HOSTED = "clusters-example"
_MONITORING = ("servicemonitors", "prometheusrules")
_OWN = ("services", "serviceaccounts", "roles", "rolebindings", "operatorpkis")
_KEPT = ("prometheusrules", "serviceaccounts", "operatorpkis", "namespaces", "resourcequotas", "configmaps",
         "customresourcedefinitions", "flowschemas")  # fmt: skip
_RIGHTS = ("control-plane-limited", "controller", "controller-limited", "node", "node-limited")
_DEFINED = ("adminpolicybasedexternalroutes", "egressfirewalls", "egressips", "egressqoses", "egressservices")
_NAMED = {
    "namespaces": (NAMESPACE, "openshift-host-network"),
    "resourcequotas": ("host-network-namespace-quotas",),
    "configmaps": ("openshift-network-features",),
    "customresourcedefinitions": tuple(f"{each}.k8s.ovn.org" for each in _DEFINED),
    "flowschemas": (NAMESPACE,),
    "clusterroles": tuple(f"{NAMESPACE}-{each}" for each in (*_RIGHTS, "cluster-reader", "kube-rbac-proxy")),
    "clusterrolebindings": tuple(f"{NAMESPACE}-{each}" for each in (*_RIGHTS, "node-kube-rbac-proxy")),
}
"""The objects of no namespace, or of another one than the operator's main one."""
_GONE = (f"{NAMESPACE}-controller", f"{NAMESPACE}-node")
_UNUSED = {
    "namespaces": "every cluster of the tests has them",
    **{
        f"{each}.k8s.ovn.org": "every cluster of 4.13 has it, with the same content"
        for each in ("egressfirewalls", "egressips", "egressqoses")
    },
    "flowschemas": "the API server of the tests does not serve it",
}
READER, APPLIER = "reconciler/rollout/loop/rollout_reader.py", "reconciler/apply/objects/server_side_apply.py"


def rights() -> Iterator[Right]:
    """Rights of the process, and in a management cluster."""
    reading = Grant(ROLLOUT, "rollout", "reconciler/rollout/loop/rollout_resources.py")
    yield from reading.watch(WATCHED)
    got = reading._replace(asker=READER)
    yield from got.of("get", OPERATOR_NETWORKS)
    for resource, part in WATCHED:
        if part.namespace and resource.plural != "pods":
            yield from got.of("get", resource, part.name or "*", NAMESPACE)
    # nothing that it reports is counted
    yield from reading._replace(asker="reconciler/loop/process/events.py").of("create", EVENTS, namespace=NAMESPACE)
    writing = Grant(ROLLOUT, "rollout-own", APPLIER)
    yield from _manifests(writing)
    executing = writing._replace(asker="reconciler/rollout/loop/step_executor.py")
    yield from executing.of("create", CONFIG_MAPS, namespace=NAMESPACE)
    yield from executing.of("patch delete", CONFIG_MAPS, NAME, NAMESPACE)
    operator = writing._replace(asker="reconciler/rollout/loop/operator_check.py")
    yield from operator.of("get", DEPLOYMENTS, operator_deployment("")[1])
    reporting = writing._replace(asker="reconciler/rollout/loop/rollout_report.py")
    yield from reporting.of("get create patch", CONFIG_MAPS, REPORT, OURS)
    yield from writing.lead(LEASE)
    yield from _hosted()


def _hosted() -> Iterator[Right]:
    reading = Grant(MANAGEMENT, "hosted", "reconciler/rollout/loop/rollout_resources.py")
    yield from reading.watch(watched_hosted(HOSTED))
    writing = reading._replace(asker=APPLIER)
    for resource in WRITTEN:
        if resource.plural in (
            "statefulsets",
            "deployments",
            "routes",
            "services",
            "poddisruptionbudgets",
            *_MONITORING,
        ):
            # those of this monitoring are an alternative
            rhobs = resource.group == "monitoring.rhobs"
            idle = "no run has this monitoring" if rhobs else ""
            verbs = _verbs(resource).removeprefix("get " if rhobs else "")
            yield from writing._replace(idle=idle).of(verbs, resource, namespace=HOSTED)
            yield from writing.of("get" if rhobs else "", resource, namespace=HOSTED)
    for name in ("ovn-ca", "ovnkube-config"):
        yield from writing.of("get create patch", CONFIG_MAPS, name, HOSTED)
    yield from writing.of("get create patch", "secrets", "ovn-cert", HOSTED)


def _manifests(writing: Grant) -> Iterator[Right]:
    """Rights to write the operator's manifests: those of its namespace, and named ones of others."""
    for resource in WRITTEN:
        if resource.group in ("apps", "policy", "monitoring.coreos.com") or resource.plural in _OWN:
            # `rollout` reads workloads already
            verbs = _verbs(resource).removeprefix("get " if resource.group == "apps" else "")
            if resource.plural != "statefulsets":
                yield from writing.of(verbs, resource, namespace=NAMESPACE)
        for name in _NAMED.get(resource.plural, ()):
            unused = writing._replace(idle=_UNUSED.get(name) or _UNUSED.get(resource.plural, ""))
            same = resource.plural == "namespaces" or name in _UNUSED
            yield from (unused if same else writing).of(_verbs(resource, name).removeprefix("get "), resource, name)
            yield from writing.of("get", resource, name)
            yield from unused.of("create", resource, name)
            granting = "escalate bind" if resource.plural == "clusterroles" else ""
            yield from writing._replace(idle="the API server asks for it").of(granting, resource, name)
    yield from writing._replace(idle="the API server asks for it").of(
        "escalate bind", "rbac.authorization.k8s.io/roles", namespace=NAMESPACE
    )
    for name in ("ovnkube-config", "ovnkube-script-lib"):
        yield from writing.of("get patch", CONFIG_MAPS, name, NAMESPACE)


def _verbs(resource: Resource, name: str = "") -> str:
    """How objects are written: what every release has is never deleted, and named ones are created apart."""
    if name:
        return "get patch delete" if name in _GONE and resource.group.startswith("rbac") else "get patch"
    return "get create patch" if resource.plural in _KEPT else "get create patch delete"


def mounts() -> Iterator[Mount]:
    """What it mounts."""
    yield Mount(ROLLOUT, "rollout", "/tmp", "emptyDir", "", True, ("/tmp",), "deploy/image/Containerfile")
    reader, own = "reconciler/rollout/loop/manifest_folder.py", "rollout-own"
    yield Mount(ROLLOUT, own, "/copy", "emptyDir", "", True, ("/copy",), "deploy/image/Containerfile")
    yield Mount(ROLLOUT, own, "/manifests", "emptyDir", "", False, ("/manifests",), reader)
    yield Mount(
        ROLLOUT, own, "/values", "configMap ovnguard-rollout-values", "", False, ("/values/values.yaml",), reader
    )
