from datetime import UTC, datetime

import pytest

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster_view import ObjectsView
from ovnguard.validators.network.ovnkube_settings.dynamic_allocation import GRACE_PERIOD, grace_period, selected_since


def daemon_set(*args: str, namespace: str = "ovn-kubernetes") -> JsonObject:
    containers = [{"name": "ovnkube-controller", "command": ["ovnkube", *args]}]
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "ovnkube-node", "namespace": namespace},
        "spec": {"template": {"spec": {"containers": containers}}},
    }


@pytest.mark.parametrize(
    ("objects", "seconds"),
    [
        ((), GRACE_PERIOD),
        ((daemon_set("--enable-dynamic-udn-allocation"),), GRACE_PERIOD),
        ((daemon_set("--udn-deletion-grace-period=1m30s"),), 90.0),
        ((daemon_set("--udn-deletion-grace-period=0s"),), 0.0),
        ((daemon_set("--udn-deletion-grace-period=5s", "--udn-deletion-grace-period=soon"),), GRACE_PERIOD),
        ((daemon_set("--udn-deletion-grace-period=5s", namespace="other"),), GRACE_PERIOD),
    ],
)
def test_the_longest_known_grace_period_counts(objects: tuple[JsonObject, ...], seconds: float) -> None:
    assert grace_period(inventory_of(ObjectsView(objects))) == seconds


def network(**condition: object) -> JsonObject:
    return {"status": {"conditions": [{"type": "Other"}, {"type": "NodesSelected", **condition}]}}


@pytest.mark.parametrize(
    ("obj", "moment"),
    [
        (network(reason="DynamicAllocation", lastTransitionTime="2026-11-22T12:40:56Z"), (12, 40, 56)),
        (network(reason="DynamicAllocation", lastTransitionTime="2026-11-22T12:40:56"), (12, 40, 56)),
        (network(reason="DynamicAllocation", lastTransitionTime="yesterday"), None),
        (network(reason="DynamicAllocation", lastTransitionTime=5), None),
        (network(reason="Mine", lastTransitionTime="2026-11-22T12:40:56Z"), None),
        (network(reason="DynamicAllocation"), None),
        ({}, None),
    ],
)
def test_a_condition_says_when_the_nodes_changed(obj: JsonObject, moment: tuple[int, int, int] | None) -> None:
    assert selected_since(obj) == (None if moment is None else datetime(2026, 11, 22, *moment, tzinfo=UTC))
