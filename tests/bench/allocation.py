"""What dynamic allocation saves on one node, by plans: `python -m tests.bench.allocation [NETWORKS [NODES [USED...]]]`.

The peak of memory is that of the whole bench, with all networks and nodes.

The networks are primary ones, half Layer2 and half Layer3. Each node uses as many consecutive networks, and the nodes
are spread evenly over the networks.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_address, ip_interface, ip_network

from ovnguard.reconciler.plan.planner import make_plan
from ovnguard.reconciler.plan.rows.model import ActiveNodes
from ovnguard.reconciler.plan.rows.row_groups import groups_of
from ovnguard.reconciler.plan.rows.settings import Settings
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import Network, Subnet, Topology
from tests.support.plan_samples import layer3, node, sharing, udn

NETWORKS, NODES, USED = 1000, 20, 200
LARGE = (2000, 2000, 20)
"""Networks, nodes and used networks of the largest cluster."""
STEPS = (50, 100, 200, 400, 600, 800, 1000)


def networks(count: int) -> tuple[Network, ...]:
    """Half of them of each topology."""
    return tuple(_layer3(index) if index % 2 else udn(f"ns{index}_net", network_id=index + 1) for index in range(count))


def _layer3(index: int) -> Network:
    # room for four thousand nodes
    subnets = Subnet(ip_network("10.0.0.0/12"), 24)
    return layer3(f"cluster_udn_n{index}", subnets, network_id=index + 1)


def nodes(count: int, declared: tuple[Network, ...], users: tuple[ActiveNodes, ...] | None) -> tuple[Node, ...]:
    """Nodes with addresses of their own and a subnet of each Layer3 network that they use, without ``users`` of all."""
    members = []
    used: dict[str, list[Network]] = {f"node{number}": [] for number in range(1, count + 1)}
    for index, each in enumerate(declared):
        if each.topology is Topology.LAYER3:
            for name in used if users is None else users[index].nodes:
                used[name].append(each)
    for number in range(1, count + 1):
        address = ip_interface(f"172.18.{(number + 1) >> 8}.{(number + 1) & 255}/16")
        base = node(1)
        assert base.gateway is not None
        gateway = base.gateway._replace(addresses=(address,), next_hops=(ip_address("172.18.255.254"),))
        named = base._replace(name=f"node{number}", node_id=number + 1, chassis_id=f"chassis-{number}", gateway=gateway)
        shares = {"default": (ip_network(((10 << 24) + (128 << 16) + (number << 8), 24)),)}
        members.append(named._replace(internal_ips=(address.ip,), primary_addresses=(address,), host_subnets=shares))
    return tuple(each for member in members for each in sharing((member,), *used[member.name]))


def active(declared: tuple[Network, ...], count: int, used: int) -> tuple[ActiveNodes, ...]:
    """The nodes of each network when each of ``count`` nodes uses ``used`` networks."""
    users: dict[str, set[str]] = {each.name: set() for each in declared}
    for number in range(1, count + 1):
        first = (number - 1) * len(declared) // count
        for index in range(first, first + used):
            users[declared[index % len(declared)].name].add(f"node{number}")
    return tuple(ActiveNodes(network, frozenset(found)) for network, found in users.items())


def measure(networks_: int = NETWORKS, nodes_: int = NODES, *steps: int) -> Iterator[str]:
    """One line for each number of networks that a node uses; ``steps`` are these, by default up to all networks, and
    the last one is without dynamic allocation.
    """
    declared = networks(networks_)
    yield f"{networks_} networks, {nodes_} nodes: a node uses   plan        networks   rows of the node"
    whole: tuple[int | None, ...] = (*(step for step in STEPS if step < networks_), networks_, None)
    for used in steps or whole:
        users = None if used is None else active(declared, nodes_, used)
        settings = replace(Settings(), active=users or ())
        members = nodes(nodes_, declared, users)
        started = time.process_time()
        plan = make_plan(declared, members, settings, ("node1",))
        seconds = time.process_time() - started
        assert plan.errors == (), plan.errors[:1]
        rows = plan.zones[0].rows
        rendered = len(groups_of(rows).keys() - {""})
        name = "all, not dynamic" if used is None else str(used)
        yield f"{name:>43} {seconds * 1e3:8.0f} ms {rendered:8} {len(rows):14,}"


def rows_of_a_node(used: int) -> int:
    """The rows of one node that uses so many networks, in the bench's own cluster."""
    declared = networks(NETWORKS)
    users = active(declared, NODES, used)
    members = nodes(NODES, declared, users)
    return len(make_plan(declared, members, replace(Settings(), active=users), ("node1",)).zones[0].rows)


def large() -> Iterator[str]:
    """The lines of `LARGE`, from a process of its own, whose memory is counted."""
    argv = [sys.executable, "-m", "tests.bench.allocation", *map(str, LARGE)]
    yield from subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()


def main() -> None:
    """Print the lines."""
    for line in measure(*map(int, sys.argv[1:])):
        print(line, flush=True)
    print(f"{'memory, peak':>43} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:8.0f} MiB")


if __name__ == "__main__":
    main()
