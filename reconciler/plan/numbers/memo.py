"""A cache of values about networks from an earlier plan, valid until their inputs change.

Planning a thousand networks takes about a second; with a memo, adding or removing a network takes only the time for
that network.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ovnguard.reconciler.plan.numbers.network_ids import NetworkIds
from ovnguard.reconciler.plan.numbers.node_memo import touched_networks
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import Network

_T = TypeVar("_T")


@dataclass(slots=True)
class Memo:
    """Values by kind and network, for one planner: pass the same memo to every `make_plan`.

    A value holds for equal nodes, as far as they affect its network, equal settings, an equal network and equal
    numbers.
    """

    _nodes: tuple[Node, ...] = ()
    _settings: object = None
    _kept: dict[str, tuple[Network, NetworkIds, dict[str, tuple[object, Any]]]] = field(default_factory=dict)
    # Networks already compared in the current plan: one comparison serves several kinds of values.
    _same: dict[str, dict[str, tuple[object, Any]]] = field(default_factory=dict)

    def begin(self, nodes: Sequence[Node], settings: object, networks: set[str]) -> None:
        """Start a plan of the ``networks`` with these names; drop outdated values.

        ``settings`` are those that affect all networks.
        """
        touched = touched_networks(self._nodes, nodes) if settings == self._settings else None
        self._nodes, self._settings = tuple(nodes), settings
        stay = networks - touched if touched is not None else frozenset[str]()
        for name in self._kept.keys() - stay:
            del self._kept[name]
        self._same = {}

    def of(self, kind: str, network: Network, ids: NetworkIds, make: Callable[[], _T], inputs: object = None) -> _T:
        """Return the cached result of ``make`` for this network, or call it.

        ``inputs`` is the value's further input besides nodes, settings, network and numbers: the network's pods.
        """
        kinds = self._same.get(network.name)
        if kinds is None:
            kinds = self._same[network.name] = self._checked(network, ids)
        held = kinds.get(kind)
        if held is None or (held[0] is not inputs and held[0] != inputs):
            held = kinds[kind] = (inputs, make())
        value: _T = held[1]
        return value

    def forget(self, node: str) -> None:
        """Drop what only the zone of ``node`` has; the names of such kinds end with its name."""
        for _, _, kinds in self._kept.values():
            for kind in [each for each in kinds if each.endswith(f" {node}")]:
                del kinds[kind]

    def _checked(self, network: Network, ids: NetworkIds) -> dict[str, tuple[object, Any]]:
        held = self._kept.get(network.name)
        if held is not None and (held[0] is network or held[0] == network) and held[1] == ids:
            return held[2]
        kinds: dict[str, tuple[object, Any]] = {}
        self._kept[network.name] = (network, ids, kinds)
        return kinds
