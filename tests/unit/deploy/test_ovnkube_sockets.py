"""Overlays for a cluster with OVN-Kubernetes mount the folder where it keeps the sockets of its databases."""

import re

import pytest

from tests.support.manifests.kustomized import DEPLOY, Document, components_of, overlay
from tests.support.manifests.ovnkube_sockets import DISTRIBUTIONS, MOUNTED_AT, OVNKUBE_SOCKETS
from tests.support.paths import ROOT

PAGE = ROOT / "docs" / "audit.md"


def reconciler_pod(name: str) -> Document:
    (daemon,) = [
        each
        for each in overlay(name)
        if (each["kind"], each["metadata"]["name"]) == ("DaemonSet", "ovnguard-reconciler")
    ]
    return dict(daemon["spec"]["template"]["spec"])


def folders_of(pod: Document) -> dict[str, str]:
    """The folders of the host by where the container has them."""
    (container,) = pod["containers"]
    sources = {each["name"]: each["hostPath"]["path"] for each in pod["volumes"] if "hostPath" in each}
    return {each["mountPath"]: sources[each["name"]] for each in container["volumeMounts"] if each["name"] in sources}


def test_every_overlay_that_reads_databases_of_ovn_kubernetes_has_its_distribution() -> None:
    reading = {folder.name for folder in (DEPLOY / "overlays").iterdir() if "reconciler" in components_of(folder.name)}
    assert reading - {name for name in reading if "own" in components_of(name)} == DISTRIBUTIONS.keys()


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_the_reconciler_reads_the_sockets_of_ovn_kubernetes(name: str) -> None:
    pod = reconciler_pod(name)
    assert folders_of(pod) == {MOUNTED_AT: OVNKUBE_SOCKETS[DISTRIBUTIONS[name]].folder}
    (container,) = pod["containers"]
    assert f"--nb-db=unix:{MOUNTED_AT}/ovnnb_db.sock" in container["args"]


def test_without_ovn_kubernetes_the_sockets_are_where_ovn_keeps_them() -> None:
    assert folders_of(reconciler_pod("own")) == {
        "/etc/cni/net.d": "/etc/cni/net.d",
        "/etc/frr": "/etc/frr",
        MOUNTED_AT: MOUNTED_AT,
        "/var/run/openvswitch": "/var/run/openvswitch",
    }


def test_the_page_about_audits_has_the_table() -> None:
    rows = re.findall(
        r"^\| `(.+?)` \| `(.+?)` \| `(.+?)` \| `unix:(.+?)/ovnnb_db.sock` \|$", PAGE.read_text("utf-8"), re.M
    )
    found = {name: (folder, namespace, container) for name, namespace, container, folder in rows}
    assert found == {name: each[:3] for name, each in OVNKUBE_SOCKETS.items()}
