"""Nodes that were read before, and the networks that a change of nodes touches."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from ovnguard.validators.base.json_types import JsonObject
from ovnguard.validators.network.declared.node import Node, ParsedNode, node_of
from ovnguard.validators.network.model import DEFAULT_NETWORK


class NodeMemo:
    """Earlier read Nodes, for one caller: an unchanged object is not read again and stays the same value."""

    def __init__(self) -> None:
        # The objects are kept, so no other one can have the ``id()`` of one of them.
        self._known: dict[int, tuple[JsonObject, ParsedNode]] = {}

    def read(self, objects: Sequence[JsonObject]) -> tuple[ParsedNode, ...]:
        """Return what each of ``objects`` describes."""
        known = self._known
        self._known = {id(obj): known.get(id(obj)) or (obj, node_of(obj)) for obj in objects}
        return tuple(self._known[id(obj)][1] for obj in objects)


def touched_networks(before: Sequence[Node], now: Sequence[Node]) -> AbstractSet[str] | None:
    """Return the networks that differ between nodes of two moments, None where something differs that affects all.

    A node's subnets and the MACs of its ports affect one network each; those of the default network count as
    affecting all, because other networks lead to it.
    """
    if len(before) != len(now):
        return None
    touched: set[str] = set()
    for old, new in zip(before, now, strict=True):
        if old is new:
            continue
        if _common_part(old) != _common_part(new):
            return None
        for one, other in ((old.host_subnets, new.host_subnets), (old.management_macs, new.management_macs)):
            touched |= {name for name in one.keys() | other.keys() if one.get(name) != other.get(name)}
    return None if DEFAULT_NETWORK in touched else touched


def _common_part(node: Node) -> Node:
    return node._replace(host_subnets={}, management_macs={})
