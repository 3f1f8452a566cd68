"""The nodes of all networks under dynamic allocation, as the leader follows them.

A node that no longer uses a network keeps its subnets for the grace period. That they are still recorded is all that a
new leader needs: it counts a whole period from its own first look.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from ovnguard.reconciler.loop.inputs.plan_inputs import CONNECTS, EGRESS_IPS, NAMESPACES, PODS, RUNNING
from ovnguard.reconciler.loop.process.frozen_view import KINDS, FrozenView
from ovnguard.reconciler.loop.process.silence import LossyView
from ovnguard.reconciler.plan.activity.active_nodes import active_nodes_of
from ovnguard.reconciler.plan.activity.grace import Grace
from ovnguard.reconciler.plan.numbers.node_memo import NodeMemo
from ovnguard.reconciler.plan.rows.model import ActiveNodes
from ovnguard.validators.cluster import trim
from ovnguard.validators.cluster.resources import Part, Resource
from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster_view import NODE
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.ovnkube_settings.dynamic_allocation import GRACE_PERIOD

ACTIVITY_RESOURCES: Final[tuple[tuple[Resource, Part], ...]] = (
    (NAMESPACES, Part(trim=trim.selectable)),
    (PODS, Part(trim=trim.placed_pod, fields=RUNNING)),
    (EGRESS_IPS, Part(trim=trim.plain)),
    (CONNECTS, Part(trim=trim.plain)),
)
"""What to watch in order to know which nodes use a network."""
_ACTIVITY_KINDS: Final = tuple(resource.group_kind for resource, _ in ACTIVITY_RESOURCES)
# Where the API server serves no connections, there are none.
_NEEDED: Final = frozenset(_ACTIVITY_KINDS) - {CONNECTS.group_kind}


class LeaderActivity:
    """Follows the objects of ``view``; what a node no longer uses stays for ``period`` seconds."""

    def __init__(
        self, view: LossyView, period: float = GRACE_PERIOD, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._live = view
        self._view = FrozenView(view, (*KINDS, *_ACTIVITY_KINDS))
        self._period = period
        self._monotonic = monotonic
        self._now = 0.0
        self._members = NodeMemo()
        self.forget()

    def forget(self) -> None:
        """Begin again, as a new leader does."""
        self._grace = Grace()
        self._active: tuple[ActiveNodes, ...] | None = None

    def look(self) -> tuple[ActiveNodes, ...] | None:
        """Return the nodes of each network that is not rendered on all, None while that is unknown.

        A list that is suddenly empty changes nothing.
        """
        self._view.take()
        self._now = self._monotonic()
        unsure = self._live.emptied() & {*KINDS, *_ACTIVITY_KINDS}
        if unsure or any(self._view.objects(kind) is None for kind in _NEEDED):
            return self._active
        inventory = inventory_of(self._view)
        found = active_nodes_of(self._view, True, inventory.networks() or (), (), {})
        names = frozenset(each.network for each in found)
        used = {(each.network, node) for each in found for node in each.nodes}
        held = {(network, node.name) for node in self._nodes() for network in node.host_subnets if network in names}
        self._grace = self._grace.of(names).at(self._now, self._period, used, held)
        stays: dict[str, set[str]] = {}
        for network, node in self._grace.in_grace(self._now, self._period):
            stays.setdefault(network, set()).add(node)
        self._active = tuple(replace(each, grace=frozenset(stays.get(each.network, ()))) for each in found)
        return self._active

    def due(self) -> float | None:
        """Return the seconds from the last look until its result changes with time, None for never."""
        return self._grace.due(self._now, self._period)

    def _nodes(self) -> Iterator[Node]:
        parsed = self._members.read(self._view.objects(NODE) or ())
        return (each.node for each in parsed if each.node is not None)
