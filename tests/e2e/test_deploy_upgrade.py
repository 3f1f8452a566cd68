"""The overlays of 0.1.0 become today's as docs/webhook.md says, on a real API server with networks."""

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.deployed.deployed import OURS, Kubectl, namespaces, plurals_of, remove_namespace, stored, unlike
from tests.support.deployed.in_force import CUDNS, Deployed, Replica, bundler, published_address
from tests.support.deployed.installed import served_crds
from tests.support.manifests.former_release import LEFT_OVER, former
from tests.support.manifests.kustomized import Document, identity, overlay
from tests.support.paths import ROOT
from tests.testbed.apiserver import ApiServer
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts

pytestmark = pytest.mark.e2e
# the one with the most objects
OVERLAY = "own"
BINDINGS = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
LOCALNET = {"role": "Secondary", "physicalNetworkName": "physnet", "subnets": ["10.74.0.0/16"]}
LAYER3 = {"role": "Primary", "subnets": [{"cidr": "10.72.0.0/16", "hostSubnet": 24}]}
NETWORKS = {
    "blue": {"topology": "Layer2", "layer2": {"role": "Primary", "subnets": ["10.71.0.0/16"]}},
    "green": {"topology": "Layer3", "layer3": LAYER3},
    "storage": {"topology": "Layer2", "layer2": {"role": "Secondary", "subnets": ["10.73.0.0/16"]}},
    "vlan": {"topology": "Localnet", "localnet": LOCALNET},
}


def deletion() -> list[str]:
    """The arguments of the command of the page that deletes what is left over."""
    page = (ROOT / "docs" / "webhook.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"(?s)## Upgrade.*?```sh\nkubectl (delete .*?)```", page)
    return shlex.split(command.replace("\\\n", ""))


def led(documents: list[Document], port: int) -> list[Document]:
    """The documents, their Service and registrations leading to a port of this machine."""
    made: list[Document] = yaml.safe_load(yaml.safe_dump(documents))
    for each in made:
        if each["kind"] == "Service":
            each["spec"] = {"type": "ExternalName", "externalName": "localhost"}
        for hook in each.get("webhooks", ()):
            hook["clientConfig"]["service"]["port"] = port
    return made


@contextmanager
def every_right(api: ApiServer) -> Iterator[None]:
    """The webhook is today's, which asks for more than the account of 0.1.0 may."""
    binding = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": "every-right"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [{"kind": "ServiceAccount", "name": "ovnguard-webhook", "namespace": OURS}],
    }
    assert api.request("POST", BINDINGS, binding)[0] == 201
    try:
        yield
    finally:
        api.request("DELETE", f"{BINDINGS}/every-right")


def networks(api: ApiServer) -> list[dict[str, Any]]:
    """Every network as it is stored."""
    return sorted(api.request("GET", CUDNS)[1]["items"], key=lambda each: str(each["metadata"]["name"]))


@pytest.fixture
def cluster(apiserver: ApiServer, parts: Parts, tmp_path: Path) -> Iterator[tuple[Deployed, Replica]]:
    """The CRDs are served, the overlay `own` of 0.1.0 is applied, and networks are created while a webhook answers."""
    need(parts, "kube-apiserver")
    frr = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "frr-k8s-system"}}
    replica, kubectl = Replica(apiserver, tmp_path / "replica"), Kubectl(parts, apiserver)
    deployed = Deployed(apiserver, kubectl, tmp_path, replica.port, overlay=OVERLAY)
    with served_crds(apiserver), namespaces(apiserver, [frr]), published_address(apiserver), every_right(apiserver):
        try:
            apply(deployed, led(former(OVERLAY), replica.port))
            replica.start()
            with bundler(apiserver, tmp_path):
                deployed.until_asked()
                for network, spec in NETWORKS.items():
                    labels = {"namespaceSelector": {"matchLabels": {"t": network}}}
                    described = {"apiVersion": "k8s.ovn.org/v1", "kind": "ClusterUserDefinedNetwork"}
                    metadata = {"name": network}
                    deployed.post(CUDNS, {**described, "metadata": metadata, "spec": {**labels, "network": spec}})
                yield deployed, replica
        finally:
            replica.stop()
            for documents in (overlay(OVERLAY), former(OVERLAY)):
                file = written(tmp_path, led(documents, replica.port))
                kubectl("delete", "--ignore-not-found", "--wait=false", "-f", file, check=False)
            remove_namespace(apiserver, OURS)


def written(folder: Path, documents: list[Document]) -> Path:
    """A file of them, the namespace first, as kustomize has it."""
    documents = sorted(documents, key=lambda each: each["kind"] != "Namespace")
    file = folder / "documents.yaml"
    file.write_text(yaml.safe_dump_all(documents), encoding="utf-8")
    return file


def apply(deployed: Deployed, documents: list[Document]) -> None:
    """Server-side, which says each field that another writer has."""
    deployed.kubectl("apply", "--server-side", "-f", written(deployed.folder, documents))


def test_upgrade_from_the_former_release(cluster: tuple[Deployed, Replica]) -> None:
    deployed, replica = cluster
    api, today = deployed.api, led(overlay(OVERLAY), replica.port)
    before, bundles = networks(api), deployed.bundles()
    assert [each["metadata"]["name"] for each in before] == sorted(NETWORKS)
    assert "" not in bundles
    apply(deployed, today)
    deleted = deployed.kubectl(*deletion()).stdout
    left = LEFT_OVER[OVERLAY]
    assert len(deleted.splitlines()) == len(left), deleted
    former_objects = former(OVERLAY)
    plurals = plurals_of(api, former_objects)
    gone = {identity(each) for each in former_objects if stored(api, each, plurals) is None}
    assert (gone, unlike(api, today)) == (left, [])
    deployed.until_asked()
    assert (networks(api), deployed.bundles()) == (before, bundles)
