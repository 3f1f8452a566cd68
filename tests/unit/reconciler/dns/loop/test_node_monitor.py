"""What a node's files become while the load balancer, its names, DNS servers and nodes change."""

import json
import logging
from dataclasses import replace
from ipaddress import ip_address

import pytest

from ovnguard.reconciler.dns.loop.dns_metrics import DnsMetrics
from ovnguard.reconciler.dns.loop.dns_resources import DNS_RESOURCES
from ovnguard.reconciler.dns.loop.node_monitor import MonitorParts, NodeMonitor, PodPlace
from ovnguard.reconciler.dns.plan.corefile import addresses_in
from ovnguard.reconciler.dns.plan.upstreams import Upstream
from ovnguard.reconciler.loop.process.metrics import Metrics
from ovnguard.validators.cluster.resources import NODES
from tests.support.dns.fakes import World as Surroundings
from tests.support.dns.objects import DOMAIN, controller, dns, hosted, infrastructure, node, service

LB, OTHER = "lb.example.net", "lb2.example.net"
UPSTREAM = Upstream(ip_address("10.0.0.2"))
WHOLE = (infrastructure(), dns(), controller(), node(), service({"hostname": LB}))


class World(Surroundings):
    def __init__(self, folder, *objects, **parts) -> None:
        super().__init__(*objects)
        self.folder, self.path = folder, folder / "etc" / "Corefile"
        self.upstreams: tuple[Upstream, ...] = (UPSTREAM,)
        self.metrics = Metrics()
        own = MonitorParts(
            self.cluster,
            self.names,
            lambda: self.upstreams,
            self.reporter,
            self.path,
            metrics=DnsMetrics(self.metrics.registry),
            clock=lambda: self.now,
        )
        self.parts = replace(own, **parts)
        self.monitor = NodeMonitor(self.parts)

    def tick(self, later: float = 30.0) -> tuple[str, ...]:
        self.now += later
        return self.monitor.tick()

    @property
    def addresses(self) -> tuple[str, ...]:
        """What *.apps leads to."""
        return addresses_in(self.path.read_text(), DOMAIN)["*.apps"] if self.path.exists() else ()

    def metric(self, name: str) -> float:
        lines = dict(line.rsplit(" ", 1) for line in self.metrics.exposition()[1].decode().splitlines())
        return float(lines[f"ovnk_reconcile_dns_{name}"])


@pytest.fixture
def world(tmp_path):
    found = World(tmp_path, *WHOLE)
    found.answers[LB] = ["10.0.0.5"]
    return found


def test_host_name_of_the_service_is_resolved(world):
    assert world.tick() == ()
    assert world.addresses == ("10.0.0.5",)
    assert "forward . 10.0.0.2 {" in world.path.read_text()
    assert "10.0.1.1 worker-a worker-a.c1.example.com" in world.path.read_text()
    assert world.path.stat().st_mode & 0o777 == 0o644
    assert world.monitor.is_complete


def test_changed_address_is_written_once(world):
    world.tick()
    world.answers[LB] = ["10.0.0.6"]
    world.tick()
    assert world.addresses == ("10.0.0.6",)
    before = world.path.stat().st_ino
    world.tick()
    assert world.path.stat().st_ino == before
    assert world.metric('renders_total{result="written"}') == 2
    assert world.metric("last_change_timestamp_seconds") == 1060


def test_same_addresses_in_another_order_change_nothing(world):
    world.answers[LB] = ["10.0.0.5", "10.0.0.6", "2001:db8::5"]
    world.tick()
    before = world.path.stat().st_ino
    world.answers[LB] = ["2001:db8::5", "10.0.0.6", "10.0.0.5"]
    world.tick()
    assert world.path.stat().st_ino == before


def test_records_hold_for_their_ttl_within_bounds(world):
    world.tick()
    assert world.monitor.due() == 30.0
    world.tick(29.0)
    assert world.asked == [LB]
    world.tick(1.0)
    assert world.asked == [LB, LB]


