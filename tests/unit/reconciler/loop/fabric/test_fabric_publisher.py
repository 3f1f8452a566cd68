"""What the publisher of fabrics writes, and when it writes nothing."""

import copy
from datetime import UTC, datetime
from typing import Any

import pytest

from ovnguard.reconciler.apply.kube import Recorder
from ovnguard.reconciler.apply.kube_report import KEY
from ovnguard.reconciler.apply.objects.object_owners import MANAGER
from ovnguard.reconciler.loop.fabric.fabric_inputs import FABRIC_KINDS, OBJECTS
from ovnguard.reconciler.loop.fabric.fabric_publisher import FabricParts, FabricPublisher
from ovnguard.reconciler.loop.inputs.plan_inputs import ADVERTISEMENTS, DECLARING_RESOURCES, NAMESPACES
from ovnguard.reconciler.loop.process.events import EventRecorder
from ovnguard.reconciler.loop.process.frozen_view import FrozenView
from ovnguard.reconciler.loop.status.zone_report import ZoneReport, to_json
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.reconciler.plan.rows.settings import Settings, settings_of
from ovnguard.validators.cluster.client_protocol import APPLY_PATCH, ApiStatusError
from ovnguard.validators.network.cluster.cluster_facts import cluster_facts
from ovnguard.validators.network.cluster_view import (
    CONFIG_MAP,
    FRR_CONFIGURATION,
    NODE,
    OPERATOR_NETWORK,
    ROUTE_ADVERTISEMENTS,
    GroupKind,
)
from tests.support.fake_cluster import desired_state, judged
from tests.support.policies import unowned

RESOURCES = (*DECLARING_RESOURCES, *OBJECTS, NAMESPACES)
BASE, DEFAULT_ROUTES = "ovnk-managed-bgp", "ovnk-managed-bgp-default"


def operator() -> dict[str, Any]:
    config = {
        "routeAdvertisements": "Enabled",
        "transport": "NoOverlay",
        "noOverlayConfig": {"outboundSNAT": "Enabled", "routing": "Managed"},
        "bgpManagedConfig": {"asNumber": 64600, "bgpTopology": "FullMesh"},
    }
    spec = {
        "clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}],
        "additionalRoutingCapabilities": {"providers": ["FRR"]},
        "defaultNetwork": {"type": "OVNKubernetes", "ovnKubernetesConfig": config},
    }
    kind = {"apiVersion": "operator.openshift.io/v1", "kind": "Network"}
    return {**kind, "metadata": {"name": "cluster"}, "spec": spec}


def node(number: int, subnets: str = "") -> dict[str, Any]:
    address = f"172.18.0.{number}"
    notes = {
        "k8s.ovn.org/node-id": str(number),
        "k8s.ovn.org/node-subnets": f'{{"default":["10.128.{2 * number}.0/23"]{subnets}}}',
        "k8s.ovn.org/node-primary-ifaddr": f'{{"ipv4":"{address}/16"}}',
    }
    name = f"n{number}"
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}, "annotations": notes},
        "status": {"addresses": [{"type": "InternalIP", "address": address}]},
    }


def without_subnets(number: int) -> dict[str, Any]:
    found = node(number)
    del found["metadata"]["annotations"]["k8s.ovn.org/node-subnets"]
    return found


