"""The objects of a managed fabric as values, not serialised: `python -m tests.bench.routing_objects [NODES...]`.

Each pass makes all objects of all nodes anew, as the leader does when a node comes or goes.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from ipaddress import ip_address, ip_interface, ip_network
from statistics import median
from typing import Final

from ovnguard.reconciler.plan.bgp.routing import Routing, plan_routing
from ovnguard.reconciler.plan.numbers.network_ids import NetworkIds
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.frr.full_mesh import sessions
from ovnguard.validators.network.model import ManagedBGP, Network
from tests.support.plan_samples import default_network, node

COUNTS: Final = (24, 120, 250, 500)
REFLECTORS: Final = 3
_PASSES: Final = 5
_IDS: Final = {"default": NetworkIds(0, 1)}
_ROLE: Final = {"k8s.ovn.org/internal-bgp-role": "route-reflector"}


def fabric(count: int, *, reflectors: int = 0) -> tuple[Network, list[Node]]:
    """The default network and its nodes; without reflectors, a full mesh."""
    topology = "route-reflector" if reflectors else "full-mesh"
    network = default_network(managed_bgp=ManagedBGP(64512, topology))
    return network, [_node(number, is_reflector=number <= reflectors) for number in range(1, count + 1)]


def routing(network: Network, nodes: Sequence[Node]) -> Routing:
    """The objects of all nodes."""
    return plan_routing([network], _IDS, nodes, Settings())


def measure(counts: Sequence[int] = COUNTS) -> Iterator[str]:
    """Yield one line for each number of nodes."""
    for count in counts:
        network, nodes = fabric(count)
        mesh = _milliseconds(network, nodes)
        reflected = _milliseconds(*fabric(count, reflectors=REFLECTORS))
        others = REFLECTORS * (REFLECTORS - 1) // 2 + REFLECTORS * (count - REFLECTORS)
        yield (
            f"objects of {count} nodes: full mesh of {sessions(nodes)} sessions {mesh:.0f} ms, "
            f"{REFLECTORS} reflectors with {others} sessions {reflected:.0f} ms"
        )


def _milliseconds(network: Network, nodes: Sequence[Node]) -> float:
    """The processor time of a pass, the median of several."""
    taken = []
    for _ in range(_PASSES):
        started = time.process_time()
        routing(network, nodes)
        taken.append((time.process_time() - started) * 1000)
    return median(taken)


def _node(number: int, *, is_reflector: bool) -> Node:
    address = ip_address("172.18.0.0") + number
    return node(
        1,
        name=f"node{number}",
        node_id=number + 1,
        labels=_ROLE if is_reflector else {},
        internal_ips=(address,),
        primary_addresses=(ip_interface(f"{address}/16"),),
        gateway=None,
        host_subnets={"default": (ip_network((int(ip_address("10.128.0.0")) + (number << 9), 23)),)},
    )


if __name__ == "__main__":
    for line in measure([int(each) for each in sys.argv[1:]] or COUNTS):
        print(line)
