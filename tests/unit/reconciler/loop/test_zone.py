"""One tick: what is recorded, planned, applied and reported, with fakes for the world around it."""

import copy
import json
import logging
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from reconciler.apply.errors import FrrRefusedError, StoreUnavailableError
from reconciler.apply.kube import Recorder, find_condition
from reconciler.loop import zone as zone_module
from reconciler.loop.desired import fingerprint, look
from reconciler.loop.events import Announcer
from reconciler.loop.reporting import Reporter
from reconciler.loop.watched import AROUND_KINDS, DECLARING
from reconciler.loop.zone import Parts, Zone
from reconciler.plan import ids
from reconciler.plan.diff import apply
from reconciler.plan.rows import NETWORK_KEY
from reconciler.plan.services import ENDPOINT_SLICE, SERVICE_NAME
from reconciler.plan.settings import Settings
from validators.admission import Operation, Request, judge
from validators.cluster.api import APPLY_PATCH, ApiStatusError, ClusterError
from validators.network.view import CUDN, EGRESS_IP, NODE, OPERATOR_NETWORK, POD, SERVICE, UDN, GroupKind

KINDS = (*(resource.group_kind for resource in DECLARING), *AROUND_KINDS)
ID, KEYS, TRANSIT = (f"ovnguard.io/{key}" for key in ("network-id", "tunnel-keys", "transit-subnets"))


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


def cudn(name: str, subnet: str = "10.20.0.0/16", second: int = 0, **annotations):
    return {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "ClusterUserDefinedNetwork",
        "metadata": {"name": name, "annotations": annotations, "creationTimestamp": f"2026-01-01T00:00:{second:02d}Z"},
        "spec": {
            "namespaceSelector": {"matchLabels": {"t": name}},
            "network": {"topology": "Layer2", "layer2": {"role": "Primary", "subnets": [subnet]}},
        },
    }


class Cluster:
    """An API server's objects: a view, and a client whose patches take effect at once."""

    def __init__(self, *objects) -> None:
        self.served: dict[GroupKind, dict[str, dict]] = {kind: {} for kind in KINDS}
        self.version = 0
        self.patches: list[tuple[str, dict]] = []
        self.events: list[dict] = []
        self.failure: Exception | None = None
        self.waiting: tuple[str, ...] = ()
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
        found = self.served.get(kind)
        return None if found is None else tuple(found[name] for name in sorted(found))

    def waiting_for(self):
        return self.waiting

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
        (kind,) = (each.group_kind for each in DECLARING if each.plural == plural)
        obj = copy.deepcopy(self.get(name, kind))
        if body["metadata"]["resourceVersion"] != obj["metadata"]["resourceVersion"]:
            raise ApiStatusError(409, "Conflict", "the object has been modified")
        if content_type == APPLY_PATCH:
            (mine,) = body["status"]["conditions"]
            # one manager for each entry: to apply one is to give up the others that the same manager owns
            manager = {
                "TransitSubnetAllocated": "ovnguard-reconciler",
                "Accepted": "ovnguard-reconciler-accepted",
            }
            assert query == {"fieldManager": manager[mine["type"]], "force": "true"}
            others = [each for each in obj.get("status", {}).get("conditions", []) if each["type"] != mine["type"]]
            obj["status"] = {"conditions": [*others, mine]}
        else:
            obj["metadata"].setdefault("annotations", {}).update(body["metadata"]["annotations"])
        self.put(obj)
        return copy.deepcopy(self.get(name, kind))

    def watch(self, *_):
        raise AssertionError("nobody watches here")


class Store:
    def __init__(self) -> None:
        self.rows = ()
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
        return {row.columns.get("external_ids", {}).get(NETWORK_KEY) for row in self.rows} - {None}


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
        recorder = Recorder(self.cluster, DECLARING, lambda: self.now)
        announcer = Announcer(self.cluster, "n1", lambda: self.now, self._monotonic)
        reporter = Reporter(recorder, announcer, self._monotonic)
        self.parts = Parts(self.cluster, self._judge, self.store, self.frr.write, reporter, Settings())
        self.zone = Zone("n1", self.parts)

    def zone_of(self, store: "Store", **changes) -> Zone:
        """Another process for the same zone."""
        return Zone("n1", replace(self.parts, store=store, **changes))

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


