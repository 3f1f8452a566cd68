"""Uplinks and their states, as the API server has them and as anyone may write them."""

from ipaddress import ip_address, ip_interface
from typing import Any

import pytest

from ovnguard.reconciler.plan.inputs.uplink_objects import Uplinks, uplinks_of
from ovnguard.reconciler.plan.rows.model import UplinkState
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster_view import ObjectsView
from tests.support.manifests.uplink_manifests import uplink, uplink_state

NODE1 = UplinkState(
    "blue", "node1", "br-blue", "02:42:ac:13:00:02", (ip_interface("172.19.0.2/16"),), (ip_address("172.19.0.1"),)
)


def found(*objects: JsonObject) -> Uplinks:
    return uplinks_of(ObjectsView(objects))


def renamed(obj: JsonObject, name: str) -> JsonObject:
    return {**obj, "metadata": {"name": name}}


def test_a_resolved_state_of_a_known_uplink_is_a_gateway() -> None:
    assert found(uplink(), uplink_state("node1", 2)) == Uplinks((NODE1,))
    deleting = {**uplink(), "metadata": {"name": "blue", "deletionTimestamp": "2026-01-01T00:00:00Z"}}
    assert found(deleting, uplink_state("node1", 2)).states == (NODE1,)


@pytest.mark.parametrize(
    "objects",
    [
        (uplink_state("node1", 2),),
        (uplink(),),
        (uplink(), uplink_state("node1", 2, resolved="False")),
        (uplink(), uplink_state("node1", 2, conditions=None)),
        (uplink(), renamed(uplink_state("node1", 2), "blue.node2")),
        (uplink(), {**uplink_state("node1", 2), "spec": {"uplinkName": "blue"}}),
        (uplink(), {**uplink_state("node1", 2), "spec": None, "status": None}),
    ],
)
def test_uplinks_in_any_other_state_do_not_count(objects: tuple[JsonObject, ...]) -> None:
    assert found(*objects) == Uplinks()


@pytest.mark.parametrize(
    ("status", "fault"),
    [
        ({"macAddress": "02:42"}, "macAddress must be six octets, such as 0a:58:0a:00:00:01"),
        ({"macAddress": None}, "macAddress must be six octets, such as 0a:58:0a:00:00:01"),
        ({"ovsBridge": {"name": "br blue"}}, "must be the name of a bridge"),
        ({"ovsBridge": None}, "must be the name of a bridge"),
        ({"ipAddresses": []}, "ipAddresses must not be empty"),
        ({"ipAddresses": ["172.19.0.2"]}, "must hold addresses with prefix length, such as 192.0.2.3/24"),
        ({"ipAddresses": "172.19.0.2/16"}, "ipAddresses must be a list of at most 2"),
        ({"defaultGateways": ["172.19.0.1"] * 3}, "defaultGateways must be a list of at most 2"),
        ({"defaultGateways": [1]}, "must be an IP address"),
    ],
)
def test_what_cannot_be_read_is_reported(status: dict[str, Any], fault: str) -> None:
    uplinks = found(uplink(), uplink_state("node1", 2, **status), uplink_state("node2", 3))
    assert [str(note) for note in uplinks.notes] == [f"node node1: UplinkState blue.node1: {fault}"]
    assert [state.node for state in uplinks.states] == ["node2"]
    assert uplinks.unreadable == {("blue", "node1")}
