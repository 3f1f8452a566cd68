"""Whether the cluster renders user-defined networks only on nodes that use them, and which fact says so.

Source: OKEP-5552, "Proposal" and "Status".
"""

from datetime import UTC, datetime
from typing import Final, NamedTuple

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.go.duration import SECOND, parse_duration
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS, Inventory, declared
from ovnguard.validators.network.cluster_view import CUDN, UDN
from ovnguard.validators.network.ovnkube_settings.option_names import DYNAMIC, GRACE
from ovnguard.validators.network.ovnkube_settings.ovnkube_options import ovnkube_options
from ovnguard.validators.network.parse_values import dig, text_of

# The condition exists only with dynamic allocation, and after a network was used once.
_CONDITION: Final = ("NodesSelected", "DynamicAllocation")
_MAX_CONDITIONS: Final = 32
GRACE_PERIOD: Final = 120.0
"""OVN-Kubernetes' default of udn-deletion-grace-period, in seconds."""


class AllocationFact(NamedTuple):
    """What says that the cluster allocates dynamically, or that it does not, as ``text`` for people.

    A condition may be older than the decision to allocate statically: OVN-Kubernetes does not remove its own.
    """

    is_on: bool
    text: str
    is_condition: bool = False


def selected_networks(inventory: Inventory) -> frozenset[str]:
    """Return the networks whose condition says that their nodes are selected."""
    return inventory.derived(_selected, *NETWORK_KINDS)


def is_dynamic(inventory: Inventory) -> bool:
    """Return whether the cluster allocates dynamically. The option is one for the whole cluster."""
    fact = allocation_fact(inventory)
    return fact is not None and fact.is_on


def allocation_fact(inventory: Inventory) -> AllocationFact | None:
    """Return the fact that decides whether the cluster allocates dynamically; None where nothing says anything.

    ovnkube's configuration counts before conditions: on if any part of it is on, else off if any part is off.
    """
    found = {each.is_on: each for each in ovnkube_options(inventory).anywhere.get(DYNAMIC, ())}
    for is_on in (True, False):
        if is_on in found:
            return AllocationFact(is_on, f"{found[is_on].source} switches it {'on' if is_on else 'off'}")
    selected = selected_networks(inventory)
    if not selected:
        return None
    return AllocationFact(True, f"network {min(selected)} has the condition {_CONDITION[0]}", is_condition=True)


def grace_period(inventory: Inventory) -> float:
    """Return how many seconds a node keeps a network that it does not use any more: the longest time that is known."""
    values = (each.value for each in ovnkube_options(inventory).anywhere.get(GRACE, ()))
    periods = [found for value in values if value is not None and (found := parse_duration(value)) is not None]
    return max(periods) / SECOND if periods else GRACE_PERIOD


def selected_since(obj: JsonObject) -> datetime | None:
    """Return when the number of nodes that use a network changed last, by its condition; None where nothing says it."""
    condition = _condition_of(obj)
    try:
        moment = datetime.fromisoformat(text_of(dig(condition, "lastTransitionTime")))
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _selected(inventory: Inventory) -> frozenset[str]:
    known = inventory.followed(declared, *NETWORK_KINDS).networks
    objects = (obj for kind in (CUDN, UDN) for obj in inventory.objects(kind) or () if _has_condition(obj))
    networks = (known.get(id(obj)) for obj in objects)
    return frozenset(network.name for network in networks if network is not None)


def _has_condition(obj: JsonObject) -> bool:
    return _condition_of(obj) is not None


def _condition_of(obj: JsonObject) -> object:
    conditions = dig(obj, "status", "conditions")
    listed = conditions[:_MAX_CONDITIONS] if isinstance(conditions, list) else ()
    return next((each for each in listed if (dig(each, "type"), dig(each, "reason")) == _CONDITION), None)
