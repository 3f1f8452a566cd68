"""Plans for docs/pictures and docs/screens: one of twenty networks, two of them new, and one of each topology."""

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ovnguard.validators.manifest.yaml_reader import load_all
from tests.support.fake_cluster import cudn, node
from tests.support.paths import ROOT
from tests.support.reconciler_cli import run

Object = dict[str, Any]
_SHOPS: Final = ("basket", "billing", "catalog", "checkout", "delivery", "loyalty", "payments", "pricing", "returns")
_TEAMS: Final = ("analytics", "build", "fraud", "ledger", "mail", "search", "stock")
_STORES: Final = ("backup", "images", "video")


@dataclass(frozen=True)
class Case:
    """The networks of a cluster, the ``new`` ones that a plan adds, and how many of its ``nodes`` are upgraded."""

    networks: Sequence[Object]
    nodes: int = 3
    upgraded: int | None = None
    new: Sequence[Object] = ()

    def printed(self, form: str) -> str:
        """What ``plan -o FORM`` prints."""
        with tempfile.TemporaryDirectory() as name:
            live, change = Path(name) / "live.json", Path(name) / "change.json"
            spaces = [each for network in (*self.networks, *self.new) for each in _namespaces(network)]
            _write(live, [*self.networks, *spaces, *_nodes(self)])
            _write(change, self.new)
            changed = ("--change", change) if self.new else ()
            done = run("plan", "-f", live, "--nodes", live, *changed, "-o", form)
        if done.code:
            raise RuntimeError(f"plan ended with {done.code}: {done.err}")
        return done.out


def _write(file: Path, objects: Sequence[Object]) -> None:
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}), encoding="utf-8")


def _network(name: str, topology: str, **block: Any) -> Object:
    obj = cudn(name)
    obj["spec"]["network"] = {"topology": topology, topology.lower(): block}
    return obj


def _layer2(name: str, number: int) -> Object:
    return _network(name, "Layer2", role="Primary", subnets=[f"10.{number}.0.0/16"])


def _layer3(name: str, number: int) -> Object:
    return _network(name, "Layer3", role="Primary", subnets=[{"cidr": f"10.{number}.0.0/16", "hostSubnet": 24}])


def _localnet(name: str, number: int) -> Object:
    vlan = {"mode": "Access", "access": {"id": 200 + number}}
    subnets = [f"192.168.{number}.0/24"]
    return _network(name, "Localnet", role="Secondary", physicalNetworkName="storage", subnets=subnets, vlan=vlan)


def _namespaces(network: Object) -> list[Object]:
    """Two namespaces that a network's selector chooses."""
    name = network["metadata"]["name"]
    labels = {"t": name, "k8s.ovn.org/primary-user-defined-network": ""}
    spaces = [f"{name}-live", f"{name}-test"] if network["kind"] == "ClusterUserDefinedNetwork" else []
    meta = ({"name": each, "labels": labels} for each in spaces)
    return [{"apiVersion": "v1", "kind": "Namespace", "metadata": each} for each in meta]


def _nodes(case: Case) -> list[Object]:
    found = [_node(number, case) for number in range(case.nodes)]
    for each in found[case.nodes if case.upgraded is None else case.upgraded :]:
        del each["metadata"]["annotations"]["k8s.ovn.org/layer2-topology-version"]
    return found


def _node(number: int, case: Case) -> Object:
    shares = {"default": [f"10.128.{2 * number}.0/23"]}
    for each in case.networks:
        block = each["spec"].get("network", {}).get("layer3")
        if block:
            name = f"cluster_udn_{each['metadata']['name']}"
            shares[name] = [block["subnets"][0]["cidr"].replace(".0.0/16", f".{number}.0/24")]
    keys = {
        f"cluster_udn_{each['metadata']['name']}": f"{number + 2}"
        for each in case.networks
        if "network" in each["spec"]
    }
    texts = {"node-subnets": shares, "udn-layer2-node-gateway-router-lrp-tunnel-ids": keys}
    annotations = {f"k8s.ovn.org/{key}": json.dumps(value) for key, value in texts.items()}
    return node(f"worker-{number:02}.example.internal", number + 2, **annotations)


def _overlay() -> Object:
    """The default network with tunnels."""
    network = {"clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}], "serviceNetwork": ["172.30.0.0/16"]}
    default = {"defaultNetwork": {"type": "OVNKubernetes", "ovnKubernetesConfig": {"mtu": 1400}}}
    kind = {"apiVersion": "operator.openshift.io/v1", "kind": "Network", "metadata": {"name": "cluster"}}
    return {**kind, "spec": {**network, **default}}


_MANY: Final = (
    _overlay(),
    *(_layer2(name, 20 + number) for number, name in enumerate(_SHOPS)),
    *(_layer3(name, 40 + number) for number, name in enumerate(_TEAMS)),
    *(_localnet(name, 50 + number) for number, name in enumerate(_STORES)),
)
_NO_OVERLAY: Final = next(load_all((ROOT / "deploy/examples/valid/default-network.yaml").read_bytes())).value
_BLUE: Final = _layer2("blue", 100)
CASES: Final = {
    "plan": Case(_MANY[:9] + _MANY[10:-1], 7, new=(_MANY[9], _MANY[-1])),
    "layer2": Case([_BLUE]),
    "layer2-upgrade": Case([_BLUE], upgraded=1),
    "layer3": Case([_layer3("green", 20)], 12),
    "localnet": Case([_localnet("wire", 50)]),
    "default-overlay": Case([_overlay()]),
    "default-no-overlay": Case([_NO_OVERLAY]),
}