@pytest.fixture(autouse=True)
def everything_is_heard(caplog):
    caplog.set_level(logging.INFO)


def test_a_network_is_recorded_before_it_is_planned_and_reported_after(caplog):
    world = World(cudn("blue"))
    assert world.zone.tick() == ()
    assert world.store.rows == ()
    notes = world.cluster.get("blue")["metadata"]["annotations"]
    assert notes[TRANSIT] == "100.88.0.0/16"
    assert 1 <= int(notes[ID]) <= 4095
    assert notes[KEYS].startswith(f"[{16711683 + int(notes[ID])},")
    assert find_condition(world.cluster.get("blue"), "TransitSubnetAllocated") is None

    assert world.zone.tick() == ()
    assert world.store.networks == {"cluster_udn_blue"}
    condition = find_condition(world.cluster.get("blue"), "TransitSubnetAllocated")
    assert (condition["status"], condition["reason"]) == ("True", "DefaultSelected")
    assert condition["message"] == "Transit subnet 100.88.0.0/16 selected."
    count = len(world.store.rows)
    text = f"zone n1: {count} inserted, 0 updated, 0 deleted, {count} rows planned, FRR unchanged"
    assert text in caplog.messages
    assert any(
        text.startswith("recorded on ClusterUserDefinedNetwork blue: ovnguard.io/network-id=")
        for text in caplog.messages
    )


def test_when_all_is_done_nothing_is_done(caplog):
    world = World(cudn("blue"))
    world.settle()
    patches, transactions, judged, lines = (
        len(world.cluster.patches),
        world.store.transactions,
        world.judged,
        len(caplog.messages),
    )
    assert (patches, transactions) == (2, 1)
    world.settle()
    assert len(world.cluster.patches) == patches
    assert world.store.transactions == transactions
    assert world.judged == judged
    assert len(caplog.messages) == lines


def test_deleting_takes_the_rows_away():
    world = World(cudn("blue"), cudn("green", "10.30.0.0/16"))
    world.settle()
    assert world.store.networks == {"cluster_udn_blue", "cluster_udn_green"}
    del world.cluster.served[CUDN]["blue"]
    world.settle()
    assert world.store.networks == {"cluster_udn_green"}


RED = "/apis/k8s.ovn.org/v1/clusteruserdefinednetworks/red"


def test_a_refused_network_is_told_once_and_does_not_stop_others(caplog):
    bad = cudn("red", "10.20.0.0/16")
    bad["spec"]["network"]["layer2"]["joinSubnets"] = ["10.20.128.0/17"]
    world = World(bad, cudn("blue", "10.30.0.0/16"))
    world.settle()
    assert world.store.networks == {"cluster_udn_blue"}
    told = [text for text in caplog.messages if text.startswith("ClusterUserDefinedNetwork red is refused")]
    assert len(told) == 1
    assert [path for path, _ in world.cluster.patches if "/red" in path] == [f"{RED}/status"]
    condition = find_condition(world.cluster.get("red"), "Accepted")
    assert (condition["status"], condition["reason"]) == ("False", "Conflict")
    assert condition["message"].startswith("spec.network.layer2.")


def test_of_two_networks_with_one_id_the_later_is_held_back(caplog):
    record = {ID: "7", TRANSIT: "100.88.0.0/16", KEYS: "[16711690,16715780]"}
    world = World(cudn("aaa", "10.30.0.0/16", second=9, **record), cudn("zzz", "10.20.0.0/16", second=1, **record))
    world.settle()
    assert world.store.networks == {"cluster_udn_zzz"}
    detail = 'Invalid value: 7: network id 7 is already held by network "cluster_udn_zzz"'
    field = "metadata.annotations[ovnguard.io/network-id]"
    text = f"ClusterUserDefinedNetwork aaa is refused and not planned: {field}: {detail}"
    assert caplog.messages.count(text) == 1
    condition = find_condition(world.cluster.get("aaa"), "Accepted")
    assert (condition["status"], condition["reason"]) == ("False", "Conflict")
    assert condition["message"] == f"{field}: {detail} (OVNG-L2-010)"
    assert find_condition(world.cluster.get("zzz"), "Accepted") is None


