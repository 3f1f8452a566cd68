"""docs/layer2-upgrade.md: its commands in their order, on a real API server, with a zone and the leader at work."""

import os
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.support.deployed import running, upgrading
from tests.support.deployed.running import ACCOUNTS, MERGE, NODES, PROGRAM, Zone, as_deployed
from tests.support.deployed.upgrading import PODS, VERSION, progress, version
from tests.support.paths import ROOT
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts
from tests.testbed.process import Child, wait_until

pytestmark = pytest.mark.timing

api, zone = running.api, running.zone
before = upgrading.upgrading
PAGE = (ROOT / "docs" / "layer2-upgrade.md").read_text(encoding="utf-8")
SYSTEM = "ovnguard-system"
APPS = f"/apis/apps/v1/namespaces/{SYSTEM}"
OWNER = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u", "controller": True}


def blocks() -> list[str]:
    """The page's commands."""
    return [text.split("```", 1)[0] for text in PAGE.split("```sh\n")[1:]]


class Shell:
    """Runs commands of the page as a user of the API server."""

    def __init__(self, zone: Zone, parts: Parts, folder: Path) -> None:
        self._folder = folder
        path = os.pathsep.join(
            [str(PROGRAM.parent), str(parts.kube_apiserver.tool("kubectl").parent), os.environ["PATH"]]
        )
        self._env = {**os.environ, "KUBECONFIG": str(zone.api.kubeconfig), "HOME": str(folder), "PATH": path}

    def __call__(self, script: str) -> str:
        done = subprocess.run(
            ["sh", "-eu"], input=script, cwd=self._folder, env=self._env, text=True, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def test_an_upgrade_by_the_page(before: Zone, parts: Parts, tmp_path: Path) -> None:
    need(parts, "kube-apiserver")
    zone, sh = before, Shell(before, parts, tmp_path)
    where, changes, drain, follow, wait, _ = blocks()
    owned = {"metadata": {"ownerReferences": [OWNER]}}
    assert zone.api.request("PATCH", f"{PODS}/web", owned, MERGE)[0] == 200
    kubeconfig = as_deployed(zone.api, zone.folder, "ovnguard-reconciler-cluster", *ACCOUNTS[1:3])
    argv: list[str | Path] = [PROGRAM, "cluster", "--mode", "own", "--kubeconfig", kubeconfig, "--resync", "1"]
    with Child("leader", argv, tmp_path / "leader.log") as leader:
        zone.start(record=False)
        wait_until(lambda: progress(zone) == "False", "progress", 100, [leader])
        output = sh(where).splitlines()
        reason = "has running pods, not switching to transit router topology yet: blue/web"
        assert output[0] == f"worker-a  before transit routers  Network {upgrading.NETWORK}_ovn_layer2_switch {reason}"
        assert output[-2:] == ["0 of 3 nodes use transit routers.", "Can change now: worker-b, worker-c."]
        output = sh(changes).splitlines()
        assert "    + Logical_Router                  1" in output
        assert any(each.startswith("no changes on ") and "worker-b" in each for each in output)
        sh(drain)
        zone.until(lambda: any(each["reason"] == "Layer2TopologyUpgraded" for each in zone.events("worker-a")), "event")
        output = sh(follow).splitlines()
        assert "node/worker-a condition met" in output
        assert any("The node uses transit routers now." in each for each in output)
        assert output[-1] == "node/worker-a uncordoned"
        for node in ("worker-b", "worker-c"):
            change = {"metadata": {"annotations": {VERSION: "2.0"}}}
            assert zone.api.request("PATCH", f"{NODES}/{node}", change, MERGE)[0] == 200
        assert sh(wait).splitlines() == ["clusteruserdefinednetwork.k8s.ovn.org/blue condition met"]
    assert version(zone) == "2.0"


def test_the_end_is_an_option_of_both_workloads(zone: Zone, parts: Parts, tmp_path: Path) -> None:
    sh = Shell(zone, parts, tmp_path)
    rendered = list(yaml.safe_load_all(sh(f"kubectl kustomize {ROOT / 'deploy/overlays/own'}")))
    wanted = {"daemonsets": "ovnguard-reconciler", "deployments": "ovnguard-reconciler-cluster"}
    as_deployed(zone.api, zone.folder, "ovnguard-reconciler", ACCOUNTS[0])
    try:
        for plural, name in wanted.items():
            (made,) = (
                each for each in rendered if each["metadata"]["name"] == name and f"{each['kind'].lower()}s" == plural
            )
            zone.create(made, f"{APPS}/{plural}")
        sh(blocks()[-1])
        for plural, name in wanted.items():
            (container,) = zone.get(name, f"{APPS}/{plural}")["spec"]["template"]["spec"]["containers"]
            assert container["args"][-1] == "--layer2-legacy=off"
            help_ = sh(f"ovnguard-reconciler {container['args'][0]} --help-all")
            assert "--layer2-legacy [on|off]" in help_
    finally:
        for plural, name in wanted.items():
            zone.api.request("DELETE", f"{APPS}/{plural}/{name}?propagationPolicy=Background")
