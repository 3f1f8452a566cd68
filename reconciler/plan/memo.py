"""What an earlier plan found out about a network, kept for as long as nothing changes that it was found from.

Planning a thousand networks takes about a second; with a memo, one network more or less costs what that one costs.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from reconciler.plan.ids import NetworkIds
from validators.network.model import Network

_T = TypeVar("_T")


@dataclass(slots=True)
class Memo:
    """Values by kind and network, for one planner: pass the same memo to every `make_plan`.

    A value holds for equal circumstances (nodes, settings, zones), an equal network and equal numbers.
    """

    _circumstances: object = None
    _kept: dict[tuple[str, str], tuple[Network, NetworkIds, Any]] = field(default_factory=dict)

    def begin(self, circumstances: object, networks: set[str]) -> None:
        """Start a plan of the ``networks`` with these names; forget what no longer holds."""
        if circumstances != self._circumstances:
            self._kept.clear()
            self._circumstances = circumstances
        for key in [key for key in self._kept if key[1] not in networks]:
            del self._kept[key]

    def of(self, kind: str, network: Network, ids: NetworkIds, make: Callable[[], _T]) -> _T:
        """Return what ``make`` returned for this network before, or what it returns now."""
        key = (kind, network.name)
        held = self._kept.get(key)
        if held is not None and held[0] == network and held[1] == ids:
            value: _T = held[2]
            return value
        value = make()
        self._kept[key] = (network, ids, value)
        return value
