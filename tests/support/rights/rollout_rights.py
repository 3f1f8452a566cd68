"""What `ovnguard-reconciler rollout run` may do."""

from collections.abc import Iterator

from reconciler.loop.process.events import EVENTS
from reconciler.rollout.commands.run import LEASE
from reconciler.rollout.loop.rollout_report import NAME as REPORT
from reconciler.rollout.loop.rollout_resources import (
    DEPLOYMENTS,
    ROUTES,
    STATEFUL_SETS,
    WATCHED,
    WRITTEN,
    watched_hosted,
)
from reconciler.rollout.plan.other_writers import operator_deployment
from tests.support.rights.model import OURS, Grant, Mount, Right
from validators.cluster.resources import CONFIG_MAPS, OPERATOR_NETWORKS, Resource
from validators.network.ovnkube_settings.interconnect import NAME, NAMESPACE

ROLLOUT, MANAGEMENT = "ovnguard-rollout", "user of --management-kubeconfig"
HOSTED = "clusters-example"
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
    for resource in WRITTEN:
        if resource not in (STATEFUL_SETS, ROUTES):
            # `rollout` reads workloads already
            verbs = _verbs(resource).removeprefix("get " if resource.group == "apps" else "")
            yield from writing.of(verbs, resource, namespace=NAMESPACE)
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
    for resource in WRITTEN:
        if resource.plural not in ("daemonsets", "poddisruptionbudgets"):
            yield from reading._replace(asker=APPLIER).of(_verbs(resource), resource, namespace=HOSTED)


def _verbs(resource: Resource) -> str:
    """How objects of manifests are written; every folder has the alerts, so they are never deleted."""
    return "get create patch" if resource.plural == "prometheusrules" else "get create patch delete"


def mounts() -> Iterator[Mount]:
    """The only mount."""
    yield Mount(ROLLOUT, "rollout", "/tmp", "emptyDir", "", True, ("/tmp",), "deploy/image/Containerfile")