@pytest.mark.parametrize("problem", ["NXDOMAIN", "127.0.0.1: SERVFAIL", "no answer within 5 s"])
def test_failed_lookup_keeps_the_last_addresses_and_is_reported_once(world, problem, caplog):
    caplog.set_level(logging.INFO)
    world.tick()
    world.answers[LB] = problem
    assert world.tick() == ()
    world.tick()
    assert world.addresses == ("10.0.0.5",)
    text = f"{LB}: {problem}; CoreDNS keeps the last addresses"
    assert world.cluster.events == [("Warning", "LoadBalancerProblem", text)]
    assert [record.getMessage() for record in caplog.records if record.levelname == "WARNING"] == [text]
    assert world.metric('lookups_total{result="failed"}') == 2
    assert world.metric("stale_age_seconds") > 0
    assert world.monitor.due() == 5.0
    world.answers[LB] = ["10.0.0.6"]
    world.tick(5.0)
    assert world.addresses == ("10.0.0.6",)
    assert world.cluster.events[1:] == [
        ("Normal", "LoadBalancerFollowed", "The load balancer of *.apps is followed again.")
    ]
    assert world.metric("stale_age_seconds") == 0


def test_every_new_problem_is_reported(world):
    world.tick()
    for problem in ("NXDOMAIN", "127.0.0.1: SERVFAIL"):
        world.answers[LB] = problem
        world.tick()
    assert [note for _, _, note in world.cluster.events] == [
        f"{LB}: NXDOMAIN; CoreDNS keeps the last addresses",
        f"{LB}: 127.0.0.1: SERVFAIL; CoreDNS keeps the last addresses",
    ]


def test_failed_lookup_after_a_restart_keeps_what_the_file_has(world, tmp_path):
    world.tick()
    again = World(tmp_path, *WHOLE)
    again.cluster.put(node("worker-b", "10.0.1.2"))
    assert again.tick() == ()
    assert again.addresses == ("10.0.0.5",)
    assert "worker-b" in again.path.read_text()


def test_family_that_cannot_be_asked_keeps_its_addresses(world, tmp_path):
    world.answers[LB] = ["10.0.0.5", "2001:db8::5"]
    world.tick()
    again = World(tmp_path, *WHOLE)
    again.answers[LB] = {4: ["10.0.0.6"], 6: "127.0.0.1: SERVFAIL"}
    again.tick()
    assert again.addresses == ("10.0.0.6", "2001:db8::5")
    again.answers[LB] = {4: ["10.0.0.6"], 6: []}
    again.tick()
    assert again.addresses == ("10.0.0.6",)


@pytest.mark.parametrize(
    ("found", "expected"),
    [(["2001:db8::5"], ("2001:db8::5",)), (["10.0.0.5", "2001:db8::5"], ("10.0.0.5", "2001:db8::5"))],
)
def test_other_families(world, found, expected):
    world.answers[LB] = found
    world.tick()
    assert world.addresses == expected


def test_name_that_does_not_resolve_yet_changes_nothing(world):
    world.answers.clear()
    assert world.tick() == ()
    assert not world.path.exists()
    assert not world.monitor.is_complete
    assert world.cluster.events == [("Warning", "LoadBalancerProblem", f"{LB}: NXDOMAIN")]


def test_thousand_addresses_are_limited_and_both_families_stay(world):
    world.answers[LB] = [f"10.1.{index // 250}.{index % 250 + 1}" for index in range(1000)] + ["2001:db8::5"]
    world.tick()
    assert world.addresses == (*(f"10.1.0.{index}" for index in range(1, 16)), "2001:db8::5")


@pytest.mark.parametrize("platform", ["Azure", "GCP"])
def test_addresses_in_the_status_are_not_looked_up(tmp_path, platform):
    objects = (infrastructure(platform, hosted(["10.0.0.5"])), *WHOLE[1:4], service({"ip": "10.9.9.9"}))
    world = World(tmp_path, *objects)
    assert world.tick() == ()
    assert (world.addresses, world.asked) == (("10.0.0.5",), [])


