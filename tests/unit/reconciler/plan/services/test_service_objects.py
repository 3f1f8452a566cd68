"""Services and their servers, from objects that anybody may have written."""

from ipaddress import ip_address
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.rows.service_model import Backend, Service, ServicePort
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.services.endpoint_slices import ENDPOINT_SLICE
from ovnguard.reconciler.plan.services.service_objects import ServiceMemo, Services, services_notes, services_of
from ovnguard.validators.cluster import trim
from ovnguard.validators.network.cluster_view import CUDN, NAD, NAMESPACE, SERVICE, UDN, GroupKind, ObjectsView
from tests.support.plan_samples import default_network, nodes, taking_node_ports, udn
from tests.support.service_objects import HTTP, endpoint, endpoint_slice, namespace, service

RED: dict[str, Any] = {
    "apiVersion": "k8s.ovn.org/v1",
    "kind": "UserDefinedNetwork",
    "metadata": {"name": "net", "namespace": "red", "uid": "1"},
    "spec": {"topology": "Layer2", "layer2": {"role": "Primary", "subnets": ["10.100.0.0/16"]}},
}


def read(*objects: Any, memo: ServiceMemo | None = None) -> Services:
    return services_of(ObjectsView(objects), memo)


def texts(services: Services) -> list[str]:
    return [str(note) for note in services.notes]


def only(services: Services) -> Service:
    ((found,),) = services.by_network.values()
    return found


def backends(*texts: str) -> tuple[Backend, ...]:
    return tuple(Backend(ip_address(text), 8080) for text in texts)


def test_a_service_with_all_that_plans_read() -> None:
    web = service(
        "a/web",
        HTTP | {"nodePort": 30080},
        {"name": "dns", "protocol": "UDP", "port": 53},
        addresses=("10.96.0.7", "fd00:10:96::7"),
        type="LoadBalancer",
        externalIPs=["192.0.2.1"],
        externalTrafficPolicy="Local",
        sessionAffinity="ClientIP",
        sessionAffinityConfig={"clientIP": {"timeoutSeconds": 60}},
        ingress=("192.0.2.2", "2001:db8::2"),
    )
    v6 = endpoint_slice("a/web", "fd01::5@node2", addressType="IPv6")
    services = read(web, endpoint_slice("a/web", "10.128.2.5@node1", "10.128.4.5@node2"), v6)
    servers = backends("10.128.2.5", "10.128.4.5", "fd01::5")
    http = ServicePort("TCP", 80, 30080, servers, {"node1": servers[:1], "node2": servers[1:]})
    assert services.by_network == {
        "default": (
            Service(
                "a/web",
                (ip_address("10.96.0.7"), ip_address("fd00:10:96::7")),
                (http, ServicePort("UDP", 53)),
                tuple(map(ip_address, ("192.0.2.1", "192.0.2.2", "2001:db8::2"))),
                external_local=True,
                affinity=60,
            ),
        )
    }
    assert services.notes == ()


@pytest.mark.parametrize(
    "spec",
    [
        {"clusterIP": "None", "clusterIPs": ["None"]},
        {"clusterIP": "", "clusterIPs": []},
        {"clusterIP": None, "clusterIPs": "x"},
        {"type": "ExternalName"},
    ],
)
def test_without_a_cluster_address_there_is_nothing_to_balance(spec: dict[str, Any]) -> None:
    assert read(service("a/web", HTTP, **spec), endpoint_slice("a/web", "10.128.2.5@node1")) == Services()


@pytest.mark.parametrize(
    ("servers", "expected"),
    [
        ([endpoint("10.128.2.10"), endpoint("10.128.2.9")], ["10.128.2.10", "10.128.2.9"]),
        ([endpoint("10.128.2.9"), endpoint("10.128.2.9", "node2")], ["10.128.2.9"]),
        ([endpoint("10.128.2.9"), endpoint("10.128.2.8", ready=False)], ["10.128.2.9"]),
        ([{"addresses": ["10.128.2.9", "10.128.2.8"]}], ["10.128.2.8", "10.128.2.9"]),
        # what ends and still serves counts only while nothing else does
        ([endpoint("10.128.2.8", ready=False, terminating=True)], ["10.128.2.8"]),
        ([endpoint("10.128.2.9"), endpoint("10.128.2.8", ready=False, terminating=True)], ["10.128.2.9"]),
        ([endpoint("10.128.2.8", ready=False, serving=False, terminating=True)], []),
        ([{"addresses": ["10.128.2.8"], "conditions": {"ready": False, "terminating": True}}], []),
        ([{"addresses": None}, {"conditions": 7}, "x", None], []),
    ],
)
def test_servers_that_take_connections(servers: list[Any], expected: list[str]) -> None:
    found = only(read(service("a/web", HTTP), endpoint_slice("a/web", endpoints=servers)))
    assert found.ports == (ServicePort("TCP", 80, backends=backends(*expected)),)


