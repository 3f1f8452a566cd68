"""The preflight's options that ask a cluster, on a real API server."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

from ovnguard.validators.cluster.client_protocol import ClusterOptions
from ovnguard.validators.cluster.kubernetes_client import connect
from ovnguard.validators.cluster.live_cluster import LiveCluster
from tests.support.deployed.installed import CUDNS, served_crds
from tests.support.preflight_run import report, run
from tests.testbed.apiserver import ApiServer
from tests.testbed.process import wait_until

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
WIDGET: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.preflight.example.com"},
    "spec": {
        "group": "preflight.example.com",
        "scope": "Cluster",
        "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {"type": "object", "properties": {"size": {"type": "integer", "maximum": 3}}}
                },
            }
        ],
    },
}


def network(name: str, subnet: str, team: str = "a") -> dict[str, Any]:
    layer3 = {"role": "Primary", "subnets": [{"cidr": subnet, "hostSubnet": 24}]}
    return {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "ClusterUserDefinedNetwork",
        "metadata": {"name": name},
        "spec": {
            "namespaceSelector": {"matchLabels": {"team": team}},
            "network": {"topology": "Layer3", "layer3": layer3},
        },
    }


@pytest.fixture
def api(apiserver: ApiServer) -> Iterator[ApiServer]:
    with served_crds(apiserver, "released"):
        status, answer = apiserver.request("POST", CUDNS, network("stored", "10.40.0.0/16"))
        assert status == 201, answer
        yield apiserver
        apiserver.request("DELETE", f"{CUDNS}/stored")


def rules(document: dict[str, Any]) -> set[str]:
    return {each["rule"] for each in document["findings"] if each["severity"] == "error"}


def test_old_objects_come_from_the_cluster(api: ApiServer) -> None:
    where = ("--kubeconfig", str(api.kubeconfig), "--old", "cluster")
    changed = yaml.safe_dump_all([network("stored", "10.50.0.0/16"), network("new", "10.60.0.0/16", "b")])
    result = run("-", *where, stdin=changed)
    assert result.return_value == 1
    assert "Removing existing subnets is not allowed" in result.stdout
    assert result.stderr.startswith("old objects: https://")
    assert run("-", stdin=changed).return_value == 0


def test_the_inventory_is_what_the_cluster_has(api: ApiServer) -> None:
    where = ("--kubeconfig", str(api.kubeconfig), "--inventory", "cluster")
    code, document = report("-", *where, stdin=yaml.safe_dump(network("other", "10.60.0.0/16")))
    # a namespace that both networks would select does not exist yet, and every list was read
    assert code == 0, document["findings"]
    unchecked = [each["message"] for each in document["findings"] if "not checked" in each["message"]]
    assert not [text for text in unchecked if "namespaces" in text or "nodes" in text]
    space = {"metadata": {"name": "shared", "labels": {"team": "a"}}}
    api.request("POST", "/api/v1/namespaces", space)
    code, document = report("-", *where, stdin=yaml.safe_dump(network("other", "10.60.0.0/16")))
    assert code == 1
    assert "OVNG-L2-016" in rules(document)
    # the manifest of a stored network replaces it
    assert report("-", *where, stdin=yaml.safe_dump(network("stored", "10.40.0.0/16")))[0] == 0
    api.request("DELETE", "/api/v1/namespaces/shared")


def test_definitions_that_are_not_bundled_come_from_the_cluster(apiserver: ApiServer) -> None:
    status, answer = apiserver.request("POST", CRDS, WIDGET)
    assert status == 201, answer
    path = "/apis/preflight.example.com/v1"
    wait_until(lambda: apiserver.request("GET", f"{path}/widgets")[0] == 200, "widgets are served", 100)
    wait_until(lambda: apiserver.request("GET", path)[0] == 200, "widgets are discovered", 100)
    text = yaml.safe_dump(
        {"apiVersion": "preflight.example.com/v1", "kind": "Widget", "metadata": {"name": "x"}, "size": 4}
    )
    where = ("--kubeconfig", str(apiserver.kubeconfig), "--from-cluster")
    code, document = report("-", *where, stdin=text)
    assert (code, [each["message"] for each in document["findings"]]) == (
        1,
        ["Invalid value: 4: size in body should be less than or equal to 3"],
    )
    assert report("-", stdin=text)[0] == 0
    apiserver.request("DELETE", f"{CRDS}/widgets.preflight.example.com")


def test_the_release_is_that_of_the_cluster(apiserver: ApiServer) -> None:
    client = connect(ClusterOptions(str(apiserver.kubeconfig)))
    with closing(client):
        minor = LiveCluster(client, client.server).minor()
    status, answer = apiserver.request("GET", "/version")
    assert (status, answer["minor"]) == (200, str(minor))
    code, document = report(
        "-", "--kubeconfig", str(apiserver.kubeconfig), stdin=yaml.safe_dump(network("a", "10.70.0.0/16"))
    )
    assert (code, [each for each in document["findings"] if each["severity"] != "note"]) == (0, [])


def test_a_cluster_that_does_not_answer_is_one_line(tmp_path: Path) -> None:
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "c",
        "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
    }
    file = tmp_path / "config"
    file.write_text(json.dumps(config))
    result = run("-", "--kubeconfig", str(file), "--old", "cluster", stdin=yaml.safe_dump(network("a", "10.40.0.0/16")))
    assert (result.return_value, result.stdout, len(result.stderr.splitlines())) == (2, "", 1)
    assert result.stderr.startswith("Error: --old cluster: https://127.0.0.1:1: ")
    result = run("-", "--kubeconfig", str(file), "--context", "none", "--old", "cluster", stdin="{}")
    assert result.stderr.startswith(f"Error: {file}: ")