def test_service_of_another_controller_is_ignored(world):
    world.answers[OTHER] = ["10.0.0.66"]
    world.cluster.put(service({"hostname": OTHER}, name="router-shard"))
    world.tick()
    assert (world.addresses, world.asked) == (("10.0.0.5",), [LB])


@pytest.mark.parametrize("way", ["status", "finalizing", "deleted"])
def test_vanished_load_balancer_is_not_followed_and_its_addresses_stay(world, way):
    world.tick()
    gone = service() if way == "status" else service({"hostname": LB})
    gone["metadata"] |= {"deletionTimestamp": "2026-01-01T00:00:00Z"} if way == "finalizing" else {}
    if way == "deleted":
        world.cluster.remove(gone)
    else:
        world.cluster.put(gone)
    assert world.tick() == ()
    assert (world.addresses, world.asked, world.monitor.due()) == (("10.0.0.5",), [LB], None)
    absence = "has no usable load balancer" if way == "status" else "does not exist"
    text = f"Service openshift-ingress/router-default: {absence}; CoreDNS keeps the last addresses"
    assert world.cluster.events == [("Warning", "LoadBalancerProblem", text)]


def test_loop_of_the_load_balancers_name_is_refused(world):
    name = f"router.apps.{DOMAIN}"
    world.cluster.put(service({"hostname": name}))
    assert world.tick() == ()
    assert (world.asked, world.path.exists()) == ([], False)
    ((_, _, note),) = world.cluster.events
    assert note == (
        "Service openshift-ingress/router-default: status.loadBalancer.ingress[0].hostname: "
        f"{name} is itself one of the names that lead to the load balancer"
    )


def test_changed_servers_and_nodes_are_written(world):
    world.tick()
    world.upstreams = (Upstream(ip_address("10.0.0.3")),)
    world.cluster.put(node("worker-b", "10.0.1.2"))
    world.tick(1.0)
    assert "forward . 10.0.0.3 {" in world.path.read_text()
    assert "10.0.1.2 worker-b" in world.path.read_text()
    assert world.asked == [LB]


def test_without_upstream_the_file_stays(world):
    world.tick()
    before = world.path.read_text()
    world.upstreams = ()
    assert world.tick() == ("resolv.conf: No upstream DNS servers found",)
    assert world.path.read_text() == before
    assert world.metric('renders_total{result="failed"}') == 1


def test_without_nodes_the_file_stays(world):
    world.tick()
    before = world.path.read_text()
    world.cluster.remove(node())
    assert world.tick() == ("no Node is listed: the configuration of CoreDNS stays as it is",)
    assert world.path.read_text() == before


def test_nothing_happens_before_everything_is_listed(world):
    world.cluster.waiting = ("services",)
    assert world.tick() == ()
    assert (world.asked, world.path.exists()) == ([], False)


@pytest.mark.parametrize(
    "choice", [{}, {"dnsConfig": {"provider": ""}}, {"cloudLoadBalancerConfig": {"dnsType": "PlatformDefault"}}]
)
def test_dns_of_the_platform_needs_nothing(tmp_path, choice):
    world = World(tmp_path, infrastructure(choice=choice), *WHOLE[1:])
    assert world.tick() == ()
    assert (world.asked, world.path.exists()) == ([], False)
    assert world.monitor.is_complete


def test_folder_that_cannot_be_written_is_a_failure_that_is_tried_again(world):
    world.path.parent.write_text("not a folder")
    assert world.tick() == (f"{world.path.parent}: File exists",)
    world.path.parent.unlink()
    assert world.tick() == ()
    assert world.addresses == ("10.0.0.5",)