def test_conflict_that_is_gone_is_told_too():
    record = {ID: "7", TRANSIT: "100.88.0.0/16", KEYS: "[16711690,16715780]"}
    world = World(cudn("aaa", "10.30.0.0/16", second=9, **record), cudn("zzz", "10.20.0.0/16", second=1, **record))
    world.settle()
    del world.cluster.served[CUDN]["zzz"]
    world.settle()
    assert world.store.networks == {"cluster_udn_aaa"}
    condition = find_condition(world.cluster.get("aaa"), "Accepted")
    assert (condition["status"], condition["reason"]) == ("True", "Accepted")
    transit = find_condition(world.cluster.get("aaa"), "TransitSubnetAllocated")
    assert transit["status"] == "True"


def test_of_two_that_were_admitted_at_once_every_zone_lets_the_same_one_stand():
    """Equal in all but the name, and OVN's names of both are the same; the clock of creation counts in seconds."""
    objects = [cudn("a-b", "10.30.0.0/16", second=5), cudn("a.b", "10.20.0.0/16", second=5)]
    for order in (objects, objects[::-1]):
        world = World(*copy.deepcopy(order))
        world.settle()
        assert world.store.networks == {"cluster_udn_a-b"}
        condition = find_condition(world.cluster.get("a.b"), "Accepted")
        assert (condition["status"], condition["reason"]) == ("False", "Conflict")
        assert condition["message"].endswith("(OVNG-L2-011)")


def test_a_refused_network_still_holds_its_number():
    record = {ID: "7", TRANSIT: "100.88.0.0/16", KEYS: "[16711690,16715780]"}
    bad = cudn("red", "10.20.0.0/16", second=1, **record)
    bad["spec"]["network"]["layer2"]["joinSubnets"] = ["10.20.128.0/17"]
    world = World(bad, cudn("blue", "10.30.0.0/16", second=2, **record))
    world.settle()
    assert world.store.networks == set()


def test_a_live_network_that_is_refused_later_keeps_its_rows():
    world = World(cudn("blue"))
    world.settle()
    rows = world.store.rows
    spoiled = copy.deepcopy(world.cluster.get("blue"))
    spoiled["metadata"]["annotations"][ID] = "seven"
    world.cluster.put(spoiled)
    world.settle()
    assert world.store.rows == rows
    del world.cluster.served[CUDN]["blue"]
    world.settle()
    assert world.store.rows == ()


def test_a_choice_made_by_the_webhook_is_kept_and_reported_as_what_it_is():
    world = World(cudn("blue", **{TRANSIT: "100.92.0.0/16"}))
    world.settle()
    assert world.cluster.get("blue")["metadata"]["annotations"][TRANSIT] == "100.92.0.0/16"
    condition = find_condition(world.cluster.get("blue"), "TransitSubnetAllocated")
    assert (condition["reason"], condition["message"]) == (
        "AlternativeSelected",
        "Transit subnet 100.92.0.0/16 selected.",
    )


def test_no_free_subnet_is_false_and_the_time_moves_only_with_the_status():
    everything = '["10.0.0.1/8","100.64.0.1/10","172.16.0.1/12","192.168.0.1/16"]'
    world = World(cudn("blue", "203.0.112.0/20"))
    world.cluster.put(node("n2", 3, **{"k8s.ovn.org/host-cidrs": everything}))
    world.settle()
    first = dict(find_condition(world.cluster.get("blue"), "TransitSubnetAllocated"))
    assert (first["status"], first["reason"]) == ("False", "NoFreeTransitSubnet")
    assert first["lastTransitionTime"] == "2026-01-01T00:00:00Z"

    world.now += timedelta(minutes=1)
    world.cluster.put(
        node("n2", 3, **{"k8s.ovn.org/host-cidrs": everything.replace("192.168.0.1/16", "192.168.0.2/16")})
    )
    changed = copy.deepcopy(world.cluster.get("blue"))
    changed["metadata"]["generation"] = 5
    world.cluster.put(changed)
    world.settle()
    again = find_condition(world.cluster.get("blue"), "TransitSubnetAllocated")
    assert again["observedGeneration"] == 5
    assert again["lastTransitionTime"] == first["lastTransitionTime"]

    world.now += timedelta(minutes=1)
    world.cluster.put(node("n2", 3))
    world.settle()
    last = find_condition(world.cluster.get("blue"), "TransitSubnetAllocated")
    assert (last["status"], last["lastTransitionTime"]) == ("True", "2026-01-01T00:02:00Z")
    assert world.store.networks == {"cluster_udn_blue"}


