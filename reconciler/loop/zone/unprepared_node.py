"""What keeps a zone without rows, or its pods without a connection: facts about its node that other programs write."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from ovnguard.reconciler.apply.host.cni_folder import PLUGIN, names_plugin
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.validators.network.declared.node import CHASSIS_ID, GATEWAY_CONFIG, NODE_ID

_WRITERS: Final = {CHASSIS_ID: "ovnkube-node", GATEWAY_CONFIG: "ovnkube-node", NODE_ID: "the leader"}


def unprepared_node(
    desired: DesiredState, node: str, missing_plugin: Callable[[], str] = lambda: ""
) -> Mapping[str, str]:
    """Return why the zone of ``node`` has no rows, or its pods are not connected, by network, and who can change that.

    None where nothing is missing. ``missing_plugin`` returns what a node with rows waits for, '' for nothing.
    """
    remarks = (*desired.plan.notes, *desired.plan.errors)
    why = next((each.text for each in remarks if each.node == node and not each.network), "")
    planned = any(zone.node == node for zone in desired.plan.zones)
    text = missing_plugin() if planned else why
    if not text:
        return {}
    writer = next((f", which {program} writes" for key, program in _WRITERS.items() if text.endswith(key)), "")
    idle = desired.settings.idle_on(node)
    return {each.name: f"the node is {text}{writer}" for each in desired.candidates if each.name not in idle}


def missing_plugin(folder: Path) -> str:
    """Return that no file of ``folder`` configures OVN-Kubernetes' CNI plugin, '' where one does."""
    if names_plugin(folder):
        return ""
    return f"waiting for a configuration of the CNI plugin {PLUGIN} in {folder}, which ovnkube-node writes"
