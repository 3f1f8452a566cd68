"""EgressServices, and the endpoints that they serve."""

from dataclasses import replace
from ipaddress import ip_address
from typing import Any

import pytest

from ovnguard.reconciler.plan.rows.model import EgressService, ServedEndpoint
from ovnguard.reconciler.plan.services.egress_services import egress_services_of
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import ObjectsView
from tests.support.manifests.egress_manifests import BLUE, UDN, namespace

RED = namespace("red")


def egress_service(name: str = "web", space: str = "red", host: Any = "node2") -> JsonObject:
    metadata = {"name": name, "namespace": space}
    return {"apiVersion": "k8s.ovn.org/v1", "kind": "EgressService", "metadata": metadata, "status": {"host": host}}


def endpoint(address: object, node: object = "node1", **more: Any) -> JsonObject:
    return {"addresses": [address], "nodeName": node, **more}


def endpoints(*found: object, service: str = "web", space: str = "red") -> JsonObject:
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": f"{service}-x", "namespace": space, "labels": {"kubernetes.io/service-name": service}},
        "endpoints": list(found),
    }


def served(node: str, address: str) -> ServedEndpoint:
    return ServedEndpoint(node, ip_address(address))


def test_all_endpoints_of_the_service_are_served_ready_or_not() -> None:
    slices = (
        endpoints(endpoint("10.128.2.9"), endpoint("10.128.4.9", "node2", conditions={"ready": False})),
        {**endpoints(endpoint("fd01::9")), "addressType": "IPv6"},
        endpoints(endpoint("10.128.2.9")),
        endpoints(endpoint("10.128.2.10"), service="other"),
        endpoints(endpoint("10.128.2.11"), space="gray"),
    )
    found = egress_services_of(ObjectsView([egress_service(), RED, *slices]))
    expected = (served("node1", "10.128.2.9"), served("node2", "10.128.4.9"), served("node1", "fd01::9"))
    assert found.notes == ()
    assert found.services == (EgressService("red/web", "node2", expected),)


@pytest.mark.parametrize("host", ["ALL", "", None, 7])
def test_a_service_that_no_single_node_serves_needs_nothing(host: Any) -> None:
    found = egress_services_of(ObjectsView([egress_service(host=host)]))
    assert (found.services, found.notes) == ((), ())


def test_a_service_of_a_primary_network_is_reported_and_not_planned() -> None:
    objects = [egress_service(space="blue"), UDN, BLUE, endpoints(endpoint("10.128.2.9"), space="blue")]
    found = egress_services_of(ObjectsView(objects))
    text = "EgressService blue/web is not planned: it has no effect on pods of a primary network"
    expected = EgressService("blue/web", "node2", (served("node1", "10.128.2.9"),), "blue_net")
    assert (found.services, list(map(str, found.notes))) == ((expected,), [f"network blue_net: {text}"])
    unlabelled = egress_services_of(ObjectsView([objects[0], UDN, namespace("blue"), objects[3]]))
    assert unlabelled.services == (replace(expected, network="default"),)


def test_unreadable_endpoints_are_left_out() -> None:
    bad = (7, endpoint("fe80::1%eth0"), endpoint("x"), endpoint(7), endpoint("10.128.2.9", ""), {"nodeName": "node1"})
    for each in (endpoints(*bad), {**endpoints(), "endpoints": "many"}):
        found = egress_services_of(ObjectsView([egress_service(), RED, each]))
        assert found.services == (EgressService("red/web", "node2", ()),)


@pytest.mark.parametrize("known", [[RED], [endpoints()], []])
def test_without_namespaces_and_endpoints_nobody_knows(known: list[JsonObject]) -> None:
    found = egress_services_of(ObjectsView([egress_service(), *known]))
    assert list(map(str, found.notes)) == ["EgressServices are not planned: needs namespaces and EndpointSlices"]
