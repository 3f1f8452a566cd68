"""The Helm chart with helm itself: its objects are those of the overlays, and a release leaves nothing behind."""

import copy
import shlex
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support.deployed.deployed import (
    OURS,
    OVERLAYS,
    Kubectl,
    namespaces,
    plurals_of,
    remove_namespace,
    stored,
    unlike,
)
from tests.support.deployed.helm import RELEASE, Helm
from tests.support.manifests.chart import CHART
from tests.support.manifests.kustomized import Document, composed, identity, overlay
from tests.testbed.apiserver import ApiServer
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts

pytestmark = pytest.mark.e2e
IMAGE = "registry.example.com/ovnguard:1.0.0"


@pytest.fixture
def helm(parts: Parts, tmp_path: Path) -> Helm:
    need(parts, "helm")
    return Helm(parts, tmp_path)


def by_identity(documents: list[Document]) -> dict[tuple[str, str, str], Document]:
    """The documents without the namespace, which is Helm's."""
    return {identity(each): each for each in documents if each["kind"] != "Namespace"}


@pytest.mark.parametrize("name", OVERLAYS)
def test_objects_are_those_of_the_overlay(helm: Helm, name: str) -> None:
    done = helm("lint", CHART, "--strict", values={"overlay": name})
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert by_identity(helm.template({"overlay": name})) == by_identity(overlay(name))


def test_without_the_reconciler_only_the_webhook_is_left(helm: Helm) -> None:
    given = {"reconciler": False, "image": "ovnguard:1"}
    wanted = copy.deepcopy(composed(["host-network", "release"]))
    for container in containers(wanted):
        container["image"] = "ovnguard:1"
    assert by_identity(helm.template(given)) == by_identity(wanted)


def containers(documents: list[Document]) -> Iterator[dict[str, Any]]:
    for workload in documents:
        if workload["kind"] in ("DaemonSet", "Deployment"):
            yield from workload["spec"]["template"]["spec"]["containers"]


def test_values_are_in_their_places(helm: Helm) -> None:
    """Every value changes what it names, and nothing else."""
    more = {"limits": {"memory": "2Gi"}}
    names = {"webhook": "webhook", "caBundle": "ca-bundle", "cluster": "cluster", "reconciler": "reconciler"}
    folders = {name: f"/srv/{name}" for name in ("ovn", "openvswitch", "frr", "cni")}
    found = helm.template(
        {
            "overlay": "own",
            "image": IMAGE,
            "replicas": {"webhook": 3, "cluster": 1},
            "resources": dict.fromkeys(names, more),
            "folders": folders,
        }
    )
    wanted = copy.deepcopy(overlay("own"))
    for container in containers(wanted):
        container["image"] = IMAGE
        container["resources"]["limits"]["memory"] = "2Gi"
    for workload in (each for each in wanted if each["kind"] in ("DaemonSet", "Deployment")):
        spec, component = workload["spec"], workload["metadata"]["labels"]["app.kubernetes.io/component"]
        if component in ("webhook", "cluster"):
            spec["replicas"] = 3 if component == "webhook" else 1
        for volume in spec["template"]["spec"].get("volumes", ()):
            if "hostPath" in volume:
                volume["hostPath"]["path"] = folders[volume["name"]]
    assert by_identity(found) == by_identity(wanted)


def test_another_namespace_is_refused(helm: Helm) -> None:
    done = helm("template", RELEASE, CHART, namespace="network")
    assert done.returncode == 1
    assert (
        "ovnguard runs in the namespace ovnguard-system: its policies name accounts there; "
        "use --namespace ovnguard-system\n"
    ) in done.stderr


def test_values_that_the_schema_refuses(helm: Helm) -> None:
    done = helm("template", RELEASE, CHART, values={"overlay": "own", "reconciler": False})
    assert done.returncode == 1
    assert "values don't meet the specifications of the schema(s)" in done.stderr


def test_release_from_install_to_uninstall(apiserver: ApiServer, parts: Parts, tmp_path: Path) -> None:
    need(parts, "helm", "kube-apiserver")
    helm, kubectl = Helm(parts, tmp_path, apiserver), Kubectl(parts, apiserver)
    frr = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "frr-k8s-system"}}
    with ExitStack() as undo:
        undo.enter_context(namespaces(apiserver, [frr]))
        undo.callback(remove_namespace, apiserver, OURS)
        undo.callback(helm, "uninstall", RELEASE, "--ignore-not-found")
        done = helm("install", RELEASE, CHART, "--create-namespace")
        assert (done.returncode, done.stderr) == (0, "")
        labelled(apiserver, kubectl, done.stdout, "kubernetes")
        assert unlike(apiserver, [*by_identity(overlay("kubernetes")).values()]) == []
        policy = f"/apis/networking.k8s.io/v1/namespaces/{OURS}/networkpolicies/ovnguard-webhook"
        assert apiserver.request("GET", policy)[0] == 200
        done = helm("upgrade", RELEASE, CHART, values={"overlay": "own"})
        assert (done.returncode, done.stderr) == (0, "")
        assert unlike(apiserver, [*by_identity(overlay("own")).values()]) == []
        assert apiserver.request("GET", policy)[0] == 404
        done = helm("uninstall", RELEASE)
        assert (done.returncode, done.stderr) == (0, "")
        documents = [*overlay("own"), *overlay("kubernetes")]
        plurals = plurals_of(apiserver, documents)
        left = [
            identity(each)
            for each in documents
            if each["kind"] != "Namespace" and stored(apiserver, each, plurals) is not None
        ]
        assert left == []
        assert kubectl("get", "secrets", "--namespace", OURS, "-o", "name").stdout == ""


def labelled(api: ApiServer, kubectl: Kubectl, notes: str, name: str) -> None:
    """The command of the notes gives the namespace the labels of the overlay."""
    (command,) = (line for line in notes.splitlines() if line.startswith("kubectl "))
    kubectl(*shlex.split(command)[1:])
    (namespace,) = (each for each in overlay(name) if each["kind"] == "Namespace")
    found = api.request("GET", f"/api/v1/namespaces/{OURS}")[1]["metadata"]["labels"]
    assert found.items() >= namespace["metadata"]["labels"].items()
