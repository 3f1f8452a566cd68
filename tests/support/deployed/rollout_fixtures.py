"""An API server for upgrades, a cluster of 4.13 on it, and what an upgrade leaves there."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ovnguard.reconciler.rollout.plan.folders import STEPPED
from ovnguard.reconciler.rollout.plan.model import Folder
from tests.support.deployed.audit_log import audited
from tests.support.deployed.installed import create_crd
from tests.support.deployed.rollout_bed import FOREIGN, OVN, RolloutBed, definition
from tests.support.paths import ROOT
from tests.support.rollout.operator_templates import RELEASE, manifests
from tests.testbed.apiserver import ApiServer
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts
from tests.testbed.process import wait_until

HOSTED = "clusters-example"
NODE = f"/apis/apps/v1/namespaces/{OVN}/daemonsets/ovnkube-node"


def serve(api: ApiServer) -> None:
    for kind, (group, plural) in FOREIGN.items():
        create_crd(api, definition(kind, group, plural))
        path = f"/apis/{group}/v1/{plural}"
        wait_until(lambda path=path: api.request("GET", path)[0] == 200, f"{plural} are served", 60)


@pytest.fixture(scope="module")
def guest(parts: Parts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    need(parts, "etcd", "kube-apiserver")
    with audited(tmp_path_factory.mktemp("rollout"), parts) as api:
        serve(api)
        yield api


@pytest.fixture
def bed(guest: ApiServer, tmp_path: Path) -> Iterator[RolloutBed]:
    made = RolloutBed(guest, tmp_path)
    yield made
    for process in made.processes:
        process.stop()


@pytest.fixture
def hosted(guest: ApiServer, parts: Parts, tmp_path: Path) -> Iterator[RolloutBed]:
    with audited(tmp_path / "management", parts) as control:
        serve(control)
        made = RolloutBed(guest, tmp_path, control, HOSTED)
        yield made
        for process in made.processes:
            process.stop()


def management_user(bed: RolloutBed) -> Path:
    """A kubeconfig with the rights of deploy/hosted/rollout-role.yaml in the namespace of the hosted cluster."""
    role = yaml.safe_load((ROOT / "deploy/hosted/rollout-role.yaml").read_text(encoding="utf-8"))
    role["metadata"]["namespace"] = HOSTED
    binding = {
        "metadata": {"name": "rollout"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": role["metadata"]["name"]},
        "subjects": [{"kind": "ServiceAccount", "name": "default", "namespace": HOSTED}],
    }
    rights = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{HOSTED}"
    accounts = f"/api/v1/namespaces/{HOSTED}/serviceaccounts"
    bed.control.request("POST", accounts, {"metadata": {"name": "default"}})
    for place, document in ((f"{rights}/roles", role), (f"{rights}/rolebindings", binding)):
        status, answer = bed.control.request("POST", place, document)
        assert status == 201, answer
    token = bed.control.request("POST", f"{accounts}/default/token", {"spec": {}})[1]["status"]["token"]
    config = json.loads(bed.control.kubeconfig.read_text(encoding="utf-8"))
    config["users"] = [{"name": config["users"][0]["name"], "user": {"token": token}}]
    path = bed.folder / "management-kubeconfig"
    path.write_text(json.dumps(config), encoding="utf-8")
    return path


def containers(bed: RolloutBed) -> list[str]:
    """The containers of a node."""
    template = bed.guest.request("GET", NODE)[1]["spec"]["template"]
    return [each["name"] for each in template["spec"]["containers"]]


def handed_over(bed: RolloutBed, release: str = RELEASE) -> None:
    """What the upgrade leaves: the operator changes nothing but managed fields, nothing is ovnguard's, 4.13 is gone."""
    after = manifests(release, bed.flavour)
    rendered = [obj for file, obj in after.of(Folder.FINAL) if file not in STEPPED]
    for obj in rendered:
        found = bed.stored(obj)
        if found:
            assert lasting(bed.operate(obj, dry=True)) == lasting(found)
            managers = {each["manager"] for each in found["metadata"].get("managedFields", ())}
            assert not any("ovnguard" in each for each in managers), (obj["kind"], managers)
            marks = {**found["metadata"].get("labels", {}), **found["metadata"].get("annotations", {})}
            assert not any("ovnguard" in each for each in marks), marks
    kept = {identity(obj) for obj in rendered}
    old = [obj for file, obj in bed.before.of(Folder.LEGACY) if file not in STEPPED and identity(obj) not in kept]
    assert [identity(obj) for obj in old if bed.stored(obj)] == []


def identity(obj: dict[str, Any]) -> tuple[str, ...]:
    metadata = obj["metadata"]
    return obj["kind"], metadata.get("namespace", ""), metadata["name"]


def lasting(obj: dict[str, Any]) -> dict[str, Any]:
    """An object without managed fields, and without the numbers of its versions."""
    metadata = {key: value for key, value in obj["metadata"].items() if key not in ("managedFields", "resourceVersion")}
    return {**obj, "metadata": metadata}
