"""docs/webhook.md, word for word: every command of the page is run as it stands there, in the page's order.

There are no controllers beside the API server: the test starts the webhook where a Deployment would, and says so in its
status. The overlay is the page's, in a copy of deploy/ whose Service leads to this machine.
"""

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.deployed.deployed import DEPLOY, OURS, Kubectl, finalize_namespace, remove_namespace
from tests.support.deployed.in_force import (
    CUDNS,
    KINDS,
    MERGE,
    REGISTRATIONS,
    SECRET,
    Deployed,
    Replica,
    bundler,
    cudn,
    leading_here,
)
from tests.support.deployed.installed import served_crds
from tests.support.paths import ROOT
from tests.testbed.apiserver import ApiServer
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts
from tests.testbed.pki import Authority
from tests.testbed.process import wait_until

pytestmark = pytest.mark.e2e
PAGE = (ROOT / "docs" / "webhook.md").read_text(encoding="utf-8")
DEPLOYMENT = f"/apis/apps/v1/namespaces/{OURS}/deployments/ovnguard-webhook"
REFUSED = "100.65.128.0/17"
ELSEWHERE = {
    "podman": "a registry is needed; tests/functional/test_image.py checks what can be checked without one",
    "cmctl": "cert-manager is needed",
    "helm": "tests/e2e/test_chart.py installs, upgrades and uninstalls the chart",
    "kustomize": "a program of its own; the page names the way by hand",
}
"""Programs that are not run here, and why."""


def fenced() -> dict[str, list[str]]:
    """The commands in fences, by their section."""
    found: dict[str, list[str]] = {}
    for section in re.split(r"(?m)^## ", PAGE)[1:]:
        title = section.partition("\n")[0]
        for block in re.findall(r"(?ms)^ *```sh\n(.*?)^ *```", section):
            joined = re.sub(r"\\\n\s*", "", block)
            lines = [line.strip() for line in joined.splitlines()]
            found.setdefault(title, []).extend(line for line in lines if line and not line.startswith("#"))
    return found


def inline() -> list[str]:
    """The commands inside sentences."""
    words = [" ".join(each.split()) for each in re.findall(r"(?s)(?<!`)`([^`]+)`(?!`)", PAGE)]
    return [each for each in words if re.match(r"(kubectl|kustomize) \S+ ", each)]


FENCED = fenced()


