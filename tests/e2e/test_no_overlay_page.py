"""docs/no-overlay.md, word for word: the commands for a cluster, on a real API server next to a leader."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.support.deployed.deployed import DEPLOY
from tests.support.deployed.fabric_api import CUDNS, MERGE, NODES, OPERATOR, Fabric, empty, served
from tests.support.paths import ROOT
from tests.testbed.apiserver import ApiServer
from tests.testbed.parts import Parts

pytestmark = pytest.mark.e2e
PAGE = (ROOT / "docs" / "no-overlay.md").read_text(encoding="utf-8")
COMMANDS = [line for block in re.findall(r"(?ms)^```sh\n(.*?)^```", PAGE) for line in block.splitlines()]
GENERATED, MANAGED = "k8s.ovn.org/route-advertisements=ovnk-managed-bgp-default", "-l k8s.ovn.org/managed-bgp "
ROLE = "k8s.ovn.org/internal-bgp-role"
NAMES = ("worker-a", "worker-b", "worker-c")


class Reader:
    """Who follows the page."""

    def __init__(self, fabric: Fabric, kubectl: Path, folder: Path) -> None:
        self.fabric, self._folder = fabric, folder
        path = f"{kubectl.parent}{os.pathsep}{os.environ['PATH']}"
        kubeconfig = str(fabric.api.kubeconfig)
        self._environment = {**os.environ, "PATH": path, "HOME": str(folder), "KUBECONFIG": kubeconfig}
        self.left = list(COMMANDS)

    def run(self, words: str) -> list[str]:
        """The only command of the page with these words; the lines that it prints."""
        (command,) = [each for each in COMMANDS if words in each]
        if command in self.left:
            self.left.remove(command)
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self._folder,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert done.returncode == 0, (command, done.stderr)
        return done.stdout.splitlines()

    def until_reflecting(self, *nodes: str) -> None:
        """Wait until the managed objects are those of these reflectors."""
        prefix = "frrconfiguration.frrk8s.metallb.io/ovnk-managed-bgp"
        wanted = [prefix, *(f"{prefix}-reflector-{node}" for node in nodes)]
        self.fabric.until(lambda: self.run(MANAGED) == wanted, f"{', '.join(nodes)} reflect")


@pytest.fixture
def reader(apiserver: ApiServer, parts: Parts, tmp_path: Path) -> Iterator[Reader]:
    with served(apiserver, reflectors=True):
        fabric = Fabric(apiserver, tmp_path)
        yield Reader(fabric, parts.kube_apiserver.tool("kubectl"), tmp_path)
        fabric.stop()
        empty(apiserver)


def test_the_commands_for_a_cluster(reader: Reader) -> None:
    """The default network is the page's, with reflectors; nobody has the role at first."""
    fabric = reader.fabric
    default = (DEPLOY / "examples" / "valid" / "default-network.yaml").read_text(encoding="utf-8")
    fabric.create(OPERATOR, yaml.safe_load(default.replace("bgpTopology: fullMesh", "bgpTopology: routeReflector")))
    for name in NAMES:
        obj = yaml.safe_load((DEPLOY / "examples" / "nodes" / f"{name}.yaml").read_text(encoding="utf-8"))
        fabric.create(NODES, obj)
        status = {"status": obj["status"]}
        assert fabric.api.request("PATCH", f"{NODES}/{name}/status", status, MERGE)[0] == 200
    (green,) = re.findall(r"(?ms)^# networks/green.yaml\n(.*?)^```", PAGE)
    fabric.create(CUDNS, yaml.safe_load(green))
    fabric.start()
    missing = ["NoOverlayRouteAdvertisementsIsMissing"]
    fabric.until(lambda: reader.run("TransportAccepted") == missing, "green without reflectors")
    reader.run(f"worker-a worker-b {ROLE}=")
    reader.until_reflecting("worker-a", "worker-b")
    fabric.until(lambda: reader.run("TransportAccepted") == ["NoOverlayTransportAccepted"], "the routes of green")
    fabric.until(lambda: len(reader.run(GENERATED)) == len(NAMES), "a configuration for each node")
    wanted = ["NAME STATUS", "ovnk-managed-bgp-cudn Accepted", "ovnk-managed-bgp-default Accepted"]
    fabric.until(
        lambda: [" ".join(line.split()) for line in reader.run("get routeadvertisements")] == wanted, "both accepted"
    )
    fabric.until(lambda: len(reader.run("NoOverlayConfigurationReady")) > 1, "the Event")
    events = reader.run("NoOverlayConfigurationReady")
    assert [" ".join(line.split()[:3]) for line in events] == ["TYPE MESSAGE", "Normal No-overlay transport"]
    reader.run(f"worker-c {ROLE}=")
    reader.until_reflecting(*NAMES)
    reader.run(f"worker-a {ROLE}-")
    reader.until_reflecting("worker-b", "worker-c")
    assert reader.left == []