class Api:
    """The objects of an API server; a view shows every write at once."""

    def __init__(self, *objects: dict[str, Any]) -> None:
        self.objects_of: dict[GroupKind, dict[str, dict[str, Any]] | None] = {kind: {} for kind in FABRIC_KINDS}
        self.shown: dict[GroupKind, tuple[dict[str, Any], ...]] = {}
        self.lost: frozenset[GroupKind] = frozenset()
        self.writes: list[str] = []
        self.events: list[dict[str, Any]] = []
        self.applied: list[dict[str, Any]] = []
        self.version = 0
        for obj in objects:
            self.put(obj)

    def put(self, obj: dict[str, Any], **metadata: Any) -> dict[str, Any]:
        stored = copy.deepcopy(obj)
        self.version += 1
        name, group = obj["metadata"]["name"], obj["apiVersion"].rpartition("/")[0]
        stored["metadata"] |= {"uid": f"uid-{name}", "resourceVersion": str(self.version), **metadata}
        self.of(GroupKind(group, obj["kind"]))[name] = stored
        self.shown = {}
        return copy.deepcopy(stored)

    def of(self, kind: GroupKind) -> dict[str, dict[str, Any]]:
        found = self.objects_of[kind]
        assert found is not None
        return found

    def names(self, kind: GroupKind) -> set[str]:
        return set(self.of(kind))

    def objects(self, kind: GroupKind) -> tuple[dict[str, Any], ...] | None:
        found = self.objects_of.get(kind)
        return None if found is None else self.shown.setdefault(kind, tuple(found.values()))

    def waiting_for(self) -> tuple[str, ...]:
        return ()

    def emptied(self) -> frozenset[GroupKind]:
        return self.lost

    def request(self, method, path, query=None, body=None, content_type=""):
        if path.startswith("/apis/events.k8s.io/"):
            self.events.append(body)
            return body
        if method == "GET":
            raise ApiStatusError(404, "NotFound", path)
        self.writes.append(f"{method} {path.rpartition('/')[2]}")
        parts = path.removesuffix("/status").split("/")
        if method == "POST":
            return self.put(body, managedFields=[{"manager": query["fieldManager"]}])
        (kind,) = (each.group_kind for each in RESOURCES if each.plural == parts[-2])
        if method == "DELETE":
            self.shown = {}
            return self.of(kind).pop(parts[-1])
        old = self.of(kind)[parts[-1]]
        if method == "PUT":
            return self.put(body, managedFields=old["metadata"]["managedFields"])
        if content_type != APPLY_PATCH:
            return self.put({**old, "metadata": {**old["metadata"], **body["metadata"]}})
        self.applied.append(body)
        lists = (each.get("status", {}).get("conditions", ()) for each in (old, body))
        merged = {each["type"]: each for conditions in lists for each in conditions}
        return self.put({**old, "status": {**body["status"], "conditions": [*merged.values()]}})

    def watch(self, *_):
        raise AssertionError("nobody watches here")


class World:
    def __init__(self, *objects: dict[str, Any], audit: bool = False) -> None:
        self.api, self.leads, self.seconds = Api(*objects), True, 0.0
        now = datetime(2026, 1, 1, tzinfo=UTC)
        recorder = None if audit else Recorder(self.api, (*DECLARING_RESOURCES, ADVERTISEMENTS), lambda: now)
        self.announcer = EventRecorder(self.api, "x", lambda: now, lambda: 0.0)
        parts = FabricParts(
            self.api, self.api, recorder, self.announcer, lambda: self.leads, monotonic=lambda: self.seconds
        )
        self.publisher = FabricPublisher(parts)
        self.view = FrozenView(self.api)

    def desired(self) -> DesiredState:
        self.view.take()
        return desired_state(self.view, judged, settings_of(cluster_facts(self.view), Settings()), "")

    def publish(self, passes: int = 3) -> list[str]:
        """The writes of some passes about the same networks and nodes."""
        before, desired = len(self.api.writes), self.desired()
        for _ in range(passes):
            self.publisher.publish(desired, ())
        # what lasts is a Warning
        self.seconds += self.publisher.due() or 0.0
        self.publisher.publish(desired, ())
        assert self.publisher.due() is None
        self.announcer.flush()
        return self.api.writes[before:]

    def reported(self, about: str = "Network") -> list[tuple[str, str]]:
        return [(each["reason"], each["note"]) for each in self.api.events if each["regarding"]["kind"] == about]


