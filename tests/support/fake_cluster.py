"""A zone and its surroundings in memory: an API server, a database and an FRR that tests can inspect."""

import copy
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from ovnguard.reconciler.apply.kube import Recorder
from ovnguard.reconciler.apply.zone_store import ZoneStore
from ovnguard.reconciler.loop.inputs.plan_inputs import DECLARING_RESOURCES, INPUT_KINDS
from ovnguard.reconciler.loop.process.events import EventRecorder
from ovnguard.reconciler.loop.status.status_writer import StatusWriter
from ovnguard.reconciler.loop.zone.zone_loop import ZoneLoop, ZoneLoopParts
from ovnguard.reconciler.plan.desired_state import DesiredState, JudgeInView, judge_cluster, plan_cluster
from ovnguard.reconciler.plan.rows.row import NETWORK_KEY, Row
from ovnguard.reconciler.plan.rows.row_diff import apply
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.admission import Operation, Request, judge
from ovnguard.validators.cluster.client_protocol import APPLY_PATCH, ApiStatusError
from ovnguard.validators.network.cluster.policies import UNENFORCED_KINDS
from ovnguard.validators.network.cluster_view import CUDN, ClusterView, GroupKind

KINDS = (*(resource.group_kind for resource in DECLARING_RESOURCES), *INPUT_KINDS, *UNENFORCED_KINDS)
ID, KEYS, TRANSIT = (f"ovnguard.io/{key}" for key in ("network-id", "tunnel-keys", "transit-subnets"))

MANAGERS = {
    "TransitSubnetAllocated": "ovnguard-reconciler",
    "Accepted": "ovnguard-reconciler-accepted",
    "ZonesReady": "ovnguard-reconciler-zones",
    "Layer2TopologyUpgraded": "ovnguard-reconciler-layer2",
    "NodesSelected": "ovnguard-reconciler-nodes",
    "PoliciesEnforced": "ovnguard-reconciler-policies",
}
"""The field managers of conditions."""


def managed_by(manager: str, version: str = "k8s.ovn.org/v1") -> dict[str, Any]:
    """The entry of ``metadata.managedFields`` after an apply of the status."""
    fields = {"fieldsType": "FieldsV1", "fieldsV1": {}, "time": "2026-01-01T00:00:00Z"}
    return {"manager": manager, "operation": "Apply", "apiVersion": version, "subresource": "status", **fields}


def node(name: str = "n1", number: int = 2, **annotations):
    address = f"172.18.0.{number}/16"
    gateway = (
        '{"default":{"mode":"shared","bridge-id":"br-ex","interface-id":"br-ex_n","mac-address":"02:00:00:00:00:0a",'
        f'"ip-addresses":["{address}"],"next-hops":["172.18.0.1"],"node-port-enable":"true"}}}}'
    )
    texts = {
        "node-id": str(number),
        "node-chassis-id": f"chassis-{number}",
        "node-primary-ifaddr": f'{{"ipv4":"{address}"}}',
        "l3-gateway-config": gateway,
        "layer2-topology-version": "2.0",
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "annotations": {f"k8s.ovn.org/{key}": text for key, text in texts.items()} | annotations,
        },
        "status": {"addresses": [{"type": "InternalIP", "address": address[:-3]}]},
    }


def cudn(name: str, subnet: str = "10.20.0.0/16", second: int = 0, **annotations: Any) -> dict[str, Any]:
    return {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "ClusterUserDefinedNetwork",
        "metadata": {"name": name, "annotations": annotations, "creationTimestamp": f"2026-01-01T00:00:{second:02d}Z"},
        "spec": {
            "namespaceSelector": {"matchLabels": {"t": name}},
            "network": {"topology": "Layer2", "layer2": {"role": "Primary", "subnets": [subnet]}},
        },
    }


def nad(name: str = "n", **config):
    whole = {
        "cniVersion": "1.1.0",
        "name": "tenant",
        "netAttachDefName": f"ns/{name}",
        "type": "ovn-k8s-cni-overlay",
        "topology": "layer2",
        "role": "primary",
        "subnets": "10.20.0.0/16",
        **config,
    }
    return {
        "apiVersion": "k8s.cni.cncf.io/v1",
        "kind": "NetworkAttachmentDefinition",
        "metadata": {"name": name, "namespace": "ns"},
        "spec": {"config": json.dumps(whole)},
    }


def udn(**layer2):
    return {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "UserDefinedNetwork",
        "metadata": {"name": "u", "namespace": "ns"},
        "spec": {"topology": "Layer2", "layer2": {"role": "Primary", "subnets": ["10.20.0.0/16"], **layer2}},
    }


