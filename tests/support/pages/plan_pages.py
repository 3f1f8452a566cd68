"""The screens in docs/screens: the page of a plan of each topology. To make them again, after `make testbed`:

python -m tests.support.pages.plan_pages
"""

import base64
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tests.support.fake_cluster import cudn, node
from tests.support.paths import ROOT
from tests.support.reconciler_cli import run
from tests.testbed import parts
from tests.testbed.chromium import Chromium
from validators.manifest.yaml_reader import load_all

FOLDER: Final = ROOT / "docs/screens"
_SCREEN: Final = {"width": 1760, "height": 1150, "deviceScaleFactor": 0.6, "mobile": False}


def _network(name: str, topology: str, **block: Any) -> dict[str, Any]:
    obj = cudn(name)
    obj["spec"]["network"] = {"topology": topology, topology.lower(): block}
    return obj


def _overlay() -> dict[str, Any]:
    """The default network with tunnels."""
    network = {"clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}], "serviceNetwork": ["172.30.0.0/16"]}
    default = {"defaultNetwork": {"type": "OVNKubernetes", "ovnKubernetesConfig": {"mtu": 1400}}}
    kind = {"apiVersion": "operator.openshift.io/v1", "kind": "Network", "metadata": {"name": "cluster"}}
    return {**kind, "spec": {**network, **default}}


def _nodes(upgraded: int = 3) -> list[dict[str, Any]]:
    """Three nodes, of which so many have transit routers."""
    found = [_node(number) for number in range(3)]
    for each in found[upgraded:]:
        del each["metadata"]["annotations"]["k8s.ovn.org/layer2-topology-version"]
    return found


def _node(number: int) -> dict[str, Any]:
    shares = {"default": [f"10.128.{2 * number}.0/23"], "cluster_udn_green": [f"10.20.{number}.0/24"]}
    texts = {
        "node-subnets": shares,
        "udn-layer2-node-gateway-router-lrp-tunnel-ids": {"cluster_udn_blue": f"{number + 2}"},
    }
    annotations = {f"k8s.ovn.org/{key}": json.dumps(value) for key, value in texts.items()}
    return node(f"worker-{'abc'[number]}", number + 2, **annotations)


_LAYER2: Final = _network("blue", "Layer2", role="Primary", subnets=["10.100.0.0/16"])
_LAYER3: Final = _network("green", "Layer3", role="Primary", subnets=[{"cidr": "10.20.0.0/16", "hostSubnet": 24}])
_LOCALNET: Final = _network(
    *("wire", "Localnet"),
    role="Secondary",
    physicalNetworkName="storage",
    subnets=["192.168.50.0/24"],
    vlan={"mode": "Access", "access": {"id": 204}},
)
_NO_OVERLAY: Final = next(load_all((ROOT / "deploy/examples/valid/default-network.yaml").read_bytes())).value
CASES: Final[Mapping[str, tuple[dict[str, Any], list[dict[str, Any]]]]] = {
    "layer2": (_LAYER2, _nodes()),
    "layer2-upgrade": (_LAYER2, _nodes(1)),
    "layer3": (_LAYER3, _nodes()),
    "localnet": (_LOCALNET, _nodes()),
    "default-overlay": (_overlay(), _nodes()),
    "default-no-overlay": (_NO_OVERLAY, _nodes()),
}


def page(name: str, folder: Path) -> str:
    """Return the page of a case; its manifests are written into the folder."""
    network, members = CASES[name]
    file, nodes = folder / "network.json", folder / "nodes.json"
    file.write_text(json.dumps(network), encoding="utf-8")
    nodes.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": members}), encoding="utf-8")
    done = run("plan", "-f", file, "--nodes", nodes, "-o", "html")
    if done.code:
        raise RuntimeError(f"{name}: plan ended with {done.code}: {done.err}")
    return done.out


def main() -> None:
    found = parts.find()
    os.environ["PATH"] = f"{found['graphviz'].tool('dot').parent}{os.pathsep}{os.environ['PATH']}"
    FOLDER.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as text,
        Chromium(found["chromium"], Path(text) / "chromium.log") as chromium,
    ):
        chromium.call("Emulation.setDeviceMetricsOverride", **_SCREEN)
        for name in CASES:
            file = Path(text) / "page.html"
            file.write_text(page(name, Path(text)), encoding="utf-8")
            chromium.open(file.as_uri())
            shot = chromium.call("Page.captureScreenshot", format="png")
            (FOLDER / f"{name}.png").write_bytes(base64.b64decode(shot["data"]))


if __name__ == "__main__":
    main()