@pytest.fixture
def world() -> World:
    return World(operator(), node(2), node(3))


def test_a_fabric_is_written_once(world: World) -> None:
    writes = world.publish()
    assert sorted({each.split()[0] for each in writes}) == ["PATCH", "POST"]
    assert len(world.api.names(FRR_CONFIGURATION)) == 3
    assert world.api.names(ROUTE_ADVERTISEMENTS) == {DEFAULT_ROUTES}
    status = world.api.of(ROUTE_ADVERTISEMENTS)[DEFAULT_ROUTES]["status"]
    assert (status["status"], status["conditions"][0]["reason"]) == ("Accepted", "Accepted")
    assert world.publish() == []
    assert world.reported() == [
        ("NoOverlayConfigurationReady", world.reported()[0][1]),
    ]


def test_nothing_is_published_for_a_network_that_is_not_owned(world: World) -> None:
    world.publisher.publish(unowned(world.desired(), "default"), ())
    assert world.api.names(FRR_CONFIGURATION) | world.api.names(ROUTE_ADVERTISEMENTS) == set()


def test_a_state_of_the_default_network_is_a_warning_after_ten_seconds(world: World) -> None:
    world.api.put(without_subnets(4))
    desired = world.desired()
    world.publisher.publish(desired, ())
    world.announcer.flush()
    assert (world.reported(), world.publisher.due()) == ([], 10.0)
    world.seconds = 4.0
    world.publisher.publish(desired, ())
    assert world.publisher.due() == 6.0
    world.seconds = 10.0
    world.publisher.publish(desired, ())
    world.announcer.flush()
    assert [reason for reason, _ in world.reported()] == ["RouteAdvertisementsNotAccepted"]
    assert world.publisher.due() is None
    # the next one is short
    world.api.put(node(4))
    world.publish()
    world.api.put(without_subnets(5))
    world.publisher.publish(world.desired(), ())
    assert world.publisher.due() == 10.0
    world.api.put(node(5))
    world.publish()
    reasons = [reason for reason, _ in world.reported()]
    assert reasons == ["RouteAdvertisementsNotAccepted", "NoOverlayConfigurationReady"]


def test_a_node_that_comes_changes_the_others(world: World) -> None:
    world.publish()
    world.api.put(node(4))
    writes = world.publish()
    assert sorted(each.split()[0] for each in writes) == ["POST", "PUT", "PUT", "PUT"]
    assert len(world.api.names(FRR_CONFIGURATION)) == 4


def test_without_frr_k8s_the_network_says_what_is_missing(world: World) -> None:
    world.api.objects_of[FRR_CONFIGURATION] = None
    world.publish()
    assert world.api.names(ROUTE_ADVERTISEMENTS) == {DEFAULT_ROUTES}
    text = (
        "the API server serves no FRRConfiguration of frrk8s.metallb.io/v1beta1: install frr-k8s, or start "
        "`ovnguard-reconciler run --frr-conf FILE` on every node"
    )
    assert world.reported() == [
        ("NoFrrK8s", text),
        ("NoOverlayConfigurationError", f"No-overlay transport configuration error: {text}"),
    ]
    world.api.objects_of[FRR_CONFIGURATION] = {}
    world.publish()
    assert len(world.api.names(FRR_CONFIGURATION)) == 3
    assert world.reported()[-1] == ("Published", "The objects of the fabric are written.")


def test_without_a_namespace_of_frr_k8s_nothing_is_written_there(world: World) -> None:
    world.api.put(namespace("default"))
    world.publish()
    text = (
        "there is no namespace openshift-frr-k8s or frr-k8s-system: install frr-k8s, or start "
        "`ovnguard-reconciler run --frr-conf FILE` on every node"
    )
    assert ("NoFrrK8s", text) in world.reported()
    assert world.api.names(FRR_CONFIGURATION) == set()
    world.api.put(namespace("frr-k8s-system"))
    world.publish()
    assert len(world.api.names(FRR_CONFIGURATION)) == 3


