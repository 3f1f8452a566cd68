"""When a node changes to the Layer2 topology with transit routers, and how far a cluster has come.

A node changes as a whole, once, and never back: while one pod of one primary Layer2 network runs on it, all its
networks keep the topology before transit routers. The annotation of the Node informs the other zones.

Source: OKEP-5094, "Upgrade Strategy"; ovn-kubernetes, the layer2 topology decision of a node's controller.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ovnguard.reconciler.plan.numbers.layer2_addresses import TRANSIT_ROUTER_VERSION, is_legacy
from ovnguard.reconciler.plan.rows.model import Remark
from ovnguard.reconciler.plan.rows.names import Names
from ovnguard.validators.network.cluster.layer2_pods import why_kept
from ovnguard.validators.network.declared.node import Node
from ovnguard.validators.network.model import Network, Topology

NO_KEYS: Final = (
    "Cluster manager is not ready to assign tunnel keys yet, not switching to transit router topology: no primary "
    "Layer2 network records its keys"
)
LEGACY_OFF: Final = (
    "the node still has the Layer2 topology before transit routers, which --layer2-legacy=off no longer supports: "
    "run its zone without the option and drain the node first"
)


class Standing(NamedTuple):
    """Where a node is: ``upgraded``, or why it keeps the earlier topology; without a reason it can change now."""

    node: str
    upgraded: bool
    reasons: tuple[str, ...] = ()

    @property
    def is_ready(self) -> bool:
        """Whether the node can change now."""
        return not self.upgraded and not self.reasons


def is_upgraded(node: Node) -> bool:
    """Whether the zone of a node has recorded that it uses transit routers."""
    return node.topology_version == TRANSIT_ROUTER_VERSION


def standing_of(
    node: Node, networks: Iterable[Network], ready: Collection[str], pods: Mapping[str, tuple[str, ...]]
) -> Standing:
    """Return where ``node`` is.

    ``ready`` are the names of the networks that have all their numbers, ``pods`` the node's running pods by primary
    Layer2 network.
    """
    if is_upgraded(node):
        return Standing(node.name, True)
    reasons = [why_kept(network, keys) for network, keys in pods.items()]
    primary = [network.name for network in networks if network.needs_transit_subnet]
    if primary and not any(name in ready for name in primary):
        reasons.append(NO_KEYS)
    return Standing(node.name, False, tuple(reasons))


def legacy_nodes(nodes: Iterable[Node]) -> tuple[str, ...]:
    """Return the names of the nodes that still have the topology before transit routers, sorted."""
    return tuple(sorted(node.name for node in nodes if is_legacy(node)))


def without_legacy(nodes: Sequence[Node]) -> tuple[tuple[Node, ...], tuple[Remark, ...]]:
    """Return ``nodes`` as they are when the earlier topology is no longer supported, and an error for each that has it.

    A node needs no annotation then. One that still has the earlier topology keeps it, so that nothing is disconnected.
    """
    errors = tuple(Remark(LEGACY_OFF, node=name) for name in legacy_nodes(nodes))
    assumed = (node if is_legacy(node) else node._replace(topology_version=TRANSIT_ROUTER_VERSION) for node in nodes)
    return tuple(assumed), errors


def earlier_ports(node: str, nodes: Collection[Node], networks: Iterable[Network]) -> Iterator[str]:
    """Iterate over the names of the ports for other nodes' gateway routers that ``node`` had before transit routers."""
    names = [Names(each.name) for each in networks if each.topology is Topology.LAYER2]
    for other in nodes if any(each.name == node and not is_legacy(each) for each in nodes) else ():
        yield from (each.legacy_remote_router(other.name) for each in names if other.name != node)
