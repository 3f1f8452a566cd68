"""The addresses that a primary Layer2 network chooses for itself, where OVN-Kubernetes uses them.

Its feature of preconfigured addresses is off by default. Without it the cluster manager leaves the fields out of the
attachments that it renders, and reads them from no attachment.

Source: ovn-kubernetes, ``util.IsPreconfiguredUDNAddressesEnabled``, ``newLayer2NetConfInfo`` and the template of
attachments.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from ovnguard.reconciler.plan.inputs.candidates import Candidate
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS, Inventory, declared
from ovnguard.validators.network.cluster.ownership import OwnerKey, key_of
from ovnguard.validators.network.cluster_view import NAD
from ovnguard.validators.network.declared.network_of import network_of
from ovnguard.validators.network.model import Network, has_chosen_addresses
from ovnguard.validators.network.ovnkube_settings.allocation import preconfigured_addresses

_FIELDS: Final = {
    "reservedSubnets": "reserved_subnets",
    "infrastructureSubnets": "infrastructure_subnets",
    "defaultGatewayIPs": "default_gateway_ips",
}
_NONE: Final = dict.fromkeys(_FIELDS.values(), ())


def with_effective_addresses(candidates: Sequence[Candidate], inventory: Inventory) -> tuple[Candidate, ...]:
    """Return ``candidates`` whose networks keep the chosen addresses that OVN-Kubernetes uses, with notes about others.

    The rendered attachment of a network decides. Without one the settings of ovnkube do, if they are known; else the
    feature is on if some rendered attachment has such a field, and off by default.
    """
    networks = [each.network for each in candidates if each.network is not None]
    some = [
        each for each in networks if each.reserved_subnets or each.infrastructure_subnets or each.default_gateway_ips
    ]
    if not any(map(has_chosen_addresses, some)):
        return tuple(candidates)
    rendered = _rendered(candidates, inventory)
    is_on = preconfigured_addresses(inventory)
    if is_on is None:
        is_on = any(has_chosen_addresses(each) for each in rendered.values())
    return tuple(_effective(each, rendered, is_on=is_on) for each in candidates)


def _effective(candidate: Candidate, rendered: Mapping[OwnerKey, Network], *, is_on: bool) -> Candidate:
    network = candidate.network
    if network is None or not has_chosen_addresses(network):
        return candidate
    source = rendered.get(key_of(candidate.object)) if candidate.kind != NAD else None
    if source is None and is_on:
        return candidate
    used = {attribute: getattr(source, attribute) for attribute in _NONE} if source is not None else _NONE
    found = network._replace(**used)
    if found == network:
        return candidate
    idle = ", ".join(key for key, attribute in _FIELDS.items() if getattr(network, attribute) and not used[attribute])
    reason = "its attachment does not contain it" if source is not None else _OFF
    notes = (*candidate.notes, f"{idle} without effect: {reason}") if idle else candidate.notes
    return replace(candidate, network=found, notes=notes)


_OFF: Final = "ovnkube is not known to run with --enable-preconfigured-udn-addresses"


def _rendered(candidates: Iterable[Candidate], inventory: Inventory) -> Mapping[OwnerKey, Network]:
    """The networks as the attachments say that were rendered for candidates with chosen addresses."""
    owners = {
        key_of(each.object) for each in candidates if each.network is not None and has_chosen_addresses(each.network)
    }
    known = inventory.followed(declared, *NETWORK_KINDS).rendered
    found: dict[OwnerKey, Network] = {}
    for obj in inventory.objects(NAD) or ():
        owner = known.get(id(obj))
        if owner in owners and owner is not None and owner not in found:
            network = network_of(obj).network
            if network is not None:
                found[owner] = network
    return found
