"""Services that pods of primary networks may reach, from their objects."""

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any

import pytest

from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.rows.settings import AllowedService, Settings
from ovnguard.reconciler.plan.services.allowed_services import cluster_addresses, with_default_services
from tests.support.plan_samples import default_network, nodes, udn


def service(namespace: str, name: str, **spec: object) -> dict[str, object]:
    return {"metadata": {"namespace": namespace, "name": name}, "spec": spec}


DEFAULTS = Settings()


def read(*objects: Mapping[str, Any], settings: Settings = DEFAULTS) -> Settings:
    return with_default_services(settings, cluster_addresses([dict(each) for each in objects]))


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
    assert read(service("default", "kubernetes", **spec)).services == (expected,)


def test_others_are_left_out_and_missing_ones_named() -> None:
    dns = service("kube-system", "kube-dns", clusterIP="10.96.0.10")
    found = read(service("default", "web", clusterIP="10.96.0.3"), {"metadata": None}, dns)
    assert [each.name for each in found.services] == ["kube-system/kube-dns"]
    assert found.dns == found.services[0]
    assert found.unknown_services == ("default/kubernetes",)
    assert read().unknown_services == ("default/kubernetes", "kube-system/kube-dns")


def test_options_name_the_services_and_dns() -> None:
    """OpenShift: DNS is another service, in another namespace."""
    options = Settings(allowed_services=("a/web", "openshift-dns/dns-default", "a/web"), dns_service="a/dns")
    web, dns = service("a", "web", clusterIP="10.96.0.3"), service("a", "dns", clusterIP="10.96.0.9")
    found = read(web, dns, service("default", "kubernetes", clusterIP="10.96.0.1"), settings=options)
    assert found.services == (AllowedService("a/web", (ip_address("10.96.0.3"),)),)
    assert found.unknown_services == ("openshift-dns/dns-default",)
    assert found.dns == AllowedService("a/dns", (ip_address("10.96.0.9"),))
    assert read(web, settings=options).dns is None


def test_missing_routes_are_noted_where_there_would_be_some() -> None:
    settings = read()
    text = "no routes to default/kubernetes and kube-system/kube-dns: their Services are not known"
    assert text in map(str, make_plan([udn("a_b")], nodes(2), settings).notes)
    assert text not in map(str, make_plan([udn("a_b")], nodes(2, mode="local"), settings).notes)
    assert text not in map(str, make_plan([default_network()], nodes(2), settings).notes)
