"""Deletions that wait: the reason of an object seems gone, but its deletion was not observed.

As for rows, an empty list proves nothing, nor do the first lists of a process; and a network that is refused keeps what
it had.
"""

from collections.abc import Collection, Mapping
from typing import Final

from ovnguard.reconciler.loop.process.silence import LossyView
from ovnguard.reconciler.plan.bgp.advertisements import Result
from ovnguard.reconciler.plan.bgp.managed import is_managed
from ovnguard.reconciler.plan.desired_state import DesiredState
from ovnguard.reconciler.plan.rows.routing_model import MANAGED_CUDN, MANAGED_DEFAULT
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.route_advertisements import GENERATED_LABEL
from ovnguard.validators.network.cluster_view import (
    CUDN,
    NODE,
    OPERATOR_NETWORK,
    ROUTE_ADVERTISEMENTS,
    ClusterView,
    GroupKind,
)
from ovnguard.validators.network.declared.network_of import group_kind_of
from ovnguard.validators.network.frr.refusals import NO_NETWORKS
from ovnguard.validators.network.selectors import labels_of

_MANAGED: Final = {MANAGED_DEFAULT: OPERATOR_NETWORK, MANAGED_CUDN: CUDN}
_NETWORKS: Final = (OPERATOR_NETWORK, CUDN)
_DECLARING: Final = (*_NETWORKS, NODE)


class Unproven:
    """The kinds of which nothing is listed, though no deletion of their objects was observed."""

    def __init__(self, taken: ClusterView, live: LossyView) -> None:
        self._taken, self._live = taken, live
        self._unseen = frozenset(_DECLARING)

    def kinds(self) -> frozenset[GroupKind]:
        """Return these kinds as of now."""
        self._unseen = frozenset(kind for kind in self._unseen if not self._taken.objects(kind))
        lost = self._live.emptied()
        return frozenset(
            kind
            for kind in (*_DECLARING, ROUTE_ADVERTISEMENTS)
            if not self._taken.objects(kind) and (kind in self._unseen or kind in lost)
        )


def refused_kinds(desired: DesiredState, planned: Collection[str]) -> frozenset[GroupKind]:
    """Return the kinds of objects that declare, or may declare, managed routes and are not ``planned`` now."""
    left = (each for each in desired.candidates if each.name not in planned)
    declared = ((each.kind, each.network or each.declared) for each in left)
    return frozenset(
        kind for kind, network in declared if kind == OPERATOR_NETWORK or (network is not None and is_managed(network))
    )


def why_held(
    obj: JsonObject,
    results: Mapping[str, Result],
    advertised: Collection[str],
    unproven: Collection[GroupKind],
    refused: Collection[GroupKind],
) -> str:
    """Return why ``obj`` is not deleted though no plan contains it; empty when it is.

    ``results`` are those of the RouteAdvertisements, by name; ``advertised`` are the names of those that exist.
    """
    reasons = _reasons(obj, results, advertised)
    missing = sorted(kind.kind for kind in reasons if kind in unproven)
    if missing:
        return f"no {' and no '.join(missing)} is listed"
    return next((f"a {kind.kind} with managed routes is refused" for kind in reasons if kind in refused), "")


def _reasons(obj: JsonObject, results: Mapping[str, Result], advertised: Collection[str]) -> Collection[GroupKind]:
    """The kinds whose objects are the reason of ``obj``, as far as their absence takes it away."""
    is_advertisement = group_kind_of(obj) == ROUTE_ADVERTISEMENTS
    name = obj["metadata"]["name"] if is_advertisement else labels_of(obj).get(GENERATED_LABEL)
    if name is None:
        return [kind for each, kind in _MANAGED.items() if each in advertised]
    result = results.get(str(name))
    if result is not None:
        return _NETWORKS if NO_NETWORKS in result.condition.message else ()
    return (_MANAGED.get(str(name), ROUTE_ADVERTISEMENTS),)