@pytest.mark.parametrize("namespaces", [(), ("default",)])
def test_zones_that_apply_the_configuration_of_frr_need_no_frr_k8s(world: World, namespaces: tuple[str, ...]) -> None:
    if namespaces:
        for name in namespaces:
            world.api.put(namespace(name))
    else:
        world.api.objects_of[FRR_CONFIGURATION] = None
    world.api.objects_of[CONFIG_MAP] = {}
    world.api.put(zone_report("n2"))
    world.publish()
    assert world.reported()[-1][1].endswith("`ovnguard-reconciler run --frr-conf FILE` on 1 node, e.g. n3")
    world.api.put(zone_report("n3"))
    world.publish()
    assert [reason for reason, _ in world.reported()[2:]] == ["NoOverlayConfigurationReady", "Published"]
    silent = World(operator(), node(2), node(3))
    silent.api.objects_of |= {FRR_CONFIGURATION: None, CONFIG_MAP: {}}
    for name in ("n2", "n3"):
        silent.api.put(zone_report(name))
    silent.publish()
    assert [reason for reason, _ in silent.reported()] == ["NoOverlayConfigurationReady"]


@pytest.mark.parametrize("kind", [FRR_CONFIGURATION, ROUTE_ADVERTISEMENTS])
def test_the_transport_of_a_network_claims_no_routes_that_cannot_be_written(kind: GroupKind) -> None:
    world = World(operator(), *GREEN_NODES, green(), *NAMESPACES_OF_GREEN)
    world.api.objects_of[kind] = None
    world.publish()
    found = conditions(world)
    reason = "NoFrrK8s" if kind == FRR_CONFIGURATION else "KindNotServed"
    assert (found["FabricReady"]["status"], found["FabricReady"]["reason"]) == ("False", reason)
    assert (found["TransportAccepted"]["status"], found["TransportAccepted"]["reason"]) == ("False", reason)
    assert found["TransportAccepted"]["message"] == found["FabricReady"]["message"]


def test_the_transport_of_a_network_is_accepted_when_its_routes_are_written() -> None:
    world = World(operator(), *GREEN_NODES, green(), *NAMESPACES_OF_GREEN)
    world.publish()
    found = conditions(world)
    assert (found["TransportAccepted"]["status"], "FabricReady" in found) == ("True", False)


GREEN_NODES = tuple(node(each, f',"cluster_udn_green":["10.40.{each}.0/24"]') for each in (2, 3))


def green() -> dict[str, Any]:
    subnets = [{"cidr": "10.40.0.0/16", "hostSubnet": 24}]
    network = {
        "topology": "Layer3",
        "layer3": {"role": "Primary", "subnets": subnets},
        "transport": "NoOverlay",
        "noOverlay": {"outboundSNAT": "Enabled", "routing": "Managed"},
    }
    notes = {"ovnguard.io/network-id": "1"}
    return {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "ClusterUserDefinedNetwork",
        "metadata": {"name": "green", "creationTimestamp": "2026-01-01T00:00:00Z", "annotations": notes},
        "spec": {"namespaceSelector": {"matchLabels": {"t": "green"}}, "network": network},
    }


def conditions(world: World) -> dict[str, dict[str, Any]]:
    """The conditions that were written last, one field manager after the other."""
    return {each["type"]: each for body in world.api.applied for each in body["status"].get("conditions", ())}


def namespace(name: str, **labels: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


NAMESPACES_OF_GREEN = (namespace("frr-k8s-system"), namespace("tenant", t="green"))


def zone_report(node: str) -> dict[str, Any]:
    text = to_json(ZoneReport(node, "own", frr=True), "2026-01-01T00:00:00Z", 300.0)
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"ovnguard-zone-{node}"}, "data": {KEY: text}}


