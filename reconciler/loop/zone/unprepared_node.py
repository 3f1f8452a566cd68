"""What keeps a zone from having any row: facts about its node that other programs write."""

from collections.abc import Mapping
from typing import Final

from reconciler.plan.desired_state import DesiredState
from validators.network.declared.node import CHASSIS_ID, GATEWAY_CONFIG, NODE_ID

_WRITERS: Final = {CHASSIS_ID: "ovnkube-node", GATEWAY_CONFIG: "ovnkube-node", NODE_ID: "the leader"}


def unprepared_node(desired: DesiredState, node: str) -> Mapping[str, str]:
    """Return why the zone of ``node`` has no rows, by network, and who can change that; none where it has."""
    remarks = (*desired.plan.notes, *desired.plan.errors)
    why = next((each.text for each in remarks if each.node == node and not each.network), "")
    if not why or any(zone.node == node for zone in desired.plan.zones):
        return {}
    writer = next((f", which {program} writes" for key, program in _WRITERS.items() if why.endswith(key)), "")
    idle = desired.left_out_on(node).idle
    return {each.name: f"the node is {why}{writer}" for each in desired.candidates if each.name not in idle}
