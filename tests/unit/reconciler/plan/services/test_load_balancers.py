"""The load balancers of one service on one node, as OVN-Kubernetes' services controller writes them."""

from collections.abc import Mapping
from dataclasses import replace
from ipaddress import ip_address, ip_interface
from typing import Any

import pytest

from ovnguard.reconciler.plan.rows.row import Row
from ovnguard.reconciler.plan.rows.service_model import Backend, Service, ServicePort
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.reconciler.plan.services.load_balancers import LoadBalancers, load_balancers, place_of
from ovnguard.validators.network.model import Network
from tests.support.plan_samples import DUAL_DEFAULT, V4, V6, node, udn

RED = udn("red_net", V4, V6)
POD1, POD2, POD6 = (Backend(ip_address(each), 8080) for each in ("203.203.0.4", "203.203.0.5", "2010:100:200::4"))
OWN, OTHER = (Backend(ip_address(each), 6443) for each in ("172.18.0.2", "172.18.0.3"))
CLUSTER = (ip_address("10.96.0.7"), ip_address("fd00:10:96::7"))
OUTSIDE = (ip_address("192.0.2.1"),)
SETTINGS = Settings()


def balanced(service: Service, network: Network = RED, settings: Settings = SETTINGS, **changes: Any) -> LoadBalancers:
    member = node(1, v6=True)
    assert member.gateway is not None
    gateway = member.gateway._replace(node_port=changes.pop("node_port", True))
    addresses = changes.pop("host_cidrs", gateway.addresses)
    member = member._replace(gateway=gateway, host_cidrs=addresses)
    return load_balancers(service, place_of(network, member, settings))


def vips(rows: tuple[Row, ...]) -> dict[str, Any]:
    return {str(row.columns["name"]): dict(mapping(row, "vips")) for row in rows}


def mapping(row: Row, column: str) -> Mapping[str, str]:
    value = row.columns[column]
    assert isinstance(value, Mapping)
    return value


def service(*ports: ServicePort, **fields: Any) -> Service:
    return Service("a/web", fields.pop("addresses", CLUSTER), ports, **fields)


def http(*backends: Backend, node_port: int = 0) -> ServicePort:
    """A port with servers, of which the first is on node1 and the others on node2."""
    return ServicePort("TCP", 80, node_port, backends, {"node1": backends[:1], "node2": backends[1:]})


def test_the_same_servers_everywhere_are_those_of_one_load_balancer_per_protocol() -> None:
    dns = ServicePort("UDP", 53, backends=(replace(POD1, port=5353),))
    found = balanced(service(http(POD1, POD2, POD6), replace(http(POD1), port=81), dns, external=OUTSIDE))
    assert (found.on_switch, found.on_router) == ((), ())
    assert vips(found.everywhere) == {
        "red_net_Service_a/web_TCP_cluster": {
            "10.96.0.7:80": "203.203.0.4:8080,203.203.0.5:8080",
            "[fd00:10:96::7]:80": "[2010:100:200::4]:8080",
            "192.0.2.1:80": "203.203.0.4:8080,203.203.0.5:8080",
            "10.96.0.7:81": "203.203.0.4:8080",
            "[fd00:10:96::7]:81": "",
            "192.0.2.1:81": "203.203.0.4:8080",
        },
        "red_net_Service_a/web_UDP_cluster": {
            "10.96.0.7:53": "203.203.0.4:5353",
            "[fd00:10:96::7]:53": "",
            "192.0.2.1:53": "203.203.0.4:5353",
        },
    }


@pytest.mark.parametrize(
    ("network", "labels"),
    [
        (RED, {"k8s.ovn.org/network": "red_net", "k8s.ovn.org/role": "primary"}),
        (DUAL_DEFAULT, {}),
    ],
    ids=["user", "default"],
)
def test_columns(network: Network, labels: dict[str, str]) -> None:
    (row,) = balanced(service(ServicePort("SCTP", 80)), network).everywhere
    assert row.columns["name"] == f"{'red_net_' if labels else ''}Service_a/web_SCTP_cluster"
    assert row.columns["protocol"] == ("sctp",)
    assert mapping(row, "options") == {
        "event": "false",
        "hairpin_snat_ip": "169.254.0.5 fd69::5",
        "neighbor_responder": "none",
        "reject": "true",
        "skip_snat": "false",
    }
    ids = {key: value for key, value in mapping(row, "external_ids").items() if not key.startswith("ovnguard.io/")}
    assert ids == {"k8s.ovn.org/kind": "Service", "k8s.ovn.org/owner": "a/web", **labels}


@pytest.mark.parametrize(
    ("wakes", "idle", "expected"),
    [
        (True, True, {"event": "true", "reject": "false"}),
        (True, False, {"event": "false", "reject": "true"}),
        (False, True, {"event": "false", "reject": "true"}),
    ],
)
def test_ovn_reports_packets_to_an_idle_service_with_ovn_empty_lb_events(
    wakes: bool, idle: bool, expected: dict[str, str]
) -> None:
    (row,) = balanced(service(http(), is_idle=idle), settings=Settings(empty_lb_events=wakes)).everywhere
    options = mapping(row, "options")
    assert {key: options[key] for key in expected} == expected