def test_others_conditions_stay():
    theirs = {"type": "NetworkCreated", "status": "True"}
    world = World({**cudn("blue"), "status": {"conditions": [theirs]}})
    world.settle()
    assert find_condition(world.cluster.get("blue"), "NetworkCreated") == theirs


def test_a_lost_race_on_the_api_server_is_no_failure():
    world = World(cudn("blue"))
    world.cluster.failure = ApiStatusError(409, "Conflict", "changed")
    assert world.zone.tick() == ()
    assert world.store.rows == ()
    world.cluster.failure = None
    world.settle()
    assert world.store.networks == {"cluster_udn_blue"}


def test_an_api_server_that_refuses_writes_is_a_failure_and_the_rest_goes_on():
    world = World(cudn("old"))
    world.settle()
    world.store.rows = ()
    world.cluster.put(cudn("new", "10.40.0.0/16"))
    world.cluster.failure = ApiStatusError(403, "Forbidden", "no")
    (failure,) = world.zone.tick()
    assert failure.startswith("ClusterUserDefinedNetwork new: cannot record ovnguard.io/network-id=")
    assert failure.endswith(": 403 Forbidden: no")
    assert world.store.networks == {"cluster_udn_old"}


def test_a_condition_that_cannot_be_written_is_tried_again():
    world = World(cudn("blue", **{ID: "7", TRANSIT: "100.88.0.0/16", KEYS: "[16711690,16715780]"}))
    world.cluster.failure = ClusterError("gone")
    text = "ClusterUserDefinedNetwork blue: cannot write condition TransitSubnetAllocated: gone"
    assert world.zone.tick() == (text,)
    world.cluster.failure = None
    world.settle()
    assert find_condition(world.cluster.get("blue"), "TransitSubnetAllocated") is not None


def test_database_and_frr_fail_apart():
    world = World(cudn("blue"))
    world.zone.tick()
    world.store.failure, world.frr.failure = StoreUnavailableError("nb is down"), FrrRefusedError("frr says no")
    assert world.zone.tick() == ("nb is down", "frr says no")
    world.store.failure = None
    assert world.zone.tick() == ("frr says no",)
    assert world.store.networks == {"cluster_udn_blue"}


def test_until_everything_is_listed_nothing_is_touched(caplog):
    world = World(cudn("blue"))
    world.settle()
    rows = world.store.rows
    world.cluster.served[CUDN].clear()
    world.cluster.waiting = ("clusteruserdefinednetworks",)
    world.settle()
    assert world.store.rows == rows
    assert caplog.messages.count("waiting for the first list of clusteruserdefinednetworks") == 1


def test_a_node_that_is_gone_or_not_ready_leaves_its_zone_alone(caplog):
    world = World(cudn("blue"))
    world.settle()
    rows = world.store.rows
    bare = node()
    del bare["metadata"]["annotations"]["k8s.ovn.org/node-id"]
    world.cluster.put(bare)
    world.settle()
    assert "node n1: waiting for k8s.ovn.org/node-id" in caplog.messages
    del world.cluster.served[NODE]["n1"]
    world.settle()
    assert "node n1: the cluster has no such node yet; its zone stays as it is" in caplog.messages
    assert world.store.rows == rows


def test_a_kind_that_is_not_served_for_a_while_keeps_its_networks():
    world = World(cudn("blue"))
    world.settle()
    rows, served = world.store.rows, world.cluster.served.pop(CUDN)
    world.settle()
    assert world.store.rows == rows
    world.cluster.served[CUDN] = {}
    world.settle()
    assert world.store.rows == ()
    world.cluster.served[CUDN] = served
    world.settle()
    assert world.store.rows == rows


def test_frr_goes_with_the_default_network_and_not_with_its_kind():
    world = World()
    world.frr.text = "written before\n"
    del world.cluster.served[OPERATOR_NETWORK]
    world.settle()
    assert world.frr.text == "written before\n"
    world.cluster.served[OPERATOR_NETWORK] = {}
    world.settle()
    assert world.frr.text == ""