@pytest.mark.parametrize("kind", [OPERATOR_NETWORK, NODE])
def test_a_list_that_is_suddenly_empty_deletes_nothing(world: World, kind: GroupKind) -> None:
    world.publish()
    kept, world.api.objects_of[kind], world.api.lost = world.api.of(kind), {}, frozenset((kind,))
    world.api.shown = {}
    assert world.publish() == []
    world.api.objects_of[kind], world.api.lost, world.api.shown = kept, frozenset(), {}
    assert world.publish() == []


def test_a_network_that_was_deleted_takes_its_objects_along(world: World) -> None:
    world.publish()
    world.api.of(OPERATOR_NETWORK).clear()
    world.api.shown = {}
    assert {each.split()[0] for each in world.publish()} == {"DELETE"}
    assert world.api.names(FRR_CONFIGURATION) == world.api.names(ROUTE_ADVERTISEMENTS) == set()


def test_an_audit_and_a_process_that_does_not_lead_write_nothing() -> None:
    audit = World(operator(), node(2), node(3), audit=True)
    assert audit.publish() == []
    ((reason, note),) = audit.reported()
    assert (reason, note.partition(";")[0]) == (
        "FabricDrift",
        "would create FRRConfiguration openshift-frr-k8s/ovnk-managed-bgp",
    )
    follower = World(operator(), node(2), node(3))
    follower.leads = False
    follower.publisher.publish(follower.desired(), ())
    assert follower.publisher.due() == 1.0
    assert [each for each in follower.api.writes if not each.startswith("PATCH")] == []


def test_what_the_cluster_manager_says_about_routes_stays(world: World) -> None:
    world.publish()
    theirs = world.api.of(ROUTE_ADVERTISEMENTS)[DEFAULT_ROUTES]
    condition = {"type": "Accepted", "status": "False", "reason": "theirs", "message": ""}
    managers = [
        {"manager": MANAGER},
        {"manager": "clustermanager-routeadvertisements-controller", "subresource": "status"},
    ]
    world.api.put({**theirs, "status": {"conditions": [condition]}}, managedFields=managers)
    assert world.publish() == []
    managers[1]["manager"] = "somebody"
    world.api.put({**theirs, "status": {"conditions": [condition]}}, managedFields=managers)
    assert world.publish() == ["PATCH status"]


def test_what_fails_is_tried_later_and_later_and_keeps_nobody_waiting(world: World) -> None:
    world.leads = False
    desired = world.desired()
    pauses = []
    for _ in range(7):
        world.publisher.publish(desired, ())
        pauses.append(world.publisher.due())
        world.publisher.publish(desired, ())
        world.seconds += pauses[-1] or 0.0
    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]
    world.leads = True
    assert world.publish() != []


def test_a_fabric_without_some_nodes_is_not_ready(world: World) -> None:
    world.publish()
    silent, double = node(4), node(5)
    silent["status"]["addresses"] = []
    double["status"]["addresses"] = node(2)["status"]["addresses"]
    world.api.put(silent)
    world.api.put(double)
    world.publish()
    reason, text = world.reported()[-1]
    assert reason == "FabricIncomplete"
    assert "node n4: waiting for an InternalIP in status.addresses" in text
    assert "node n5: InternalIP 172.18.0.2 is also node n2's" in text
    for number in (4, 5):
        world.api.put(node(number))
    world.publish()
    assert world.reported()[-1] == ("Published", "The objects of the fabric are written.")


MISSING = "node n4: waiting for an InternalIP in status.addresses"
OVER = "The objects of the fabric are written."


def without_address(number: int) -> dict[str, Any]:
    found = node(number, f',"cluster_udn_green":["10.40.{number}.0/24"]')
    found["status"]["addresses"] = []
    return found


def of_fabrics(world: World) -> list[tuple[str, str, str, str]]:
    """The Events about fabrics."""
    events = (each for each in world.api.events if each["action"] == "PublishFabric")
    return [(each["regarding"]["name"], each["type"], each["reason"], each["note"]) for each in events]


