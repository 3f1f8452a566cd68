"""Which networks a process owns though nobody enforces their policies: those that it owned before, or all of them."""

from collections.abc import Callable, Collection
from typing import Final

from ovnguard.reconciler.loop.process.frozen_view import FrozenView
from ovnguard.reconciler.plan.inputs.unenforced import NOTHING_UNENFORCED, Unenforced
from ovnguard.validators.network.cluster.inventory import NETWORK_KINDS, inventory_of
from ovnguard.validators.network.cluster.policies import UNENFORCED_KINDS, policies_by_network
from ovnguard.validators.network.cluster_view import NAMESPACE, ClusterView

_KINDS: Final = (*NETWORK_KINDS, NAMESPACE, *UNENFORCED_KINDS)


class Takeover:
    """Follows the policies in ``view``.

    ``permitted``: networks are owned in spite of them. ``owned`` returns which of some networks were owned before.
    """

    def __init__(
        self, view: ClusterView, owned: Callable[[Collection[str]], Collection[str]], *, permitted: bool
    ) -> None:
        self._view = FrozenView(view, _KINDS)
        self._owned = owned
        self._permitted = permitted

    def look(self, concerns: Callable[[str], bool] = lambda _: True) -> Unenforced:
        """Return the policies of now in networks that the process ``concerns``."""
        self._view.take()
        policies = policies_by_network(inventory_of(self._view))
        found = {name: each for name, each in policies.items() if concerns(name)}
        if not found:
            return NOTHING_UNENFORCED
        refused = frozenset() if self._permitted else frozenset(found).difference(self._owned(found))
        return Unenforced(found, refused, self._permitted)
