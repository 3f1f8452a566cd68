"""Pods of the operator's templates on nodes of kwok: ready when what their readiness probes ask for holds."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ovnguard.reconciler.rollout.plan.model import Flavour, Folder
from tests.support.deployed.pod_probes import Probes, asks_for, probes, stages
from tests.support.deployed.rollout_bed import NAMESPACES, OVN, RolloutBed
from tests.support.rollout.operator_templates import RELEASE, manifests
from tests.support.soak import limit
from tests.testbed.apiserver import ApiServer
from tests.testbed.fixtures import need
from tests.testbed.kwok_controller import Kwok
from tests.testbed.ovn import OvnZone
from tests.testbed.parts import Parts
from tests.testbed.process import wait_until

pytestmark = [pytest.mark.conformance, pytest.mark.timing, limit(120)]

CNI = "etc/cni/net.d/10-ovn-kubernetes.conf"
POLLED = ("n000", "n001", "n002")


@pytest.fixture(scope="module", autouse=True)
def kubelets(guest: ApiServer, parts: Parts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    need(parts, "kwok", "ovn")
    with Kwok(parts.kwok, guest.kubeconfig, tmp_path_factory.mktemp("kubelets") / "kwok", stages()):
        yield


def start_pod(bed: RolloutBed, name: str, node: str, workload: dict[str, Any]) -> None:
    template = copy.deepcopy(workload["spec"]["template"])
    template["metadata"] = {"name": name, "labels": template["metadata"]["labels"]}
    template["spec"]["nodeName"] = node
    status, answer = bed.guest.request(
        "POST", f"{NAMESPACES}/{OVN}/pods", {"apiVersion": "v1", "kind": "Pod", **template}
    )
    assert status == 201, answer


def without_probes(workload: dict[str, Any]) -> dict[str, Any]:
    made = copy.deepcopy(workload)
    for container in made["spec"]["template"]["spec"]["containers"]:
        container.pop("readinessProbe", None)
    return made


def place_file(asked: Probes, node: str) -> None:
    (asked.folder / node / CNI).parent.mkdir(parents=True)
    (asked.folder / node / CNI).write_text("{}")


def test_a_pod_is_ready_when_its_databases_are_served_and_its_cni_is_configured(
    bed: RolloutBed, parts: Parts, tmp_path: Path
) -> None:
    bed.install(3)
    node = manifests(RELEASE, Flavour.SELF_HOSTED).workload(Folder.FINAL, "ovnkube-node")
    assert node is not None
    assert [asks_for(command) for _, command in probes(node)] == [
        "database nb",
        "database sb",
        "file /etc/cni/net.d/10-ovn-kubernetes.conf",
    ]
    asked = Probes(bed.guest, OVN, tmp_path / "nodes", parts.ovn.tool("ovsdb-client"))
    for name in POLLED:
        start_pod(bed, f"{name}-probed", name, node)
        start_pod(bed, f"{name}-blind", name, without_probes(node))

    def ready() -> list[str]:
        asked.ask()
        return sorted(name for name, yes in asked.ready().items() if yes)

    def running() -> bool:
        pods = bed.guest.request("GET", f"{NAMESPACES}/{OVN}/pods")[1]["items"]
        return all(each.get("status", {}).get("phase") == "Running" for each in pods)

    wait_until(running, "kwok starts the pods", 60)
    assert ready() == []
    with OvnZone("n000", tmp_path / "zone", parts.ovn) as zone:
        asked.zones["n000"] = zone
        place_file(asked, "n001")
        assert ready() == [], "one has the databases only, the other the file only"
        place_file(asked, "n000")
        wait_until(lambda: ready() == ["n000-probed"], "the pod with both is ready", 60)
        asked.zones["n001"] = zone
        wait_until(lambda: ready() == ["n000-probed", "n001-probed"], "and the next one, but none without a probe", 60)
    bed.guest.request("DELETE", f"{NAMESPACES}/{OVN}/pods?gracePeriodSeconds=0")
