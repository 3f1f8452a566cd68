"""Views of the cluster that fill up while the process runs, as the loops need them."""

from typing import Protocol

from ovnguard.reconciler.loop.process.silence import LossyView
from ovnguard.validators.network.cluster_view import ClusterView


class ListedView(ClusterView, Protocol):
    """A view that knows what it lacks."""

    def waiting_for(self) -> tuple[str, ...]:
        """Return the resources that are not listed yet."""


class LiveView(ListedView, LossyView, Protocol):
    """A view that also knows which lists became empty."""
