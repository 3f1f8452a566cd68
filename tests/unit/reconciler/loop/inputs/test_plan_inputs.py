"""What a zone follows beside networks and nodes: services and their servers, EgressIPs, pods."""

import json
from collections.abc import Mapping

import pytest

from ovnguard.reconciler.apply.kube import find_condition
from ovnguard.reconciler.loop.zone import zone_loop as zone_module
from ovnguard.reconciler.plan.connections.recorded_connections import SUBNETS
from ovnguard.reconciler.plan.services.endpoint_slices import ENDPOINT_SLICE, SERVICE_NAME
from ovnguard.reconciler.plan.services.service_objects import services_of
from ovnguard.validators.cluster import trim
from ovnguard.validators.network.cluster_view import (
    CLUSTER_NETWORK_CONNECT,
    CONFIG_MAP,
    CUDN,
    EGRESS_IP,
    EGRESS_SERVICE,
    POD,
    SERVICE,
    UPLINK_STATE,
    ObjectsView,
)
from tests.support import service_objects
from tests.support.connected import connect
from tests.support.fake_cluster import ID, World, cudn, node, operator
from tests.support.manifests.uplink_manifests import uplink, uplink_state

pytestmark = pytest.mark.usefixtures("everything_is_heard")


def service_routes(world: World) -> set[str]:
    routes = [row for row in world.store.rows if row.table == "Logical_Router_Static_Route"]
    key = "k8s.ovn.org/udn-enabled-default-service"
    return {str(row.columns["ip_prefix"]) for row in routes if row.entry("external_ids", key)}


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


def gateway_mtus(world: World) -> set[str]:
    ports = [row for row in world.store.rows if row.table == "Logical_Router_Port"]
    return {row.entry("options", "gateway_mtu") for row in ports} - {""}


def test_the_mtu_of_ovnkube_is_followed_and_stays_while_it_is_not_served():
    world = World(operator(mtu=1340), cudn("blue"))
    world.settle()
    assert gateway_mtus(world) == {"1340"}
    metadata = {"name": "ovnkube-config", "namespace": "openshift-ovn-kubernetes"}
    text = '[default]\nmtu="8901"\n'
    world.cluster.put({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"ovnkube.conf": text}})
    world.settle()
    assert gateway_mtus(world) == {"8901"}
    served = world.cluster.served.pop(CONFIG_MAP)
    world.settle()
    assert gateway_mtus(world) == {"8901"}
    world.cluster.served[CONFIG_MAP] = served
    served.clear()
    world.settle()
    assert gateway_mtus(world) == {"1340"}


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
    policies = [row for row in world.store.rows if row.table == "Logical_Router_Policy"]
    return {
        str(row.columns["match"]): tuple(row.texts("nexthops")) for row in policies if row.columns["priority"] == 100
    }


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


def test_a_waiting_egress_ip_is_reported_once(caplog):
    world = World(cudn("blue"), namespace(), pod(), egress_ip(*HOPS, mark=""))
    world.settle()
    assert caplog.messages.count("EgressIP out waits for k8s.ovn.org/egressip-mark") == 1
    assert reroutes(world) == {}


def egress_service(host: str, name: str = "kubernetes", namespace: str = "default"):
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "k8s.ovn.org/v1", "kind": "EgressService", "metadata": metadata, "status": {"host": host}}


def leaving(world: World) -> dict[str, tuple[str, ...]]:
    """Next hops of pods that EgressServices serve."""
    rows = [row for row in world.store.rows if row.columns.get("priority") == 101]
    return {str(row.columns["match"]): tuple(row.texts("nexthops")) for row in rows}


def test_egress_services_are_followed_live(caplog):
    slices = endpoint_slice("10.128.2.9")
    slices["endpoints"][0]["nodeName"] = "n1"
    plain = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}}
    world = World(plain, slices, egress_service("n1"), operator())
    subnets = {"k8s.ovn.org/node-subnets": '{"default":["10.128.2.0/23"]}'}
    world.cluster.put(node("n1", 2, **subnets))
    world.settle()
    (rows, found) = world.store.rows, leaving(world)
    assert found == {"ip4.src == 10.128.2.9": ("10.128.2.2",)}
    world.cluster.put(egress_service(""))
    world.settle()
    assert leaving(world) == {}
    world.cluster.put(egress_service("n1"))
    world.settle()
    served = world.cluster.served.pop(EGRESS_SERVICE)
    world.settle()
    assert world.store.rows == rows
    world.cluster.served[EGRESS_SERVICE] = {}
    world.settle()
    assert leaving(world) == {}
    world.cluster.served[EGRESS_SERVICE] = served
    for each in (cudn("blue"), namespace("default")):
        world.cluster.put(each)
    world.settle()
    assert leaving(world) == {}
    text = "EgressService default/kubernetes is not planned: it has no effect on pods of a primary network"
    assert caplog.messages.count(f"network cluster_udn_blue: {text}") == 1


