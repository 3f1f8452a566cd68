"""ovnguard installed as in a cluster: the API server serves the bundled CRDs and calls the running webhook."""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import yaml

from ovnguard import crd_schemas
from tests.testbed.apiserver import ApiServer
from tests.testbed.process import BedError, wait_until

PROGRAM = Path(sys.executable).parent / "ovnguard-webhook"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
NO_FINALIZERS = {"metadata": {"finalizers": None}}
REGISTRATIONS = "/apis/admissionregistration.k8s.io/v1"
MERGE_PATCH = "application/merge-patch+json"
CUDNS = "/apis/k8s.ovn.org/v1/clusteruserdefinednetworks"


@contextmanager
def served_crds(api: ApiServer, schema_set: str = "enhancement") -> Iterator[None]:
    """Every CRD of a schema set, until the block ends; their objects go with them."""
    with ExitStack() as undo:
        for definition in crd_schemas.crds(schema_set).values():
            name, spec = definition["metadata"]["name"], definition["spec"]
            create_crd(api, definition)
            undo.callback(remove_crd, api, name)
            path = f"/apis/{spec['group']}/{spec['versions'][0]['name']}/{spec['names']['plural']}"
            wait_until(lambda path=path: api.request("GET", path)[0] == 200, f"{path} is served", 100)
        yield


def create_crd(api: ApiServer, definition: Mapping[str, Any]) -> None:
    """Create a CRD, once one of its name that is being deleted is gone."""
    place = f"{CRDS}/{definition['metadata']['name']}"
    wait_until(lambda: api.request("GET", place)[0] == 404, f"{place} is free", 100)
    status, answer = api.request("POST", CRDS, definition)
    assert status == 201, answer


def remove_crd(api: ApiServer, name: str) -> None:
    """Delete a CRD and wait until it is gone, with its objects.

    The API server looks again ever more seldom at a CRD whose storage was not ready, so that a minute may pass. A
    changed annotation makes it look at once. No leader is there any more that removes its finalizers.
    """
    place = f"{CRDS}/{name}"
    api.request("DELETE", place)
    for attempt in range(10):
        _release_objects(api, place)
        api.request("PATCH", place, {"metadata": {"annotations": {"ovnguard.io/attempt": str(attempt)}}}, MERGE_PATCH)
        with suppress(BedError):
            wait_until(lambda: api.request("GET", place)[0] == 404, f"{name} is gone", 60)
            return
    raise AssertionError(f"{name} is not gone: {api.request('GET', place)[1]}")


def _release_objects(api: ApiServer, place: str) -> None:
    """Remove the finalizers of the objects of a CRD."""
    status, definition = api.request("GET", place)
    if status != 200:
        return
    spec = definition["spec"]
    root, plural = f"/apis/{spec['group']}/{spec['versions'][0]['name']}", spec["names"]["plural"]
    status, answer = api.request("GET", f"{root}/{plural}")
    for metadata in (item["metadata"] for item in answer["items"]) if status == 200 else ():
        if metadata.get("finalizers"):
            where = f"/namespaces/{metadata['namespace']}" if "namespace" in metadata else ""
            api.request("PATCH", f"{root}{where}/{plural}/{metadata['name']}", NO_FINALIZERS, MERGE_PATCH)


@contextmanager
def running_webhook(api: ApiServer, folder: Path, port: str = "0") -> Iterator[str]:
    """The webhook as a process that sees the API server; yields its URL."""
    folder.mkdir(exist_ok=True)
    command: list[str | Path] = [
        PROGRAM,
        "serve",
        "--port",
        port,
        "--self-signed",
        folder,
        "--kubeconfig",
        api.kubeconfig,
    ]
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url, (folder / "log").read_text(encoding="utf-8")
        yield url
    finally:
        process.terminate()
        process.wait(60)
        if process.stdout is not None:
            process.stdout.close()


@contextmanager
def registered(api: ApiServer, url: str, authority: Path) -> Iterator[None]:
    """Both webhook configurations, as the command prints them."""
    printed = subprocess.run(
        [PROGRAM, "manifests", "--url", url, "--ca", authority], check=True, capture_output=True, text=True
    ).stdout
    with ExitStack() as undo:
        for document in yaml.safe_load_all(printed):
            path = f"{REGISTRATIONS}/{document['kind'].lower()}s"
            status, answer = api.request("POST", path, document)
            assert status == 201, answer
            undo.callback(api.request, "DELETE", f"{path}/{document['metadata']['name']}")
        wait_until(lambda: _asks(api), "the API server asks the webhook", 100)
        yield


def _asks(api: ApiServer) -> bool:
    """Whether a network that only the webhook refuses is refused by it."""
    status, answer = api.request("POST", f"{CUDNS}?dryRun=All", _refused_network())
    return status == 422 and "denied the request" in answer["message"]


def _refused_network() -> dict[str, Any]:
    layer2 = {"role": "Primary", "subnets": ["100.65.0.0/16"]}
    return {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "ClusterUserDefinedNetwork",
        "metadata": {"name": "probe"},
        "spec": {
            "namespaceSelector": {"matchLabels": {"probe": ""}},
            "network": {"topology": "Layer2", "layer2": layer2},
        },
    }


@contextmanager
def installed(api: ApiServer, folder: Path) -> Iterator[None]:
    """CRDs, webhook and registrations, until the block ends."""
    with served_crds(api), running_webhook(api, folder) as url, registered(api, url, folder / "ca.crt"):
        yield
