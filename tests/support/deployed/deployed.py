"""Render, send, apply and delete the overlays of deploy/ with kubectl."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import yaml

from ovnguard.reconciler.apply.objects.server_side_apply import contains
from tests.support.deployed.foreign_crds import definitions
from tests.support.deployed.installed import create_crd, remove_crd
from tests.support.manifests.kustomized import identity
from tests.support.paths import ROOT
from tests.testbed.apiserver import ApiServer
from tests.testbed.parts import Parts
from tests.testbed.process import wait_until

DEPLOY = ROOT / "deploy"
OVERLAYS = sorted(folder.name for folder in (DEPLOY / "overlays").iterdir())
OURS = "ovnguard-system"
PLACES = {OURS, "openshift-ovn-kubernetes", "openshift-network-operator", "frr-k8s-system"}

CONTENTS = (
    *(("api/v1", kind) for kind in ("configmaps", "secrets", "pods")),
    ("apis/coordination.k8s.io/v1", "leases"),
)
"""What running components write into their namespace, and the pods of tests: API group and resource."""


class Kubectl:
    """kubectl as administrator; with ``check`` a failure fails the test."""

    def __init__(self, parts: Parts, api: ApiServer | None = None) -> None:
        self._tool = parts.kube_apiserver.tool("kubectl")
        self._flags: Sequence[str | Path] = ()
        if api is not None:
            self._flags = ("--kubeconfig", api.kubeconfig, "--cache-dir", api.directory / "kubectl")

    def __call__(self, *arguments: str | Path, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run it, with at most five minutes."""
        command = [self._tool, *self._flags, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0 or not check, done.stderr
        return done

    def kustomize(self, folder: Path) -> list[dict[str, Any]]:
        """Render a kustomization; a warning fails the test."""
        done = self("kustomize", folder)
        assert done.stderr == ""
        return [document for document in yaml.safe_load_all(done.stdout) if document]


def composed(folder: Path, *components: str) -> Path:
    """A kustomization of the base and some components."""
    relative = Path(os.path.relpath(DEPLOY, folder.resolve()))
    kustomization = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": [str(relative / "base")],
        "components": [str(relative / "components" / name) for name in components],
    }
    (folder / "kustomization.yaml").write_text(yaml.safe_dump(kustomization), encoding="utf-8")
    return folder


def path_of(document: dict[str, Any], plurals: dict[tuple[str, str], str]) -> str:
    """The collection that a document is posted to."""
    version = document["apiVersion"]
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    namespace = document["metadata"].get("namespace")
    return f"{root}{f'/namespaces/{namespace}' if namespace else ''}/{plurals[version, document['kind']]}"


def plurals_of(api: ApiServer, documents: Sequence[dict[str, Any]]) -> dict[tuple[str, str], str]:
    """What the server calls the kinds of the documents in its paths."""
    found: dict[tuple[str, str], str] = {}
    for version in {document["apiVersion"] for document in documents}:
        status, listed = api.request("GET", f"/apis/{version}" if "/" in version else f"/api/{version}")
        assert status == 200, (version, listed)
        found |= {(version, each["kind"]): each["name"] for each in listed["resources"] if "/" not in each["name"]}
    return found


def arguments(parts: Parts, kind: str) -> list[str]:
    """What the reconciler's workload of this kind calls in the overlay `own`."""
    documents = Kubectl(parts).kustomize(DEPLOY / "overlays" / "own")
    named = (each for each in documents if each["kind"] == kind and "reconciler" in each["metadata"]["name"])
    (container,) = next(named)["spec"]["template"]["spec"]["containers"]
    return [*container["command"], *container["args"]]


def unlike(api: ApiServer, documents: Sequence[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """The documents that the server does not store as they are, with whatever it adds."""
    plurals = plurals_of(api, documents)
    found = {identity(each): stored(api, each, plurals) for each in documents}
    return [identity(each) for each in documents if not contains(found[identity(each)], _without_false_flags(each))]


def stored(api: ApiServer, document: dict[str, Any], plurals: dict[tuple[str, str], str]) -> dict[str, Any] | None:
    """What the server has of a document."""
    status, found = api.request("GET", f"{path_of(document, plurals)}/{document['metadata']['name']}")
    return dict(found) if status == 200 else None


def _without_false_flags(value: Any) -> Any:
    """Without `readOnly: false`, which the server does not store."""
    if isinstance(value, dict):
        given = {key: each for key, each in value.items() if (key, each) != ("readOnly", False)}
        return {key: _without_false_flags(each) for key, each in given.items()}
    return [_without_false_flags(each) for each in value] if isinstance(value, list) else value


@contextmanager
def foreign_kinds(api: ApiServer) -> Iterator[None]:
    """The kinds of others that deploy/ uses are served."""
    with ExitStack() as undo:
        for definition in definitions():
            create_crd(api, definition)
            name, spec = definition["metadata"]["name"], definition["spec"]
            undo.callback(remove_crd, api, name)
            path = f"/apis/{spec['group']}/v1/{spec['names']['plural']}"
            wait_until(lambda path=path: api.request("GET", path)[0] == 200, f"{path} is served", 100)
        yield


@contextmanager
def namespaces(api: ApiServer, wanted: Sequence[dict[str, Any]]) -> Iterator[None]:
    """Namespaces are there, as they are given."""
    with ExitStack() as undo:
        for each in wanted:
            status, answer = api.request("POST", "/api/v1/namespaces", each)
            assert status == 201, answer
            undo.callback(remove_namespace, api, each["metadata"]["name"])
        yield


def finalize_namespace(api: ApiServer, name: str) -> None:
    """Empty a namespace that is being deleted and let it go, as the controller does that a bare API server lacks.

    The order matters: admission policies look the namespace up, so nothing in it can be deleted once it is gone. No
    kubelet ends the pods.
    """
    for group, kind in CONTENTS:
        api.request("DELETE", f"/{group}/namespaces/{name}/{kind}?gracePeriodSeconds=0")
    status, found = api.request("GET", f"/api/v1/namespaces/{name}")
    if status == 200:
        api.request("PUT", f"/api/v1/namespaces/{name}/finalize", {**found, "spec": {"finalizers": []}})


def remove_namespace(api: ApiServer, name: str) -> None:
    """Delete one with what is in it."""
    status, _ = api.request("DELETE", f"/api/v1/namespaces/{name}")
    if status == 404:
        return
    finalize_namespace(api, name)
    wait_until(lambda: api.request("GET", f"/api/v1/namespaces/{name}")[0] == 404, f"{name} is gone", 100)
