"""What the cluster's operator Network says about BGP, encryption and no-overlay mode, for rules about other objects."""

from typing import Final, NamedTuple

from validators.base.json_types import JsonObject
from validators.network.cluster.inventory import Inventory
from validators.network.cluster_view import OPERATOR_NETWORK
from validators.network.declared.parse_operator import CONFIG, NoOverlayChoice, no_overlay_choice
from validators.network.model import Routing, Transport
from validators.network.parse_values import dig

_KEYS: Final = tuple(CONFIG.split("."))


class OperatorFacts(NamedTuple):
    """One operator Network. ``advertises``: routeAdvertisements is Enabled; ``frr``: FRR is among the providers."""

    choice: NoOverlayChoice
    advertises: bool
    frr: bool
    ipsec_full: bool

    @property
    def no_overlay(self) -> bool:
        """Whether the default network is in no-overlay mode."""
        return self.choice.transport is Transport.NO_OVERLAY

    def routed(self, routing: Routing) -> bool:
        """Whether it is in no-overlay mode with this routing."""
        options = self.choice.options
        return self.no_overlay and options is not None and options.routing is routing


def operator_facts(obj: JsonObject) -> OperatorFacts:
    """Return what an operator Network says. Never raises."""
    providers = dig(obj, "spec", "additionalRoutingCapabilities", "providers")
    ipsec = dig(obj, *_KEYS, "ipsecConfig")
    return OperatorFacts(
        choice=no_overlay_choice(obj),
        advertises=dig(obj, *_KEYS, "routeAdvertisements") == "Enabled",
        frr=isinstance(providers, list) and "FRR" in providers,
        # Before there was a mode, an empty object meant what Full means now.
        ipsec_full=isinstance(ipsec, dict) and (dig(ipsec, "mode") or "Full") == "Full",
    )


def known_operator(inventory: Inventory) -> OperatorFacts | None:
    """Return what the cluster's operator Network says; None when it is not known, or when several disagree."""
    return inventory.derived(_known, OPERATOR_NETWORK)


def _known(inventory: Inventory) -> OperatorFacts | None:
    found = {operator_facts(obj) for obj in inventory.objects(OPERATOR_NETWORK) or ()}
    return found.pop() if len(found) == 1 else None
