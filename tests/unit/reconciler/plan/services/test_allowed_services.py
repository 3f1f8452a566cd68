"""Services that pods of primary networks may reach, from their objects."""

from ipaddress import ip_address

import pytest

from reconciler.plan.planner import make_plan
from reconciler.plan.rows.settings import AllowedService, Settings
from reconciler.plan.services.allowed_services import allowed_services, unknown_services
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
    expected = AllowedService("default/kubernetes", tuple(ip_address(text) for text in addresses))
    assert allowed_services([service("default", "kubernetes", **spec)]) == (expected,)


def test_others_are_left_out_and_missing_ones_named() -> None:
    dns = service("kube-system", "kube-dns", clusterIP="10.96.0.10")
    known = allowed_services([service("default", "web", clusterIP="10.96.0.3"), {"metadata": None}, dns])
    assert [each.name for each in known] == ["kube-system/kube-dns"]
    assert unknown_services(known) == ("default/kubernetes",)
    assert unknown_services(()) == ("default/kubernetes", "kube-system/kube-dns")


def test_missing_routes_are_noted_where_there_would_be_some() -> None:
    settings = Settings(unknown_services=unknown_services(()))
    text = "no routes to default/kubernetes and kube-system/kube-dns: their Services are not known"
    assert text in map(str, make_plan([udn("a_b")], nodes(2), settings).notes)
    assert text not in map(str, make_plan([udn("a_b")], nodes(2, mode="local"), settings).notes)
    assert text not in map(str, make_plan([default_network()], nodes(2), settings).notes)
