"""A lab with the nodes of a recording: some zones have the rows of OVN-Kubernetes, others those that ovnguard plans."""

import json
from collections.abc import Collection, Iterator
from contextlib import closing
from pathlib import Path

from ovnguard.reconciler.apply.ovn.ovn_nb import NorthboundStore
from ovnguard.reconciler.plan.rows.names import pod_port
from ovnguard.reconciler.plan.rows.row_diff import diff
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.declared.node import node_of
from tests.support.lab.wire import LabFactory, spec_of
from tests.support.recorded_rows import RecordedZone, fill, planned_rows, recording
from tests.testbed.endpoint import Endpoint
from tests.testbed.ovnlab import OvnLab


class RecordedLab:
    """The zones of a recording, those of ``ours`` as ovnguard writes them; other nodes of it are not there."""

    def __init__(self, ovn_lab: LabFactory, name: str, ours: Collection[str], folder: Path) -> None:
        self._data = recording(name)
        parsed = (node_of(each).node for each in self._objects("Node"))
        nodes = [node for node in parsed if node is not None and node.name in self._data["northbound"]]
        gateway = nodes[0].gateway
        assert gateway is not None, "recorded nodes have gateways"
        lengths = {each.version: each.network.prefixlen for each in gateway.addresses}
        self.lab: OvnLab = ovn_lab(
            [spec_of(node) for node in nodes], [f"{hop}/{lengths[hop.version]}" for hop in gateway.next_hops]
        )
        for node in nodes:
            zone, remote = RecordedZone(name, node.name), self.lab[node.name].zone.nb
            if node.name in ours:
                with closing(NorthboundStore(remote)) as store:
                    store.apply(diff(store.read(), planned_rows(zone, folder)[0]))
            else:
                fill(remote, zone)
        self.lab.wait()

    def pods(self, attachment: str) -> dict[str, Endpoint]:
        """The recorded pods on an attachment by node, plugged into the ports that the zones have for them."""
        found = {node: self._pod(obj, attachment, record) for node, obj, record in self._attached(attachment)}
        for node, obj, _ in self._attached(attachment):
            self.lab[node].wait_up(pod_port(attachment, obj["metadata"]["namespace"], obj["metadata"]["name"]))
        self.lab.wait()
        return found

    def _pod(self, obj: JsonObject, attachment: str, record: JsonObject) -> Endpoint:
        metadata = obj["metadata"]
        port = pod_port(attachment, metadata["namespace"], metadata["name"])
        place = (obj["spec"]["nodeName"], port, record["mac_address"], record["ip_addresses"], record["gateway_ips"])
        return self.lab.pod(f"{metadata['namespace']}-{metadata['name']}", *place, version=metadata["uid"])

    def _attached(self, attachment: str) -> Iterator[tuple[str, JsonObject, JsonObject]]:
        """Node, object and record of the pods on an attachment."""
        for obj in self._objects("Pod"):
            records = json.loads(obj["metadata"]["annotations"].get("k8s.ovn.org/pod-networks", "{}"))
            # the default network of a pod with another primary network has no gateway for it
            if "gateway_ips" in records.get(attachment, ()):
                yield obj["spec"]["nodeName"], obj, records[attachment]

    def _objects(self, kind: str) -> Iterator[JsonObject]:
        return (each for each in self._data["inputs"] if each["kind"] == kind)