class Reader(Deployed):
    """Who follows the page, in a folder that is a checkout to them."""

    def __init__(self, api: ApiServer, kubectl: Kubectl, folder: Path, tool: Path) -> None:
        self.replica = Replica(api, folder / "replica")
        super().__init__(api, kubectl, folder, self.replica.port)
        self.ran: list[str] = []
        self.undo = ExitStack()
        shutil.copytree(DEPLOY, folder / "deploy")
        self.edit(patches=leading_here(self.replica.port))
        (folder / "bin").mkdir()
        wrapper = folder / "bin" / "kubectl"
        wrapper.write_text(f'#!/bin/sh\nexec {tool} --cache-dir {folder}/cache "$@"\n', encoding="utf-8")
        wrapper.chmod(0o755)
        path = f"{folder}/bin:{Path(sys.executable).parent}:{os.environ['PATH']}"
        self._environment = {**os.environ, "PATH": path, "KUBECONFIG": str(api.kubeconfig)}

    def edit(self, **changes: Any) -> None:
        """Change the overlay."""
        file = self.folder / "deploy" / "overlays" / "kubernetes" / "kustomization.yaml"
        overlay = yaml.safe_load(file.read_text(encoding="utf-8"))
        file.write_text(yaml.safe_dump(overlay | changes), encoding="utf-8")

    def run(self, command: str, given: str | None = None) -> str:
        """A command of the page, or what stands for it when a name was ``given``; it succeeds."""
        self.ran.append(command)
        done = subprocess.run(
            ["bash", "-c", given or command],
            cwd=self.folder,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done.stdout

    def roll_out(self) -> None:
        """As the controller of Deployments does, and kubelets."""
        self.replica.stop()
        self.replica.start()
        _, found = self.api.request("GET", DEPLOYMENT)
        count = found["spec"]["replicas"]
        every = dict.fromkeys(("replicas", "updatedReplicas", "readyReplicas", "availableReplicas"), count)
        status = {**every, "observedGeneration": found["metadata"]["generation"]}
        self.patch(f"{DEPLOYMENT}/status", {"status": status})

    def create(self, name: str, subnet: str = "10.91.0.0/16") -> int:
        """Try to create a network; the HTTP status."""
        return self.api.request("POST", f"{CUDNS}?dryRun=All", cudn(name, subnet))[0]


def finalizing(api: ApiServer, stop: threading.Event) -> None:
    """As the controller of namespaces does."""
    while not stop.wait(0.3):
        status, found = api.request("GET", f"/api/v1/namespaces/{OURS}")
        if status == 200 and "deletionTimestamp" in found["metadata"]:
            finalize_namespace(api, OURS)


@pytest.fixture
def reader(apiserver: ApiServer, parts: Parts, tmp_path: Path) -> Iterator[Reader]:
    need(parts, "kube-apiserver")
    kubectl = Kubectl(parts, apiserver)
    made = Reader(apiserver, kubectl, tmp_path, parts.kube_apiserver.tool("kubectl"))
    stop = threading.Event()
    with ExitStack() as undo:
        undo.enter_context(served_crds(apiserver))
        undo.callback(remove_namespace, apiserver, OURS)
        flags = ("--ignore-not-found", "--wait=false", "-k", tmp_path / "deploy" / "overlays" / "kubernetes")
        undo.callback(kubectl, "delete", *flags)
        undo.callback(made.replica.stop)
        undo.callback(made.undo.close)
        controller = threading.Thread(target=finalizing, args=(apiserver, stop))
        undo.callback(controller.join)
        undo.callback(stop.set)
        controller.start()
        yield made


def test_the_page_word_for_word(reader: Reader) -> None:
    install(reader)
    policies(reader)
    upgrade(reader)
    rotate(reader)
    break_the_glass(reader)
    monitor(reader)
    uninstall(reader)
    commands_of_page = [command for commands in FENCED.values() for command in commands] + inline()
    left = [
        command for command in commands_of_page if command not in reader.ran and command.split()[0] not in ELSEWHERE
    ]
    assert left == []


def install(reader: Reader) -> None:
    apply, status = (command for command in FENCED["Install"] if command.split()[0] not in ELSEWHERE)
    reader.run(apply)
    reader.undo.enter_context(bundler(reader.api, reader.folder))
    wait_until(lambda: reader.create("early") == 500, "networks wait for the webhook", 60)
    reader.roll_out()
    assert "successfully rolled out" in reader.run(status)
    wait_until(lambda: reader.create("red", REFUSED) == 422, "it answers", 60)
    assert reader.create("blue") == 201


def policies(reader: Reader) -> None:
    (command,) = FENCED["Judged requests, and the effect of an outage"]
    assert "validatingadmissionpolicy.admissionregistration.k8s.io/" in reader.run(command)
    (warn,) = (each for each in inline() if "validatingadmissionpolicybinding" in each)
    reader.run(warn, warn.replace("NAME", "user-network-fixed.ovnguard.io"))
    path = f"{REGISTRATIONS}/validatingadmissionpolicybindings/user-network-fixed.ovnguard.io"
    assert reader.api.request("GET", path)[1]["spec"]["validationActions"] == ["Warn"]


def upgrade(reader: Reader) -> None:
    before = (reader.bundles(), reader.api.request("GET", SECRET)[1]["data"])
    reader.edit(images=[{"name": "ovnguard", "newName": "registry.example.com/ovnguard", "newTag": "0.2.0"}])
    apply, status = (command for command in FENCED["Install"] if command.split()[0] not in ELSEWHERE)
    reader.run(apply)
    reader.roll_out()
    reader.run(status)
    (container,) = reader.api.request("GET", DEPLOYMENT)[1]["spec"]["template"]["spec"]["containers"]
    assert container["image"] == "registry.example.com/ovnguard:0.2.0"
    assert (reader.bundles(), reader.api.request("GET", SECRET)[1]["data"]) == before
    (delete,) = FENCED["Upgrade"]
    former = {"name": "former", "namespace": OURS, "labels": {"app.kubernetes.io/part-of": "ovnguard"}}
    maps = f"/api/v1/namespaces/{OURS}/configmaps"
    reader.post(maps, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": former})
    assert reader.run(delete) == f'configmap "former" deleted from {OURS} namespace\n'
    assert reader.api.request("GET", f"{maps}/former")[0] == 404
    assert reader.api.request("GET", DEPLOYMENT)[0] == 200


def rotate(reader: Reader) -> None:
    before = reader.bundles()
    for command in FENCED["Rotate"]:
        if command.split()[0] not in ELSEWHERE:
            reader.run(command)
    reader.roll_out()
    reader.until_asked()
    assert not reader.bundles() & before


def break_the_glass(reader: Reader) -> None:
    once, *patches, delete = FENCED["Break the glass"]
    manifest = yaml.safe_dump(cudn("broken", REFUSED))
    (reader.folder / "network.yaml").write_text(manifest, encoding="utf-8")
    reader.run(once)
    assert reader.api.request("DELETE", f"{CUDNS}/broken")[0] == 200
    spaces = "/api/v1/namespaces"
    reader.post(spaces, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "glass"}})
    (label,) = (each for each in inline() if each.startswith("kubectl label namespace"))
    reader.run(label, label.replace("NAME", "glass"))
    reader.replica.stop()
    network: dict[str, Any] = {"apiVersion": "k8s.ovn.org/v1", "kind": "UserDefinedNetwork", "metadata": {"name": "n"}}
    network["spec"] = {"topology": "Layer2", "layer2": {"role": "Secondary", "subnets": ["10.92.0.0/16"]}}
    reader.post("/apis/k8s.ovn.org/v1/namespaces/glass/userdefinednetworks?dryRun=All", network)
    remove_namespace(reader.api, "glass")
    assert reader.create("blue") == 500
    for command in patches:
        reader.run(command)
    wait_until(lambda: reader.create("blue") == 201, "it is passed by", 60)
    reader.replica.start()
    wait_until(lambda: reader.create("red", REFUSED) == 422, "it judges while it answers", 60)
    reader.run(delete)
    wait_until(lambda: reader.create("red", REFUSED) == 201, "nobody is asked", 60)
    reader.run(FENCED["Install"][-2])
    reader.roll_out()
    reader.until_asked()
    for kind in KINDS:
        _, found = reader.api.request("GET", f"{REGISTRATIONS}/{kind}/ovnguard")
        assert found["webhooks"][0]["failurePolicy"] == "Fail"