def test_an_unreadable_node_annotation_is_told(caplog):
    world = World(cudn("blue"))
    world.cluster.put(node("n2", 3, **{"k8s.ovn.org/host-cidrs": "["}))
    world.settle()
    (text,) = {text for text in caplog.messages if "host-cidrs" in text}
    assert text.startswith("node n2: metadata.annotations[k8s.ovn.org/host-cidrs]: ")
    assert world.store.networks == {"cluster_udn_blue"}


def test_attachments_that_a_network_rendered_are_not_networks_of_their_own():
    config = '{"cniVersion":"1.1.0","name":"cluster_udn_blue","type":"ovn-k8s-cni-overlay","topology":"layer2"}'
    owner = {"apiVersion": "k8s.ovn.org/v1", "kind": "ClusterUserDefinedNetwork", "name": "blue", "controller": True}
    rendered = {
        "apiVersion": "k8s.cni.cncf.io/v1",
        "kind": "NetworkAttachmentDefinition",
        "metadata": {"name": "blue", "namespace": "a", "ownerReferences": [owner]},
        "spec": {"config": config},
    }
    view = Cluster(node(), cudn("blue"), rendered)
    desired = look(view, judged, Settings(), "n1")
    assert [candidate.title for candidate in desired.candidates] == ["ClusterUserDefinedNetwork blue"]


def operator(**config):
    kubernetes = {"type": "OVNKubernetes", "ovnKubernetesConfig": config}
    return {
        "apiVersion": "operator.openshift.io/v1",
        "kind": "Network",
        "metadata": {"name": "cluster"},
        "spec": {"clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}], "defaultNetwork": kubernetes},
    }


def mtus(world: World) -> set[str]:
    ports = [row.columns["options"] for row in world.store.rows if row.table == "Logical_Router_Port"]
    return {options["gateway_mtu"] for options in ports if "gateway_mtu" in options}


def test_what_the_operator_network_configures_is_followed_live_and_kept_in_doubt():
    world = World(cudn("blue"), operator(mtu=1300))
    world.settle()
    assert mtus(world) == {"1300"}
    world.cluster.put(operator(mtu=8900))
    world.settle()
    assert mtus(world) == {"8900"}
    served = world.cluster.served.pop(OPERATOR_NETWORK)
    world.cluster.put(cudn("green", "10.30.0.0/16"))
    world.settle()
    assert world.store.networks == {"cluster_udn_blue", "cluster_udn_green"}
    assert mtus(world) == {"8900"}
    world.cluster.served[OPERATOR_NETWORK] = {**served, "other": operator(mtu=1300) | {"metadata": {"name": "other"}}}
    world.settle()
    assert mtus(world) == {"8900"}
    world.cluster.served[OPERATOR_NETWORK] = {}
    world.settle()
    assert mtus(world) == {"1400"}


def service_routes(world: World) -> set[str]:
    routes = [row for row in world.store.rows if row.table == "Logical_Router_Static_Route"]
    key = "k8s.ovn.org/udn-enabled-default-service"
    return {row.columns["ip_prefix"] for row in routes if key in row.columns["external_ids"]}


def service(address: str, name: str = "kubernetes", namespace: str = "default"):
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"clusterIPs": [address], "ports": [{"name": "https", "protocol": "TCP", "port": 443}]},
    }


def endpoint_slice(*addresses: str):
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": "kubernetes", "namespace": "default", "labels": {SERVICE_NAME: "kubernetes"}},
        "ports": [{"name": "https", "protocol": "TCP", "port": 6443}],
        "endpoints": [{"addresses": [address]} for address in addresses],
    }


def test_routes_to_services_follow_them(caplog):
    world = World(cudn("blue"))
    world.settle()
    note = "no routes to default/kubernetes and kube-system/kube-dns: their Services are not known"
    assert caplog.messages.count(note) == 1
    world.cluster.put(service("10.96.0.1"))
    world.settle()
    assert service_routes(world) == {"10.96.0.1"}
    assert caplog.messages.count("no routes to kube-system/kube-dns: its Service is not known") == 1
    world.cluster.put(service("10.96.0.2"))
    world.settle()
    assert service_routes(world) == {"10.96.0.2"}


