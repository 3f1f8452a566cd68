"""Whether networks without an overlay have routes: a condition of each ClusterUserDefinedNetwork, and the state of the
default network, which has Events.

Source: ovn-kubernetes ``pkg/clustermanager/userdefinednetwork`` and ``pkg/clustermanager`` (no-overlay validation).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from ovnguard.reconciler.plan.bgp.advertisements import Result
from ovnguard.reconciler.plan.rows.routing_model import Condition, RoutingInputs
from ovnguard.validators.network.cluster.route_advertisements import MANAGED_LABEL, RouteAdvertisement
from ovnguard.validators.network.declared.parse_udn import CUDN_PREFIX

TRANSPORT_ACCEPTED: Final = "TransportAccepted"
NORMAL, WARNING = "Normal", "Warning"
_ACCEPTED: Final = Condition(
    TRANSPORT_ACCEPTED, True, "NoOverlayTransportAccepted", "Transport has been configured as 'no-overlay'."
)
_NOT_ENABLED: Final = Condition(
    TRANSPORT_ACCEPTED,
    False,
    "RouteAdvertisementsNotEnabled",
    "RouteAdvertisements feature is not enabled but required for NoOverlay transport.",
)
_MISSING: Final = Condition(
    TRANSPORT_ACCEPTED,
    False,
    "NoOverlayRouteAdvertisementsIsMissing",
    "No RouteAdvertisements CR is advertising the pod networks.",
)


class DefaultState(NamedTuple):
    """The state of the default network's transport: the type, reason and message of its Event."""

    type: str
    reason: str
    message: str


_READY: Final = DefaultState(
    NORMAL,
    "NoOverlayConfigurationReady",
    "No-overlay transport is properly configured with RouteAdvertisements CR advertising the default network pod "
    "networks with status Accepted=True",
)
_NO_ADVERTISEMENTS: Final = DefaultState(
    WARNING,
    "NoRouteAdvertisements",
    "No RouteAdvertisements CR is advertising the default network. RouteAdvertisements configuration is required when "
    "transport=no-overlay.",
)


def transport_conditions(
    inputs: RoutingInputs, advertisements: Iterable[RouteAdvertisement], results: Iterable[Result]
) -> Mapping[str, Condition]:
    """Return the condition of every ClusterUserDefinedNetwork without an overlay, by its name."""
    if not inputs.enabled:
        return dict.fromkeys(inputs.no_overlay, _NOT_ENABLED)
    advertising = [each for each in advertisements if each.pod_network]
    accepted = _accepted(results)
    conditions = {}
    for name, is_managed in inputs.no_overlay.items():
        labels = inputs.labels.get(f"{CUDN_PREFIX}{name}", {})
        known = {**labels, MANAGED_LABEL: ""} if is_managed else labels
        conditions[name] = _condition([each.name for each in advertising if each.selects(known)], accepted)
    return conditions


def default_state(
    advertisements: Iterable[RouteAdvertisement], results: Iterable[Result], faults: Sequence[str] = ()
) -> DefaultState:
    """Return the state of a default network without an overlay; ``faults`` are why it can have no routes at all."""
    if faults:
        return default_fault(faults[0])
    names = sorted(each.name for each in advertisements if each.pod_network and each.selects_default)
    if not names:
        return _NO_ADVERTISEMENTS
    if _accepted(results).isdisjoint(names):
        text = (
            f"RouteAdvertisements CR(s) {', '.join(names)} exist for the default network but none have status "
            "Accepted=True. When transport=no-overlay, at least one RouteAdvertisements CR must be accepted to "
            "advertise pod networks."
        )
        return DefaultState(WARNING, "RouteAdvertisementsNotAccepted", text)
    return _READY


def default_fault(text: str) -> DefaultState:
    """Return the state of a default network that has no routes because of ``text``."""
    return DefaultState(WARNING, "NoOverlayConfigurationError", f"No-overlay transport configuration error: {text}")


def _condition(names: Sequence[str], accepted: frozenset[str]) -> Condition:
    if not names:
        return _MISSING
    if not accepted.isdisjoint(names):
        return _ACCEPTED
    listed = ", ".join(sorted(names))
    text = f"RouteAdvertisements CR {listed} advertises the pod subnets, but its status is not accepted."
    return Condition(TRANSPORT_ACCEPTED, False, "NoOverlayRouteAdvertisementsNotAccepted", text)


def _accepted(results: Iterable[Result]) -> frozenset[str]:
    return frozenset(each.name for each in results if each.condition.status)
