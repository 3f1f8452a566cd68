"""The platform that a cluster runs on, as its Infrastructure object says."""

from validators.json_types import JsonObject
from validators.network.inventory import Inventory
from validators.network.parse_values import dig, text_of
from validators.network.view import INFRASTRUCTURE


def platform_type(obj: JsonObject) -> str:
    """Return the platform of an Infrastructure, such as ``BareMetal``; empty when it names none."""
    for place in (("status", "platformStatus", "type"), ("status", "platform"), ("spec", "platformSpec", "type")):
        found = text_of(dig(obj, *place))
        if found:
            return found
    return ""


def known_platform(inventory: Inventory) -> str:
    """Return the platform of the cluster; empty when it is not known."""
    return inventory.derived(_known, INFRASTRUCTURE)


def _known(inventory: Inventory) -> str:
    found = {platform_type(obj) for obj in inventory.objects(INFRASTRUCTURE) or ()}
    return found.pop() if len(found) == 1 else ""