def test_unready_servers_that_a_service_publishes() -> None:
    web = service("a/web", HTTP, publishNotReadyAddresses=True)
    found = only(read(web, endpoint_slice("a/web", endpoint("10.128.2.8", ready=False, serving=False))))
    assert found.ports[0].backends == backends("10.128.2.8")


def test_ports_are_found_by_name_and_protocol() -> None:
    ports: list[dict[str, Any]] = [{"name": "a", "port": 1}, {"name": "b", "protocol": "UDP", "port": 2}, {"port": 3}]
    web = service("a/web", *({**each, "port": 80 + at} for at, each in enumerate(ports)))
    found = only(read(web, endpoint_slice("a/web", "10.128.2.5@node1", ports=[*ports, {"name": "all"}])))
    where = ip_address("10.128.2.5")
    assert [(each.protocol, each.port, each.backends) for each in found.ports] == [
        ("TCP", 80, (Backend(where, 1),)),
        ("UDP", 81, (Backend(where, 2),)),
        ("TCP", 82, (Backend(where, 3),)),
    ]


def test_of_several_target_ports_the_lowest_counts_as_upstream() -> None:
    second = endpoint_slice("a/web", "10.128.2.6@node1", ports=[{"name": "http", "port": 8081}])
    services = read(service("a/web", HTTP), second, endpoint_slice("a/web", "10.128.2.5@node1"))
    assert only(services).ports[0].backends == backends("10.128.2.5")
    assert texts(services) == [
        "network default: service a/web: only servers on port 8080 take connections to its port 80: "
        "OVN-Kubernetes plans one"
    ]


def test_a_service_belongs_to_the_primary_network_of_its_namespace() -> None:
    original = endpoint_slice("red/web", "10.128.2.5@node1")
    mirrored = endpoint_slice("red/web", "10.100.0.5@node1", network="red_net")
    other = endpoint_slice("red/web", "10.101.0.5@node1", network="blue_net")
    everything = [service("red/web", HTTP), original, mirrored, other, RED]
    for known in ((namespace("red", primary=True),), ()):
        services = read(*everything, *known)
        assert [*services.by_network] == ["red_net"]
        assert only(services).ports[0].backends == backends("10.100.0.5")
    # OVN-Kubernetes ignores a primary network without the label, and waits for one with it
    assert [*read(*everything, namespace("red")).by_network] == ["default"]
    waiting = [each for each in everything if each is not RED]
    assert read(*waiting, namespace("red", primary=True)) == Services()
    assert [*read(*waiting).by_network] == ["default"]


def test_missing_mirrored_slices_are_noted_only_where_there_are_servers() -> None:
    where = (namespace("red", primary=True), RED, service("red/web", HTTP))
    services = read(*where, endpoint_slice("red/web", "10.128.2.5@node1"))
    assert texts(services) == [
        "network red_net: service red/web: it has no mirrored EndpointSlices, so its load balancers have no servers"
    ]
    assert only(services).ports == (ServicePort("TCP", 80),)
    assert read(*where, endpoint_slice("red/web")).notes == ()


def test_without_endpoint_slices_load_balancers_have_no_servers() -> None:
    services = read(service("a/web", HTTP))
    assert only(services).ports == (ServicePort("TCP", 80),)
    assert texts(services) == ["load balancers of services have no servers: there is no EndpointSlice"]
    assert services_of(ObjectsView([service("a/web", HTTP)], [ENDPOINT_SLICE])).notes == ()
    assert read() == Services()


def test_a_load_balancer_without_servers_rejects_connections() -> None:
    services = read(service("a/web", HTTP, addresses=("10.96.0.7",)))
    members = taking_node_ports(nodes(1))
    plan = make_plan([default_network()], members, Settings(balanced_services=services.by_network))
    (row,) = (each for each in plan.zones[0].rows if each.table == "Load_Balancer")
    assert (row.columns["vips"], row.entry("options", "reject")) == ({"10.96.0.7:80": ""}, "true")