def test_audit_writes_nothing_and_says_what_differs_once(tmp_path, caplog):
    caplog.set_level(logging.INFO)
    world = World(tmp_path, *WHOLE, audit=True, pod=PodPlace(tmp_path, "coredns:1", "ovnguard:1"))
    world.answers[LB] = ["10.0.0.5"]
    for _ in range(3):
        assert world.tick() == ()
    assert list(tmp_path.iterdir()) == []
    files = {
        "the configuration of CoreDNS": world.path,
        "the static pod of CoreDNS": tmp_path / "manifests/coredns.yaml",
    }
    texts = [f"{path}: audit, not written: {what} differs" for what, path in files.items()]
    assert [record.getMessage() for record in caplog.records] == texts


def test_released_api_serves_what_the_infrastructure_lists(tmp_path):
    world = World(tmp_path, infrastructure(choice=hosted(["10.0.0.6", "10.0.0.5", "2001:db8::5"])), *WHOLE[1:])
    world.tick()
    assert addresses_in(world.path.read_text(), DOMAIN) == {
        "*.apps": ("10.0.0.6", "2001:db8::5"),
        "api": ("10.0.0.7",),
        "api-int": ("10.0.0.8",),
    }
    assert world.asked == []
    world.cluster.put(infrastructure(choice=hosted([], api_int=[])))
    world.tick()
    assert addresses_in(world.path.read_text(), DOMAIN) == {
        "*.apps": ("10.0.0.6", "2001:db8::5"),
        "api": ("10.0.0.7",),
        "api-int": ("10.0.0.8",),
    }


def test_pod_is_enabled_once_there_is_an_address(tmp_path):
    world = World(tmp_path, *WHOLE, pod=PodPlace(tmp_path, "coredns:1", "ovnguard:1"))
    enabled, disabled = (tmp_path / folder / "coredns.yaml" for folder in ("manifests", "disabled-manifests"))
    world.tick()
    assert (enabled.exists(), disabled.exists()) == (False, True)
    world.answers[LB] = ["10.0.0.5"]
    world.tick()
    assert (enabled.exists(), disabled.exists()) == (True, False)
    assert [each["image"] for each in json.loads(enabled.read_text())["spec"]["containers"]] == [
        "coredns:1",
        "ovnguard:1",
    ]
    world.answers.clear()
    world.tick()
    assert (enabled.exists(), disabled.exists()) == (True, False)


def test_pod_is_not_enabled_before_its_configuration_is_there(tmp_path):
    world = World(tmp_path, *WHOLE, pod=PodPlace(tmp_path, "coredns:1", "ovnguard:1"))
    world.answers[LB], world.upstreams = ["10.0.0.5"], ()
    assert world.tick() == ("resolv.conf: No upstream DNS servers found",)
    assert not (tmp_path / "manifests").exists()


def test_pod_alone_needs_no_servers(tmp_path):
    world = World(tmp_path, *WHOLE, corefile=None, pod=PodPlace(tmp_path, "coredns:1", "ovnguard:1"))
    world.answers[LB], world.upstreams = ["10.0.0.5"], ()
    assert world.tick() == ()
    assert (tmp_path / "manifests" / "coredns.yaml").exists()
    assert world.monitor.is_complete


def test_other_answers_of_coredns_are_measured(tmp_path):
    served = {"10.0.0.4"}
    world = World(tmp_path, *WHOLE, served=lambda domain: frozenset(served) if domain == DOMAIN else frozenset())
    world.answers[LB] = ["10.0.0.5"]
    world.tick()
    assert world.metric("served_mismatch") == 1
    served |= {"10.0.0.5"}
    served -= {"10.0.0.4"}
    world.tick()
    assert world.metric("served_mismatch") == 0
    assert (world.metric('addresses{family="IPv4"}'), world.metric('addresses{family="IPv6"}')) == (1, 0)


def test_heartbeat_of_a_node_is_no_change():
    (part,) = [part for resource, part in DNS_RESOURCES if resource is NODES]
    first, other = node(), node()
    other["metadata"]["resourceVersion"] = "2"
    other["status"]["conditions"] = [{"type": "Ready", "lastHeartbeatTime": "2026-01-01T00:00:00Z"}]
    assert part.trim(first) == part.trim(other) == first