@pytest.mark.parametrize("kind", [SERVICE, ENDPOINT_SLICE])
def test_services_that_are_not_known_for_a_while_stay_as_they_were(kind):
    world = World(cudn("blue"), service("10.96.0.1"), endpoint_slice("192.0.2.1"))
    world.settle()
    rows, served = world.store.rows, world.cluster.served.pop(kind)
    world.settle()
    assert world.store.rows == rows
    assert service_routes(world) == {"10.96.0.1"}
    world.cluster.served[kind] = served
    world.settle()
    assert world.store.rows == rows


def test_names_of_objects_that_cannot_be_read():
    broken = {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "UserDefinedNetwork",
        "metadata": {"name": "x", "namespace": "ns"},
        "spec": {},
    }
    view = Cluster(node(), broken)
    desired = look(view, judged, Settings(), "n1")
    assert desired.frozen == {"ns_x"}
    assert [(each.kind, each.title) for each in desired.candidates] == [(UDN, "UserDefinedNetwork ns/x")]


@pytest.mark.parametrize(
    ("change", "matters"),
    [
        (lambda obj: obj["metadata"].update(resourceVersion="99", managedFields=[{}]), False),
        (lambda obj: obj.update(status={"conditions": [{}]}), False),
        (lambda obj: obj["metadata"]["annotations"].update(a="b"), True),
        (lambda obj: obj["spec"].update(a="b"), True),
        (lambda obj: obj["metadata"].update(deletionTimestamp="2026-01-01T00:00:00Z"), True),
    ],
)
def test_what_a_look_looks_at(change, matters):
    world = World(cudn("blue"))
    before = fingerprint(world.cluster)
    change(world.cluster.get("blue"))
    assert (fingerprint(world.cluster) != before) is matters


def test_heartbeats_of_nodes_do_not_matter_but_their_addresses_do():
    world = World()
    before = fingerprint(world.cluster)
    world.cluster.get("n2", NODE)["status"]["conditions"] = [{"type": "Ready", "lastHeartbeatTime": "now"}]
    assert fingerprint(world.cluster) == before
    world.cluster.get("n2", NODE)["status"]["addresses"] = []
    assert fingerprint(world.cluster) != before


def egress_ip(*hops: tuple[str, str], mark: str = "50000"):
    return {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "EgressIP",
        "metadata": {"name": "out", "annotations": {"k8s.ovn.org/egressip-mark": mark} if mark else {}},
        "spec": {"egressIPs": ["172.18.0.100"], "namespaceSelector": {"matchLabels": {"t": "blue"}}},
        "status": {"items": [{"node": each, "egressIP": address} for each, address in hops]},
    }


def namespace(name: str = "a", label: str = "blue"):
    labels = {"t": label, "k8s.ovn.org/primary-user-defined-network": ""}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def pod(name: str = "web", address: str = "10.20.0.5/16", where: str = "n1", **status):
    entry = {"ip_addresses": [address], "mac_address": "0a:58:0a:14:00:05", "role": "primary", "tunnel_id": 12}
    annotations = {"k8s.ovn.org/pod-networks": json.dumps({"a/blue": entry})}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "a", "labels": {"app": name}, "annotations": annotations},
        "spec": {"nodeName": where},
        "status": {"phase": "Running", **status},
    }


def reroutes(world: World) -> dict[str, tuple[str, ...]]:
    policies = [row.columns for row in world.store.rows if row.table == "Logical_Router_Policy"]
    return {each["match"]: each["nexthops"] for each in policies if each["priority"] == 100}


HOPS = (("n1", "172.18.0.100"), ("n2", "172.18.0.101"))


def test_egress_ips_are_followed_live():
    world = World(cudn("blue"), namespace(), pod(), egress_ip(*HOPS))
    world.settle()
    assert reroutes(world) == {"ip4.src == 10.20.0.5": ("100.88.0.5", "100.88.0.7")}
    rows = world.store.rows
    world.cluster.put(egress_ip(HOPS[1]))
    world.settle()
    assert reroutes(world) == {"ip4.src == 10.20.0.5": ("100.88.0.7",)}
    world.cluster.put(egress_ip(*HOPS))
    world.cluster.put(pod("more", "10.20.0.6/16"))
    world.settle()
    assert set(reroutes(world)) == {"ip4.src == 10.20.0.5", "ip4.src == 10.20.0.6"}
    del world.cluster.served[POD]["more"]
    world.settle()
    assert world.store.rows == rows
    world.cluster.put(namespace(label="red"))
    world.settle()
    assert reroutes(world) == {}
    world.cluster.put(namespace())
    world.settle()
    del world.cluster.served[EGRESS_IP]["out"]
    world.settle()
    assert reroutes(world) == {}


