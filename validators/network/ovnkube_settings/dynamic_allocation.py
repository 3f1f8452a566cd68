"""Whether the cluster renders user-defined networks only on nodes that use them.

Source: OKEP-5552, "Proposal" and "Status".
"""

from typing import Final

from validators.base.json_types import JsonObject
from validators.network.cluster.advertised_networks import OVNKUBE_NAMESPACES
from validators.network.cluster.inventory import NETWORK_KINDS, Inventory, declared
from validators.network.cluster_view import CUDN, UDN
from validators.network.ovnkube_settings.allocation import allocation
from validators.network.ovnkube_settings.allocation_settings import DYNAMIC
from validators.network.parse_values import dig

# The condition exists only with dynamic allocation, and after a network was used once.
_CONDITION: Final = ("NodesSelected", "DynamicAllocation")
_MAX_CONDITIONS: Final = 32


def selected_networks(inventory: Inventory) -> frozenset[str]:
    """Return the networks whose condition says that their nodes are selected."""
    return inventory.derived(_selected, *NETWORK_KINDS)


def is_dynamic(inventory: Inventory) -> bool:
    """Return whether the cluster allocates dynamically: ovnkube's configuration says so, or the nodes of a network are
    selected. The option is one for the whole cluster.
    """
    known = allocation(inventory)
    sources = (each for each in known.sources if each.namespace in OVNKUBE_NAMESPACES) if known is not None else ()
    switched_on = any(each.is_on(DYNAMIC) for source in sources for each in source.settings)
    return switched_on or bool(selected_networks(inventory))


def _selected(inventory: Inventory) -> frozenset[str]:
    known = inventory.followed(declared, *NETWORK_KINDS).networks
    objects = (obj for kind in (CUDN, UDN) for obj in inventory.objects(kind) or () if _has_condition(obj))
    networks = (known.get(id(obj)) for obj in objects)
    return frozenset(network.name for network in networks if network is not None)


def _has_condition(obj: JsonObject) -> bool:
    conditions = dig(obj, "status", "conditions")
    listed = conditions[:_MAX_CONDITIONS] if isinstance(conditions, list) else ()
    return any((dig(each, "type"), dig(each, "reason")) == _CONDITION for each in listed)
