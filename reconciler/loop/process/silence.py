"""Silence: the API server suddenly lists nothing of a kind, as an emptied or a wrong one does.

Deleted objects are known to be deleted: a watch reports each of them. An empty list proves nothing, so rows of its kind
stay until an object of the kind is listed again. The same holds for the first lists of a process, because nobody
watched before.
"""

from typing import Final, Protocol

from ovnguard.reconciler.plan.inputs.candidates import NETWORK_KINDS
from ovnguard.reconciler.plan.services.endpoint_slices import ENDPOINT_SLICE
from ovnguard.validators.network.cluster_view import (
    CLUSTER_NETWORK_CONNECT,
    EGRESS_IP,
    NAMESPACE,
    POD,
    SERVICE,
    ClusterView,
    GroupKind,
)

# A zone without its Node stays as it is anyway.
WATCHED: Final = (*NETWORK_KINDS, POD, EGRESS_IP, NAMESPACE, CLUSTER_NETWORK_CONNECT)
# Load balancers would lose their servers, and rows only change: what was known of these kinds stays in force.
LOSABLE: Final = frozenset((SERVICE, ENDPOINT_SLICE))


class LossyView(ClusterView, Protocol):
    """A changing view that knows which lists became empty."""

    def emptied(self) -> frozenset[GroupKind]:
        """Return the kinds of which the API server suddenly lists nothing, without an event for each object."""


class Silence:
    """The kinds of `WATCHED` that ``taken``, the state of one moment, lacks though ``live`` may have them."""

    def __init__(self, taken: ClusterView, live: LossyView) -> None:
        self._taken, self._live = taken, live
        self._unseen: frozenset[GroupKind] = frozenset(NETWORK_KINDS)

    def kinds(self) -> frozenset[GroupKind]:
        """Return the kinds of which nothing is listed, without a proof that their objects were deleted."""
        self._unseen = frozenset(kind for kind in self._unseen if not self._taken.objects(kind))
        empty = [kind for kind in WATCHED if self._taken.objects(kind) == ()]
        emptied = self._live.emptied()
        # What is listed again by now was not deleted either.
        return frozenset(kind for kind in empty if kind in self._unseen or kind in emptied or self._live.objects(kind))