@pytest.mark.parametrize(
    ("seconds", "timeout", "fields"), [(0, None, ()), (10_800, "10800", ()), (86_400, None, ("ip_dst", "ip_src"))]
)
def test_session_affinity(seconds: int, timeout: str | None, fields: tuple[str, ...]) -> None:
    (row,) = balanced(service(http(POD1), affinity=seconds)).everywhere
    assert mapping(row, "options").get("affinity_timeout") == timeout
    assert row.columns["selection_fields"] == fields


def test_a_node_port_is_at_the_node_s_addresses_for_its_switch_and_router_alike() -> None:
    hosts = tuple(map(ip_interface, ("172.18.0.2/16", "192.168.1.2/24", "fc00::2/64")))
    found = balanced(service(http(POD1, POD2, node_port=30080)), host_cidrs=hosts)
    assert [*vips(found.everywhere)] == ["red_net_Service_a/web_TCP_cluster"]
    servers = "203.203.0.4:8080,203.203.0.5:8080"
    assert vips(found.on_router) == {
        "red_net_Service_a/web_TCP_node_router+switch_node1": {
            "172.18.0.2:30080": servers,
            "192.168.1.2:30080": servers,
            "[fc00::2]:30080": "",
        }
    }
    assert found.on_switch == found.on_router
    assert balanced(service(http(POD1, node_port=30080)), node_port=False).on_switch == ()


def test_a_server_on_the_node_s_host_is_reached_by_the_masquerade_address_from_its_router() -> None:
    found = balanced(service(http(OWN, OTHER)), DUAL_DEFAULT)
    assert found.everywhere == ()
    assert vips(found.on_switch) == {
        "Service_a/web_TCP_node_switch_node1": {
            "10.96.0.7:80": "172.18.0.2:6443,172.18.0.3:6443",
            "[fd00:10:96::7]:80": "",
        }
    }
    assert vips(found.on_router) == {
        "Service_a/web_TCP_node_router_node1": {
            "10.96.0.7:80": "169.254.0.2:6443,172.18.0.3:6443",
            "[fd00:10:96::7]:80": "",
        }
    }
    elsewhere = balanced(service(http(OTHER)), DUAL_DEFAULT)
    assert [*vips(elsewhere.on_router)] == ["Service_a/web_TCP_node_router+switch_node1"]
    assert elsewhere.on_switch == elsewhere.on_router


def test_external_policy_local_keeps_the_client_s_address_and_the_servers_of_the_node() -> None:
    both = "203.203.0.4:8080,203.203.0.5:8080"
    found = balanced(service(http(POD1, POD2, node_port=30080), external=OUTSIDE, external_local=True))
    assert vips(found.everywhere) == {
        "red_net_Service_a/web_TCP_cluster": {"10.96.0.7:80": both, "[fd00:10:96::7]:80": ""}
    }
    assert vips(found.on_switch) == {
        "red_net_Service_a/web_TCP_node_switch_node1": {
            "169.254.0.3:30080": "203.203.0.4:8080",
            "172.18.0.2:30080": both,
            "[fd69::3]:30080": "",
            "[fc00::2]:30080": "",
            "192.0.2.1:80": both,
        }
    }
    # an address without local servers refuses connections, which needs no source address to keep
    assert vips(found.on_router) == {
        "red_net_Service_a/web_TCP_node_router_node1": {"[fc00::2]:30080": ""},
        "red_net_Service_a/web_TCP_node_local_router_node1": {
            "172.18.0.2:30080": "203.203.0.4:8080",
            "192.0.2.1:80": "203.203.0.4:8080",
        },
    }
    assert [mapping(row, "options")["skip_snat"] for row in found.on_router] == ["false", "true"]


def test_internal_policy_local_concerns_pods_and_cluster_addresses_alone() -> None:
    found = balanced(service(http(POD1, POD2), addresses=CLUSTER[:1], external=OUTSIDE, internal_local=True))
    both = "203.203.0.4:8080,203.203.0.5:8080"
    assert found.everywhere == ()
    assert vips(found.on_switch) == {
        "red_net_Service_a/web_TCP_node_switch_node1": {"10.96.0.7:80": "203.203.0.4:8080", "192.0.2.1:80": both}
    }
    assert vips(found.on_router) == {
        "red_net_Service_a/web_TCP_node_router_node1": {"10.96.0.7:80": both, "192.0.2.1:80": both}
    }


def test_a_local_policy_where_the_node_has_no_server() -> None:
    service_ = service(http(POD1, node_port=30080), addresses=CLUSTER[:1], external_local=True)
    away = replace(service_, ports=(replace(service_.ports[0], on_nodes={"node2": (POD1,)}),))
    found = balanced(away)
    assert [*vips(found.on_router)] == ["red_net_Service_a/web_TCP_node_router_node1"]
    assert vips(found.on_switch)["red_net_Service_a/web_TCP_node_switch_node1"]["169.254.0.3:30080"] == ""


def test_without_ports_or_addresses_there_is_nothing() -> None:
    assert balanced(service()) == LoadBalancers()
    assert balanced(service(http(POD1), addresses=())) == LoadBalancers()
