"""docs/audit.md: objects collected from a real API server are what `plan` reads."""

import json
import os
import subprocess
from pathlib import Path

from tests.support.deployed import running
from tests.support.deployed.running import PROGRAM, Zone, cudn
from tests.support.paths import ROOT
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts

api, zone = running.api, running.zone


def collect(zone: Zone, parts: Parts, folder: Path) -> None:
    """The page's own commands."""
    page = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")
    section = page.partition("\n## 1. Collect the objects\n")[2]
    script = section.split("```sh\n", 1)[1].split("```", 1)[0]
    path = f"{parts.kube_apiserver.tool('kubectl').parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "KUBECONFIG": str(zone.api.kubeconfig), "HOME": str(folder), "PATH": path}
    subprocess.run(["sh", "-eu"], input=script, cwd=folder, env=env, text=True, capture_output=True, check=True)


def test_collected_objects_are_planned_before_and_after_a_change(zone: Zone, parts: Parts, tmp_path: Path) -> None:
    need(parts, "kube-apiserver")
    zone.create(cudn("blue", "100.88.0.0/15"))
    collect(zone, parts, tmp_path)
    files = {file.name for file in (tmp_path / "live").iterdir()}
    assert {"nodes.yaml", "clusteruserdefinednetworks.yaml", "networks.operator.openshift.io.yaml"} <= files
    assert "network-attachment-definitions.yaml" not in files, "the server does not serve them"
    green = tmp_path / "green.json"
    green.write_text(json.dumps(cudn("green", "10.60.0.0/16")))
    argv = [str(PROGRAM), "plan", "-f", "live/", "--nodes", "live/", "--change", str(green), "-o", "json"]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["errors"]) == (0, []), done.stderr
    assert set(answer["nodes"]) == {"worker-a", "worker-b", "worker-c"}
    for node in answer["nodes"].values():
        changed = {each["row"].get("name", "") for each in node["operations"]}
        assert "cluster_udn_green_ovn_layer2_switch" in changed
        assert "cluster_udn_blue_ovn_layer2_switch" not in changed
