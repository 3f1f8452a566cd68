"""A zone changes its node to transit routers: when the pods are gone, as a whole, and not ready meanwhile."""

import copy
import json
from dataclasses import replace

from ovnguard.reconciler.apply.kube import Recorder
from ovnguard.reconciler.loop.inputs.plan_inputs import DECLARING_RESOURCES
from ovnguard.reconciler.loop.layer2.layer2_switch import Layer2Switch
from ovnguard.reconciler.loop.zone.zone_loop import ZoneLoop
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.topology.layer2_upgrade import LEGACY_OFF
from ovnguard.validators.cluster.client_protocol import ApiStatusError
from ovnguard.validators.network.cluster_view import NODE, POD
from ovnguard.validators.network.declared.node import ROUTER_PORT_KEYS, TOPOLOGY_VERSION
from tests.support.fake_cluster import World, cudn, node
from tests.support.manifests.activity_manifests import pod_on, tenant
from tests.support.present import present

NETWORK = "cluster_udn_blue"
REPLACING = "the Layer2 topology is being replaced by the one with transit routers"
OLD_ROUTER, TRANSIT_ROUTER = "rtos-cluster_udn_blue_ovn_layer2_switch", "cluster_udn_blue_transit_router"


def keyed(name: str, number: int):
    """A node that still has the topology before transit routers."""
    found = node(name, number, **{ROUTER_PORT_KEYS: json.dumps({NETWORK: str(number)})})
    del found["metadata"]["annotations"][TOPOLOGY_VERSION]
    return found


def keyed_metadata(name: str, keys: dict[str, str]) -> dict[str, object]:
    """The metadata of `keyed` with the keys of more networks."""
    metadata = keyed(name, {"n1": 2, "n2": 3}[name])["metadata"]
    more = json.loads(keys[ROUTER_PORT_KEYS]) | json.loads(metadata["annotations"][ROUTER_PORT_KEYS])
    return {**metadata, "annotations": {**metadata["annotations"], ROUTER_PORT_KEYS: json.dumps(more)}}


class Upgrading(World):
    """A zone of n1 that may change its node."""

    def __init__(self, *objects) -> None:
        super().__init__(cudn("blue"), tenant("blue"), *objects)
        for each in (keyed("n1", 2), keyed("n2", 3)):
            self.cluster.put(each)
        self.restart()

    def restart(self, **settings) -> None:
        recorder = Recorder(self.cluster, DECLARING_RESOURCES, lambda: self.now)
        switch = Layer2Switch(recorder, self.parts.reporter) if settings.get("layer2_legacy", True) else None
        self.zone = ZoneLoop("n1", replace(self.parts, layer2=switch, settings=Settings(**settings)))

    def names(self, table: str) -> set[str]:
        return {str(row.columns["name"]) for row in self.store.rows if row.table == table}

    @property
    def version(self) -> str | None:
        found: str | None = self.cluster.get("n1", NODE)["metadata"]["annotations"].get(TOPOLOGY_VERSION)
        return found

    def reported(self) -> list[tuple[str, str]]:
        return [(each["reason"], each["note"]) for each in self.cluster.events if each["regarding"]["kind"] == "Node"]


def recorded(name: str):
    """A pod on n1 with the addresses that its row needs."""
    pod = pod_on("n1", "blue", name)
    address = {
        "ip_addresses": ["10.20.0.5/16"],
        "mac_address": "0a:58:0a:14:00:05",
        "gateway_ips": ["10.20.0.1"],
        "ip_address": "10.20.0.5/16",
        "gateway_ip": "10.20.0.1",
        "role": "primary",
        "tunnel_id": 5,
    }
    pod["metadata"]["annotations"] = {"k8s.ovn.org/pod-networks": json.dumps({"blue/blue": address})}
    return pod


def test_a_drained_node_changes_and_says_so_once():
    world = Upgrading()
    first = [world.zone.tick() for _ in range(3)]
    # numbers of the network are recorded first; without them nothing is decided
    assert (REPLACING,) in first
    for _ in range(4):
        world.zone.tick()
    assert world.zone.tick() == ()
    assert world.version == "2.0"
    assert TRANSIT_ROUTER in world.names("Logical_Router")
    assert OLD_ROUTER not in world.names("Logical_Router_Port")
    assert world.reported() == [("Layer2TopologyUpgraded", "The node uses transit routers now.")]


def test_a_pod_keeps_the_whole_node():
    world = Upgrading(pod_on("n1", "blue", "web"))
    world.settle()
    world.settle()
    assert world.version is None
    assert OLD_ROUTER in world.names("Logical_Router_Port")
    text = "Network cluster_udn_blue_ovn_layer2_switch has running pods, not switching to transit router topology yet: "
    assert world.reported() == [("Layer2TopologyKept", f"{text}blue/web")]

    del world.cluster.served[POD]["web"]
    while world.version is None:
        world.zone.tick()
    assert REPLACING in world.zone.tick()


def test_pods_elsewhere_completed_ones_and_those_of_the_host_keep_nothing():
    done = pod_on("n1", "blue", "done", "Succeeded")
    world = Upgrading(pod_on("n2", "blue"), done, pod_on("n1", "blue", "host", hostNetwork=True))
    for _ in range(4):
        world.zone.tick()
    assert world.version == "2.0"