def test_egress_ips_that_are_not_served_for_a_while_stay_and_no_such_kind_is_no_failure():
    world = World(cudn("blue"), namespace(), pod(), egress_ip(*HOPS))
    del world.cluster.served[EGRESS_IP]
    world.settle()
    assert reroutes(world) == {}
    world.cluster.served[EGRESS_IP] = {"out": egress_ip(*HOPS)}
    world.settle()
    rows = world.store.rows
    assert len(reroutes(world)) == 1
    served = world.cluster.served.pop(EGRESS_IP)
    world.settle()
    assert world.store.rows == rows
    world.cluster.served[EGRESS_IP] = served
    world.settle()
    assert world.store.rows == rows


def test_an_egress_ip_that_waits_is_told_once(caplog):
    world = World(cudn("blue"), namespace(), pod(), egress_ip(*HOPS, mark=""))
    world.settle()
    assert caplog.messages.count("EgressIP out waits for k8s.ovn.org/egressip-mark") == 1
    assert reroutes(world) == {}


def test_heartbeats_of_pods_make_no_plan(monkeypatch):
    world = World(cudn("blue"), namespace(), pod(), egress_ip(*HOPS))
    world.settle()
    looks = []
    monkeypatch.setattr(zone_module, "look", lambda *args: looks.append(args))
    world.cluster.put(pod(conditions=[{"type": "Ready", "lastProbeTime": "now"}]))
    world.settle()
    assert looks == []
    assert len(reroutes(world)) == 1


def test_events_of_a_network_are_told_by_who_wrote_its_condition():
    world = World(cudn("blue"))
    world.settle()
    (chosen,) = world.cluster.events
    assert (chosen["type"], chosen["reason"], chosen["action"]) == ("Normal", "DefaultSelected", "ChooseTransitSubnet")
    assert chosen["note"] == "Transit subnet 100.88.0.0/16 selected."
    assert chosen["regarding"] == {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "ClusterUserDefinedNetwork",
        "name": "blue",
        "uid": "uid-blue",
    }
    other = World()
    other.cluster.served = copy.deepcopy(world.cluster.served)
    other.settle()
    assert other.cluster.events == []


def test_a_conflict_and_its_end_are_events():
    record = {ID: "7", TRANSIT: "100.88.0.0/16", KEYS: "[16711690,16715780]"}
    world = World(cudn("aaa", "10.30.0.0/16", second=9, **record), cudn("zzz", "10.20.0.0/16", second=1, **record))
    world.settle()
    told = [each for each in world.cluster.events if each["regarding"]["name"] == "aaa"]
    assert [(each["type"], each["reason"], each["action"]) for each in told] == [("Warning", "Conflict", "PlanNetwork")]
    assert told[0]["note"] == find_condition(world.cluster.get("aaa"), "Accepted")["message"]
    del world.cluster.served[CUDN]["zzz"]
    world.settle()
    told = [each for each in world.cluster.events if each["regarding"]["name"] == "aaa"]
    assert [(each["type"], each["reason"]) for each in told] == [
        ("Warning", "Conflict"),
        ("Normal", "DefaultSelected"),
        ("Normal", "Accepted"),
    ]


def test_running_out_of_network_ids_is_a_condition_and_an_event_with_the_number(monkeypatch):
    monkeypatch.setattr(ids, "MAX_NETWORK_ID", 1)
    world = World(cudn("blue", second=1), cudn("green", "10.30.0.0/16", second=2))
    world.settle()
    name = "cluster_udn_green"
    note = f"failed to allocate network ID: failed to allocate the id for the resource {name}: all 1 are held"
    condition = find_condition(world.cluster.get("green"), "Accepted")
    assert (condition["status"], condition["reason"], condition["message"]) == ("False", "NumbersExhausted", note)
    (told,) = [each for each in world.cluster.events if each["regarding"]["name"] == "green"]
    assert (told["type"], told["reason"], told["note"]) == ("Warning", "NumbersExhausted", note)