class Cluster:
    """An API server's objects: a view, and a client whose patches take effect at once."""

    def __init__(self, *objects) -> None:
        self.served: dict[GroupKind, dict[str, dict]] = {kind: {} for kind in KINDS}
        self._listed: dict[GroupKind, tuple[dict, ...]] = {}
        self.version = 0
        self.patches: list[tuple[str, dict]] = []
        self.events: list[dict] = []
        self.failure: Exception | None = None
        self.waiting: tuple[str, ...] = ()
        self.silent: frozenset[GroupKind] = frozenset()
        for obj in objects:
            self.put(obj)

    def put(self, obj) -> None:
        group = obj["apiVersion"].rpartition("/")[0]
        self.version += 1
        obj = copy.deepcopy(obj)
        obj["metadata"].setdefault("uid", f"uid-{obj['metadata']['name']}")
        obj["metadata"]["resourceVersion"] = str(self.version)
        self.served[GroupKind(group, obj["kind"])][obj["metadata"]["name"]] = obj

    def get(self, name: str, kind: GroupKind = CUDN):
        return self.served[kind][name]

    def objects(self, kind: GroupKind):
        """The tuple is identical until an object changes, as in a live view."""
        found = self.served.get(kind)
        if found is None:
            return None
        now, before = tuple(found[name] for name in sorted(found)), self._listed.get(kind, ())
        if len(now) != len(before) or any(one is not other for one, other in zip(now, before, strict=True)):
            self._listed[kind] = now
        return self._listed.setdefault(kind, now)

    def waiting_for(self):
        return self.waiting

    def emptied(self):
        return self.silent

    def request(self, method, path, query=None, body=None, content_type=""):
        if self.failure:
            raise self.failure
        if path.startswith("/apis/events.k8s.io/"):
            assert method == "POST"
            self.events.append(body)
            return body
        assert method == "PATCH"
        self.patches.append((path, body))
        *_, plural, name = path.removesuffix("/status").split("/")
        (kind,) = (each.group_kind for each in DECLARING_RESOURCES if each.plural == plural)
        obj = copy.deepcopy(self.get(name, kind))
        if body["metadata"]["resourceVersion"] != obj["metadata"]["resourceVersion"]:
            raise ApiStatusError(409, "Conflict", "the object has been modified")
        if content_type == APPLY_PATCH and "status" not in body:
            self._give_up(obj, query["fieldManager"])
        elif content_type == APPLY_PATCH:
            (mine,) = body["status"]["conditions"]
            # one manager for each entry: to apply one is to give up the others that the same manager owns
            assert query == {"fieldManager": MANAGERS[mine["type"]], "force": "true"}
            others = [each for each in obj.get("status", {}).get("conditions", []) if each["type"] != mine["type"]]
            obj["status"] = {"conditions": [*others, mine]}
            entry = managed_by(query["fieldManager"], obj["apiVersion"])
            managers = obj["metadata"].setdefault("managedFields", [])
            managers.extend([entry] if entry not in managers else [])
        else:
            obj["metadata"].setdefault("annotations", {}).update(body["metadata"]["annotations"])
        self.put(obj)
        return copy.deepcopy(self.get(name, kind))

    def _give_up(self, obj, manager: str) -> None:
        """Remove the condition that only this manager applied."""
        obj["metadata"]["managedFields"].remove(managed_by(manager, obj["apiVersion"]))
        kept = [each for each in obj["status"]["conditions"] if MANAGERS.get(each["type"]) != manager]
        obj["status"] = {"conditions": kept}

    def watch(self, *_):
        raise AssertionError("nobody watches here")


class Store:
    def __init__(self) -> None:
        self.rows: tuple[Row, ...] = ()
        self.failure: Exception | None = None
        self.transactions = 0

    def read(self):
        if self.failure:
            raise self.failure
        return self.rows

    def apply(self, operations):
        self.transactions += 1
        self.rows = apply(operations, self.rows)

    def close(self):
        """Nothing is open."""

    @property
    def networks(self) -> set[str]:
        ids = [row.columns.get("external_ids", {}) for row in self.rows]
        return {each[NETWORK_KEY] for each in ids if isinstance(each, Mapping) and NETWORK_KEY in each}


class Frr:
    def __init__(self) -> None:
        self.text = ""
        self.failure: Exception | None = None

    def write(self, text: str) -> bool:
        if self.failure:
            raise self.failure
        changed, self.text = text != self.text, text
        return changed


class World:
    """A zone of n1 with everything around it; every look is counted."""

    def __init__(self, *objects) -> None:
        self.cluster = Cluster(node(), node("n2", 3), *objects)
        self.store, self.frr = Store(), Frr()
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.judged = 0
        self.seconds = 0.0
        recorder = Recorder(self.cluster, DECLARING_RESOURCES, lambda: self.now)
        announcer = EventRecorder(self.cluster, "n1", lambda: self.now, self._monotonic)
        reporter = StatusWriter(recorder, announcer, self._monotonic)
        self.parts = ZoneLoopParts(
            self.cluster, self._judge, self.store, self.frr.write, reporter, Settings(), clock=lambda: self.now
        )
        self.zone = ZoneLoop("n1", self.parts)

    def zone_of(self, store: ZoneStore, **changes) -> ZoneLoop:
        """Another process for the same zone."""
        return ZoneLoop("n1", replace(self.parts, store=store, **changes))

    def _monotonic(self) -> float:
        return self.seconds

    def _judge(self, obj, view):
        self.judged += 1
        return judge(Request(Operation.CREATE, obj), view)

    def settle(self) -> None:
        for _ in range(4):
            assert self.zone.tick() == ()


def judged(obj, view):
    return judge(Request(Operation.CREATE, obj), view)


def operator(**config):
    kubernetes = {"type": "OVNKubernetes", "ovnKubernetesConfig": config}
    return {
        "apiVersion": "operator.openshift.io/v1",
        "kind": "Network",
        "metadata": {"name": "cluster"},
        "spec": {"clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}], "defaultNetwork": kubernetes},
    }


def desired_state(view: ClusterView, judge: JudgeInView, settings: Settings, node: str) -> DesiredState:
    """Judge all networks of a live cluster and plan the zone of ``node``, as if nothing were known before."""
    return plan_cluster(judge_cluster(view, judge), settings, node)
