"""A view of the cluster that fills up while the process runs, as the loops need it."""

from typing import Protocol

from validators.network.cluster_view import ClusterView, GroupKind


class LiveView(ClusterView, Protocol):
    """A view that fills up while the process runs."""

    def waiting_for(self) -> tuple[str, ...]:
        """Return the resources that are not listed yet."""

    def emptied(self) -> frozenset[GroupKind]:
        """Return the kinds of which the API server suddenly lists nothing, without an event for each object."""
