"""One day of a cluster, from the installation to the last deletion. Each test is a step and continues the former."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support.deployed.own_cluster import day_steps as steps
from tests.support.deployed.own_cluster.cluster import OwnCluster
from tests.support.deployed.own_cluster.day import Day
from tests.support.soak import limit
from tests.testbed.fixtures import need
from tests.testbed.parts import Parts

pytestmark = limit(600)


@pytest.fixture(scope="module")
def whole_day(parts: Parts, netns_allowed: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Day]:
    need(parts, "ovn", "tools", "frr", "etcd", "kube-apiserver", "kube-controller-manager", "kwok")
    with OwnCluster(parts, steps.MACHINES, tmp_path_factory.mktemp("day")) as cluster:
        yield Day(cluster)


@pytest.fixture
def day(whole_day: Day, record_property: Callable[[str, Any], None]) -> Iterator[Day]:
    if whole_day.failed:
        pytest.fail(f"not begun: the step '{whole_day.failed}' failed", pytrace=False)
    before = len(whole_day.lines)
    yield whole_day
    for line in whole_day.lines[before:]:
        record_property("shown", str(line))


def test_installation(day: Day) -> None:
    with day.step("installation", **steps.STARTING) as cluster:
        steps.install(cluster)


def test_networks_of_every_kind(day: Day) -> None:
    with day.step("networks of every kind", **steps.DECLARING) as cluster:
        steps.declare_networks(cluster)


def test_pods_and_services(day: Day) -> None:
    with day.step("pods and services") as cluster:
        steps.run_pods(cluster)


def test_a_node_joins_is_drained_deleted_and_returns(day: Day) -> None:
    with day.step("a node joins", **steps.STARTING) as cluster:
        steps.node_joins(cluster)
    with day.step("the node is drained, deleted") as cluster:
        steps.node_leaves(cluster)
    with day.step("the node returns", **steps.STARTING) as cluster:
        steps.node_joins(cluster)


def test_the_leader_and_a_zone_are_killed(day: Day) -> None:
    with day.step("leader and zone killed") as cluster:
        steps.kill_leader_and_zone(cluster)


def test_the_webhook_is_upgraded_and_its_certificate_rotated(day: Day) -> None:
    with day.step("webhook upgraded, rotated") as cluster:
        steps.upgrade_webhook(cluster)
        steps.rotate_certificate(cluster)


def test_a_northbound_database_restarts(day: Day) -> None:
    with day.step("Northbound database restarts") as cluster:
        steps.restart_database(cluster)


def test_the_api_server_restarts(day: Day) -> None:
    with day.step("API server restarts") as cluster:
        steps.restart_api_server(cluster)


def test_a_network_is_deleted_and_made_again(day: Day) -> None:
    with day.step("network deleted, made again", **steps.DECLARING) as cluster:
        steps.replace_network(cluster)


def test_dynamic_allocation_is_switched_on_and_off(day: Day) -> None:
    with day.step("dynamic allocation on") as cluster:
        steps.allocate_dynamically(cluster)
    with day.step("dynamic allocation off", **steps.SWITCHING) as cluster:
        steps.allocate_everywhere(cluster)


def test_everything_is_removed(day: Day) -> None:
    with day.step("everything removed") as cluster:
        steps.remove_everything(cluster)
