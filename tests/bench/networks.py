"""Networks held against each other, each through `judge`: `python -m tests.bench.networks [NETWORKS [NODES]]`."""

import sys
import time
from collections import Counter
from typing import Any

from ovnguard.validators.admission import Operation, Request, judge
from ovnguard.validators.network.cluster_view import ObjectsView

LABEL = "k8s.ovn.org/primary-user-defined-network"


def world(networks: int, nodes: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The networks, half Layer2 of a namespace and half Layer3 of a selector, and all that is known around them."""
    declared = [_layer2(index) if index % 2 else _layer3(index) for index in range(networks)]
    around = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"s{index}", "labels": {LABEL: ""}}}
        for index in range(networks)
    ]
    around += [_node(index) for index in range(nodes)]
    network = {"clusterNetwork": [{"cidr": "172.20.0.0/14", "hostPrefix": 23}], "serviceNetwork": ["172.30.0.0/16"]}
    default = {"defaultNetwork": {"type": "OVNKubernetes", "ovnKubernetesConfig": {"mtu": 1400}}}
    metadata = {"name": "cluster"}
    operator = {"apiVersion": "operator.openshift.io/v1", "kind": "Network", "metadata": metadata}
    return declared, [*around, {**operator, "spec": {**network, **default}}]


def main() -> None:
    """Print CPU seconds of all judgements together, and what the rules said."""
    sizes = [int(each) for each in sys.argv[1:3]]
    networks, nodes = (*sizes, *(10_000, 100)[len(sizes) :])
    declared, around = world(networks, nodes)
    judge(Request(Operation.CREATE, declared[0]), ObjectsView(around))
    judge(Request(Operation.CREATE, declared[-1]), ObjectsView(around))
    view, counts = ObjectsView([*declared, *around]), Counter[str]()
    started = time.process_time()
    for obj in declared:
        answer = judge(Request(Operation.CREATE, obj), view)
        counts.update(finding.rule for finding in (*answer.errors, *answer.warnings))
    seconds = time.process_time() - started
    print(
        f"{networks} networks, {nodes} nodes: {seconds:.2f} s, {seconds / networks * 1e6:.0f} us each; {dict(counts)}"
    )


def _layer2(index: int) -> dict[str, Any]:
    metadata = {"name": f"n{index}", "namespace": f"s{index}"}
    block = {"role": "Primary", "subnets": [f"10.{index % 250}.0.0/16"]}
    spec = {"topology": "Layer2", "layer2": block}
    return {"apiVersion": "k8s.ovn.org/v1", "kind": "UserDefinedNetwork", "metadata": metadata, "spec": spec}


def _layer3(index: int) -> dict[str, Any]:
    block = {"role": "Primary", "subnets": [{"cidr": f"10.{index % 250}.0.0/16", "hostSubnet": 24}]}
    selector = {"matchLabels": {"kubernetes.io/metadata.name": f"s{index}"}}
    spec = {"namespaceSelector": selector, "network": {"topology": "Layer3", "layer3": block}}
    metadata = {"name": f"c{index}"}
    return {"apiVersion": "k8s.ovn.org/v1", "kind": "ClusterUserDefinedNetwork", "metadata": metadata, "spec": spec}


def _node(index: int) -> dict[str, Any]:
    address = f"192.168.{index // 250}.{index % 250}"
    own = {"node-id": str(index + 2), "zone-name": f"node{index}", "host-cidrs": f'["{address}/16"]'}
    annotations = {f"k8s.ovn.org/{key}": value for key, value in own.items()}
    status = {"addresses": [{"type": "InternalIP", "address": address}]}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": f"node{index}", "annotations": annotations},
        "status": status,
    }


if __name__ == "__main__":
    main()
