"""What `run` follows beside networks and nodes: EgressIPs with the pods that they serve, and services' servers."""

import json
from typing import Any

from tests.support.deployed import running
from tests.support.deployed.running import EGRESS_IPS, MERGE, NAMESPACES, NODE, TEST, Zone, cudn
from tests.support.service_objects import HTTP, service
from tests.support.service_objects import endpoint_slice as endpoint_slice_of

api, zone = running.api, running.zone
SLICES = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
OWNED = "external_ids:k8s.ovn.org/owner=default/kubernetes"


def namespace(name: str) -> dict[str, Any]:
    labels = {"t": "blue", TEST: name, "k8s.ovn.org/primary-user-defined-network": ""}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def pod(name: str, address: str) -> dict[str, Any]:
    last = int(address.rpartition(".")[2])
    entry = {"ip_addresses": [f"{address}/16"], "mac_address": f"0a:58:0a:14:00:{last:02x}", "role": "primary"}
    annotations = {"k8s.ovn.org/pod-networks": json.dumps({"x/blue": entry | {"tunnel_id": 100 + last}})}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": name}, "annotations": annotations},
        "spec": {"nodeName": NODE, "containers": [{"name": "c", "image": "example.invalid/none"}]},
    }


def egress_ip(namespace: str, **hops: str) -> dict[str, Any]:
    items = [{"node": node.replace("_", "-"), "egressIP": address} for node, address in hops.items()]
    return {
        "apiVersion": "k8s.ovn.org/v1",
        "kind": "EgressIP",
        "metadata": {"name": "out", "annotations": {"k8s.ovn.org/egressip-mark": "50000"}},
        "spec": {"egressIPs": ["172.18.0.100"], "namespaceSelector": {"matchLabels": {TEST: namespace}}},
        "status": {"items": items},
    }


class Served(Zone):
    """A zone with network blue, and a namespace of it that is only one test's."""

    def __init__(self, zone: Zone, name: str) -> None:
        super().__init__(zone.api, zone.ovn, zone.folder)
        self.name = name
        self.pods = f"{NAMESPACES}/{name}/pods"
        self.create(namespace(name), NAMESPACES)
        self.create(cudn("blue", "10.20.0.0/16"))
        self.start()
        zone.process = self.process

    def run_pod(self, name: str, address: str) -> None:
        self.create(pod(name, address), self.pods)
        self.set_phase(name, "Running")

    def set_phase(self, name: str, phase: str, **status: Any) -> None:
        change = {"status": {"phase": phase, **status}}
        assert self.api.request("PATCH", f"{self.pods}/{name}/status", change, MERGE)[0] == 200

    def rerouted(self) -> dict[str, set[str]]:
        """Next hops of the policies that send pods out, by their match."""
        if not self.has_router("cluster_udn_blue"):
            return {}
        text = self.ovn.nbctl(
            "--format=json", "--columns=match,nexthops", "find", "logical_router_policy", "priority=100"
        )
        return {match: set(hops[1]) if isinstance(hops, list) else {hops} for match, hops in json.loads(text)["data"]}

    def until_rerouted(self, **hops: set[str]) -> None:
        wanted = {f"ip4.src == 10.20.0.{key[1:]}": each for key, each in hops.items()}
        self.until(lambda: self.has_router("cluster_udn_blue") and self.rerouted() == wanted, f"routes {wanted}")


def test_an_egress_ip_comes_changes_and_goes(zone: Zone) -> None:
    served = Served(zone, "egress-comes")
    served.run_pod("web", "10.20.0.5")
    served.until_rerouted()
    served.create(egress_ip(served.name, worker_a="172.18.0.100", worker_b="172.18.0.101"), EGRESS_IPS)
    served.until_rerouted(a5={"100.88.0.5", "100.88.0.7"})
    served.ovn.wait_sb()

    served.run_pod("more", "10.20.0.6")
    served.until_rerouted(a5={"100.88.0.5", "100.88.0.7"}, a6={"100.88.0.5", "100.88.0.7"})
    change = {"status": {"items": [{"node": "worker-b", "egressIP": "172.18.0.101"}]}}
    assert served.api.request("PATCH", f"{EGRESS_IPS}/out", change, MERGE)[0] == 200
    served.until_rerouted(a5={"100.88.0.7"}, a6={"100.88.0.7"})

    served.set_phase("more", "Succeeded")
    served.until_rerouted(a5={"100.88.0.7"})
    served.delete("out", EGRESS_IPS)
    served.until_rerouted()


def test_a_namespace_that_is_no_longer_selected_leaves_as_all_others(zone: Zone) -> None:
    served = Served(zone, "egress-label")
    served.run_pod("web", "10.20.0.5")
    served.create(egress_ip(served.name, worker_a="172.18.0.100"), EGRESS_IPS)
    served.until_rerouted(a5={"100.88.0.5"})
    change = {"metadata": {"labels": {TEST: "no-more"}}}
    assert served.api.request("PATCH", f"{NAMESPACES}/egress-label", change, MERGE)[0] == 200
    served.until_rerouted()