def test_a_fabric_is_a_warning_only_after_ten_seconds(world: World) -> None:
    world.publish()
    world.api.put(without_address(4))
    desired = world.desired()
    for seconds in (0.0, 4.0, 5.5):
        world.seconds += seconds
        world.publisher.publish(desired, ())
        world.announcer.flush()
        assert of_fabrics(world) == []
    assert world.publisher.due() == 0.5
    world.seconds += 0.5
    world.publisher.publish(desired, ())
    world.announcer.flush()
    warning = ("cluster", "Warning", "FabricIncomplete", MISSING)
    assert (of_fabrics(world), world.publisher.due()) == ([warning], None)
    world.api.put(node(4))
    world.publisher.publish(world.desired(), ())
    world.announcer.flush()
    assert of_fabrics(world) == [warning, ("cluster", "Normal", "Published", OVER)]


def test_an_audit_waits_as_long() -> None:
    world = World(operator(), node(2), node(3), audit=True)
    desired = world.desired()
    world.publisher.publish(desired, ())
    world.seconds = 9.0
    world.publisher.publish(desired, ())
    world.announcer.flush()
    assert (of_fabrics(world), world.publisher.due()) == ([], 1.0)
    world.seconds = 10.0
    world.publisher.publish(desired, ())
    world.announcer.flush()
    assert [each[:3] for each in of_fabrics(world)] == [("cluster", "Warning", "FabricDrift")]


def test_a_node_whose_address_follows_soon_is_no_warning(world: World) -> None:
    world.publish()
    for _ in range(3):
        world.api.put(without_address(4))
        world.publisher.publish(world.desired(), ())
        assert world.publisher.due() == 10.0
        world.seconds += 9.0
        world.api.put(node(4))
        world.publish()
    assert of_fabrics(world) == []


def tenants_fabric(*objects: dict[str, Any]) -> World:
    """A cluster in which only the network of a tenant has no overlay."""
    default = operator()
    config = default["spec"]["defaultNetwork"]["ovnKubernetesConfig"]
    del config["transport"], config["noOverlayConfig"]
    return World(default, *GREEN_NODES, green(), *NAMESPACES_OF_GREEN, *objects)


def test_a_condition_is_written_at_once_and_its_warning_later() -> None:
    world = tenants_fabric()
    world.publish()
    world.api.put(without_address(4))
    world.publisher.publish(world.desired(), ())
    world.announcer.flush()
    found = conditions(world)["FabricReady"]
    assert (found["status"], found["reason"], found["message"]) == ("False", "FabricIncomplete", MISSING)
    assert of_fabrics(world) == []
    world.publish()
    assert of_fabrics(world) == [("green", "Warning", "FabricIncomplete", MISSING)]


@pytest.mark.parametrize("lasts", [False, True])
def test_a_new_leader_reports_what_lasts_and_what_is_over(lasts: bool) -> None:
    """A Warning that the former leader has reported has the same name, and is not counted again."""
    former = tenants_fabric(without_address(4))
    former.publish()
    world = World()
    world.api.objects_of, world.api.shown = former.api.objects_of, {}
    if not lasts:
        world.api.put(node(4))
    world.publish()
    told = ("Warning", "FabricIncomplete", MISSING) if lasts else ("Normal", "Published", OVER)
    assert of_fabrics(world) == [("green", *told)]
    assert "series" not in str(world.api.events)


def test_no_warning_is_about_a_network_that_is_gone(world: World) -> None:
    world.publish()
    world.api.put(without_address(4))
    world.publisher.publish(world.desired(), ())
    world.api.of(OPERATOR_NETWORK).clear()
    world.api.shown = {}
    world.publish()
    world.seconds += 20.0
    world.publish()
    assert of_fabrics(world) == []
