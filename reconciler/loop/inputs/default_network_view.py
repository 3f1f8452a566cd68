"""A live view of a cluster without a network operator, with the default network that others describe."""

from collections.abc import Sequence

from ovnguard.reconciler.loop.inputs.live_view import LiveView
from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.cluster.inventory import inventory_of
from ovnguard.validators.network.cluster_view import OPERATOR_NETWORK, GroupKind
from ovnguard.validators.network.ovnkube_settings.chart_network import chart_network
from ovnguard.validators.network.ovnkube_settings.ovnkube_options import OvnkubeOptions, ovnkube_options


class DefaultNetworkView:
    """``view``, where the operator's Network is ``given`` or follows from the options of ovnkube.

    The cluster's own object counts where there is one.
    """

    def __init__(self, view: LiveView, given: JsonObject | None = None) -> None:
        self._view = view
        self._given = () if given is None else (given,)
        self._seen: OvnkubeOptions | None = None
        self._made: tuple[JsonObject, ...] = ()

    def objects(self, kind: GroupKind) -> Sequence[JsonObject] | None:
        """Return the objects of ``kind``, or None when they are unknown."""
        found = self._view.objects(kind)
        if kind != OPERATOR_NETWORK or found:
            return found
        # without the operator's definition, the API server does not serve the kind
        return self._given or self._of_options() or found

    def _of_options(self) -> tuple[JsonObject, ...]:
        options = ovnkube_options(inventory_of(self._view))
        if options is not self._seen:
            made = chart_network(options)
            self._seen, self._made = options, () if made is None else (made,)
        return self._made

    def waiting_for(self) -> tuple[str, ...]:
        """Return the resources that are not listed yet."""
        return self._view.waiting_for()

    def emptied(self) -> frozenset[GroupKind]:
        """Return the kinds of which the API server suddenly lists nothing."""
        return self._view.emptied()