def attachment(name: str, config: str):
    return {
        "apiVersion": "k8s.cni.cncf.io/v1",
        "kind": "NetworkAttachmentDefinition",
        "metadata": {"name": name, "namespace": "a"},
        "spec": {"config": config},
    }


def test_an_attachment_that_is_refused_has_no_condition_and_one_event():
    bad = attachment(
        "sec",
        '{"cniVersion":"1.1.0","name":"sec","type":"ovn-k8s-cni-overlay","topology":"layer2",'
        '"netAttachDefName":"a/sec","subnets":"10.9.0.0/33"}',
    )
    world = World(bad)
    world.settle()
    (told,) = world.cluster.events
    assert (told["type"], told["reason"], told["action"]) == ("Warning", "Refused", "PlanNetwork")
    assert (told["metadata"]["namespace"], told["regarding"]["namespace"]) == ("a", "a")
    world.cluster.put(attachment("sec", bad["spec"]["config"].replace("/33", "/16")))
    world.settle()
    assert [each["reason"] for each in world.cluster.events] == ["Refused", "Accepted"]


def test_read_only_tells_nobody():
    world = World(cudn("blue"))
    world.zone = world.zone_of(world.store, read_only=True)
    world.settle()
    assert world.cluster.events == []


def ports(world: World) -> dict[str, str]:
    """Ports of pods and the keys that they ask for."""
    rows = [row.columns for row in world.store.rows if row.table == "Logical_Switch_Port"]
    return {
        each["name"]: each["options"].get("requested-tnl-key", "")
        for each in rows
        if each["external_ids"].get("pod") == "true"
    }


def test_ports_of_pods_are_followed_live():
    world = World(cudn("blue"), namespace(), pod())
    world.settle()
    assert ports(world) == {"a.blue_a_web": "12"}
    other = pod("more", "10.20.0.6/16", where="n2")
    other["metadata"]["annotations"]["k8s.ovn.org/pod-networks"] = (
        '{"a/blue":{"ip_addresses":["10.20.0.6/16"],"mac_address":"0a:58:0a:14:00:06","tunnel_id":13}}'
    )
    world.cluster.put(other)
    world.settle()
    assert ports(world) == {"a.blue_a_web": "12", "a.blue_a_more": "13"}
    del world.cluster.served[POD]["web"]
    world.settle()
    assert ports(world) == {"a.blue_a_more": "13"}


def test_a_record_that_cannot_be_read_takes_no_port_down(caplog):
    world = World(cudn("blue"), namespace(), pod())
    world.settle()
    rows = world.store.rows
    spoiled = pod()
    spoiled["metadata"]["annotations"]["k8s.ovn.org/pod-networks"] = "["
    for _ in range(2):
        world.cluster.put(spoiled)
        world.settle()
        assert world.store.rows == rows
    text = "pod a/web: metadata.annotations[k8s.ovn.org/pod-networks]: must be JSON"
    assert caplog.messages.count(text) == 1
    del world.cluster.served[POD]["web"]
    world.settle()
    assert ports(world) == {}


def test_a_pod_that_cannot_be_planned_leaves_its_network_alone(caplog):
    twin = pod("twin")
    world = World(cudn("blue"), namespace(), pod(), twin)
    world.settle()
    assert len(ports(world)) == 1
    assert [text for text in caplog.messages if "address 10.20.0.5 is already held by pod a/t" in text]
    world.cluster.put(cudn("green", "10.30.0.0/16"))
    world.settle()
    assert find_condition(world.cluster.get("blue"), "Accepted") is None
    del world.cluster.served[CUDN]["blue"]
    world.settle()
    assert world.store.networks == {"cluster_udn_green"}


def test_of_many_pods_whose_records_cannot_be_read_some_are_named(caplog):
    broken = []
    for number in range(25):
        each = pod(f"p{number:02d}")
        each["metadata"]["annotations"]["k8s.ovn.org/pod-networks"] = "["
        broken.append(each)
    world = World(cudn("blue"), namespace(), *broken)
    world.settle()
    assert sum(text.startswith("pod a/p") for text in caplog.messages) == 20
    assert caplog.messages.count("and 5 pods more whose records cannot be read") == 1
