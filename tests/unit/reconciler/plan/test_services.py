"""Services that pods of primary networks may reach, from their objects."""

from ipaddress import ip_address
from typing import Any

import pytest

from reconciler.plan.planner import make_plan
from reconciler.plan.services import allowed_services, unknown_services
from reconciler.plan.settings import Backend, Service, ServicePort, Settings
from tests.support.plan_samples import default_network, nodes, udn


def service(namespace: str, name: str, **spec: object) -> dict[str, object]:
    return {"metadata": {"namespace": namespace, "name": name}, "spec": spec}


@pytest.mark.parametrize(
    ("spec", "addresses"),
    [
        ({"clusterIPs": ["10.96.0.1", "fd00::1"], "clusterIP": "10.96.0.1"}, ["10.96.0.1", "fd00::1"]),
        ({"clusterIP": "10.96.0.1"}, ["10.96.0.1"]),
        ({"clusterIP": "None", "clusterIPs": ["None"]}, []),
        ({"clusterIPs": "10.96.0.1"}, []),
        ({"clusterIPs": [7]}, []),
        ({}, []),
    ],
)
def test_addresses(spec: dict[str, object], addresses: list[str]) -> None:
    expected = Service("default/kubernetes", tuple(ip_address(text) for text in addresses))
    assert allowed_services([service("default", "kubernetes", **spec)]) == (expected,)


def test_others_are_left_out_and_missing_ones_named() -> None:
    dns = service("kube-system", "kube-dns", clusterIP="10.96.0.10")
    known = allowed_services([service("default", "web", clusterIP="10.96.0.3"), {"metadata": None}, dns])
    assert [each.name for each in known] == ["kube-system/kube-dns"]
    assert unknown_services(known) == ("default/kubernetes",)
    assert unknown_services(()) == ("default/kubernetes", "kube-system/kube-dns")


def test_missing_routes_are_told_where_there_would_be_some() -> None:
    settings = Settings(unknown_services=unknown_services(()))
    text = "no routes to default/kubernetes and kube-system/kube-dns: their Services are not known"
    assert text in map(str, make_plan([udn("a_b")], nodes(2), settings).notes)
    assert text not in map(str, make_plan([udn("a_b")], nodes(2, mode="local"), settings).notes)
    assert text not in map(str, make_plan([default_network()], nodes(2), settings).notes)


def endpoints(service: str, *addresses: str, ready: bool = True, **ports: int) -> dict[str, Any]:
    namespace, name = service.split("/")
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"namespace": namespace, "name": "x", "labels": {"kubernetes.io/service-name": name}},
        "endpoints": [{"addresses": [address], "conditions": {"ready": ready}} for address in addresses],
        "ports": [{"name": port, "protocol": "TCP", "port": number} for port, number in ports.items()],
    }


def api(*ports: dict[str, Any]) -> dict[str, Any]:
    metadata = {"namespace": "default", "name": "kubernetes"}
    return {"kind": "Service", "metadata": metadata, "spec": {"clusterIPs": ["10.96.0.1"], "ports": list(ports)}}


HTTPS = {"name": "https", "protocol": "TCP", "port": 443}


@pytest.mark.parametrize(
    ("slices", "expected"),
    [
        ([], ()),
        ([endpoints("default/kubernetes", "172.18.0.3", "172.18.0.2", https=6443)], ("172.18.0.2", "172.18.0.3")),
        ([endpoints("default/kubernetes", "172.18.0.3", "x", https=6443)] * 2, ("172.18.0.3",)),
        ([endpoints("default/kubernetes", "172.18.0.3", ready=False, https=6443)], ()),
        ([endpoints("default/kubernetes", "172.18.0.3", other=6443)], ()),
        ([endpoints("default/kubernetes", "172.18.0.3", https=0)], ()),
        ([endpoints("other/kubernetes", "172.18.0.3", https=6443)], ()),
        ([{"metadata": 7}, endpoints("default/kubernetes", "fd00::3", https=6443)], ("fd00::3",)),
    ],
)
def test_endpoint_slices_tell_who_serves(slices: list[Any], expected: tuple[str, ...]) -> None:
    (service,) = allowed_services([api(HTTPS)], slices)
    backends = tuple(Backend(ip_address(each), 6443) for each in expected)
    assert service.ports == (ServicePort("tcp", 443, backends),)


def test_without_endpoint_slices_nobody_knows() -> None:
    assert allowed_services([api(HTTPS)])[0].ports == ()
    assert allowed_services([api({**HTTPS, "port": 65536}, {**HTTPS, "protocol": "ICMP"})], [])[0].ports == ()


def test_services_without_servers_are_told_where_the_default_network_is_planned() -> None:
    known = allowed_services([api(HTTPS)], [])
    text = "no load balancers of default/kubernetes: EndpointSlices are not known"
    bare = Settings(services=allowed_services([api(HTTPS)]))
    assert text in [str(note) for note in make_plan([default_network()], nodes(1), bare).notes]
    assert text not in [str(note) for note in make_plan([udn("a_b")], nodes(1), bare).notes]
    assert text not in [str(note) for note in make_plan([default_network()], nodes(1), Settings(services=known)).notes]