def test_heartbeats_of_pods_write_nothing(zone: Zone) -> None:
    served = Served(zone, "egress-heartbeat")
    served.run_pod("web", "10.20.0.5")
    served.create(egress_ip(served.name, worker_a="172.18.0.100"), EGRESS_IPS)
    served.until_rerouted(a5={"100.88.0.5"})
    served.until(lambda: any("condition" in line for line in served.log_lines()), "the condition")
    served.create(cudn("red", "10.30.0.0/16"))
    served.until(lambda: any("red: condition" in line for line in served.log_lines()), "the last network's condition")

    def writes() -> list[str]:
        return [line for line in served.log_lines() if "inserted" in line]

    before = writes()
    for number in range(10):
        ready = {"type": "Ready", "status": "True", "lastProbeTime": f"2026-01-01T00:00:{number:02d}Z"}
        served.set_phase("web", "Running", conditions=[ready])
    served.run_pod("web2", "10.20.0.6")
    served.until_rerouted(a5={"100.88.0.5"}, a6={"100.88.0.5"})
    assert len(writes()) == len(before) + 1


def test_ports_of_pods_come_and_go(zone: Zone) -> None:
    served = Served(zone, "pods-come")

    def keys() -> dict[str, str]:
        text = served.ovn.nbctl(
            "--format=json", "--columns=name,options", "find", "logical_switch_port", "external_ids:pod=true"
        )
        return {name: dict(options[1])["requested-tnl-key"] for name, options in json.loads(text)["data"]}

    served.run_pod("web", "10.20.0.5")
    served.until(lambda: keys() == {"x.blue_pods-come_web": "105"}, "the port")
    served.ovn.wait_sb()
    bound = served.ovn.sbctl(
        "--bare", "--columns=tunnel_key", "find", "port_binding", "logical_port=x.blue_pods-come_web"
    )
    assert bound.strip() == "105"
    served.run_pod("more", "10.20.0.6")
    served.until(lambda: keys() == {"x.blue_pods-come_web": "105", "x.blue_pods-come_more": "106"}, "both ports")
    served.set_phase("web", "Failed")
    served.until(lambda: keys() == {"x.blue_pods-come_more": "106"}, "the port gone")
    assert served.api.request("DELETE", f"{served.pods}/more?gracePeriodSeconds=0")[0] == 200
    served.until(lambda: keys() == {}, "all ports gone")


def endpoint_slice(*addresses: str) -> dict[str, Any]:
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": "kubernetes", "labels": {"kubernetes.io/service-name": "kubernetes"}},
        "addressType": "IPv4",
        "ports": [{"name": "https", "protocol": "TCP", "port": 6443}],
        "endpoints": [{"addresses": [address]} for address in addresses],
    }


def test_load_balancers_follow_the_servers_of_a_service(zone: Zone) -> None:
    def vips() -> dict[str, str]:
        text = zone.ovn.nbctl("--format=json", "--columns=vips", "find", "load_balancer", OWNED)
        return {key: value for (column,) in json.loads(text)["data"] for key, value in column[1]}

    zone.create(endpoint_slice("192.0.2.1"), SLICES)
    try:
        zone.start()
        zone.until(lambda: vips() == {"10.96.0.1:443": "192.0.2.1:6443"}, "the first server")
        change = {"endpoints": [{"addresses": ["192.0.2.1"]}, {"addresses": ["192.0.2.2"]}]}
        assert zone.api.request("PATCH", f"{SLICES}/kubernetes", change, MERGE)[0] == 200
        zone.until(lambda: vips() == {"10.96.0.1:443": "192.0.2.1:6443,192.0.2.2:6443"}, "both servers")
    finally:
        zone.delete("kubernetes", SLICES)
    zone.until(lambda: vips() == {"10.96.0.1:443": ""}, "no servers")


def test_a_service_of_a_network_comes_and_goes(zone: Zone) -> None:
    served = Served(zone, "services-come")
    services, slices = (
        f"{root}/{served.name}/{kind}"
        for root, kind in ((NAMESPACES, "services"), ("/apis/discovery.k8s.io/v1/namespaces", "endpointslices"))
    )
    web = service("x/web", HTTP | {"targetPort": 8080})
    del web["metadata"]["namespace"], web["spec"]["clusterIP"], web["spec"]["clusterIPs"]
    served.create(web, services)
    address = served.api.request("GET", f"{services}/web")[1]["spec"]["clusterIP"]
    mirrored = endpoint_slice_of("x/web", "10.20.0.5@worker-a", network="cluster_udn_blue")
    del mirrored["metadata"]["namespace"]
    mirrored["metadata"]["name"] = "web-mirrored"

    def balanced() -> dict[str, str]:
        owned = f"external_ids:k8s.ovn.org/owner={served.name}/web"
        text = served.ovn.nbctl("--format=json", "--columns=name,vips", "find", "load_balancer", owned)
        return {f"{name} {vip}": each for name, column in json.loads(text)["data"] for vip, each in column[1]}

    row = f"cluster_udn_blue_Service_{served.name}/web_TCP_cluster {address}:80"
    served.until(lambda: balanced() == {row: ""}, "a service without servers")
    served.create(mirrored, slices)
    served.until(lambda: balanced() == {row: "10.20.0.5:8080"}, "its server")
    served.delete("web-mirrored", slices)
    served.delete("web", services)
    served.until(lambda: balanced() == {}, "no service")
