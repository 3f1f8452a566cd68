from typing import Any

import pytest

from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster.platform import (
    DNSChoice,
    Platform,
    install_platform,
    known_platform,
    platform,
    platform_of,
)
from ovnguard.validators.network.cluster_view import EmptyView, ObjectsView


def infrastructure(**status: Any) -> dict[str, Any]:
    return {
        "apiVersion": "config.openshift.io/v1",
        "kind": "Infrastructure",
        "metadata": {"name": "cluster"},
        "spec": {"platformSpec": {"type": "AWS"}},
        "status": status,
    }


def test_an_infrastructure_is_read() -> None:
    provider = {"type": "AWS", "aws": {"dnsConfig": {"provider": "UserAndClusterProvided"}}}
    read = platform_of(
        infrastructure(
            platformStatus=provider, controlPlaneTopology="SingleReplica", infrastructureTopology="HighlyAvailable"
        )
    )
    choice = DNSChoice(("aws", "dnsConfig", "provider"), "UserAndClusterProvided")
    assert read == Platform("AWS", "SingleReplica", "HighlyAvailable", (choice,))
    assert (read.custom_dns, read.is_cloud) == (choice, True)
    assert choice.field == "status.platformStatus.aws.dnsConfig.provider"


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ({"platformStatus": {"type": "BareMetal"}, "platform": "None"}, "BareMetal"),
        ({"platform": "None"}, "None"),
        ({}, "AWS"),
    ],
)
def test_the_status_names_the_platform_before_the_spec(status: dict[str, Any], expected: str) -> None:
    assert platform_of(infrastructure(**status)).type == expected


@pytest.mark.parametrize("key", ["aws", "azure", "gcp"])
@pytest.mark.parametrize(("value", "custom"), [("ClusterHosted", True), ("PlatformDefault", False)])
def test_the_released_choice_is_in_the_status_of_each_cloud(key: str, value: str, custom: bool) -> None:
    read = platform_of(infrastructure(platformStatus={key: {"cloudLoadBalancerConfig": {"dnsType": value}}}))
    assert read.choices == (DNSChoice((key, "cloudLoadBalancerConfig", "dnsType"), value),)
    assert (read.custom_dns is not None) is custom


def test_an_empty_provider_is_no_choice() -> None:
    read = platform_of(infrastructure(platformStatus={"type": "AWS", "aws": {"dnsConfig": {"provider": ""}}}))
    assert (read.choices, read.custom_dns) == ((), None)


@pytest.mark.parametrize("broken", [None, [], "x", {"status": []}, {"spec": {"platformSpec": 1}}])
def test_an_invalid_infrastructure_has_no_facts(broken: object) -> None:
    assert platform_of(broken) == Platform()


def test_the_platform_is_known_where_infrastructures_agree() -> None:
    aws, bare = infrastructure(), infrastructure(platformStatus={"type": "BareMetal"})
    assert platform(inventory_of(EmptyView())) is None
    agreeing, disagreeing = ObjectsView([aws, aws]), ObjectsView([aws, bare])
    assert platform(inventory_of(agreeing)) == Platform("AWS")
    assert known_platform(inventory_of(agreeing)) == "AWS"
    assert platform(inventory_of(disagreeing)) is None
    assert known_platform(inventory_of(disagreeing)) == ""


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"platform": {"aws": {}}}, "aws"),
        ({"platform": {"aws": {}, "gcp": None}}, "aws"),
        ({"platform": {"aws": {}, "gcp": {}}}, ""),
        ({"platform": "aws"}, ""),
        ({}, ""),
    ],
)
def test_the_platform_of_an_install_config(config: dict[str, Any], expected: str) -> None:
    assert install_platform(config) == expected