def monitor(reader: Reader) -> None:
    """The server itself publishes whose client certificates it trusts."""
    pair = Authority(reader.folder / "replica").client("prometheus", "monitoring")
    pair.cert.rename(reader.folder / "prometheus.crt")
    pair.key.rename(reader.folder / "prometheus.key")
    for command in FENCED["Metrics and alerts"]:
        reader.run(command)
    _, found = reader.api.request("GET", f"/api/v1/namespaces/{OURS}/configmaps/ovnguard-metrics-clients")
    assert "BEGIN CERTIFICATE" in found["data"]["ca.crt"]


def uninstall(reader: Reader) -> None:
    status, answer = reader.api.request("POST", CUDNS, cudn("stays", "10.93.0.0/16"))
    assert status == 201, answer
    for command in FENCED["Uninstall"]:
        reader.run(command)
        assert reader.create("blue") == 201
    assert reader.api.request("GET", f"/api/v1/namespaces/{OURS}")[0] == 404
    kinds = "clusterrole,clusterrolebinding,validatingadmissionpolicy,validatingadmissionpolicybinding"
    left = reader.kubectl("get", kinds, "-l", "app.kubernetes.io/part-of=ovnguard", "-o", "name").stdout
    assert left == ""
    assert reader.api.request("GET", f"{CUDNS}/stays")[0] == 200
    # the label of a change is no change that anybody is asked about
    assert reader.api.request("PATCH", f"{CUDNS}/stays", {"metadata": {"labels": {"a": "b"}}}, MERGE)[0] == 200