def test_pods_that_are_not_listed_keep_the_node():
    world = Upgrading()
    del world.cluster.served[POD]
    world.settle()
    assert world.version is None


def test_rows_of_pods_follow_when_the_topology_is_replaced():
    world = Upgrading()
    while REPLACING not in world.zone.tick():
        pass
    # the watch shows the decision late, and a pod is placed on the node meanwhile
    decided = copy.deepcopy(world.cluster.get("n1", NODE))
    world.cluster.put(keyed("n1", 2))
    world.cluster.put(recorded("web"))
    assert world.zone.tick() == (REPLACING,)
    port = "blue.blue_blue_web"
    assert port not in world.names("Logical_Switch_Port")
    world.cluster.put(decided)
    assert world.zone.tick() == (REPLACING,)
    assert TRANSIT_ROUTER in world.names("Logical_Router")
    assert port not in world.names("Logical_Switch_Port")
    assert world.zone.tick() == ()
    assert port in world.names("Logical_Switch_Port")


def test_a_restart_between_decision_and_rows_continues():
    world = Upgrading()
    while REPLACING not in world.zone.tick():
        pass
    assert OLD_ROUTER in world.names("Logical_Router_Port")
    world.restart()
    world.settle()
    assert TRANSIT_ROUTER in world.names("Logical_Router")


def test_a_refused_decision_changes_nothing_holds_nothing_up_and_is_an_event(caplog, monkeypatch):
    world = Upgrading(pod_on("n1", "blue", "web"))
    world.settle()
    del world.cluster.served[POD]["web"]
    request = world.cluster.request

    def refusing(method, path, *rest):
        if method == "PATCH" and "/nodes/" in path:
            raise ApiStatusError(403, "Forbidden", "nodes is forbidden")
        return request(method, path, *rest)

    monkeypatch.setattr(world.cluster, "request", refusing)
    assert [world.zone.tick(), world.zone.tick()] == [(), ()]
    text = f"cannot record {TOPOLOGY_VERSION}=2.0: 403 Forbidden: nodes is forbidden"
    assert world.reported()[-1] == ("RecordRefused", text)
    assert len([each for each in caplog.messages if text in each]) == 1
    assert 0 < present(world.zone.due()) <= 0.5
    assert world.version is None
    assert OLD_ROUTER in world.names("Logical_Router_Port")


def test_a_node_that_returns_with_a_database_of_the_earlier_topology_begins_with_transit_routers():
    """Node deleted and made again while its pods run: the leader gives it an id and the version at once."""
    names = [f"net{number}" for number in range(30)]
    networks = [cudn(name, f"10.{number + 30}.0.0/16", number) for number, name in enumerate(names)]
    world = Upgrading(pod_on("n1", "blue", "web"), *networks)
    for each in ("n1", "n2"):
        keys = {ROUTER_PORT_KEYS: json.dumps({f"cluster_udn_{name}": str(n + 4) for n, name in enumerate(names)})}
        world.cluster.put(keyed(each, {"n1": 2, "n2": 3}[each]) | {"metadata": keyed_metadata(each, keys)})
    world.settle()
    world.settle()
    old = "rtos-cluster_udn_net7_ovn_layer2_switch"
    assert {OLD_ROUTER, old} <= world.names("Logical_Router_Port")

    del world.cluster.served[NODE]["n1"]
    world.settle()
    world.cluster.put({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "uid": "again"}})
    world.settle()
    assert {OLD_ROUTER, old} <= world.names("Logical_Router_Port")

    # what a leader records on a Node without numbers; the other node has changed long ago
    world.cluster.put(node("n2", 3))
    returned = node("n1", 4)
    returned["metadata"]["uid"] = "again"
    world.cluster.put(returned)
    world.settle()
    assert {OLD_ROUTER, old}.isdisjoint(world.names("Logical_Router_Port"))
    assert {TRANSIT_ROUTER, "cluster_udn_net7_transit_router"} <= world.names("Logical_Router")
    assert [reason for reason, _ in world.reported() if reason == "DeletionsHeld"] == []


def test_a_node_never_changes_back():
    world = Upgrading()
    for _ in range(6):
        world.zone.tick()
    world.cluster.put(recorded("web"))
    world.settle()
    world.restart()
    world.settle()
    assert TRANSIT_ROUTER in world.names("Logical_Router")
    assert "blue.blue_blue_web" in world.names("Logical_Switch_Port")


def test_without_the_earlier_topology_a_node_that_has_it_is_an_error(caplog):
    world = Upgrading()
    world.restart(layer2_legacy=False)
    world.settle()
    assert OLD_ROUTER in world.names("Logical_Router_Port")
    assert f"node n1: {LEGACY_OFF}" in caplog.messages


def test_without_the_earlier_topology_no_annotation_is_needed():
    world = Upgrading()
    for name, number in (("n1", 2), ("n2", 3)):
        bare = node(name, number)
        del bare["metadata"]["annotations"][TOPOLOGY_VERSION]
        world.cluster.put(bare)
    world.restart(layer2_legacy=False)
    world.settle()
    assert "trtor-GR_cluster_udn_blue_n2" in world.names("Logical_Router_Port")
    assert world.version is None
