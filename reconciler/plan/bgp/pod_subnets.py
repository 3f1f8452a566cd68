"""The pod subnets that a node may advertise; annotations are untrusted, so only shares of the network count."""

from collections.abc import Iterable, Iterator

from ovnguard.reconciler.plan.rows.model import Remark
from ovnguard.validators.network.declared.node import NODE_SUBNETS, Node
from ovnguard.validators.network.model import IPNetwork, Network, Topology


def pod_subnets(network: Network, node: Node) -> tuple[IPNetwork, ...]:
    """Return the whole subnets of a Layer2 network; of a Layer3 network, the node's shares."""
    if network.topology is Topology.LAYER2:
        return tuple(subnet.cidr for subnet in network.subnets)
    return tuple(share for share in node.host_subnets.get(network.name, ()) if _gives(network, share))


def foreign_subnets(networks: Iterable[Network], nodes: Iterable[Node]) -> Iterator[Remark]:
    """Iterate over errors about recorded subnets outside their network."""
    named = {network.name: network for network in networks if network.topology is Topology.LAYER3}
    text = "is not a node's share of the network's subnets, so it is not advertised"
    for node in nodes:
        for name, shares in node.host_subnets.items():
            for share in shares if name in named else ():
                if not _gives(named[name], share):
                    yield Remark(f"{NODE_SUBNETS}: {share} {text}", name, node.name)


def _gives(network: Network, share: IPNetwork) -> bool:
    return any(
        cidr.version == share.version
        and share.prefixlen == (length or cidr.prefixlen)
        and share.network_address in cidr
        for cidr, length in network.subnets
    )
