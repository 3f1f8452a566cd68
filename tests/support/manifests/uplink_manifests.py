"""Uplinks, and their states on nodes as ovnkube-node writes them."""

from typing import Any

from ovnguard.validators.base.json_types import JsonObject


def uplink(name: str = "blue") -> JsonObject:
    config = {"hostInterfaceName": "br-blue", "nodeSelector": {}, "type": "OVSBridge"}
    metadata = {"name": name}
    return {
        "apiVersion": "k8s.ovn.org/v1alpha1",
        "kind": "Uplink",
        "metadata": metadata,
        "spec": {"nodeConfigs": [config]},
    }


def uplink_state(node: str, number: int, *, resolved: str = "True", **status: Any) -> JsonObject:
    """The state of the uplink ``blue`` with address ``172.19.0.<number>``."""
    gateway = {
        "defaultGateways": ["172.19.0.1"],
        "hostInterfaceName": "br-blue",
        "ipAddresses": [f"172.19.0.{number}/16"],
        "macAddress": f"02:42:AC:13:00:{number:02X}",
        "ovsBridge": {"name": "br-blue"},
    }
    conditions = [{"type": "GatewayReady", "status": "True"}, {"type": "Resolved", "status": resolved}]
    return {
        "apiVersion": "k8s.ovn.org/v1alpha1",
        "kind": "UplinkState",
        "metadata": {"name": f"blue.{node}"},
        "spec": {"nodeName": node, "uplinkName": "blue"},
        "status": {"conditions": conditions, **gateway, **status},
    }
