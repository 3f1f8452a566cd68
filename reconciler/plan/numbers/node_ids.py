"""Node ids, and keys of gateway router ports in the Layer2 topology before transit routers.

Source: ovn-kubernetes ``pkg/clustermanager/node``, ``pkg/allocator/id``; OKEP-5094, "Upgrade Strategy".
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ovnguard.reconciler.plan.numbers.layer2_addresses import is_legacy
from ovnguard.reconciler.plan.rows.model import Remark
from ovnguard.validators.network.addresses.addressing import MAX_NODE_ID, MAX_PORT_KEY, MIN_NODE_ID, AddressError
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import Network

# Port keys below belong to the platform's own ports.
FIRST_POD_KEY = 10


@dataclass(frozen=True, slots=True)
class NodeIds:
    """Ids by node name, recorded ones included, and errors for nodes without one."""

    numbers: Mapping[str, int] = field(hash=False)
    errors: tuple[Remark, ...] = ()


def node_ids(nodes: Sequence[Node], last: int = MAX_NODE_ID, resting: Collection[int] = ()) -> NodeIds:
    """Return an id for every node, given in order of creation; ``last`` is the highest possible id.

    Recorded ids stay; of two nodes with one id the later gets another. A new id follows the highest one in use, so the
    id of a removed node is reused late: caches may still contain its addresses. No node gets one of the ``resting``
    ids.
    """
    numbers: dict[str, int] = {}
    held: set[int] = set()
    for node in nodes:
        if node.node_id is not None and node.node_id not in held and MIN_NODE_ID <= node.node_id <= last:
            held.add(node.node_id)
            numbers[node.name] = node.node_id
    errors = []
    held |= set(resting)
    for node in nodes:
        if node.name in numbers:
            continue
        number = _next(held, MIN_NODE_ID, last)
        if number is None:
            rest = f", {len(resting)} of them until a short time ago" if resting else ""
            text = f"no node id left: all {last - MIN_NODE_ID + 1} of {MIN_NODE_ID} to {last} are in use{rest}"
            errors.append(Remark(text, node=node.name))
        else:
            held.add(number)
            numbers[node.name] = number
    return NodeIds(numbers, tuple(errors))


def router_port_keys(network: Network, nodes: Sequence[Node], pod_keys: Collection[int]) -> NodeIds:
    """Return the key of every node's gateway router port on a primary Layer2 network's switch.

    Empty when every node has a transit router. ``pod_keys`` are the keys of the network's pods, which share the range.
    """
    if not network.needs_transit_subnet or not any(is_legacy(node) for node in nodes):
        return NodeIds({})
    numbers: dict[str, int] = {}
    held = set(pod_keys)
    for node in nodes:
        key = node.router_port_keys.get(network.name)
        if key is not None and key not in held:
            held.add(key)
            numbers[node.name] = key
    errors = []
    for node in nodes:
        if node.name in numbers:
            continue
        number = free_key(held)
        if isinstance(number, AddressError):
            errors.append(Remark(number.text, network.name, node.name))
        else:
            held.add(number)
            numbers[node.name] = number
    return NodeIds(numbers, tuple(errors))


class PortKeys:
    """Port keys of one switch during allocation."""

    def __init__(self, held: Iterable[int]) -> None:
        self._held = set(held)
        self._following = max((each for each in self._held if each <= MAX_PORT_KEY), default=FIRST_POD_KEY - 1) + 1
        self._lowest = FIRST_POD_KEY

    def hold(self, key: int) -> None:
        """Mark ``key`` as used."""
        self._held.add(key)
        if key <= MAX_PORT_KEY:
            self._following = max(self._following, key + 1)

    def is_free(self, key: int) -> bool:
        """Whether ``key`` is unused."""
        return key not in self._held

    def free(self) -> int | AddressError:
        """Return an unused key: the one after the highest in use, else the lowest free one."""
        if FIRST_POD_KEY <= self._following <= MAX_PORT_KEY:
            return self._following
        while self._lowest <= MAX_PORT_KEY:
            if self._lowest not in self._held:
                return self._lowest
            self._lowest += 1
        count = MAX_PORT_KEY - FIRST_POD_KEY + 1
        return AddressError(f"no port key left: all {count} of {FIRST_POD_KEY} to {MAX_PORT_KEY} are in use")


def free_key(held: Iterable[int]) -> int | AddressError:
    """Return an unused port key of a switch."""
    return PortKeys(held).free()


def _next(held: set[int], first: int, last: int) -> int | None:
    """The number after the highest held one, else the lowest free one."""
    following = max((each for each in held if each <= last), default=first - 1) + 1
    if first <= following <= last:
        return following
    return next((number for number in range(first, last + 1) if number not in held), None)