def test_heartbeats_of_pods_make_no_plan(monkeypatch):
    world = World(cudn("blue"), namespace(), pod(), egress_ip(*HOPS))
    world.settle()
    plans = []
    monkeypatch.setattr(zone_module, "plan_cluster", lambda *args: plans.append(args))
    world.cluster.put(pod(conditions=[{"type": "Ready", "lastProbeTime": "now"}]))
    world.settle()
    assert plans == []
    assert len(reroutes(world)) == 1


def ports(world: World) -> dict[str, str]:
    """Ports of pods and the keys that they ask for."""
    return {
        str(row.columns["name"]): row.entry("options", "requested-tnl-key")
        for row in world.store.rows
        if row.table == "Logical_Switch_Port" and row.entry("external_ids", "pod") == "true"
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
    assert world.store.networks == {"cluster_udn_blue", "cluster_udn_green"}
    world.cluster.served[POD].clear()
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
    assert caplog.messages.count("and 5 more pods whose records cannot be read") == 1


def gateways(world: World) -> set[str]:
    rows = world.store.rows
    return {str(row.columns["name"]) for row in rows if "br-" in str(row.columns.get("name"))}


def test_uplinks_are_followed_live(caplog):
    blue = cudn("blue")
    blue["spec"]["uplinks"] = ["blue"]
    world = World(blue, namespace())
    world.settle()
    assert gateways(world) == set()
    world.cluster.put(uplink())
    world.cluster.put(uplink_state("n1", 2))
    world.settle()
    assert gateways(world) == {"br-blue_cluster_udn_blue_n1"}
    rows = world.store.rows
    world.cluster.put(uplink_state("n1", 2, macAddress=""))
    world.settle()
    text = "node n1: UplinkState blue.n1: macAddress must be six octets, such as 0a:58:0a:00:00:01"
    assert (world.store.rows == rows, caplog.messages.count(text)) == (True, 1)
    states = world.cluster.served.pop(UPLINK_STATE)
    world.settle()
    assert world.store.rows == rows
    world.cluster.served[UPLINK_STATE] = {**states, "blue.n1": uplink_state("n1", 4)}
    world.settle()
    assert "172.19.0.4/16" in {text for row in world.store.rows for text in row.texts("networks")}


def links(world: World) -> set[str]:
    """The ports of networks' routers towards connect routers."""
    rows = world.store.rows
    return {str(row.columns["name"]) for row in rows if str(row.columns.get("name")).startswith("rtocr-")}


def test_connections_are_followed_live(caplog):
    world = World(*(cudn(name, f"10.{number}.0.0/16", 0, **{ID: str(number)}) for number, name in enumerate("ab", 1)))
    world.settle()
    assert links(world) == set()
    record = {f"layer2_{number}": {"ipv4": f"192.168.0.{2 * number}/31"} for number in (1, 2)}
    world.cluster.put(connect("join", record))
    world.settle()
    assert links(world) == {"rtocr-cluster_udn_a_join", "rtocr-cluster_udn_b_join"}
    rows = world.store.rows
    world.cluster.put(connect("join", "{"))
    world.settle()
    text = f"ClusterNetworkConnect join: {SUBNETS} is not a map of networks"
    assert (world.store.rows == rows, caplog.messages.count(text)) == (True, 1)
    networks = world.cluster.served.pop(CUDN)
    world.settle()
    assert world.store.rows == rows
    world.cluster.served[CUDN] = networks
    world.cluster.put(connect("join", {"layer2_1": record["layer2_1"]}))
    world.settle()
    assert links(world) == {"rtocr-cluster_udn_a_join"}
    del world.cluster.served[CLUSTER_NETWORK_CONNECT]["join"]
    world.settle()
    assert links(world) == set()
    assert not [row for row in world.store.rows if row.columns.get("name") == "connect_router_join"]


def vips(world: World, *, owner: str = "a/web") -> dict[str, dict[str, str]]:
    """Load balancers of a service, by name."""
    rows = (row for row in world.store.rows if row.entry("external_ids", "k8s.ovn.org/owner") == owner)
    found = {str(row.columns["name"]): row.columns["vips"] for row in rows}
    return {name: dict(each) for name, each in found.items() if isinstance(each, Mapping)}


WEB = service_objects.service("a/web", service_objects.HTTP)
WEB_LB = "cluster_udn_blue_Service_a/web_TCP_cluster"


def mirrored(*servers: str):
    return service_objects.endpoint_slice("a/web", *servers, network="cluster_udn_blue")


def test_services_of_a_network_are_followed_live(caplog):
    original = service_objects.endpoint_slice("a/web", "10.128.2.5@n1")
    world = World(cudn("blue"), namespace(), WEB, original)
    world.settle()
    assert vips(world) == {WEB_LB: {"10.96.0.7:80": ""}}
    note = "service a/web: it has no mirrored EndpointSlices, so its load balancers have no servers"
    assert caplog.messages.count(f"network cluster_udn_blue: {note}") == 1
    world.cluster.put(mirrored("10.20.0.5@n1"))
    world.settle()
    assert vips(world) == {WEB_LB: {"10.96.0.7:80": "10.20.0.5:8080"}}
    world.cluster.put(mirrored("10.20.0.5@n1", "10.20.0.6@n2"))
    world.settle()
    assert vips(world) == {WEB_LB: {"10.96.0.7:80": "10.20.0.5:8080,10.20.0.6:8080"}}
    rows = world.store.rows
    for kind in (SERVICE, ENDPOINT_SLICE):
        served = world.cluster.served.pop(kind)
        world.settle()
        assert world.store.rows == rows
        world.cluster.served[kind] = served
    del world.cluster.served[SERVICE]["web"]
    world.settle()
    assert vips(world) == {}


def test_what_load_balancers_do_not_show_makes_no_plan(monkeypatch):
    world = World(cudn("blue"), namespace(), WEB, mirrored("10.20.0.5@n1"))
    world.settle()
    plans = []
    monkeypatch.setattr(zone_module, "plan_cluster", lambda *args: plans.append(args))
    changed = mirrored("10.20.0.5@n1")
    changed["endpoints"][0]["conditions"]["serving"] = None
    world.cluster.put(changed)
    world.cluster.put({**WEB, "status": {"conditions": [{"type": "x"}]}})
    world.settle()
    assert plans == []


def test_notes_about_many_services_are_few(caplog):
    crowd = [service_objects.service(f"a/web-{at}", {"port": 0}) for at in range(25)]
    world = World(cudn("blue"), namespace(), *crowd, mirrored("10.20.0.5@n1"))
    world.settle()
    assert len([text for text in caplog.messages if "a port is left out" in text]) == 20
    assert "and 5 more notes about services" in caplog.messages


def test_trimmed_services_and_slices_say_what_they_said_whole():
    web = service_objects.service(
        "a/web",
        service_objects.HTTP | {"nodePort": 30080},
        type="LoadBalancer",
        externalIPs=["192.0.2.1"],
        externalTrafficPolicy="Local",
        internalTrafficPolicy="Local",
        publishNotReadyAddresses=True,
        sessionAffinity="ClientIP",
        sessionAffinityConfig={"clientIP": {"timeoutSeconds": 60}},
        ingress=("192.0.2.2",),
    )
    slices = [service_objects.endpoint_slice("a/web", "10.128.2.5@n1"), mirrored("10.20.0.5@n1")]
    for where in ([], [namespace(), cudn("blue")]):
        whole = services_of(ObjectsView([*where, web, *slices]))
        trimmed = [trim.balanced_service(web), *map(trim.endpoint_slice, slices)]
        assert services_of(ObjectsView([*where, *trimmed])) == whole
        ((found,),) = whole.by_network.values()
        assert len(found.ports[0].backends) == 1


@pytest.mark.parametrize("kind", [SERVICE, ENDPOINT_SLICE])
def test_an_api_server_that_suddenly_lists_no_services_takes_none_away(kind):
    world = World(cudn("blue"), namespace(), WEB, mirrored("10.20.0.5@n1"))
    world.settle()
    rows, served = world.store.rows, dict(world.cluster.served[kind])
    world.cluster.served[kind].clear()
    world.cluster.silent = frozenset((kind,))
    world.settle()
    assert world.store.rows == rows
    # what a watch has reported as deleted is gone
    world.cluster.silent = frozenset()
    world.settle()
    assert vips(world) == ({} if kind == SERVICE else {WEB_LB: {"10.96.0.7:80": ""}})
    world.cluster.served[kind].update(served)
    world.settle()
    assert world.store.rows == rows
