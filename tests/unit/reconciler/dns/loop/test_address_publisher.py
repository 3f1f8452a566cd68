"""What the leader records in the Infrastructure of the released API, and when it does not."""

import logging
from datetime import UTC, datetime

import pytest

from ovnguard.reconciler.apply.kube import Recorder
from ovnguard.reconciler.dns.loop.address_publisher import AddressPublisher, PublisherParts
from ovnguard.reconciler.dns.loop.dns_resources import INFRASTRUCTURES
from ovnguard.validators.cluster.client_protocol import ApiStatusError
from tests.support.dns.fakes import World as Surroundings
from tests.support.dns.objects import controller, dns, hosted, infrastructure, node, service

LB = "lb.example.net"


class World(Surroundings):
    def __init__(self, *objects, audit=False) -> None:
        super().__init__(*objects, dns(), controller(), node())
        self.leads = True
        recorder = None if audit else Recorder(self.cluster, (INFRASTRUCTURES,), lambda: datetime.now(UTC))
        parts = PublisherParts(self.cluster, self.names, self.reporter, recorder, lambda: self.leads)
        self.publisher = AddressPublisher(parts)

    def tick(self):
        self.now += 30
        return self.publisher.tick()

    @property
    def recorded(self):
        return [
            block["cloudLoadBalancerConfig"]["clusterHosted"]["ingressLoadBalancerIPs"]
            for patch in self.cluster.patches
            for block in patch["platformStatus"].values()
        ]


@pytest.fixture
def aws():
    found = World(infrastructure(choice=hosted()), service({"hostname": LB}))
    found.answers[LB] = ["2001:db8::5", "10.0.0.10", "10.0.0.9"]
    return found


def test_resolved_addresses_are_recorded_in_order(aws):
    assert aws.tick() == ()
    assert aws.recorded == [["10.0.0.9", "10.0.0.10", "2001:db8::5"]]


@pytest.mark.parametrize(
    "recorded", [["10.0.0.10", "2001:db8::5", "10.0.0.9"], ["10.0.0.9", "10.0.0.10", "2001:db8:0::5"]]
)
def test_same_set_in_another_order_or_spelling_is_not_written(aws, recorded):
    aws.cluster.put(infrastructure(choice=hosted(recorded)))
    assert aws.tick() == ()
    assert aws.recorded == []


@pytest.mark.parametrize("platform", ["Azure", "GCP"])
def test_addresses_in_the_status_are_recorded_without_a_lookup(platform):
    world = World(infrastructure(platform, hosted(["10.0.0.1"])), service({"ip": "10.0.0.5"}))
    assert world.tick() == ()
    assert (world.recorded, world.asked) == ([["10.0.0.5"]], [])


def test_failed_lookup_keeps_what_is_recorded(aws):
    aws.cluster.put(infrastructure(choice=hosted(["10.0.0.1"])))
    aws.answers[LB] = {4: ["10.0.0.5"], 6: "127.0.0.1: SERVFAIL"}
    assert aws.tick() == ()
    assert aws.recorded == []
    text = f"{LB} AAAA: 127.0.0.1: SERVFAIL; the Infrastructure keeps the recorded addresses"
    assert aws.cluster.events == [("Warning", "LoadBalancerProblem", text)]


def test_service_without_load_balancer_is_no_error():
    world = World(infrastructure(choice=hosted()), service())
    assert world.tick() == ()
    assert (world.recorded, world.cluster.events) == ([], [])


def test_only_the_leader_records_and_looks_up(aws):
    aws.leads = False
    assert aws.tick() == ()
    assert (aws.recorded, aws.asked) == ([], [])


def test_proposed_api_has_no_place_for_addresses():
    world = World(infrastructure(), service({"hostname": LB}))
    assert world.tick() == ()
    assert (world.recorded, world.asked) == ([], [])


def test_infrastructure_without_platform(aws):
    broken = infrastructure(choice=hosted())
    del broken["status"]["platformStatus"]["type"]
    del broken["spec"]["platformSpec"]["type"]
    aws.cluster.put(broken)
    assert aws.tick() == ("invalid PlatformStatus within Infrastructure config",)


def test_write_of_another_is_read_again(aws):
    aws.cluster.failure = ApiStatusError(409, "Conflict", "modified")
    (failure,) = aws.tick()
    assert failure.endswith("10.0.0.9, 10.0.0.10, 2001:db8::5: not recorded: the object changed in the meantime")
    aws.cluster.failure = ApiStatusError(403, "Forbidden", "no")
    (failure,) = aws.tick()
    assert failure.endswith("cannot be recorded: 403 Forbidden: no")
    aws.cluster.failure = None
    assert aws.tick() == ()
    assert len(aws.recorded) == 1


def test_audit_records_nothing_and_says_so_once(caplog):
    caplog.set_level(logging.INFO)
    world = World(infrastructure(choice=hosted()), service({"hostname": LB}), audit=True)
    world.answers[LB] = ["10.0.0.5"]
    for _ in range(2):
        assert world.tick() == ()
    field = "status.platformStatus.aws.cloudLoadBalancerConfig.clusterHosted.ingressLoadBalancerIPs"
    text = f"Infrastructure cluster: {field}: 10.0.0.5: audit, not recorded"
    assert [record.getMessage() for record in caplog.records] == [text]
    assert world.recorded == []