@pytest.mark.parametrize(
    ("change", "note"),
    [
        ({"ports": [HTTP | {"port": 0}]}, "a port is left out: it has no valid number or protocol"),
        ({"ports": [HTTP | {"port": 65536}]}, "a port is left out: it has no valid number or protocol"),
        ({"ports": [HTTP | {"port": True}]}, "a port is left out: it has no valid number or protocol"),
        ({"ports": [HTTP | {"protocol": "ICMP"}]}, "a port is left out: it has no valid number or protocol"),
        ({"ports": [HTTP | {"protocol": ["TCP"]}]}, "a port is left out: it has no valid number or protocol"),
        ({"ports": [HTTP | {"nodePort": -1}]}, "a port is left out: it has no valid number or protocol"),
        ({"clusterIPs": ["10.96.0.7", "fe80::1%eth0"]}, "one of its addresses is left out: it is no IP address"),
        ({"externalIPs": ["::ffff:192.0.2.1"]}, "one of its addresses is left out: it is no IP address"),
        ({"externalIPs": ["x"]}, "one of its addresses is left out: it is no IP address"),
        (
            {"sessionAffinity": "ClientIP", "sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 86401}}},
            "its session affinity lasts 10800 seconds: timeoutSeconds is not valid",
        ),
    ],
)
def test_invalid_parts_of_a_service_are_omitted_and_noted(change: dict[str, Any], note: str) -> None:
    services = read(service("a/web", HTTP, **change), endpoint_slice("a/web", "10.128.2.5@node1"))
    assert texts(services) == [f"network default: service a/web: {note}"]
    assert only(services).addresses == (ip_address("10.96.0.7"),)


@pytest.mark.parametrize(
    ("change", "note"),
    [
        ({"ports": [{"name": "http", "port": 70000}]}, "a port is left out: it has no valid number or protocol"),
        (
            {"endpoints": [endpoint("fd01::5"), endpoint("x")]},
            "an endpoint's address is left out: its family is not the slice's addressType",
        ),
        (
            {"endpoints": [endpoint(f"10.128.{at >> 8}.{at & 255}") for at in range(1001)]},
            "only the first 1000 of 1001 endpoints are read",
        ),
    ],
)
def test_invalid_parts_of_slices_are_omitted_and_noted(change: dict[str, Any], note: str) -> None:
    services = read(service("a/web", HTTP), endpoint_slice("a/web", **change))
    assert texts(services) == [f"network default: service a/web: {note}"]
    assert len(only(services).ports[0].backends) == (1000 if len(change.get("endpoints", ())) > 1000 else 0)


def test_names_of_hosts_are_no_servers() -> None:
    named = endpoint_slice("a/web", {"addresses": ["example.com"]}, addressType="FQDN")
    services = read(service("a/web", HTTP), named)
    assert (only(services).ports[0].backends, services.notes) == ((), ())


@pytest.mark.parametrize("title", ['a/"web"', "a/web.x", "A/web", "a/" + 64 * "w", "a/"])
def test_names_that_would_change_the_names_of_rows(title: str) -> None:
    services = read(service(title, HTTP), endpoint_slice(title, "10.128.2.5@node1"))
    assert services.by_network == {}
    (note,) = texts(services)
    assert note.endswith(": no load balancers: namespace and name must be DNS-1123 labels")
    assert len(note) < 200


def test_ten_thousand_servers_are_planned_and_ten_million_are_not() -> None:
    slices = [
        endpoint_slice("a/web", *(f"10.{128 + at}.{each >> 8}.{each & 255}@node1" for each in range(1000)))
        for at in range(10)
    ]
    assert len(only(read(service("a/web", HTTP), *slices)).ports[0].backends) == 10_000
    crowded = service("a/web", HTTP, externalIPs=[f"192.0.2.{at}" for at in range(200)])
    services = read(crowded, *slices)
    assert services.by_network == {}
    assert texts(services) == [
        "network default: service a/web: no load balancers: 2010000 servers of addresses and ports are more than 200000"
    ]


def test_shapeless_objects_are_no_services() -> None:
    shapeless: list[Any] = [
        {"apiVersion": "v1", "kind": "Service", "metadata": None},
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": ["x"]}, "spec": 7},
        {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "metadata": 7},
        {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "metadata": {"labels": [], "namespace": {}}},
    ]
    assert read(*shapeless) == Services()
    found = endpoint_slice("a/web", addressType=["IPv4"], endpoints=7, ports={"x": 1})
    assert only(read(service("a/web", HTTP, externalIPs=3, ports=[7, HTTP]), found)).ports == (ServicePort("TCP", 80),)


def test_unchanged_services_are_the_same_objects() -> None:
    objects = [service("a/one", HTTP), service("a/two", HTTP), endpoint_slice("a/two", "10.128.2.5@node1")]
    memo = ServiceMemo()
    one, two = read(*objects, memo=memo).by_network["default"]
    objects[2] = endpoint_slice("a/two", "10.128.2.6@node1")
    again, changed = read(*objects, memo=memo).by_network["default"]
    assert again is one
    assert (two.ports[0].backends, changed.ports[0].backends) == (backends("10.128.2.5"), backends("10.128.2.6"))
    (left,) = read(*objects[:1], objects[2], memo=memo).by_network["default"]
    assert left is one


def test_a_live_view_that_has_not_changed_is_not_read_again() -> None:
    class Live:
        def __init__(self, *objects: Any) -> None:
            self.known: dict[GroupKind, tuple[Any, ...]] = dict.fromkeys((NAMESPACE, CUDN, UDN, NAD), ())
            self.put(*objects)

        def put(self, *objects: Any) -> None:
            for kind in (SERVICE, ENDPOINT_SLICE, NAMESPACE):
                found = tuple(each for each in objects if each["kind"] == kind.kind)
                self.known[kind] = found or self.known.get(kind, ())

        def objects(self, kind: GroupKind) -> tuple[Any, ...]:
            return self.known[kind]

    view, memo = Live(service("a/web", HTTP), endpoint_slice("a/web", "10.128.2.5@node1")), ServiceMemo()
    first = services_of(view, memo)
    assert services_of(view, memo) is first
    view.put(endpoint_slice("a/web", "10.128.2.6@node1"))
    assert only(services_of(view, memo)).ports[0].backends == backends("10.128.2.6")
    view.put(namespace("a", primary=True))
    assert services_of(view, memo) == Services()


@pytest.mark.parametrize(
    ("annotations", "idle"),
    [
        ({"idling.alpha.openshift.io/idled-at": "2026-11-23T10:33:03Z"}, True),
        ({"x/idled-at": ""}, True),
        ({"idled-at": "", "x/idled-at-last": "", "k8s.ovn.org/unidled-at": ""}, False),
        (["x/idled-at"], False),
        (None, False),
    ],
)
def test_an_annotation_of_any_platform_says_that_a_service_is_idle(annotations: Any, idle: bool) -> None:
    obj = service("a/web", HTTP)
    obj["metadata"]["annotations"] = annotations
    assert only(read(obj, endpoint_slice("a/web"))).is_idle is idle
    assert only(read(trim.balanced_service(obj), endpoint_slice("a/web"))).is_idle is idle


def test_services_of_networks_that_are_not_planned() -> None:
    found = read(
        service("a/web", HTTP), service("a/shop", HTTP), service("default/kubernetes", HTTP), endpoint_slice("a/web")
    )
    assert [*map(str, services_notes(found, [udn("red_net")], Settings()))] == [
        "network default: no load balancers of a/shop and 1 more services: the network is not planned"
    ]
    assert services_notes(found, [default_network()], Settings()) == ()
    allowed = read(service("default/kubernetes", HTTP), endpoint_slice("a/web"))
    assert services_notes(allowed, [udn("red_net")], Settings()) == ()
    others = Settings(allowed_services=("a/web",), dns_service="a/shop")
    assert [*map(str, services_notes(found, [udn("red_net")], others))] == [
        "network default: no load balancers of default/kubernetes: the network is not planned"
    ]


TEXTS = ["", "a", "web", "TCP", "UDP", "http", "None", "Local", "ClientIP", "LoadBalancer", "IPv4", "IPv6"]
ADDRESSES = ["10.96.0.7", "fd00::7", "10.128.2.5", "::ffff:10.0.0.1", "010.0.0.1", "fe80::1%x", "0.0.0.0"]
LEAVES = st.sampled_from([*TEXTS, *ADDRESSES, None, True, False]) | st.integers(-1, 70_000)
FIELDS = """metadata spec status clusterIP clusterIPs externalIPs ports port nodePort name namespace protocol type
    labels annotations addresses conditions ready serving terminating nodeName loadBalancer ingress ip"""
KEYS = st.sampled_from(FIELDS.split())
ANYTHING = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5))


@given(st.dictionaries(KEYS, ANYTHING), st.dictionaries(KEYS, ANYTHING), st.dictionaries(KEYS, ANYTHING), ANYTHING)
def test_whatever_they_contain_services_can_be_planned(whole: Any, spec: Any, slices: Any, endpoints: Any) -> None:
    made = service("a/web", HTTP, type="LoadBalancer", externalTrafficPolicy="Local", ingress=("192.0.2.1",))
    served = endpoint_slice("a/web", "10.128.2.5@node1")
    objects = [
        {**whole, "apiVersion": "v1", "kind": "Service"},
        {**made, "spec": made["spec"] | spec},
        {**served, **slices, "metadata": served["metadata"], "endpoints": endpoints},
    ]
    found = read(*objects)
    settings = Settings(balanced_services=found.by_network)
    plan = make_plan([default_network()], taking_node_ports(nodes(1, v6=True)), settings)
    assert [error for error in plan.errors if "service" in error.text] == []
    names = [row.columns["name"] for row in plan.zones[0].rows if row.table == "Load_Balancer"]
    assert len(names) == len(set(names))
